"""A run in, forged plans out: run.json changed, and every digest after it made to agree."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from judge.selftest.forging import Forged, Forgery

__all__ = ["plan_forgeries"]

Edit = Callable[[Forged], None]
Path = tuple[str | int, ...]
_NOBODY = "0" * 64
_UNNAMED = {"first": None, "second": None}
_STUDY: dict[str, object] = {
    "contrasts": [],
    "exclusions": None,
    "comparators": [],
    "margin": None,
    "allowed_breaks": 0,
}
"""What would be said of a run, had it been fixed."""

_VALUES: tuple[tuple[str, Path, tuple[object, ...]], ...] = (
    (
        "threshold, seed",
        ("gate", "threshold"),
        ("0.8", "51/100", "1/2", "2", "0.9 ", "nine", "9/0"),
    ),
    ("threshold, seed", ("gate", "seed"), (1, 2, 3)),
    ("altered plan", ("gate", "positive"), (0, 1, 5, 7)),
    ("altered plan", ("gate", "negative"), (0, 1, 5, 7)),
    ("altered plan", ("gate", "batch_size"), (0, 1, 4)),
    ("altered plan", ("gate", "controls"), ([], ["other"], ["controls", "harder"])),
    ("altered plan", ("repetitions",), (1, 3, 1000)),
    ("altered plan", ("reask",), (0, 2)),
    ("altered plan", ("questions",), (0, 1, 7, 9, 2**53 - 1)),
    ("altered plan", ("answers", 0, "name"), ("third", "second")),
    ("altered plan", ("answers", 0, "rows"), (7, 9, 2**53 - 1)),
    ("altered plan", ("answers", -1, "first_row"), (1, 7, 9)),
    ("altered plan", ("conditions", 0, "id"), ("c2", "c3", "")),
    ("altered plan", ("conditions", 0, "name"), ("first | longmemeval/upstream | lexical",)),
    ("altered plan", ("conditions", 0, "answers"), ("second", "third")),
    ("rubric pin", ("conditions", 0, "rubric"), ("longmemeval/upstream", "../../run")),
    ("rubric pin", ("conditions", 0, "rubric_pin"), (_NOBODY,)),
    ("rubric pin", ("conditions", 0, "labels"), (["no", "yes"], ["yes"], ["yes", "no", "maybe"])),
    ("rubric pin", ("conditions", 0, "accept"), ("no",)),
    ("rubric pin", ("conditions", 0, "readings", "strict"), ("yes-substring/1", "mine/1")),
    ("identity", ("conditions", 0, "judge"), ("other",)),
    ("deviations, official", ("conditions", 0, "deviations"), (["none worth a word"],)),
    ("deviations, official", ("conditions", 0, "official"), (True,)),
    ("identity", ("judges", 0, "name"), ("gpt-4o-2024-08-06",)),
    ("identity", ("judges", 0, "provider"), ("openai", "anthropic")),
    ("identity", ("judges", 0, "api"), ("chat-completions", "messages")),
    ("identity", ("judges", 0, "model"), ("gpt-4o-2024-08-06", "lexical/2")),
    ("identity", ("judges", 0, "expect_model"), ("gpt-4o-2024-08-06",)),
    ("identity", ("judges", 0, "identity"), ("snapshot", "pinned-id", "alias", "label")),
    ("identity", ("judges", 0, "address"), ("provider", "custom")),
    ("deviations, official", ("judges", 0, "settings_set"), ({"temperature": 1}, {"seed": 7})),
    ("deviations, official", ("judges", 0, "settings_unset"), (["temperature"], ["nothing"])),
    ("altered plan", ("v",), (0, 2)),
    ("study, extract", ("extract",), ("last-answer-line", "first-line")),
    (
        "study, extract",
        ("study",),
        (
            {},
            _STUDY,
            {**_STUDY, "margin": "0.5"},
            {**_STUDY, "contrasts": [{"name": "late", "vary": "rubric", **_UNNAMED}]},
            {**_STUDY, "allowed_breaks": 11},
        ),
    ),
    ("altered plan", ("sources", -1, "rows"), (3, 5)),
    ("altered plan", ("sources", -1, "name"), ("harder",)),
)
"""Family, place in the plan, and what a forger may write there."""


def plan_forgeries(run: Forged) -> Iterator[Forgery]:
    """Yield every forgery of run.json."""
    for family, path, values in _VALUES:
        for value in values:
            if value != _at(run.plan, path):
                where = ".".join(str(part) for part in path)
                yield Forgery(family, f"{where} is {value!r}", _written(path, value))
    yield from _hosted()
    yield from _shapes(run)
    yield from _manifest()


def _at(value: Any, path: Path) -> object:  # noqa: ANN401 - JSON
    for part in path:
        # A part that a plan does without is not written down.
        value = value.get(part) if isinstance(value, dict) else value[part]
    return value


def _written(path: Path, value: object) -> Edit:
    def edit(run: Forged) -> None:
        *way, last = path
        place: Any = _at(run.plan, tuple(way))
        place[last] = value

    return edit


def _hosted() -> Iterator[Forgery]:
    """The embedded rule under the name of a hosted judge, as far as its fields allow."""
    for api, model in (("lexical", "lexical/1"), ("chat-completions", "gpt-4o-2024-08-06")):
        yield Forgery("identity", f"openai, {api}, {model}", _posing(api, model))


def _posing(api: str, model: str) -> Edit:
    def edit(run: Forged) -> None:
        said = {"provider": "openai", "api": api, "model": model, "expect_model": model}
        identity = "snapshot" if model.startswith("gpt") else "alias"
        run.plan["judges"][0] |= {**said, "address": "provider", "identity": identity}

    return edit


def _shapes(run: Forged) -> Iterator[Forgery]:
    """Lists with an entry too many, too few, doubled or in another order."""
    for name in ("conditions", "judges", "answers", "inputs"):
        yield Forgery("altered plan", f"{name}: the last one dropped", _listed(name, list.pop))
        yield Forgery("altered plan", f"{name}: the first one doubled", _listed(name, _double))
        yield Forgery("altered plan", f"{name}: none", _listed(name, list.clear))
    for name in ("conditions", "answers"):
        if len(run.plan[name]) > 1:
            yield Forgery("altered plan", f"{name}: turned round", _listed(name, list.reverse))
    for field, value in (("sha256", _NOBODY), ("bytes", 1), ("rows", 1), ("name", "../run.json")):
        yield Forgery(
            "altered plan", f"inputs: the first one's {field} is {value!r}", _kept(field, value)
        )


def _listed(name: str, act: Callable[[list[Any]], object]) -> Edit:
    def edit(run: Forged) -> None:
        act(run.plan[name])

    return edit


def _double(entries: list[Any]) -> None:
    entries.insert(0, copy.deepcopy(entries[0]))


def _kept(field: str, value: object) -> Edit:
    def edit(run: Forged) -> None:
        run.keeps.add("inputs")
        run.plan["inputs"][0][field] = value

    return edit


def _manifest() -> Iterator[Forgery]:
    """Run.json beside its plan."""

    def digested(run: Forged) -> None:
        run.keeps.add("plan_sha256")
        run.manifest["plan_sha256"] = _NOBODY

    yield Forgery("plan digest", "plan_sha256 in run.json", digested)
    for name, value in (("v", 2), ("v", True), ("salt", "0"), ("salt", _NOBODY.replace("0", "G"))):
        yield Forgery("altered plan", f"run.json: {name} is {value!r}", _set(name, value))
    yield Forgery("altered plan", "a field more", _set("note", "checked by hand"))
    yield Forgery("altered plan", "no salt", lambda run: run.manifest.pop("salt"))
    yield Forgery(
        "altered plan", "a float in its claims", _set("environment", {"speed": "1", "x": {}})
    )
    yield Forgery("altered plan", "no digest of run.yaml", _set("environment", {}))
    yield Forgery("input files", "another threshold", _configured)


def _set(name: str, value: object) -> Edit:
    return lambda run: run.manifest.__setitem__(name, value)


def _configured(run: Forged) -> None:
    run.config += b"threshold: '0.6'\n"
