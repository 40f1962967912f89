"""Rules on weeks: reading that costs ever more drive-hours because it has become chaotic."""

import math
from collections.abc import Iterator
from datetime import date

import numpy as np
import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import Estimate, NoEstimate

_WEEK = 7


@detector("slides")
def slides(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Groups whose last seven days cost a multiple of the drive-hours a TB of the first week that can be compared.

    Weeks end with the period. One can be compared with `min_count` mounts on enough days for an interval, which is over
    days. It fires at `min_times` the hours a TB, where the interval of that begins above `above` and the share of
    mounts in a pattern of `chaotic` is greater by `min_more`: dearer reading in order has another cause.
    """
    params = rule.params
    usable = rows.filter(pl.col("wall_s").is_not_null(), pl.col(rule.value) > 0).with_columns(
        pl.col("storage_group").fill_null("group unknown"),
        week=(pl.lit(period.last) - pl.col("site_day")).dt.total_days() // _WEEK,
        is_chaotic=pl.col("pattern").is_in(params["chaotic"]),
    )
    for entity, group in groups(rule, usable):
        weeks = {week: of for (week,), of in group.group_by(["week"]) if of.height >= params["min_count"]}
        costs = {week: cost for week, of in weeks.items() if isinstance(cost := _hours_a_tb(rule, of), Estimate)}
        first = max(costs, default=0)
        if first == 0 or 0 not in costs:
            continue
        then, now = (number(weeks[week]["is_chaotic"].mean()) for week in (first, 0))
        times, low, high = _times(costs[0], costs[first])
        if times < params["min_times"] or low <= params["above"] or now - then < params["min_more"]:
            continue
        last = weeks[0]
        facts = {
            "hours_tb": costs[0].value,
            "times": times,
            "times_low": low,
            "times_high": high,
            "chaotic": now,
            "chaotic_then": then,
            "files_a_mount": number(last["n_files"].mean()),
            "files_a_mount_then": number(weeks[first]["n_files"].mean()),
            "n_mounts": last.height,
            "first_week": str(_first_day(weeks[first])),
            "more_hours": (costs[0].value - costs[first].value) * number(last[rule.value].sum()) / 1e3,
        }
        telling = last.filter("is_chaotic").sort("wall_s", rule.time[0], descending=[True, False])
        begin, end = instant(last[rule.time[0]].min()), instant(last["dismounted_at"].max())
        yield Hit(entity, begin, end, times, facts, rows=telling.head(EVIDENCE_ROWS))


def _hours_a_tb(rule: Rule, week: pl.DataFrame) -> Estimate | NoEstimate:
    hours, terabytes = week["wall_s"].to_numpy() / 3600, week[rule.value].to_numpy() / 1e3
    return ratio_of_sums(hours, terabytes, week["site_day"].to_numpy())


def _times(now: Estimate, then: Estimate) -> tuple[float, float, float]:
    """One cost by another; their doubts are independent, and add up in squares of logarithms."""
    reach = float(np.hypot(math.log(now.high / now.value), math.log(then.high / then.value)))
    times = now.value / then.value
    return times, times * math.exp(-reach), times * math.exp(reach)


def _first_day(week: pl.DataFrame) -> date:
    days = week["site_day"].to_list()
    return min(days)  # type: ignore[no-any-return]
