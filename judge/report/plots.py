"""Figures in, SVG and PNG files out: the page's figures for a paper or a slide.

Drawn by matplotlib, the extra `report`. The files hold no date and their ids follow from the
figure's name, so that the same runs give the same bytes.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.errors import InputError, StorageError
from judge.report.page.charts import Bars, Dots, Figure, Map, Square

__all__ = ["write_figures"]

_SIGNS = {
    "y": ("s", "#1b6ca8"),
    "n": ("o", "#c2571a"),
    "?": ("x", "#777777"),
    "-": (",", "#ffffff"),
}
_GOOD, _BAD, _EMPTY = "#1b6ca8", "#c2571a", "#e6e6e6"


def write_figures(figures: Sequence[Figure], folder: Path) -> tuple[Path, ...]:
    """Write each figure as NAME.svg and NAME.png into a folder, which is made, and return them.

    Raises:
        InputError: matplotlib is not installed, or a file of that name exists.
        StorageError: the folder cannot be written.
    """
    plot = _matplotlib()
    paths = [
        folder / f"{_file(figure.name)}.{kind}" for figure in figures for kind in ("svg", "png")
    ]
    for path in paths:
        if path.exists() or path.is_symlink():
            raise InputError(f"{path} exists; choose another --figures folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            _write(plot, figure, folder)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from error
    return tuple(paths)


def _file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:80]


def _matplotlib() -> Any:  # noqa: ANN401 - a library that is there only with its extra
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ImportError as error:
        raise InputError("--figures needs matplotlib; install judge-harness[report]") from error
    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only behind the choice of a canvas

    return plt


def _write(plot: Any, figure: Figure, folder: Path) -> None:  # noqa: ANN401
    style = {"svg.hashsalt": figure.name, "svg.fonttype": "none", "font.size": 9}
    with plot.rc_context(style):
        drawn, axes = plot.subplots(figsize=_size(figure), layout="constrained")
        _draw(axes, figure)
        axes.set_title(figure.title, loc="left", fontsize=10)
        name = _file(figure.name)
        drawn.savefig(folder / f"{name}.svg", metadata={"Date": None})
        drawn.savefig(folder / f"{name}.png", dpi=160, metadata={"Software": None})
        plot.close(drawn)


def _size(figure: Figure) -> tuple[float, float]:
    return 7.5, 1.2 + 0.34 * max(_rows(figure), 2)


def _rows(figure: Figure) -> float:
    match figure:
        case Dots():
            return len(figure.dots)
        case Bars():
            return len(figure.bars)
        case Map():
            return 4 + len(figure.rows) * 0.6
        case Square():
            return 4 + len(figure.names) * 2


def _draw(axes: Any, figure: Figure) -> None:  # noqa: ANN401
    match figure:
        case Dots():
            _dots(axes, figure)
        case Bars():
            _bars(axes, figure)
        case Map():
            _map(axes, figure)
        case Square():
            _square(axes, figure)


def _named(axes: Any, names: Sequence[str]) -> None:  # noqa: ANN401
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _dots(axes: Any, figure: Dots) -> None:  # noqa: ANN401
    for place, each in enumerate(figure.dots):
        axes.plot([100 * each.low, 100 * each.high], [place, place], color=_GOOD, linewidth=1.5)
        axes.plot(100 * each.value, place, "o", color=_GOOD)
        axes.annotate(each.told, (102, place), va="center", annotation_clip=False)
    _named(axes, [each.name for each in figure.dots])
    axes.set_xlim(0, 100)
    axes.set_xlabel("accepted, %")


def _bars(axes: Any, figure: Bars) -> None:  # noqa: ANN401
    for place, each in enumerate(figure.bars):
        whole = max(each.whole, 1)
        axes.barh(place, 100, color=_EMPTY, height=0.6)
        axes.barh(place, 100 * each.count / whole, color=_GOOD if each.good else _BAD, height=0.6)
        if each.need is not None:
            x = 100 * each.need / whole
            axes.plot([x, x], [place - 0.4, place + 0.4], color="black", linewidth=1)
        axes.annotate(each.told, (102, place), va="center", annotation_clip=False)
    _named(axes, [each.name for each in figure.bars])
    axes.set_xlim(0, 100)
    axes.set_xlabel("%")


def _map(axes: Any, figure: Map) -> None:  # noqa: ANN401
    for sign, (marker, colour) in _SIGNS.items():
        at = [
            (column, row)
            for row, (_, signs) in enumerate(figure.rows)
            for column, each in enumerate(signs)
            if each == sign
        ]
        if at and sign != "-":
            xs, ys = zip(*at, strict=True)
            filled = colour if sign != "n" else "none"
            kwargs = {} if sign == "?" else {"facecolors": filled, "edgecolors": colour}
            axes.scatter(xs, ys, marker=marker, s=28, **(kwargs or {"color": colour}))
    _named(axes, [name for name, _ in figure.rows])
    axes.set_xticks(range(len(figure.columns)), figure.columns, rotation=90)


def _square(axes: Any, figure: Square) -> None:  # noqa: ANN401
    cells = [[float("nan") if value is None else value for value in row] for row in figure.cells]
    axes.imshow(cells, vmin=0, vmax=1, cmap="Blues")
    for row, values in enumerate(figure.cells):
        for column, value in enumerate(values):
            told = "-" if value is None else f"{value:.3f}"
            axes.annotate(told, (column, row), ha="center", va="center")
    axes.set_yticks(range(len(figure.names)), figure.names)
    axes.set_xticks(range(len(figure.names)), figure.names, rotation=90)
