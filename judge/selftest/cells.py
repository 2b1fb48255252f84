"""A run in, forgeries of more than one field out: replies, cells, attempts, groups and order.

Each goes as far as somebody can who does not ask the judge again and cannot render a prompt.
"""

import copy
from collections.abc import Callable, Iterator

from judge.selftest.forging import DERIVED, Forged, Forgery, Plain, encode, put, recounted, text

__all__ = ["cell_forgeries"]

Edit = Callable[[Forged], None]
_TURNED = {"yes": "no", "no": "yes"}
_CELL = ("phase", "batch", "condition", "repetition", "row")


def cell_forgeries(run: Forged) -> Iterator[Forgery]:
    """Yield every forgery of texts, cells, groups and order."""
    for place, public in _decided(run):
        yield from _texts(place, public)
        yield from _moves(run, place, public)
    yield from _swaps(run)
    yield from _attempts(run)
    yield from _groups(run)
    yield from _order(run)
    yield from _extra(run)


def _decided(run: Forged) -> Iterator[tuple[int, Plain]]:
    """One decided receipt of each phase and label."""
    seen: set[tuple[object, ...]] = set()
    for place, public in run.facts("receipt", outcome="decided"):
        sort = public["phase"], public["label"]
        if sort not in seen:
            seen.add(sort)
            yield place, public


def _intent_of(run: Forged, public: Plain) -> int:
    return next(p for p, fact in run.facts("intent") if fact["seq"] == public["intent_seq"])


# --- labels and replies -------------------------------------------------------------------------


def _texts(place: int, public: Plain) -> Iterator[Forgery]:
    where = f"receipt {place}"
    label = _TURNED[public["label"]]
    for depth, words in enumerate(("label", "and readings", "and reply_text", "and raw reply")):
        yield Forgery("label", f"{where}: {words} turned", _relabelled(place, label, depth))
    reply = encode({"model": "lexical/1", "text": label}).decode()
    for said in (reply, "", "null", "[]", label, reply + " ", reply.replace("lexical", "other")):
        yield Forgery("raw reply", f"{where}: response {said!r}", _put(place, "response", said))
    for said in (label, "", public["label"].upper()):
        yield Forgery(
            "reply_text", f"{where}: reply_text {said!r}", _put(place, "reply_text", said)
        )
    for name in ("response", "reply_text", "headers", "item"):
        yield Forgery("other texts", f"{where}: no {name}", _without(place, name))
    yield Forgery("other texts", f"{where}: a request id", _put(place, "headers", '[["x","1"]]'))
    yield Forgery("other texts", f"{where}: not pairs", _put(place, "headers", "[[1,2]]"))
    yield Forgery("other texts", f"{where}: not a list", _put(place, "headers", "7"))
    for name, value in (("id", "elsewhere"), ("type", "untyped"), ("route", "elsewhere")):
        yield Forgery("other texts", f"{where}: {name} of the row", _itemed(place, name, value))
    yield Forgery("other texts", f"{where}: a salt with spaces", _salted(place))


def _relabelled(place: int, label: str, depth: int) -> Edit:
    """Turn a label: alone, with its readings, with the text, with the raw reply."""

    def edit(run: Forged) -> None:
        line = run.lines[place]
        line["public"]["label"] = label
        if depth > 0:
            line["public"]["readings"] = dict.fromkeys(line["public"]["readings"], label)
        if depth > 1:
            put(line, "reply_text", label)
        if depth > 2:  # noqa: PLR2004 - the last of the four
            said = text(line, "response")
            put(line, "response", said.replace(f'"{_TURNED[label]}"', f'"{label}"'))
        recounted(run)

    return edit


def _put(place: int, name: str, data: str) -> Edit:
    return lambda run: put(run.lines[place], name, data)


def _without(place: int, name: str) -> Edit:
    return lambda run: run.lines[place]["private"].pop(name, None)


def _itemed(place: int, name: str, value: str) -> Edit:
    def edit(run: Forged) -> None:
        line = run.lines[place]
        head, found, rest = text(line, "item").partition(f'"{name}":"')
        put(line, "item", head + found + value + rest[rest.index('"') :])

    return edit


def _salted(place: int) -> Edit:
    def edit(run: Forged) -> None:
        part = run.lines[place]["private"]["response"]
        part["salt"] = " ".join((part["salt"][:16], part["salt"][16:]))

    return edit


# --- cells --------------------------------------------------------------------------------------


def _moves(run: Forged, place: int, public: Plain) -> Iterator[Forgery]:
    intent = _intent_of(run, public)
    places = (intent, place)
    other = "c2" if public["condition"] == "c1" else "c1"
    changes = (
        ("moved condition", "condition", other),
        ("moved repetition", "repetition", public["repetition"] % 2 + 1),
        ("moved row", "row", public["row"] + 1),
        ("moved batch", "batch", 1),
        ("moved arm", "arm", "negative" if public["arm"] == "positive" else "positive"),
    )
    for family, name, value in changes:
        yield Forgery(
            family, f"cell of receipt {place}: {name} {value}", _both(places, name, value)
        )
    yield Forgery("dropped cell", f"cell of receipt {place}", _dropped(places))
    yield Forgery("dropped cell", f"receipt {place}", _dropped((place,)))
    yield Forgery("dropped cell", f"intent {intent}", _dropped((intent,)))
    for name in ("response", "gold", "content", "model"):
        if f'"{name}":"' in text(run.lines[intent], "request"):
            yield Forgery("request", f"intent {intent}: another {name}", _asked(intent, name))


def _both(places: tuple[int, ...], name: str, value: object) -> Edit:
    def edit(run: Forged) -> None:
        for place in places:
            run.lines[place]["public"][name] = value

    return edit


def _dropped(places: tuple[int, ...]) -> Edit:
    def edit(run: Forged) -> None:
        cells = {_cell(run.lines[place]["public"]) for place in places}
        for place in sorted(places, reverse=True):
            del run.lines[place]
        recounted(run)
        for _, gate in run.facts("gate"):
            group = {k: gate[k] for k in ("condition", "repetition", "batch", "arm")}
            closed = run.facts("receipt", phase="control", final=True, **group)
            gate["asked"] = len(list(closed))
        for _, seal in run.facts("seal"):
            seal["cells"] -= sum(cell[0] == "answer" for cell in cells)

    return edit


def _cell(public: Plain) -> tuple[object, ...]:
    return tuple(public.get(name) for name in _CELL)


def _asked(place: int, name: str) -> Edit:
    """Change what was asked, its length too."""

    def edit(run: Forged) -> None:
        line = run.lines[place]
        head, found, rest = text(line, "request").partition(f'"{name}":"')
        put(line, "request", head + found + "x" + rest)
        line["public"]["length"] += 1

    return edit


def _swaps(run: Forged) -> Iterator[Forgery]:
    yes = [place for place, _ in run.facts("receipt", phase="answer", label="yes")]
    no = [place for place, _ in run.facts("receipt", phase="answer", label="no")]
    for first, second in zip(yes, no, strict=False):
        pair = f"receipts {first} and {second}"
        yield Forgery("swapped replies", f"{pair}: raw replies", _swapped(first, second, ()))
        yield Forgery("swapped replies", f"{pair}: all of them", _swapped(first, second, DERIVED))


def _swapped(first: int, second: int, fields: tuple[str, ...]) -> Edit:
    def edit(run: Forged) -> None:
        one, two = run.lines[first], run.lines[second]
        for name in ("response", "reply_text", "headers"):
            one["private"][name], two["private"][name] = two["private"][name], one["private"][name]
        for name in fields:
            one["public"][name], two["public"][name] = two["public"][name], one["public"][name]

    return edit


# --- attempts -----------------------------------------------------------------------------------


def _attempts(run: Forged) -> Iterator[Forgery]:
    for place, public in run.facts("receipt", attempt=2):
        first = next(
            p for p, fact in run.facts("receipt", attempt=1) if _cell(fact) == _cell(public)
        )
        early = (_intent_of(run, run.lines[first]["public"]), first)
        late = (_intent_of(run, public), place)
        where = f"cell of receipt {place}"
        yield Forgery("dropped attempt", f"{where}: the first", _dropped(early))
        yield Forgery(
            "dropped attempt", f"{where}: the first, numbered anew", _first_of(early, late)
        )
        yield Forgery("dropped attempt", f"{where}: the second", _dropped(late))
        yield Forgery(
            "dropped attempt", f"{where}: the second, closed by the first", _last(first, late)
        )
        yield Forgery("after_unknown", f"{where}: the second", _turned(late[0], "after_unknown"))


def _first_of(early: tuple[int, ...], late: tuple[int, ...]) -> Edit:
    """Drop the first attempt and call the second the first."""

    def edit(run: Forged) -> None:
        _both(late, "attempt", 1)(run)
        _dropped(early)(run)

    return edit


def _turned(place: int, name: str) -> Edit:
    def edit(run: Forged) -> None:
        public = run.lines[place]["public"]
        public[name] = not public[name]

    return edit


def _last(first: int, late: tuple[int, ...]) -> Edit:
    def edit(run: Forged) -> None:
        run.lines[first]["public"]["final"] = True
        _dropped(late)(run)

    return edit


# --- groups and order ---------------------------------------------------------------------------


def _groups(run: Forged) -> Iterator[Forgery]:
    for place, gate in run.facts("gate"):
        if gate["repetition"] == 1:
            where = f"gate {place}"
            yield Forgery("gate pass", where, _dropped((place,)))
            yield Forgery("gate count", f"{where}: one less, by route too", _fewer(place))
            yield Forgery("gate pass", f"{where}: failed, sealed there", _failed(place))


def _fewer(place: int) -> Edit:
    def edit(run: Forged) -> None:
        gate = run.lines[place]["public"]
        route = next(iter(gate["routes"]))
        gate["correct"] -= 1
        gate["routes"][route][1] -= 1

    return edit


def _failed(place: int) -> Edit:
    """Say that a group failed, and seal the run right there."""

    def edit(run: Forged) -> None:
        run.lines[place]["public"] |= {"pass": False, "correct": 0}
        del run.lines[place + 1 : -1]
        run.lines[-1]["public"] |= {"state": "gate-failed", "decided": 0, "undecided": 0}

    return edit


def _order(run: Forged) -> Iterator[Forgery]:
    intents = [place for place, fact in run.facts("intent", attempt=1)]
    gates = [place for place, _ in run.facts("gate")]
    answer = next(place for place, _ in run.facts("intent", phase="answer"))
    for place in intents[:: max(1, len(intents) // 8)][:-1]:
        after = intents[intents.index(place) + 1]
        yield Forgery("altered order", f"intents {place} and {after}", _exchanged(place, after))
    yield Forgery("altered order", "gates turned round", _exchanged(gates[0], gates[1]))
    yield Forgery("altered order", "an answer before the gate", _moved(answer, gates[0]))
    yield Forgery("altered order", "the gate before a control", _moved(gates[0], gates[0] - 1))
    yield Forgery(
        "altered order", "the seal one line early", _moved(run.before - 1, run.before - 2)
    )
    yield Forgery("altered order", "the start second", _exchanged(0, 1))
    receipt = next(place for place, _ in run.facts("receipt"))
    first = _intent_of(run, run.lines[receipt]["public"])
    yield Forgery("altered order", "a receipt before its intent", _moved(receipt, first))


def _exchanged(one: int, two: int) -> Edit:
    def edit(run: Forged) -> None:
        run.lines[one], run.lines[two] = run.lines[two], run.lines[one]

    return edit


def _moved(source: int, target: int) -> Edit:
    return lambda run: run.lines.insert(target, run.lines.pop(source))


def _extra(run: Forged) -> Iterator[Forgery]:
    last = run.before - 1
    kinds = {public["kind"]: place for place, public in enumerate(_publics(run))}
    for kind, place in kinds.items():
        yield Forgery("inserted line", f"{kind} {place}", _again(place, place + 1))
        yield Forgery("inserted line", f"{kind} {place} after the seal", _again(place, last + 1))
    stop = {"kind": "stopped", "cause": "sigint"}
    torn = {"kind": "recovered", "discarded_bytes": 1, "discarded_sha256": "0" * 64}
    on = {"kind": "resumed", "recheck": False, "resend_unknown": 0, "leave_unknown": False}
    on["version"] = "1"
    for words, fact, at in (
        ("a stop before the seal", stop, last),
        ("a torn tail before the seal", torn, last),
        ("a stop at the start", stop, 1),
        ("a resumption while cells are open", on, 2),
        ("a resumption after the seal", on, last + 1),
        ("a recheck before the seal", {**on, "recheck": True, "more": 1}, last),
    ):
        yield Forgery("inserted line", words, _inserted(fact, at))


def _publics(run: Forged) -> Iterator[Plain]:
    return (line["public"] for line in run.lines)


def _again(place: int, target: int) -> Edit:
    return lambda run: run.lines.insert(target, copy.deepcopy(run.lines[place]))


def _inserted(fact: Plain, at: int) -> Edit:
    def edit(run: Forged) -> None:
        head = {name: run.lines[0]["public"][name] for name in ("v", "at")}
        line = {"public": {**head, "seq": -1, **fact}}
        run.lines.insert(at, line)

    return edit
