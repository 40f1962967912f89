"""By how much do two clocks differ? Transfers on the movers' clock against bytes on the network's."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.analysis.stats.bootstrap import LEVEL, Floats, resamples
from pipelines.primitives.estimate import Estimate, NoEstimate

MOST_S = 120.0
MIN_EVENTS = 20
_N_RESAMPLES = 499
_N_BLOCKS = 40
_LEAST_CORRELATION = 0.1
_LEAST_LEAD = 1.05  # the peak over what the same curve reaches far from it

_FINER = "samples at shorter intervals"


class Skew(NamedTuple):
    """Seconds to add to the movers' clock so that it agrees with the network's."""

    skew_s: Estimate | NoEstimate
    correlation: float  # of expected and measured bytes at that skew; NaN without an estimate
    blind_below_s: float  # smaller differences do not show at this spacing of samples


def skew(
    begins: Floats,
    ends: Floats,
    moved: Floats,
    sampled: Floats,
    rates: Floats,
    step_s: float,
    *,
    most_s: float = MOST_S,
    level: float = LEVEL,
    seed: int = 0,
) -> Skew:
    """Find the skew, in [−most_s, most_s] at 1 s, at which the transfers explain best what the network carried.

    `begins`, `ends` (s) and `moved` (bytes) are a row a transfer, on the movers' clock; `sampled` (s) are the starts of
    the network's samples of `step_s` seconds each, on its own clock and ascending, `rates` (bytes/s) their traffic.
    For every lag the transfers' bytes are put into the network's samples exactly, and correlated with them (Pearson);
    the lag with the largest correlation is the skew. Interval: bootstrap over stretches of the time line, never shorter
    than half a sample each way. Limits: other traffic of the host lowers the correlation; buffers between network and
    drive delay by seconds and are part of the skew; samples coarser than transfers and gaps show nothing, and the
    result gives that as its reason.

    >>> random = np.random.default_rng(1)
    >>> begins = np.cumsum(random.uniform(20, 60, 100))
    >>> ends = begins + random.uniform(8, 15, 100)
    >>> clock = np.arange(0.0, begins[-1])
    >>> middle = clock[:, None] + 0.5
    >>> carried = 100.0 * ((middle >= begins + 37) & (middle < ends + 37)).sum(axis=1)
    >>> found = skew(begins, ends, 100.0 * (ends - begins), clock, carried, 1.0)
    >>> found.skew_s.value, found.blind_below_s
    (37.0, 1.0)
    """
    blind = max(step_s, 1.0)
    if begins.size < MIN_EVENTS:
        return _nothing(
            blind, f"only {begins.size} transfers, but {MIN_EVENTS} are needed", f"at least {MIN_EVENTS} transfers"
        )
    if step_s > most_s:
        return _nothing(
            blind,
            f"a sample covers {step_s:g} s, too long to show a clock skew of up to {most_s:g} s",
        )
    usual = float(np.median(ends - begins))
    if step_s > 4 * usual:
        return _nothing(blind, f"a sample covers {step_s:g} s, too long to show transfers that last {usual:g} s")
    lags = np.arange(-most_s, most_s + 1)
    blocks = np.arange(sampled.size) * min(_N_BLOCKS, sampled.size) // sampled.size
    moments = _moments(begins, ends, moved, sampled, rates, step_s, lags, blocks)
    curve = _correlations(moments.sum(axis=0))
    best = int(np.argmax(curve))
    far = np.abs(lags - lags[best]) > max(2 * usual, 2 * step_s)
    if not curve[best] >= _LEAST_CORRELATION or (far.any() and curve[best] < _LEAST_LEAD * curve[far].max()):
        return _nothing(
            blind,
            f"no time lag clearly fits best: the largest correlation of transfers and samples is {curve[best]:.2f}",
            "days on which little else uses the network and disks",
        )
    if best in (0, lags.size - 1):
        return _nothing(
            blind,
            f"the time lag that fits best is the largest that was tried, {lags[best]:g} s",
            f"clocks that differ by less than {most_s:g} s",
        )
    random = np.random.default_rng(seed)
    n = moments.shape[0]
    draws = resamples(n, _N_RESAMPLES, random)
    curves = _correlations(np.tensordot(draws, moments, axes=1))
    usable = curves.max(axis=1) >= _LEAST_CORRELATION  # a resample without a transfer says nothing of the skew
    low, high = np.quantile(lags[np.argmax(curves[usable], axis=1)], [(1 - level) / 2, (1 + level) / 2])
    at = float(lags[best])
    reach = step_s / 2
    return Skew(Estimate(at, min(float(low), at - reach), max(float(high), at + reach)), float(curve[best]), blind)


def _nothing(blind_s: float, reason: str, data_needed: str = _FINER) -> Skew:
    return Skew(NoEstimate(reason, data_needed), float("nan"), blind_s)


def _moments(
    begins: Floats,
    ends: Floats,
    moved: Floats,
    sampled: Floats,
    rates: Floats,
    step_s: float,
    lags: Floats,
    blocks: NDArray[np.intp],
) -> Floats:
    """Sums for Pearson's correlation, by block and lag: n, x, y, x², y², xy; x is what the transfers moved."""
    knots = np.unique(np.concatenate([begins, ends]))
    reached = _reached(begins, ends, moved, knots)
    n_blocks = int(blocks[-1]) + 1
    found = np.empty((n_blocks, lags.size, 6))

    def summed(values: Floats) -> NDArray[Any]:
        return np.bincount(blocks, weights=values, minlength=n_blocks)

    for column, values in ((0, np.ones(rates.size)), (2, rates), (4, rates**2)):
        found[:, :, column] = summed(values)[:, None]  # the same for every lag
    for place, lag in enumerate(lags):
        edges = np.interp(np.concatenate([sampled, sampled + step_s]) - lag, knots, reached)
        expected = (edges[sampled.size :] - edges[: sampled.size]) / step_s
        for column, values in ((1, expected), (3, expected**2), (5, expected * rates)):
            found[:, place, column] = summed(values)
    return found


def _reached(begins: Floats, ends: Floats, moved: Floats, knots: Floats) -> Floats:
    """Bytes moved before each knot; transfers may overlap, as those of several drives do."""
    slope = moved / np.maximum(ends - begins, 1e-6)
    change = np.zeros(knots.size)
    np.add.at(change, np.searchsorted(knots, begins), slope)
    np.add.at(change, np.searchsorted(knots, ends), -slope)
    return np.concatenate([[0.0], np.cumsum(np.cumsum(change)[:-1] * np.diff(knots))])


def _correlations(sums: Floats) -> Floats:
    """Pearson's correlation from sums whose last axis is n, x, y, x², y², xy; 0 where one side does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    below = (n * xx - x**2) * (n * yy - y**2)
    return np.where(below > 0, (n * xy - x * y) / np.sqrt(np.maximum(below, 1e-300)), 0.0)
