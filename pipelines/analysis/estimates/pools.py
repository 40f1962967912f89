"""Stretches of hours in which the work was shared by as many pools."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.estimates.numbers import known
from pipelines.analysis.stats import change_points
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

RELATION = "gold.pool_usage_phase"
WINDOW_DAYS = 14
MOST_NAMED = 15
MIN_REQUESTS = 10  # of an hour: fewer cannot show how many pools would have taken part


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each stretch of a system's stores and of its restores, between two steps of how many pools took part."""
    asked = ask_input(connection, "pool_hours", first_day=period.first, last_day=period.last)
    for (system, operation), work in asked.group_by(["system", "operation"], maintain_order=True):
        key = {"system": system, "operation": operation}
        hours = (
            work.group_by("hour_at", maintain_order=True)
            .agg(
                (pl.col("requests").sum() ** 2 / (pl.col("requests") ** 2).sum()).alias("even_pools"),
                pl.col("requests").sum(),
            )
            .filter(pl.col("requests") >= MIN_REQUESTS)
        )
        found = change_points.find_steps(hours["even_pools"].to_numpy().astype(float))
        if isinstance(found, NoEstimate):
            why = f"{found.reason}; each hour with at least {MIN_REQUESTS} requests gives one value"
            yield key | dict.fromkeys(_ESTIMATES) | {"reason_missing": why}
            continue
        places = [0, *(step.at for step in found), hours.height]
        for number, (begin, end) in enumerate(pairwise(places), start=1):
            step = found[number - 2] if number > 1 else None
            ends = {"step_low": known(step.low) if step else None, "step_high": known(step.high) if step else None}
            yield key | {"region_no": number} | _region(work, hours[begin:end]) | ends | {"reason_missing": None}


_ESTIMATES = (
    *("region_no", "from_at", "to_at", "asked_hours", "n_pools", "even_pools"),
    *("step_low", "step_high", "asked_gb", "pools"),
)


def _region(work: pl.DataFrame, hours: pl.DataFrame) -> dict[str, Any]:
    within = work.join(hours.select("hour_at"), on="hour_at", how="semi")
    used = within.group_by("pool").agg(pl.col("requests").sum()).sort("requests", "pool", descending=[True, False])
    total = used["requests"].sum()
    named = [f"{pool} {requests / total:.0%}" for pool, requests in used.head(MOST_NAMED).iter_rows()]
    return {
        "from_at": hours["hour_at"][0],
        "to_at": hours["hour_at"][-1] + timedelta(hours=1),
        "asked_hours": hours.height,
        "n_pools": used.height,
        "even_pools": known(np.median(hours["even_pools"].to_numpy())),
        "asked_gb": known(within["moved_gb"].to_numpy().sum()),
        "pools": ", ".join(named),
    }
