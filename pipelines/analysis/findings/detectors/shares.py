"""Rules on shares: a pool that gets more than the others, members of hours alike in kind of work."""

from collections.abc import Iterator
from datetime import timedelta

import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate

_PER_HOUR = timedelta(hours=1)


@detector("more_than_share")
def more_than_share(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Members that get some times what each of the others gets, hour by hour and kind of work by kind of work.

    It fires where a member has at least `min_times` of it and the interval, over hours, begins above `above`. A member
    with less than `min_use` of an even share serves something else: it is not judged, and is not a peer.
    """
    for _, alike in rows.group_by(rule.params["alike"], maintain_order=True):
        peers = _peers(rule, alike)
        for entity, own in groups(rule, peers.filter(pl.col("others").is_not_null())):
            found = ratio_of_sums(
                own[rule.value].to_numpy().astype(float), own["others"].to_numpy(), own["hour_at"].to_numpy()
            )
            if (
                isinstance(found, NoEstimate)
                or found.value < rule.params["min_times"]
                or found.low <= rule.params["above"]
            ):
                continue
            begun = own.filter(pl.col(rule.value) > 0)
            facts = {
                "times": found.value,
                "times_low": found.low,
                "times_high": found.high,
                "amount": number(own[rule.value].sum()),
                "unit": str(own["unit"][0]),
                "n_others": int(number(own["n_members"].max())) - 1,
                "n_hours": begun["hour_at"].n_unique(),
            }
            begin, end = instant(begun["hour_at"].min()), instant(begun["hour_at"].max()) + _PER_HOUR
            telling = begun.sort(rule.value, "hour_at", descending=[True, False]).head(EVIDENCE_ROWS)
            yield Hit(entity, begin, end, found.value, facts, rows=telling)


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
