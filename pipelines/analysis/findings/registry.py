"""A rule's rows, and what its detector finds in them."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pipelines.analysis.findings.detectors import all_detectors
from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Catalog, Rule
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import ContractError
from pipelines.warehouse.connection import Connection


def read_metric(connection: Connection, catalog: Catalog, rule: Rule, period: Period) -> pl.DataFrame:
    """The rows of a rule's metric in a period: by site day where the metric has one, else by the instants."""
    relation = catalog.relations.get(rule.metric)
    if relation is None:
        raise ContractError(f"rule {rule.name}: there is no relation {rule.metric}", f"correct {rule.name}.toml")
    is_any = {column: isinstance(given, list) for column, given in rule.where.items()}
    conditions = [f'list_contains(?, "{column}")' if is_any[column] else f'"{column}" = ?' for column in rule.where]
    values: list[Any] = list(rule.where.values())
    if relation.layer == "gold" and relation.has_day:
        conditions.append("day BETWEEN ? AND ?")
        values += [period.first, period.last]
    else:
        begin, end = rule.time
        conditions.append(f'"{begin}" < ? AND "{end}" >= ?')
        values += [period.bounds[1], period.bounds[0]]
    where = " AND ".join(conditions)
    # a loss without a known station goes by its drive
    named = ""
    if "station" in rule.by and "drive" in relation.column_names:
        named = " REPLACE (coalesce(station, drive) AS station)"
    # to the last column: resampled intervals depend on the order of rows
    order = ", ".join(f'"{column}"' for column in dict.fromkeys((*rule.by, *rule.time, *relation.column_names)))
    return execute(connection, f"SELECT *{named} FROM {rule.metric} WHERE {where} ORDER BY {order}", values).pl()


def judge(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The hits of a rule's method in its metric's rows."""
    detectors = all_detectors()
    if rule.method not in detectors:
        known = ", ".join(sorted(detectors))
        raise ContractError(f"rule {rule.name}: there is no method {rule.method}", f"known: {known}")
    if rows.height:
        yield from detectors[rule.method](rule, rows, site, period)
