"""OpenAI's Chat Completions, and whatever speaks it.

In: an endpoint. Out: a Provider. The SDK is imported when the provider is opened.
"""

from typing import TYPE_CHECKING

from judge.providers.contract import Endpoint, Vendor
from judge.providers.hosted import Hosted

if TYPE_CHECKING:
    from judge.providers.oracle import Oracle

__all__ = ["OpenAIChat"]

_VENDOR = Vendor(
    name="openai",
    api="chat-completions",
    home="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    variables="OPENAI_",
)


class OpenAIChat(Hosted):
    """A judge asked by `POST …/chat/completions`."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, _VENDOR, _dial)


def _dial(base_url: str, key: str, seconds: float) -> "Oracle":
    # An SDK costs seconds to import, so only the judge that is asked pays for it.
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    from judge.providers.oracle import HEADERS, Oracle, Transport  # noqa: PLC0415

    transport = Transport()
    client = openai.OpenAI(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=seconds,
        http_client=transport.client(),
    )

    def post() -> object:
        return client.post(
            "/chat/completions",
            cast_to=httpx2.Response,
            content=b"{}",
            options={"headers": HEADERS, "timeout": seconds},
        )

    return Oracle(transport, post, openai.APIError, f"openai {openai.__version__}")
