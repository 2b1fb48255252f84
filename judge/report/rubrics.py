"""Sheets and differences of rubrics in, lines of words out; foreign text is not escaped yet."""

from itertools import pairwise

from judge.canonical import Json, encode
from judge.errors import InputError
from judge.filling import places
from judge.packs import Diff, Sheet, SheetTemplate, Word
from judge.records import GateLabels, Origin, Record, Route

__all__ = ["compared", "described", "listing"]


_HEAD = ("RUBRIC", "EDITION", "LICENCE", "LABELS", "TEXTS", "PIN")
_ABSENT = "absent: bring them by `judge templates fetch RUBRIC/EDITION`, or `add … --from FILE`"


def listing(sheets: tuple[Sheet, ...]) -> str:
    """Return one line for each rubric, under a head."""
    rows = [_HEAD, *(_row(sheet) for sheet in sheets)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    absent = any(sheet.state == "pins only" for sheet in sheets)
    return "\n".join([*lines, *([_ABSENT] if absent else [])])


def described(sheet: Sheet, *, with_text: bool) -> str:
    """Return all there is to say of one rubric."""
    return "\n".join([*_facts(sheet), *_templates(sheet, with_text=with_text)])


def compared(found: Diff) -> str:
    """Return every difference: facts first, then the words of each template."""
    return "\n".join(_differences(found))


def _row(sheet: Sheet) -> tuple[str, ...]:
    rubric, _, edition = sheet.name.rpartition("/")
    if sheet.state == "refused":
        return rubric or sheet.name, edition, "-", "-", "refused", "-"
    licence = sheet.source.licence if sheet.source else "-"
    return rubric or sheet.name, edition, licence, sheet.kind, sheet.where, (sheet.pin or "-")[:12]


def _facts(sheet: Sheet) -> list[str]:
    sources = [sheet.source, *sheet.more_sources] if sheet.source else []
    return [
        f"{sheet.name}  {sheet.state}",
        f"pin       {sheet.pin}",
        *([f"of        {sheet.of}"] if sheet.of else []),
        *(line for source in sources for line in _source(source)),
        f"texts     {sheet.where}",
        f"fill      {sheet.fill}: {_fields(sheet.names, sheet.fields)}",
        *([f"values    {sheet.values}"] if sheet.values != "as-is" else []),
        f"labels    {_labels(sheet)}",
        *([f"gate      {_gate(sheet.gate)}"] if sheet.gate else []),
        *([f"readings  {_reading(sheet.readings)}"] if sheet.readings else []),
        *([f"parser    {sheet.parser.path}: {sheet.parser.rule}"] if sheet.parser else []),
        *([f"  faults  {sheet.parser.faults}"] if sheet.parser else []),
        f"settings  {encode(sheet.settings).decode()}",
        f"judges    {', '.join(sheet.judges) or 'none published'}",
        *(f"route {number}   {_route(way)}" for number, way in enumerate(sheet.routes, 1)),
        *([f"note      {sheet.note}"] if sheet.note else []),
        *(f"warning   {warning}" for warning in sheet.warnings),
    ]


def _source(source: Origin) -> list[str]:
    return [
        f"source    {source.repository} {source.path} at {source.commit}",
        f"  file    {source.sha256}  {source.licence}",
    ]


def _fields(names: tuple[str, ...], fields: tuple[str, ...]) -> str:
    pairs = zip(names, fields, strict=True)
    return ", ".join(name if name == field else f"{name} = {field}" for name, field in pairs)


def _labels(sheet: Sheet) -> str:
    scaled = [f"{x} = {sheet.scale[x]}" if x in sheet.scale else x for x in sheet.labels]
    counts = "each a number" if sheet.accept is None else f"{sheet.accept!r} counts as correct"
    return f"{sheet.kind}: {', '.join(scaled)}; {counts}"


def _gate(gate: GateLabels) -> str:
    return (
        f"a control to accept must get {' or '.join(gate.accept)}, "
        f"one to reject {' or '.join(gate.reject)} (outside the pin)"
    )


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
        if template.names != sheet.names:
            lines.append(f"  fields: {_fields(template.names, template.fields)}")
        if template.gold != "answer":
            lines.append(f"  gold is: {template.gold}")
        if template.system_sha256 is not None:
            lines += [f"  system  {template.system_sha256}", f"  made of {template.system_made}"]
        if with_text:
            lines += _text(sheet, template)
    return lines


def _text(sheet: Sheet, template: SheetTemplate) -> list[str]:
    lines = []
    if template.system is not None:
        lines += [f"  system | {line}" for line in template.system.split("\n")]
    if template.text is None:
        return [*lines, "  its text is not on this machine"]
    return [*lines, *(f"  | {line}" for line in _marked_text(sheet, template).split("\n"))]


def _marked_text(sheet: Sheet, template: SheetTemplate) -> str:
    """The text with its fields marked, whatever sign its dialect has for them."""
    text = template.text or ""
    marks = [f"⟦{_fields((n,), (f,))}⟧" for n, f in _pairs(template)]
    if sheet.fill == "concat":
        cuts = [0, *template.places, len(text)]
        literals = [text[one:other] for one, other in pairwise(cuts)]
        return "".join(part for pair in zip(literals, [*marks, ""], strict=True) for part in pair)
    if sheet.fill == "jinja" or sheet.fill is None:
        return text
    try:
        pieces = places(sheet.fill, text, template.names)
    except InputError:
        return text
    return "".join(piece if isinstance(piece, str) else marks[piece] for piece in pieces)


def _pairs(template: SheetTemplate) -> list[tuple[str, str]]:
    return list(zip(template.names, template.fields, strict=True))


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
