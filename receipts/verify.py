"""Prove a run folder from its bytes alone: one file, the standard library, nothing of judge/.

    python verify.py RUN [--public] [--expect-head HEAD]

It follows FORMAT.md step by step: (1) run.json, (2) inputs/, (3) each line's bytes, chain and
commitments, (4) the rules of its kind, (5) the seal. Exit 0 proved, 4 open (sound so far, not
sealed), 6 wrong (one sentence and its place), 2 usage. Memory grows with cells, not with receipts.
"""

import argparse
import base64
import datetime as dt
import hashlib
import json
import re
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Json = Any
ARMS = ("positive", "negative", "injection")
CELL = ("phase", "batch", "condition", "repetition", "row")
PARTS = ("conditions", "judges", "gate", "selection", "answers", "inputs", "sources")
PRIVATE = {"intent": {"request"}, "receipt": {"item", "headers", "response"}}
PINNED = ("accept", "fields", "fill", "labels", "readings", "settings")
PINNED_IF_GIVEN = {"kind", "names", "scale", "values"}
UNPINNED = {"gold", "name", "system", "text"}
CLOSING = ("rejected_request", "too_large", "left_unknown")
ERRORS: dict[str, set[Json]] = {
    "not_sent": {"dns", "connect", "tls", "deadline"},
    "unknown": {"deadline", "cut", "too_large", "protocol"},
}
NO_REPLY = ("retry", "unknown", "not_sent")
OF_REPLY = ("model_returned", "finish", "usage", "fingerprint", "service_tier")
APIS = {"openai": "chat-completions", "anthropic": "messages", "lexical": "lexical"}
DOUBTS = ("off_scale", "readings_disagree")
THOUGHTS = ["thinking", "redacted_thinking"]
UNIQUE = 16
"""Characters from which the id of a reply is taken to be given once."""
WHOLE: dict[str, list[Json]] = {
    "lexical": [None, None],
    "messages": [200, "end_turn"],
    "chat-completions": [200, "stop"],
}
"""Status and finish of a whole reply."""
WHOLE_STATUS = 200
DEEPEST, LONGEST = 100, 600
"""Of JSON: lists and objects within each other, digits of an integer."""
SHARE = re.compile(r"[01](\.[0-9]{1,9})?|[1-9][0-9]{0,5}/[1-9][0-9]{0,5}")
JSON_TYPE = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
FAULTS = (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
"""What hostile bytes can raise below; all else is a fault of this file."""

# --- names and types ----------------------------------------------------------------------------

N, T, H = "(0|[1-9][0-9]{0,15})", r'"([^"\\]|\\.)*"', '"[0-9a-f]{64}"'
TYPES = {
    "number": N,
    "numbers": rf"\[({N},?)*\]",
    "text": T,
    "texts": rf"\[({T},?)*\]",
    "short": r'"([^"\\]|\\u....|\\.){0,200}"',
    "digest": H,
    "digests": rf"\{{({T}:{H},?)*\}}",
    "labels": rf"\{{({T}:(null|{T}),?)*\}}",
    "tallies": rf"\{{({T}:\[{N},{N}\],?)*\}}",
    "bool": "(true|false)",
    "time": r'"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}\.[0-9]{3}Z"',
    "usage": r'\{("(cache_read|cache_write|input|output|reasoning)":(null|[0-9]{1,16}),?){5}\}',
}
WORDS = """
phase=control|answer arm=positive|negative|injection state=complete|incomplete|gate-failed
outcome=decided|undecided|retry|unknown|not_sent binding=http_exchange|custom_id|embedded|replay
error=dns|connect|tls|deadline|cut|too_large|protocol
reason=http_status|content_type|not_json|invalid_json|bad_shape|bad_choices|cut|refusal|empty
  |content_filter|tool_call|off_scale|readings_disagree|wrong_model|rejected_request|too_large
  |left_unknown
cause=sigint|sigterm|sighup|key|quota|model|wrong_model|redirect|rejected|server|network|tls
  |retry_after|portal|duplicate_response_id|token_cap|cost_cap
"""
for _word in WORDS.replace("\n  ", "").split():
    TYPES[_word.partition("=")[0]] = f'"({_word.partition("=")[2]})"'
LINE = "v:number seq:number prev:digest kind:text at:time commit:digests "
GROUP = LINE + "condition:text repetition:number batch:number "
ATTEMPT = GROUP + "phase:phase arm:arm? row:number attempt:number "
FIELDS = {
    "start": LINE + "plan_sha256:digest",
    "intent": ATTEMPT + "after_unknown:bool length:number tokens_max:number?",
    "receipt": ATTEMPT + "intent_seq:number gate_seqs:numbers? expect:texts? rubric_pin:digest "
    "template_sha256:digest model_requested:short model_returned:short? binding:binding "
    "status:number? finish:short? usage:usage? fingerprint:short? service_tier:short? "
    "readings:labels? outcome:outcome label:text? reason:reason? error:error? elapsed_ms:number? "
    "final:bool",
    "gate": GROUP + "arm:arm asked:number correct:number undecided:number need:number "
    "routes:tallies pass:bool",
    "resumed": LINE + "recheck:bool resend_unknown:number leave_unknown:bool version:short",
    "recovered": LINE + "discarded_bytes:number discarded_sha256:digest",
    "stopped": LINE + "cause:cause",
    "seal": LINE + "state:state lines:number cells:number decided:number undecided:number",
}


def shape(fields: str) -> re.Pattern[str]:
    """Return the pattern of a canonical object: its names in order, each with its type.

    Canonical bytes have one form, so one pattern checks a whole line; `?` after a type allows null.
    """
    parts = []
    for name, kind in (field.split(":") for field in sorted(fields.split())):
        null = "|null" if kind.endswith("?") else ""
        parts.append(f'"{name}":({TYPES[kind.removesuffix("?")]}{null})')
    return re.compile(r"\{" + ",".join(parts) + r"\}")


SHAPES = {kind: shape(fields) for kind, fields in FIELDS.items()}
NAMES = {
    "run": "environment plan plan_sha256 salt v",
    "plan": "answers conditions gate inputs judges questions reask repetitions selection sources v",
    "conditions": "accept answers deviations id judge labels name official readings rubric "
    "rubric_pin",
    "judges": "address api expect_model identity model name provider settings_set settings_unset",
    "gate": "batch_size controls negative positive seed threshold",
    "selection": "allow_empty allow_partial limit only",
    "answers": "first_row missing name rows",
    "inputs": "bytes name rows sha256",
    "sources": "bytes file name role rows sha256",
    "items.jsonl": "abstention answers gold id position prior question response type",
    "controls.jsonl": "abstention arm donor expect gold id question response source type",
    "references.jsonl": "abstention gold id question type",
    "abstention.json": "confident declining",
    "rubric": "accept edition fields fill judges labels of readings routes rubric settings source "
    "templates",
    "item": "id route type",
}

MAY_BE_THERE = {
    "rubric": {"gate", "more_sources"} | PINNED_IF_GIVEN,
    "plan": {"extract", "study"},
    "items.jsonl": {"saved"},
}

# --- bytes --------------------------------------------------------------------------------------

ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
# What has no canonical form comes out of this changed, or not at all: encoding it again tells.
DECODE = json.JSONDecoder(
    object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else {},
    parse_constant=int,
    parse_float=str,
    parse_int=lambda digits: int(digits) if abs(int(digits)) < 2**53 else digits,
).decode


def need(ok: object, what: str) -> None:
    """Refuse the run, in this sentence, unless it is so."""
    if not ok:
        raise ValueError(what)


def plain(path: Path) -> Path:
    """Return the path of a plain file; opening a pipe would wait for ever."""
    need(path.is_file(), "this is not a plain file")
    return path


def same(found: Json, **facts: Json) -> None:
    """Refuse what was found unless it says what was worked out."""
    wrong = [name for name, fact in facts.items() if found[name] != fact]
    need(not wrong, f"{', '.join(wrong)}: not what follows from the rest of the run")


def sha(data: bytes | str) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def named(part: str, value: Json) -> None:
    """Refuse a part of the plan or the inputs that has a name too many or too few."""
    for one in value if isinstance(value, list) else [value]:
        found = sorted(one.keys() - MAY_BE_THERE.get(part, set()))
        need(found == NAMES[part].split(), f"these are not the names of {part} in format 1")


def parse(data: bytes) -> Json:
    """Return the value whose canonical form is exactly these bytes."""
    value = DECODE(data.decode())
    need(ENCODE(value).encode() == data, "the bytes are not canonical JSON")
    return value


def opened(name: str, part: Json, commitment: str) -> bytes:
    """Return the bytes of a private text in its one encoding, held against its commitment."""
    enc, salt, text = part["enc"], part["salt"], part["data"].encode()
    data: bytes = text if enc == "utf8" else base64.b64decode(text, validate=True)
    utf8 = data.decode(errors="ignore").encode() == data
    form = ["utf8", data] if utf8 else ["base64", base64.b64encode(data)]
    known = part.keys() == {"data", "enc", "salt"} and re.fullmatch("[0-9a-f]{32}", salt)
    need(known and form == [enc, text], f"private {name} has another form than its bytes")
    salted = f"judge-commit/v1\n{name}\n".encode() + bytes.fromhex(salt) + data
    need(sha(salted) == commitment, f"private {name} is not what the line commits to")
    return data


def loads(text: str, *, strict: bool) -> Json:
    """Return the value of a JSON text at most 100 deep; strict: no key twice, no NaN."""
    depth = deepest = 0
    for sign in re.findall(r'"(?:[^"\\]+|\\.)*"?|[][{}]', text, re.DOTALL):
        depth += (sign in "[{") - (sign in "]}")
        deepest = max(deepest, depth)

    def pairs(parts: list[tuple[str, Json]]) -> Json:
        need(not strict or len(dict(parts)) == len(parts), "a key stands twice")
        return dict(parts)

    def number(digits: str) -> int:
        need(len(digits) <= LONGEST, "a number is too long")
        return int(digits)

    def constant(name: str) -> float:
        need(not strict, "this is not JSON")
        return float(name)

    need(deepest <= DEEPEST, "too deep")
    return json.loads(text, object_pairs_hook=pairs, parse_int=number, parse_constant=constant)


def answered(body: bytes) -> Json:
    """Return the object a raw reply is, {} where it is none, names an error or no model."""
    try:
        reply = loads(body.decode(), strict=True)
    except ValueError:
        return {}
    sound = isinstance(reply, dict) and reply.get("error") is None
    return reply if sound and isinstance(reply.get("model"), str) else {}


def foreign(value: Json) -> str | None:
    """Return text a server chose as a public line shows it."""
    return value.encode(errors="backslashreplace").decode()[:200] if type(value) is str else None


def said(api: str, reply: Json) -> list[Json]:
    """Return finish and text of a reply, null where it is not exactly one text."""
    try:
        if api == "lexical":
            return [None, reply["text"]]
        if api == "messages":
            *thoughts, last = [(part["type"], part) for part in reply["content"]]
            plain = reply["type"] == "message" and last[0] == "text"
            plain = plain and all(kind in THOUGHTS for kind, _ in thoughts)
            return [reply["stop_reason"], last[1].get("text") if plain else None]
        [choice] = reply["choices"]
        message = choice["message"]
        extra = [message.get(name) for name in ("refusal", "tool_calls", "function_call")]
        # 0.0 and false are 0 to Python, and no index.
        plain = type(choice["index"]) is int and choice["index"] == 0 and not any(extra)
        return [choice["finish_reason"], message["content"] if plain else None]
    except FAULTS:
        return [None, None]


def readable(text: Json) -> bool:
    """Say whether this is a text with words, each of which has bytes."""
    return isinstance(text, str) and text.strip() != "" and not re.search("[\ud800-\udfff]", text)


def typed(headers: Json) -> bool:
    """Say whether the headers announce JSON, and no coding."""
    kinds = [value.strip() for name, value in headers if name == "content-type"]
    codings = {value.strip().lower() for name, value in headers if name == "content-encoding"}
    return len(kinds) == 1 and bool(JSON_TYPE.fullmatch(kinds[0])) and codings <= {"identity"}


# --- readings -----------------------------------------------------------------------------------

YES_NO, MARKS = ("yes", "no"), ("CORRECT", "WRONG")
LETTERS = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}
RATINGS = [str(number) for number in range(1, 11)]
GAP = r"[\s\u200b-\u200f\u2060\u2063\ufeff]*"
GRADE = re.compile(rf"(?i)(?<!\w)grade(?!\w)(?={GAP}:{GAP}(\w*))")
ENDING = re.compile(r"(\*{0,3})GRADE: ?([CPI])\.?\1")
VERDICT = re.compile("correct: (yes|no)")


def bare(text: str) -> str:
    """Return a text without the space around it and one full stop at its end."""
    return text.strip().removesuffix(".")


def one_of(labels: Json, found: Json) -> str | None:
    """Return what was found when it is a label."""
    return found if isinstance(found, str) and found in labels else None


def correct_line(text: str) -> str | None:
    """Return the verdict of the only line that begins with `correct:`."""
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line.lower().startswith("correct:")]
    found = VERDICT.fullmatch(told[0].removesuffix(".")) if len(told) == 1 else None
    return found[1] if found else None


def halueval(text: str) -> str | None:
    """Return the one of Yes and No that stands in the text, full stops left out."""
    found = [label for label in ("Yes", "No") if label in text.replace(".", "")]
    return found[0] if len(found) == 1 else None


def last_line(text: str) -> str | None:
    """Return the grade of the last line, when no other grade is told."""
    found = ENDING.fullmatch(text.strip().split("\n")[-1].strip())
    told = {mark[1] for mark in GRADE.finditer(text)}
    return found[2] if found and told == {found[2]} else None


def last_grade(text: str) -> str | None:
    """Return the first letter behind the last grade."""
    told = [found[1] for found in GRADE.finditer(text)] or [""]
    return one_of(list("CPI"), told[-1][:1].upper())


def rating(text: str) -> str | None:
    """Return the only number in double brackets."""
    found = re.findall(r"\[\[([^][]*)\]\]", text)
    return one_of(RATINGS, found[0]) if len(found) == 1 else None


def first_rating(text: str) -> str | None:
    """Return the first number in double brackets, else in single ones, as Python would write it."""
    number = r"\[(\d+(?:\.\d*)?)\]"
    found = re.search(rf"\[{number}\]", text) or re.search(number, text)
    whole, point, rest = (found[1] if found else "").partition(".")
    plain = whole.lstrip("0") if point else whole
    return one_of(RATINGS, plain) if not rest.strip("0") else None


def document(text: str, *, strict: bool) -> Json:
    """Return the object a text is, nested at most 100 deep; {} for all else."""
    try:
        value = loads(text, strict=strict) if text.encode() else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def alone(text: str) -> Json:
    """Return the object that is all of a text, a code fence around it left out."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```").removesuffix("```").removeprefix("json")
    return document(text, strict=True)


def json_label(text: str) -> str | None:
    """Return the label of an object of texts."""
    found = alone(text)
    every = all(isinstance(part, str) for part in found.values())
    return one_of(MARKS, found.get("label")) if every else None


def mem0(text: str) -> str | None:
    """Return the label of the first fenced JSON, or of the text as JSON."""
    _, *fenced = text.split("```", 2)
    inner = fenced[0].removeprefix("json") if fenced[1:] else text
    found = document(inner.strip(), strict=False)
    if "label" not in found:
        return None
    return "CORRECT" if found["label"] == "CORRECT" else "WRONG"


def json_criteria(text: str) -> str | None:
    """Return whether the criteria are met, of an object that says this and why."""
    found = alone(text)
    known = found.keys() <= {"criteria_met", "explanation"}
    return met(found) if known and isinstance(found.get("explanation", ""), str) else None


def healthbench(text: str) -> str | None:
    """Return whether the criteria are met, of JSON in a json fence or in none."""
    inner = text.strip().removeprefix("```json").removesuffix("```")
    return met(document(inner.strip(), strict=False))


def met(found: Json) -> str | None:
    """Return the truth value of `criteria_met` as a label."""
    value = found.get("criteria_met")
    return str(value).lower() if isinstance(value, bool) else None


READ: dict[str, Callable[[str], str | None]] = {
    "yes-no/1": lambda text: one_of(YES_NO, bare(text).lower()),
    "yes-substring/1": lambda text: "yes" if "yes" in text.lower() else "no",
    "letter-abc/1": lambda text: LETTERS.get(bare(text)),
    "simpleqa-upstream/1": lambda text: LETTERS[next((c for c in text if c in LETTERS), "C")],
    "correct-line/1": correct_line,
    "browsecomp-upstream/1": lambda text: None if VERDICT.search(text) else "no",
    "halueval-strict/1": lambda text: one_of(["Yes", "No"], bare(text).lower().capitalize()),
    "halueval-upstream/1": halueval,
    "grade-cpi/1": last_line,
    "inspect-upstream/5": last_grade,
    "rating-10/1": rating,
    "mt-bench-upstream/1": first_rating,
    "json-label/1": json_label,
    "mem0-upstream/1": mem0,
    "json-criteria/1": json_criteria,
    "healthbench-upstream/1": healthbench,
}

# --- the run ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Cell:
    """What is known of one cell; its last attempt is open, unknown, closed or final."""

    state: str = "closed"
    attempt: int = 0
    seq: int = 0
    undecided: int = 0
    unknown: bool = False
    route: str = ""
    label: str | None = None
    right: bool = False


class Run:
    """What the bytes read so far have established."""

    def __init__(self, folder: Path, *, public: bool) -> None:
        self.folder, self.public, self.place, self.state = folder, public, "run.json", "open"
        self.lines, self.last, self.newest, self.failed = 0, "", 0, False
        self.asks, self.arms = dict[str, Json](), dict[int, str]()
        self.rows, self.at = dict[Json, Json](), dict[str, Json]()
        self.cells, self.flying = dict[Json, Cell](), dict[Json, Cell]()
        self.gates, self.tally = (
            defaultdict[Json, list[int]](list),
            defaultdict[Json, Json](Counter),
        )
        self.closed, self.gated, self.rising = Counter[int](), Counter[int](), Counter[Json]()
        self.cleared, self.passed, self.replies = set[int](), set[int](), set[int]()
        self.texts, self.texts_read = 0, 0

    def prove(self, expected: str | None) -> None:
        """Take the steps in turn; then `state` and `tally` are proved."""
        self.read_plan()
        if not self.public:
            self.read_inputs()
        # Without inputs the plan still tells where the answers stand, if none is missing.
        full = all(one["rows"] == self.plan["questions"] for one in self.sets.values())
        self.order = self.planned() if full or not self.public else None
        for line in self.read("receipts.jsonl"):
            self.read_line(parse(line))
        need(self.lines, "the file is empty")
        need(expected in (None, self.head), "the head is not the expected one")
        # Step 5: the seal outside is there when the seal inside is, and says the same.
        self.place, seal = "seal.txt", self.folder / "seal.txt"
        there = seal.is_symlink() or seal.exists()
        need(there == (self.last == "seal"), "it stands beside a seal line, and only there")
        text = f"judge-receipts/v1 {self.id}\n{self.lines}\n{self.head}\n"
        need(not there or plain(seal).read_bytes() == text.encode(), "it seals another ledger")

    def read(self, name: str) -> Iterator[bytes]:
        """Give the lines of a file without their LF, and keep the place."""
        self.place = name
        with plain(self.folder / name).open("rb") as file:
            for number, line in enumerate(file, 1):
                self.place = f"{name}:{number}"
                need(line.endswith(b"\n"), "the line is torn: it does not end in LF")
                yield line[:-1]

    # --- step 1: run.json ---

    def read_plan(self) -> None:
        """Establish the run id, the plan's digest, and a plan that asks something."""
        data = plain(self.folder / "run.json").read_bytes()
        self.run = run = parse(data)
        self.id = self.head = sha(data)
        self.plan = plan = run["plan"]
        named("run", run)
        named("plan", plan)
        for part in PARTS:
            named(part, plan[part])
        # As text: true is 1 to Python, and no number.
        need(f"{run['v']} {plan['v']}" == "1 1", "this is not version 1 of the format")
        need(re.fullmatch("[0-9a-f]{64}", run["salt"]), "salt: not 64 hexadecimal digits")
        same(run, plan_sha256=sha(ENCODE(plan)))
        self.sets, judges, self.files = (
            {one["name"]: one for one in plan[part]} for part in ("answers", "judges", "inputs")
        )
        every = len(plan["answers"] + plan["judges"] + plan["inputs"])
        need(len(self.sets) + len(judges) + len(self.files) == every, "a name stands twice")
        for number, one in enumerate(plan["conditions"], 1):
            same(one, id=f"c{number}")
            ask = self.asks[one["id"]] = SimpleNamespace(**one, templates={}, routes=None)
            same(one, name=f"{ask.answers} | {ask.rubric} | {ask.judge}")
            ask.judge, ask.block = judges[ask.judge], self.sets[ask.answers]
            need(ask.accept in (None, *ask.labels), "accept: not a label")
        for one in plan["judges"]:
            same(one, api=APIS[one["provider"]])
            need((one["address"] == "none") == (one["api"] == "lexical"), "address: cannot be")
        files = [one["name"] for one in plan["sources"] if one["role"] == "controls"]
        same(plan["gate"], controls=files)
        self.read_selection()
        self.read_sizes()

    def read_selection(self) -> None:
        """Establish that what was chosen of the sources can be what is asked."""
        plan, selection = self.plan, self.plan["selection"]
        limit, missing = selection["limit"], [one["missing"] for one in plan["answers"]]
        need(limit is None or limit >= plan["questions"], "limit: fewer than the questions")
        need(selection["allow_partial"] is True or not any(missing), "missing: not allowed")
        names = [one["name"] for one in plan["sources"] if one["role"] == "answers"]
        need(names == [*self.sets], "sources: not one of each set of answers, in order")
        roles = [one["role"] for one in plan["sources"]]
        need(roles.count("references") <= 1, "sources: two hold the references")

    def read_sizes(self) -> None:
        """Establish how much is asked, and where the answers stand as far as the plan tells."""
        plan, gate, first = self.plan, self.plan["gate"], 0
        need(SHARE.fullmatch(gate["threshold"]), "threshold: not a decimal or a fraction")
        self.threshold = Fraction(gate["threshold"])
        need(Fraction(1, 2) < self.threshold <= 1, "threshold: not above 1/2, or above 1")
        self.size = plan["questions"] if gate["batch_size"] is None else gate["batch_size"]
        self.controls = self.files["controls.jsonl"]["rows"]
        self.total = plan["repetitions"] * sum(ask.block["rows"] for ask in self.asks.values())
        for name, one in self.sets.items():
            same(one, first_row=first)
            self.at[name] = dict[int, int]()
            first += one["rows"]
        same(self.files["items.jsonl"], rows=first)
        asked = min(self.size, self.controls, self.total, plan["repetitions"], plan["questions"])
        need(asked > 0 and plan["questions"] <= first, "the plan asks nothing, or nobody")
        self.batches = -(-plan["questions"] // self.size)

    # --- step 2: inputs/ ---

    def read_inputs(self) -> None:
        """Establish that every file is the one the plan names, and says what the plan says."""
        folder, rubrics = self.folder / "inputs", dict[str, Json]()
        self.place = "inputs"
        paths = [path for path in folder.rglob("*") if not path.is_dir()]
        found = {path.relative_to(folder).as_posix() for path in paths}
        need(found == {*self.files, "run.yaml"}, "these are not the files of the plan")
        need(all(path.is_file() for path in paths), "this is not all plain files")
        config = (folder / "run.yaml").read_bytes()
        same(self.run["environment"], config_sha256=sha(config))
        for name in ("extract", "study"):
            # Without a YAML parser: whether it was asked for at all.
            asked = re.search(rb"^%s:" % name.encode(), config, re.MULTILINE)
            need(bool(asked) == (name in self.plan), f"{name}: not what run.yaml asks for")
        for name, file in self.files.items():
            self.place, rows = f"inputs/{name}", None
            with (folder / name).open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                same(file, sha256=digest, bytes=stream.tell())
            if name.endswith(".jsonl"):
                rows = 0
                for line in self.read(f"inputs/{name}"):
                    self.read_row(name, rows, parse(line))
                    rows += 1
            else:
                rubrics[name] = parse((folder / name).read_bytes())
                named("rubric" if name.startswith("rubrics/") else name, rubrics[name])
            same(file, rows=rows)
        self.place = "inputs/items.jsonl"
        questions = sum(phase == "question" for phase, _ in self.rows)
        need(questions == self.plan["questions"], "a question of the plan has no answer")
        for ask in self.asks.values():
            name = f"rubrics/{ask.rubric.replace('/', '.')}.json"
            self.place = f"inputs/{name}"
            self.read_rubric(ask, rubrics[name])

    def read_row(self, name: str, number: int, row: Json) -> None:
        """Establish an item in its place, or a control in its arm."""
        named(name, row)
        kept = row["id"], row["type"], row["abstention"], row.get("expect")
        if name == "items.jsonl":
            taken = row["response"] in row.get("saved", "")
            need(
                taken if "extract" in self.plan else "saved" not in row,
                "the response is not taken from the answer as the plan says",
            )
            at, first = self.at[row["answers"]], self.sets[row["answers"]]["first_row"]
            rises = next(reversed(at), -1) < row["position"] < self.plan["questions"]
            need(rises and number == first + len(at), "the row does not stand in its place")
            same(row, id=self.rows.setdefault(("question", row["position"]), row["id"]))
            at[row["position"]] = number
            self.rows["answer", number] = kept
        elif name == "controls.jsonl":
            need(row["arm"] in ARMS, "there is no such arm")
            self.arms[number] = row["arm"]
            self.rows["control", number] = kept

    def read_rubric(self, ask: Json, rubric: Json) -> None:
        """Establish that texts have their digests, and the rubric the condition's pin."""
        need(f"{rubric['rubric']}/{rubric['edition']}" == ask.rubric, "this is another rubric")
        ask.templates = {one["name"]: one["sha256"] for one in rubric["templates"]}
        # Two texts of one name would share one place in the pin.
        once = len(ask.templates) == len(rubric["templates"])
        need(once, "two templates have one name")
        texts = {one["name"]: sha(one["text"]) for one in rubric["templates"]}
        need(texts == ask.templates, "the text of a template is not the one of its digest")
        systems = [one for one in rubric["templates"] if "system" in one or "system_sha256" in one]
        need(
            all(sha(one["system"]) == one["system_sha256"] for one in systems),
            "a system text is not the one of its digest",
        )
        ask.routes = [{k: v for k, v in one.items() if v is not None} for one in rubric["routes"]]
        given = PINNED_IF_GIVEN & rubric.keys()
        pinned = {name: rubric[name] for name in (*PINNED, *given)}
        held = dict[str, Json]()
        for one in rubric["templates"]:
            more = {name: part for name, part in one.items() if name not in UNPINNED}
            held[one["name"]] = more if len(more) > 1 else one["sha256"]
        pin = sha(ENCODE(pinned | {"routes": ask.routes, "templates": held}))
        need(pin == ask.rubric_pin, f"this is not the rubric pinned by {ask.id}")
        same(rubric, accept=ask.accept, labels=ask.labels, readings=ask.readings)
        others = [label for label in ask.labels if label != ask.accept]
        ask.signs = rubric.get("gate") or {"accept": [ask.accept], "reject": others}

    # --- step 3: a line ---

    def read_line(self, whole: Json) -> None:
        """Establish names and types, the chain and the commitments; then the rules of the kind."""
        line, private = whole["public"], whole.get("private", {})
        text, kind = ENCODE(line), line["kind"]
        need(kind in FIELDS, "there is no such kind of line")
        need(SHAPES[kind].fullmatch(text), f"these are not the fields of kind {kind}")
        need(whole.keys() <= {"private", "public"}, "there is more than private and public")
        same(line, v=1, seq=self.lines, prev=self.head)
        dt.datetime.fromisoformat(line["at"])
        after = {"": {"start"}, "seal": set[str]()}
        after["stopped"] = after["recovered"] = {"recovered", "resumed"}
        may = after.get(self.last, FIELDS.keys() - {"start"})
        need(kind in may, f"kind {kind} does not stand here (rules 1 and 9)")
        names = PRIVATE.get(kind, set())
        names = names | ({"reply_text"} if line.get("readings") is not None else set())
        must = names & {"item"} if self.public else names
        need(line["commit"].keys() == names, "commit does not name what its kind keeps private")
        need(must <= private.keys() <= names, "private texts are missing (see --public), or others")
        need(private or "private" not in whole, "an empty private part is left out")
        texts = {name: opened(name, part, line["commit"][name]) for name, part in private.items()}
        getattr(self, f"take_{kind}", self.take_note)(line, texts)
        self.head, self.last, self.lines = sha(f"judge-receipt/v1\n{text}"), kind, self.lines + 1

    # --- step 4: the rules ---

    def take_note(self, line: Json, texts: Json) -> None:
        """Stopped and recovered lines say nothing that another line could show."""

    def take_start(self, line: Json, _: Json) -> None:
        """Rule 1: what is asked is the plan that was fixed."""
        same(line, plan_sha256=self.run["plan_sha256"])

    def planned(self) -> Iterator[Json]:
        """Rule 2: give the plan's cells in their one order."""
        ids, repetitions = list(self.asks), range(1, self.plan["repetitions"] + 1)
        for batch in range(self.batches):
            first, last = batch * self.size, min((batch + 1) * self.size, self.plan["questions"])
            for phase in ("control", "answer"):
                places = range(self.controls) if phase == "control" else range(first, last)
                for repetition, place in ((r, p) for r in repetitions for p in places):
                    turn = (place + repetition - 1) % len(ids)
                    for condition in ids[turn:] + ids[:turn]:
                        row = self.row_at(condition, place) if phase == "answer" else place
                        if row is not None:
                            yield phase, batch, condition, repetition, row

    def row_at(self, condition: str, place: int) -> int | None:
        """Return the row of a condition's answer to the question in this place, if it has one."""
        block = self.asks[condition].block
        row: int | None = self.at[block["name"]].get(place)
        return block["first_row"] + place if self.public else row

    def comes_next(self, cell: Json) -> bool:
        """Rule 2: say whether a first attempt stands in the plan's order."""
        if self.order is not None:
            return bool(next(self.order, None) == cell)
        # A public run with missing answers does not say which: its rows rise, within the plan.
        phase, batch, condition, repetition, row = cell
        block = self.asks[condition].block
        first, rows = (
            (block["first_row"], block["rows"]) if phase == "answer" else (0, self.controls)
        )
        rises = max(first, self.rising[cell[:4]]) <= row < first + rows
        self.rising[cell[:4]] = row + 1
        inside = batch < self.batches and 0 < repetition <= self.plan["repetitions"]
        return bool(inside and rises)

    def take_intent(self, line: Json, texts: Json) -> None:
        """Rules 2, 3, 7: in order, counted, and no answer before its gates."""
        key = phase, batch, condition, _, row = tuple(line[name] for name in CELL)
        allowed = not self.failed and (phase == "control" or batch in self.cleared)
        need(allowed, "this is asked without a pass of all groups of its batch (rule 7)")
        if key not in self.cells:
            need(
                self.comes_next(key), "this first attempt is not next in the plan's order (rule 2)"
            )
            self.cells[key], self.newest = Cell(), batch
        cell = self.flying[key] = self.cells[key]
        need(cell.state in ("closed", "unknown"), "the last attempt is open or final (rule 3)")
        arm = None if phase == "answer" else self.arms.setdefault(row, line["arm"])
        need(arm or phase == "answer", "arm: a control has none")
        same(line, attempt=cell.attempt + 1, after_unknown=cell.unknown, arm=arm)
        cell.attempt, cell.seq, cell.state = cell.attempt + 1, self.lines, "open"
        if "request" in texts:
            same(line, length=len(texts["request"]))
            same(DECODE(texts["request"].decode()), model=self.asks[condition].judge["model"])

    def take_receipt(self, line: Json, texts: Json) -> None:
        """Rules 4, 5, 7: it closes the last attempt of its cell, once, and stands on its gates."""
        key = phase, batch, condition, repetition, row = tuple(line[name] for name in CELL)
        need(key in self.cells, "its cell was never asked (rule 4)")
        cell, ask, answer = self.cells[key], self.asks[condition], phase == "answer"
        outcome, reason, label = line["outcome"], line["reason"], line["label"]
        shut = "unknown" if reason == "left_unknown" else "open"
        need(cell.state == shut, "its attempt is not one that this can close (rule 4)")
        need(not answer or batch in self.cleared, "its gates do not stand (rule 7)")
        cell.undecided += outcome == "undecided"
        enough = reason in CLOSING or cell.undecided > self.plan["reask"]
        final = outcome == "decided" or (outcome == "undecided" and enough)
        gates = self.gates[batch, condition, repetition] if answer else None
        arm = None if answer else self.arms[row]
        same(line, attempt=cell.attempt, intent_seq=cell.seq, final=final, arm=arm, gate_seqs=gates)
        binding = "embedded" if ask.judge["api"] == "lexical" else "http_exchange"
        same(line, rubric_pin=ask.rubric_pin, model_requested=ask.judge["model"], binding=binding)
        found = [label is not None, reason is not None]
        need(
            found == [outcome == "decided", outcome == "undecided"], "label, reason: not of outcome"
        )
        need(line["error"] in ERRORS.get(outcome, {None}), "error: not of outcome")
        nothing = outcome in NO_REPLY or reason == "left_unknown"
        need(not nothing or not any(line[name] for name in OF_REPLY), "a reply nobody took is told")
        cell.route = self.hold_row(line, parse(texts["item"]), ask)
        self.hold_reply(line, texts, ask)
        cell.state = "final" if final else "unknown" if outcome == "unknown" else "closed"
        cell.unknown |= outcome == "unknown"
        cell.label, cell.right = label, label in (line["expect"] or ())
        self.flying.pop(key, None)
        self.closed[batch] += final and not answer
        if final and answer:
            self.tally[condition, repetition][label or f"undecided {reason}"] += 1

    def hold_row(self, line: Json, item: Json, ask: Json) -> str:
        """Hold a receipt against its row: item, route, template, expect; return the route."""
        named("item", item)
        row, control = (line["phase"], line["row"]), line["phase"] == "control"
        name, kind, abstention, expect = self.rows.get(row, (item["id"], item["type"], None, None))
        if self.public:
            self.rows[row] = name, kind, None, None
            need(bool(line["expect"]) == control, "expect: for controls, and only for them")
            route, expect = item["route"], line["expect"]
            ask.templates.setdefault(route, line["template_sha256"])
        else:
            route = next(
                one["template"]
                for one in [*ask.routes, {"template": None}]
                if one.get("id_contains", "") in name
                and kind in one.get("types", [kind])
                and one.get("abstention", abstention) == abstention
            )
            if isinstance(expect, str):
                expect = ask.signs[expect]
            some = not control or (expect and {*expect} <= {*ask.labels})
            need(some, "expect: not labels of the rubric")
        same(item, id=name, type=kind, route=route)
        same(line, template_sha256=ask.templates[route], expect=expect)
        return str(route)

    def hold_reply(self, line: Json, texts: Json, ask: Json) -> None:
        """Hold a receipt against its reply: text, readings, label and reason."""
        was_read = line["outcome"] == "decided" or line["reason"] in DOUBTS
        named = {*ask.readings.values()} if was_read else None
        found = None if line["readings"] is None else {*line["readings"]}
        need(found == named, "readings: always, and only, where a text was read")
        self.texts += was_read
        self.texts_read += was_read and "reply_text" in texts
        if "response" in texts:
            self.hold_response(line, texts, ask, was_read=was_read)
        if "reply_text" in texts:
            text = texts["reply_text"].decode()
            said = line["readings"]
            names = [*ask.readings.values()]
            read = {name: READ[name](text) if name in READ else said[name] for name in names}
            read = {name: one_of(ask.labels, one) for name, one in read.items()}
            strict, upstream = (read[ask.readings[role]] for role in ("strict", "upstream"))
            label = strict if upstream in (None, strict) else None
            words = {*re.findall(r"\w+", text.lower())}
            several = sum(one.lower() in words for one in ask.labels) > 1
            missed = upstream is not None and ask.accept in (None, upstream)
            doubt = "readings_disagree" if several or missed or strict else "off_scale"
            same(line, readings=read, label=label, reason=None if label else doubt)

    def hold_response(self, line: Json, texts: Json, ask: Json, *, was_read: bool) -> None:
        """Hold a receipt against the raw reply: what is whole is read, and nothing else is."""
        api, body, headers = ask.judge["api"], texts["response"], parse(texts["headers"])
        pairs = all(isinstance(name, str) and isinstance(value, str) for name, value in headers)
        need(pairs, "headers: not pairs of texts")
        self.hold_length(line, headers, len(body))
        sent = api != "lexical" or (line["status"], line["error"], headers) == (None, None, [])
        need(sent, "an embedded judge has no status, error or headers")
        came = (line["status"], line["error"]) == (WHOLE[api][0], None)
        came = came and line["reason"] != "left_unknown" and (api == "lexical" or typed(headers))
        reply = answered(body) if came else {}
        finish, text = said(api, reply)
        whole = reply.get("model") == ask.judge["expect_model"]
        whole = whole and finish == WHOLE[api][1] and readable(text)
        need(was_read == whole, "outcome: not what follows from the reply")
        if was_read:
            same(line, model_returned=foreign(reply["model"]), finish=finish)
            need(texts["reply_text"] == text.encode(), "reply_text: not the text of the reply")
        self.hold_id(ask.judge["name"], foreign(reply.get("id")), body)

    def hold_length(self, line: Json, headers: Json, length: int) -> None:
        """Hold what came against what was sent, and what the server said would come."""
        status, outcome, error = line["status"], line["outcome"], line["error"]
        nothing = (status, headers, length) == (None, [], 0)
        need(outcome != "not_sent" or nothing, "a question that was not sent has a reply")
        told = [value for name, value in headers if name == "content-length"]
        if len(told) != 1 or not re.fullmatch("[0-9]{1,18}", told[0]):
            return
        whole = int(told[0]) == length
        hidden = whole and status == WHOLE_STATUS and error in ("cut", "deadline")
        need(outcome != "unknown" or not hidden, "a whole reply is called cut")
        dropped = length == 0 and status != WHOLE_STATUS
        need(whole or dropped or outcome == "unknown", "content-length: not of the reply")

    def hold_id(self, judge: str, name: str | None, body: bytes) -> None:
        """Refuse a reply whose id this judge gave before; of a short id, whose body too."""
        if name is None:
            return
        key = hash((judge, name, body if len(name) < UNIQUE else b""))
        need(key not in self.replies, "the reply has the id of an earlier one")
        self.replies.add(key)

    def take_gate(self, line: Json, _: Json) -> None:
        """Rule 6: a group's gate, worked out again from its controls."""
        batch, ids, repetitions = line["batch"], list(self.asks), self.plan["repetitions"]
        every = self.controls * len(ids) * repetitions
        need(self.closed[batch] == every, "a control of its batch is not closed (rule 6)")
        arms = [arm for arm in ARMS if arm in self.arms.values()]
        need({*ARMS[:2]} <= {*arms}, "there are no positive, or no negative controls")
        turn, third = divmod(self.gated[batch], len(arms))
        earlier, second = divmod(turn, len(ids))
        need(earlier < repetitions, "every group of its batch has its gate (rule 6)")
        condition, repetition, arm = ids[second], earlier + 1, arms[third]
        same(line, repetition=repetition, condition=condition, arm=arm)
        rows = [row for row, its in sorted(self.arms.items()) if its == arm]
        cells = [self.cells["control", batch, condition, repetition, row] for row in rows]
        routes = defaultdict[str, list[int]](lambda: [0, 0])
        for cell in cells:
            routes[cell.route][0] += 1
            routes[cell.route][1] += cell.right
        asked, right = len(cells), sum(cell.right for cell in cells)
        least = asked if arm == "injection" else -(-self.threshold * asked // 1)
        passed = right >= least and all(good for _, good in routes.values())
        same(line, asked=asked, correct=right, need=least, routes=routes, **{"pass": passed})
        same(line, undecided=sum(cell.label is None for cell in cells))
        self.failed |= not passed
        self.gates[batch, condition, repetition].append(self.lines)
        self.gated[batch] += 1
        if self.gated[batch] == len(arms) * len(ids) * repetitions:
            self.cleared.add(batch)
            self.passed.add(batch)

    def take_resumed(self, line: Json, _: Json) -> None:
        """Rules 3 and 8: what was in flight is unknown; a recheck opens controls again."""
        for cell in self.flying.values():
            cell.state, cell.unknown = "unknown", True
        self.flying.clear()
        if self.failed or not line["recheck"]:
            return
        cells = self.cells.items()
        due = {key[1] for key, cell in cells if key[0] == "answer" and cell.state != "final"}
        due.add(self.newest)
        for key, cell in cells:
            if key[0] == "control" and key[1] in due and cell.state == "final":
                cell.state, cell.undecided = "closed", 0
        for batch in due:
            self.closed[batch] = self.gated[batch] = 0
        for group in [group for group in self.gates if group[0] in due]:
            del self.gates[group]
        self.cleared -= due

    def take_seal(self, line: Json, _: Json) -> None:
        """Rule 10: the counts, and the state that follows from them."""
        closed = sum(tally.total() for tally in self.tally.values())
        decided = sum(
            self.tally[group][label] for group in self.tally for label in self.asks[group[0]].labels
        )
        need(not self.flying, "an attempt is still open (rule 10)")
        whole = closed == self.total and len(self.passed) == self.batches
        need(self.failed or whole, "cells are open, or groups without a gate (rule 10)")
        self.state = "complete" if closed == decided else "incomplete"
        self.state = "gate-failed" if self.failed else self.state
        same(line, state=self.state, lines=self.lines + 1, cells=self.total)
        same(line, decided=decided, undecided=closed - decided)


# --- words --------------------------------------------------------------------------------------


def told(run: Run) -> Iterator[str]:
    """Give what was proved and counted, what is only claimed, and what nobody can prove."""
    sound = "open: sound so far" if run.state == "open" else f"proved: {run.state}"
    yield f"{sound}, {run.lines} lines, head {run.head}"
    for (condition, repetition), tally in sorted(run.tally.items()):
        ask = run.asks[condition]
        decided = sum(tally[label] for label in ask.labels)
        counts = f"asked {ask.block['rows']}, decided {decided}"
        counts += f", accepted {tally[ask.accept]}" if ask.accept else ", grades"
        each = ", ".join(f"{name} {count}" for name, count in sorted(tally.items()) if count)
        yield f"{condition} repetition {repetition}: {counts} ({each})"
    yield "checked: bytes, digests, chain, commitments, order, attempts, labels, gate, counts, seal"
    yield f"  labels read again from {run.texts_read} of {run.texts} reply texts"
    hidden = "prompts, raw replies, rows and routes" if run.public else "prompts as rendered"
    yield f"claimed, not checked: {hidden}; the draw of controls, times, usage, errors, versions"
    yield "  and what run.yaml says beyond its digest"
    if run.texts_read < run.texts:
        yield f"  and the {run.texts - run.texts_read} labels without a text"
    unknown = {*(name for ask in run.asks.values() for name in ask.readings.values())} - READ.keys()
    if unknown:
        yield f"  and all that is read by {', '.join(sorted(unknown))}: not known to this file"
    yield "not provable: that a provider sent these bytes; that there was no other run; and, unless"
    yield "  the head was published before (--expect-head), that it was not made up as a whole"


def main(words: list[str] | None = None) -> int:
    """Prove a run, say what that means, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument("--public", action="store_true", help="it is a public export")
    parser.add_argument("--expect-head", metavar="HEAD", help="the head published earlier")
    options = parser.parse_args(words)
    if not options.run.is_dir():
        parser.error("RUN is not a folder")
    run = Run(options.run, public=options.public)
    try:
        run.prove(options.expect_head)
        text, code = "\n".join(told(run)), 4 if run.state == "open" else 0
    except FAULTS as error:
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        text, code = f"wrong: {run.place}: {kind}{error}"[:400], 6
    print(text.encode("ascii", "backslashreplace").decode())
    return code


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough is no error
    raise SystemExit(main())
