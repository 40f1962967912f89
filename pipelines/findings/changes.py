"""Rules on what changed: a step in a series that is more than its usual wandering."""

from collections.abc import Iterator
from datetime import timedelta

import polars as pl

from pipelines.catalog import Rule
from pipelines.config import Site
from pipelines.findings.hits import EVIDENCE_ROWS, Hit, Period, groups, instant
from pipelines.methods.change_points import changes


def changed(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The largest step among those of the last `recent_days`; the series is the median of every `bin_hours`.

    A bin with fewer than `min_per_bin` values says nothing and is left out. A step counts from `min_change` on, a share
    of the level before.
    """
    params = rule.params
    since = period.bounds[1] - timedelta(days=params["recent_days"])
    for entity, group in groups(rule, rows):
        series = (
            group.drop_nulls(rule.value)
            .group_by(pl.col(rule.time[0]).dt.truncate(f"{params['bin_hours']}h").alias("at"))
            .agg(pl.col(rule.value).median().alias("value"), pl.len().alias("n"))
            .filter(pl.col("n") >= params["min_per_bin"])
            .sort("at")
        )
        found = [
            (abs(step.step / step.before), step)
            for step in changes(series["value"].to_numpy().astype(float)).changes
            if step.before > 0 and series["at"][step.at] >= since
        ]
        share, step = max(found, key=lambda pair: pair[0], default=(0.0, None))
        if step is None or share < params["min_change"]:
            continue
        at = instant(series["at"][step.at])
        facts = {
            "before": step.before,
            "after": step.after,
            "change": step.step / step.before,
            "low": step.low / step.before,
            "high": step.high / step.before,
            "at": f"{at:%Y-%m-%d %H:%M}",
            "p": step.p,
            "n": series.height,
        }
        after = group.filter(pl.col(rule.time[0]) >= at)
        yield Hit(entity, at, instant(after[rule.time[1]].max()), step.step, facts, rows=after.head(EVIDENCE_ROWS))
