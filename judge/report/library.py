"""Sheets of the shipped rubrics in, the page docs/rubrics.md out: one table of all packs."""

from collections.abc import Sequence

from judge.packs import Sheet

__all__ = ["LEFT_OUT", "page"]

LEFT_OUT = (
    ("HLE, TruthfulQA, FACTS", "their judge's text could not be read at a pinned commit"),
    ("Zep's LoCoMo and LongMemEval judges", "CC BY-NC-SA; no hash of their templates is known"),
    ("MT-Bench, second turn", "takes two questions and two answers; an item here has one of each"),
    (
        "MT-Bench pairs, Arena-Hard, AlpacaEval, WildBench pairs",
        "two answers in both orders: a second wave",
    ),
    ("WildBench score, Prometheus 2", "fields beyond question, gold and response: a second wave"),
    ("PaperBench", "its prompt is built in code and read by a second model call"),
    (
        "HaluEval by completion models",
        "another ending, and documents cut to 2033 tokens; the chat prompts are pinned",
    ),
    (
        "inspect_ai's four earlier readings",
        "the text is the same; the files that hold those readings are not pinned",
    ),
)
"""What is not pinned, and why."""

_FILLS = (
    ("`format`", "`{}` in the order of the fields, as `str.format` does"),
    ("`named`, `upper`", "`{name}`, `{NAME}`, as `str.format` does"),
    (
        "`angle`, `dollar`",
        (
            "`<<name>>`, `{$name}`, as the upstream's chained `replace` does; an item with a value"
            " that holds the mark of a later field is refused, since the upstream would fill it"
        ),
    ),
    ("`concat`", "text and values joined, as `+` does"),
    ("`jinja`", "this project's own rubrics: text, fields, conditions, five filters"),
)
_MORE = (
    ("How values enter a text", ("fill", "how"), _FILLS),
    ("What is left out", ("not pinned", "why"), LEFT_OUT),
)
_HEAD = """\
# The pinned rubrics

Written by `judge templates list --markdown`; a test holds this page to the packs.

A pack in `templates/` holds hashes, slices and facts, never somebody's text.
`judge templates fetch NAME` brings the texts from the files named here, at pinned commits;
`judge templates add NAME --from FILE` takes them from a file of yours. `judge templates show NAME`
says the rest: routes, fields, settings, what each text is made of.
"""
_COLUMNS = ("rubric", "licence", "labels", "text from", "judges", "its own parser")
_PINNED = ("rubric", "pin", "fill", "readings (strict, upstream)", "to know")
_AFTER = """\
*Labels*: the one in bold counts as correct. *Its own parser*: how the authors' code reads a reply,
then what it gets wrong. Here that reading is computed on every reply and counted in `show`; the
strict reading decides.
"""


def page(sheets: tuple[Sheet, ...]) -> str:
    """Return the page: the table of all packs, what each names, and what is left out."""
    rows = [_COLUMNS, tuple("---" for _ in _COLUMNS), *(_row(sheet) for sheet in sheets)]
    names = [_PINNED, ("---",) * len(_PINNED), *(_names(sheet) for sheet in sheets)]
    parts = [_HEAD, _table(rows), _AFTER, _table(names)]
    for title, head, known in _MORE:
        parts += [f"## {title}\n", _table([head, ("---", "---"), *known])]
    return "\n".join(parts)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(_cell(cell) for cell in row)} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _row(sheet: Sheet) -> tuple[str, ...]:
    source = sheet.source
    where = f"`{source.repository}` `{source.path}` at `{source.commit[:12]}`" if source else "here"
    where += "".join(f", `{more.path}` at `{more.commit[:12]}`" for more in sheet.more_sources)
    parser = f"{sheet.parser.rule}. {_first_up(sheet.parser.faults)}" if sheet.parser else "-"
    return (
        f"`{sheet.name}`",
        source.licence if source else "this project's",
        f"{sheet.kind}: {_labels(sheet)}",
        where,
        ", ".join(f"`{name}`" for name in sheet.judges) or "none published",
        parser,
    )


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _labels(sheet: Sheet) -> str:
    if sheet.kind == "graded":
        return f"{sheet.labels[0]} … {sheet.labels[-1]}"
    return ", ".join(f"**{x}**" if x == sheet.accept else x for x in sheet.labels)


def _names(sheet: Sheet) -> tuple[str, ...]:
    readings = sheet.readings
    read = f"`{readings.strict}`, `{readings.upstream}`" if readings else "-"
    values = f", values `{sheet.values}`" if sheet.values != "as-is" else ""
    system = ", system message" if any(t.system_sha256 for t in sheet.templates) else ""
    fill = f"`{sheet.fill}`{values}{system}"
    note = _first_up(sheet.note or "-")
    return f"`{sheet.name}`", f"`{(sheet.pin or '')[:12]}`", fill, read, note
