"""Anthropic's Messages, and whatever speaks it.

In: an endpoint. Out: a Provider. The SDK is imported when the provider is opened.
"""

from typing import TYPE_CHECKING

from judge.providers.contract import Endpoint, Vendor
from judge.providers.hosted import Hosted

if TYPE_CHECKING:
    from judge.providers.oracle import Oracle

__all__ = ["AnthropicMessages"]

_VENDOR = Vendor(
    name="anthropic",
    api="messages",
    home="https://api.anthropic.com",
    key_variable="ANTHROPIC_API_KEY",
    variables="ANTHROPIC_",
)


class AnthropicMessages(Hosted):
    """A judge asked by `POST …/v1/messages`."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, _VENDOR, _dial)


def _dial(base_url: str, key: str, seconds: float) -> "Oracle":
    # An SDK costs seconds to import, so only the judge that is asked pays for it.
    import anthropic  # noqa: PLC0415
    import httpx2  # noqa: PLC0415

    from judge.providers.oracle import HEADERS, Oracle, Transport  # noqa: PLC0415

    transport = Transport()
    client = anthropic.Anthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=seconds,
        # Its spans can carry prompts to whoever the environment names.
        open_telemetry=False,
        http_client=transport.client(),
    )

    def post() -> object:
        return client.post(
            "/v1/messages",
            cast_to=httpx2.Response,
            content=b"{}",
            options={"headers": HEADERS, "timeout": seconds},
        )

    return Oracle(transport, post, anthropic.APIError, f"anthropic {anthropic.__version__}")
