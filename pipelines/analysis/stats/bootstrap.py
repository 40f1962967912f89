"""Intervals by resampling: how far an estimate would wander with other cases of the same kind.

Expanded percentile interval: percentiles of the resampled estimates, taken a little further out so that few cases do
not pretend to more than they know. Source: Hesterberg, "What Teachers Should Know About the Bootstrap" (2015), §3.3.
"""

import numpy as np
import numpy.typing as npt
import scipy

from pipelines.primitives.estimate import Estimate

Floats = npt.NDArray[np.float64]
LEVEL = 0.9
N_RESAMPLES = 1000
_MOST_NUMBERS, _LEAST_RESAMPLES = 20_000_000, 200


def counts(n_cases: int, n_resamples: int = N_RESAMPLES, seed: int = 0) -> Floats:
    """How often each resample has each case: resamples x cases, each row adds up to `n_cases`.

    Of more than 20,000 cases there are fewer resamples, down to 200, so that they fit into memory.

    >>> counts(3, 2).sum(axis=1)
    array([3., 3.])
    """
    if n_cases < 1:
        raise ValueError("a bootstrap needs at least one case")
    rng = np.random.default_rng(seed)
    n_resamples = min(n_resamples, max(_LEAST_RESAMPLES, _MOST_NUMBERS // n_cases))
    return resamples(n_cases, n_resamples, rng).astype(float)


def resamples(n_cases: int, n_resamples: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each of a number of draws of `n_cases` cases, with replacement, has each case: resamples x cases."""
    return rng.multinomial(n_cases, np.full(n_cases, 1 / n_cases), size=n_resamples)


def student_factors(free: int, n: int, rng: np.random.Generator) -> Floats:
    """Factors that turn n normal deviations into those of Student's t with `free` degrees of freedom."""
    factors: Floats = np.sqrt(free / rng.chisquare(free, n))
    return factors


def interval(value: float, draws: Floats, n_cases: int, n_parameters: int = 1, level: float = LEVEL) -> Estimate:
    """The interval of a value from its resampled twins.

    `draws`: one number a resample. The tails are those of Student's t with `n_cases` - `n_parameters` degrees, and
    deviations are stretched by sqrt(n / (n - p)), for residuals of a fit are smaller than its errors. Limits: with
    fewer than about ten cases it is still too narrow; cases that depend on one another count for fewer than they are.
    """
    free = n_cases - n_parameters
    if free < 1:
        raise ValueError(f"{n_cases} cases are too few for intervals of {n_parameters} parameters")
    tail = float(scipy.special.ndtr(scipy.special.stdtrit(free, (1 - level) / 2)))
    low, high = np.quantile(draws, [tail, 1 - tail])
    stretch = float(np.sqrt(n_cases / free))
    return Estimate(value, value + (float(low) - value) * stretch, value + (float(high) - value) * stretch)


def ratio(times: Floats, above: Floats, below: Floats) -> Estimate:
    """The ratio of two sums over cases, its interval by resamples that have each case this many `times`."""
    return interval(float(above.sum() / below.sum()), (times @ above) / (times @ below), len(above))
