"""templates/: what is shipped holds, and one changed byte in it is refused by name."""

import shutil
from pathlib import Path

import pytest
from packfolder import pack, refused

from judge import packs
from judge.canonical import digest
from judge.packs import files

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the user's folder an empty one."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay a copy of the shipped packs where the package finds them."""
    shutil.copytree(ROOT / "templates", tmp_path / "site" / "templates")
    monkeypatch.setattr(files, "_PACKAGE", tmp_path / "site" / "judge")
    return tmp_path / "site" / "templates"


def test_every_shipped_pack_holds() -> None:
    """Each is listed in SHA256SUMS, has a pin, and its pin is right."""
    sheets = packs.survey()

    assert [(sheet.name, sheet.problem) for sheet in sheets if sheet.problem] == []
    assert {"correctness/v1", "longmemeval/released", "longmemeval/upstream"} <= {
        sheet.name for sheet in sheets
    }


def test_the_sums_name_every_shipped_pack_and_nothing_else() -> None:
    """`cd templates && sha256sum */*.yaml > SHA256SUMS` after an edit."""
    root = ROOT / "templates"
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    found = [
        f"{digest(path.read_bytes())}  {path.relative_to(root)}"
        for path in sorted(root.glob("*/*.yaml"))
    ]

    assert lines == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_tokens: 10", "max_tokens: 16"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini-2024-07-19"),
        ("gold: rubric", "gold: answer"),
        ("licence: MIT", "licence: MIX"),
        (
            "  path: src/evaluation/evaluate_qa.py\n  sha",
            "  path: srd/evaluation/evaluate_qa.py\n  sha",
        ),
        ("# first match", "# First match"),
    ],
)
def test_one_changed_byte_in_a_shipped_pack_is_refused_by_its_name(
    shipped: Path, old: str, new: str
) -> None:
    """Inside the pin or outside, even in a comment; what stands on it is refused too."""
    path = shipped / "longmemeval" / "upstream.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")

    for name in ("longmemeval/upstream", "longmemeval/released"):
        message = refused(name)
        assert str(path) in message
        assert "SHA256SUMS" in message
        assert "of: longmemeval/upstream" in message


def test_every_byte_of_a_shipped_pack_counts(shipped: Path) -> None:
    """Each byte of the file in turn, one bit turned."""
    path = shipped / "longmemeval" / "released.yaml"
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])

        assert "released.yaml" in refused("longmemeval/released")


def test_a_pack_whose_sum_was_changed_too_is_still_held_by_its_pin(shipped: Path) -> None:
    """The second guard: routes, settings and labels cannot move without the pin."""
    path = shipped / "longmemeval" / "upstream.yaml"
    text = path.read_text(encoding="utf-8").replace("max_tokens: 10", "max_tokens: 16")
    path.write_text(text, encoding="utf-8")
    (shipped / "SHA256SUMS").write_text(
        f"{digest(text.encode())}  longmemeval/upstream.yaml\n", encoding="utf-8"
    )

    assert "its pin is" in refused("longmemeval/upstream")


def test_a_shipped_pack_without_sum_or_pin_isrefused(shipped: Path) -> None:
    """A file slipped into the folder is no shipped pack."""
    path = shipped / "tiny" / "one.yaml"
    path.parent.mkdir()
    path.write_text(pack(), encoding="utf-8")

    assert "says nothing of it" in refused("tiny/one")
    (shipped / "SHA256SUMS").write_text(f"{digest(pack().encode())}  tiny/one.yaml\n", "utf-8")
    assert "pin: missing" in refused("tiny/one")


def test_sums_that_are_damaged_are_refused_with_their_line(shipped: Path) -> None:
    """They guard nothing when they cannot be read."""
    sums = shipped / "SHA256SUMS"
    sums.write_text(sums.read_text("utf-8").replace("  ", " ", 1), encoding="utf-8")

    assert "SHA256SUMS:1: not a line of sha256sum" in refused("longmemeval/upstream")


def test_one_changed_byte_in_a_text_file_is_refused_by_name(shipped: Path) -> None:
    """Our own rubric's Jinja files, the last line feed included."""
    path = shipped / "correctness" / "v1" / "base.j2"
    data = path.read_bytes()
    assert packs.load("correctness/v1").templates[0].text == data[:-1].decode()

    path.write_bytes(data.replace(b"grading", b"gradinG"))
    assert "template 'base' was changed: file v1/base.j2" in refused("correctness/v1")
    path.write_bytes(data[:-1])
    assert "'v1/base.j2' does not end in a line feed" in refused("correctness/v1")
    path.write_bytes(data + b"\n")
    assert "template 'base' was changed" in refused("correctness/v1")
