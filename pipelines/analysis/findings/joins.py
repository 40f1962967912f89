"""Findings of one cause: the one with the loss names what stood in the way, the one on that is joined to it."""

import json
from typing import Any

from pipelines.catalog.contracts import Rule

_JOINED = "info"  # its severity: the finding it is joined to is counted already
_OVER = {"write": "out", "read": "in"}  # direction of the station's link, by what drives do


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
                f" Drives of {finding['entity'][:80]} waited for it {facts['full_hours']:.2f} h: one cause with that"
                f" finding ({rule.name}), which has the loss."
            )


def _meet(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(one["started_at"] < other["ended_at"] and other["started_at"] < one["ended_at"])
