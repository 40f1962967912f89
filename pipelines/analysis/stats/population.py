"""Is there a population of long values in addition to the expected one?"""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

_FEWEST_CLUSTERS = 5


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


def total_interval(
    values: NDArray[np.float64], clusters: NDArray[np.generic], level: float = 0.9
) -> tuple[float | None, float | None]:
    """Interval of the total of like days. Values of a cluster (a mount, a tape) come together, clusters do not.

    Formula: sum +- t sqrt(k) s, with s the standard deviation of the k clusters' own sums and Student's t of k - 1
    degrees of freedom; never below 0. With fewer than five clusters there is no estimate: (None, None).

    >>> low, high = total_interval(np.array([10.0, 8.0, 0.0, 12.0, 10.0]), np.array(["a", "b", "c", "d", "e"]))
    >>> round(low, 1), round(high, 1)
    (17.6, 62.4)
    """
    _, place = np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, values)
    if sums.size < _FEWEST_CLUSTERS:
        return None, None
    half = scipy.special.stdtrit(sums.size - 1, (1 + level) / 2) * np.sqrt(sums.size) * np.std(sums, ddof=1)
    return max(0.0, float(sums.sum() - half)), float(sums.sum() + half)
