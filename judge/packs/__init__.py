"""Rubric packs found, loaded, held against their pins; upstream texts brought, never shipped.

In reading order:

    schema       what a pack file holds
    reported     what the commands report
    files        where packs lie, and what was shipped
    store        texts by their SHA-256, in the user's folder
    inheritance  a pack with all it takes from the pack it stands on
    texts        a template's text, from the store, a file, or parts
    loading      the rubric, or a sheet of all there is to say
    sources      every text in somebody's file, nothing executed
    bringing     pinned texts from a file or an address into the store
    diffing      every difference between two rubrics
    slicing      an edited text as slices of pinned ones
    starting     a modified edition from an edited file
"""

from judge.packs.bringing import add, fetch
from judge.packs.diffing import diff
from judge.packs.files import home, names, shipped, shipped_names
from judge.packs.loading import check, is_shipped, load, survey
from judge.packs.reported import (
    Added,
    Change,
    Diff,
    Sheet,
    SheetTemplate,
    Started,
    TemplateDiff,
    Word,
)
from judge.packs.starting import start
from judge.packs.store import AbsentError

__all__ = [
    "AbsentError",
    "Added",
    "Change",
    "Diff",
    "Sheet",
    "SheetTemplate",
    "Started",
    "TemplateDiff",
    "Word",
    "add",
    "check",
    "diff",
    "fetch",
    "home",
    "is_shipped",
    "load",
    "names",
    "shipped",
    "shipped_names",
    "start",
    "survey",
]
