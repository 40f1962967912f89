"""How numbers of methods become values of a table."""

import math


def known(value: float) -> float | None:
    """A number a method found, as a plain one; None where it is missing.

    >>> known(float("nan")), known(2)
    (None, 2.0)
    """
    return float(value) if math.isfinite(value) else None
