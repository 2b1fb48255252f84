"""Evaluate scripts in the manner of public variants, built from the upstream texts of ../shared."""

from pathlib import Path

from packfolder import upstream_texts

ROUTES = """
def prompt(task, question, answer, response, qid):
    if {test}:
        template = TEXTS["abstention"]
    elif task in ["single-session-user", "single-session-assistant", "multi-session"]:
        template = TEXTS["base"]
    elif task == "temporal-reasoning":
        template = TEXTS["temporal-reasoning"]
    elif task == "knowledge-update":
        template = TEXTS["knowledge-update"]
    elif task == "single-session-preference":
        template = TEXTS["single-session-preference"]
    else:
        raise NotImplementedError
    return template.format(question, answer, response)


def judge(client, text):
    completion = client.chat.completions.create(
        model={model!r}, messages=[{{"role": "user", "content": text}}], {settings}
    )
    reply = completion.choices[0].message.content.strip()
    return {parser}


def run(client, rows):
    return [
        judge(client, prompt(row.task, row.question, row.answer, row.response, row.id))
        for row in rows
    ]
"""
UPSTREAM = {
    "test": "'_abs' in qid",
    "model": "gpt-4o-2024-08-06",
    "settings": "n=1, temperature=0, max_tokens=10",
    "parser": "'yes' in reply.lower()",
}


def script(folder: Path, texts: dict[str, str] | None = None, /, **changes: str) -> Path:
    """Write a script of the upstream's shape; `texts` replace its own, `changes` its code."""
    own = {**upstream_texts(), **(texts or {})}
    lines = "".join(f"    {name!r}: {text!r},\n" for name, text in own.items() if text)
    path = folder / "evaluate.py"
    code = ROUTES.format(**{**UPSTREAM, **changes})
    path.write_text(f"TEXTS = {{\n{lines}}}\n{code}", encoding="utf-8")
    return path


def library(folder: Path) -> None:
    """Bring LongMemEval's five texts into the store."""
    from judge import packs  # noqa: PLC0415 - the store's folder is set by the test first

    packs.add("longmemeval/upstream", script(folder))
