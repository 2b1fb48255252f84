"""judge/providers/address.py: the one address a base URL names."""

import pytest

from judge.errors import InputError
from judge.providers.address import parse, refused_peer


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com"),
        ("https://API.OpenAI.com:443", "https://api.openai.com"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://localhost", "http://localhost"),
        ("https://judge_1.internal:8443/a/b", "https://judge_1.internal:8443"),
        ("http://192.168.1.4:1234", "http://192.168.1.4:1234"),
    ],
)
def test_origin_of_a_base_url(base_url: str, origin: str) -> None:
    """Scheme, host and port, in one spelling."""
    assert parse(base_url).origin == origin


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "api.openai.com/v1",
        "ftp://judge.example",
        "file:///etc/passwd",
        "https://",
        "https://user:pass@judge.example",
        "https://user@judge.example",
        "https://judge.example/v1?x=1",
        "https://judge.example/v1?",
        "https://judge.example/v1#part",
        "https://judge.example:0",
        "https://judge.example:99999",
        "https://judge.example:x",
        "https://judge example",
        "https://judge.example\r\nX: 1",
        "https://judge.example\\@other.example",
        "https://jüdge.example",
        "https://-judge.example",
        "https://[::1",
        "https://judge.example/\u202e",
        # IPv4 addresses as only the C library reads them.
        "http://2130706433",
        "http://0x7f000001",
        "http://127.1",
        "http://0251.0376.0251.0376",
        "http://169.254.169.254/latest",
        "http://169.254.0.1",
        "http://[fe80::1]",
        "http://[fe80::1%25eth0]",
        "http://[::ffff:169.254.169.254]",
        "http://[fd00:ec2::254]",
        "http://100.100.100.200",
        "http://0.0.0.0:8000",
        "http://[::]:8000",
        "http://224.0.0.1",
    ],
)
def test_unusable_base_url_is_refused(base_url: str) -> None:
    """Another scheme, a user, a query, a disguise, or a place no judge lives."""
    with pytest.raises(InputError):
        parse(base_url)


def test_refusal_does_not_show_a_password() -> None:
    """What stands before the @ is left out of the message."""
    with pytest.raises(InputError) as caught:
        parse("https://me:hunter22@judge.example")

    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    ("base_url", "loopback"),
    [
        ("http://127.0.0.1", True),
        ("http://127.8.8.8", True),
        ("http://[::1]", True),
        ("http://[::ffff:127.0.0.1]", True),
        ("http://localhost", True),
        ("http://localhost.example", False),
        ("http://127.0.0.1.example", False),
        ("http://10.0.0.1", False),
    ],
)
def test_loopback_is_this_machine_only(base_url: str, *, loopback: bool) -> None:
    """An address of the loopback network, or the one name for it."""
    assert parse(base_url).loopback is loopback


@pytest.mark.parametrize(
    ("peer", "refused"),
    [
        ("169.254.169.254", True),
        ("fe80::1%eth0", True),
        ("::ffff:169.254.169.254", True),
        ("no address", True),
        ("10.0.0.1", False),
        ("127.0.0.1", False),
        ("2001:db8::1", False),
    ],
)
def test_peer_is_held_to_the_same_rule(peer: str, *, refused: bool) -> None:
    """An address a name turned into is refused as if it had been written."""
    assert (refused_peer(peer) is not None) is refused
