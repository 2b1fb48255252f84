"""Sheets and differences of rubrics in, lines of words out; foreign text is not escaped yet."""

from judge.canonical import Json, encode
from judge.packs import Diff, Sheet, SheetTemplate, Word
from judge.records import Record, Route

__all__ = ["compared", "described", "listing"]

_TEXTS = {"ok": "here", "pins only": "pins only", "refused": "refused"}


def listing(sheets: tuple[Sheet, ...]) -> str:
    """Return one line for each rubric, under a head."""
    rows = [("RUBRIC", "LICENCE", "LABELS", "TEXTS", "PIN"), *(_row(sheet) for sheet in sheets)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(map(str.ljust, row, widths)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def described(sheet: Sheet, *, with_text: bool) -> str:
    """Return all there is to say of one rubric."""
    return "\n".join([*_facts(sheet), *_templates(sheet, with_text=with_text)])


def compared(found: Diff) -> str:
    """Return every difference: facts first, then the words of each template."""
    return "\n".join(_differences(found))


def _row(sheet: Sheet) -> tuple[str, str, str, str, str]:
    licence = sheet.source.licence if sheet.source else "-"
    labels = "/".join(sheet.labels) or "-"
    return sheet.name, licence, labels, _TEXTS[sheet.state], (sheet.pin or "-")[:12]


def _facts(sheet: Sheet) -> list[str]:
    source = sheet.source
    return [
        f"{sheet.name}  {sheet.state}",
        f"pin       {sheet.pin}",
        *([f"of        {sheet.of}"] if sheet.of else []),
        *([f"source    {source.repository} {source.path} at {source.commit}"] if source else []),
        *([f"licence   {source.licence}"] if source else []),
        f"fill      {sheet.fill}: {', '.join(sheet.fields)}",
        f"labels    {', '.join(sheet.labels)}; {sheet.accept!r} counts as correct",
        *([f"readings  {_reading(sheet.readings)}"] if sheet.readings else []),
        f"settings  {encode(sheet.settings).decode()}",
        f"judges    {', '.join(sheet.judges) or 'none published'}",
        *(f"route {number}   {_route(way)}" for number, way in enumerate(sheet.routes, 1)),
        *(f"warning   {warning}" for warning in sheet.warnings),
    ]


def _reading(readings: Record) -> str:
    return ", ".join(f"{key} {value}" for key, value in readings.plain().items())


def _route(way: Route) -> str:
    conditions = [
        *([f"id contains {way.id_contains!r}"] if way.id_contains is not None else []),
        *([f"type {' or '.join(way.types)}"] if way.types is not None else []),
        *([f"abstention {str(way.abstention).lower()}"] if way.abstention is not None else []),
    ]
    return f"{' and '.join(conditions) or 'any other item'}: {way.template}"


def _templates(sheet: Sheet, *, with_text: bool) -> list[str]:
    lines = []
    for template in sheet.templates:
        lines += ["", f"{template.name}  {template.sha256}", f"  made of {template.made}"]
        if template.gold != "answer":
            lines.append(f"  gold is: {template.gold}")
        if with_text:
            lines += _text(template)
    return lines


def _text(template: SheetTemplate) -> list[str]:
    if template.text is None:
        return ["  its text is not on this machine"]
    return [f"  | {line}" for line in template.text.split("\n")]


def _differences(found: Diff) -> list[str]:
    lines = [f"- {found.a}  {found.a_pin}", f"+ {found.b}  {found.b_pin}"]
    lines += [f"{one.what}: {_value(one.a)} -> {_value(one.b)}" for one in found.changes]
    for template in found.templates:
        lines += ["", f"template {template.name}", "".join(map(_marked, template.words))]
    if not found.changes and not found.templates:
        lines.append("no difference in texts, routes, fill, fields, labels, readings or settings")
    return lines


def _value(value: Json) -> str:
    return encode(value).decode()


def _marked(word: Word) -> str:
    if word.op == "same":
        return word.text
    text = word.text
    # A lost space or line is a difference like any other, so it must be seen.
    if text.isspace():
        text = text.replace(" ", "␠").replace("\n", "⏎\n")
    return f"[-{text}-]" if word.op == "removed" else f"{{+{text}+}}"
