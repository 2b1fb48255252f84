"""Response lengths by label, as a section."""

from collections.abc import Sequence

from judge.report.sections import Section
from judge.report.studies.wording import table
from judge.stats.exact import printed
from judge.studies.lengths import Lengths

__all__ = ["section"]


def section(found: Sequence[Lengths]) -> Section:
    """Return how long the responses of each label are."""
    rows = [
        (
            *(one.column, each.label, each.responses),
            *(printed(q, 0) for q in (each.lower_quartile, each.median, each.upper_quartile)),
            printed(each.words, 0),
        )
        for one in found
        for each in one.labels
    ]
    return Section(
        key="lengths",
        title="Response length by label",
        lead=(),
        tables=(
            table(
                "characters of the responses",
                "column|label|#responses|#lower quartile|#median|#upper quartile|#median words",
                rows,
            ),
        ),
        cautions=(
            "length and being right go together for many reasons; nothing is corrected for it",
        ),
    )
