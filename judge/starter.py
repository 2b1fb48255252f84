"""A few names in, a commented run.yaml out: a study that is ready to be planned."""

from collections.abc import Sequence
from pathlib import Path

from judge.canonical import encode
from judge.errors import InputError
from judge.tables import replaced

__all__ = ["write_starter"]

_TEXT = """\
# A run of `judge`: what is judged, by which rubrics, by whom. Paths are taken from this file's own
# folder. `judge plan {name}` says what it would ask and cost; nothing is sent before `judge run`.

answers:                          # saved answers, one set each
{answers}
references: {{file: {references}}}   # the answer key: id, type, question, gold

rubrics: {rubrics}   # see `judge templates list`

judges:
{judges}
# Before a judge may score, it must get known answers right, for each condition and repetition.
positive: 12                      # gold answers that it must accept
negative: 12                      # other questions' golds that it must reject
threshold: "0.9"                  # an exact share: 11 of 12
seed: 0                           # of the draw
# controls: [paraphrase, near-miss, vague, injection]   # harder ones; see `judge controls show`

repetitions: 1                    # ask everything so often, on purpose
# batch_size: 200                 # fresh controls before every 200 questions
# only: ["type=knowledge-update"] # select questions; or route=, id=, a column of the answers
# limit: 20                       # the first 20: a cheap trial
# extract: last-answer-line       # judge what follows the last `Answer:` alone

# What will be said, fixed before the first call. `judge plan {name} --freeze plan.json` writes it
# down to be published; `judge run {name} --plan plan.json` refuses whatever differs.
# study:
#   contrasts:                    # compared, and adjusted for their number
#     - {{name: template, vary: rubric}}          # answers, rubric or judge
#     - {{name: the-two-passes, first: c1, second: c2}}
#   margin: "0.02"                # a difference that does not matter
#   exclusions: questioned.yaml   # rows: [{{id: …, class: …, reason: …}}], beside the raw score
#   comparators:                  # published figures, never ranked across rubrics
#     - {{name: paper, count: 477, n: 500, source: paper.pdf}}
#   allowed_breaks: 0             # items an improvement may break

limits:                           # may differ on resume; they change no verdict
  max_connections: 32
  deadline_s: 120
  # max_tokens_total: 2000000     # the run stops before its worst case passes this
  # max_cost_usd: "5.00"
"""


def write_starter(
    path: Path,
    *,
    answers: Sequence[str],
    references: str,
    rubrics: Sequence[str],
    judges: Sequence[tuple[str, str | None]],
) -> None:
    """Write a run.yaml with these names in it to a file that must not exist.

    Args:
        path: the file.
        answers: files of saved answers.
        references: the answer key.
        rubrics: names of rubrics.
        judges: provider and model; the embedded judge has none.

    Raises:
        InputError: the file exists, or a judge is none that can be asked.
        StorageError: it cannot be written.
    """
    text = _TEXT.format(
        # A line end in the name would end the comment that it stands in.
        name=path.name if path.name.isprintable() else "FILE",
        answers="".join(
            f"  - {{name: pass{number}, file: {_quoted(file)}}}\n"
            for number, file in enumerate(answers, 1)
        ),
        references=_quoted(references),
        rubrics=encode(list(rubrics)).decode(),
        judges="".join(map(_judge, judges)),
    )
    replaced(path, lambda file: file.write(text.encode()), force=False)


def _judge(judge: tuple[str, str | None]) -> str:
    provider, model = judge
    if provider not in {"openai", "anthropic", "lexical"} or (provider == "lexical") is not (
        model is None
    ):
        word = provider if model is None else f"{provider}/{model}"
        raise InputError(f"--judge {word!r}: give openai/MODEL, anthropic/MODEL or lexical")
    if model is None:
        return f"  - {{provider: {provider}}}      # a string rule, no language model\n"
    return (
        f"  - provider: {provider}\n    model: {_quoted(model)}\n"
        "    # base_url: http://127.0.0.1:8001/v1     # a server of your own\n"
        "    # key_env: MY_KEY                        # a variable's name, file:PATH, or none\n"
        "    # settings: {max_completion_tokens: 2000}   # each a named deviation\n"
        '    # price: {input: "2.50", output: "10"}   # US dollars for a million tokens\n'
    )


def _quoted(text: str) -> str:
    return encode(text).decode()
