"""Rules on what lasts: gaps that are too long, intervals that join into episodes."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number, priced_bytes
from pipelines.analysis.stats import episodes, mixture, population
from pipelines.analysis.stats.bootstrap import LEVEL
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.times import instant as shown
from pipelines.primitives.times import span


@detector("population")
def long_population(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A population of long values: a large enough share, and more than chance makes of a usual one.

    It fires where the share is at least `min_share`, its interval begins above `usual_share`, and `min_count` of them
    can be looked at. The interval is over clusters (mounts), or Wilson's where there are too few of these.
    """
    params = rule.params
    # a gap over midnight counts once, on the day it starts
    begun = rows.filter(pl.col(rule.time[0]) >= period.bounds[0])
    for entity, group in groups(rule, begun):
        found = population.long_values(
            group[rule.value].to_numpy().astype(float), site.expected_gap_s, params["excess_s"]
        )
        if found.n_long < params["min_count"] or found.share < params["min_share"]:
            continue
        clusters = group[params["cluster"]].to_numpy().astype(str)
        share_low, share_high = _share_interval(found.is_long, clusters)
        if share_low <= params["usual_share"]:
            continue
        long = group.filter(pl.Series(found.is_long)).with_columns(excess_s=pl.col(rule.value) - site.expected_gap_s)
        parts = {part: number(long[f"{part}_s"].sum()) for part in ("database", "request", "start")}
        facts = {
            "n": found.n,
            "n_long": found.n_long,
            "share": found.share,
            "share_low": share_low,
            "share_high": share_high,
            "modes": _modes(group[rule.value].to_numpy().astype(float)),
            "modal_s": found.modal,
            "limit_s": site.expected_gap_s + params["excess_s"],
            "expected_s": site.expected_gap_s,
            "part": (part := max(parts, key=lambda name: parts[name])),
            "of_part": _of_request(long) if part == "request" else "",
            "whole_gap_s": number(long["gap_s"].median()),
        }
        typical = (pl.col(rule.value) - found.modal).abs()
        yield Hit(
            entity,
            instant(long[rule.time[0]].min()),
            instant(long[rule.time[1]].max()),
            found.modal,
            facts,
            found.total_excess,
            float((long["excess_s"] * long[rule.rate]).sum()),
            long.sort(typical, rule.time[0]).head(EVIDENCE_ROWS),
            lost_interval=population.total_interval(
                np.where(found.is_long, group[rule.value].to_numpy().astype(float) - site.expected_gap_s, 0.0),
                clusters,
            ),
            is_part=True,
        )


def _of_request(gaps: pl.DataFrame) -> str:
    """Who took the time of the request: the client until it asked, or what came after."""
    known = gaps.drop_nulls("client_s")
    if known.is_empty():
        return ""
    client_s = number(known["client_s"].median())
    after_s = number((known["request_s"] - known["client_s"]).median())
    return f": {client_s:.1f} s until the client asks, then {after_s:.1f} s until the drive gets the request"


def _share_interval(is_long: NDArray[np.bool_], clusters: NDArray[np.str_]) -> tuple[float, float]:
    found = ratio_of_sums(is_long.astype(float), np.ones(is_long.size), clusters)
    if isinstance(found, Estimate):
        return found.low, min(1.0, found.high)
    wilson = scipy.stats.binomtest(int(is_long.sum()), is_long.size).proportion_ci(LEVEL, "wilson")
    return float(wilson.low), float(wilson.high)


def _modes(values: NDArray[np.float64]) -> str:
    """Where the values pile up, in whole seconds as logs record them, and what part of them each pile holds."""
    found = mixture.modes(values)
    modes = () if isinstance(found, NoEstimate) else found.modes
    return ", ".join(f"{mode.position:.0f} s ({mode.weight:.0%})" for mode in modes) or "no particular length"


@detector("episodes")
def joined_episodes(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Intervals joined into episodes that last long enough.

    With `ended_by`, a column that is NULL while an interval goes on, facts show whether an episode is over: `was` is
    "was" or "has been", `when` its instants on the site's clock. `begun_by` is the column of when it really began: the
    rows of an outage of months are cut at each midnight. `seconds` is the column of how much of an interval counts,
    where that is not all of it.
    """
    params, (begin, end) = rule.params, rule.time
    for entity, group in groups(rule, rows):
        clipped = group.with_columns(
            pl.max_horizontal(pl.col(begin), pl.lit(period.bounds[0])).alias(begin),
            pl.min_horizontal(pl.col(end), pl.lit(period.bounds[1])).alias(end),
        ).filter(pl.col(end) > pl.col(begin))
        instants = [clipped[name].dt.epoch("us").to_numpy() / 1e6 for name in (begin, end)]
        for episode in episodes.join(instants[0], instants[1], params["join_s"]):
            members = clipped[episode.members.tolist()]
            lasted_s = (members[end] - members[begin]).dt.total_microseconds() / 1e6
            if "seconds" in params:
                lasted_s = members.select(pl.min_horizontal(pl.lit(lasted_s), params["seconds"])).to_series()
            total_s = min(episode.total, number(lasted_s.sum()))
            if total_s < params["min_s"]:
                continue
            facts: dict[str, Any] = {name: number(members[name].median()) for name in params.get("facts", ())}
            facts |= {"hours": total_s / 3600}
            started_at, ended_at = instant(members[begin].min()), instant(members[end].max())
            if "ended_by" in params:
                is_over = members.sort(end)[params["ended_by"]][-1] is not None and ended_at < period.bounds[1]
                begun_at = members[params["begun_by"]].min() or started_at
                facts |= _tense(instant(begun_at), ended_at, is_over, period)
            yield Hit(
                entity,
                started_at,
                ended_at,
                number(members[rule.value].median()),
                facts,
                total_s if params.get("is_priced", True) else None,
                priced_bytes(rule, members, lasted_s),
                members.head(EVIDENCE_ROWS),
                is_part=True,
            )


def _tense(begin: datetime, end: datetime, is_over: bool, period: Period) -> dict[str, str]:
    """What is over was; what goes on at the end of the period, or of what was logged of it, has been since.

    `part` follows the hours: those before the period are not among them.
    """
    part = " in this period" if begin < period.bounds[0] else ""
    if is_over:
        return {"was": "was", "when": f"from {span(begin, end, period.zone)}", "part": part}
    last = "the end of the day" if end >= period.bounds[1] else (f"{shown(end, period.zone, '%H:%M')} (end of log)")
    when = f"since {shown(begin, period.zone, '%H:%M')}, at least until {last}"
    return {"was": "has been", "when": when, "part": part}
