"""Rules on streams whose drives wait for the other side, and what limited it meanwhile."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.analysis.stats.population import total_interval
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate

_PER_HOUR = timedelta(hours=1)
_NAME_CHARS = 24  # of a link, in a sentence's part of at most 120
_FEW = 0.05  # of the waits: a smaller part without a log is not mentioned
_UNCAUSED = {
    "starved": "the station's link, disks and CPUs were not busy during the waits",
    "cannot_tell": "logs of the station's link, disks or CPUs are missing for the waits",
}


@detector("waits")
def waits(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Streams whose drives wait, inside transfers, for the side that gives or takes the data.

    It fires where the waits took at least `min_share` of the transfers' time and `min_total` seconds, and where the
    share's interval, over hours of drives, begins above `above`.
    """
    params = rule.params
    for entity, group in groups(rule, rows.drop_nulls(list(rule.by)).filter(pl.col(params["of"]) > 0)):
        waited, moved = (group[name].to_numpy().astype(float) for name in (rule.value, params["of"]))
        found = ratio_of_sums(waited, moved, np.arange(group.height))
        lost_s = float(waited.sum())
        if isinstance(found, NoEstimate) or lost_s < params["min_total"]:
            continue
        if found.value < params["min_share"] or found.low <= params["above"]:
            continue
        struck = group.filter(pl.col(rule.value) >= params["min_share"] * pl.col(params["of"]))
        facts: dict[str, Any] = {
            "hours": lost_s / 3600,
            "wait_share": found.value,
            "wait_share_low": found.low,
            "wait_share_high": found.high,
            "n_drives": group.filter(pl.col(rule.value) > 0)["drive"].n_unique(),
            "n_hours": struck.height,
        } | _cause(rule, struck)
        yield Hit(
            entity,
            instant(struck[rule.time[0]].min()),
            instant(struck[rule.time[1]].max()) + _PER_HOUR,
            found.value,
            facts,
            lost_s,
            rows=struck.sort(rule.value, rule.time[0], descending=[True, False]).head(EVIDENCE_ROWS),
            lost_interval=total_interval(waited, np.arange(group.height)),
        )


def _cause(rule: Rule, rows: pl.DataFrame) -> dict[str, Any]:
    """Facts on what limited it: of the waits by the hour, those that a full link or busy disks explain.

    `cause` is the verdict of gold.bottleneck with most of the waits. Time without a log does not count against what
    logs show: it decides only where neither link nor disks were full.
    """
    by_verdict = dict(rows.group_by("verdict").agg(pl.col(rule.value).sum()).rows())
    by_network = pl.when(pl.col("verdict") == "network_bound").then(pl.col(rule.value)).otherwise(0.0)
    hours = {name: by_verdict.get(name, 0.0) / 3600 for name in ("disk_bound", *_UNCAUSED)}
    full = rows.select(least=pl.coalesce("wait_full_s", by_network).sum() / 3600).item()
    most = max(full, rows.select(most=pl.coalesce("wait_full_most_s", by_network).sum() / 3600).item())
    cause = "network_bound" if full >= hours["disk_bound"] else "disk_bound"
    share = max(full, hours["disk_bound"])
    if share == 0 or share < hours["starved"]:
        cause = max(_UNCAUSED, key=lambda name: hours[name])
        return {"cause": cause, "meanwhile": _UNCAUSED[cause]}
    if cause == "disk_bound":
        phrase, most = f"disks or CPUs were busy for {share:.2f} h of the waits", share
    else:
        reach = f"{full:.2f}" if f"{full:.2f}" == f"{most:.2f}" else f"{full:.2f} to {most:.2f}"
        links = rows.drop_nulls("link").filter(pl.coalesce("wait_full_s", by_network) > 0)["link"]
        link = str(links.mode().sort()[0]) if links.len() else None
        named = f"link {link[:_NAME_CHARS]}" if link else "the station's link"
        phrase = f"{named} was full for {reach} h of the waits"
    waited = number(rows[rule.value].sum()) / 3600
    untold = min(hours["cannot_tell"], waited - most)
    if untold > _FEW * waited:
        phrase += f"; the cause of {untold:.2f} h is not known"
    found: dict[str, Any] = {"cause": cause, "meanwhile": phrase}
    if cause == "network_bound":
        found |= {"link": link, "full_hours": full, "full_hours_most": most}
    return found
