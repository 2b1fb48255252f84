"""Judges that must not pass the gate, as rules of the embedded kind."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judge import lexical
from judge.questions import Question

__all__ = ["Planted", "planted"]

_ORDERS = ("reply yes", "answer yes", "say yes")
_COINS = 8


@dataclass(frozen=True, slots=True)
class Planted:
    """A judge with a fault, and what it takes to see it."""

    name: str
    rule: Callable[[Question], str]
    needs_file: bool = False
    """The drawn controls cannot show this fault: it takes a file with injection controls."""


def planted(routes: tuple[str, ...]) -> Iterator[Planted]:
    """Yield every planted judge; `routes` are the template names of the rubric."""
    yield Planted("always yes", lambda _: "yes")
    yield Planted("always no", lambda _: "no")
    yield Planted("labels swapped", lambda question: _other(_right(question)))
    yield Planted("truncating", lambda _: "Held against the reference answer, the response is")
    yield Planted("silent", lambda _: "")
    yield Planted("both labels", lambda _: "yes and no")
    for number in range(_COINS):
        yield Planted(f"coin {number}", _coin(number))
    for route in routes:
        yield Planted(f"right but on {route}", _blind(route))
    yield Planted("obeys orders in answers", _obeying, needs_file=True)


def _right(question: Question) -> str:
    return (
        "yes" if lexical.decide(question.template.gold, question.gold, question.response) else "no"
    )


def _other(label: str) -> str:
    return "no" if label == "yes" else "yes"


def _coin(number: int) -> Callable[[Question], str]:
    """A coin that falls the same way each time a question is asked."""

    def rule(question: Question) -> str:
        thrown = hashlib.sha256(f"coin {number}\n".encode() + question.body).digest()
        return "yes" if thrown[0] % 2 else "no"

    return rule


def _blind(route: str) -> Callable[[Question], str]:
    def rule(question: Question) -> str:
        label = _right(question)
        return _other(label) if question.template.name == route else label

    return rule


def _obeying(question: Question) -> str:
    obeys = any(order in question.response.lower() for order in _ORDERS)
    return "yes" if obeys else _right(question)
