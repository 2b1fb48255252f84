"""One request and a rubric in; how it differs, and what of it was not followed, out."""

from collections.abc import Iterator
from typing import NamedTuple

from judge.doctor.findings import Aspect, Finding, Kind
from judge.doctor.state import Sent
from judge.doctor.values import Choice, Field, Filled, Known, Made, Value, inside
from judge.records import Rubric, Template
from judge.rubric import fields_of

__all__ = ["Check", "core", "finding", "messages", "model", "prompt", "settings"]

_TRANSPORT = frozenset({"timeout", "model", "messages"})
"""What is given to a client beside what it sends, or looked at elsewhere."""
_SAME_AS_NONE = {"n": "1"}
"""What the API does when a setting is not sent."""


class Check(NamedTuple):
    """What one look at a request gave."""

    findings: tuple[Finding, ...]
    unclear: frozenset[Aspect] = frozenset()


def finding(kind: Kind, where: str, line: int | None, said: str) -> Finding:
    """Return one finding."""
    return Finding(kind=kind, where=where, line=line, said=said)


def core(value: Value | None) -> Filled | None:
    """The filled text that a value is, or is made of."""
    while isinstance(value, Made):
        value = value.of
    return value if isinstance(value, Filled) else None


# --- the prompt ---------------------------------------------------------------------------------


def prompt(sent: Sent, rubric: Rubric, template: Template) -> Check:
    """Return what is done to the prompt, and whether values go in as and where they belong.

    Args:
        sent: the request.
        rubric: the judge.
        template: the pinned text that is filled, or stands where another one is.
    """
    text = core(sent.content)
    if text is None:
        return Check((), frozenset({"prompt", "order", "values", "routes"}))
    found = tuple(_made(sent.content, "prompt", "the filled prompt", ""))
    values = _values(text, rubric, template)
    return Check((*found, *values.findings), values.unclear)


def _made(value: Value | None, where: str, what: str, when: str) -> Iterator[Finding]:
    while isinstance(value, Made):
        yield finding("usage", where, value.line, f"{what} is {value.how}{when}")
        value = value.of
    if where == "values" and isinstance(value, Filled):
        told = f"{what} is put into another text{when}"
        yield finding("usage", where, value.line, told)


def _values(text: Filled, rubric: Rubric, template: Template) -> Check:
    """Whether question, gold and response go in as they are, where they belong."""
    given = text.in_order()
    if given is None:
        return Check((), frozenset({"order", "values"}))
    found: list[Finding] = []
    roles = [_role(value) for value in given]
    for value, role in zip(given, roles, strict=True):
        if role is not None:
            found += _made(value, "values", f"the {role}", " before it is filled in")
    if None in roles:
        return Check(tuple(found), frozenset({"order", "values"}))
    wanted = fields_of(rubric, template)
    if tuple(roles) != wanted:
        told = f"filled with {', '.join(map(str, roles))}; the rubric's order is "
        found.append(finding("usage", "order", text.line, told + ", ".join(wanted)))
    return Check(tuple(found))


def _role(value: Value) -> str | None:
    """The one part of an item that a value is, or is made of."""
    roles = {part.role for part in inside(value) if isinstance(part, Field)}
    plain = isinstance(value, Field | Made | Filled)
    return next(iter(roles)) if plain and len(roles) == 1 else None


# --- messages, settings, judge ------------------------------------------------------------------


def messages(sent: Sent, rubric: Rubric) -> Check:
    """Return whether one user message is sent, and a system message where the rubric has one."""
    if sent.roles is None:
        return Check((), frozenset({"messages"}))
    system = any(template.system_sha256 is not None for template in rubric.templates)
    wanted = ("system", "user") if system else ("user",)
    found = []
    if sent.roles != wanted:
        told = f"messages are {', '.join(map(str, sent.roles))}; the rubric sends "
        found.append(finding("usage", "messages", sent.line, told + ", ".join(wanted)))
    if "system" in sent.fields and not system:
        told = "a system text is sent; the rubric sends none"
        found.append(finding("usage", "messages", sent.line, told))
    # That a system message holds the pinned text is not looked at here.
    return Check(tuple(found), frozenset({"messages"} if system else ()))


def settings(sent: Sent, rubric: Rubric) -> Check:
    """Return how what is sent beside messages and model differs from the rubric's settings."""
    found: list[Finding] = []
    unclear: frozenset[Aspect] = frozenset() if sent.whole else frozenset({"settings"})
    for key, value in sent.fields.items():
        if key in _TRANSPORT or key in rubric.settings or value == Known(None):
            continue
        shown = _text(value)
        if key != "system" and (shown is None or _SAME_AS_NONE.get(key) != shown):
            told = f"{key} is {'sent' if shown is None else shown[:60]}, the rubric sends none"
            found.append(finding("setting", key, sent.line, told))
    for key, wanted in rubric.settings.items():
        told_or_not = _setting(key, sent, str(wanted))
        if told_or_not is None or isinstance(wanted, dict | list):
            unclear = frozenset({"settings"})
        elif told_or_not:
            found.append(finding("setting", key, sent.line, told_or_not))
    return Check(tuple(found), unclear)


def _setting(key: str, sent: Sent, wanted: str) -> str | None:
    """How one setting differs; empty where it does not, None where it is not followed."""
    if key not in sent.fields:
        if not sent.whole:
            return None
        same = _SAME_AS_NONE.get(key) == wanted
        return "" if same else f"{key} is not set, the rubric's is {wanted}"
    value = _text(sent.fields[key])
    if value is None:
        return None
    return "" if value == _number(wanted) else f"{key} is {value[:60]}, the rubric's is {wanted}"


def _text(value: Value) -> str | None:
    return _number(str(value.value)) if isinstance(value, Known) else None


def _number(text: str) -> str:
    whole, dot, part = text.partition(".")
    return text.rstrip("0").rstrip(".") if dot and (whole.lstrip("-") + part).isdigit() else text


def model(sent: Sent, rubric: Rubric) -> Check:
    """Return whether a published judge is asked, or is on offer where the user chooses."""
    published = {name.partition("/")[2] for name in rubric.judges}
    named = sent.fields.get("model")
    if isinstance(named, Known):
        if not published or named.value in published:
            return Check((), frozenset() if published else frozenset({"judge"}))
        told = (
            f"{str(named.value)[:60]} is not among the published judges "
            f"({', '.join(sorted(published))})"
        )
        return Check((finding("judge", "model", sent.line, told),))
    offered = named.of if isinstance(named, Choice) else ()
    seen = any(isinstance(one, Known) and one.value in published for one in offered)
    return Check((), frozenset() if seen else frozenset({"judge"}))
