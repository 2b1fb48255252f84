"""A Jinja text in, a function that fills it out; imported only when a rubric is written in Jinja.

The text is compiled in an immutable sandbox without loader, globals or tests, and may hold text,
the declared fields, five filters with constant arguments, and conditions: what else Jinja can do
is refused by name, so that no answer is cut, repeated or left out unseen. Answers enter as values.
"""

from collections.abc import Callable, Sequence

import jinja2
from jinja2 import meta, nodes, sandbox

from judge.errors import InputError

__all__ = ["filler"]

_FILTERS = ("indent", "join", "length", "tojson", "trim")
_ALLOWED = (
    nodes.And,
    nodes.Compare,
    nodes.CondExpr,
    nodes.Const,
    nodes.Filter,
    nodes.If,
    nodes.Keyword,
    nodes.Name,
    nodes.Not,
    nodes.Operand,
    nodes.Or,
    nodes.Output,
    nodes.TemplateData,
)
_WIDEST = 100
"""The largest argument of a filter: a wider indent would be a way to fill the memory."""


def _environment() -> sandbox.ImmutableSandboxedEnvironment:
    environment = sandbox.ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # a prompt is plain text, never HTML
        keep_trailing_newline=True,
        loader=None,
    )
    environment.globals.clear()
    environment.tests.clear()
    environment.filters = {name: environment.filters[name] for name in _FILTERS}
    return environment


_ENVIRONMENT = _environment()


def filler(text: str, fields: Sequence[str]) -> Callable[..., str]:
    """Return the function that fills the text from the fields' values, given in their order.

    The function raises InputError when Jinja cannot fill the text.

    Raises:
        InputError: not Jinja, a part of Jinja that is refused, a field that is declared and not
            used or used and not declared, or a carriage return (Jinja would send another text).
    """
    if "\r" in text:
        raise InputError("holds a carriage return, which Jinja would turn into another byte")
    try:
        tree = _ENVIRONMENT.parse(text)
        _check_nodes(tree)
        _check_fields(meta.find_undeclared_variables(tree), fields)
        compiled = _ENVIRONMENT.from_string(text)
    except (jinja2.TemplateError, RecursionError, SyntaxError) as error:
        raise InputError(f"not a Jinja template that can be used: {error}") from error

    def fill(*values: str) -> str:
        try:
            return compiled.render(dict(zip(fields, values, strict=True)))
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise InputError(f"cannot be filled: {error}") from error

    return fill


def _check_nodes(tree: nodes.Template) -> None:
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, _ALLOWED):
            raise InputError(
                f"line {node.lineno}: {type(node).__name__} is not allowed; a template holds text,"
                f" fields, conditions and the filters {', '.join(_FILTERS)}"
            )
        if isinstance(node, nodes.Filter):
            _check_filter(node)


def _check_filter(node: nodes.Filter) -> None:
    if node.name not in _FILTERS:
        raise InputError(
            f"line {node.lineno}: filter {node.name!r} is not allowed; use {', '.join(_FILTERS)}"
        )
    arguments = [*node.args, *(keyword.value for keyword in node.kwargs)]
    for argument in arguments:
        if not isinstance(argument, nodes.Const) or not _is_small(argument.value):
            raise InputError(
                f"line {node.lineno}: an argument of {node.name!r} must be a constant of at most"
                f" {_WIDEST}"
            )
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        raise InputError(f"line {node.lineno}: {node.name!r} takes no starred arguments")


def _is_small(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _WIDEST
    return isinstance(value, int) and abs(value) <= _WIDEST


def _check_fields(used: set[str], fields: Sequence[str]) -> None:
    if unknown := sorted(used - set(fields)):
        raise InputError(f"uses {unknown[0]!r}, which is not among its fields {', '.join(fields)}")
    if unused := [field for field in fields if field not in used]:
        raise InputError(f"does not use its field {unused[0]!r}")
