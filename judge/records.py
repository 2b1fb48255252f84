"""What the harness knows, as frozen, strict records closed to unknown fields."""

import re
from typing import Annotated, Literal, NamedTuple, Self, TypeVar

import pydantic
from pydantic import Field

from judge.canonical import Json, digest, encode

__all__ = [
    "ARMS",
    "AnswerSet",
    "Api",
    "Arm",
    "Attempt",
    "Binding",
    "Cause",
    "Cell",
    "Comparator",
    "Condition",
    "Contrast",
    "Control",
    "Decided",
    "ErrorClass",
    "Exchange",
    "Excluded",
    "Exclusions",
    "Extract",
    "Fact",
    "FrozenFile",
    "Gate",
    "GateLabels",
    "GateRule",
    "Header",
    "Identity",
    "Intent",
    "Item",
    "Judge",
    "Listed",
    "Origin",
    "Outcome",
    "Phase",
    "Plan",
    "Reading",
    "Readings",
    "Reason",
    "Receipt",
    "Record",
    "Recovered",
    "Reference",
    "Resumed",
    "Route",
    "Rubric",
    "Seal",
    "Selection",
    "Sha256",
    "Source",
    "Start",
    "State",
    "Stopped",
    "Study",
    "Template",
    "Undecided",
    "Usage",
    "Version",
    "named",
]

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,99}$")]
"""A name the harness prints, uses as a key and never as a path."""
Count = Annotated[int, Field(ge=0, lt=2**53)]
Version = Annotated[int, Field(ge=1, le=1)]
"""Of the format. Not `Literal[1]`, which takes `true` for 1."""
Foreign = Annotated[str, Field(max_length=200)]
"""Text a server chose, capped so that it cannot write into a public export what it likes."""

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._:@+/-]")


def named(text: str, otherwise: str) -> str:
    """Return the `Name` nearest to a text, or `otherwise` where no letter or digit is left."""
    return _NOT_IN_A_NAME.sub("_", text).lstrip("._:@+/-")[:100] or otherwise


T = TypeVar("T")
Listed = Annotated[tuple[T, ...], pydantic.Strict(False)]  # noqa: FBT003 - pydantic's own spelling
"""A JSON list, kept as a tuple."""

Phase = Literal["control", "answer"]
Arm = Literal["positive", "negative", "injection"]
ARMS: tuple[Arm, ...] = ("positive", "negative", "injection")
State = Literal["complete", "incomplete", "gate-failed", "open"]
Reason = Literal[
    "http_status",
    "content_type",
    "not_json",
    "invalid_json",
    "bad_shape",
    "bad_choices",
    "cut",
    "refusal",
    "content_filter",
    "tool_call",
    "empty",
    "off_scale",
    "readings_disagree",
    "wrong_model",
    "rejected_request",
    "too_large",
    "left_unknown",
]
ErrorClass = Literal["dns", "connect", "tls", "deadline", "cut", "too_large", "protocol"]
Outcome = Literal["decided", "undecided", "retry", "unknown", "not_sent"]
Binding = Literal["http_exchange", "custom_id", "embedded", "replay"]
Identity = Literal["snapshot", "alias", "pinned-id", "label", "embedded"]
Api = Literal["chat-completions", "messages", "lexical"]
Cause = Literal[
    "sigint",
    "sigterm",
    "sighup",
    "key",
    "quota",
    "model",
    "wrong_model",
    "redirect",
    "rejected",
    "server",
    "network",
    "tls",
    "retry_after",
    "portal",
    "duplicate_response_id",
    "token_cap",
    "cost_cap",
]


class Record(pydantic.BaseModel):
    """A frozen, strict record closed to unknown fields."""

    model_config = pydantic.ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )

    def plain(self) -> dict[str, Json]:
        """Return the record as JSON values: what `canonical.encode` takes."""
        return self.model_dump(mode="json")

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the record these canonical bytes hold; raises pydantic.ValidationError."""
        return cls.model_validate_json(data)


def _is_empty(value: object) -> bool:
    return not value


def _is_none(value: object) -> bool:
    return value is None


def _is_as_is(value: object) -> bool:
    return value == "as-is"


def _is_binary(value: object) -> bool:
    return value == "binary"


# A part that later versions added is written down only where it is not the default: the pins and
# the frozen files of whatever does without it are the bytes they always were.
_Optional = Field(default=None, exclude_if=_is_none)
_Some = Field(default=(), exclude_if=_is_empty)


# --- what is judged -----------------------------------------------------------------------------


class Reference(Record):
    """One row of the answer key."""

    id: str
    type: str
    question: str
    gold: str
    abstention: bool
    """The question has no answer, and a right response says so."""


class Item(Record):
    """One saved answer joined with its row of the answer key."""

    answers: Name
    """Which saved answers it came from."""
    position: Count
    """The place of its question in the run, from 0: the same for every answers file."""
    id: str
    type: str
    question: str
    gold: str
    abstention: bool
    response: str
    """What the judge reads."""
    prior: str | None
    """The label somebody gave it earlier, in the words of their file; null when never judged."""
    saved: str | None = _Optional
    """The whole saved answer, where the response is what the plan extracts from it."""


class Control(Record):
    """An item whose right label is known."""

    arm: Arm
    id: str
    type: str
    question: str
    gold: str
    abstention: bool
    response: str
    expect: Literal["accept", "reject"] | Listed[str]
    """`accept`: the label that counts as correct; `reject`: any other; or the labels themselves."""
    source: Name
    """`drawn`, or the control file it came from."""
    donor: str | None
    """Whose gold answer the response is, for a drawn negative control."""


# --- rubrics ------------------------------------------------------------------------------------


FieldName = Literal["question", "gold", "response"]
Fill = Literal["format", "jinja", "named", "angle", "dollar", "upper", "concat"]
"""How a value enters a text; `judge.filling` says what each does."""
Kind = Literal["binary", "three-way", "graded"]
ValueRule = Literal["as-is", "data-markers/1"]
"""What an upstream does to a value before it enters the text; see `judge.filling`."""


class Template(Record):
    """One text of a rubric, composed, with its digest."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    text: str
    sha256: Sha256
    gold: Literal["answer", "explanation", "rubric"] = "answer"
    """What stands in the gold field. A rubric is no answer, so it takes no part in the positive
    arm; an explanation is why there is none, so its controls are declining and confident texts."""
    system: str | None = _Optional
    """The text of the system message, sent as it stands; null: none is sent."""
    system_sha256: Sha256 | None = _Optional
    fields: Listed[FieldName] = _Some
    """The fields of this text where they are not the rubric's."""
    names: Listed[str] = _Some
    """What this text calls its fields where that is not what the rubric says."""
    places: Listed[Count] = _Some
    """`concat` only: before which character of the text each field goes, in code points."""

    @property
    def pinned(self) -> Json:
        """What a pin says of this template: its digest, and whatever else is given."""
        extra = self.model_dump(mode="json", exclude={"name", "text", "gold", "system"})
        return extra if len(extra) > 1 else self.sha256


class Route(Record):
    """Which items take which template; every condition given must hold."""

    template: str
    id_contains: str | None = None
    types: Listed[str] | None = None
    abstention: bool | None = None


class Origin(Record):
    """Where an upstream text comes from."""

    repository: str
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    path: str
    sha256: Sha256
    licence: str


class Readings(Record):
    """The two ways a reply is read, each `name/version`."""

    strict: Name
    """The one that decides."""
    upstream: Name
    """The benchmark's own parser, faults included: counted, never the headline."""


class GateLabels(Record):
    """Which labels of a graded rubric are right for a control that must be accepted or rejected."""

    accept: Listed[str]
    reject: Listed[str]


_OUTSIDE_THE_PIN = {"rubric", "edition", "of", "source", "more_sources", "judges", "gate"}
_PINNED_IN_PART = {"routes", "templates"}


class Rubric(Record):
    """Templates per route, routes, filling, labels, readings, settings."""

    rubric: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    edition: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    of: str | None = None
    source: Origin | None = None
    more_sources: Listed[Origin] = _Some
    """Further files its texts come from."""
    fill: Fill
    fields: Listed[FieldName]
    names: Listed[str] = _Some
    """What the texts call the fields, in the same order; empty: by our names."""
    values: ValueRule = Field(default="as-is", exclude_if=_is_as_is)
    templates: Listed[Template]
    routes: Listed[Route]
    labels: Listed[str]
    kind: Kind = Field(default="binary", exclude_if=_is_binary)
    accept: str | None
    """The label that counts as correct; null for a graded rubric."""
    scale: dict[str, str] = Field(default_factory=dict, exclude_if=_is_empty)
    """Graded only: the number of each label, a decimal as text, where the label is not one."""
    readings: Readings
    settings: dict[str, Json]
    """Sent with every request. A decimal is text and is sent as a JSON number."""
    judges: Listed[str] = ()
    """`provider/model` of the published judges; outside the pin."""
    gate: GateLabels | None = _Optional
    """Graded only: what a control must get. Outside the pin: it decides neither what is sent nor
    how a reply is read, as the threshold does not; each run freezes it."""

    @property
    def name(self) -> str:
        """`rubric/edition`."""
        return f"{self.rubric}/{self.edition}"

    @property
    def pin(self) -> str:
        """The one SHA-256 of all that decides what is sent and how the reply is read."""
        pinned = self.model_dump(mode="json", exclude=_OUTSIDE_THE_PIN | _PINNED_IN_PART)
        # Conditions that are not given are left out, so that a later version may know more of
        # them without changing the pin of a rubric that uses none.
        pinned["routes"] = [r.model_dump(mode="json", exclude_none=True) for r in self.routes]
        pinned["templates"] = {template.name: template.pinned for template in self.templates}
        return digest(encode(pinned))


# --- the plan -----------------------------------------------------------------------------------


class Judge(Record):
    """Who is asked."""

    name: Name
    provider: Literal["openai", "anthropic", "lexical"]
    api: Api
    model: Foreign
    expect_model: Foreign
    """What every reply must name, byte for byte."""
    identity: Identity
    """How much the model's name proves."""
    address: Literal["provider", "custom", "none"]
    settings_set: dict[str, Json]
    settings_unset: Listed[str]


class Condition(Record):
    """One answers x rubric x judge."""

    id: Annotated[str, Field(pattern=r"^c[1-9][0-9]*$")]
    name: str
    answers: Name
    rubric: str
    rubric_pin: Sha256
    labels: Listed[str]
    accept: str | None
    """The label that counts as correct; null for a graded rubric."""
    readings: Readings
    judge: Name
    deviations: Listed[str]
    """What differs from the rubric as published, one sentence each."""
    official: bool
    """An upstream pin, a published judge and no deviation."""


class AnswerSet(Record):
    """One set of saved answers: a block of rows in items.jsonl."""

    name: Name
    first_row: Count
    rows: Count
    missing: Count
    """Questions selected from the answer key that have no saved answer here."""


class GateRule(Record):
    """What a judge must get right before it may score."""

    threshold: str
    """An exact fraction above 1/2, as written: `0.9`, `11/12`."""
    seed: Count
    positive: Count
    negative: Count
    batch_size: Annotated[int, Field(ge=1, lt=2**53)] | None
    """Questions per batch, each batch behind its own groups; null: one batch."""
    controls: Listed[Name]
    """Control files added to the draw."""


class Selection(Record):
    """Which rows of the saved answers are judged."""

    only: Listed[str]
    limit: Count | None
    allow_partial: bool
    allow_empty: bool


class FrozenFile(Record):
    """One file of RUN/inputs."""

    name: str
    sha256: Sha256
    bytes: Count
    rows: Count | None


class Source(Record):
    """One file the inputs were made from, by its base name."""

    role: Literal["answers", "references", "controls"]
    name: Name
    file: str
    sha256: Sha256
    bytes: Count
    rows: Count


Extract = Literal["last-answer-line"]
"""What of a saved answer the judge reads; `judge.extraction` says how."""


class Contrast(Record):
    """Two conditions to be held against each other, named before the run."""

    name: Name
    vary: Literal["answers", "rubric", "judge"] | None = None
    """Every two conditions that differ in this alone; null: the two named."""
    first: Annotated[str, Field(pattern=r"^c[1-9][0-9]*$")] | None = None
    second: Annotated[str, Field(pattern=r"^c[1-9][0-9]*$")] | None = None


class Excluded(Record):
    """A row of the answer key that somebody has questioned."""

    model_config = pydantic.ConfigDict(validate_by_name=True, serialize_by_alias=True)

    id: str
    class_: str = Field(alias="class")
    """What is wrong with it, in a word or two."""
    reason: str


class Exclusions(Record):
    """The questionable rows of an answer key, as they stood before the run."""

    file: str
    """Base name."""
    sha256: Sha256
    rows: Listed[Excluded]


class Comparator(Record):
    """A figure somebody published, to stand beside this one and never in one ranking with it."""

    name: str
    count: Count
    n: Annotated[int, Field(ge=1, lt=2**53)]
    source: str
    """Where it was read: a file's base name, or an address."""
    sha256: Sha256
    """Of the source as it was read."""
    rubric: str | None = None
    judge: str | None = None
    data: str | None = None
    """What it was measured with, where the source says so."""


class Study(Record):
    """What will be said about a run, fixed before its first call."""

    contrasts: Listed[Contrast] = ()
    exclusions: Exclusions | None = None
    comparators: Listed[Comparator] = ()
    margin: str | None = None
    """The largest difference that does not matter, a share such as `0.02`."""
    allowed_breaks: Count = 0
    """Items an improvement may break and still pass."""


class Plan(Record):
    """What a run will ask, fixed before the first call."""

    v: Version
    conditions: Listed[Condition]
    judges: Listed[Judge]
    gate: GateRule
    repetitions: Annotated[int, Field(ge=1, le=1000)]
    reask: Annotated[int, Field(ge=0, le=10)]
    """How often an undecided cell is asked again before the seal."""
    selection: Selection
    questions: Count
    """Distinct questions among the items."""
    answers: Listed[AnswerSet]
    inputs: Listed[FrozenFile]
    sources: Listed[Source]
    extract: Extract | None = _Optional
    """What of each saved answer the judge reads; null: all of it."""
    study: Study | None = _Optional


# --- one attempt --------------------------------------------------------------------------------


class Cell(NamedTuple):
    """What a plan asks once: a condition, a repetition and a row."""

    phase: Phase
    batch: int
    condition: str
    repetition: int
    """From 1."""
    row: int
    """The line in items.jsonl or controls.jsonl, from 0."""


class Exchange(Record):
    """What came back for one attempt, or what kept it from coming back."""

    status: int | None
    headers: tuple[tuple[str, str], ...]
    """Allow-listed, names in lower case, in the order received."""
    body: bytes
    """Raw, as received; the bytes of a cut answer too."""
    error: ErrorClass | None
    sent: bool
    """Whether a byte of the request may have left this process."""
    withheld: bool = False
    """Whether the answer held the key, so that its bytes were not kept; in no receipt."""


class Usage(Record):
    """Billed tokens as the provider counts them; null where it does not say."""

    input: Count | None
    output: Count | None
    reasoning: Count | None
    cache_read: Count | None
    cache_write: Count | None


class Decided(Record):
    """The reply holds this label."""

    kind: Literal["decided"] = "decided"
    label: str


class Undecided(Record):
    """The reply holds no verdict, for this reason."""

    kind: Literal["undecided"] = "undecided"
    reason: Reason


class Reading(Record):
    """Everything a receipt says that follows from the exchange alone."""

    outcome: Outcome
    label: str | None
    reason: Reason | None
    error: ErrorClass | None
    status: int | None
    model_returned: Foreign | None
    finish: Foreign | None
    fingerprint: Foreign | None
    service_tier: Foreign | None
    usage: Usage | None
    readings: dict[str, str | None] | None
    """`name/version` to label, null where that reading found none; null without a reply text."""


# --- the ledger ---------------------------------------------------------------------------------
# A line of receipts.jsonl is a header and a fact; receipts/FORMAT.md is the full account.


class Header(Record):
    """What the public part of every line has beside its fact."""

    v: Version
    seq: Count
    prev: Sha256
    at: Annotated[
        str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$")
    ]
    commit: dict[Name, Sha256]
    """Private name to commitment; empty when the line keeps nothing private."""


class Start(Record):
    """The first line."""

    kind: Literal["start"] = "start"
    plan_sha256: Sha256


class Attempt(Record):
    """The fields an intent and its receipt share."""

    condition: Annotated[str, Field(pattern=r"^c[1-9][0-9]*$")]
    repetition: Annotated[int, Field(ge=1)]
    batch: Count
    phase: Phase
    arm: Arm | None
    row: Count
    attempt: Annotated[int, Field(ge=1)]


class Intent(Attempt):
    """Durable before its request is sent; private: request (the exact body)."""

    kind: Literal["intent"] = "intent"
    after_unknown: bool
    """An earlier attempt of this cell may have been answered, and billed, unseen."""
    length: Count
    """Bytes of the body."""
    tokens_max: Count | None
    """The most this attempt can cost; null when no output limit is sent."""


class Receipt(Attempt):
    """One closed attempt; private: item, headers, response, and reply_text when one was read."""

    kind: Literal["receipt"] = "receipt"
    intent_seq: Count
    gate_seqs: Listed[Count] | None
    """The gate lines it stands on; null for controls."""
    expect: Listed[str] | None
    """The labels that are right, for controls."""
    rubric_pin: Sha256
    template_sha256: Sha256
    model_requested: Foreign
    model_returned: Foreign | None
    binding: Binding
    status: Count | None
    finish: Foreign | None
    usage: Usage | None
    fingerprint: Foreign | None
    service_tier: Foreign | None
    readings: dict[Name, str | None] | None
    outcome: Outcome
    label: str | None
    reason: Reason | None
    error: ErrorClass | None
    elapsed_ms: Count | None
    final: bool


class Gate(Record):
    """What one group of controls decided."""

    kind: Literal["gate"] = "gate"
    condition: Annotated[str, Field(pattern=r"^c[1-9][0-9]*$")]
    repetition: Annotated[int, Field(ge=1)]
    batch: Count
    arm: Arm
    asked: Count
    correct: Count
    undecided: Count
    need: Count
    routes: dict[str, Annotated[tuple[Count, Count], pydantic.Strict(False)]]  # noqa: FBT003
    """Template name to (asked, correct)."""
    passed: bool = Field(alias="pass")

    model_config = pydantic.ConfigDict(validate_by_name=True, serialize_by_alias=True)


class Resumed(Record):
    """The run went on after a stop."""

    kind: Literal["resumed"] = "resumed"
    recheck: bool
    resend_unknown: Count
    leave_unknown: bool
    version: Foreign


class Recovered(Record):
    """A torn tail was set aside before the run went on."""

    kind: Literal["recovered"] = "recovered"
    discarded_bytes: Count
    discarded_sha256: Sha256


class Stopped(Record):
    """The run stopped before its end, on purpose."""

    kind: Literal["stopped"] = "stopped"
    cause: Cause


class Seal(Record):
    """The last line: nothing follows."""

    kind: Literal["seal"] = "seal"
    state: Literal["complete", "incomplete", "gate-failed"]
    lines: Count
    """Lines in the file, this one included."""
    cells: Count
    """Answer cells of the plan."""
    decided: Count
    undecided: Count
    """Of the answer cells closed."""


Fact = Start | Intent | Receipt | Gate | Resumed | Recovered | Stopped | Seal
