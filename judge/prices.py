"""A judge's configuration in, what its tokens cost out; nothing where nobody is known to say.

List prices come from the `genai-prices` package, which carries its data: nothing is looked up in a
network. They hold at the provider's own address only; behind another address whoever runs it sets
the price, so it must be given.
"""

import importlib.metadata
from decimal import Decimal
from fractions import Fraction

from judge.config import JudgeConfig, PriceConfig
from judge.spending import Price

__all__ = ["price_of", "price_source"]

_MILLION = 1_000_000


def price_of(judge: JudgeConfig) -> Price | None:
    """Return what one token of this judge costs in US dollars; None where it is not known.

    Where a price has steps by the length of a request, the dearest counts: a plan asks what a run
    can cost at most.
    """
    if judge.price is not None:
        return _given(judge.price)
    if judge.provider == "lexical":
        return Price(Fraction(0), Fraction(0))
    if judge.base_url is not None or judge.model is None:
        return None
    return _listed(judge.provider, judge.model)


def price_source(judge: JudgeConfig) -> str:
    """Return who says what a judge costs, in a few words."""
    if judge.price is not None:
        return "as given in run.yaml"
    if judge.provider == "lexical":
        return "an embedded rule costs nothing"
    return f"list price, genai-prices {importlib.metadata.version('genai-prices')}"


def _given(price: PriceConfig) -> Price:
    return Price(Fraction(price.input) / _MILLION, Fraction(price.output) / _MILLION)


def _listed(provider: str, model: str) -> Price | None:
    # Imported when a price is asked for: it costs a tenth of a second.
    from genai_prices import Usage, calc_price  # noqa: PLC0415

    try:
        found = calc_price(Usage(input_tokens=1), model_ref=model, provider_id=provider)
    except LookupError:
        return None
    amounts = (_dearest(found.model_price, name) for name in ("input_mtok", "output_mtok"))
    read, written = amounts
    if read is None or written is None:
        return None
    return Price(read / _MILLION, written / _MILLION)


def _dearest(price: object, name: str) -> Fraction | None:
    """The highest step of a price; None where it has none, or one of a kind not known here."""
    found = getattr(price, name, None)
    if isinstance(found, Decimal):
        return Fraction(found)
    base, tiers = getattr(found, "base", None), getattr(found, "tiers", None)
    if not isinstance(base, Decimal) or not isinstance(tiers, list):
        return None
    steps = [base, *(tier.price for tier in tiers)]
    if not all(isinstance(step, Decimal) for step in steps):
        return None
    return max(Fraction(step) for step in steps)
