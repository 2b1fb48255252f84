"""judge/report/library.py: docs/rubrics.md says what the packs say."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from judge import packs
from judge.cli.templates import group
from judge.report import library

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "rubrics.md"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the user's folder an empty one."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))


def test_the_page_is_written_from_the_packs() -> None:
    """`judge templates list --markdown > docs/rubrics.md` after an edit."""
    sheets = packs.survey(packs.shipped_names())

    assert PAGE.read_text(encoding="utf-8") == library.page(sheets)


def test_the_command_prints_the_page() -> None:
    """Byte for byte, whatever lies in the user's folder."""
    result = CliRunner().invoke(group, ["list", "--markdown"], catch_exceptions=False)

    assert result.stdout == PAGE.read_text(encoding="utf-8")


def test_every_pack_has_one_row_in_each_table() -> None:
    """Licence, labels, where its text comes from, what its own parser gets wrong."""
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if "| `" in line[:3]]

    for name in packs.shipped_names():
        first, second = (row for row in rows if row[0] == f"| `{name}`")

        assert (len(first), len(second)) == (6, 5)
        assert all(cell.strip(" |") for cell in (*first, *second))


def test_a_bar_in_a_fact_does_not_break_the_table() -> None:
    """It is escaped."""
    (sheet,) = packs.survey(("simpleqa/upstream",))
    assert sheet.parser is not None
    odd = sheet.model_copy(update={"parser": sheet.parser.model_copy(update={"rule": "a|b"})})

    assert "a\\|b" in library.page((odd,))


def test_the_readme_leads_to_the_page() -> None:
    """From its own words on rubrics."""
    assert "(docs/rubrics.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
