"""A pinned text and one that stands for it; how alike they are and how they differ, out."""

import re
from collections.abc import Iterator, Mapping, Sequence

from judge.doctor.documents import FIELD, Found
from judge.doctor.findings import Finding, Kind
from judge.doctor.known import plain
from judge.packs.diffing import words
from judge.packs.reported import Word
from judge.packs.slicing import slices

__all__ = ["findings", "likeness", "runs"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_RUN = 4
"""Words in a row that two texts must share to count as alike."""
_BORROWED = 40
"""Characters cut from another template before a text counts as merged from both."""
_JSON = re.compile(r"\bjson\b|\{\s*\"\w+\"\s*:|\"\w+\"\s*:\s*(?:true|false|\"|\d)", re.IGNORECASE)
_SHOWN = 60


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return every run of four words or signs of a text, fields alike, spaces left out."""
    tokens = [token.lower() for token in _TOKEN.findall(plain(text))]
    return frozenset(zip(*(tokens[n:] for n in range(_RUN)), strict=False))


def likeness(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> int:
    """Return shared runs in percent of both texts' runs (Dice's coefficient); 0 without runs."""
    total = len(one) + len(other)
    return 200 * len(one & other) // total if total else 0


def findings(
    name: str, pinned: str, found: Found, labels: Sequence[str], others: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return every difference of a text from the pinned one it stands for.

    Args:
        name: what the pinned text is called.
        pinned: its words.
        found: the text in the file.
        labels: the labels the judge is offered.
        others: the rubric's other texts, by name.
    """
    theirs, mine = plain(found.text), plain(pinned)

    def told() -> Iterator[tuple[Kind, str]]:
        diff = words(mine, theirs)
        yield from _merged(name, mine, theirs, others)
        yield from _spaces(mine, diff)
        yield from _fields(mine, theirs)
        yield from _labels(mine, theirs, diff, labels)
        yield from _closing(mine, theirs)
        yield from _json(mine, diff)
        yield from _words(diff)

    return tuple(Finding(kind=k, where=name, line=found.line, said=said) for k, said in told())


def _merged(
    name: str, mine: str, theirs: str, others: Mapping[str, str]
) -> Iterator[tuple[Kind, str]]:
    texts = {name: mine, **{key: plain(text) for key, text in others.items() if key != name}}
    taken: dict[str, int] = {}
    for part in slices(theirs, texts):
        if not isinstance(part, str):
            words_of = texts[part.template][part.start : part.end]
            # What its own template says as well is not borrowed.
            if part.template != name and words_of.strip() not in mine:
                taken[part.template] = taken.get(part.template, 0) + len(words_of)
    for other, size in taken.items():
        if size >= _BORROWED:
            yield "merged", f"merged with {other}: {size} characters are that template's words"


def _spaces(mine: str, diff: Sequence[Word]) -> Iterator[tuple[Kind, str]]:
    at = 0
    for number, run in enumerate(diff):
        alone = all(
            near.op == "same"
            for near in (*diff[max(0, number - 1) : number], *diff[number + 1 :][:1])
        )
        if run.op != "same" and run.text.isspace() and alone:
            verb = "lost" if run.op == "removed" else "added"
            yield "spaces", f"{_spelled(run.text)} {verb} {_place(mine, at)}"
        at += 0 if run.op == "added" else len(run.text)


def _spelled(space: str) -> str:
    if set(space) <= {" "}:
        return "a space" if len(space) == 1 else f"{len(space)} spaces"
    return f"white space {space!r}"


def _place(text: str, at: int) -> str:
    before = text[:at].rstrip()[-20:].replace(FIELD, "{}").replace("\n", " ")
    return f"behind {before!r}" if before else "at its beginning"


def _fields(mine: str, theirs: str) -> Iterator[tuple[Kind, str]]:
    here, there = mine.count(FIELD), theirs.count(FIELD)
    if here != there:
        yield "fields", f"{there} fields, the pinned text has {here}"


def _labels(
    mine: str, theirs: str, diff: Sequence[Word], labels: Sequence[str]
) -> Iterator[tuple[Kind, str]]:
    gone = [x for x in labels if _has(x, mine) and not _has(x, theirs)]
    if gone:
        new = [w for run in diff if run.op == "added" for w in re.findall(r"\w+", run.text)]
        instead = [word for word in dict.fromkeys(new) if word.isupper() or word in _VERDICTS]
        said = f"; instead: {', '.join(instead[:6])}" if instead else ""
        yield "labels", f"label words changed: {' and '.join(gone)} not asked for any more{said}"


_VERDICTS = frozenset(
    {
        "correct",
        "incorrect",
        "right",
        "wrong",
        "true",
        "false",
        "pass",
        "fail",
        "yes",
        "no",
        "score",
    }
)


def _has(label: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None


def _closing(mine: str, theirs: str) -> Iterator[tuple[Kind, str]]:
    last = mine.rstrip().rpartition("\n")[2]
    tokens = _TOKEN.findall(last)
    if FIELD in last or len(tokens) < _RUN:
        return
    ends = theirs.rstrip().rpartition("\n")[2]
    kept = len(runs(last) & runs(theirs)) > len(runs(last)) // 2
    # It stops short when it ends in a field, or with words the pinned text has further up.
    if not kept and (ends.endswith(FIELD) or ends.strip() in mine):
        yield "closing line", f"the closing line is missing ({_cut(last)!r} in the pinned text)"


def _json(mine: str, diff: Sequence[Word]) -> Iterator[tuple[Kind, str]]:
    added = " ".join(run.text for run in diff if run.op == "added")
    if _JSON.search(added) and not _JSON.search(mine):
        yield "json", "JSON is asked for, the pinned text asks for none"


def _words(diff: Sequence[Word]) -> Iterator[tuple[Kind, str]]:
    removed = [run.text for run in diff if run.op == "removed" and not run.text.isspace()]
    added = [run.text for run in diff if run.op == "added" and not run.text.isspace()]
    if removed or added:
        counts = (_count(removed), _count(added))
        first = (_cut(" ".join(removed)), _cut(" ".join(added)))
        yield (
            "words",
            f"{counts[0]} words removed ({first[0]!r}), {counts[1]} added ({first[1]!r})",
        )


def _count(texts: Sequence[str]) -> int:
    return sum(len(re.findall(r"\w+", text)) for text in texts)


def _cut(text: str) -> str:
    shown = text.replace(FIELD, "{}")
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
