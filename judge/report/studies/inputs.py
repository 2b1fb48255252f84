"""Billed input tokens beside the tokens of the prompts, as a section."""

from collections.abc import Sequence

from judge.report.sections import Section, Table
from judge.report.studies.wording import many, table
from judge.studies.inputs import InputAudit

__all__ = ["section"]


def section(found: Sequence[InputAudit]) -> Section:
    """Return whether one constant explains what was billed beyond the prompts."""
    return Section(
        key="inputs",
        title="Input audit: billed tokens against the tokens of the exact prompts",
        lead=tuple(_lead(one) for one in found),
        tables=tuple(_table(one) for one in found if one.odd),
        cautions=(
            *(
                f"{one.name}: {many(one.unmetered, 'row')} did not say what was billed"
                for one in found
                if one.unmetered
            ),
            "equal counts do not prove equal texts: another text of as many tokens is not seen",
        ),
    )


def _lead(one: InputAudit) -> str:
    metered = one.rows - one.unmetered
    if one.constant:
        return (
            f"{one.name}: remainder {one.remainder} on {metered} of {metered} rows "
            f"({one.tokenizer}): nothing was added, cut or misrouted"
        )
    if one.remainder is None:
        return (
            f"{one.name}: no remainder is that of more than half of {metered} rows "
            f"({one.tokenizer}); is it the model's tokenizer?"
        )
    return (
        f"{one.name}: remainder {one.remainder} on {metered - len(one.odd)} of {metered} rows "
        f"({one.tokenizer}); {many(len(one.odd), 'row')} with another: what was billed is not the "
        "prompt of the receipt"
    )


def _table(one: InputAudit) -> Table:
    rows = [(o.item, o.route, o.place, o.prompt_tokens, o.billed, o.remainder) for o in one.odd]
    return table(
        f"{one.name}: rows with another remainder",
        "id|route|where|#prompt tokens|#billed|#remainder",
        rows,
    )
