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


PUBLISHED = """
import json
import sys

import backoff
from openai import OpenAI

JUDGES = {{
    "local": ("meta-llama/Meta-Llama-3.1-70B-Instruct", "local"),
    "mini": ("gpt-4o-mini-2024-07-18", "openai"),
    "large": ("gpt-4o-2024-08-06", "openai"),
}}


@backoff.on_exception(backoff.expo, (OSError,))
def ask(client, **kwargs):
    return client.chat.completions.create(**kwargs)


def get_anscheck_prompt(task, question, answer, response, abstention=False):
    if not abstention:
        if task in ["single-session-user", "single-session-assistant", "multi-session"]:
            template = {base!r}
            prompt = template.format(question, answer, response)
        elif task == "temporal-reasoning":
            template = {temporal!r}
            prompt = template.format(question, answer, response)
        elif task == "knowledge-update":
            template = {update!r}
            prompt = template.format(question, answer, response)
        elif task == "single-session-preference":
            template = {preference!r}
            prompt = template.format(question, answer, response)
        else:
            raise NotImplementedError
    else:
        template = {abstention!r}
        prompt = template.format(question, answer, response)
    return prompt


if __name__ == "__main__":
    judge, answers, references = sys.argv[1:4]
    model, where = JUDGES[judge]
    client = OpenAI()
    rows = [json.loads(line) for line in open(answers)]
    known = {{row["question_id"]: row for row in json.load(open(references))}}
    types = {{row["question_id"]: row["question_type"] for row in json.load(open(references))}}
    judged = []
    for entry in rows:
        if entry["question_id"] not in known:
            print("no reference:", entry["question_id"])
            continue
        task = types[entry["question_id"]]
        question = known[entry["question_id"]]["question"]
        answer = known[entry["question_id"]]["answer"]
        hyp = entry["hypothesis"]
        flag = "_abs" in entry["question_id"]
        prompt = get_anscheck_prompt(task, question, answer, hyp, abstention=flag)
        kwargs = {{
            "model": model,
            "messages": [{{"role": "user", "content": prompt}}],
            "n": 1,
            "temperature": 0,
            "max_tokens": 10,
        }}
        completion = ask(client, **kwargs)
        response = completion.choices[0].message.content.strip()
        label = "yes" in response.lower()
        entry["autoeval_label"] = {{"model": model, "label": label}}
        judged.append(entry)
        print(json.dumps(entry))
    print(sum(row["autoeval_label"]["label"] for row in judged) / len(judged))
"""


def published(folder: Path, *edits: tuple[str, str]) -> Path:
    """Write a program with the structure of the published script, each edit made once."""
    texts = upstream_texts()
    code = PUBLISHED.format(
        base=texts["base"],
        temporal=texts["temporal-reasoning"],
        update=texts["knowledge-update"],
        preference=texts["single-session-preference"],
        abstention=texts["abstention"],
    )
    for old, new in edits:
        assert old in code, old
        code = code.replace(old, new, 1)
    path = folder / "evaluate_qa.py"
    path.write_text(code, encoding="utf-8")
    return path
