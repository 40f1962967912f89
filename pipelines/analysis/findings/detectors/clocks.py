"""Rules on clocks: a station's that is not with the movers' log."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import Hit, groups
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period, day_bounds

_FINENESS = ("network", "disk", "link")  # disks write through a cache, a switch's counters are coarse


@detector("off_clock")
def off_clock(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Stations whose clock is off by `min_s` or more, by their best samples; `min_disk_s` if only disks were sampled.

    The interval must leave out half of that, and the skew be one that the samples can show.
    """
    newest = rows.filter(pl.col("day") == period.last)
    for entity, group in groups(rule, newest):
        measured = [row for row in group.iter_rows(named=True) if row["skew_s"] is not None]
        if not measured:
            continue
        best = min(_key(row) for row in measured)
        best_rows = {row["direction"]: row for row in measured if _key(row) == best}
        found = _one_clock(best_rows)
        least = rule.params["min_disk_s" if found["watched"] == "disk" else "min_s"]
        skew, near = found["skew_s"], min(abs(found["skew_s_low"]), abs(found["skew_s_high"]))
        is_one_sided = found["skew_s_low"] * found["skew_s_high"] > 0
        if abs(skew) < max(least, found["blind_below_s"]) or not is_one_sided or near < least / 2:
            continue
        names = ("skew_s", "skew_s_low", "skew_s_high", "watched", "tool", "sample_s", "n_transfers", "blind_below_s")
        facts = {name: found[name] for name in names}
        facts |= {"apart_s": abs(skew), "which": "ahead of" if skew > 0 else "behind", **_sampled(found)}
        begin = day_bounds(found["first_day"], period.zone)[0]
        yield Hit(entity, begin, period.bounds[1], skew, facts)


def _sampled(found: dict[str, Any]) -> dict[str, str]:
    """Whose clock the samples have: those of a link have that of the host that polls its switch."""
    if found["watched"] == "link":
        return {"clock": "the clock of its links' samples", "samples": "samples of its links"}
    return {"clock": "its clock", "samples": f"the {found['watched']} samples that {found['tool']} took"}


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    """Which program watched best: of two, the lesser."""
    return _FINENESS.index(row["watched"]), row["blind_below_s"], row["tool"], row["system"]


def _one_clock(by_direction: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The mean of both directions, from which buffers cancel; else what there is, the whole traffic first."""
    if {"in", "out"} <= set(by_direction):
        sides = by_direction["in"], by_direction["out"]
        means = {name: (sides[0][name] + sides[1][name]) / 2 for name in ("skew_s", "skew_s_low", "skew_s_high")}
        return sides[0] | means | {"n_transfers": sides[0]["n_transfers"] + sides[1]["n_transfers"]}
    return by_direction.get("both") or next(iter(by_direction.values()))
