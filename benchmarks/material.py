"""Rows to judge, made from a number: in, how many; out, an answers file and its reference file.

The same number gives the same bytes. Prompts under correctness/v1 have 900 to 1,700 characters, as
the questions and answers of this field do; about half of the answers hold their gold answer. Only
the standard library, so that a process that measures others stays small.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

TYPES = ("single-session-user", "multi-session", "temporal-reasoning", "knowledge-update")
_MONTHS = ("January", "March", "April", "June", "August", "October", "December")
_THINGS = ("kettle", "bicycle", "violin", "tent", "lamp", "notebook", "telescope", "drill", "canoe")
_PLACES = (
    "the attic",
    "the harbour",
    "the allotment",
    "the library",
    "my sister's flat",
    "the mill",
)
_FILLERS = (
    "I went through what you told me and put the relevant parts side by side.",
    "There are several mentions, and the latest of them is the one that counts.",
    "Earlier you were not sure about it, and later you settled the matter.",
    "Nothing in the other conversations speaks against it.",
    "You also asked whether it could be repaired, which is another question.",
    "It came up twice, once in passing and once when you were making a list.",
)


def written(folder: Path, count: int) -> tuple[Path, Path]:
    """Write `count` rows and return the answers file and the reference file."""
    answers, references = folder / "answers.jsonl", folder / "references.jsonl"
    with answers.open("w", encoding="utf-8") as said, references.open("w", encoding="utf-8") as key:
        for row in _rows(count):
            said.write(json.dumps({k: row[k] for k in ("question_id", "hypothesis")}) + "\n")  # noqa: TID251 - an input file, not a receipt
            del row["hypothesis"]
            key.write(json.dumps(row) + "\n")  # noqa: TID251 - the same
    return answers, references


def _rows(count: int) -> Iterator[dict[str, str]]:
    chance = random.Random(0)
    for number in range(count):
        thing, place, month = map(chance.choice, (_THINGS, _PLACES, _MONTHS))
        gold = f"{chance.randrange(10, 99)} days after the {thing} number {number} left {place}"
        told = gold if chance.random() < 0.5 else f"I cannot say when number {number} left"
        yield {
            "question_id": f"row-{number}",
            "question_type": TYPES[number % len(TYPES)],
            "question": f"When did I say in {month} that {thing} number {number} would be back?",
            "answer": gold,
            "hypothesis": _response(chance, told),
        }


def _response(chance: random.Random, told: str) -> str:
    before = " ".join(chance.choices(_FILLERS, k=chance.randrange(1, 7)))
    after = " ".join(chance.choices(_FILLERS, k=chance.randrange(1, 4)))
    return f"{before}\n\nSo the answer is: {told}.\n\n{after}"
