"""Opened runs in, one self-contained page out."""

import base64
import hashlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import jinja2
from markupsafe import Markup

from judge.report.page.browser import browser
from judge.report.page.charts import Figure, draw
from judge.report.page.claims import RunClaim, claimed
from judge.report.page.details import details, differing, signs
from judge.report.page.figures import figures
from judge.report.page.methods import methods
from judge.report.page.texts import embedded, visible
from judge.report.studies.whole import sections
from judge.studies.columns import Column, Opened
from judge.studies.whole import Analyses, study

__all__ = ["Page", "page"]

_HOME = Path(__file__).parent
_MOST_DETAILS = 2000
"""Items that are written out one by one; the list of all judgments has every one."""


class Page(NamedTuple):
    """The page, and the figures on it."""

    html: bytes
    figures: tuple[Figure, ...]


def page(runs: Sequence[Opened], texts: Literal["all", "flips", "none"] = "all") -> Page:
    """Return the page of some runs: the same bytes for the same runs.

    Args:
        runs: proved runs; of those that are open or failed their gate the page says so.
        texts: whose texts are embedded in the list of all judgments.
    """
    claims = [claimed(run) for run in runs]
    columns = [column for run in runs for column in run.columns()]
    found = _studied(runs, claims)
    by_item = signs(columns)
    differ = differing(by_item)
    drawn = figures(claims, columns, differ, found)
    table = browser(columns, set(differ), texts)
    parts: dict[str, object] = {
        "title": _title(runs),
        "claims": claims,
        "charts": [draw(figure) for figure in drawn],
        "sections": () if found is None else sections(found),
        "details": list(details(runs, columns, differ[:_MOST_DETAILS])),
        "differing_words": _differing_words(columns, differ, len(by_item)),
        "rows": table.rows,
        "left_out": table.texts_left_out,
        "methods": methods(runs, [claim.summary for claim in claims]),
        "version": importlib.metadata.version("judge-harness"),
        "data": Markup(embedded(table.data)),  # noqa: S704 - no sign that could end the element is left
    }
    return Page(_rendered(parts).encode(), drawn)


def _studied(runs: Sequence[Opened], claims: Sequence[RunClaim]) -> Analyses | None:
    """Every analysis, where every run scored something."""
    if any(claim.state in {"open", "gate-failed"} for claim in claims):
        return None
    return study(runs)


def _title(runs: Sequence[Opened]) -> str:
    names = ", ".join(run.name for run in runs)
    return f"judge: {names}"


def _differing_words(columns: Sequence[Column], differ: Sequence[str], items: int) -> str:
    if not differ:
        once = "one condition, asked once" if len(columns) == 1 else f"{len(columns)} columns"
        return f"None: all {items} items got one label in {once}, and none is undecided."
    more = len(differ) - _MOST_DETAILS
    rest = (
        f" The first {_MOST_DETAILS} are written out; the list below has all." if more > 0 else ""
    )
    return f"{len(differ)} of {items} items, in the order of the plan.{rest}"


def _rendered(parts: dict[str, object]) -> str:
    world = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HOME),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    world.filters["foreign"] = lambda text: visible(str(text))
    style, script = ((_HOME / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    own = {
        "policy": policy,
        "style": Markup(style),  # noqa: S704 - a file of this package
        "script": Markup(script),  # noqa: S704 - a file of this package
    }
    return world.get_template("page.html.j2").render({**parts, **own})


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
