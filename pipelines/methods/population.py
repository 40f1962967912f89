"""Is there a population of long values beside the expected one?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class LongValues(NamedTuple):
    """What is known of the values beyond a limit."""

    is_long: NDArray[np.bool_]
    n: int
    n_long: int
    share: float
    modal: float  # centre of the most frequent bin of one unit among the long values; NaN if there are none
    total_excess: float  # sum of (value - expected) over the long values


def long_values(values: NDArray[np.float64], expected: float, excess: float) -> LongValues:
    """Values more than `excess` above `expected`, their share and most frequent size (bins of one unit, centred).

    A mean would hide a second population among many short values; share and mode show it.

    >>> found = long_values(np.array([2.0, 2.0, 10.0, 10.2, 9.9, 3.0]), expected=2.0, excess=3.0)
    >>> found.n_long, found.share, found.modal, round(found.total_excess, 1)
    (3, 0.5, 10.0, 24.1)
    """
    is_long = values > expected + excess
    long = values[is_long]
    if not long.size:
        return LongValues(is_long, values.size, 0, 0.0, float("nan"), 0.0)
    whole, counts = np.unique(np.round(long), return_counts=True)
    modal = float(whole[np.argmax(counts)])
    return LongValues(is_long, values.size, long.size, long.size / values.size, modal, float(np.sum(long - expected)))
