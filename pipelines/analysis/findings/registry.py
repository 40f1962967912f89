"""A rule's rows and what its method says of them."""

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from pipelines.analysis.findings.detectors.clocks import off_clock
from pipelines.analysis.findings.detectors.episodes import joined_episodes, long_population
from pipelines.analysis.findings.detectors.partial_reads import dearer_than_whole
from pipelines.analysis.findings.detectors.peers import slow_tapes, slower_than_peers
from pipelines.analysis.findings.detectors.shares import more_than_share
from pipelines.analysis.findings.detectors.slides import slides
from pipelines.analysis.findings.detectors.steps import changed
from pipelines.analysis.findings.detectors.streams import waits
from pipelines.analysis.findings.detectors.thresholds import (
    accumulates,
    contradicts,
    low_share,
    repeats,
    turned_over,
    unbalanced,
)
from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Catalog, Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import ContractError
from pipelines.warehouse.connection import LAKE, Connection

METHODS: dict[str, Callable[[Rule, pl.DataFrame, Site, Period], Iterator[Hit]]] = {
    "population": long_population,
    "low_share": low_share,
    "episodes": joined_episodes,
    "repeats": repeats,
    "accumulates": accumulates,
    "unbalanced": unbalanced,
    "slower_than_peers": slower_than_peers,
    "slow_tapes": slow_tapes,
    "dearer_than_whole": dearer_than_whole,
    "changed": changed,
    "more_than_share": more_than_share,
    "waits": waits,
    "turned_over": turned_over,
    "off_clock": off_clock,
    "contradicts": contradicts,
    "slides": slides,
}


def read_metric(connection: Connection, catalog: Catalog, rule: Rule, period: Period) -> pl.DataFrame:
    """The rows of a rule's metric in a period: by site day where the metric has one, else by the instants."""
    relation = catalog.relations.get(rule.metric)
    if relation is None:
        raise ContractError(f"rule {rule.name}: there is no relation {rule.metric}", f"mend {rule.name}.toml")
    conditions = [f'"{column}" = ?' for column in rule.where]
    values: list[Any] = list(rule.where.values())
    if relation.layer == "gold" and relation.has_day:
        conditions.append("day BETWEEN ? AND ?")
        values += [period.first, period.last]
    else:
        begin, end = rule.time
        conditions.append(f'"{begin}" < ? AND "{end}" >= ?')
        values += [period.bounds[1], period.bounds[0]]
    where = " AND ".join(conditions)
    # to the last column: intervals that are resampled hang on the order of rows
    order = ", ".join(f'"{column}"' for column in dict.fromkeys((*rule.by, *rule.time, *relation.column_names)))
    return connection.execute(f"SELECT * FROM {LAKE}.{rule.metric} WHERE {where} ORDER BY {order}", values).pl()


def judge(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """What a rule's method says of its metric's rows."""
    method = METHODS.get(rule.method)
    if method is None:
        raise ContractError(f"rule {rule.name}: there is no method {rule.method}", f"known: {', '.join(METHODS)}")
    if rows.height:
        yield from method(rule, rows, site, period)
