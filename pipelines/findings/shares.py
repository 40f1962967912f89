"""Rules on shares: a pool that gets more than the others, a stream whose drives wait for the other side."""

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import polars as pl

from pipelines.catalog import Rule
from pipelines.clock import Period
from pipelines.config import Site
from pipelines.findings.hits import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.methods.population import total_interval
from pipelines.methods.ratios import ratio_of_sums

_PER_HOUR = timedelta(hours=1)
# What stood in the way of a stream that waited, by the verdict of gold.bottleneck.
_IN_THE_WAY = {
    "starved": "its link and its disks were at ease meanwhile",
    "network_bound": "its link was full meanwhile",
    "disk_bound": "its disks or processors were busy meanwhile",
    "cannot_tell": "no log tells what its link and disks did meanwhile",
}


def more_than_share(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Members that get some times what each of the others gets, hour by hour and kind of work by kind of work.

    It fires where a member has at least `min_times` of it and the interval, over hours, begins above `above`. A member
    with less than `min_use` of an even share serves something else: it is not judged, and nobody's peer.
    """
    for _, alike in rows.group_by(rule.params["alike"], maintain_order=True):
        peers = _peers(rule, alike)
        for entity, own in groups(rule, peers.filter(pl.col("others").is_not_null())):
            found = ratio_of_sums(
                own[rule.value].to_numpy().astype(float), own["others"].to_numpy(), own["hour_at"].to_numpy()
            )
            if found.cannot_tell or found.ratio < rule.params["min_times"] or found.low <= rule.params["above"]:
                continue
            begun = own.filter(pl.col(rule.value) > 0)
            facts = {
                "times": found.ratio,
                "times_low": found.low,
                "times_high": found.high,
                "amount": number(own[rule.value].sum()),
                "unit": str(own["unit"][0]),
                "n_others": int(number(own["n_members"].max())) - 1,
                "n_hours": begun["hour_at"].n_unique(),
            }
            begin, end = instant(begun["hour_at"].min()), instant(begun["hour_at"].max()) + _PER_HOUR
            telling = begun.sort(rule.value, "hour_at", descending=[True, False]).head(EVIDENCE_ROWS)
            yield Hit(entity, begin, end, found.ratio, facts, rows=telling)


def _peers(rule: Rule, alike: pl.DataFrame) -> pl.DataFrame:
    """Each member in each hour and kind of work, also where it got nothing, and the mean of what the others got."""
    member, work = rule.by[-1], rule.params["work"]
    total = alike.group_by([*work, member]).agg(pl.col(rule.value).sum().alias("total"))
    even = total.with_columns(even=pl.col("total").mean().over(work))
    used = even.filter(pl.col("total") >= rule.params["min_use"] * pl.col("even"))
    used = used.with_columns(n_members=pl.len().over(work)).filter(pl.col("n_members") >= rule.params["min_members"])
    hours = alike.select([*work, "hour_at"]).unique()
    every = used.join(hours, on=work).join(
        alike.unique([*work, member, "hour_at"], maintain_order=True), on=[*work, member, "hour_at"], how="left"
    )
    named = [pl.col(name).fill_null(pl.lit(alike[name][0])) for name in {*rule.by[:-1], "unit"}]
    whole = pl.col(rule.value).sum().over([*work, "hour_at"])
    return (
        every.with_columns(pl.col(rule.value).fill_null(0), *named)
        .with_columns(others=(whole - pl.col(rule.value)) / (pl.col("n_members") - 1))
        .sort([*work, member, "hour_at"])
    )


def waits(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Streams whose drives wait, inside transfers, for the side that gives or takes the data.

    It fires where the waits took at least `min_share` of the transfers' time and `min_total` seconds, and where the
    share's interval, over hours of drives, begins above `above`.
    """
    params = rule.params
    for entity, group in groups(rule, rows.drop_nulls(list(rule.by)).filter(pl.col(params["of"]) > 0)):
        waited, moved = (group[name].to_numpy().astype(float) for name in (rule.value, params["of"]))
        found = ratio_of_sums(waited, moved, np.arange(group.height))
        lost_s = float(waited.sum())
        if found.cannot_tell or lost_s < params["min_total"]:
            continue
        if found.ratio < params["min_share"] or found.low <= params["above"]:
            continue
        struck = group.filter(pl.col(rule.value) >= params["min_share"] * pl.col(params["of"]))
        said = struck.group_by("verdict").agg(pl.col(rule.value).sum()).sort(rule.value, "verdict", descending=True)
        told = [_IN_THE_WAY[verdict] for verdict in said["verdict"] if verdict in _IN_THE_WAY]
        facts = {
            "hours": lost_s / 3600,
            "wait_share": found.ratio,
            "wait_share_low": found.low,
            "wait_share_high": found.high,
            "n_drives": struck["drive"].n_unique(),
            "n_hours": struck.height,
            "meanwhile": told[0] if told else _IN_THE_WAY["cannot_tell"],
        }
        yield Hit(
            entity,
            instant(struck[rule.time[0]].min()),
            instant(struck[rule.time[1]].max()) + _PER_HOUR,
            found.ratio,
            facts,
            lost_s,
            rows=struck.sort(rule.value, rule.time[0], descending=[True, False]).head(EVIDENCE_ROWS),
            lost_interval=total_interval(waited, np.arange(group.height)),
        )
