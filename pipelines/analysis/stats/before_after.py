"""Did a change help? Before against after, matched by tape and size mix."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from pipelines.analysis.stats.bootstrap import LEVEL, Floats, resamples
from pipelines.analysis.stats.median_ratio import weighted_medians
from pipelines.primitives.estimate import Estimate, NoEstimate

MIN_VALUES = 5
MIN_CLUSTERS = 3
_N_RESAMPLES = 499

Labels = NDArray[np.generic]


class Comparison(NamedTuple):
    """After ÷ before; without an estimate the plain ratio of medians is all there is."""

    ratio: Estimate | NoEstimate  # matched: of medians within strata, averaged by the weight of each stratum
    effect: float  # Cliff's delta, −1 to 1: how surely a value after is above one before, strata alike
    unmatched_ratio: float  # of all medians, whatever the mix
    mix_shift: float  # share of values that would have to change strata for the mixes to be the same
    n_before: int  # in strata with enough values on both sides
    n_after: int

    @property
    def is_significant(self) -> bool:
        """The interval leaves out 1."""
        return isinstance(self.ratio, Estimate) and (self.ratio.low > 1 or self.ratio.high < 1)


class _Stratum(NamedTuple):
    before: Floats
    after: Floats
    before_clusters: NDArray[np.intp]
    after_clusters: NDArray[np.intp]

    @property
    def weight(self) -> float:
        return self.before.size * self.after.size / (self.before.size + self.after.size)

    @property
    def effect(self) -> float:
        pairs = self.before.size * self.after.size
        return float(2 * scipy.stats.mannwhitneyu(self.after, self.before, method="asymptotic").statistic / pairs - 1)


def compare(
    values: Floats,
    is_after: NDArray[np.bool_],
    strata: Labels,
    clusters: Labels,
    *,
    level: float = LEVEL,
    seed: int = 0,
) -> Comparison:
    """Compare rates (above 0, any one unit) before and after a change within strata, as tape and class of file size.

    Ratio: exp(Σ w log(median after ÷ median before) / Σ w) with w = n m / (n + m), as in van Elteren's stratified test
    (1960, Bull. Int. Stat. Inst. 37, 351). Interval: percentiles of a bootstrap of `clusters` (mounts), apart before
    and after, within strata. Effect: Cliff's delta (1993, Psychol. Bull. 114, 494), averaged alike. Strata with fewer
    than 5 values or 3 clusters on a side say nothing; where none has more, the plain ratio is given without an
    interval: one figure a side proves nothing.

    False alarms (90 % interval, so 0.10 is due; share of 1,000 null comparisons of 12 mounts of 10 files a side in two
    strata that call it significant): files independent 0.098; mounts that differ by 10 % among themselves 0.109.
    `tests/test_methods.py` runs a part of this.

    >>> rates = np.concatenate([np.linspace(38, 42, 60), np.linspace(47, 53, 60)])
    >>> found = compare(rates, np.arange(120) >= 60, np.zeros(120), np.arange(120) // 10)
    >>> round(found.ratio.value, 2), found.is_significant, found.effect
    (1.25, True, 1.0)
    >>> alone = compare(np.array([2.0, 16.0]), np.array([False, True]), np.zeros(2), np.arange(2))
    >>> alone.unmatched_ratio, alone.ratio.reason
    (8.0, 'no group of comparable cases has 5 values from 3 different mounts both before and after the change')
    """
    if not is_after.any() or is_after.all():
        nan, why = (
            float("nan"),
            NoEstimate("no values before the change, or no values after it", "values before and after the change"),
        )
        return Comparison(why, nan, nan, nan, 0, 0)
    plain = float(np.median(values[is_after]) / np.median(values[~is_after]))
    shift = _mix_shift(strata, is_after)
    usable = _usable(values, is_after, strata, clusters)
    if not usable:
        enough = f"{MIN_VALUES} values from {MIN_CLUSTERS} different mounts both before and after the change"
        why = NoEstimate(f"no group of comparable cases has {enough}", f"a group of comparable cases with {enough}")
        return Comparison(why, float("nan"), plain, shift, 0, 0)
    n_before, n_after = (sum(parts) for parts in zip(*((s.before.size, s.after.size) for s in usable), strict=True))
    weights = np.array([stratum.weight for stratum in usable])
    logs = np.array([np.log(np.median(s.after) / np.median(s.before)) for s in usable])
    drawn = _resampled(usable, weights, np.random.default_rng(seed))
    low, high = np.exp(np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]))
    effect = float(np.average([stratum.effect for stratum in usable], weights=weights))
    ratio = Estimate(float(np.exp(np.average(logs, weights=weights))), float(low), float(high))
    return Comparison(ratio, effect, plain, shift, n_before, n_after)


def _usable(values: Floats, is_after: NDArray[np.bool_], strata: Labels, clusters: Labels) -> list[_Stratum]:
    """Strata with enough on both sides; a cluster has one number on its side, whatever strata it reaches into."""
    numbers = np.zeros(values.size, dtype=np.intp)
    for side in (is_after, ~is_after):
        numbers[side] = np.unique(clusters[side], return_inverse=True)[1]
    found = []
    for name in np.unique(strata):
        sides = [(strata == name) & ~is_after, (strata == name) & is_after]
        if all(side.sum() >= MIN_VALUES and np.unique(numbers[side]).size >= MIN_CLUSTERS for side in sides):
            found.append(_Stratum(*(values[side] for side in sides), *(numbers[side] for side in sides)))
    return found


def _mix_shift(strata: Labels, is_after: NDArray[np.bool_]) -> float:
    """Total variation distance between the shares of the strata before and after."""
    _, codes = np.unique(strata, return_inverse=True)
    n = int(codes.max()) + 1
    before, after = (np.bincount(codes[side], minlength=n) / side.sum() for side in (~is_after, is_after))
    return float(np.abs(before - after).sum() / 2)


def _resampled(strata: list[_Stratum], weights: Floats, random: np.random.Generator) -> Floats:
    """Logarithms of the ratio, resample by resample; a cluster is drawn in all its strata at once."""
    counts = []
    for codes in zip(*((s.before_clusters, s.after_clusters) for s in strata), strict=True):
        n = max(int(code.max()) for code in codes) + 1
        counts.append(resamples(n, _N_RESAMPLES, random))
    total, weight = np.zeros(_N_RESAMPLES), np.zeros(_N_RESAMPLES)
    for stratum, each in zip(strata, weights, strict=True):
        before, after = counts[0][:, stratum.before_clusters], counts[1][:, stratum.after_clusters]
        drawn = before.any(axis=1) & after.any(axis=1)
        medians = [
            weighted_medians(stratum.before, stratum.before_clusters, counts[0]),
            weighted_medians(stratum.after, stratum.after_clusters, counts[1]),
        ]
        total += np.where(drawn, each * np.log(medians[1] / medians[0]), 0.0)
        weight += np.where(drawn, each, 0.0)
    return total / np.maximum(weight, 1e-12)
