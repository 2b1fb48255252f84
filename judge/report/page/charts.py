"""Numbers in, SVG out: drawings whose colours are the page's, each with its words beside it.

Presentation is by class alone, so that light, dark and print are matters of the style sheet; no
style attribute is used, which the page's policy would refuse.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from judge.report.page.texts import visible

__all__ = ["Bar", "Bars", "Chart", "Dot", "Dots", "Figure", "Map", "Square", "draw"]

_ROW = 28
_BAR = 21
_LABEL = 300
_PLOT = 420
_SIDE = 150
_CELL = 18
_MOST_ITEMS = 120
_CHARS = 44


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing and its words."""

    title: str
    words: str
    """What it shows, for those who do not see it."""
    svg: Markup
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A share with its interval."""

    name: str
    low: float
    value: float
    high: float
    told: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A count of a whole, with the number it needs."""

    name: str
    count: int
    whole: int
    need: int | None
    told: str
    good: bool = True


@dataclass(frozen=True, slots=True)
class Dots:
    """Shares on one scale."""

    name: str
    title: str
    dots: tuple[Dot, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Counts of their wholes."""

    name: str
    title: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Map:
    """Items by column: `y` accepted, `n` not, `?` undecided, `-` not there."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Square:
    """Everybody with everybody, from 0 to 1."""

    name: str
    title: str
    names: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    note: str = ""


Figure = Dots | Bars | Map | Square


def draw(figure: Figure) -> Chart:
    """Return the drawing of a figure."""
    match figure:
        case Dots():
            return _dots(figure)
        case Bars():
            return _bars(figure)
        case Map():
            return _map(figure)
        case Square():
            return _square(figure)


def _svg(width: int, height: int, title: str, parts: Iterable[Markup]) -> Markup:
    head = Markup(
        '<svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{t}">'
    ).format(w=width, h=height, t=title)
    return head + Markup("").join(parts) + Markup("</svg>")


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        f"{x:g}", f"{y:g}", kind, anchor, visible(text)
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>').format(
        *(f"{value:g}" for value in (x1, y1, x2, y2)), kind
    )


def _rect(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}" rx="2"/>').format(
        *(f"{value:g}" for value in (x, y, width, height)), kind
    )


def _cut(name: str) -> str:
    return name if len(name) <= _CHARS else f"{name[: _CHARS - 1]}…"


def _axis(height: int) -> list[Markup]:
    parts: list[Markup] = []
    for share in (0, 25, 50, 75, 100):
        x = _LABEL + _PLOT * share / 100
        parts += [
            _line(x, 4, x, height - 22, "grid"),
            _text(x, height - 6, f"{share} %", "tick", "middle"),
        ]
    return parts


def _dots(figure: Dots) -> Chart:
    title, found = figure.title, figure.dots
    height = _ROW * len(found) + 34
    parts = _axis(height)
    for number, each in enumerate(found):
        y = _ROW * number + 20
        low, value, high = (_LABEL + _PLOT * share for share in (each.low, each.value, each.high))
        parts += [
            _text(_LABEL - 12, y + 4, _cut(each.name), "name", "end"),
            _line(low, y, high, y, "interval"),
            Markup('<circle cx="{}" cy="{}" r="5" class="dot"/>').format(f"{value:g}", y),
            _text(_LABEL + _PLOT + 12, y + 4, each.told, "told"),
        ]
    words = "; ".join(f"{each.name}: {each.told}" for each in found)
    return Chart(title, words, _svg(_LABEL + _PLOT + _SIDE, height, title, parts), figure.note)


def _bars(figure: Bars) -> Chart:
    title, found = figure.title, figure.bars
    height = _BAR * len(found) + 10
    parts: list[Markup] = []
    for number, each in enumerate(found):
        y = _BAR * number + 8
        filled = _PLOT * each.count / max(each.whole, 1)
        parts += [
            _text(_LABEL - 12, y + 10, _cut(each.name), "name", "end"),
            _rect(_LABEL, y, _PLOT, 11, "empty"),
            _rect(_LABEL, y, filled, 11, "good" if each.good else "bad"),
            _text(_LABEL + _PLOT + 12, y + 10, each.told, "told"),
        ]
        if each.need is not None:
            x = _LABEL + _PLOT * each.need / max(each.whole, 1)
            parts.append(_line(x, y - 3, x, y + 14, "need"))
    words = "; ".join(f"{each.name}: {each.told}" for each in found)
    return Chart(title, words, _svg(_LABEL + _PLOT + _SIDE, height, title, parts), figure.note)


def _map(figure: Map) -> Chart:
    # Shape and letter say what colour says: filled, hollow, a question mark.
    title, columns, rows = figure.title, figure.columns, figure.rows
    shown = rows[:_MOST_ITEMS]
    width = _LABEL + _CELL * len(columns) + 240
    height = _CELL * len(shown) + 24
    parts = [
        _text(_LABEL + _CELL * (number + 0.5), 12, str(number + 1), "tick", "middle")
        for number in range(len(columns))
    ]
    for number, (name, signs) in enumerate(shown):
        y = _CELL * number + 20
        parts.append(_text(_LABEL - 12, y + 12, _cut(name), "name", "end"))
        parts += [_sign(_LABEL + _CELL * place, y, sign) for place, sign in enumerate(signs)]
    left = len(rows) - len(shown)
    note = "Columns: " + "; ".join(f"{n} {name}" for n, name in enumerate(columns, 1)) + "."
    if left:
        note += f" {left} more items differ; the table below has them all."
    words = "; ".join(f"{name}: {' '.join(signs)}" for name, signs in shown)
    return Chart(title, words, _svg(width, height, title, parts), note)


def _sign(x: float, y: float, sign: str) -> Markup:
    if sign == "y":
        return _rect(x + 2, y + 1, _CELL - 4, _CELL - 4, "yes")
    if sign == "n":
        return _rect(x + 3, y + 2, _CELL - 6, _CELL - 6, "no")
    return _text(x + _CELL / 2, y + 13, sign, "unsure", "middle")


def _square(figure: Square) -> Chart:
    title, names, cells = figure.title, figure.names, figure.cells
    side = 64
    width, height = _LABEL + side * len(names) + 20, side * len(names) + 24
    parts: list[Markup] = []
    for row, name in enumerate(names):
        parts.append(_text(_LABEL - 12, side * row + 56, _cut(name), "name", "end"))
        parts.append(_text(_LABEL + side * (row + 0.5), 14, str(row + 1), "tick", "middle"))
        for column, value in enumerate(cells[row]):
            x, y = _LABEL + side * column, side * row + 20
            shade = "none" if value is None else f"shade{min(9, int(value * 10))}"
            parts.append(_rect(x + 1, y + 1, side - 2, side - 2, shade))
            told = "-" if value is None else f"{value:.3f}"
            parts.append(_text(x + side / 2, y + 36, told, f"told on-{shade}", "middle"))
    words = "; ".join(
        f"{name} and {other}: {value:.3f}"
        for name, row in zip(names, cells, strict=True)
        for other, value in zip(names, row, strict=True)
        if value is not None and other != name
    )
    return Chart(title, words, _svg(width, height, title, parts), figure.note)
