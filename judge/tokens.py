"""A model's name in, its tokenizer out: texts counted exactly as the provider counts them.

The tokenizers are those of the `bpe-openai` package, which ships its data; other providers publish
none. What wraps a message is not counted: a provider adds the same few tokens to every request.
"""

import re
import warnings
from collections.abc import Callable
from typing import NamedTuple

from judge.errors import InputError

__all__ = ["ENCODINGS", "Tokenizer", "encoding_of", "tokenizer"]

ENCODINGS = ("o200k_base", "cl100k_base")
_MODELS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("o200k_base", re.compile(r"(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o[1-9]|chatgpt-4o)(?:[.-].*)?")),
    ("cl100k_base", re.compile(r"(?:gpt-4|gpt-4-.*|gpt-3\.5-turbo.*)")),
)
"""Names by OpenAI's own table, dated and sized variants with them."""


class Tokenizer(NamedTuple):
    """A named way to count."""

    name: str
    count: Callable[[str], int]


def encoding_of(model: str) -> str | None:
    """Return the encoding of a model by its name; None where nobody publishes it."""
    for name, pattern in _MODELS:
        if pattern.fullmatch(model):
            return name
    return None


def tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer by its name.

    Raises:
        InputError: no such encoding, or the extra that holds them is not installed.
    """
    if name not in ENCODINGS:
        raise InputError(f"no tokenizer is named {name[:40]!r}; there are {', '.join(ENCODINGS)}")
    try:
        with warnings.catch_warnings():
            # It reads its data in a way that later Pythons take away: not the user's to mend.
            warnings.simplefilter("ignore", DeprecationWarning)
            import bpe_openai  # noqa: PLC0415 - an extra, asked for by name

            encoding = bpe_openai.get_encoding(name)
    except ImportError as error:
        raise InputError(
            "counting tokens needs the package bpe-openai; install judge-harness[tokens]"
        ) from error
    return Tokenizer(name, lambda text: len(encoding.encode_ordinary(text)))
