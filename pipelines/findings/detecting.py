"""Every rule applied to a period, and the findings written."""

import json
from datetime import date, timedelta
from typing import Any

from pipelines.catalog import Catalog, Rule
from pipelines.config import Site
from pipelines.findings import life
from pipelines.findings.hits import Hit, Period
from pipelines.findings.judging import judge, read_metric
from pipelines.findings.pricing import gain
from pipelines.findings.proof import confidence, evidence
from pipelines.warehouse import LAKE, Connection


def detect(connection: Connection, site: Site, catalog: Catalog, first: date, last: date) -> list[dict[str, Any]]:
    """Apply every rule to the period that ends with `last`, and replace that day's findings.

    A rule whose window is longer than the period looks back further.
    """
    history = life.read_history(connection)
    found: list[dict[str, Any]] = []
    for rule in catalog.rules.values():
        begin = min(first, last - timedelta(days=rule.params.get("window_days", 1) - 1))
        period = Period(begin, last, site.zone)
        rows = read_metric(connection, catalog, rule, period)
        for hit in judge(rule, rows, site, period):
            found.append(_finding(connection, history, rule, hit, period))
    _replace(connection, catalog, found, last)
    life.judged_on(connection, last, len(found))
    life.restate(connection, last)
    return found


def _finding(connection: Connection, history: life.History, rule: Rule, hit: Hit, period: Period) -> dict[str, Any]:
    lost_gb = None if hit.lost_bytes is None else hit.lost_bytes / 1e9
    priced = gain(connection, rule, hit, period)
    words = {"entity": hit.entity, "value": hit.value} | hit.facts
    return {
        "day": period.last,
        "first_day": period.first,
        "finding_id": life.identity(rule.name, hit.entity),
        "rule": rule.name,
        "severity": rule.severity,
        "state": history.state(life.identity(rule.name, hit.entity), period.last),
        "entity": hit.entity,
        "started_at": hit.started_at,
        "ended_at": hit.ended_at,
        "value": hit.value,
        "lost_hours": None if hit.lost_s is None else hit.lost_s / 3600,
        "lost_gb_day": None if lost_gb is None else lost_gb / (hit.n_days or period.n_days),
        "gain_gb_day": priced.gb_day,
        "gain_least_gb_day": priced.least,
        "gain_most_gb_day": priced.most,
        "bottleneck": priced.bottleneck,
        "confidence": confidence(connection, rule, period),
        "text": rule.text.format_map({name: _plain(value) for name, value in words.items()}),
        "means": rule.means,
        "look_at": rule.look_at,
        "facts": json.dumps(hit.facts, sort_keys=True),
        "evidence": json.dumps(evidence(connection, rule, hit.rows), default=str),
    }


def _plain(value: Any) -> Any:
    """What comes from logs is bounded before it goes into a sentence."""
    return value[:80] if isinstance(value, str) else value


def _replace(connection: Connection, catalog: Catalog, found: list[dict[str, Any]], day: date) -> None:
    """Write the day's findings where they differ from those that are there: looking again changes nothing."""
    names = catalog.relations["gold.finding"].column_names
    table = f"{LAKE}.gold.finding"
    wanted = sorted((tuple(finding[name] for name in names) for finding in found), key=repr)
    present = connection.execute(f"SELECT * FROM {table} WHERE day = ?", [day]).fetchall()
    if wanted == sorted(present, key=repr):
        return
    connection.execute(f"DELETE FROM {table} WHERE day = ?", [day])
    for row in wanted:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", list(row))
