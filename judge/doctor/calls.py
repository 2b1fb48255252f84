"""A program's text in; which settings, judge and parser it shows, against a rubric, out.

What is looked for is written in the code itself: `max_tokens=10`, `"temperature": 0`, `model:
"gpt-4o"`. A value that is computed elsewhere is not seen, and not guessed at.
"""

import re
from collections.abc import Iterator, Mapping

from judge.canonical import Json
from judge.doctor.findings import Finding
from judge.records import Rubric

__all__ = ["findings"]

_KEYS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "top_p",
    "seed",
    "stop",
    "logprobs",
    "response_format",
    "reasoning_effort",
)
_SETTING = re.compile(
    rf"""(?<![\w.])["']?(?P<key>{"|".join(_KEYS)})["']?\s*(?::\s*[\w|\s]+?)?\s*[:=](?!=)\s*"""
    r"""(?P<value>-?\d+(?:\.\d+)?|\{[^{}]*\}|["'][^"'\n]*["']|None|null|True|False|true|false)"""
)
_COMMON = frozenset({"n", "seed", "stop"})
_ARGUMENT = re.compile(r"\w+=\S|[\"']\w+[\"']\s*:")
"""How a setting with a name that many a variable has is told from a variable."""
_CAMEL = {
    "maxTokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
}
_MODEL = re.compile(
    r"""(?<![\w.])["']?(?:\w*_)?model(?:_name|_id)?["']?\s*(?::\s*[\w|\s]+?)?\s*[:=](?!=)\s*"""
    r"""["'](?P<model>[\w./:-]+)["']"""
)
_MOST = 20
"""Models looked at: a list of a hundred is no judge."""
_SAME_AS_NONE: Mapping[str, Json] = {"n": 1}
"""What the API does when a setting is not sent."""


def findings(code: str, rubric: Rubric) -> tuple[Finding, ...]:
    """Return what the code shows that differs from the rubric's settings, judges and parser."""
    for camel, snake in _CAMEL.items():
        code = re.sub(rf"\b{camel}\b", snake, code)
    return (*_settings(code, rubric), *_judges(code, rubric), *_parser(code, rubric))


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def _settings(code: str, rubric: Rubric) -> Iterator[Finding]:
    seen: dict[str, tuple[str, int]] = {}
    for match in _SETTING.finditer(code):
        key = match["key"]
        if key not in seen and (key not in _COMMON or _ARGUMENT.match(match.group())):
            seen[key] = match["value"], _line(code, match.start())
    for key, (value, line) in seen.items():
        if (said := _told(key, value, rubric)) is not None:
            yield _setting(key, line, said)
    # Only code that shows some setting is taken for the code that asks.
    for key, wanted in rubric.settings.items():
        named = re.search(rf"""["']?\b{key}["']?\s*[:=]""", code) is not None
        if seen and key not in seen and not named and _SAME_AS_NONE.get(key) != wanted:
            yield _setting(key, None, f"{key} is not set, the rubric's is {_text(wanted)}")


def _told(key: str, value: str, rubric: Rubric) -> str | None:
    """How a setting differs from the rubric's; None where it does not, or cannot be told."""
    if key not in rubric.settings:
        same = _number(value) == _text(_SAME_AS_NONE.get(key))
        return None if same else f"{key} is {value[:60]}, the rubric sends none"
    wanted = rubric.settings[key]
    if isinstance(wanted, dict | list) or _number(value) == _number(_text(wanted)):
        return None
    return f"{key} is {value[:60]}, the rubric's is {_text(wanted)}"


def _setting(key: str, line: int | None, said: str) -> Finding:
    return Finding(kind="setting", where=key, line=line, said=said)


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def _number(text: str) -> str:
    """A decimal in its shortest form, so that 0.0 and 0 are one number; other text as it is."""
    if re.fullmatch(r"-?\d+\.\d+", text):
        return text.rstrip("0").rstrip(".")
    return text


def _judges(code: str, rubric: Rubric) -> Iterator[Finding]:
    published = [name.partition("/")[2] for name in rubric.judges]
    if not published:
        return
    seen: dict[str, int] = {}
    for match in _MODEL.finditer(code):
        if match["model"] not in seen and len(seen) < _MOST:
            seen[match["model"]] = _line(code, match.start())
    for model, line in seen.items():
        if model.rpartition("/")[2] not in published:
            said = f"{model[:60]} is not among the published judges ({', '.join(published)})"
            yield Finding(kind="judge", where="model", line=line, said=said)


_WAYS = {
    "contains": "looks for a label anywhere in the reply",
    "equals": "compares the whole reply with a label",
    "starts": "looks at how the reply begins",
    "json": "reads JSON",
    "regex": "searches by a regular expression",
}
_EXPECTED = {
    "browsecomp-upstream/1": "regex",
    "halueval-upstream/1": "contains",
    "healthbench-upstream/1": "json",
    "inspect-upstream/5": "regex",
    "mem0-upstream/1": "json",
    "mt-bench-upstream/1": "regex",
    "simpleqa-upstream/1": "regex",
    "yes-substring/1": "contains",
}
"""How the author's own code reads a reply, by the name of the upstream reading."""


def _ways(code: str, rubric: Rubric) -> dict[str, int]:
    """Which ways of reading a reply the code shows, each with its first line."""
    label = "|".join(re.escape(one) for one in rubric.labels)
    quoted = rf"""["'](?i:{label})["']"""
    signs = {
        "contains": rf"{quoted}\s+in\s+[\w.(]|\.includes\(\s*{quoted}",
        "equals": rf"={{2,3}}\s*{quoted}|{quoted}\s*={{2,3}}",
        "starts": rf"\.starts?[wW]ith\(\s*\(?{quoted}",
        # Rows are read as JSON, too: what is read line by line is no reply.
        "json": r"\bjson\.loads\((?!\s*(?:l|ln|line|row|raw|f|fp|file|open|path)\b)"
        r"|\bJSON\.parse\(|\bjson_repair\.|response_model\s*=",
        "regex": r"\bre\.(?:search|match|findall|fullmatch)\(|\.match\(\s*/",
    }
    found = {way: re.search(sign, code) for way, sign in signs.items()}
    return {way: _line(code, match.start()) for way, match in found.items() if match}


def _parser(code: str, rubric: Rubric) -> Iterator[Finding]:
    expected = _EXPECTED.get(rubric.readings.upstream)
    ways = _ways(code, rubric)
    if expected is None or not ways:
        return
    if expected not in ways:
        shown = " and ".join(_WAYS[way] for way in ways)
        said = f"the code {shown}; the upstream's {_WAYS[expected]}"
        yield Finding(kind="parser", where="reading", line=min(ways.values()), said=said)
    elif rubric.readings.upstream == "yes-substring/1" and not re.search(
        r"\.lower\(|toLowerCase|casefold", code
    ):
        said = "case counts in the code; the upstream's makes the reply lower-case first"
        yield Finding(kind="parser", where="reading", line=ways[expected], said=said)
