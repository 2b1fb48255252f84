"""judge/providers/headers.py: the allow-list."""

import pytest

from judge.providers.headers import kept


@pytest.mark.parametrize(
    "name",
    [
        "content-type", "content-encoding", "content-length", "date", "retry-after",
        "retry-after-ms", "x-should-retry", "x-request-id", "request-id", "openai-processing-ms",
        "openai-version", "openai-organization", "anthropic-workspace-id",
        "x-ratelimit-reset-tokens", "anthropic-ratelimit-requests-limit",
    ],
)  # fmt: skip
def test_listed_header_is_kept(name: str) -> None:
    """In whatever case it came, the name is kept in lower case."""
    assert kept([(name.title().encode(), b"v")], "h") == ((name, "v"),)


@pytest.mark.parametrize(
    "name",
    [
        "authorization", "proxy-authorization", "x-api-key", "api-key", "cookie", "set-cookie",
        "x-amz-security-token", "www-authenticate", "server", "via", "x-ratelimit",
        "xx-ratelimit-limit", "content-disposition",
    ],
)  # fmt: skip
def test_other_header_is_dropped(name: str) -> None:
    """What the list does not name is not stored."""
    assert kept([(name.encode(), b"v")], "h") == ()


@pytest.mark.parametrize(
    ("location", "host"),
    [
        (b"https://user:pass@Other.example:8443/secret?token=x#y", "other.example"),
        (b"//other.example/x", "other.example"),
        (b"/login?next=x", "judge.example"),
        (b"", "judge.example"),
        (b"https://[::1", "unreadable"),
        (b"https://" + b"a" * 1000 + b"/", "a" * 253),
        (b"\xff\xfe", "judge.example"),
    ],
)
def test_of_a_location_only_the_host_is_kept(location: bytes, host: str) -> None:
    """Path, query and user of a redirect are not stored."""
    assert kept([(b"Location", location)], "judge.example") == (("location-host", host),)


def test_order_and_repeats_are_kept() -> None:
    """Two headers of one name stay two, in the order received."""
    raw = [(b"Date", b"1"), (b"x", b"y"), (b"date", b"2"), (b"request-id", b"\xe9")]

    assert kept(raw, "h") == (("date", "1"), ("date", "2"), ("request-id", "é"))
