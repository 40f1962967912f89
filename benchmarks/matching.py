"""Findings against planted truth: which fault each finding tells of, which tell of none, and what intervals hold.

A finding tells of a fault if its rule is one of the fault's, a part of its entity between slashes is one of the fault's
names, and their times overlap. A rule that may fire because of the fault is a consequence, neither right nor wrong.
All else is a false alarm. Pure: dictionaries in, dictionaries out.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

# What a rule calls an interval, where that is not the name of the size in truth.toml; "" stands for low and high alone.
SIZE_OF: dict[tuple[str, str], str] = {}
SLACK = timedelta(seconds=60)


def judge(truth: dict[str, Any], findings: list[dict[str, Any]]) -> dict[str, Any]:
    """What became of every fault, every finding and every interval of one run."""
    faults = truth.get("fault", [])
    told: dict[int, list[dict[str, Any]]] = {place: [] for place in range(len(faults))}
    judged = []
    for finding in findings:
        place = next((n for n, fault in enumerate(faults) if _tells(fault, finding, fault["rules"])), None)
        follows = [fault["kind"] for fault in faults if _tells(fault, finding, fault["follows"])]
        if place is not None:
            told[place].append(finding)
        role = "hit" if place is not None else "follows" if follows else "false"
        kind = faults[place]["kind"] if place is not None else (follows or [""])[0]
        judged.append({"rule": finding["rule"], "entity": finding["entity"], "role": role, "kind": kind})
    return {
        "faults": [
            {"kind": fault["kind"], "entity": fault["entity"], "rules": sorted({f["rule"] for f in told[place]})}
            for place, fault in enumerate(faults)
        ],
        "findings": judged,
        "intervals": [
            interval for place, fault in enumerate(faults) for interval in _intervals(fault["sizes"], told[place])
        ],
    }


def _tells(fault: dict[str, Any], finding: dict[str, Any], rules: list[str]) -> bool:
    is_named = not set(fault["names"]).isdisjoint(finding["entity"].split("/"))
    begin, end = (_naive(fault[name]) for name in ("started_at", "ended_at"))
    is_then = finding["started_at"] - SLACK <= end and finding["ended_at"] + SLACK >= begin
    return finding["rule"] in rules and is_named and is_then


def _naive(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(tzinfo=None)


def _intervals(sizes: dict[str, Any], told: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every pair x_low and x_high among a finding's facts, and whether the planted x lies between.

    A sum such as lost_hours is compared only where one finding tells of the whole fault.
    """
    for finding in told:
        facts = json.loads(finding["facts"])
        for key in facts:
            if key != "low" and not key.endswith("_low"):
                continue
            stem = key.removesuffix("low").removesuffix("_")
            low, high = facts[key], facts.get(f"{stem}_high" if stem else "high")
            name = SIZE_OF.get((finding["rule"], stem), stem)
            if low is None or high is None or (name.startswith("lost_") and len(told) > 1):
                continue
            planted = sizes.get(name)
            covered = None if planted is None else low <= planted <= high
            yield {"rule": finding["rule"], "name": name or "low and high", "low": low, "high": high} | {
                "planted": planted,
                "covered": covered,
            }
