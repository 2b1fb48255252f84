"""judge/providers/keys.py: which key goes where."""

import os
from pathlib import Path

import pytest

from judge.errors import InputError
from judge.providers.address import parse
from judge.providers.contract import Endpoint, Vendor
from judge.providers.keys import Key, find

OWN = "sk-own-0123456789"
TEAM = "sk-team-0123456789"
VENDOR = Vendor(
    name="openai",
    api="chat-completions",
    home="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    variables="OPENAI_",
)
SET = {"OPENAI_API_KEY": OWN, "TEAM_KEY": TEAM}


def key(
    base_url: str | None = None,
    key_env: str | None = None,
    *,
    insecure: bool = False,
    environment: dict[str, str] | None = None,
) -> Key:
    """Return the key for this address."""
    endpoint = Endpoint(
        provider="openai",
        base_url=base_url,
        key_env=key_env,
        insecure_key=insecure,
        deadline_ms=1000,
    )
    address = parse(base_url or VENDOR.home)
    return find(endpoint, address, VENDOR, SET if environment is None else environment)


@pytest.mark.parametrize(
    "base_url", [None, "https://api.openai.com", "http://127.0.0.1:1", "http://localhost:1/v1"]
)
def test_own_key_goes_home_and_to_this_machine(base_url: str | None) -> None:
    """The provider's key goes to its own origin, and to loopback."""
    assert key(base_url).reveal() == OWN


@pytest.mark.parametrize(
    "base_url",
    [
        "https://judge.example/v1",
        "https://api.openai.com.evil.example",
        "https://api.openai.com:8443",
        "http://api.openai.com",
        "http://192.168.1.4:8000",
    ],
)
def test_own_key_goes_nowhere_else(base_url: str) -> None:
    """Any other origin needs a key named for it, and the message says how."""
    with pytest.raises(InputError, match=r"OPENAI_API_KEY is not sent .*--key-env"):
        key(base_url)


def test_named_key_goes_where_it_is_sent() -> None:
    """Another address gets the key that was named, over https."""
    assert key("https://judge.example", "TEAM_KEY").reveal() == TEAM


def test_named_key_wins_at_home() -> None:
    """A named key is used rather than the default one."""
    assert key(None, "TEAM_KEY").reveal() == TEAM


def test_key_over_plain_http_needs_a_word() -> None:
    """In the clear beyond this machine a key goes only when told so."""
    with pytest.raises(InputError, match="--insecure-key"):
        key("http://judge.example", "TEAM_KEY")

    assert key("http://judge.example", "TEAM_KEY", insecure=True).reveal() == TEAM


def test_no_key_may_go_anywhere() -> None:
    """`none` sends a placeholder, in the clear too."""
    found = key("http://judge.example", "none")

    assert (found.reveal(), found.secret) == ("none", False)


def test_this_machine_needs_no_key() -> None:
    """Without any key set, loopback gets a placeholder."""
    assert key("http://127.0.0.1:1", environment={}).reveal() == "none"


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}])
def test_missing_key_is_said(environment: dict[str, str]) -> None:
    """Home without a key is refused, naming the variable."""
    with pytest.raises(InputError, match="set OPENAI_API_KEY"):
        key(environment=environment)


def test_named_key_that_is_not_set_is_said() -> None:
    """A typing error in --key-env does not fall back to another key."""
    with pytest.raises(InputError, match="'TEAM_KYE', which is not set"):
        key(None, "TEAM_KYE")


@pytest.mark.parametrize("text", ["two words", "line\nX-Header: 1", "kéy", "\t", "a\r"])
def test_key_that_is_no_header_value_is_refused(text: str) -> None:
    """Nothing that could end the header line is sent, and the key is not shown."""
    with pytest.raises(InputError) as caught:
        key(environment={"OPENAI_API_KEY": text})

    assert text not in str(caught.value)


def _file(folder: Path, text: str, mode: int) -> str:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return f"file:{path}"


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_key_file_of_its_owner_is_read(tmp_path: Path, mode: int) -> None:
    """A private file holds the key; white space around it is not part of it."""
    assert key(None, _file(tmp_path, f"{TEAM}\n", mode)).reveal() == TEAM


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o610])
def test_key_file_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    """A file open to others is not used."""
    with pytest.raises(InputError, match="chmod 600"):
        key(None, _file(tmp_path, TEAM, mode))


def test_key_file_must_be_a_file(tmp_path: Path) -> None:
    """A folder, a pipe or nothing at all is refused without waiting."""
    os.mkfifo(tmp_path / "pipe", 0o600)

    for path in (tmp_path, tmp_path / "pipe", tmp_path / "absent"):
        with pytest.raises(InputError):
            key(None, f"file:{path}")


def test_empty_key_file_is_refused(tmp_path: Path) -> None:
    """An empty file is no key."""
    with pytest.raises(InputError, match="empty"):
        key(None, _file(tmp_path, "\n", 0o600))


def test_key_prints_its_source() -> None:
    """Neither repr nor str shows the key."""
    found = key()

    assert (repr(found), str(found)) == ("<key from OPENAI_API_KEY>",) * 2
