"""Rules on what changed: a step in a series that is more than its usual wandering."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant
from pipelines.analysis.stats import two_way
from pipelines.analysis.stats.change_points import Step, find_steps
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.times import instant as shown

_NAMING = ("system", "station", "drive", "mover_host", "host", "link", "generation", "storage_group", "file_family")


@detector("changed")
def changed(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The largest step among those of the last `recent_days`; the series is the median of every `bin_hours`.

    With `level_of`, the column of the drive, the series is how much the bins differ in the same drives: which of them
    happened to work then moves nothing. With a `cap` it is the mean of values that count at most as much: of whole
    seconds a median moves by whole seconds, and not at all where less than half of the values change. A bin with fewer
    than `min_per_bin` values says nothing and is left out. A step counts from `min_change` on, a share of the level
    before, and from `min_step`. `most_of` is a column that says where the step came from.
    """
    for entity, group in groups(rule, rows.drop_nulls(rule.value)):
        series = _series(rule, group)
        step = _largest(rule, series, period.bounds[1] - timedelta(days=rule.params["recent_days"]))
        if step is None:
            continue
        at = instant(series["at"][step.at])
        facts: dict[str, Any] = {
            "before": step.before,
            "after": step.after,
            "step": step.size / step.before,
            "low": step.low / step.before,
            "high": step.high / step.before,
            "at": shown(at, period.zone, "%H:%M"),
            "p": step.p,
            "n": series.height,
        }
        if "most_of" in rule.params:
            facts["most_of"] = _most_changed(rule, group, at, step)
        after = group.filter(pl.col(rule.time[0]) >= at)
        yield Hit(
            entity,
            at,
            instant(after[rule.time[1]].max()),
            step.size,
            facts,
            rows=after.head(EVIDENCE_ROWS),
            names=names_in(group),
            not_after=_latest(series["at"], step.at, rule.params["bin_hours"]),
        )


def _series(rule: Rule, group: pl.DataFrame) -> pl.DataFrame:
    binned = group.with_columns(at=pl.col(rule.time[0]).dt.truncate(f"{rule.params['bin_hours']}h"))
    series = (
        binned.group_by("at")
        .agg(_level(rule).alias("value"), pl.len().alias("n"))
        .filter(pl.col("n") >= rule.params["min_per_bin"])
        .sort("at")
    )
    if "level_of" not in rule.params or series.is_empty():
        return series
    used = binned.join(series.select("at"), on="at", how="semi")
    drives = used[rule.params["level_of"]].cast(pl.String).fill_null("").to_numpy()
    values = used[rule.value].to_numpy().astype(float)
    ratios = two_way.fit(values, drives, np.zeros(used.height), used["at"].to_numpy(), n_resamples=1).times
    usual = np.median(series["value"].to_numpy() / ratios)
    return series.with_columns(value=pl.Series(usual * ratios))


def _level(rule: Rule) -> pl.Expr:
    value = pl.col(rule.value)
    return value.clip(upper_bound=rule.params["cap"]).mean() if "cap" in rule.params else value.median()


def _largest(rule: Rule, series: pl.DataFrame, since: datetime) -> Step | None:
    found = find_steps(series["value"].to_numpy().astype(float))
    if isinstance(found, NoEstimate):
        return None
    recent = [step for step in found if step.before > 0 and series["at"][step.at] >= since]
    step = max(recent, key=lambda one: abs(one.size / one.before), default=None)
    if step is None or abs(step.size) < max(rule.params["min_change"] * step.before, rule.params.get("min_step", 0.0)):
        return None
    return step


def _most_changed(rule: Rule, group: pl.DataFrame, at: datetime, step: Step) -> str:
    """The value of `most_of` whose rows since are furthest from the level before, in the direction of the step."""
    name, value = rule.params["most_of"], pl.col(rule.value).clip(upper_bound=rule.params.get("cap"))
    since = group.filter(pl.col(rule.time[0]) >= at)
    moved = since.group_by(name).agg(((value - step.before) * np.sign(step.size)).sum().alias("moved"))
    return str(moved.sort(["moved", name], descending=[True, False])[name][0])


def _latest(bins: pl.Series, place: int, bin_hours: int) -> datetime:
    """End of the bin after the step's: a median of old and new values may seem new one bin too soon."""
    return instant(bins[min(place + 1, bins.len() - 1)]) + timedelta(hours=bin_hours)


def names_in(rows: pl.DataFrame) -> frozenset[str]:
    """Everything the rows are about that a change log may name."""
    return frozenset(
        str(name) for column in _NAMING if column in rows.columns for name in rows[column].drop_nulls().unique()
    )
