"""How evenly streams share what there is, and how much a rate varies."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def jain(rates: Values) -> float:
    """Jain's fairness index of the rates of streams that ran together: 1 where all are equal, 1/n where one has all.

    Formula: (Σ x)² / (n Σ x²). Source: Jain, Chiu and Hawe (1984), DEC research report TR-301. Rates of any one unit;
    NaN without streams or where none moved anything. It does not depend on the unit nor on the total.

    >>> jain(np.array([2.0, 2.0, 2.0, 2.0]))
    1.0
    >>> jain(np.array([8.0, 0.0, 0.0, 0.0]))
    0.25
    """
    squares = rates.size * float(np.sum(rates**2))
    return float(np.sum(rates)) ** 2 / squares if squares > 0 else float("nan")


def variation(values: Values) -> float:
    """Coefficient of variation: sample standard deviation (n − 1) ÷ mean; NaN for fewer than two values or a mean of 0.

    >>> round(variation(np.array([9.0, 10.0, 11.0])), 3)
    0.1
    """
    mean = float(np.mean(values)) if values.size > 1 else 0.0
    return float(np.std(values, ddof=1)) / mean if mean > 0 else float("nan")


def per_stream(total: float, streams: int) -> float:
    """What each of so many streams gets of a total if they share it evenly, in its unit.

    Source: 100 MB/s over 50 streams in "CERN tape sizing" (C07).

    >>> per_stream(100.0, 50)
    2.0
    """
    if streams < 1:
        raise ValueError("there must be at least one stream")
    return total / streams


def streams_held(streams: NDArray[np.int64], rates: Values, needed: float, share: float = 0.95) -> int:
    """The largest number of streams up to which the given share of observations hold the rate a stream needs.

    `streams` counts the streams that ran together in each observation, `rates` is what each of them got then (N19, D7).
    Numbers of streams that were never seen are passed over; the first seen one that falls short ends the count; 0 where
    not even the smallest holds it.

    >>> streams_held(np.array([1, 1, 2, 2, 3, 3]), np.array([160.0, 161.0, 155.0, 158.0, 90.0, 160.0]), 150.0)
    2
    """
    held = 0
    for count in np.unique(streams):
        if np.mean(rates[streams == count] >= needed) < share:
            break
        held = int(count)
    return held
