"""Printed figures: does a value agree with a printed one, at the digits it was printed with?"""

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Literal, NamedTuple

from pipelines.analysis.stats.contradictions import ROUNDING

Agreement = Literal["matches", "rounded", "wrong"]

_FIGURE = re.compile(r"(?P<about>~|about |< ?|> ?)?\s*(?P<low>\d[\d,]*\.?\d*)(?:\s*-\s*(?P<high>\d[\d,]*\.?\d*))?$")


class Printed(NamedTuple):
    """A figure as printed: its lowest and highest value (the same, except for a range) and what its digits show."""

    low: Decimal
    high: Decimal
    decimals: int  # digits after the point
    zeros: int  # zeros that end a whole number: perhaps digits, perhaps not
    is_approximate: bool  # printed with "~" or "about"


def read(text: str) -> Printed:
    """A printed figure or range; ValueError where the text is neither.

    >>> read("~10")
    Printed(low=Decimal('10'), high=Decimal('10'), decimals=0, zeros=1, is_approximate=True)
    >>> read("25-56").high
    Decimal('56')
    """
    found = _FIGURE.match(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a printed figure")
    low = found["low"].replace(",", "")
    high = (found["high"] or found["low"]).replace(",", "")
    decimals = max(len(part.partition(".")[2]) for part in (low, high))
    zeros = 0 if decimals else min(len(part) - len(part.rstrip("0")) for part in (low, high) if part != "0")
    return Printed(Decimal(low), Decimal(high), decimals, zeros, bool(found["about"]))


def agreement(text: str, computed: float, is_from_approximate: bool = False) -> Agreement:
    """matches: the printed figure. rounded: only if cut, or rounded more than its digits show. wrong: another one.

    It is what is printed where rounding half up at the printed digits gives it. Zeros at the end of a whole number
    count as digits, unless the figure or what it was made of (`is_from_approximate`) is printed as approximate; an
    approximate figure may also be one unit of its last printed digit off. rounded goes up to `contradictions.ROUNDING`.
    A range holds if the figure is inside it. Both in one unit. G5.

    >>> agreement("44", 43.75), agreement("37", 37.5), agreement("33", 37.5)
    ('matches', 'rounded', 'wrong')
    >>> agreement("~10", 10.7), agreement("80", 79.2), agreement("about 120", 127.5), agreement("10-14", 14.3)
    ('matches', 'rounded', 'rounded', 'matches')
    """
    printed = read(text)
    # what whole bytes and microseconds add after the seventh digit is not a real figure
    value = Decimal(f"{computed:.7g}")
    is_vague = printed.is_approximate or is_from_approximate
    step = Decimal(10) ** (printed.zeros if is_vague else -printed.decimals)
    unit = Decimal(10) ** -printed.decimals
    if printed.low <= _to(value, step, ROUND_HALF_UP) <= printed.high:
        return "matches"
    off = max(printed.low - value, value - printed.high)
    if printed.is_approximate and off <= unit:
        return "matches"
    if printed.low <= _to(value, step, ROUND_DOWN) <= printed.high or off <= Decimal(str(ROUNDING)) * abs(value):
        return "rounded"
    return "wrong"


def difference(text: str, computed: float) -> float:
    """Computed less printed; for a range the distance outside it.

    >>> difference("80", 79.5), difference("10-14", 14.5), difference("10-14", 12.0)
    (-0.5, 0.5, 0.0)
    """
    printed = read(text)
    return computed - min(max(computed, float(printed.low)), float(printed.high))


def _to(value: Decimal, step: Decimal, how: str) -> Decimal:
    return (value / step).quantize(Decimal(1), rounding=how) * step
