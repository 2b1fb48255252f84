"""judge/controls.py: hand-made items whose right label is known."""

from pathlib import Path

import pytest

from judge import packs
from judge.canonical import digest
from judge.controls import abstention_texts, check_kind, read_controls
from judge.errors import InputError
from judge.packs import shipped

ROW = "  - {id: c1, arm: positive, question: Q, gold: G, response: R}\n"


def _file(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_controls(str(_file(folder, text)))
    return str(caught.value)


def test_a_file_gives_its_controls_and_its_digest(tmp_path: Path) -> None:
    """What is left out has a value that is written down here."""
    path = _file(tmp_path, "controls:\n" + ROW)
    found = read_controls(str(path))
    (control,) = found.controls

    assert control.plain() == {
        "arm": "positive",
        "id": "c1",
        "type": "untyped",
        "question": "Q",
        "gold": "G",
        "abstention": False,
        "response": "R",
        "expect": "accept",
        "source": "mine",
        "donor": None,
    }
    data = path.read_bytes()
    assert found.source.plain() == {
        "role": "controls",
        "name": "mine",
        "file": "mine.yaml",
        "sha256": digest(data),
        "bytes": len(data),
        "rows": 1,
    }


@pytest.mark.parametrize(
    ("words", "expect"),
    [
        ("arm: positive", "accept"),
        ("arm: negative", "reject"),
        ("arm: positive, expect: reject", "reject"),
        ("arm: negative, expect: [yes, partly]", ("yes", "partly")),
        ("arm: injection, expect: accept", "accept"),
    ],
)
def test_an_arm_says_what_is_right(tmp_path: Path, words: str, expect: object) -> None:
    """Unless the control does; a bare yes is a label."""
    row = f"  - {{id: c1, {words}, question: Q, gold: G, response: R}}\n"
    (control,) = read_controls(str(_file(tmp_path, "controls:\n" + row))).controls

    assert control.expect == expect


def test_an_injection_says_what_is_right_itself(tmp_path: Path) -> None:
    """An order may stand in a bad answer, or be quoted in a good one."""
    row = ROW.replace("positive", "injection")

    assert "injection control 'c1' must say" in _refused(tmp_path, "controls:\n" + row)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("controls: []\n", "controls: tuple should have at least 1 item"),
        ("control: []\n", "controls: field required"),
        ("controls:\n" + ROW + ROW, "two controls have the id 'c1'"),
        ("controls:\n" + ROW.replace("gold: G, ", ""), "controls.0.gold: field required"),
        ("controls:\n" + ROW.replace("c1", "''"), "controls.0.id: string should have at least 1"),
        ("controls:\n" + ROW.replace("positive", "other"), "controls.0.arm: input should be"),
        ("controls:\n" + ROW.replace("R}", "R, more: 1}"), "controls.0.more: extra inputs"),
        ("controls:\n" + ROW.replace("gold: G", "gold: 7"), "controls.0.gold: input should be a"),
        ("controls:\n" + ROW.replace("G", "&a G"), "anchor 'a' is not allowed"),
        ("größe: 1\n", "key 'größe' is not ASCII text"),
        ("yes\n", "the file: input should be an object"),
        ("", "the file is empty"),
    ],
    ids=lambda value: value[:40],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, what: str) -> None:
    """The sentence names the file and the field."""
    found = _refused(tmp_path, text)

    assert found.startswith("mine.yaml:")
    assert what in found


@pytest.mark.parametrize("name", ["my controls.yaml", "_x.yaml", "ä.yaml", ".yaml"])
def test_any_file_name_has_a_name_for_print(tmp_path: Path, name: str) -> None:
    """Spaces and signs become `_`, or go."""
    found = read_controls(str(_file(tmp_path, "controls:\n" + ROW, name)))

    assert found.source.file == name
    assert found.controls[0].source == found.source.name


def test_a_shipped_file_is_named_by_a_word() -> None:
    """An unknown word is refused, with the way to name a file of one's own."""
    words = [path.stem for path in shipped("controls").glob("*.yaml") if path.stem != "abstention"]
    assert [read_controls(word).source.name for word in words] == words
    with pytest.raises(InputError, match=r"no control file is named 'none'.* ending in \.yaml"):
        read_controls("none")


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    """The sentence says what to do."""
    with pytest.raises(InputError, match="No such file or directory; name a control file that"):
        read_controls(str(tmp_path / "none.yaml"))
    with pytest.raises(InputError, match="Is a directory"):
        read_controls(f"{tmp_path}/")


def test_the_shipped_abstention_texts_are_many_and_unlike() -> None:
    """Twelve of each, so that no default draw needs one twice."""
    texts = abstention_texts()

    assert (shipped("controls") / "abstention.yaml").is_file()
    for side in (texts.declining, texts.confident):
        assert len(set(side)) == len(side) >= 12
        assert all(text.strip() == text for text in side)
    assert not set(texts.declining) & set(texts.confident)


def test_controls_made_for_other_labels_are_refused(tmp_path: Path) -> None:
    """Passing orders to reply with a letter shows little of a judge that says yes or no."""
    three_way = read_controls("injection-three-way")
    binary = read_controls("injection")
    path = tmp_path / "mine.yaml"
    path.write_text(
        "controls:\n  - {arm: positive, id: a, question: q, gold: g, response: g}\n",
        encoding="utf-8",
    )
    rubric = packs.load("correctness/v1")

    check_kind(binary, rubric)
    check_kind(read_controls(str(path)), rubric)
    with pytest.raises(InputError, match="injection-three-way is made for three-way labels"):
        check_kind(three_way, rubric)
    with pytest.raises(InputError, match="quality is made for graded labels"):
        check_kind(read_controls("quality"), rubric)


def test_a_control_file_may_not_be_called_drawn(tmp_path: Path) -> None:
    """Its rows would be taken for the draw's."""
    path = tmp_path / "drawn.yaml"
    path.write_text(
        "controls:\n  - {arm: positive, id: a, question: q, gold: g, response: g}\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="drawn controls have that name"):
        read_controls(str(path))
