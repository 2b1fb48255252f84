"""Forgeries: a true run bent in one place, each by a function whose name says what was bent.

`Forge.write` then numbers, commits, chains and seals the bent run anew, so that nothing but what
its lines say can give it away.
"""

import json
from collections.abc import Callable
from typing import Any

from forge import AT, Answer, Cell, Fields, Forge, canonical, digest, ends, says

__all__ = ["FORGERIES", "answer", "gated", "small", "texts"]


def small() -> Forge:
    """Return one condition, one repetition, one batch, before its start."""
    return Forge(judges=("gpt",), sets={"a": [0, 1, 2, 3, 4]}, batch_size=None, repetitions=1)


def gated(forge: Forge, **answers: Callable[[Fields, int], Answer]) -> list[Cell]:
    """Play start, controls and gates of a small run; return its answer cells."""
    forge.start()
    for cell in forge.cells("control", 0):
        forge.ask(cell, answers.get(f"row_{cell.row}"))
    forge.gate(0)
    return forge.cells("answer", 0)


Bend = Callable[[Forge], Any]
FORGERIES: dict[str, Bend] = {}


def forgery(bend: Bend) -> Bend:
    """Name a forgery by its function."""
    FORGERIES[bend.__name__] = bend
    return bend


def frozen(forge: Forge) -> None:
    """Make run.json and the start line follow the inputs and the plan."""
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


def answer(forge: Forge, number: int = 0, **facts: object) -> Fields:
    """Return a decided answer of c1 and a chat judge."""
    found: dict[str, object] = {"phase": "answer", "condition": "c1", "outcome": "decided"}
    return forge.find("receipt", number, **{**found, **facts})


def texts(forge: Forge, fields: Fields) -> dict[str, bytes]:
    """Return the private texts of these public fields."""
    return next(private for public, private in forge.lines if public is fields)


@forgery
def label(forge: Forge) -> None:
    """Turn a no into a yes."""
    answer(forge, label="no")["label"] = "yes"


@forgery
def label_and_readings(forge: Forge) -> None:
    """Turn a no into a yes, readings too."""
    fields = answer(forge, label="no")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}


@forgery
def label_readings_and_text(forge: Forge) -> None:
    """Turn a no into a yes everywhere but in the raw reply."""
    fields = answer(forge, label="no")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}
    texts(forge, fields)["reply_text"] = b"yes"


@forgery
def raw_reply(forge: Forge) -> None:
    """Change the words in the raw reply only."""
    private = texts(forge, answer(forge, label="no"))
    private["response"] = private["response"].replace(b'"no"', b'"yes"')


@forgery
def swapped_replies(forge: Forge) -> None:
    """Give two receipts each other's raw reply and text."""
    one, two = texts(forge, answer(forge, label="no")), texts(forge, answer(forge, label="yes"))
    for name in ("response", "reply_text"):
        one[name], two[name] = two[name], one[name]


@forgery
def swapped_raw_replies(forge: Forge) -> None:
    """Give two receipts each other's raw reply."""
    one, two = texts(forge, answer(forge, label="no")), texts(forge, answer(forge, label="yes"))
    one["response"], two["response"] = two["response"], one["response"]


@forgery
def verdict_called_off_scale(forge: Forge) -> None:
    """Call a clear no off the scale."""
    fields = answer(forge, label="no")
    fields |= {"outcome": "undecided", "label": None, "reason": "off_scale"}
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


@forgery
def verdict_hidden_as_cut(forge: Forge) -> None:
    """Hide a clear no behind another reason."""
    fields = answer(forge, label="no")
    fields |= {"outcome": "undecided", "label": None, "reason": "cut", "readings": None}
    del texts(forge, fields)["reply_text"]
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


def asked_until_liked(forge: Forge, outcome: str) -> None:
    """Call a clear no an accident, and ask again."""
    fields = answer(forge, label="no")
    private = texts(forge, fields)
    cell = Cell(*(fields[name] for name in Cell._fields))
    place = next(n for n, (f, _) in enumerate(forge.lines) if f is fields)
    fields |= {"outcome": outcome, "label": None, "readings": None, "final": False}
    del private["reply_text"]
    tail, old = forge.lines[place + 1 :], len(forge.lines)
    if outcome == "unknown":
        forge.lost.add(cell)
    forge.gates[cell.batch, cell.condition, cell.repetition] = fields["gate_seqs"]
    forge.attempts[cell] = 1
    forge.ask(cell, says("yes"))
    forge.move([*forge.lines[: place + 1], *forge.lines[old:], *tail])


@forgery
def verdict_called_retry(forge: Forge) -> None:
    """Call a clear no a refusal of the server, and ask again."""
    asked_until_liked(forge, "retry")


@forgery
def verdict_called_unknown(forge: Forge) -> None:
    """Call a clear no unknown, and ask again."""
    asked_until_liked(forge, "unknown")


@forgery
def model_returned(forge: Forge) -> None:
    """Name another model in the receipt."""
    answer(forge)["model_returned"] = "gpt-2"


@forgery
def model_of_the_reply(forge: Forge) -> None:
    """Let another model have answered."""
    fields = answer(forge)
    fields["model_returned"] = "gpt-2"
    private = texts(forge, fields)
    private["response"] = private["response"].replace(b"gpt-1", b"gpt-2")


@forgery
def finish(forge: Forge) -> None:
    """Decide a reply that was cut."""
    fields = answer(forge)
    fields["finish"] = "length"
    private = texts(forge, fields)
    private["response"] = private["response"].replace(b'"stop"', b'"length"')


@forgery
def status(forge: Forge) -> None:
    """Decide an answer of status 500."""
    answer(forge)["status"] = 500


@forgery
def error(forge: Forge) -> None:
    """Decide an answer that was cut on the wire."""
    answer(forge)["error"] = "cut"


@forgery
def two_choices(forge: Forge) -> None:
    """Decide a reply of two choices."""
    private = texts(forge, answer(forge))
    body = json.loads(private["response"])
    body["choices"] *= 2
    private["response"] = canonical(body | {"cost": 1})


@forgery
def refused_reply(forge: Forge) -> None:
    """Decide a reply that is a refusal."""
    private = texts(forge, answer(forge))
    private["response"] = private["response"].replace(b'"refusal": null', b'"refusal": "no"')


@forgery
def doubled_key(forge: Forge) -> None:
    """Decide a reply that names its model twice."""
    private = texts(forge, answer(forge))
    private["response"] = b'{"model":"gpt-1",' + private["response"][1:]


@forgery
def one_reply_twice(forge: Forge) -> None:
    """Let one reply answer two questions."""
    one, two = texts(forge, answer(forge, 0)), texts(forge, answer(forge, 1))
    two["response"] = one["response"]


@forgery
def readings_of_another_rule(forge: Forge) -> None:
    """Name a reading the rubric does not name."""
    answer(forge)["readings"] = {"yes-no/2": "yes", "yes-substring/1": "yes"}


@forgery
def no_readings(forge: Forge) -> None:
    """Decide without a text."""
    fields = answer(forge)
    fields["readings"] = None
    del texts(forge, fields)["reply_text"]


@forgery
def request_model(forge: Forge) -> None:
    """Let another model have been asked, in the request."""
    private = forge.private("intent", condition="c1")
    private["request"] = private["request"].replace(b"gpt-1", b"gpt-2")


@forgery
def request_length(forge: Forge) -> None:
    """Make a request longer than it says."""
    forge.private("intent")["request"] += b" "


@forgery
def model_requested(forge: Forge) -> None:
    """Let another model have been asked, in the receipt."""
    answer(forge)["model_requested"] = "gpt-2"


@forgery
def binding(forge: Forge) -> None:
    """Call an answer of a server embedded."""
    answer(forge)["binding"] = "embedded"


@forgery
def expect(forge: Forge) -> None:
    """Expect what a wrong control said."""
    forge.find("receipt", phase="control", arm="negative")["expect"] = ["yes", "no"]


@forgery
def expect_nothing(forge: Forge) -> None:
    """Expect nothing of a control."""
    forge.find("receipt", phase="control")["expect"] = None


@forgery
def expect_of_an_answer(forge: Forge) -> None:
    """Expect something of an answer."""
    answer(forge)["expect"] = ["yes"]


@forgery
def control_file(forge: Forge) -> None:
    """Change a control after the run was frozen."""
    forge.inputs["controls.jsonl"][0]["response"] = "something else"


@forgery
def control_frozen_anew(forge: Forge) -> None:
    """Change what a control expects, and freeze the plan anew."""
    forge.inputs["controls.jsonl"][2]["expect"] = ["yes"]
    frozen(forge)


@forgery
def control_of_no_label(forge: Forge) -> None:
    """Expect a label the rubric does not offer."""
    forge.inputs["controls.jsonl"][4]["expect"] = ["never"]
    frozen(forge)
    for fields, _ in forge.lines:
        if fields["kind"] == "receipt" and fields["arm"] == "injection":
            fields["expect"] = ["never"]


@forgery
def item_file(forge: Forge) -> None:
    """Change an answer after the run was frozen."""
    forge.inputs["items.jsonl"][1]["response"] = "something else"


@forgery
def item_moved(forge: Forge) -> None:
    """Put two rows of an answers set in the other order, and freeze the plan anew."""
    rows = forge.inputs["items.jsonl"]
    rows[0], rows[1] = rows[1], rows[0]
    frozen(forge)


@forgery
def item_of_another_question(forge: Forge) -> None:
    """Let one position be two questions, and freeze the plan anew."""
    forge.inputs["items.jsonl"][5]["id"] = "q9"
    frozen(forge)
    for fields, private in forge.lines:
        if (fields.get("row"), fields.get("phase")) == (5, "answer") and "item" in private:
            private["item"] = private["item"].replace(b'"q0"', b'"q9"')


@forgery
def template_text(forge: Forge) -> None:
    """Change a template's text, and freeze the plan anew."""
    forge.inputs["rubrics/small.v1.json"]["templates"][0]["text"] += "!"
    frozen(forge)


@forgery
def rubric_settings(forge: Forge) -> None:
    """Change a pinned setting, and freeze the plan anew."""
    forge.inputs["rubrics/small.v1.json"]["settings"]["max_tokens"] = 11
    frozen(forge)


@forgery
def accepted_label_of_the_plan(forge: Forge) -> None:
    """Let the plan accept another label than the rubric."""
    for one in forge.plan["conditions"]:
        one["accept"] = "no"
    frozen(forge)


@forgery
def threshold_of_the_plan(forge: Forge) -> None:
    """Lower the threshold to what a coin reaches."""
    forge.plan["gate"]["threshold"] = "1/2"
    frozen(forge)


@forgery
def plan_changed_after_the_start(forge: Forge) -> None:
    """Fix another plan than the start line names."""
    forge.plan["reask"] = 1
    forge.freeze()


@forgery
def plan_digest(forge: Forge) -> None:
    """Name another digest beside the plan."""
    forge.run["plan_sha256"] = "0" * 64


@forgery
def gate_correct(forge: Forge) -> None:
    """Count a control less as correct."""
    forge.find("gate", arm="negative")["correct"] = 1


@forgery
def gate_asked(forge: Forge) -> None:
    """Count a control more."""
    forge.find("gate")["asked"] = 3


@forgery
def gate_need(forge: Forge) -> None:
    """Need less."""
    forge.find("gate")["need"] = 1


@forgery
def gate_undecided(forge: Forge) -> None:
    """Count an undecided control that is none."""
    forge.find("gate")["undecided"] = 1


@forgery
def gate_routes(forge: Forge) -> None:
    """Count the controls on other routes."""
    forge.find("gate")["routes"] = {"abstention": [1, 1], "base": [1, 1]}


@forgery
def gate_pass_of_a_wrong_control(forge: Forge) -> None:
    """Let a control have been wrong, and the group pass all the same."""
    fields = forge.find("receipt", phase="control", arm="injection", condition="c1")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}
    private = texts(forge, fields)
    private["reply_text"] = b"Yes."
    private["response"] = private["response"].replace(b'"No."', b'"Yes."')


@forgery
def gate_dropped(forge: Forge) -> None:
    """Take a gate line away."""
    gone = forge.find("gate", 5)
    forge.move([line for line in forge.lines if line[0] is not gone])


@forgery
def gates_swapped(forge: Forge) -> None:
    """Put two gate lines in the other order."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"]
    lines = list(forge.lines)
    one, two = places[:2]
    lines[one], lines[two] = lines[two], lines[one]
    forge.move(lines)


@forgery
def gate_doubled(forge: Forge) -> None:
    """Decide a batch's last group twice."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"]
    last = forge.lines[places[11]]
    again: tuple[Fields, dict[str, bytes]] = (dict(last[0]), {})
    forge.move([*forge.lines[: places[11] + 1], again, *forge.lines[places[11] + 1 :]])


def without(forge: Forge, kinds: tuple[str, ...], fields: Fields) -> None:
    """Take lines of one cell away."""
    key = {name: fields[name] for name in Cell._fields}
    gone = [
        public
        for public, _ in forge.lines
        if public["kind"] in kinds and all(public[name] == part for name, part in key.items())
    ]
    forge.move([line for line in forge.lines if all(line[0] is not one for one in gone)])


@forgery
def dropped_cell(forge: Forge) -> None:
    """Take an unwelcome answer away, and seal the rest as complete."""
    without(forge, ("intent", "receipt"), answer(forge, label="no"))
    forge.lines[-1][0].update(decided=17, cells=17)


@forgery
def dropped_last_cell(forge: Forge) -> None:
    """Take the last answer away, and seal the rest as complete."""
    last = [f for f, _ in forge.lines if f["kind"] == "receipt"][-1]
    without(forge, ("intent", "receipt"), last)
    forge.lines[-1][0].update(decided=17)


@forgery
def dropped_receipt(forge: Forge) -> None:
    """Take an unwelcome receipt away and leave its intent."""
    without(forge, ("receipt",), answer(forge, label="no"))
    forge.lines[-1][0].update(decided=17)


@forgery
def dropped_intent(forge: Forge) -> None:
    """Take an intent away and leave its receipt."""
    without(forge, ("intent",), answer(forge, label="no"))


@forgery
def dropped_control(forge: Forge) -> None:
    """Take a control away."""
    without(forge, ("intent", "receipt"), forge.find("receipt", phase="control", row=2))


@forgery
def doubled_receipt(forge: Forge) -> None:
    """Close an attempt twice."""
    fields = answer(forge)
    place = next(n for n, (f, _) in enumerate(forge.lines) if f is fields)
    again = (dict(fields), dict(texts(forge, fields)))
    forge.move([*forge.lines[: place + 1], again, *forge.lines[place + 1 :]])


@forgery
def altered_order(forge: Forge) -> None:
    """Ask two questions in the other order."""
    place = next(n for n, (f, _) in enumerate(forge.lines) if f.get("phase") == "answer")
    lines = forge.lines
    forge.move(
        [
            *lines[:place],
            *lines[place + 2 : place + 4],
            *lines[place : place + 2],
            *lines[place + 4 :],
        ]
    )


@forgery
def altered_order_of_conditions(forge: Forge) -> None:
    """Ask every question of one condition before those of the other."""
    both = [line for line in forge.lines if line[0].get("phase") == "control"]
    first = [line for line in both if line[0]["batch"] == 0]
    rest = [line for line in forge.lines if all(line is not one for one in first)]
    first.sort(key=lambda line: str(line[0]["condition"]))
    forge.move([rest[0], *first, *rest[1:]])


def moved(forge: Forge, name: str, value: object) -> None:
    """Let one answer have been another cell's."""
    fields = answer(forge)
    for public, _ in forge.lines:
        if public["kind"] == "intent" and all(public[n] == fields[n] for n in Cell._fields):
            public[name] = value
    fields[name] = value


@forgery
def moved_condition(forge: Forge) -> None:
    """Let an answer of c1 be one of c2."""
    moved(forge, "condition", "c2")


@forgery
def moved_repetition(forge: Forge) -> None:
    """Let an answer of repetition 1 be one of repetition 2."""
    moved(forge, "repetition", 2)


@forgery
def moved_row(forge: Forge) -> None:
    """Let an answer to one question be one to another."""
    moved(forge, "row", 3)


@forgery
def moved_batch(forge: Forge) -> None:
    """Let an answer of the first batch be one of the second."""
    moved(forge, "batch", 1)


@forgery
def moved_arm(forge: Forge) -> None:
    """Let a negative control be a positive one."""
    for fields, _ in forge.lines:
        if fields.get("arm") == "negative" and fields["kind"] != "gate":
            fields["arm"] = "positive"


@forgery
def condition_of_no_plan(forge: Forge) -> None:
    """Answer for a condition the plan does not have."""
    moved(forge, "condition", "c3")


@forgery
def receipt_of_another_cell(forge: Forge) -> None:
    """Close one cell with the receipt of another."""
    answer(forge)["repetition"] = 2


@forgery
def gate_seqs(forge: Forge) -> None:
    """Stand on the gates of another repetition."""
    answer(forge, repetition=1)["gate_seqs"] = answer(forge, repetition=2)["gate_seqs"]


@forgery
def gate_seqs_missing(forge: Forge) -> None:
    """Stand on no gate."""
    answer(forge)["gate_seqs"] = None


@forgery
def gate_seqs_short(forge: Forge) -> None:
    """Stand on two gates of three."""
    fields = answer(forge)
    fields["gate_seqs"] = fields["gate_seqs"][:2]


@forgery
def intent_seq(forge: Forge) -> None:
    """Name another intent."""
    answer(forge)["intent_seq"] -= 2


@forgery
def attempt(forge: Forge) -> None:
    """Start counting at 2."""
    moved(forge, "attempt", 2)


@forgery
def after_unknown(forge: Forge) -> None:
    """Mark a first attempt as sent after an unknown one."""
    forge.find("intent")["after_unknown"] = True


@forgery
def final(forge: Forge) -> None:
    """Leave a decided cell open."""
    answer(forge)["final"] = False


@forgery
def rubric_pin(forge: Forge) -> None:
    """Name another rubric."""
    answer(forge)["rubric_pin"] = "0" * 64


@forgery
def template(forge: Forge) -> None:
    """Name the template of another route."""
    rules = forge.inputs["rubrics/small.v1.json"]
    answer(forge)["template_sha256"] = rules["templates"][1]["sha256"]


@forgery
def route(forge: Forge) -> None:
    """Send a row on another route, template and all."""
    template(forge)
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"base"', b'"abstention"')


@forgery
def item_id(forge: Forge) -> None:
    """Name another question."""
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"q0"', b'"q1"')


@forgery
def item_type(forge: Forge) -> None:
    """Name another type of question."""
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"plain"', b'"dated"')


@forgery
def answers_before_gates(forge: Forge) -> None:
    """Ask the answers before the groups were decided."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"][:12]
    lines = forge.lines
    gates, first = lines[places[0] : places[-1] + 1], lines[places[-1] + 1 : places[-1] + 3]
    forge.move([*lines[: places[0]], *first, *gates, *lines[places[-1] + 3 :]])


@forgery
def asked_after_a_failed_group(forge: Forge) -> None:
    """Go on although a group failed, with honest gate lines."""
    bad = Forge()
    bad.answer = lambda cell: says("yes" if cell.row == 4 else "no")
    bad.answer = lambda cell: says("yes") if cell.row == 4 else bad.right(cell)
    bad.whole()
    bad.lines.pop()
    for cell in bad.cells("answer", 0)[:1]:
        bad.ask(cell, says("yes"))
    forge.lines = bad.lines


@forgery
def sealed_as_passed(forge: Forge) -> None:
    """Seal a run whose group failed as complete."""
    bad = Forge()
    bad.answer = lambda _cell: says("yes")
    bad.whole()
    bad.lines[-1][0]["state"] = "complete"
    forge.lines = bad.lines


@forgery
def line_after_the_seal(forge: Forge) -> None:
    """Add a line after the seal."""
    forge.lines[-1][0]["lines"] = len(forge.lines)
    forge.lines.append(({"kind": "stopped", "at": AT, "v": 1, "cause": "sigint"}, {}))


@forgery
def second_start(forge: Forge) -> None:
    """Start twice."""
    forge.move([forge.lines[0], (dict(forge.lines[0][0]), {}), *forge.lines[1:]])


@forgery
def no_start(forge: Forge) -> None:
    """Start with an intent."""
    forge.move(forge.lines[1:])


@forgery
def seal_decided(forge: Forge) -> None:
    """Seal more decided cells than there are."""
    forge.lines[-1][0]["decided"] += 1


@forgery
def seal_cells(forge: Forge) -> None:
    """Seal more cells than there are."""
    forge.lines[-1][0]["cells"] += 1


@forgery
def seal_lines(forge: Forge) -> None:
    """Seal more lines than there are."""
    forge.lines[-1][0]["lines"] = len(forge.lines) + 1


@forgery
def seal_state(forge: Forge) -> None:
    """Seal a complete run as incomplete."""
    forge.lines[-1][0]["state"] = "incomplete"


@forgery
def sealed_early(forge: Forge) -> None:
    """Seal before the last question."""
    forge.lines = [*forge.lines[:-3], forge.lines[-1]]
    forge.lines[-1][0]["decided"] = 17


@forgery
def asked_after_a_stop(forge: Forge) -> None:
    """Go on after a stop without a resume."""
    stop: tuple[Fields, dict[str, bytes]] = (
        {"kind": "stopped", "at": AT, "v": 1, "cause": "key"},
        {},
    )
    forge.move([*forge.lines[:50], stop, *forge.lines[50:]])


@forgery
def asked_again(forge: Forge) -> None:
    """Ask a decided cell again."""
    fields = answer(forge)
    cell = Cell(*(fields[name] for name in Cell._fields))
    forge.gates[cell.batch, cell.condition, cell.repetition] = fields["gate_seqs"]
    seal = forge.lines.pop()
    forge.ask(cell, says("yes"))
    forge.lines.append(seal)


@forgery
def left_what_was_known(forge: Forge) -> None:
    """Close an open attempt of this very process as left unknown."""
    fields = answer(forge, label="no")
    fields |= dict.fromkeys(("label", "readings", "model_returned", "finish", "status"))
    fields |= {"outcome": "undecided", "reason": "left_unknown"}
    private = texts(forge, fields)
    del private["reply_text"]
    private |= {"response": b"", "headers": b"[]"}
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


@forgery
def version(forge: Forge) -> None:
    """Write a line of another version."""
    answer(forge)["v"] = 2


@forgery
def field_too_many(forge: Forge) -> None:
    """Add a field."""
    answer(forge)["note"] = "fine"


@forgery
def field_too_few(forge: Forge) -> None:
    """Leave a field out."""
    del answer(forge)["elapsed_ms"]


@forgery
def truth_for_a_number(forge: Forge) -> None:
    """Write true where 1 stands."""
    answer(forge)["attempt"] = True


@forgery
def foreign_text_uncut(forge: Forge) -> None:
    """Keep more of a server's text than a public line may."""
    answer(forge)["fingerprint"] = "x" * 201


@forgery
def no_time(forge: Forge) -> None:
    """Write a time of another form."""
    answer(forge)["at"] = "2026-11-30 10:00"


@forgery
def private_too_many(forge: Forge) -> None:
    """Keep a text its kind does not keep."""
    forge.private("intent")["note"] = b"x"


@forgery
def private_of_a_gate(forge: Forge) -> None:
    """Keep something private in a gate line."""
    forge.private("gate")["note"] = b"x"


@forgery
def name_too_many_in_run_json(forge: Forge) -> None:
    """Say more in run.json."""
    forge.run["note"] = "fine"


@forgery
def name_too_many_in_the_plan(forge: Forge) -> None:
    """Say more in the plan."""
    forge.plan["sentinels"] = 3
    frozen(forge)


@forgery
def name_too_few_in_a_condition(forge: Forge) -> None:
    """Say less of a condition."""
    del forge.plan["conditions"][1]["official"]
    frozen(forge)


@forgery
def name_too_many_in_an_item(forge: Forge) -> None:
    """Say more of an answer."""
    forge.inputs["items.jsonl"][0]["note"] = "fine"
    frozen(forge)


@forgery
def name_too_many_in_a_rubric(forge: Forge) -> None:
    """Say more in a rubric, outside the pin."""
    forge.inputs["rubrics/small.v1.json"]["note"] = "fine"
    frozen(forge)


@forgery
def name_too_many_in_a_private_item(forge: Forge) -> None:
    """Say more in what a receipt keeps of its row."""
    texts(forge, answer(forge))["item"] = canonical(
        {"id": "q0", "note": "fine", "route": "base", "type": "plain"}
    )


@forgery
def version_of_the_run(forge: Forge) -> None:
    """Write run.json of another version."""
    forge.run["v"] = 2


@forgery
def version_of_the_plan(forge: Forge) -> None:
    """Write a plan of another version."""
    forge.plan["v"] = 2
    frozen(forge)


@forgery
def no_salt(forge: Forge) -> None:
    """Let the run id hide nothing."""
    forge.run["salt"] = ""


@forgery
def plan_digest_everywhere(forge: Forge) -> None:
    """Name another plan in run.json and in the start line."""
    forge.run["plan_sha256"] = forge.find("start")["plan_sha256"] = "0" * 64


@forgery
def two_judges_of_one_name(forge: Forge) -> None:
    """Describe a judge twice."""
    forge.plan["judges"].insert(0, {**forge.plan["judges"][0], "model": "other"})
    frozen(forge)


@forgery
def conditions_renamed(forge: Forge) -> None:
    """Begin the conditions at c2."""
    new = {"c1": "c2", "c2": "c3"}
    for one in forge.plan["conditions"]:
        one["id"] = new[one["id"]]
    for fields, _ in forge.lines:
        if "condition" in fields:
            fields["condition"] = new[fields["condition"]]
    frozen(forge)


@forgery
def threshold_of_another_form(forge: Forge) -> None:
    """Write nine tenths as no decimal and no fraction of the format."""
    forge.plan["gate"]["threshold"] = "9e-1"
    frozen(forge)


@forgery
def threshold_a_coin_reaches(forge: Forge) -> None:
    """Play a whole run behind a gate that a coin passes."""
    coin = Forge(threshold="1/2").whole()
    forge.__dict__ = coin.__dict__


@forgery
def no_negative_controls(forge: Forge) -> None:
    """Play a whole run that never asked the judge to refuse."""
    easy = Forge(arms="pp").whole()
    forge.__dict__ = easy.__dict__


@forgery
def no_controls(forge: Forge) -> None:
    """Play a whole run without a control."""
    easy = Forge(arms="").whole()
    forge.__dict__ = easy.__dict__


@forgery
def no_conditions(forge: Forge) -> None:
    """Seal a plan that asks nobody."""
    forge.plan["conditions"] = []
    frozen(forge)
    forge.lines = [forge.lines[0], forge.lines[-1]]
    forge.lines[-1][0].update(cells=0, decided=0)


@forgery
def no_repetitions(forge: Forge) -> None:
    """Seal a plan that asks no time."""
    forge.plan["repetitions"] = 0
    frozen(forge)
    forge.lines = [forge.lines[0], forge.lines[-1]]
    forge.lines[-1][0].update(cells=0, decided=0)


@forgery
def batches_of_nothing(forge: Forge) -> None:
    """Gate before every no questions."""
    forge.plan["gate"]["batch_size"] = 0
    frozen(forge)


@forgery
def rows_of_an_answers_set(forge: Forge) -> None:
    """Let the second answers set begin a row later."""
    forge.plan["answers"][1]["first_row"] += 1
    frozen(forge)


@forgery
def rows_of_a_file(forge: Forge) -> None:
    """Count a row more in a file."""
    frozen(forge)
    forge.plan["inputs"][2]["rows"] += 1
    forge.run["plan_sha256"] = digest(canonical(forge.plan))
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def question_nobody_answers(forge: Forge) -> None:
    """Plan a question without an answer."""
    forge.plan["questions"] = 6
    frozen(forge)


@forgery
def control_that_expects_nothing(forge: Forge) -> None:
    """Expect no label at all of the injection control, and lose."""
    bad = Forge()
    bad.inputs["controls.jsonl"][4]["expect"] = []
    bad.whole()
    for fields, _ in bad.lines:
        if fields["kind"] == "receipt" and fields["arm"] == "injection":
            fields["expect"] = []
    frozen(bad)
    forge.__dict__ = bad.__dict__


@forgery
def retry_with_a_label(forge: Forge) -> None:
    """Let a refusal of the server hold a label."""
    again = small()
    first, *rest = gated(again)
    again.ask(first, ends("retry", b"slow down", status=429, label="yes"))
    for cell in [first, *rest]:
        again.ask(cell)
    again.seal()
    forge.__dict__ = again.__dict__


@forgery
def undecided_asked_again(forge: Forge) -> None:
    """Ask an undecided cell again although `reask` is 0, until it says yes."""
    again = small()
    first, *rest = gated(again)
    again.ask(first, says("Perhaps."))
    for cell in [first, *rest]:
        again.ask(cell)
    again.seal()
    forge.__dict__ = again.__dict__


@forgery
def control_asked_again(forge: Forge) -> None:
    """Ask a control that was wrong again, until it is right."""
    again = small()
    again.start()
    for cell in again.cells("control", 0):
        again.ask(cell, says("no"))
        again.ask(cell)
    again.gate(0)
    for cell in again.cells("answer", 0):
        again.ask(cell)
    again.seal()
    forge.__dict__ = again.__dict__


@forgery
def gate_before_a_control_is_closed(forge: Forge) -> None:
    """Decide the groups while a control is in flight."""
    early = small()
    early.start()
    *controls, last = early.cells("control", 0)
    for cell in controls:
        early.ask(cell)
    early.intent(last)
    early.results[last] = "base", "no", True
    early.gate(0)
    early.receipt(last, early.answer(last))
    for cell in early.cells("answer", 0):
        early.ask(cell)
    early.seal()
    forge.__dict__ = early.__dict__


@forgery
def answer_lost_before_a_failed_gate(forge: Forge) -> None:
    """Take a receipt of the first batch away where the second batch failed its gate."""
    bad = Forge()
    bad.answer = lambda cell: says("no") if cell.batch else bad.right(cell)
    bad.whole()
    without(bad, ("receipt",), answer(bad, label="no"))
    bad.lines[-1][0]["decided"] -= 1
    forge.__dict__ = bad.__dict__


@forgery
def readings_of_the_plan(forge: Forge) -> None:
    """Let the plan name another reading than the rubric, and read by it."""
    for one in forge.plan["conditions"]:
        one["readings"] = {"strict": "yes-no/1", "upstream": "yes-no/1"}
    for fields, _ in forge.lines:
        if fields["kind"] == "receipt":
            del fields["readings"]["yes-substring/1"]
    frozen(forge)
