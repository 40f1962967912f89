"""Findings against planted truth: which fault each finding matches, which match none, and what intervals hold.

A finding matches a fault if its rule is one of the fault's, a part of its entity between slashes is one of the fault's
names, and their times overlap. A rule that may fire because of the fault is a consequence, neither right nor wrong.
All else is a false alarm. Pure: dictionaries in, dictionaries out.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

# Words that end the names of an interval's two bounds, or are a name by themselves: x_low and x_high, low and high.
BOUNDS = {"low": "high"}
# What bounds without a name are the bounds of, by rule: a size of truth.toml.
SIZE_OF = {"changed_rate": "faster", "changed_gap": "longer"}
SLACK = timedelta(seconds=60)


def judge(truth: dict[str, Any], findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The verdict on every fault, every finding and every interval of one run."""
    faults = truth.get("fault", [])
    matched: dict[int, list[dict[str, Any]]] = {place: [] for place in range(len(faults))}
    judged = []
    for finding in findings:
        place = next((n for n, fault in enumerate(faults) if _matches(fault, finding, fault["rules"])), None)
        follows = [fault["kind"] for fault in faults if _matches(fault, finding, fault["follows"])]
        if place is not None:
            matched[place].append(finding)
        role = "hit" if place is not None else "follows" if follows else "false"
        kind = faults[place]["kind"] if place is not None else (follows or [""])[0]
        judged.append({"rule": finding["rule"], "entity": finding["entity"], "role": role, "kind": kind})
    return {
        "faults": [
            {"kind": fault["kind"], "entity": fault["entity"], "rules": sorted({f["rule"] for f in matched[place]})}
            for place, fault in enumerate(faults)
        ],
        "findings": judged,
        "intervals": [
            interval for place, fault in enumerate(faults) for interval in _intervals(fault["sizes"], matched[place])
        ],
    }


def _matches(fault: dict[str, Any], finding: dict[str, Any], rules: list[str]) -> bool:
    is_named = not set(fault["names"]).isdisjoint(finding["entity"].split("/"))
    begin, end = (_naive(fault[name]) for name in ("started_at", "ended_at"))
    is_then = finding["started_at"] - SLACK <= end and finding["ended_at"] + SLACK >= begin
    return finding["rule"] in rules and is_named and is_then


def _naive(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(tzinfo=None)


def _intervals(sizes: dict[str, Any], findings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every pair of bounds among a finding's facts, and whether the planted size is between them.

    A sum such as lost_hours is compared only where one finding covers the fault completely.
    """
    for finding in findings:
        for name, low, high in _bounds(json.loads(finding["facts"])):
            size = name or SIZE_OF.get(finding["rule"], "low and high")
            if size.startswith("lost_") and len(findings) > 1:
                continue
            planted = sizes.get(size)
            covered = None if planted is None else low <= planted <= high
            interval = {"rule": finding["rule"], "name": size, "low": low, "high": high}
            yield interval | {"planted": planted, "covered": covered}


def _bounds(facts: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Name, low and high of each interval."""
    for key, low in facts.items():
        name, _, word = key.rpartition("_")
        if word in BOUNDS:
            high = facts.get("_".join(filter(None, (name, BOUNDS[word]))))
            if low is not None and high is not None:
                yield name, low, high
