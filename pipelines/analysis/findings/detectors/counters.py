"""Rules on counters that grow: more of them for the same work than their own past has."""

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import Estimate

_NONE_AT_MOST = 3.0  # of what was never counted, as many may have been due: Poisson, 95 %


@detector("risen")
def risen(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Counts for each `unit` of the column `per` in the last `recent_days`, against the days before of the same entity.

    It fires where they are more than `min_ratio` times the past and above its interval, and still are, with at least
    `min_count` of them, without the value of `different` that has most: what one tape does to a drive is not the
    drive's. A past without any counts as its interval's upper end. The past needs `min_past` rows; each is a case of
    its own for its interval.
    """
    params, per = rule.params, rule.params["per"]
    begin = period.last - timedelta(days=params["recent_days"] - 1)
    known = rows.drop_nulls([*rule.by, rule.value, params["different"]]).filter(pl.col(per) > 0)
    for entity, group in groups(rule, known):
        now, past = group.filter(pl.col("day") >= begin), group.filter(pl.col("day") < begin)
        if past.height < params["min_past"] or now[params["different"]].n_unique() < 2:
            continue
        by_other = now.group_by(params["different"]).agg(pl.col(rule.value).sum())
        worst = by_other.sort([rule.value, params["different"]], descending=[True, False])[params["different"]][0]
        rest = now.filter(pl.col(params["different"]) != worst)
        before, most = _past(past, rule.value, per, params["unit"])
        rest_rate = _rate(rest, rule.value, per, params["unit"])
        if number(rest[rule.value].sum()) < params["min_count"]:
            continue
        rate = _rate(now, rule.value, per, params["unit"])
        if min(rate, rest_rate) <= max(params["min_ratio"] * (before or most), most):
            continue
        facts = {
            "now": rate,
            "before": before,
            "before_high": most,
            "ratio": rate / (before or most),
            "rest": rest_rate,
            "worst": str(worst),
            "n": int(number(now[rule.value].sum())),
            "n_different": by_other.height,
            "n_past": past.height,
            "recent_days": params["recent_days"],
        }
        yield Hit(
            entity,
            instant(now[rule.time[0]].min()),
            instant(now[rule.time[1]].max()),
            rate,
            facts,
            rows=now.sort(rule.value, rule.time[0], descending=[True, False]).head(EVIDENCE_ROWS),
        )


def _rate(rows: pl.DataFrame, value: str, per: str, unit: float) -> float:
    return number(rows[value].sum()) / number(rows[per].sum()) * unit


def _past(rows: pl.DataFrame, value: str, per: str, unit: float) -> tuple[float, float]:
    """The rate of the past, and the upper end of its interval."""
    counts, work = (rows[name].to_numpy().astype(float) for name in (value, per))
    found = ratio_of_sums(counts, work / unit, np.arange(rows.height), min_clusters=2)
    if isinstance(found, Estimate):
        return found.value, found.high
    return 0.0, _NONE_AT_MOST / (number(rows[per].sum()) / unit)
