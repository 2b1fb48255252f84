"""The only modules that reach a judge.

In: an endpoint. Out: a provider, whose connections take exact bytes and give exchanges.
"""

from judge.errors import InputError
from judge.providers.anthropic_messages import AnthropicMessages
from judge.providers.contract import Connection, Endpoint, Provider, Refused
from judge.providers.openai_chat import OpenAIChat

__all__ = ["Connection", "Endpoint", "Provider", "Refused", "open_provider"]


def open_provider(endpoint: Endpoint) -> Provider:
    """Return the provider an endpoint names, not yet open.

    Raises:
        InputError: the address cannot be a judge's, there is no key for it, or the provider is
            none we know.
    """
    if endpoint.provider == "openai":
        return OpenAIChat(endpoint)
    if endpoint.provider == "anthropic":
        return AnthropicMessages(endpoint)
    raise InputError(f"provider {endpoint.provider!r} is unknown: use openai or anthropic")
