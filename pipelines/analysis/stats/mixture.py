"""A population of lengths as a mixture of modes: where they are, how much of it each holds, how wide they are."""

from typing import NamedTuple

import numpy as np
import scipy

from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import NoEstimate

MOST_COMPONENTS = 6
_N_BINS = 400  # log-spaced bins above the values that are few enough to be kept as they are
_N_STEPS = 200
_NEAR_ZERO = 0.05  # quanta: where the interval of a value that was rounded to nothing begins
_BEYOND = np.log(2.0)  # how far the background reaches beyond the values, as a logarithm
_VALLEY = 0.85  # a dip to less than this share of the lower peak keeps two modes apart
_LEAST = 0.01  # of the population: what holds less is not a mode


class Mode(NamedTuple):
    """One mode of a population, in the unit of its values."""

    position: float  # where its density is highest on the logarithmic scale
    weight: float  # share of the population, in [0, 1]
    low: float  # 16th percentile of the mode
    high: float  # 84th percentile


class Population(NamedTuple):
    """Modes by position; what fits no mode is the rest, spread evenly over the whole range."""

    modes: tuple[Mode, ...]
    rest: float  # share that belongs to no mode
    n: int


class _Binned(NamedTuple):
    low: Floats  # logarithms of the edges of each bin
    high: Floats
    held: Floats  # values in it

    @property
    def middle(self) -> Floats:
        return np.asarray((self.low + self.high) / 2)


class _Fit(NamedTuple):
    weights: Floats  # of the components; the background's is what is left
    centres: Floats
    widths: Floats
    log_likelihood: float


def modes(values: Floats, quantum: float = 1.0, min_values: int = 20) -> Population | NoEstimate:
    """Modes of positive lengths that were rounded to multiples of `quantum` (in their unit, seconds for gaps).

    A mixture of normal distributions of the logarithm and an even background, which takes heavy tails. It is fitted by
    expectation and maximisation to bins (McLachlan and Jones 1988, Biometrics 44, 571): a rounded value is the interval
    it came from, so a spike of equal values has a width. Components are added where the fit lacks most until BIC does
    not improve; those with no valley between them are one mode (Hennig 2010, Adv. Data Anal. Classif. 4, 3), so that a
    skew population of 100,000 values is not torn apart. No random start: equal values, equal answer. Limits: two modes
    closer than their widths are one; a length of 0 counts as less than half a quantum.

    >>> random = np.random.default_rng(1)
    >>> gaps = np.concatenate([random.normal(2, 0.3, 800), random.normal(10, 0.5, 200)])
    >>> found = modes(np.round(gaps))
    >>> [(round(mode.position), round(mode.weight, 1)) for mode in found.modes]
    [(2, 0.8), (10, 0.2)]
    >>> modes(np.array([2.0, 2.0])).reason
    'only 2 values, but 20 are needed'
    """
    if values.size < min_values:
        return NoEstimate(f"only {values.size} values, but {min_values} are needed", f"at least {min_values} values")
    data = _binned(values, quantum)
    best = _Fit(np.empty(0), np.empty(0), np.empty(0), _score(data, None))
    bic = -2 * best.log_likelihood
    while best.weights.size < MOST_COMPONENTS:
        fit = _fitted(data, _with_one_more(data, best))
        cost = (3 * fit.weights.size) * np.log(values.size) - 2 * fit.log_likelihood
        if cost >= bic:
            break
        best, bic = fit, cost
    found = [mode for mode in _merged(best) if mode.weight >= _LEAST]
    return Population(tuple(found), float(1 - sum(mode.weight for mode in found)), values.size)


def _binned(values: Floats, quantum: float) -> _Binned:
    """Values as intervals of their logarithm; where there are many different ones, neighbours share a bin."""
    steps, counts = np.unique(np.maximum(np.round(values / quantum), 0.0), return_counts=True)
    low, high = np.where(steps < 1, _NEAR_ZERO, steps - 0.5), steps + 0.5
    edges = np.geomspace(low[0], high[-1], _N_BINS + 1)
    place = np.minimum(np.searchsorted(edges, low, side="right") - 1, _N_BINS - 1)
    firsts = np.flatnonzero(np.diff(place, prepend=-1))
    lasts = np.append(firsts[1:], steps.size) - 1
    sums = np.add.reduceat(counts, firsts).astype(float)
    return _Binned(np.log(low[firsts] * quantum), np.log(high[lasts] * quantum), sums)


def _shares(data: _Binned, fit: _Fit | None) -> Floats:
    """Probability of each bin by component; the last row is the background."""
    width = data.high - data.low
    background = width / (data.high[-1] - data.low[0] + 2 * _BEYOND)
    if fit is None or not fit.weights.size:
        return np.asarray(background[None, :])
    low, high = ((ends - fit.centres[:, None]) / fit.widths[:, None] for ends in (data.low, data.high))
    parts = scipy.special.ndtr(high) - scipy.special.ndtr(low)
    rest = 1 - float(fit.weights.sum())
    return np.vstack([fit.weights[:, None] * parts, rest * background[None, :]])


def _score(data: _Binned, fit: _Fit | None) -> float:
    return float(np.sum(data.held * np.log(np.maximum(_shares(data, fit).sum(axis=0), 1e-300))))


def _with_one_more(data: _Binned, fit: _Fit) -> _Fit:
    """A start with one component more: where, within a sixth of a decade, the fit lacks most."""
    lacking = data.held / data.held.sum() - _shares(data, fit).sum(axis=0)
    near = np.abs(data.middle[:, None] - data.middle[None, :]) < np.log(10) / 12
    place = int(np.argmax(near @ lacking))
    members = near[place] & (lacking > 0)
    centre = float(np.average(data.middle[members], weights=lacking[members])) if members.any() else data.middle[place]
    weight = float(np.clip(lacking[members].sum(), 0.02, 0.9))
    weights = np.append(fit.weights * (1 - weight), weight)
    return _Fit(weights, np.append(fit.centres, centre), np.append(fit.widths, 0.1), -np.inf)


def _fitted(data: _Binned, start: _Fit) -> _Fit:
    """Expectation and maximisation until the likelihood no longer changes."""
    fit, total = start, data.held.sum()
    for _ in range(_N_STEPS):
        shares = _shares(data, fit)
        whole = np.maximum(shares.sum(axis=0), 1e-300)
        reached = float(np.sum(data.held * np.log(whole)))
        if reached - fit.log_likelihood < 1e-6 * total:
            break
        member = shares[:-1] / whole * data.held
        held = np.maximum(member.sum(axis=1), 1e-9)
        centres = member @ data.middle / held
        spread = np.sqrt((member * (data.middle - centres[:, None]) ** 2).sum(axis=1) / held)
        least = np.interp(centres, data.middle, (data.high - data.low) / 4)
        fit = _Fit(np.minimum(held / total, 0.999), centres, np.maximum(spread, least), reached)
        if fit.weights.sum() > 0.999:
            fit = fit._replace(weights=fit.weights * (0.999 / fit.weights.sum()))
    return fit._replace(log_likelihood=_score(data, fit))


def _merged(fit: _Fit) -> list[Mode]:
    """Components as modes: neighbours without a valley between their peaks are one."""
    order = np.argsort(fit.centres)
    groups: list[list[int]] = []
    for place in order:
        if groups and not _has_valley(fit, groups[-1], int(place)):
            groups[-1].append(int(place))
        else:
            groups.append([int(place)])
    return [_mode(fit, group) for group in groups]


def _density(fit: _Fit, members: list[int], at: Floats) -> Floats:
    parts = scipy.stats.norm.pdf(at, fit.centres[members, None], fit.widths[members, None])
    return np.asarray(fit.weights[members] @ parts)


def _has_valley(fit: _Fit, group: list[int], place: int) -> bool:
    both = [*group, place]
    peak = max(group, key=lambda member: fit.weights[member] / fit.widths[member])
    curve = _density(fit, both, np.linspace(fit.centres[peak], fit.centres[place], 200))
    return bool(curve.min() < _VALLEY * min(curve[0], curve[-1]))


def _mode(fit: _Fit, members: list[int]) -> Mode:
    reach = 4 * fit.widths[members].max()
    grid = np.linspace(fit.centres[members].min() - reach, fit.centres[members].max() + reach, 2000)
    curve = _density(fit, members, grid)
    below = np.cumsum(curve) / curve.sum()
    low, high = np.exp(np.interp([0.16, 0.84], below, grid))
    return Mode(float(np.exp(grid[np.argmax(curve)])), float(fit.weights[members].sum()), float(low), float(high))
