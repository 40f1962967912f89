"""Ratio of two sums, with an interval that knows that what comes together is alike."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

LEVEL = 0.9
MIN_CLUSTERS = 5

Values = NDArray[np.float64]
Labels = NDArray[np.generic]


class Ratio(NamedTuple):
    """Σ above ÷ Σ below; an interval of NaN and a reason where the data do not support one."""

    ratio: float
    low: float
    high: float
    n_clusters: int
    cannot_tell: str


def ratio_of_sums(
    above: Values, below: Values, clusters: Labels, *, min_clusters: int = MIN_CLUSTERS, level: float = LEVEL
) -> Ratio:
    """Ratio of sums of values, none below 0; both of one unit, or the ratio has theirs.

    Formula: r = Σ a / Σ b, and with A and B the sums of each of k clusters (hours, mounts), s² = k / (k − 1) ×
    Σ (A − r B)² / (Σ b)²; the interval is r exp(± t s / r), Student's t of k − 1 degrees of freedom. Source: the ratio
    estimator of Cochran (1977), Sampling Techniques, chapter 6. Limits: below `min_clusters` clusters, or where one sum
    is 0, no interval; a cluster that outweighs all others makes it too narrow.

    Measured (1,000 trials, 24 clusters of Poisson counts with mean 20 against mean 10, interval of 90 %): it covers the
    truth in 89 %; `tests/test_methods.py` runs a part of this.

    >>> found = ratio_of_sums(np.array([4.0, 6, 5, 5, 4, 6]), np.full(6, 10.0), np.arange(6))
    >>> round(found.ratio, 2), round(found.low, 2), round(found.high, 2)
    (0.5, 0.43, 0.58)
    >>> ratio_of_sums(np.ones(3), np.ones(3), np.arange(3)).cannot_tell
    '3 clusters where 5 are needed'
    """
    _, place = np.unique(clusters, return_inverse=True)
    a, b = np.bincount(place, above), np.bincount(place, below)
    nan, k = float("nan"), int(a.size)
    if not b.sum() > 0:
        return Ratio(nan, nan, nan, k, "there is nothing to compare with")
    ratio = float(a.sum() / b.sum())
    if k < min_clusters:
        return Ratio(ratio, nan, nan, k, f"{k} clusters where {min_clusters} are needed")
    if ratio == 0:
        return Ratio(ratio, nan, nan, k, "nothing was seen")
    error = float(np.sqrt(k / (k - 1) * np.sum((a - ratio * b) ** 2)) / b.sum())
    reach = float(student.ppf((1 + level) / 2, k - 1)) * error / ratio
    return Ratio(ratio, ratio * float(np.exp(-reach)), ratio * float(np.exp(reach)), k, "")
