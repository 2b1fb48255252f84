"""All fault cases, and the table of docs/faults.md made from them.

Run as a program it writes the table; tests/test_faults.py runs every case and holds the page to it.
"""

from itertools import groupby
from pathlib import Path

from answerfaults import ANSWER
from faultcase import Case
from networkfaults import NETWORK
from statusfaults import STATUS

__all__ = ["CASES", "PAGE", "renewed"]

CASES: tuple[Case, ...] = (*NETWORK, *STATUS, *ANSWER)
PAGE = Path(__file__).parents[1] / "docs" / "faults.md"

_BEGIN = "<!-- written by tests/faultcases.py -->\n"
_END = "<!-- end -->\n"


def renewed(page: str) -> str:
    """Return the page with its table written anew; raises ValueError where it has no place."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"docs/faults.md: put the table between {_BEGIN!r} and {_END!r}")
    return before + begin + _table() + end + after


def _table() -> str:
    rows = ["| # | fault | recorded | stop | state | exit |", "|--:|---|---|---|---|--:|"]
    rows += [_row(case) for case in CASES]
    return "\n".join(rows) + "\n"


def _row(case: Case) -> str:
    fault = case.fault
    name = fault.name if fault.provider is None else f"{fault.name} ({fault.provider})"
    where = " (controls)" if fault.where == "controls" else ""
    cells = (
        str(fault.number),
        name,
        _recorded(case.receipts) + where,
        case.stop or "",
        case.state,
        str(case.exit),
    )
    return "| " + " | ".join(cells) + " |"


def _recorded(receipts: tuple[str, ...]) -> str:
    runs = [(words, len(list(same))) for words, same in groupby(receipts)]
    return "; ".join(words if count == 1 else f"{count} times {words}" for words, count in runs)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
