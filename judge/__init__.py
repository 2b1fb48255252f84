"""A language model as the judge of saved answers, in a way that others can check.

Read the modules in this order; each imports only those before it:

    errors, canonical, records                                  what there is
    strictyaml, sandbox, filling, shapes, rubric, request       what is sent (pure)
    envelope, readings, reading, reaction                       what came back (pure)
    lexical, sampling, gate, layout, progress, spending, stats  what follows (pure)
    extraction                                                  what of an answer is read (pure)
    answers, packs, doctor, chain, ledger, providers, tokens    where the world comes in
    config, controls, exclusions, identity, prices, coherence   what will be asked
    intended, folder, agreement                                 what will be asked, and said
    questions, planning, preregistration                        what will be asked, frozen
    recount, export, sources, comparing, metrics                what was asked, proved again
    judgments, studies, marks                                   the same, one row per judgment
    tables, autoeval, manifest                                  the same, for other programs
    recovery, asking, engine, stretch, judging                  asking it
    report, loading, facade, starter, schemas, selftest, cli    in words

From Python: `judge.plan(config)`, `judge.run(config, folder)`, `judge.resume(folder)`,
`judge.verify(folder)`, `judge.show(folder)`; the records they take and give are `judge.RunConfig`,
`judge.Proof`, `judge.Outcome` and `judge.Summary`. `judge.load(folder)` gives a run's judgments.
`judge.compare(a, b)` and `judge.compare_all` take runs, verdict files, data frames and what
`judge.verdicts` gives. See docs/python.md.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.comparing import (
        CompareOptions,
        Comparison,
        Matrix,
        Side,
        compare,
        compare_all,
        verdicts,
    )
    from judge.config import (
        AnswersConfig,
        JudgeConfig,
        Limits,
        ReferencesConfig,
        RunConfig,
    )
    from judge.facade import plan, resume, run, show, verify
    from judge.judging import Outcome
    from judge.judgments import Judgment
    from judge.loading import Loaded, load
    from judge.recount import Proof
    from judge.report.summary import Summary

__all__ = [
    "AnswersConfig",
    "CompareOptions",
    "Comparison",
    "JudgeConfig",
    "Judgment",
    "Limits",
    "Loaded",
    "Matrix",
    "Outcome",
    "Proof",
    "ReferencesConfig",
    "RunConfig",
    "Side",
    "Summary",
    "compare",
    "compare_all",
    "load",
    "plan",
    "resume",
    "run",
    "show",
    "verdicts",
    "verify",
]

_PLACES = {
    **dict.fromkeys(
        ("AnswersConfig", "JudgeConfig", "Limits", "ReferencesConfig", "RunConfig"), "judge.config"
    ),
    **dict.fromkeys(("plan", "resume", "run", "show", "verify"), "judge.facade"),
    **dict.fromkeys(
        (
            "CompareOptions",
            "Comparison",
            "Matrix",
            "Side",
            "compare",
            "compare_all",
            "verdicts",
        ),
        "judge.comparing",
    ),
    **dict.fromkeys(("Loaded", "load"), "judge.loading"),
    "Judgment": "judge.judgments",
    "Outcome": "judge.judging",
    "Proof": "judge.recount",
    "Summary": "judge.report.summary",
}


def __getattr__(name: str) -> object:
    # The public names are looked up when they are used, so that `import judge` costs nothing.
    if name not in _PLACES:
        raise AttributeError(f"module 'judge' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    # What a notebook offers to complete: the public names, though none is imported yet.
    return [*__all__, "errors"]
