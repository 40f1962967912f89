"""Drives that the traffic of the site's own days needs, for each kind of drive there."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from pipelines.analysis.forecast.costs import Fitted
from pipelines.analysis.forecast.history import History, Row
from pipelines.analysis.models.eta import LEAST_DAYS
from pipelines.analysis.models.sizing import LEAST_SHARE, Needed, Traffic, certain, drives_needed, share
from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.config import technology
from pipelines.config.technology import HOUR_S
from pipelines.primitives.estimate import Estimate, NoEstimate

BACKLOG = certain(2.0)  # what the sizing note allows every class of traffic for backlogs and peaks (C04, C23)
LEAST_COVERED = 0.5
LEAST_MOUNTS = 3  # as the fit wants of what was measured and needs no fitting


@dataclass(frozen=True)
class DrivesNeeded:
    """One kind of drive: how many its traffic needs, by the given days, or why there is no estimate."""

    generation: str
    n_days: int
    needed: Needed | NoEstimate


def drives_for_traffic(history: History, fitted: list[Fitted]) -> list[DrivesNeeded]:
    """Every kind of drive: the traffic of these days, twice, at the efficiency its mounts had, by its nameplate.

    Rates are by the time that logs cover. Traffic and availability have an interval where at least five days have logs;
    else they count as they were.
    """
    rows = history.rows("drive_days")
    found = []
    for generation, group in groupby(rows, key=lambda row: row["generation"]):
        days = _well_seen(list(group))
        mounts = {one.mode: one for one in fitted if one.generation == (generation or "unknown")}
        n_days = len({row["day"] for row in days})
        found.append(DrivesNeeded(generation or "unknown", n_days, _needed(generation, days, mounts)))
    return found


def _well_seen(rows: list[Row]) -> list[Row]:
    """Rows of the days of which logs cover at least half: the rest of a day may have been like no other."""
    found: list[Row] = []
    for _, group in groupby(rows, key=lambda row: row["day"]):
        day = list(group)
        found += day if sum(row["known_hours"] for row in day) >= LEAST_COVERED * 24 * len(day) else []
    return found


def _needed(generation: str | None, days: list[Row], fitted: dict[str, Fitted]) -> Needed | NoEstimate:
    sold = technology.known(generation or "")
    if sold is None:
        return NoEstimate(
            f"no native rate is known for {generation or 'these drives'}",
            "the `generation` of these drives in site.toml",
        )
    by_day = [list(group) for _, group in groupby(days, key=lambda row: row["day"])]
    covered_s = np.array([sum(row["known_hours"] for row in rows) / len(rows) * HOUR_S for rows in by_day])
    traffic = []
    for mode in ("read", "write"):
        gb = np.array([sum(row[f"{mode}_gb"] for row in rows) for rows in by_day])
        if not gb.sum():
            continue
        one = fitted.get(mode)
        n_mounts = len(one.mounts) if one else 0
        if one is None or n_mounts < LEAST_MOUNTS:
            why = f"{mode} traffic: only {n_mounts} mounts were logged completely, from request to dismount"
            return NoEstimate(why, f"at least {LEAST_MOUNTS} mounts logged completely, from request to dismount")
        efficiency = bootstrap.ratio(
            bootstrap.counts(n_mounts), one.mounts.moved_mb, one.mounts.wall_s * sold.native_mb_s
        )
        mb_s = _over_days(gb * 1000, covered_s, len(gb))
        traffic.append(Traffic(mode, mb_s, BACKLOG, share(efficiency)))
    if not traffic:
        return NoEstimate("no data moved on the days with logs", "days on which data moved")
    known = np.array([row["known_hours"] for row in days])
    usable = known - np.array([row["down_hours"] for row in days])
    if not usable.sum():
        return NoEstimate("the drives were down on all days with logs", "days on which drives worked")
    available = share(_over_days(usable, known, len(by_day)))
    return drives_needed(traffic, certain(sold.native_mb_s), available)


def _over_days(above: Floats, below: Floats, n_days: int) -> Estimate:
    """A ratio over cases of several days; few days do not show how others will be, so theirs counts as it is."""
    if n_days < LEAST_DAYS or not above.any():
        return certain(float(above.sum() / below.sum()))
    one = bootstrap.ratio(bootstrap.counts(len(above)), above, below)
    # above 0: where data moved on few of many days, a stretched interval reaches below
    return Estimate(one.value, max(one.low, LEAST_SHARE * one.value), one.high)
