"""What a finding's chart shows: the rows its rule judged, and the value that was expected of them."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.analysis.findings.hit import groups
from pipelines.analysis.findings.registry import read_metric
from pipelines.catalog.contracts import Catalog, Rule
from pipelines.config.site import Site
from pipelines.primitives import format
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection

MOST_ROWS = 3000  # a browser draws no more; every n-th of more rows is shown
_DAYS_BEFORE = timedelta(days=13)  # days before it, so that a day's bar is seen among others
HISTOGRAM, SPANS, BARS, POINTS = "histogram", "spans", "bars", "points"


@dataclass(frozen=True)
class Exhibit:
    """Rows of one entity in time's order (`from_at`, `to_at`, `value`), how to draw them, what was expected.

    Instants are UTC; of a daily metric they are the midnights that begin the site's days, in no zone.
    """

    kind: str
    is_daily: bool
    rows: pl.DataFrame
    n_rows: int  # before any were left out
    title: str  # of the value, with its unit
    unit: str
    expected: float | None = None
    expected_words: str = ""


def exhibit(connection: Connection, catalog: Catalog, site: Site, row: dict[str, Any]) -> Exhibit | None:
    """The rows behind a finding (a row of gold.finding); None where its rule or its rows no longer exist."""
    rule = catalog.rules.get(row["rule"])
    if rule is None:
        return None
    kind = _kind(rule)
    first = min(row["first_day"], row["day"] - _DAYS_BEFORE) if rule.time[0] == "day" else row["first_day"]
    rows = read_metric(connection, catalog, rule, Period(first, row["day"], site.zone))
    own = dict(groups(rule, rows)).get(row["entity"])
    if own is None:
        return None
    name = rule.params.get("weight", rule.value)
    column = next(column for column in catalog.relations[rule.metric].columns if column.name == name)
    share = str(rule.params.get("of", ""))
    is_share = "weight" not in rule.params and share in own.columns
    begin, end = (pl.col(at).cast(pl.Datetime("us")) for at in rule.time)
    of = pl.col(share).cast(pl.Float64) if is_share else pl.lit(1.0)
    drawn = own.select(from_at=begin, to_at=end, value=pl.col(name).cast(pl.Float64), of=of).drop_nulls(
        ["from_at", "value"]
    )
    if kind == BARS:  # one bar for an hour or a day, whatever drives its rows are of
        drawn = drawn.group_by("from_at").agg(
            pl.max("to_at"), pl.sum("value"), pl.sum("of") if is_share else pl.lit(1.0).alias("of")
        )
    drawn = drawn.select("from_at", "to_at", value=pl.col("value") / pl.col("of"))
    drawn = drawn.filter(pl.col("value").is_finite()).sort("from_at", "to_at")
    expected, words = _expected(rule, json.loads(row["facts"] or "{}"))
    title = f"{format.label(column)}, share of {share.replace('_', ' ')}" if is_share else format.heading(column)
    unit = "1" if is_share else column.unit
    every = max(1, -(-drawn.height // MOST_ROWS))
    return Exhibit(kind, rule.time[0] == "day", drawn.gather_every(every), drawn.height, title, unit, expected, words)


def _kind(rule: Rule) -> str:
    if rule.method == "population":
        return HISTOGRAM
    if rule.time[0] in ("day", "hour_at", "bin_at"):
        return BARS
    return SPANS if rule.method == "episodes" else POINTS


def _expected(rule: Rule, facts: dict[str, Any]) -> tuple[float | None, str]:
    """The value that the rule names as expected: a fact of the finding, or a limit among the rule's own."""
    if not rule.expected:
        return None, ""
    found = facts.get(rule.expected)
    if isinstance(found, int | float):
        return float(found), "expected"
    limit = rule.params.get(rule.expected)
    return (None, "") if limit is None else (float(limit), "the rule's limit")
