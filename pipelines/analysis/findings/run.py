"""Every rule applied to a period, and the findings written."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from pipelines.analysis.findings import coverage_gate, joins, lifecycle
from pipelines.analysis.findings.attribution import ChangeLog
from pipelines.analysis.findings.evidence import confidence, evidence
from pipelines.analysis.findings.hit import Hit
from pipelines.analysis.findings.pricing import Pricing
from pipelines.analysis.findings.registry import judge, read_metric
from pipelines.analysis.findings.sentences import sentence
from pipelines.catalog.contracts import Catalog, Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.tables import replace_day


@dataclass(frozen=True)
class Detected:
    """The verdicts of the rules on a period, and those they withhold."""

    findings: list[dict[str, Any]]
    withheld: list[dict[str, Any]]  # rows of gold.suppressed_verdict


def detect(connection: Connection, site: Site, catalog: Catalog, first: date, last: date) -> Detected:
    """Apply every rule to the period that ends with `last`, and replace earlier verdicts of that day.

    A rule whose window is longer than the period looks back further. Where too little of its logs was read it gives no
    verdict, and that is kept too. Raises ConfigError where site.toml names a rule that does not exist.
    """
    coverage_gate.check_names(site, catalog.rules)
    history, kin = lifecycle.read_history(connection), coverage_gate.Kin(connection)
    shared = _Shared(history, Pricing(connection), ChangeLog(connection))
    found = Detected([], [])
    fired: list[joins.Fired] = []
    for rule in catalog.rules.values():
        begin = min(first, last - timedelta(days=rule.params.get("window_days", 1) - 1))
        period = Period(begin, last, site.zone)
        seen = coverage_gate.Gate(site, kin, rule, period)
        hits = list(judge(rule, read_metric(connection, catalog, rule, period), site, period))
        covered = [hit for hit in hits if not seen.missing(hit.entity)]
        fired.extend(joins.Fired(rule, hit, period) for hit in covered)
        found.withheld.extend(seen.rows({hit.entity for hit in hits}, history))
    for _, same in groupby(joins.unexplained(fired), lambda one: one.rule.name):
        found.findings.extend(_findings(connection, site, shared, list(same)))
    joins.join(catalog.rules, found.findings)
    replace_day(connection, catalog.relations["gold.finding"], last, found.findings)
    replace_day(connection, catalog.relations["gold.suppressed_verdict"], last, found.withheld)
    lifecycle.judged_on(connection, Period(first, last, site.zone), len({one["finding_id"] for one in found.findings}))
    lifecycle.restate(connection, last)
    return found


class _Shared(NamedTuple):
    """What the findings of a night share, each asked once."""

    history: lifecycle.History
    pricing: Pricing
    change_log: ChangeLog


def _findings(
    connection: Connection, site: Site, shared: _Shared, fired: list[joins.Fired]
) -> Iterator[dict[str, Any]]:
    """The findings of one rule in its period. What they share is asked once: a rule can fire for a thousand drives."""
    rule, _, period = fired[0]
    trust = confidence(connection, rule, period)
    lines = evidence(connection, site, rule, [one.hit.rows for one in fired])
    for one, shown in zip(fired, lines, strict=True):
        evident = {"confidence": trust, "evidence": json.dumps(shown, default=str)}
        yield _finding(shared, *one) | evident


def _finding(shared: _Shared, rule: Rule, hit: Hit, period: Period) -> dict[str, Any]:
    lost_gb = None if hit.lost_bytes is None else hit.lost_bytes / 1e9
    priced = shared.pricing.gain(rule, hit, period)
    hit.facts |= shared.change_log.explain(rule, hit)
    return {
        "day": period.last,
        "first_day": period.first,
        "finding_id": lifecycle.identity(rule.name, hit.entity),
        "rule": rule.name,
        "severity": rule.severity,
        "state": shared.history.state(lifecycle.identity(rule.name, hit.entity), period.last),
        "joined_to": None,
        "entity": hit.entity,
        "started_at": hit.started_at,
        "ended_at": hit.ended_at,
        "value": hit.value,
        "lost_hours": None if hit.lost_s is None else hit.lost_s / 3600,
        "lost_gb_day": None if lost_gb is None else lost_gb / shared.pricing.n_days(rule, hit, period),
        "gain_gb_day": priced.gb_day,
        "gain_gb_day_low": priced.least,
        "gain_gb_day_high": priced.most,
        "bottleneck": priced.bottleneck,
        "text": sentence(rule.text, {"entity": hit.entity, "value": hit.value} | hit.facts),
        "means": rule.means,
        "look_at": rule.look_at,
        "facts": json.dumps(hit.facts, sort_keys=True),
    }
