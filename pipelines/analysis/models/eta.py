"""When a campaign ends, and what its next days move, as distributions: from what it moved each day so far.

    days left = what is left / (what a day moves)          GB of the next n days = n x (what a day moves)

Inputs: GB moved on each day with logs (days without logs left out, days with nothing kept), in order; GB left. Days are
not independent (a week has its week-end, a fault lasts), so the history is resampled in blocks: of seven days where
three weeks have logs, else of one. Two uncertainties are combined: that of the mean day, by resampling, with the tails
of Student's t for few blocks; and the scatter of future days around it.

Output: days, or GB, with a 90 % interval, drawn 2000 times. Refused with the reason where fewer than five days have
logs or nothing moved. Limits: the future is taken to be like the days with logs: no growth, no more drives, no end in
which only stragglers are left; where days scatter by half, 86 to 93 of a hundred intervals hold the end, and most
misses are ends that come sooner. Source: M40, S5; the point value is `throughput.campaign`. GB = 10^9 bytes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipelines.analysis.stats.bootstrap import Floats, student_factors
from pipelines.primitives.estimate import Estimate, NoEstimate

LEAST_DAYS = 5
WEEK = 7
N_DRAWS = 2000
_ENDS = [0.05, 0.95]


@dataclass(frozen=True)
class Lever:
    """One thing that would change the end: the mean day with it, and days left then."""

    name: str
    gb_day: float
    days: float


@dataclass(frozen=True)
class Eta:
    """Days left, the mean day they rest on, and what would move them, the most first."""

    days: Estimate
    gb_day: Estimate
    n_days: int
    block_days: int
    levers: tuple[Lever, ...] = ()


def days_left(
    moved_gb: Floats, left_gb: float, gains_gb_day: Mapping[str, float] | None = None, seed: int = 0
) -> Eta | NoEstimate:
    """Days until `left_gb` are moved, if the days to come are like those with logs.

    `gains_gb_day`: what a day more would move if something were different; each becomes a lever.

    >>> steady = days_left(np.full(10, 500.0), 5000.0)
    >>> isinstance(steady, Eta) and steady.days
    Estimate(value=10.0, low=10.0, high=10.0)
    """
    if left_gb < 0:
        raise ValueError("the amount left to move must not be negative")
    rng = np.random.default_rng(seed)
    past = learn(moved_gb, rng)
    if isinstance(past, NoEstimate):
        return past
    days = left_gb / past.means
    # what n days move scatters by s sqrt(n / block), so the day on which it is done by that / the mean
    scatter = past.scatters(rng) * np.sqrt(days) / past.means
    gb_day = np.quantile(past.means, _ENDS)
    return Eta(
        _around(left_gb / past.mean, days, scatter, rng),
        Estimate(past.mean, float(max(gb_day[0], 0.0)), float(gb_day[1])),
        len(moved_gb),
        past.block,
        _levers(past.mean, left_gb, gains_gb_day or {}),
    )


def moved_ahead(moved_gb: Floats, n_days: int = WEEK, seed: int = 0) -> Estimate | NoEstimate:
    """GB that the next `n_days` will move, if they are like those with logs.

    >>> moved_ahead(np.full(10, 500.0))
    Estimate(value=3500.0, low=3500.0, high=3500.0)
    """
    rng = np.random.default_rng(seed)
    past = learn(moved_gb, rng)
    if isinstance(past, NoEstimate):
        return past
    return _around(n_days * past.mean, n_days * past.means, past.scatters(rng) * math.sqrt(n_days), rng)


@dataclass(frozen=True)
class Past:
    """The evidence of the days with logs: their mean, means the true one may be, by how much a day scatters, degrees of
    freedom."""

    mean: float
    means: Floats
    block: int
    scatter_gb: float
    free: int

    def scatters(self, rng: np.random.Generator) -> Floats:
        """By how much a day may scatter: known from as few blocks as its mean, so that the tails are Student's t."""
        found: Floats = self.scatter_gb * student_factors(self.free, N_DRAWS, rng)
        return found


def learn(moved_gb: Floats, rng: np.random.Generator) -> Past | NoEstimate:
    """What past days show about future ones, if these are like them."""
    if not np.isfinite(moved_gb).all() or (len(moved_gb) and moved_gb.min() < 0):
        raise ValueError("the amounts moved must not be negative")
    if len(moved_gb) < LEAST_DAYS:
        seen = "only one day has logs" if len(moved_gb) == 1 else f"only {len(moved_gb)} days have logs"
        return NoEstimate(seen, f"logs of at least {LEAST_DAYS} days")
    mean = float(moved_gb.mean())
    if not mean:
        return NoEstimate("no data moved on the days with logs", "days on which data moved")
    block = WEEK if len(moved_gb) >= 3 * WEEK else 1
    sums = np.convolve(moved_gb, np.ones(block), "valid")
    scatter = float(sums.std(ddof=1)) / math.sqrt(block)
    return Past(mean, _means(sums, block, mean, rng), block, scatter, _n_apart(sums, block) - 1)


def _around(value: float, centres: Floats, scatter: Floats, rng: np.random.Generator) -> Estimate:
    """The interval of what scatters around centres that are not sure themselves; nothing is below 0."""
    low, high = np.quantile(np.maximum(centres + rng.standard_normal(N_DRAWS) * scatter, 0), _ENDS)
    return Estimate(value, min(float(low), value), max(float(high), value))


def _n_apart(sums: Floats, block: int) -> int:
    """Blocks that fit next to one another."""
    return max(2, (len(sums) + block - 1) // block)


def _means(sums: Floats, block: int, mean: float, rng: np.random.Generator) -> Floats:
    """Mean days the true one may be: overlapping blocks resampled, as many as fit next to one another."""
    n_apart = _n_apart(sums, block)
    drawn = rng.choice(sums, size=(N_DRAWS, n_apart)).mean(axis=1) / block
    free = n_apart - 1
    tails = student_factors(free, N_DRAWS, rng) * math.sqrt(n_apart / free)
    found: Floats = mean * np.exp((drawn / drawn.mean() - 1) * tails)  # a rate: as likely half as double
    return found


def _levers(mean: float, left_gb: float, gains: Mapping[str, float]) -> tuple[Lever, ...]:
    made = [Lever(name, mean + gain, left_gb / (mean + gain)) for name, gain in gains.items() if mean + gain > 0]
    return tuple(sorted(made, key=lambda lever: lever.days))


def one_drive_more(moved_gb: Floats, n_drives: Floats) -> float:
    """GB a day that one drive more would bring, if it did what a drive did on the days with logs.

    >>> one_drive_more(np.array([300.0, 0.0, 600.0]), np.array([1.0, 0.0, 2.0]))
    200.0
    """
    used = float(n_drives[n_drives > 0].mean()) if (n_drives > 0).any() else math.inf
    return float(moved_gb.mean()) / used
