"""What an analysis says, as words and tables that a terminal and a page both can show.

An analysis gives a record with exact numbers; a section is what a reader sees of it. Every text in
it is plain: whoever shows it escapes it.
"""

from collections.abc import Iterator, Sequence

from judge.records import Listed, Record

__all__ = ["Column", "Section", "Table", "described"]


class Column(Record):
    """One column of a table."""

    head: str
    number: bool = False
    """Set to the right."""


class Table(Record):
    """Rows of texts under heads."""

    caption: str
    columns: Listed[Column]
    rows: Listed[Listed[str]]
    left_out: int = 0
    """Rows that are not listed here, and where they are is said in the caption."""


class Section(Record):
    """One analysis in words."""

    key: str
    """A short name, used as an anchor: `rejudge`."""
    title: str
    lead: Listed[str]
    """Sentences; the conclusion first."""
    tables: Listed[Table] = ()
    cautions: Listed[str] = ()
    """What must be known before the numbers are used, a sentence each."""


def described(sections: Sequence[Section]) -> str:
    """Return the sections as text, tables in columns."""
    return "\n\n".join("\n".join(_section(section)) for section in sections)


def _section(section: Section) -> Iterator[str]:
    yield section.title
    yield from (f"  {sentence}" for sentence in section.lead)
    for table in section.tables:
        yield ""
        yield from (f"  {line}" for line in _table(table))
    yield from (f"  caution: {sentence}" for sentence in section.cautions)


def _table(table: Table) -> Iterator[str]:
    yield table.caption
    heads = [column.head for column in table.columns]
    widths = [
        max(len(cell) for cell in cells)
        for cells in zip(heads, *(row for row in table.rows), strict=True)
    ]
    for row in (heads, *table.rows):
        cells = [
            cell.rjust(width) if column.number else cell.ljust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ]
        yield "  " + "  ".join(cells).rstrip()
    if table.left_out:
        yield f"  and {table.left_out} more"
