"""What a change repaired and broke, as a section."""

from judge.report.sections import Section
from judge.report.studies.wording import left_out, many, table
from judge.stats.exact import percent
from judge.studies.improvement import Improvement

__all__ = ["section"]


def section(one: Improvement) -> Section:
    """Return whether a change may be made, and what this set can have missed."""
    verdict = "passed" if one.passed else "rejected"
    missed = percent(1 - one.missed.chance, 2)
    rows = [(item, "broken") for item in one.broken] + [(item, "repaired") for item in one.repaired]
    return Section(
        key="improvement",
        title="Improvement gate",
        lead=(
            (
                f"{verdict}: {len(one.broken)} broken of {one.right_before} right before, "
                f"{one.allowed} allowed; {len(one.repaired)} repaired of "
                f"{one.items - one.right_before} wrong before"
            ),
            (
                f"a set of {many(one.right_before, 'right item')} passes a change that breaks "
                f"{percent(one.missed.rate)} of them with probability {missed}"
            ),
            (
                f"by these verdicts it breaks at most {percent(one.upper.value)} of right items "
                "(one-sided, 95 %)"
            ),
        ),
        tables=(table("items that changed", "id|", rows),) if rows else (),
        cautions=(
            *(
                ()
                if one.fixed_before
                else (
                    (
                        "the number of allowed breaks was not fixed in a plan before the verdicts "
                        "were seen"
                    ),
                )
            ),
            *left_out(one.undecided),
        ),
    )
