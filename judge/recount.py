"""A run proved again from its raw replies: prompts rendered, replies read, counts made anew.

Offline, without a key and without an SDK. It shares with the run only the pure rules and the
format. Returns what it proved, or raises VerificationError at the first line that proves nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import orjson

from judge import packs
from judge.agreement import check_config, check_selected
from judge.canonical import NotCanonicalError, encode, encode_typed, parse
from judge.chain import Entry
from judge.coherence import check_receipt, check_size
from judge.envelope import Envelope
from judge.errors import InputError, VerificationError
from judge.folder import Frozen, Manifest, question_key, read_manifest
from judge.identity import deviations, is_official
from judge.layout import Layout
from judge.ledger import entries, seal_text
from judge.progress import Progress, Status
from judge.questions import RULES, Question, Questions, Rules, binding_of
from judge.reading import LEFT_UNKNOWN, Seen, read, settle
from judge.records import (
    Cell,
    Condition,
    Control,
    Exchange,
    Gate,
    Intent,
    Plan,
    Reading,
    Receipt,
    Reference,
    Resumed,
    Start,
    State,
    Stopped,
)
from judge.sampling import draw, placer
from judge.spending import Spending

__all__ = [
    "NOT_CLOSED",
    "UNDECIDED",
    "Failure",
    "GroupTally",
    "Proof",
    "Stratum",
    "Tally",
    "recount",
]

_MOST_FAILURES = 1000
_SHOWN = 200
"""Characters of a reply that are kept for whoever looks for the cause."""
NOT_CLOSED, UNDECIDED = 0, 255
"""Codes in `GroupTally.labels`; any other is a label's place in the rubric, from 1."""

_read_of = attrgetter(*Reading.model_fields)
"""What a receipt repeats of its reading, in the reading's order."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Answers of one type on one route."""

    type: str
    route: str


@dataclass(slots=True)
class GroupTally:
    """Counts of one condition and repetition; decided + undecided + not closed = planned."""

    first_row: int
    labels: bytearray
    """By row of its answers set: 0 not closed, 255 undecided, else 1 + the label's place."""
    counts: dict[Stratum, Counter[str]] = field(default_factory=dict)
    """Per stratum: each label, and `?reason` for each undecided reason."""
    upstream: Counter[str] = field(default_factory=Counter)
    """What the benchmark's own parser says, over all replies with a text; `?` is no label."""
    later: int = 0
    """Labels that came from a later attempt after an undecided one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A closed cell that is no verdict, or not the right one."""

    cell: Cell
    id: str
    expect: tuple[str, ...] | None
    """The labels that would have been right; None for an answer."""
    label: str | None
    reason: str | None
    text: str
    """What the judge said, cut; empty where nothing was read."""


@dataclass(slots=True)
class Tally:
    """All that is counted while a run is proved."""

    groups: dict[tuple[str, int], GroupTally] = field(default_factory=dict)
    gates: list[Gate] = field(default_factory=list)
    intents: int = 0
    resent: int = 0
    """Intents sent although an earlier attempt may have been answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    unmetered: int = 0
    """Answered attempts that did not say what they cost."""
    models: Counter[str] = field(default_factory=Counter)
    """Model names that replies gave."""
    fingerprints: Counter[str] = field(default_factory=Counter)
    stops: list[str] = field(default_factory=list)
    texts: int = 0
    """Receipts whose label was read from a text."""
    texts_read: int = 0
    """Those whose text is here and was read again."""
    failures: list[Failure] = field(default_factory=list)
    """Controls that were not right and answers that were not decided, the first thousand."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A run, proved as far as it goes."""

    manifest: Manifest
    run_id: str
    head: str
    """The link of the last line: publish it, and nothing before it can change unseen."""
    lines: int
    state: State
    progress: Progress
    tally: Tally
    frozen: Frozen | None
    """The inputs; None for a public export."""
    spending: Spending
    seen: Seen
    """The response ids of the run, for going on with it."""

    @property
    def plan(self) -> Plan:
        """The plan that was frozen."""
        return self.manifest.plan


def recount(
    folder: Path,
    *,
    public: bool = False,
    expect_head: str | None = None,
    rules: Rules = RULES,
    frozen: Frozen | None = None,
    sealing: bool = False,
) -> Proof:
    """Prove a run folder, or a public export of one, and return what it holds.

    Args:
        folder: the run.
        public: the inputs and most private texts are absent; what needs them is not checked.
        expect_head: the head published earlier; only with it can a consistent forgery be seen.
        rules: the embedded judges that are known.
        frozen: the folder's inputs, where the caller has them open and checked.
        sealing: the caller is about to write seal.txt, so its absence is no damage.

    Raises:
        InputError: there is no run here.
        VerificationError: something in it does not follow; names the file and the line.
    """
    # (1) The manifest, the plan's digest, and every input against its own digest.
    if frozen is None and not public:
        frozen = Frozen(folder)
        try:
            _check_derived(frozen)
        except InputError as error:
            raise VerificationError(f"inputs: {error}") from error
    manifest, run_id = (frozen.manifest, frozen.run_id) if frozen else read_manifest(folder)
    prover = _Prover(manifest, frozen, rules)
    # (2) Each line: canonical, chained, committed; (3) allowed here; (4) following from its texts.
    head = run_id
    lines = 0
    for entry in entries(folder / "receipts.jsonl", run_id, public=public):
        try:
            prover.take(entry)
        except (VerificationError, InputError) as error:
            raise VerificationError(f"receipts.jsonl:{lines + 1}: {error}") from error
        head = entry.link
        lines += 1
    if lines == 0:
        raise VerificationError("receipts.jsonl: no receipts; an empty run proves nothing")
    # (5) The seal, inside and outside.
    state = _check_seal(folder, run_id, lines, head, prover.progress, sealing=sealing)
    # (6) The head somebody else saw.
    if expect_head is not None and head != expect_head:
        raise VerificationError(f"the head is {head}, not the expected {expect_head}")
    return Proof(
        manifest=manifest,
        run_id=run_id,
        head=head,
        lines=lines,
        state=state,
        progress=prover.progress,
        tally=prover.tally,
        frozen=frozen,
        spending=prover.spending,
        seen=prover.seen,
    )


def _check_derived(frozen: Frozen) -> None:
    """What a plan says that follows from its inputs: the draw, identities and deviations."""
    plan = frozen.plan
    check_config(frozen.config, plan)
    check_selected(frozen)
    counts = plan.gate.positive, plan.gate.negative
    rubrics = tuple(
        frozen.rubrics[name] for name in dict.fromkeys(c.rubric for c in plan.conditions)
    )
    asked = _Asked()
    pool = asked.watched(frozen.references())
    drawn = draw(pool, placer(rubrics), counts, plan.gate.seed, frozen.abstention())
    asked.check(frozen.keys)
    if frozen.controls[: len(drawn)] != drawn:
        raise VerificationError("inputs/controls.jsonl: not the controls this seed draws")
    _check_made(plan, frozen.controls[len(drawn) :])
    for condition in plan.conditions:
        found = deviations(frozen.rubric(condition), frozen.judge(condition), plan.gate.threshold)
        official = is_official(frozen.rubric(condition), frozen.judge(condition), found)
        official = official and packs.is_shipped(frozen.rubric(condition))
        if condition.deviations != found or condition.official != official:
            raise VerificationError(f"run.json: the deviations of {condition.id} do not follow")


def _check_made(plan: Plan, rest: tuple[Control, ...]) -> None:
    """Whether these are the rows of the plan's control files, file by file."""
    for source in (source for source in plan.sources if source.role == "controls"):
        rows, rest = rest[: source.rows], rest[source.rows :]
        if len(rows) != source.rows or any(row.source != source.name for row in rows):
            raise VerificationError(
                f"inputs/controls.jsonl: not the {source.rows} controls of {source.name}"
            )
        if any(row.donor is not None for row in rows):
            raise VerificationError("inputs/controls.jsonl: a control of a file has no donor")
    if rest:
        raise VerificationError("inputs/controls.jsonl: a control from no file of the plan")


class _Asked:
    """The questions of the answer key, as far as the items must be among them."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._keys: set[int] = set()

    def watched(self, rows: Iterator[Reference]) -> Iterator[Reference]:
        for row in rows:
            if row.id in self._ids:
                raise VerificationError("inputs/references.jsonl: an id stands there twice")
            self._ids.add(row.id)
            self._keys.add(question_key(row))
            yield row

    def check(self, keys: Iterable[int]) -> None:
        """Whether each question is one of the key, and stands at one position only."""
        for key in keys:
            if key not in self._keys:
                raise VerificationError(
                    "inputs/items.jsonl: a question that is not in references.jsonl, or asked twice"
                )
            self._keys.discard(key)


def _check_seal(
    folder: Path, run_id: str, lines: int, head: str, progress: Progress, *, sealing: bool
) -> State:
    path = folder / "seal.txt"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise VerificationError("seal.txt: not a plain file")
    said = path.read_bytes() if path.is_file() else None
    if progress.seal is None:
        if said is not None:
            raise VerificationError(
                "seal.txt stands beside a ledger without a seal: its last lines are gone"
            )
        return "open"
    if said != seal_text(run_id, lines, head) and not (sealing and said is None):
        raise VerificationError("seal.txt: missing, or not the seal of this ledger")
    return progress.seal.state


class _Prover:
    """Takes the lines one by one and counts them."""

    def __init__(self, manifest: Manifest, frozen: Frozen | None, rules: Rules) -> None:
        self._plan = manifest.plan
        self._plan_sha256 = manifest.plan_sha256
        self._frozen = frozen
        self._rules = rules
        self._questions = Questions(frozen) if frozen else None
        self._conditions = {c.id: c for c in self._plan.conditions}
        self._judges = {j.name: j for j in self._plan.judges}
        self.seen = Seen()
        self.spending = Spending(self._questions.output_limits() if self._questions else None)
        self._rendered: dict[Cell, Question] = {}
        self._undecided_before: set[Cell] = set()
        # A public export does not say under which limits its first stretch went out.
        self._resends = frozen is None or frozen.config.limits.resend_unknown > 0
        try:
            self.progress = Progress(frozen.layout if frozen else _public_layout(self._plan))
        except (MemoryError, OverflowError) as error:
            raise VerificationError("run.json: more cells than this machine can hold") from error
        self.tally = Tally()

    def take(self, entry: Entry) -> None:
        fact = entry.fact
        if isinstance(fact, Intent | Receipt):
            cell = Cell(fact.phase, fact.batch, fact.condition, fact.repetition, fact.row)
            question = self._question(cell)
            if isinstance(fact, Intent):
                self._check_resent(cell)
                self.progress.feed(entry.header.seq, fact)
                self._intent(fact, entry, question)
            else:
                stratum = _stratum(entry)
                self.progress.feed(entry.header.seq, fact, stratum.route)
                self._receipt(cell, fact, entry, question)
                self._count(cell, fact, stratum)
                self._note(cell, fact, entry)
            return
        if isinstance(fact, Start) and fact.plan_sha256 != self._plan_sha256:
            raise VerificationError("the start line names another plan")
        self.progress.feed(entry.header.seq, fact)
        if isinstance(fact, Resumed):
            self._resends = fact.resend_unknown > 0
        if isinstance(fact, Gate):
            self.tally.gates.append(fact)
        if isinstance(fact, Stopped):
            self.tally.stops.append(fact.cause)

    def _check_resent(self, cell: Cell) -> None:
        """Whether a question whose answer was lost in this stretch may go out in it again."""
        if self._resends or self.progress.status(cell) != Status.UNKNOWN:
            return
        if (self.progress.latest_intent(cell) or 0) >= self.progress.resumed:
            raise VerificationError("a lost question was sent again, which no limit allowed")

    def _question(self, cell: Cell) -> Question | None:
        if self._questions is None:
            return None
        # A receipt follows soon after its intent: what was rendered is kept for it.
        question = self._rendered.pop(cell, None)
        if question is None:
            question = self._rendered[cell] = self._questions.of(cell)
        return question

    # --- what follows from the texts ------------------------------------------------------------

    def _intent(self, fact: Intent, entry: Entry, question: Question | None) -> None:
        self.tally.intents += 1
        self.spending.take(fact)
        self.tally.resent += fact.after_unknown
        request = entry.private.get("request")
        if request is not None and fact.length != len(request):
            raise VerificationError("length is not the length of the request")
        if question is None:
            return
        if request != question.body:
            raise VerificationError("the request is not what this plan asks of this row")
        if fact.tokens_max != question.tokens_max or fact.arm != question.arm:
            raise VerificationError("arm or tokens_max do not follow from the row")

    def _receipt(self, cell: Cell, fact: Receipt, entry: Entry, question: Question | None) -> None:
        condition = self._conditions[cell.condition]
        judge = self._judges[condition.judge]
        if fact.rubric_pin != condition.rubric_pin or fact.model_requested != judge.model:
            raise VerificationError("the rubric pin or the model is not the condition's")
        if fact.binding != binding_of(judge):
            raise VerificationError(f"binding is {fact.binding}, not {binding_of(judge)}")
        check_receipt(fact, condition)
        if fact.outcome == "decided" and fact.model_returned != judge.expect_model:
            raise VerificationError("a verdict from another model than the one expected")
        if question is not None:
            self._check_question(fact, entry, question)
            self._check_reading(fact, entry, question)
        elif fact.readings is not None:
            self._check_text(fact, entry, condition)

    def _check_text(self, fact: Receipt, entry: Entry, condition: Condition) -> None:
        """Read the text again where a public export kept it."""
        data = entry.private.get("reply_text")
        if data is None:
            return
        envelope = Envelope("decided", text=data.decode("utf-8", "replace"))
        reading, _ = settle(envelope, fact.status, condition)
        for name in ("outcome", "label", "reason", "readings"):
            if getattr(fact, name) != getattr(reading, name):
                raise VerificationError(f"{name} does not follow from reply_text")

    def _check_question(self, fact: Receipt, entry: Entry, question: Question) -> None:
        if entry.private["item"] != question.item:
            raise VerificationError("the private item is not the row it names")
        if fact.template_sha256 != question.template.sha256 or fact.arm != question.arm:
            raise VerificationError("the template or the arm is not the row's")
        if fact.expect != question.expect:
            raise VerificationError("expect does not follow from the control and the rubric")

    def _check_reading(self, fact: Receipt, entry: Entry, question: Question) -> None:
        exchange = Exchange(
            status=fact.status,
            headers=_headers(entry.private["headers"]),
            body=entry.private["response"],
            error=fact.error if fact.outcome in {"unknown", "not_sent"} else None,
            sent=fact.outcome != "not_sent",
        )
        check_size(fact, exchange.headers, exchange.body)
        reading, text = self._read(fact, exchange, question)
        if _read_of(fact) != _read_of(reading):
            wrong = [name for name, value in reading if getattr(fact, name) != value]
            raise VerificationError(f"{', '.join(wrong)} do not follow from the raw reply")
        if (entry.private.get("reply_text") or b"").decode() != text:
            raise VerificationError("reply_text is not the text of the raw reply")

    def _read(self, fact: Receipt, exchange: Exchange, question: Question) -> tuple[Reading, str]:
        if fact.reason == "left_unknown":
            if exchange.body or exchange.headers:
                raise VerificationError("an attempt left unknown has no reply")
            return LEFT_UNKNOWN, ""
        if fact.binding == "embedded":
            if exchange.status is not None or exchange.headers or exchange.error is not None:
                raise VerificationError("an embedded judge has no status, headers or error")
            rule = self._rules.get(question.judge.model)
            if rule is None:
                raise VerificationError(f"embedded judge {question.judge.model} is not known here")
            reply = encode({"model": question.judge.model, "text": rule(question)})
            if exchange.body != reply:
                raise VerificationError("the reply is not what the embedded rule gives")
        return read(exchange, question.judge, question.rubric, self.seen)

    # --- counts ---------------------------------------------------------------------------------

    def _count(self, cell: Cell, fact: Receipt, stratum: Stratum) -> None:
        self.spending.take(fact)
        self._meter(fact)
        if fact.phase == "control":
            return
        if not fact.final:
            if fact.outcome == "undecided":
                self._undecided_before.add(cell)
            return
        group = self._group(cell)
        counts = group.counts.setdefault(stratum, Counter())
        counts[fact.label if fact.label is not None else f"?{fact.reason}"] += 1
        group.labels[cell.row - group.first_row] = self._code(cell, fact.label)
        if fact.readings is not None:
            upstream = fact.readings[self._conditions[cell.condition].readings.upstream]
            group.upstream[upstream or "?"] += 1
        group.later += fact.label is not None and cell in self._undecided_before
        self._undecided_before.discard(cell)

    def _note(self, cell: Cell, fact: Receipt, entry: Entry) -> None:
        """Keep what somebody who looks for the cause will want to see."""
        text = entry.private.get("reply_text")
        self.tally.texts += fact.readings is not None
        self.tally.texts_read += text is not None
        wrong = fact.label is None or (fact.expect is not None and fact.label not in fact.expect)
        if not fact.final or not wrong or len(self.tally.failures) >= _MOST_FAILURES:
            return
        shown = (text or entry.private.get("response", b"")).decode("utf-8", "replace")
        self.tally.failures.append(
            Failure(
                cell=cell,
                id=_item(entry)["id"],
                expect=fact.expect,
                label=fact.label,
                reason=fact.reason,
                text=shown[:_SHOWN],
            )
        )

    def _meter(self, fact: Receipt) -> None:
        if fact.model_returned is not None:
            self.tally.models[fact.model_returned] += 1
        if fact.fingerprint is not None:
            self.tally.fingerprints[fact.fingerprint] += 1
        usage = fact.usage
        if usage is None:
            self.tally.unmetered += fact.status == 200  # noqa: PLR2004 - answered
            return
        self.tally.tokens_in += usage.input or 0
        self.tally.tokens_out += usage.output or 0
        self.tally.unmetered += usage.input is None or usage.output is None

    def _group(self, cell: Cell) -> GroupTally:
        key = cell.condition, cell.repetition
        group = self.tally.groups.get(key)
        if group is None:
            answers = self.progress.layout.sets[self._conditions[cell.condition].answers]
            group = GroupTally(answers.first_row, bytearray(answers.rows))
            self.tally.groups[key] = group
        return group

    def _code(self, cell: Cell, label: str | None) -> int:
        if label is None:
            return UNDECIDED
        if self._frozen is None:
            return 1  # labels are counted by name; places need the rubric
        return 1 + self._frozen.rubric(self._conditions[cell.condition]).labels.index(label)


def _public_layout(plan: Plan) -> Layout:
    rows = [entry.rows for entry in plan.inputs if entry.name == "controls.jsonl"]
    if len(rows) != 1 or rows[0] is None:
        raise VerificationError("run.json: the plan does not say how many controls there are")
    return Layout(plan, (None,) * rows[0], None)


def _stratum(entry: Entry) -> Stratum:
    item = _item(entry)
    return Stratum(type=item["type"], route=item["route"])


def _item(entry: Entry) -> dict[str, str]:
    data = entry.private.get("item")
    if data is None:
        raise VerificationError("the private item is missing; a public export keeps it")
    try:
        item = parse(data)
    except NotCanonicalError as error:
        raise VerificationError(f"the private item: {error}") from error
    if not isinstance(item, dict) or item.keys() != {"id", "route", "type"}:
        raise VerificationError("the private item is not id, route and type")
    return {name: str(value) for name, value in item.items()}


def _headers(data: bytes) -> tuple[tuple[str, str], ...]:
    try:
        pairs = orjson.loads(data)
        headers = tuple((name, value) for name, value in pairs)
    except (orjson.JSONDecodeError, TypeError, ValueError) as error:
        raise VerificationError("the private headers are not pairs") from error
    if not all(type(name) is type(value) is str for name, value in headers):
        raise VerificationError("the private headers are not pairs of texts")
    if encode_typed([list(pair) for pair in headers]) != data:
        raise VerificationError("the private headers are not canonical")
    return headers
