"""Every item that did not get one label everywhere, with all that was said of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judge.packs.diffing import words
from judge.report.page.naming import short_names
from judge.report.page.texts import visible
from judge.studies.columns import Column, Opened, Row

__all__ = ["Answer", "Detail", "Said", "TemplateChange", "details", "differing", "signs"]


@dataclass(frozen=True, slots=True)
class Said:
    """One judgment of an item."""

    column: str
    label: str
    sign: str
    reason: str
    reply: str
    prior: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One saved answer to the question, and who gave it."""

    names: str
    text: str
    saved: str | None


@dataclass(frozen=True, slots=True)
class TemplateChange:
    """Two templates an item was asked under, word by word."""

    first: str
    second: str
    words: tuple[tuple[str, str], ...]
    """`same`, `removed`, `added`, and the text."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One item."""

    id: str
    type: str
    kind: str
    """Why it is here: `flip`, `undecided`, or both."""
    question: str
    gold: str
    answers: tuple[Answer, ...]
    said: tuple[Said, ...]
    changes: tuple[TemplateChange, ...]


def signs(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """Return, by item, `y`, `n`, `?` or `-` for every column."""
    tables = [column.by_item() for column in columns]
    items = dict.fromkeys(item for table in tables for item in table)
    return {item: tuple(_sign(table.get(item)) for table in tables) for item in items}


def _sign(row: Row | None) -> str:
    if row is None:
        return "-"
    if row.label is None:
        return "?"
    return "y" if row.accepted else "n" if row.accepted is False else row.label[:3]


def differing(found: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the items whose labels are not one label everywhere."""
    return [item for item, each in found.items() if "?" in each or len({*each} - {"-"}) > 1]


def details(
    runs: Sequence[Opened], columns: Sequence[Column], items: Sequence[str]
) -> Iterator[Detail]:
    """Yield these items with every answer and every reply."""
    names = short_names(columns)
    tables = [column.by_item() for column in columns]
    texts = _Templates(runs)
    for item in items:
        rows = [
            (name, table[item]) for name, table in zip(names, tables, strict=True) if item in table
        ]
        yield _detail(item, rows, texts)


def _detail(item: str, rows: Sequence[tuple[str, Row]], texts: "_Templates") -> Detail:
    first = rows[0][1].judgment
    labels = {row.label for _, row in rows}
    kinds = ["undecided"] if None in labels else []
    if len(labels - {None}) > 1:
        kinds.insert(0, "flip")
    return Detail(
        id=visible(item),
        type=visible(rows[0][1].type or ""),
        kind=" and ".join(kinds) or "item",
        question=visible((first and first.question) or ""),
        gold=visible((first and first.gold) or ""),
        answers=tuple(_answers(rows)),
        said=tuple(_said(name, row) for name, row in rows),
        changes=tuple(texts.changes(rows)),
    )


def _answers(rows: Sequence[tuple[str, Row]]) -> Iterator[Answer]:
    """The distinct saved answers, each with the sets it stands in."""
    found: dict[tuple[str, str | None], list[str]] = {}
    for _, row in rows:
        said = row.judgment
        if said is not None and said.response is not None:
            names = found.setdefault((said.response, said.saved), [])
            if said.answers not in names:
                names.append(said.answers)
    for (text, saved), names in found.items():
        yield Answer(visible(", ".join(names)), visible(text), saved and visible(saved))


def _said(name: str, row: Row) -> Said:
    said = row.judgment
    return Said(
        column=visible(name),
        label=visible(row.label or "undecided"),
        sign=_sign(row),
        reason=(said and said.reason) or "",
        reply=visible(row.reply or ""),
        prior=visible((said and said.prior) or ""),
    )


class _Templates:
    """The templates of all runs, by rubric and route."""

    def __init__(self, runs: Sequence[Opened]) -> None:
        self._texts = {
            (name, template.name): template.text
            for run in runs
            if run.proof.frozen is not None
            for name, rubric in run.proof.frozen.rubrics.items()
            for template in rubric.templates
        }
        self._compared: dict[tuple[str, str], TemplateChange] = {}

    def changes(self, rows: Sequence[tuple[str, Row]]) -> Iterator[TemplateChange]:
        """The template diffs of a flip between rubrics, each pair once."""
        used = dict.fromkeys(
            (said.rubric, said.route)
            for _, row in rows
            if (said := row.judgment) is not None and (said.rubric, said.route) in self._texts
        )
        places = list(used)
        for number, one in enumerate(places):
            for other in places[number + 1 :]:
                if self._texts[one] != self._texts[other]:
                    yield self._change("/".join(one), "/".join(other), one, other)

    def _change(
        self, first: str, second: str, one: tuple[str, str], other: tuple[str, str]
    ) -> TemplateChange:
        if (first, second) not in self._compared:
            runs = words(self._texts[one], self._texts[other])
            self._compared[first, second] = TemplateChange(
                first, second, tuple((each.op, visible(each.text)) for each in runs)
            )
        return self._compared[first, second]
