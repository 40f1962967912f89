"""What a change brought: before against after, less what changed for those who were not changed."""

from typing import NamedTuple

import numpy as np

from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import counted

LEAST_DAYS = 5
_NO_WORK = NoEstimate(
    "the drives moved no data before the change, or did no work after it", "days with work before and after the change"
)


class Days(NamedTuple):
    """One element a day: GB moved and drive-hours at work."""

    moved_gb: Floats
    busy_hours: Floats


class Realised(NamedTuple):
    """GB a day more; `has_peers`: what changed for others is taken out."""

    gain_gb_day: Estimate | NoEstimate
    has_peers: bool


def realised(
    before: Days,
    after: Days,
    peers_before: Days | None = None,
    peers_after: Days | None = None,
    hours: bool = False,
    n_resamples: int = bootstrap.N_RESAMPLES,
) -> Realised:
    """GB a day that a change of some drives brought.

    Formula: rate before x (rate after / rate before / the same of the peers - 1) x what a day after has of drive-hours.
    The rate is GB per drive-hour at work; with `hours`, for changes that bring hours and not speed, GB per day. Peers
    have the same days, in the same order. Interval: 90 %, days resampled, those of drives and peers together. Limits:
    five days at least on either side; days are taken to be independent; what else changed for these drives alone is
    taken for the change. On nothing but noise (40 days, days that scatter by a fifth) about one interval in ten leaves
    out 0. Source: differences in differences, on ratios.

    >>> five = np.ones(5)
    >>> realised(Days(240 * five, 2 * five), Days(360 * five, 2 * five)).gain_gb_day.value
    120.0
    """
    n_days = min(len(before.moved_gb), len(after.moved_gb))
    has_peers = _has_rate(peers_before, hours) and _has_rate(peers_after, hours)
    if n_days < LEAST_DAYS:
        days = counted(n_days, "day")
        return Realised(
            NoEstimate(
                f"only {days} before the change, or only {days} after it",
                f"{LEAST_DAYS} days before and after the change",
            ),
            has_peers,
        )
    if not _has_rate(before, hours) or not after.busy_hours.sum():
        return Realised(_NO_WORK, has_peers)
    sides = (before, after, peers_before, peers_after) if has_peers else (before, after, None, None)
    point = _gain(sides, np.ones((1, len(before[0]))), np.ones((1, len(after[0]))), hours)
    often = [bootstrap.counts(len(days[0]), n_resamples, seed) for seed, days in enumerate((before, after))]
    draws = _gain(sides, often[0], often[1], hours)
    usable = draws[np.isfinite(draws)]
    return Realised(bootstrap.interval(float(point[0]), usable, n_days), has_peers)


def _has_rate(days: Days | None, hours: bool) -> bool:
    """Whether data moved in known hours: a table of transfers alone shows bytes, and no drive at work."""
    return days is not None and bool(days.moved_gb.sum() and (hours or days.busy_hours.sum()))


def _gain(sides: tuple[Days | None, ...], before: Floats, after: Floats, hours: bool) -> Floats:
    """GB a day more, for each row of how often each day counts."""

    def rate(days: Days, times: Floats) -> Floats:
        below = times.sum(axis=1) if hours else times @ days.busy_hours
        found: Floats = (times @ days.moved_gb) / below
        return found

    own_before, own_after, peers_before, peers_after = sides
    assert own_before and own_after
    with np.errstate(divide="ignore", invalid="ignore"):
        was = rate(own_before, before)
        ratio = rate(own_after, after) / was
        if peers_before and peers_after:
            ratio = ratio / (rate(peers_after, after) / rate(peers_before, before))
        a_day = 1.0 if hours else (after @ own_after.busy_hours) / after.sum(axis=1)
        gain: Floats = was * (ratio - 1) * a_day
    return gain
