"""Verdicts of two or more sides in; what may be said about their difference, as records, out.

A side is a run, one of its conditions or repetitions, a verdict file, or a data frame. A run is
recounted before a verdict of it is used. Sides are joined by item id, the item is the unit, and an
item without a verdict on every side is in no table. In reading order:

* `sides`        one side: where it comes from, one verdict per item
* `labels`       which labels count as correct
* `tables`       rows of a file, their columns found by name
* `files`        a verdict file
* `frames`       a data frame, or any mapping of columns
* `runs`         a run, recounted
* `strata`       a file that sorts items, after the fact
* `options`      how sides are read and compared
* `joining`      sides joined by item id
* `sameness`     what else is the same on two sides
* `conclusions`  the one sentence
* `pairwise`     two sides compared
* `matrix`       several sides, each with each
* `opening`      the words a caller gives for sides
"""

from judge.comparing.frames import verdicts
from judge.comparing.matrix import Matrix
from judge.comparing.opening import Given, compare, compare_all, load
from judge.comparing.options import CompareOptions
from judge.comparing.pairwise import Comparison
from judge.comparing.sides import Side

__all__ = [
    "CompareOptions",
    "Comparison",
    "Given",
    "Matrix",
    "Side",
    "compare",
    "compare_all",
    "load",
    "verdicts",
]
