"""Findings of one cause: the one with the loss names what limited it, the one on that is joined to it.

A rule with `unless_found` speaks only of causes that no other rule has found of the same drives or stations.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.primitives.clock import Period

_JOINED = "info"  # its severity: the finding it is joined to is counted already
_OVER = {"write": "out", "read": "in"}  # direction of the station's link, by what drives do


class Fired(NamedTuple):
    """A rule that fired in a period."""

    rule: Rule
    hit: Hit
    period: Period


def unexplained(fired: list[Fired]) -> Iterator[Fired]:
    """Without those of rules with `unless_found` whose cause another rule has found there.

    A drive may work for many stations: what was found of one of them is not found of the others.
    """
    found: dict[tuple[str, bool], set[str]] = defaultdict(set)  # by cause, and whether its rule is about stations
    for one in fired:
        if not one.rule.params.get("unless_found"):
            by_station = "station" in one.rule.by
            places = _places(one.hit, *(("station",) if by_station else ("drive", "station")))
            found[one.rule.cause_of(one.hit.entity), by_station] |= places
    for one in fired:
        cause = one.rule.cause_of(one.hit.entity)
        is_found = one.rule.params.get("unless_found") and (
            found[cause, True] & _places(one.hit, "station")
            or found[cause, False] & _places(one.hit, "drive", "station")
        )
        if not is_found:
            yield one


def _places(hit: Hit, *columns: str) -> set[str]:
    """Drives, stations or both that a hit is of, as far as its name and its first rows show."""
    named = (hit.rows[column].drop_nulls() for column in columns if column in hit.rows.columns)
    return set(hit.entity.split("/")).union(*named)


def join(rules: dict[str, Rule], findings: list[dict[str, Any]]) -> None:
    """Join findings on full links to those on drives that waited for just these links.

    A rule names in `joins` the rule on what its facts call the cause. `findings` are rows of gold.finding.
    """
    for finding in findings:
        rule, facts = rules[finding["rule"]], json.loads(finding["facts"])
        if "joins" not in rule.params or facts.get("cause") != "network_bound" or not facts.get("link"):
            continue
        entity = f"{facts['link']}/{_OVER[str(rule.where['mode'])]}"
        for other in findings:
            if other["rule"] != rule.params["joins"] or other["entity"] != entity or not _meet(finding, other):
                continue
            other["joined_to"], other["severity"] = finding["finding_id"], _JOINED
            other["text"] += (
                f" Drives of {finding['entity'][:80]} waited at least {facts['full_hours']:.2f} h for this link. A"
                f" finding of the rule {rule.name} has the same cause and counts the loss of these hours."
            )


def _meet(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(one["started_at"] < other["ended_at"] and other["started_at"] < one["ended_at"])
