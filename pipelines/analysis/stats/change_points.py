"""When did a series change, by how much, and is it more than its usual wandering?"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy

from pipelines.analysis.stats.bootstrap import LEVEL, Floats
from pipelines.primitives.estimate import NoEstimate

ALPHA = 0.01
MIN_LENGTH = 10
MIN_SEGMENT = 4
_MOST_POINTS = 400  # longer series become medians of blocks of equally many values
_MOST_STEPS = 12
_NEAR = 5
_N_SIMULATED = 999
_OF_MEDIANS = float(np.sqrt(np.pi / 2))  # error of a median over that of a mean, of normal noise
_MOST_MEMORY = 0.9  # the largest lag-one correlation that is distinguished from a step


class Step(NamedTuple):
    """A step of a series."""

    at: int  # first place of the new level
    before: float  # median of the level before, in the series' unit
    after: float
    low: float  # interval of after − before
    high: float
    p: float  # how often a series without a step, as autocorrelated as this one, shows as large a one

    @property
    def size(self) -> float:
        return self.after - self.before


def find_steps(values: Floats) -> tuple[Step, ...] | NoEstimate:
    """Steps of a series of equally spaced values (days, or files in their order; any unit, no NaN), in order.

    Candidates: the segmentation with the least sum of squares plus a penalty per step, found by dynamic programming
    (Jackson and others 2005, IEEE Signal Process. Lett. 12, 105), on normal scores of the ranks, so that outliers count
    little. Each candidate is then tested between its neighbours, outliers cut, by the self-normalised CUSUM (Shao and
    Zhang 2010, J. Am. Stat. Assoc. 105, 1228) against simulated series of the same length and lag-one correlation; that
    is corrected for its bias (Kendall 1954, Biometrika 41, 403) and taken half a standard error higher. The weakest
    candidate is dropped until all that stay have p ≤ ALPHA. The step is a difference of medians, its interval that of
    normal noise with this correlation. Limits: a series shorter than 10 has no answer; a level shorter than 4 values is
    no level; a drift appears as steps; a place is exact to a few values only, as the noise has it.

    False alarms (ALPHA 0.01; share of null series with any step, of 1,000 of 30 and 500 of 90 values), by lag-one
    correlation 0, 0.3, 0.6, 0.8: of 30 values 0.004, 0.021, 0.053, 0.096; of 90 values 0.010, 0.016, 0.040, 0.056. Of
    500 series of 60 values with Student's t of 2 degrees: 0.008. A short series that strongly remembers is thus judged
    too readily; `tests/test_methods.py` runs a part of this.

    >>> random = np.random.default_rng(1)
    >>> found = find_steps(np.concatenate([random.normal(100, 2, 30), random.normal(80, 2, 30)]))
    >>> [(step.at, round(step.size), step.p <= 0.01) for step in found]
    [(30, -20, True)]
    >>> find_steps(np.arange(5.0)).reason
    'only 5 values, but 10 are needed'
    """
    if values.size < MIN_LENGTH:
        return NoEstimate(f"only {values.size} values, but {MIN_LENGTH} are needed", f"at least {MIN_LENGTH} values")
    per_block = -(-values.size // _MOST_POINTS)
    n_blocks = values.size // per_block
    medians = np.median(values[: n_blocks * per_block].reshape(n_blocks, per_block), axis=1)
    if np.ptp(medians) == 0:
        return ()
    scores = np.asarray(scipy.special.ndtri((scipy.stats.rankdata(medians) - 0.5) / medians.size))
    scores = (scores - scores.mean()) / scores.std()
    places = _candidates(scores)
    while True:
        places = _refined(medians, places)
        tame = _tamed(medians, places)
        likely, memory = _memory(tame, places)
        spans = list(zip([0, *places[:-1]], places, [*places[1:], medians.size], strict=False))
        tests = [_p_value(tame[left:right], memory) for left, _, right in spans]
        if not tests or max(tests) <= ALPHA:
            break
        places.pop(int(np.argmax(tests)))
    steps = (_step(medians, span, p, likely) for span, p in zip(spans, tests, strict=True))
    return tuple(step._replace(at=step.at * per_block) for step in steps)


def _candidates(scores: Floats) -> list[int]:
    """Places of the steps of the cheapest segmentation; the penalty lets through more than are true."""
    n = scores.size
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    squares = np.concatenate([[0.0], np.cumsum(scores**2)])
    noise = float(np.median(np.abs(np.diff(scores))) / 0.6745) ** 2 / 2
    penalty = 2 * max(noise, 0.05) * np.log(n)
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    last = np.zeros(n + 1, dtype=int)
    for end in range(MIN_SEGMENT, n + 1):
        starts = np.arange(0, end - MIN_SEGMENT + 1)
        means = sums[end] - sums[starts]
        costs = best[starts] + squares[end] - squares[starts] - means**2 / (end - starts) + penalty
        last[end] = int(np.argmin(costs))
        best[end] = costs[last[end]]
    places: list[int] = []
    at = n
    while last[at] > 0:
        at = int(last[at])
        places.append(at)
    if len(places) > _MOST_STEPS:  # a series that wanders all the time
        contrast = [abs(scores[at : at + MIN_SEGMENT].mean() - scores[at - MIN_SEGMENT : at].mean()) for at in places]
        places = [places[i] for i in np.argsort(contrast)[-_MOST_STEPS:]]
    return sorted(places)


def _refined(values: Floats, places: list[int]) -> list[int]:
    """Each place moved by a few values to where they are nearest to the medians of the two levels.

    Ranks know that a step is there; its very place needs the values too.
    """
    found = list(places)
    for number in range(len(found)):
        left = found[number - 1] if number else 0
        right = found[number + 1] if number + 1 < len(found) else values.size
        at = np.arange(
            max(left + MIN_SEGMENT, found[number] - _NEAR), min(right - MIN_SEGMENT, found[number] + _NEAR) + 1
        )
        if at.size:
            found[number] = int(at[np.argmin([_apart(values[left:k]) + _apart(values[k:right]) for k in at])])
    return found


def _apart(level: Floats) -> float:
    return float(np.abs(level - np.median(level)).sum())


def _tamed(values: Floats, places: list[int]) -> Floats:
    """The series with its outliers cut to three standard deviations from their level."""
    edges = [0, *places, values.size]
    levels = np.concatenate([np.full(b - a, np.median(values[a:b])) for a, b in pairwise(edges)])
    left = values - levels
    reach = 3 * 1.4826 * float(np.median(np.abs(left)))
    return levels + np.clip(left, -reach, reach) if reach > 0 else values


def _memory(scores: Floats, places: list[int]) -> tuple[float, float]:
    """Lag-one correlation about the levels between the steps, corrected for what taking their means away took.

    The likely one, and one half a standard error higher: a test that takes it for too low fires too often.
    """
    edges = [0, *places, scores.size]
    left = np.concatenate([scores[a:b] - scores[a:b].mean() for a, b in pairwise(edges)])
    whole = float(left @ left)
    raw = float(left[1:] @ left[:-1]) / whole if whole > 0 else 0.0
    n_levels = len(edges) - 1
    likely = float(np.clip(raw + n_levels * (1 + 3 * raw) / scores.size, 0.0, _MOST_MEMORY))
    return likely, min(likely + 0.5 * float(np.sqrt((1 - likely**2) / scores.size)), _MOST_MEMORY)


def _largest_step(rows: Floats) -> Floats:
    """Shao and Zhang's self-normalised CUSUM, its largest value over all places, row by row.

    The step is measured against how the sums wander before and after it, not against an estimate of the noise.
    """
    n = rows.shape[1]
    least = max(MIN_SEGMENT, n // 20)
    at = np.arange(least, n - least + 1)
    if not at.size:
        return np.zeros(rows.shape[0])
    sums = np.cumsum(rows, axis=1)
    wandering = _wandering(rows)[:, at - 1] + _wandering(rows[:, ::-1])[:, n - at - 1]
    step = (sums[:, at - 1] - sums[:, -1:] * at / n) ** 2
    return np.asarray((n * step / np.maximum(wandering, 1e-12)).max(axis=1))


def _wandering(rows: Floats) -> Floats:
    """For each k: Σ over t ≤ k of (S(t) − t/k S(k))², S being the sums of the rows."""
    sums = np.cumsum(rows, axis=1)
    t = np.arange(1.0, rows.shape[1] + 1)
    slope = sums / t
    return np.asarray(np.cumsum(sums**2, axis=1) - 2 * slope * np.cumsum(t * sums, axis=1) + slope**2 * np.cumsum(t**2))


@lru_cache(maxsize=512)
def _null(n: int, memory_percent: int) -> Floats:
    """Largest steps of series without a step, ascending."""
    random = np.random.default_rng([0, n, memory_percent])
    memory = memory_percent / 100
    noise = random.normal(size=(_N_SIMULATED, n))
    noise[:, 0] /= np.sqrt(1 - memory**2)
    return np.sort(_largest_step(np.asarray(scipy.signal.lfilter([1.0], [1.0, -memory], noise, axis=1))))


def _p_value(scores: Floats, memory: float) -> float:
    null = _null(scores.size, round(100 * memory))
    n_larger = null.size - int(np.searchsorted(null, _largest_step(scores[None, :])[0]))
    return (n_larger + 1) / (null.size + 1)


def _step(medians: Floats, span: tuple[int, int, int], p: float, memory: float) -> Step:
    left, at, right = span
    before, after = medians[left:at], medians[at:right]
    old, new = float(np.median(before)), float(np.median(after))
    spread = float(np.std(np.concatenate([before - old, after - new])))
    count = (1 - memory) / (1 + memory)  # how many independent values each value is worth
    freedom = max(count * (before.size + after.size) - 2, 2.0)
    error = _OF_MEDIANS * spread * np.sqrt((1 / before.size + 1 / after.size) / count)
    reach = float(scipy.special.stdtrit(freedom, (1 + LEVEL) / 2) * error)
    return Step(at, old, new, new - old - reach, new - old + reach, p)
