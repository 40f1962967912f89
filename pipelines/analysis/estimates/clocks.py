"""By how much stations' clocks run before that of the movers' log."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.estimates.numbers import known
from pipelines.analysis.stats import clock_skew
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

RELATION = "gold.clock_alignment"
WINDOW_DAYS = 7
MOST_SAMPLES = 40_000  # eleven hours by the second: what is older in the period adds little and costs a search each
_AROUND_S = 600.0  # of a transfer: samples further from any say nothing
_LOG_STEP_S = 1.0  # the movers' log cuts its instants to whole seconds

_DIRECTIONS = {"in": ["read"], "out": ["write"], "both": ["read", "write"]}


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each station's clock by each program that watched its network and its disks; by the switch's counters if none."""
    begin, end = period.bounds
    transfers = ask_input(connection, "station_transfers", begin=begin, end=end)
    for (station, system), own in transfers.group_by(["station", "system"], maintain_order=True):
        samples = ask_input(connection, "station_samples", station=station, begin=begin, end=end)
        if (by_itself := samples.filter(pl.col("watched") != "link")).height:
            samples = by_itself
        pair = {"station": station, "system": system}
        if not samples.height:
            yield pair | _unwatched(str(station), own.height)
        for (watched, tool), of_tool in samples.group_by(["watched", "tool"], maintain_order=True):
            alike = _of_one_length(of_tool)
            for direction in _DIRECTIONS:
                yield pair | {"watched": watched, "tool": tool} | _aligned(own, alike, direction)


def _of_one_length(samples: pl.DataFrame) -> pl.DataFrame:
    """Those of the length that most of them have."""
    step = samples["step_s"].round(3).mode().min()
    return samples.filter((pl.col("step_s") - step).abs() < 0.01).unique("at_s", keep="first", maintain_order=True)


def _aligned(transfers: pl.DataFrame, samples: pl.DataFrame, direction: str) -> dict[str, Any]:
    step_s = float(samples["step_s"][0])
    own = transfers.filter(pl.col("mode").is_in(_DIRECTIONS[direction]))
    begins, ends = own["begin_s"].to_numpy(), own["end_s"].to_numpy()
    if np.all(begins % _LOG_STEP_S == 0):  # cut to whole seconds: on average it was half of one later
        begins, ends = begins + _LOG_STEP_S / 2, ends + _LOG_STEP_S / 2
    at = samples["at_s"].to_numpy()
    near = np.flatnonzero(_near(at, begins, ends))[-MOST_SAMPLES:]
    at = at[near]
    was_watched = _was_watched(begins, ends, at, step_s)
    moved = own["bytes"].to_numpy().astype(float)
    seen = (samples["in_bytes_s"], samples["out_bytes_s"])
    rates = (seen[0] + seen[1] if direction == "both" else seen[direction == "out"]).to_numpy()[near]
    found = clock_skew.skew(begins[was_watched], ends[was_watched], moved[was_watched], at, rates, step_s)
    return {
        "direction": direction,
        "n_transfers": int(was_watched.sum()),
        "sample_s": step_s,
        "correlation": known(found.correlation),
        "blind_below_s": known(found.blind_below_s),
        "reason_missing": found.skew_s.reason if isinstance(found.skew_s, NoEstimate) else None,
    } | found.skew_s.columns("skew_s")


def _near(at: Floats, begins: Floats, ends: Floats) -> np.ndarray[Any, Any]:
    """Samples within reach of a transfer; `begins` ascend."""
    if not begins.size:
        return np.zeros(at.size, dtype=bool)
    reached = np.maximum.accumulate(ends)
    before = np.searchsorted(begins, at + _AROUND_S) - 1
    return (before >= 0) & (reached[np.maximum(before, 0)] >= at - _AROUND_S)


def _was_watched(begins: Floats, ends: Floats, at: Floats, step_s: float) -> np.ndarray[Any, Any]:
    """Transfers whose middle is in a sample, give or take one."""
    if not at.size:
        return np.zeros(begins.size, dtype=bool)
    middle = (begins + ends) / 2
    before = np.searchsorted(at, middle, side="right") - 1
    return (before >= 0) & (middle - at[np.maximum(before, 0)] <= 2 * step_s)


def _unwatched(station: str, n_transfers: int) -> dict[str, Any]:
    why = f"no log of the network or disks of {station} (such as nicstat or vmstat) covers its transfers"
    nothing = dict.fromkeys(
        ("tool", "watched", "sample_s", "skew_s", "skew_s_low", "skew_s_high", "correlation", "blind_below_s")
    )
    return nothing | {"direction": "both", "n_transfers": n_transfers, "reason_missing": why}
