"""A Python program and a rubric in; how the program uses the texts, as far as it can be followed.

What is seen to differ is a finding. What is seen to agree is named, and what cannot be followed is
named too: only where all of it was seen to agree may a file be called the official judge.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from judge.doctor.findings import Aspect, Finding
from judge.doctor.naming import role
from judge.doctor.prompts import Prompts, prompts_of, walked
from judge.doctor.requests import plain_reading, requests
from judge.doctor.routing import Routing, routing
from judge.records import Route, Rubric

__all__ = ["Usage", "parsed", "pinned", "usage"]

_CHANGES = frozenset(
    {
        *("capitalize", "casefold", "lower", "lstrip", "replace", "rstrip", "strip", "title"),
        *("translate", "upper", "removeprefix", "removesuffix", "format_map", "join"),
    }
)
"""What makes another text of a text."""


class Usage(NamedTuple):
    """What was seen of a program."""

    findings: tuple[Finding, ...]
    followed: frozenset[Aspect]
    """What was seen, differing or not."""


def usage(tree: ast.Module, rubric: Rubric, texts: Mapping[str, str]) -> Usage:
    """Return how a program fills, routes and sends a rubric's texts.

    Args:
        tree: the program.
        rubric: what its author's program would do.
        texts: SHA-256 of each pinned text to its template's name.
    """
    prompts = prompts_of(tree)
    seen: dict[Aspect, list[Finding] | None] = {
        "order": _order(prompts, rubric),
        "values": _values(prompts),
        "prompt": _prompt(prompts),
        "messages": _messages(prompts, rubric),
        "routes": _routes(routing(tree, texts), rubric),
        "settings": _settings(tree, rubric),
        "judge": _judge(tree, rubric),
        "parser": _parser(tree, rubric),
    }
    return Usage(
        tuple(finding for found in seen.values() for finding in found or ()),
        frozenset(aspect for aspect, found in seen.items() if found is not None),
    )


def _finding(where: str, line: int | None, said: str) -> Finding:
    return Finding(kind="usage", where=where, line=line, said=said)


# --- the order of values ------------------------------------------------------------------------


def _order(prompts: Prompts, rubric: Rubric) -> list[Finding] | None:
    """Whether question, gold and response go in where they belong; None: cannot be told."""
    if rubric.fill != "format":
        return None
    found: list[Finding] = []
    told = False
    for call in prompts.fills():
        roles = [role(value) for value in call.args]
        if call.keywords or None in roles:
            return None
        told = True
        if tuple(roles) != rubric.fields:
            said = f"filled with {', '.join(map(str, roles))}; the rubric's order is "
            found.append(_finding("order", call.lineno, said + ", ".join(rubric.fields)))
    for call, function in prompts.calls():
        found += _passed(call, function)
    found += _renamed(prompts.tree)
    return found if told else None


def _renamed(tree: ast.Module) -> Iterator[Finding]:
    """A value that is given the name of another: `answer, response = response, answer`."""
    for node in walked(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            for name, value in _assigned(target, node.value):
                given, wanted = role(value), role(name)
                if None not in {given, wanted} and given != wanted:
                    yield _finding("order", node.lineno, f"the {given} is renamed as the {wanted}")


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    elif isinstance(target, ast.Name) and isinstance(value, ast.Name):
        yield target, value


def _passed(call: ast.Call, function: ast.FunctionDef) -> Iterator[Finding]:
    """What is handed on under another name than its own."""
    named = [argument.arg for argument in function.args.args]
    for value, name in zip(call.args, named, strict=False):
        given, wanted = role(value), role(ast.Name(id=name))
        if None not in {given, wanted} and given != wanted:
            said = f"the {given} is handed to {function.name} as its {name}"
            yield _finding("order", call.lineno, said)


# --- values and prompt as they are --------------------------------------------------------------


def _values(prompts: Prompts) -> list[Finding] | None:
    """Whether values go in as they are."""
    calls = [*prompts.fills(), *(call for call, _ in prompts.calls())]
    if not calls:
        return None
    found: list[Finding] = []
    for call in calls:
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            said = _made_of(value)
            if said is not None and not prompts.holds(value):
                name = role(value) or "value"
                found.append(_finding("values", value.lineno, f"the {name} is {said} first"))
    return found


def _made_of(value: ast.expr) -> str | None:
    """What is done to a value on its way; None where nothing is."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return "cut"
    if isinstance(value, ast.BinOp):
        return "joined with other text"
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return f"changed by .{value.func.attr}()" if value.func.attr in _CHANGES else None
    return None


def _prompt(prompts: Prompts) -> list[Finding] | None:
    """Whether the filled prompt is sent as it is."""
    found = [
        _finding("prompt", line, said)
        for node in walked(prompts.tree)
        for line, said in _changed(node, prompts)
    ]
    sent = [content for node in walked(prompts.tree) for content in _contents(node)]
    followed = bool(sent) and all(map(prompts.holds, sent)) and not prompts.unclear()
    return found if found or followed else None


def _contents(node: ast.AST) -> Iterator[ast.expr]:
    """What the user messages of a list hold."""
    if _roles(node) is None or not isinstance(node, ast.List):
        return
    for each in node.elts:
        entries = _entries(each)
        said = entries["role"]
        if not isinstance(said, ast.Constant) or said.value != "system":
            yield entries["content"]


def _entries(node: ast.expr) -> dict[object, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}


def _changed(node: ast.AST, prompts: Prompts) -> Iterator[tuple[int, str]]:
    holds = prompts.holds
    if (isinstance(node, ast.BinOp) and (holds(node.left) or holds(node.right))) or (
        isinstance(node, ast.AugAssign) and holds(node.target)
    ):
        yield node.lineno, "the filled prompt is joined with other text"
    elif isinstance(node, ast.JoinedStr):
        parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        if len(node.values) > 1 and any(holds(part.value) for part in parts):
            yield node.lineno, "the filled prompt is put into another text"
    elif (way := _changing(node)) is not None and holds(way.value):
        yield way.lineno, f"the filled prompt is changed by .{way.attr}()"
    elif isinstance(node, ast.Subscript) and holds(node.value):
        yield node.lineno, "the filled prompt is cut"


def _changing(node: ast.AST) -> ast.Attribute | None:
    """The text and the method of a call that makes another text of it."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return node.func if node.func.attr in _CHANGES else None


# --- messages -----------------------------------------------------------------------------------


def _messages(prompts: Prompts, rubric: Rubric) -> list[Finding] | None:
    """Whether what is sent is one user message, and a system message where the rubric has one."""
    found: list[Finding] = []
    told = False
    system = any(template.system_sha256 is not None for template in rubric.templates)
    wanted = ["system", "user"] if system else ["user"]
    for node in walked(prompts.tree):
        roles = _roles(node)
        if roles is None:
            continue
        told = True
        if roles != wanted:
            said = f"messages are {', '.join(map(str, roles))}; the rubric sends "
            found.append(_finding("messages", node.lineno, said + ", ".join(wanted)))  # type: ignore[attr-defined]
    for node in walked(prompts.tree):
        if isinstance(node, ast.keyword) and node.arg == "system" and not system:
            said = "a system text is sent; the rubric sends none"
            found.append(_finding("messages", node.value.lineno, said))
    return found if told else None


def _roles(node: ast.AST) -> list[str | None] | None:
    """The roles of a list of messages; None for any other node."""
    if not isinstance(node, ast.List) or not node.elts:
        return None
    roles: list[str | None] = []
    for each in node.elts:
        entries = _entries(each)
        said = entries.get("role")
        if said is None or "content" not in entries:
            return None
        roles.append(str(said.value) if isinstance(said, ast.Constant) else None)
    return roles


# --- settings, judge, parser --------------------------------------------------------------------


def _settings(tree: ast.Module, rubric: Rubric) -> list[Finding] | None:
    """Whether every request sends the rubric's settings and no more; None: not followed.

    That a setting has another value is said by `calls`, for every kind of program.
    """
    found: list[Finding] = []
    followed = False
    for request in requests(tree):
        for key in request.fields.keys() - {"model", "messages", *rubric.settings}:
            value = request.fields[key]
            if not (isinstance(value, ast.Constant) and value.value is None):
                said = f"{key} is sent, the rubric sends none"
                found.append(_finding(key, request.line, said))
        plain = all(isinstance(request.fields.get(key), ast.Constant) for key in rubric.settings)
        if not plain or not request.whole:
            return found or None
        followed = True
    return found if followed else None


def _judge(tree: ast.Module, rubric: Rubric) -> list[Finding] | None:
    """Whether every request names a published judge; another name is said by `calls`."""
    models = [request.fields.get("model") for request in requests(tree)]
    published = {name.partition("/")[2] for name in rubric.judges}
    named = [m.value for m in models if isinstance(m, ast.Constant)]
    return [] if named and len(named) == len(models) and {*named} <= published else None


def _parser(tree: ast.Module, rubric: Rubric) -> list[Finding] | None:
    """Whether replies are read as the upstream reads them; followed for one way of reading only."""
    if rubric.readings.upstream != "yes-substring/1" or rubric.accept is None:
        return None
    return None if plain_reading(tree, rubric.accept) is None else []


# --- routes -------------------------------------------------------------------------------------


def _routes(found: Routing, rubric: Rubric) -> list[Finding] | None:
    """Whether every type takes its own text; None where that cannot be followed."""
    ways = [way for way in rubric.routes if way.types or way.id_contains]
    if not ways:
        return [] if found.texts else None
    wrong = [finding for way in ways for finding in _way(way, found)]
    unused = {way.template for way in rubric.routes} - found.texts
    followed = all(_was_followed(way, found) for way in ways) and not unused
    return wrong if followed or wrong else None


def _was_followed(way: Route, found: Routing) -> bool:
    if way.id_contains is not None:
        return found.tests.get(way.id_contains, ("", 0))[0] == "in" and (
            way.id_contains in found.by_id or way.template in found.texts
        )
    return all(name in found.by_type for name in way.types or ())


def _way(way: Route, found: Routing) -> Iterator[Finding]:
    if way.id_contains is not None:
        how, line = found.tests.get(way.id_contains, ("in", 0))
        if how != "in":
            said = (
                f"ids are tested by .{how}({way.id_contains!r}); the rubric looks anywhere in one"
            )
            yield _finding(way.template, line, said)
        used = found.by_id.get(way.id_contains)
        if used is not None and used[0] != way.template:
            said = f"ids with {way.id_contains!r} take the text of {used[0]}"
            yield _finding(way.template, used[1], said)
    for name in way.types or ():
        used = found.by_type.get(name)
        if used is not None and used[0] != way.template:
            said = f"type {name} takes the text of {used[0]}; the rubric's is {way.template}"
            yield _finding(way.template, used[1], said)


def pinned(rubric: Rubric) -> dict[str, str]:
    """SHA-256 of each template to its name."""
    return {template.sha256: template.name for template in rubric.templates}


def parsed(code: str) -> ast.Module | None:
    """The program, or None where it is no Python that can be read."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
