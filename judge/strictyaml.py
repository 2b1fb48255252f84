"""YAML bytes in, plain values out: text, whole numbers, true, false, null, lists, objects.

YAML is read as data only, from the parser's events: nothing is constructed. Refused: anchors,
aliases, tags, directives, a second document, duplicate keys, keys that are not text, values left
empty, a byte order mark. `yes`, `no`, `on`, `1:30`, dates and decimals stay text.
"""

import re
from collections.abc import Iterator

import yaml

from judge.canonical import Json
from judge.errors import InputError

__all__ = ["load"]

_SIZE = 1_000_000
_DEPTH = 20
_SAFE = 2**53 - 1
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_WORDS = {"true": True, "false": False, "null": None}


def load(data: bytes, where: str) -> Json:
    """Return the one value these bytes hold.

    Raises:
        InputError: `where:line: what is wrong`; more than 1 MB, more than 20 levels, not strict
            UTF-8, not YAML, or a part of YAML that is refused.
    """
    events = _events(_text(data, where), where)
    first = next(events)
    if isinstance(first, yaml.StreamEndEvent):
        raise InputError(f"{where}:1: the file is empty, one document is expected")
    if isinstance(first, yaml.DocumentStartEvent) and (first.version or first.tags):
        raise _refused(first, where, "a directive is not allowed")
    value = _value(next(events), events, where, 1)
    next(events)  # the end of the document
    last = next(events)
    if not isinstance(last, yaml.StreamEndEvent):
        raise _refused(last, where, "a second document starts here, one is expected")
    return value


def _text(data: bytes, where: str) -> str:
    if len(data) > _SIZE:
        raise InputError(f"{where}: {len(data)} bytes, the limit is {_SIZE}")
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{where}:1: starts with a byte order mark; save it as plain UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{where}:{line}: not UTF-8 ({error.reason})") from error


def _events(text: str, where: str) -> Iterator[yaml.Event]:
    line = 1
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = _line(event)
            if not isinstance(event, yaml.StreamStartEvent):
                yield event
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(f"{where}:{line}: a control character is not allowed") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = mark.line + 1 if mark else line
        raise InputError(f"{where}:{at}: not YAML: {error.problem}") from error
    except (ValueError, OverflowError) as error:
        # The scanner hands escapes such as \U00110000 to chr().
        raise InputError(f"{where}:{line}: not YAML: {error}") from error


def _refused(event: yaml.Event, where: str, what: str) -> InputError:
    return InputError(f"{where}:{_line(event)}: {what}")


def _line(event: yaml.Event) -> int:
    # The stubs allow an event without a mark; the parser gives every event one.
    return event.start_mark.line + 1 if event.start_mark else 0


def _value(event: yaml.Event, events: Iterator[yaml.Event], where: str, depth: int) -> Json:
    if isinstance(event, yaml.AliasEvent):
        raise _refused(event, where, f"alias {event.anchor!r} is not allowed")
    if not isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent):
        raise _refused(event, where, f"unexpected {type(event).__name__}")
    if event.anchor is not None:
        raise _refused(event, where, f"anchor {event.anchor!r} is not allowed")
    if event.tag is not None:
        raise _refused(event, where, f"tag {event.tag!r} is not allowed")
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, where)
    if depth > _DEPTH:
        raise _refused(event, where, f"more than {_DEPTH} levels")
    if isinstance(event, yaml.SequenceStartEvent):
        return _list(events, where, depth)
    return _object(events, where, depth)


def _list(events: Iterator[yaml.Event], where: str, depth: int) -> list[Json]:
    parts: list[Json] = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        parts.append(_value(event, events, where, depth + 1))
    return parts


def _object(events: Iterator[yaml.Event], where: str, depth: int) -> dict[str, Json]:
    parts: dict[str, Json] = {}
    lines: dict[str, int] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _value(event, events, where, depth + 1)
        if not isinstance(key, str):
            raise _refused(event, where, f"key {str(key)[:40]!r} is not text; quote it")
        if key in parts:
            raise _refused(event, where, f"key {key!r} again, first on line {lines[key]}")
        lines[key] = _line(event)
        parts[key] = _value(next(events), events, where, depth + 1)
    return parts


def _scalar(event: yaml.ScalarEvent, where: str) -> Json:
    text = event.value
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        raise _refused(event, where, "half a surrogate pair is not text")
    if event.style:  # quoted or a block: always text
        return text
    if not text:
        raise _refused(event, where, 'a value is missing; write "" or null if that is meant')
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return _integer(event, where)
    return text


def _integer(event: yaml.ScalarEvent, where: str) -> int:
    # Sixteen digits hold every integer that is allowed, and int() of a megabyte is slow.
    if len(event.value) > len(str(-_SAFE)) or abs(value := int(event.value)) > _SAFE:
        raise _refused(event, where, f"integer {event.value[:40]} is not below 2**53; quote it")
    return value
