"""The published figures of repeated judging, from label files; and each analysis on its own."""

import json
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest
from longmemeval import (
    MODEL,
    PASS_1,
    PASS_2,
    REFERENCES,
    SHARED,
    needs_shared,
    rows,
    vectors,
)
from verdictfiles import labelled

from judge.cli import main
from judge.errors import InputError
from judge.studies.inputs import Billed, audit
from judge.tokens import encoding_of, tokenizer

_TYPES = ("multi-session", "temporal-reasoning")


def _file(path: Path, right: Sequence[bool], types: Sequence[str] | None = None) -> str:
    labels = ["yes" if each else "no" for each in right]
    return str(labelled(path, labels) if types is None else labelled(path, labels, type=types))


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What `judge study` prints; it must succeed."""
    assert main(["study", *words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> object:
    found: object = orjson.loads(_said(capsys, *words, "--json"))
    return found


def test_two_passes_have_a_spread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """479 and 475 of 500 with 8 flips: 477 ± 2, 473 right in both."""
    one = [True] * 479 + [False] * 21
    other = [True] * 473 + [False] * 6 + [True] * 2 + [False] * 19
    said = _said(capsys, "passes", _file(tmp_path / "a", one), _file(tmp_path / "b", other))

    assert "a headline needs its spread: 477 ± 2 of 500" in said
    assert "right in every pass 473, flips 8 (6 right in the first only, 2 in the second" in said


def test_a_mixed_total_is_marked_and_not_ranked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """New labels for one type and old ones for the rest: 480 and 475, with no rate."""
    types = [_TYPES[number < 72] for number in range(500)]
    old = [True] * 479 + [False] * 21
    new = [True] * 70 + [False] * 2 + [True] * 400 + [False] * 28
    old_2 = [False] * 4 + [True] * 475 + [False] * 21
    files = [_file(tmp_path / name, labels, types) for name, labels in (("o", old), ("n", new))]
    said = _said(capsys, "mixed", *files, "--new", _TYPES[1])

    assert "mixed: 477 of 500, with new labels for temporal-reasoning (72 items)" in said
    assert "not to be ranked" in said
    assert "%" not in said
    again = [_file(tmp_path / "o2", old_2, types), files[1]]
    assert "mixed: 477 of 500" in _said(capsys, "mixed", *again, "--new", _TYPES[1])


@pytest.mark.parametrize(("old", "gained", "mixed"), [(479, 1, 480), (475, 0, 475)])
def test_the_published_mixed_totals(
    old: int, gained: int, mixed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A type whose new labels accept one more gives 480 of 479; one with as many leaves 475."""
    types = ["knowledge-update" if number < 72 else "other" for number in range(500)]
    before = [number >= 500 - old for number in range(500)]
    after = [right or number < gained for number, right in enumerate(before)]
    files = [
        _file(tmp_path / name, labels, types) for name, labels in (("o", before), ("n", after))
    ]

    assert f"mixed: {mixed} of 500" in _said(capsys, "mixed", *files, "--new", "knowledge-update")


def test_a_second_judge_is_stricter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """479 against 476 of 500 with 493 alike: five by the first alone, two by the second."""
    one = [True] * 479 + [False] * 21
    other = [True] * 474 + [False] * 5 + [True] * 2 + [False] * 19
    said = _said(capsys, "judges", _file(tmp_path / "a", one), _file(tmp_path / "b", other))

    assert "agree on 493 of 500" in said
    assert "is stricter (5 accepted by" in said
    assert "accepts 476 of 500" in said


def test_both_passes_of_the_stricter_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """476 and 472: 474 ± 2."""
    files = [
        _file(tmp_path / name, [number < right for number in range(500)])
        for name, right in (("a", 476), ("b", 472))
    ]

    assert "474 ± 2 of 500" in _said(capsys, "passes", *files)


def test_an_improvement_that_breaks_is_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """3 repaired and 11 of 58 broken, none allowed."""
    before = [True] * 58 + [False] * 14
    after = [False] * 11 + [True] * 47 + [True] * 3 + [False] * 11
    files = [_file(tmp_path / name, each) for name, each in (("b", before), ("a", after))]
    said = _said(capsys, "improvement", *files)

    assert "rejected: 11 broken of 58 right before, 0 allowed; 3 repaired of 14" in said
    assert "not fixed in a plan" in said
    assert "passed: 11 broken" in _said(capsys, "improvement", *files, "--allowed-breaks", "11")


def test_a_set_of_sixty_misses_a_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """60 right rows miss breaks at 16 of 471, which is 3.4 %, in 12.6 %; at 0.034 in 12.55 %."""
    files = [_file(tmp_path / name, [True] * 60) for name in ("b", "a")]
    said = _said(capsys, "improvement", *files)

    assert "breaks 3.4% of them with probability 12.55%" in said
    assert "probability 12.57%" in _said(capsys, "improvement", *files, "--rate", "16/471")
    assert "at most 4.9% of right items" in said


def test_earlier_labels_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """479 before and 478 after with three flips, named."""
    before = [True] * 479 + [False] * 21
    after = [False] * 2 + [True] * 477 + [True] + [False] * 20
    files = [_file(tmp_path / name, each) for name, each in (("b", before), ("a", after))]
    said = _said(capsys, "rejudge", *files)

    assert "3 flips among 500 answers" in said
    assert "accepted 479 before, 478 now" in said


@needs_shared
def test_real_repeats_of_a_judge(capsys: pytest.CaptureFixture[str]) -> None:
    """The two saved passes as passes: 264 and 253 of 500, 23 flips."""
    said = _said(capsys, "passes", str(PASS_1), str(PASS_2))

    assert "258.5 ± 5.5 of 500" in said
    assert "flips 23 (17 right in the first only, 6 in the second only)" in said


# --- questioned rows ----------------------------------------------------------------------------


def _dossier(path: Path, *rows: tuple[str, str, str]) -> str:
    lines = ["rows:"]
    lines += [f'  - {{id: "{i}", class: "{c}", reason: "{r}"}}' for i, c, r in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_questioned_rows_stand_beside_the_raw_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Raw, without them, with them granted, by class; a list made afterwards is post hoc."""
    side = _file(tmp_path / "a", [True] * 6 + [False] * 4)
    listed = [("q0", "wrong gold", "two answers fit"), ("q9", "no evidence", "not in the text")]
    ids = [row["id"] for row in rows(Path(side))]
    dossier = _dossier(
        tmp_path / "d.yaml",
        (ids[0], *listed[0][1:]),
        (ids[9], *listed[1][1:]),
        ("elsewhere", "no evidence", "x"),
    )
    said = _said(capsys, "exclusions", side, "--rows", dossier)

    assert "6 of 10 (60.0%)" in said
    assert "5 of 8 (62.5%)" in said
    assert "7 of 10 (70.0%)" in said
    assert "post hoc" in said
    assert "1 row of the file were not asked here" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rows: []\n", "d.yaml: rows"),
        ('rows:\n  - {id: "a", class: "b"}\n', "rows are {id, class, reason}"),
        ('rows:\n  - {id: "a", class: " ", reason: "x"}\n', "none empty"),
        (
            'rows:\n  - {id: "a", class: "b", reason: "x"}\n  - {id: "a", class: "b", reason: y}\n',
            "'a' stands there twice",
        ),
    ],
)
def test_a_dossier_that_is_none_is_refused(
    text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, exit 2."""
    side = _file(tmp_path / "a", [True, False])
    (tmp_path / "d.yaml").write_text(text, encoding="utf-8")

    assert main(["study", "exclusions", side, "--rows", str(tmp_path / "d.yaml")]) == 2
    assert sentence in capsys.readouterr().err


# --- billed tokens ------------------------------------------------------------------------------


def _prompts() -> list[tuple[str, str, str, int]]:
    """The golden rows with their prompts, rendered from the upstream texts."""
    known = json.loads((SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8"))
    texts = {name: part["text"] for name, part in known["templates"].items()}
    keys = {row["question_id"]: row for row in json.loads(REFERENCES.read_text("utf-8"))}
    said = {
        (path.name, row["question_id"]): row["hypothesis"]
        for path in (PASS_1, PASS_2)
        for row in rows(path)
    }
    found = []
    for row in vectors():
        key = keys[row["question_id"]]
        values = key["question"], key["answer"], said[row["file"], row["question_id"]]
        prompt = texts[row["route"]].format(*values)
        found.append((row["question_id"], row["route"], prompt, row["judge_prompt_tokens"]))
    return found


@needs_shared
def test_one_constant_explains_what_was_billed() -> None:
    """Remainder 7 on 1,000 of 1,000 rows."""
    name = encoding_of(MODEL)
    assert name == "o200k_base"
    count = tokenizer(name).count
    found = audit(
        "golden", name, [Billed(i, route, "", count(p), t) for i, route, p, t in _prompts()]
    )

    assert (found.rows, found.unmetered, found.remainder, found.constant) == (1000, 0, 7, True)
    assert found.odd == ()


@needs_shared
def test_a_lost_space_names_the_rows_of_its_template() -> None:
    """One space dropped from the base template: its rows alone have another remainder."""
    count = tokenizer("o200k_base").count
    spaced = "answer no. \n\nQuestion"
    billed = [
        Billed(
            item,
            route,
            "",
            count(
                prompt.replace(spaced, spaced.replace(". ", "."), 1) if route == "base" else prompt
            ),
            tokens,
        )
        for item, route, prompt, tokens in _prompts()
    ]
    found = audit("lost", "o200k_base", billed)
    base = sum(row.route == "base" for row in billed)

    assert not found.constant
    assert found.remainder == 7
    assert {odd.route for odd in found.odd} == {"base"}
    assert len(found.odd) == base


@needs_shared
def test_a_misrouted_abstention_names_its_rows() -> None:
    """Abstention questions under the base template: sixty rows, named."""
    known = json.loads((SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8"))
    base, declined = (known["templates"][name]["text"] for name in ("base", "abstention"))
    head, wrong = declined.partition("{}")[0], base.partition("{}")[0]
    count = tokenizer("o200k_base").count
    billed = [
        Billed(
            item,
            route,
            "",
            count(wrong + prompt.removeprefix(head) if route == "abstention" else prompt),
            tokens,
        )
        for item, route, prompt, tokens in _prompts()
    ]
    found = audit("misrouted", "o200k_base", billed)

    assert found.remainder == 7
    assert {odd.route for odd in found.odd} == {"abstention"}
    assert len(found.odd) == 60


def test_what_was_not_billed_is_counted_apart() -> None:
    """Rows without usage are unmetered; none at all is an error; no majority is no constant."""
    rows_ = [Billed("a", "base", "", 10, 17), Billed("b", "base", "", 10, None)]
    assert audit("x", "y", rows_).unmetered == 1
    with pytest.raises(InputError, match="no reply says"):
        audit("x", "y", [Billed("b", "base", "", 10, None)])
    split = audit("x", "y", [Billed("a", "r", "", 10, 17), Billed("b", "r", "", 10, 18)])
    assert (split.remainder, len(split.odd)) == (None, 2)


def test_an_unknown_tokenizer_is_refused() -> None:
    """It is named with those there are."""
    assert encoding_of("claude-opus-5-5") is None
    with pytest.raises(InputError, match="there are o200k_base, cl100k_base"):
        tokenizer("p50k")
