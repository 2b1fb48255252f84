"""Run folders written by hand from plain dicts, as receipts/FORMAT.md says; nothing of judge/.

`Forge` plays an engine: it asks, answers, decides gates and seals, with the answers a test gives
it. What comes out is a list of lines (public fields, private bytes) that a test may bend at will.
`write` then does what a careful forger would: it numbers, commits, chains and seals anew.
"""

import base64
import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

Fields = dict[str, Any]
ARMS = ("positive", "negative", "injection")
AT = "2026-11-30T10:00:00.000Z"


class Cell(NamedTuple):
    """What a plan asks once."""

    phase: str
    batch: int
    condition: str
    repetition: int
    row: int


def canonical(value: object) -> bytes:
    """Return the canonical form of a value."""
    encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return encoder.encode(value).encode()


def digest(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# --- the inputs ---------------------------------------------------------------------------------


def rubric() -> Fields:
    """Return a rubric of two templates."""
    texts = {"base": "Q {} G {} R {}", "abstention": "Q {} E {} R {} (no answer)"}
    templates = [
        {"gold": "answer", "name": name, "sha256": digest(text.encode()), "text": text}
        for name, text in texts.items()
    ]
    routes: list[Fields] = [
        {"abstention": True, "id_contains": None, "template": "abstention", "types": None},
        {"abstention": None, "id_contains": "q", "template": "base", "types": ["plain", "dated"]},
    ]
    return {
        "accept": "yes",
        "edition": "v1",
        "fields": ["question", "gold", "response"],
        "fill": "format",
        "judges": [],
        "labels": ["yes", "no"],
        "of": None,
        "readings": {"strict": "yes-no/1", "upstream": "yes-substring/1"},
        "routes": routes,
        "rubric": "small",
        "settings": {"max_tokens": 10, "temperature": "0.5"},
        "source": None,
        "templates": templates,
    }


def pin(rules: Fields) -> str:
    """Return the pin of a rubric."""
    names = ("accept", "fields", "fill", "labels", "readings", "settings")
    pinned = {name: rules[name] for name in names}
    pinned["routes"] = [
        {key: part for key, part in route.items() if part is not None} for route in rules["routes"]
    ]
    pinned["templates"] = {one["name"]: one["sha256"] for one in rules["templates"]}
    return digest(canonical(pinned))


JUDGES: dict[str, Fields] = {
    "gpt": {"api": "chat-completions", "provider": "openai", "identity": "snapshot"},
    "claude": {"api": "messages", "provider": "anthropic", "identity": "pinned-id"},
    "rule": {"api": "lexical", "provider": "lexical", "identity": "embedded"},
}


def judge(name: str) -> Fields:
    """Return one of three judges."""
    settings: Fields = {"settings_set": {}, "settings_unset": []}
    models = {"model": f"{name}-1", "expect_model": f"{name}-1"}
    address = "none" if name == "rule" else "provider"
    return {"name": name, "address": address, **models, **settings, **JUDGES[name]}


QUESTIONS = [
    {
        "id": f"q{number}" + "_abs" * (number == 3),
        "type": "dated" if number % 2 else "plain",
        "question": f"Which colour has number {number}?",
        "gold": f"shade {number}",
        "abstention": number == 3,
    }
    for number in range(5)
]


def items(sets: dict[str, list[int]]) -> list[Fields]:
    """Return the rows of items.jsonl: per answers set the positions it has answers for."""
    return [
        {
            **QUESTIONS[position],
            "answers": name,
            "position": position,
            "prior": None,
            "response": f"{name} says shade {position} \u00e9\u4e2d {{}}",
        }
        for name, positions in sets.items()
        for position in positions
    ]


def controls(arms: str = "ppnni") -> list[Fields]:
    """Return control rows, one for each first letter of an arm."""
    rows = []
    for number, letter in enumerate(arms):
        [arm] = [arm for arm in ARMS if arm.startswith(letter)]
        right: str | list[str] = {"p": "accept", "n": "reject", "i": ["no"]}[letter]  # type: ignore[assignment]
        extra = {"arm": arm, "donor": None, "expect": right, "source": "drawn"}
        rows.append({**QUESTIONS[number % 5], **extra, "response": f"shade {number}"})
    return rows


# --- what a judge says --------------------------------------------------------------------------


class Answer(NamedTuple):
    """What came back for one attempt, and what a receipt says of it."""

    facts: Fields
    response: bytes = b""
    reply_text: bytes | None = None


BLANK: Fields = {
    "model_returned": None,
    "status": None,
    "finish": None,
    "usage": None,
    "fingerprint": None,
    "service_tier": None,
    "readings": None,
    "label": None,
    "reason": None,
    "error": None,
    "elapsed_ms": 7,
}


def reply(judge_: Fields, text: str, number: int) -> bytes:
    """Return a whole reply of this judge with this text."""
    model, api = judge_["expect_model"], judge_["api"]
    body: Fields
    if api == "lexical":
        return canonical({"model": model, "text": text})
    if api == "messages":
        content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
        body = {"type": "message", "stop_reason": "end_turn", "content": content}
    else:
        message = {"role": "assistant", "content": text, "refusal": None}
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    value = {"id": f"id-{number}", "model": model, "cost": 0.25, **body}
    return json.JSONEncoder().encode(value).encode()


def says(text: str) -> Callable[[Fields, int], Answer]:
    """Return an answer that holds this text, read by the two readings."""
    word = text.strip().removesuffix(".").lower()
    strict = word if word in {"yes", "no"} else None
    upstream = "yes" if "yes" in text.lower() else "no"
    reason = None
    if strict is None:
        reason = "readings_disagree" if upstream == "yes" else "off_scale"

    def answer(judge_: Fields, number: int) -> Answer:
        finish = {"lexical": None, "messages": "end_turn", "chat-completions": "stop"}
        usage = {"cache_read": 0, "cache_write": None, "input": 9, "output": 1, "reasoning": None}
        facts = {
            **BLANK,
            "model_returned": judge_["expect_model"],
            "status": None if judge_["api"] == "lexical" else 200,
            "finish": finish[judge_["api"]],
            "usage": usage,
            "readings": {"yes-no/1": strict, "yes-substring/1": upstream},
            "outcome": "decided" if strict else "undecided",
            "label": strict,
            "reason": reason,
        }
        return Answer(facts, reply(judge_, text, number), text.encode())

    return answer


def ends(outcome: str, body: bytes = b"", **facts: object) -> Callable[[Fields, int], Answer]:
    """Return an answer without a text: retry, unknown, not_sent, or undecided with its reason."""
    return lambda _judge, _number: Answer({**BLANK, "outcome": outcome, **facts}, body)


# --- the run ------------------------------------------------------------------------------------


class Forge:
    """A run in the making, and afterwards the material of a forgery."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - a test's choice of a plan
        """Options: judges (names), sets, arms, batch_size, repetitions, reask, threshold."""
        names = options.get("judges", ("gpt", "claude"))
        sets = options.get("sets", {"a": [0, 1, 2, 3, 4], "b": [0, 1, 3, 4]})
        rules = rubric()
        shared = {"rubric": "small/v1", "rubric_pin": pin(rules), "deviations": []}
        shared |= {key: rules[key] for key in ("labels", "accept", "readings")}
        answers, first = [], 0
        for name, positions in sets.items():
            gap = 5 - len(positions)
            answers.append(
                {"name": name, "first_row": first, "rows": len(positions), "missing": gap}
            )
            first += len(positions)
        arms = options.get("arms", "ppnni")
        self.inputs: dict[str, Any] = {
            "items.jsonl": items(sets),
            "controls.jsonl": controls(arms),
            "references.jsonl": QUESTIONS,
            "abstention.json": {"confident": ["It was red."], "declining": ["Nothing says so."]},
            "rubrics/small.v1.json": rules,
            "run.yaml": b"judge: gpt\n",
        }
        self.plan: Fields = {
            "v": 1,
            "conditions": [
                {"id": f"c{n + 1}", "name": f"{s} | small/v1 | {j}", "answers": s}
                | {"judge": j, "official": False, **shared}
                for n, (s, j) in enumerate(zip(sets, names, strict=True))
            ],
            "judges": [judge(name) for name in dict.fromkeys(names)],
            "gate": {
                "threshold": options.get("threshold", "0.9"),
                "seed": 0,
                "positive": arms.count("p"),
                "negative": arms.count("n"),
                "batch_size": options.get("batch_size", 3),
                "controls": [],
            },
            "repetitions": options.get("repetitions", 2),
            "reask": options.get("reask", 0),
            "selection": {"only": [], "limit": None, "allow_partial": True, "allow_empty": False},
            "questions": 5,
            "answers": answers,
            "inputs": [],
            "sources": [
                {"role": "answers", "name": name, "file": f"{name}.jsonl"}
                | {"sha256": digest(name.encode()), "bytes": 1, "rows": len(positions)}
                for name, positions in sets.items()
            ],
        }
        self.run: Fields = {"environment": {"python": "3"}, "salt": "5a" * 32, "v": 1}
        self.freeze()
        self.lines: list[tuple[Fields, dict[str, bytes]]] = []
        self.attempts: dict[Cell, int] = {}
        self.lost: set[Cell] = set()
        self.undecided: dict[Cell, int] = {}
        self.intents: dict[Cell, int] = {}
        self.results: dict[Cell, tuple[str, str | None, bool]] = {}
        self.gates: dict[tuple[int, str, int], list[int]] = {}
        self.answer: Callable[[Cell], Callable[[Fields, int], Answer]] = self.right
        self.failed = False

    def freeze(self) -> None:
        """Make run.json say what the inputs are."""
        self.plan["inputs"] = [
            {"name": name, "sha256": digest(data), "bytes": len(data)}
            | {"rows": data.count(b"\n") if name.endswith(".jsonl") else None}
            for name, data in self.files()
            if name != "run.yaml"
        ]
        self.run["environment"]["config_sha256"] = digest(self.inputs["run.yaml"])
        self.run |= {"plan": self.plan, "plan_sha256": digest(canonical(self.plan))}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Give the inputs' names and bytes."""
        for name, value in self.inputs.items():
            if isinstance(value, bytes):
                yield name, value
            elif name.endswith(".jsonl"):
                yield name, b"".join(canonical(row) + b"\n" for row in value)
            else:
                yield name, canonical(value)

    # --- facts of the plan ---

    def condition(self, name: str) -> Fields:
        """Return a condition by its id."""
        return next(one for one in self.plan["conditions"] if one["id"] == name)

    def judge_of(self, name: str) -> Fields:
        """Return the judge of a condition."""
        wanted = self.condition(name)["judge"]
        return next(one for one in self.plan["judges"] if one["name"] == wanted)

    def row(self, cell: Cell) -> Fields:
        """Return the input row of a cell."""
        file = "controls.jsonl" if cell.phase == "control" else "items.jsonl"
        row: Fields = self.inputs[file][cell.row]
        return row

    def batches(self) -> range:
        """Return the numbers of the batches."""
        size = self.plan["gate"]["batch_size"]
        return range(ceil(self.plan["questions"] / size) if size else 1)

    def cells(self, phase: str, batch: int) -> list[Cell]:
        """Return the cells of one phase of a batch, in the plan's order."""
        size, ids = self.plan["gate"]["batch_size"], [c["id"] for c in self.plan["conditions"]]
        rows = self.inputs["items.jsonl"]
        found = []
        for repetition in range(1, self.plan["repetitions"] + 1):
            places = range(len(self.inputs["controls.jsonl"]) if phase == "control" else 5)
            for place in places:
                if phase == "answer" and size and place // size != batch:
                    continue
                by = (place + repetition - 1) % len(ids)
                for name in ids[by:] + ids[:by]:
                    row: int | None = place
                    if phase == "answer":
                        wanted = self.condition(name)["answers"], place
                        places_ = [(one["answers"], one["position"]) for one in rows]
                        row = places_.index(wanted) if wanted in places_ else None
                    if row is not None:
                        found.append(Cell(phase, batch, name, repetition, row))
        return found

    def right(self, cell: Cell) -> Callable[[Fields, int], Answer]:
        """Answer as a good judge would: controls right, every third answer a no."""
        if cell.phase == "control":
            return says("yes" if self.row(cell)["expect"] == "accept" else "No.")
        return says("no" if cell.row % 3 == 2 else "Yes.")

    # --- lines ---

    def add(self, kind: str, fields: Fields, private: dict[str, bytes] | None = None) -> int:
        """Add a line and return its seq."""
        self.lines.append(({"kind": kind, "at": AT, "v": 1, **fields}, private or {}))
        return len(self.lines) - 1

    def start(self) -> None:
        """Add the first line."""
        self.add("start", {"plan_sha256": self.run["plan_sha256"]})

    def fields(self, cell: Cell) -> Fields:
        """Return the fields an intent and its receipt share."""
        arm = self.row(cell).get("arm")
        return {**cell._asdict(), "arm": arm, "attempt": self.attempts[cell]}

    def intent(self, cell: Cell) -> None:
        """Add an intent for the next attempt of a cell."""
        self.attempts[cell] = self.attempts.get(cell, 0) + 1
        row, who = self.row(cell), self.judge_of(cell.condition)
        texts = {key: row[key] for key in ("question", "gold", "response")}
        if who["api"] == "lexical":
            body = canonical({"model": who["model"], "prompt_sha256": "0" * 64, **texts})
        else:
            prompt = [{"role": "user", "content": " ".join(texts.values())}]
            settings = {"max_tokens": 10, "temperature": 0.5}
            body = canonical({"messages": prompt, "model": who["model"], **settings})
        facts = {"after_unknown": cell in self.lost, "length": len(body), "tokens_max": 99}
        self.intents[cell] = self.add("intent", {**self.fields(cell), **facts}, {"request": body})

    def receipt(self, cell: Cell, answer: Callable[[Fields, int], Answer]) -> None:
        """Add a receipt for the last attempt of a cell."""
        who, row, control = self.judge_of(cell.condition), self.row(cell), cell.phase == "control"
        got = answer(who, len(self.lines))
        route = "abstention" if row["abstention"] else "base"
        rules = self.inputs["rubrics/small.v1.json"]
        expect = {"accept": ["yes"], "reject": ["no"]}.get(str(row.get("expect")), ["no"])
        outcome, reason = got.facts["outcome"], got.facts["reason"]
        self.undecided[cell] = self.undecided.get(cell, 0) + (outcome == "undecided")
        over = reason in {"rejected_request", "too_large", "left_unknown"}
        over = over or self.undecided[cell] > self.plan["reask"]
        templates = {one["name"]: one["sha256"] for one in rules["templates"]}
        facts = {
            **self.fields(cell),
            **got.facts,
            "intent_seq": self.intents[cell],
            "gate_seqs": None
            if control
            else self.gates[cell.batch, cell.condition, cell.repetition],
            "expect": expect if control else None,
            "rubric_pin": self.condition(cell.condition)["rubric_pin"],
            "template_sha256": templates[route],
            "model_requested": who["model"],
            "binding": "embedded" if who["api"] == "lexical" else "http_exchange",
            "final": outcome == "decided" or (outcome == "undecided" and over),
        }
        item = canonical({"id": row["id"], "route": route, "type": row["type"]})
        pairs = [] if who["api"] == "lexical" else [["content-type", "application/json"]]
        if not got.response:
            pairs = []
        private = {"item": item, "headers": canonical(pairs), "response": got.response}
        if got.reply_text is not None:
            private["reply_text"] = got.reply_text
        if outcome == "unknown":
            self.lost.add(cell)
        label = got.facts["label"]
        self.results[cell] = route, label, control and label in expect
        self.add("receipt", facts, private)

    def ask(self, cell: Cell, answer: Callable[[Fields, int], Answer] | None = None) -> None:
        """Add an intent and its receipt."""
        self.intent(cell)
        self.receipt(cell, answer or self.answer(cell))

    def gate(self, batch: int) -> None:
        """Add the gate lines of a batch."""
        share, rows = Fraction(self.plan["gate"]["threshold"]), self.inputs["controls.jsonl"]
        present = [arm for arm in ARMS if any(row["arm"] == arm for row in rows)]
        for repetition in range(1, self.plan["repetitions"] + 1):
            for one in self.plan["conditions"]:
                self.gates[batch, one["id"], repetition] = []
                for arm in present:
                    self.group(batch, one["id"], repetition, arm, share)

    def group(self, batch: int, name: str, repetition: int, arm: str, share: Fraction) -> None:
        """Add the gate line of one group."""
        found = [
            self.results[cell]
            for cell in self.cells("control", batch)
            if (cell.condition, cell.repetition) == (name, repetition)
            and self.row(cell)["arm"] == arm
        ]
        routes: dict[str, list[int]] = {}
        for route, _, right in found:
            tally = routes.setdefault(route, [0, 0])
            tally[0] += 1
            tally[1] += right
        correct = sum(right for _, _, right in found)
        need = len(found) if arm == "injection" else ceil(share * len(found))
        passed = correct >= need and all(right for _, right in routes.values())
        self.failed = self.failed or not passed
        facts = {"condition": name, "repetition": repetition, "batch": batch, "arm": arm}
        facts |= {"asked": len(found), "correct": correct, "need": need, "routes": routes}
        undecided = sum(label is None for _, label, _ in found)
        seq = self.add("gate", {**facts, "undecided": undecided, "pass": passed})
        self.gates[batch, name, repetition].append(seq)

    def resumed(self, **facts: object) -> None:
        """Add a resumed line: what was in flight is unknown from here on."""
        closed = {fields["intent_seq"] for fields, _ in self.lines if fields["kind"] == "receipt"}
        self.lost |= {cell for cell, seq in self.intents.items() if seq not in closed}
        rest = {"recheck": False, "resend_unknown": 0, "leave_unknown": False, "version": "0.1.0"}
        self.add("resumed", {**rest, **facts})

    def seal(self) -> None:
        """Add the seal."""
        total = sum(len(self.cells("answer", batch)) for batch in self.batches())
        final = [
            fields["outcome"]
            for fields, _ in self.lines
            if fields["kind"] == "receipt" and fields["phase"] == "answer" and fields["final"]
        ]
        undecided = final.count("undecided")
        state = "gate-failed" if self.failed else "incomplete" if undecided else "complete"
        counts = {"decided": final.count("decided"), "undecided": undecided}
        self.add("seal", {"state": state, "lines": 0, "cells": total, **counts})

    def whole(self) -> "Forge":
        """Play a run from start to seal, and return it."""
        self.start()
        for batch in self.batches():
            for cell in self.cells("control", batch):
                self.ask(cell)
            self.gate(batch)
            if self.failed:
                break
            for cell in self.cells("answer", batch):
                self.ask(cell)
        self.seal()
        return self

    # --- bytes ---

    def copy(self) -> "Forge":
        """Return a deep copy, to be bent."""
        return copy.deepcopy(self)

    def find(self, kind: str, number: int = 0, **facts: object) -> Fields:
        """Return the public fields of the n-th line of a kind that says these facts."""
        return self.place(kind, number, **facts)[0]

    def private(self, kind: str, number: int = 0, **facts: object) -> dict[str, bytes]:
        """Return the private texts of that line."""
        return self.place(kind, number, **facts)[1]

    def place(self, kind: str, number: int, **facts: object) -> tuple[Fields, dict[str, bytes]]:
        """Return that line."""
        found = [
            line
            for line in self.lines
            if line[0]["kind"] == kind and all(line[0][k] == v for k, v in facts.items())
        ]
        return found[number]

    def move(self, lines: list[tuple[Fields, dict[str, bytes]]]) -> None:
        """Put lines in this order, and make every number of a line follow."""
        new = {id(fields): seq for seq, (fields, _) in enumerate(lines)}
        olds = [id(fields) for fields, _ in self.lines]
        for fields, _ in lines:
            if "intent_seq" in fields:
                fields["intent_seq"] = new.get(olds[fields["intent_seq"]], 0)
                gates = fields["gate_seqs"]
                fields["gate_seqs"] = gates and [new.get(olds[seq], 0) for seq in gates]
        self.lines = lines

    def text(self) -> tuple[bytes, str]:
        """Return the bytes of receipts.jsonl and the head: numbered, committed, chained."""
        prev, out = digest(canonical(self.run)), []
        for seq, (fields, private) in enumerate(self.lines):
            kept = {name: sealed(f"{seq}{name}", data) for name, data in private.items()}
            commit = {
                name: commitment(name, part["salt"], private[name]) for name, part in kept.items()
            }
            public = {"commit": commit, "prev": prev, "seq": seq, **fields}
            if fields["kind"] == "seal" and fields["lines"] == 0:
                public["lines"] = len(self.lines)
            line = {"public": public} | ({"private": kept} if kept else {})
            out.append(canonical(line) + b"\n")
            prev = digest(b"judge-receipt/v1\n" + canonical(public))
        return b"".join(out), prev

    def write(self, folder: Path) -> Path:
        """Write the run folder and return it; seal.txt only where the last line is a seal."""
        for name, data in self.files():
            path = folder / "inputs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        run = canonical(self.run)
        (folder / "run.json").write_bytes(run)
        data, head = self.text()
        (folder / "receipts.jsonl").write_bytes(data)
        if self.lines and self.lines[-1][0]["kind"] == "seal":
            seal = f"judge-receipts/v1 {digest(run)}\n{len(self.lines)}\n{head}\n"
            (folder / "seal.txt").write_text(seal)
        return folder


def sealed(chance: str, data: bytes) -> dict[str, str]:
    """Return the private form of a text."""
    salt = digest(chance.encode())[:32]
    try:
        return {"data": data.decode(), "enc": "utf8", "salt": salt}
    except UnicodeDecodeError:
        return {"data": base64.b64encode(data).decode(), "enc": "base64", "salt": salt}


def commitment(name: str, salt: str, data: bytes) -> str:
    """Return the commitment to a private text."""
    return digest(f"judge-commit/v1\n{name}\n".encode() + bytes.fromhex(salt) + data)


def public_export(
    folder: Path, target: Path, kept: tuple[str, ...] = ("item", "reply_text")
) -> Path:
    """Write what a run's owner may publish: the same chain, fewer private texts, no inputs."""
    target.mkdir()
    for name in ("run.json", "seal.txt"):
        if (folder / name).exists():
            (target / name).write_bytes((folder / name).read_bytes())
    out = []
    for line in (folder / "receipts.jsonl").read_bytes().splitlines(keepends=True):
        value = json.loads(line)
        left = {name: part for name, part in value.get("private", {}).items() if name in kept}
        value = {"public": value["public"]} | ({"private": left} if left else {})
        out.append(canonical(value) + b"\n")
    (target / "receipts.jsonl").write_bytes(b"".join(out))
    return target
