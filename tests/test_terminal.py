"""judge/report/terminal.py: foreign text made safe to print."""

import json
import unicodedata

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report.terminal import safe, safe_json

RISKY = {
    "title": ("\x1b]0;owned\x07", "⟨U+001B⟩]0;owned⟨U+0007⟩"),
    "clipboard": ("\x1b]52;c;eA==\x1b\\", "⟨U+001B⟩]52;c;eA==⟨U+001B⟩\\"),
    "c1": ("\x9b31m", "⟨U+009B⟩31m"),
    "carriage return": ("good\rbad", "good⟨U+000D⟩bad"),
    "tab and backspace": ("a\tb\x08", "a⟨U+0009⟩b⟨U+0008⟩"),
    "delete": ("\x7f", "⟨U+007F⟩"),
    "bidi": ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
    "zero width": ("ye\u200bs\ufeff\u2060", "ye⟨U+200B⟩s⟨U+FEFF⟩⟨U+2060⟩"),
    "tags": ("\U000e0001\U000e0041", "⟨U+E0001⟩⟨U+E0041⟩"),
    "half a pair": ("\ud800", "⟨U+D800⟩"),
    "separators": ("a\u2028b\u2029", "a⟨U+2028⟩b⟨U+2029⟩"),
}


@pytest.mark.parametrize("text", RISKY.values(), ids=RISKY)
def test_what_a_terminal_would_obey_or_hide_is_spelled(text: tuple[str, str]) -> None:
    """Each family of reliability.md's output rules."""
    assert safe(text[0]) == text[1]


def test_plain_text_of_any_script_is_untouched() -> None:
    """Lines, accents, other alphabets, emoji."""
    text = "a b\nÄ é 漢字 עברית \U0001f600 [bold] ⟨x⟩"

    assert safe(text) == text


@given(st.text())
def test_no_control_but_the_line_feed_is_left(text: str) -> None:
    """Whatever Unicode calls a control, a format sign or half a pair."""
    kinds = {unicodedata.category(sign) for sign in safe(text) if sign != "\n"}

    assert not kinds & {"Cc", "Cs"}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_json_document_means_the_same_after_it_is_made_safe(text: str) -> None:
    """Escapes are JSON's own."""
    document = safe_json(orjson.dumps({"a": [text]}))

    assert json.loads(document) == {"a": [text]}
    assert safe(document) == document
