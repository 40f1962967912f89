"""Rules on what lasts: gaps that are too long, intervals that join into episodes."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipelines.catalog import Rule
from pipelines.config import Site
from pipelines.findings.hits import EVIDENCE_ROWS, Hit, Period, groups, instant, number, priced_bytes
from pipelines.methods import episodes, population


def long_population(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A population of long values: enough of them, and a large enough share."""
    params = rule.params
    # a gap over midnight is told once, on the day it begins
    begun = rows.filter(pl.col(rule.time[0]) >= period.bounds[0])
    for entity, group in groups(rule, begun):
        found = population.long_values(
            group[rule.value].to_numpy().astype(float), site.expected_gap_s, params["excess_s"]
        )
        if found.n_long < params["min_count"] or found.share < params["min_share"]:
            continue
        long = group.filter(pl.Series(found.is_long)).with_columns(excess_s=pl.col(rule.value) - site.expected_gap_s)
        parts = {part: number(long[f"{part}_s"].sum()) for part in ("database", "request", "start")}
        facts = {
            "n": found.n,
            "n_long": found.n_long,
            "share": found.share,
            "modal_s": found.modal,
            "limit_s": site.expected_gap_s + params["excess_s"],
            "expected_s": site.expected_gap_s,
            "part": max(parts, key=lambda name: parts[name]),
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
                group[params["cluster"]].to_numpy().astype(str),
            ),
        )


def joined_episodes(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Intervals joined into episodes that last long enough."""
    params, (begin, end) = rule.params, rule.time
    for entity, group in groups(rule, rows):
        clipped = group.with_columns(
            pl.max_horizontal(pl.col(begin), pl.lit(period.bounds[0])).alias(begin),
            pl.min_horizontal(pl.col(end), pl.lit(period.bounds[1])).alias(end),
        ).filter(pl.col(end) > pl.col(begin))
        instants = [clipped[name].dt.epoch("us").to_numpy() / 1e6 for name in (begin, end)]
        for episode in episodes.join(instants[0], instants[1], params["join_s"]):
            if episode.total < params["min_s"]:
                continue
            members = clipped[episode.members.tolist()]
            facts = {name: number(members[name].median()) for name in params.get("facts", ())}
            facts |= {"hours": episode.total / 3600}
            yield Hit(
                entity,
                instant(members[begin].min()),
                instant(members[end].max()),
                number(members[rule.value].median()),
                facts,
                episode.total if params.get("is_priced", True) else None,
                priced_bytes(rule, members, (members[end] - members[begin]).dt.total_microseconds() / 1e6),
                members.head(EVIDENCE_ROWS),
            )
