"""By how much stations' clocks run before that of the movers' log."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.estimates.numbers import known
from pipelines.analysis.stats import clock_skew
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate
from pipelines.warehouse.connection import LAKE, Connection

RELATION = "gold.clock_alignment"
WINDOW_DAYS = 7
MOST_SAMPLES = 40_000  # eleven hours by the second: what is older in the period adds little and costs a search each
_AROUND_S = 600.0  # of a transfer: samples further from any say nothing
_LOG_STEP_S = 1.0  # the movers' log cuts its instants to whole seconds

_TRANSFERS = f"""
SELECT t.station, t.system, t.mode, epoch(t.started_at) AS begin, epoch(t.ended_at) AS end, t.bytes
FROM {LAKE}.silver.transfer t SEMI JOIN {LAKE}.site.station s ON s.station = t.station
WHERE t.status = 'ok' AND t.day BETWEEN $utc_from AND $utc_to AND t.started_at >= $begin AND t.started_at < $end
  AND t.witnesses LIKE '%mover%' AND t.ended_at > t.started_at AND t.mode IN ('read', 'write')
ORDER BY t.station, t.system, t.started_at, t.transfer_id
"""
# What comes from tape comes into the station and is written to its disks; the reverse for what goes to tape.
_SAMPLES = {
    "network": f"""
SELECT tool, epoch(from_at) AS at, epoch(to_at) - epoch(from_at) AS step, sum(in_bytes_s) AS came_in,
       sum(out_bytes_s) AS went_out
FROM {LAKE}.silver.network_sample
WHERE host = $station AND is_summed AND day BETWEEN $utc_from AND $utc_to AND from_at >= $begin AND from_at < $end
  AND to_at > from_at
GROUP BY tool, from_at, to_at HAVING count(in_bytes_s) > 0 AND count(out_bytes_s) > 0
""",
    "disk": f"""
SELECT tool, epoch(from_at) AS at, epoch(to_at) - epoch(from_at) AS step, write_bytes_s AS came_in,
       read_bytes_s AS went_out
FROM {LAKE}.silver.host_sample
WHERE host = $station AND day BETWEEN $utc_from AND $utc_to AND from_at >= $begin AND from_at < $end
  AND to_at > from_at AND read_bytes_s IS NOT NULL AND write_bytes_s IS NOT NULL
""",
    "link": f"""
SELECT 'switch' AS tool, epoch(from_at) AS at, epoch(to_at) - epoch(from_at) AS step,
       sum(avg_bytes_s) FILTER (direction = 'in') AS came_in, sum(avg_bytes_s) FILTER (direction = 'out') AS went_out
FROM {LAKE}.silver.link_sample
WHERE station = $station AND day BETWEEN $utc_from AND $utc_to AND from_at >= $begin AND from_at < $end
  AND to_at > from_at
GROUP BY from_at, to_at HAVING came_in IS NOT NULL AND went_out IS NOT NULL
""",
}
_DIRECTIONS = {"in": ["read"], "out": ["write"], "both": ["read", "write"]}


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each station's clock by each program that watched its network and its disks; by the switch's counters if none."""
    transfers = connection.execute(_TRANSFERS, _bounds(period)).pl()
    for (station, system), own in transfers.group_by(["station", "system"], maintain_order=True):
        watches = [
            (watched, str(tool), samples)
            for watched in ("network", "disk")
            for tool, samples in _by_tool(connection, watched, str(station), period)
        ] or [("link", tool, samples) for tool, samples in _by_tool(connection, "link", str(station), period)]
        pair = {"station": station, "system": system}
        if not watches:
            yield pair | _unwatched(str(station), own.height)
        for watched, tool, samples in watches:
            for direction in _DIRECTIONS:
                yield pair | {"watched": watched, "tool": tool} | _aligned(own, samples, direction)


def _bounds(period: Period) -> dict[str, object]:
    """A query's parameters: the instants, and the UTC days around them."""
    begin, end = period.bounds
    return {"begin": begin, "end": end, "utc_from": begin.date(), "utc_to": end.date()}


def _by_tool(connection: Connection, watched: str, station: str, period: Period) -> Iterator[tuple[str, pl.DataFrame]]:
    """Samples of each program, all of the length most of them have."""
    found = connection.execute(_SAMPLES[watched], _bounds(period) | {"station": station}).pl()
    for (tool,), samples in found.sort("tool", "at").group_by(["tool"], maintain_order=True):
        step = samples["step"].round(3).mode().min()
        alike = samples.filter((pl.col("step") - step).abs() < 0.01).unique("at", keep="first", maintain_order=True)
        yield str(tool), alike


def _aligned(transfers: pl.DataFrame, samples: pl.DataFrame, direction: str) -> dict[str, Any]:
    step_s = float(samples["step"][0])
    own = transfers.filter(pl.col("mode").is_in(_DIRECTIONS[direction]))
    begins, ends = own["begin"].to_numpy(), own["end"].to_numpy()
    if np.all(begins % _LOG_STEP_S == 0):  # cut to whole seconds: on average it was half of one later
        begins, ends = begins + _LOG_STEP_S / 2, ends + _LOG_STEP_S / 2
    at = samples["at"].to_numpy()
    near = np.flatnonzero(_near(at, begins, ends))[-MOST_SAMPLES:]
    at = at[near]
    was_watched = _was_watched(begins, ends, at, step_s)
    moved = own["bytes"].to_numpy().astype(float)
    seen = (samples["came_in"], samples["went_out"])
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


def _near(at: clock_skew.Values, begins: clock_skew.Values, ends: clock_skew.Values) -> np.ndarray[Any, Any]:
    """Samples within reach of a transfer; `begins` ascend."""
    if not begins.size:
        return np.zeros(at.size, dtype=bool)
    reached = np.maximum.accumulate(ends)
    before = np.searchsorted(begins, at + _AROUND_S) - 1
    return (before >= 0) & (reached[np.maximum(before, 0)] >= at - _AROUND_S)


def _was_watched(
    begins: clock_skew.Values, ends: clock_skew.Values, at: clock_skew.Values, step_s: float
) -> np.ndarray[Any, Any]:
    """Transfers whose middle lies in a sample, give or take one."""
    if not at.size:
        return np.zeros(begins.size, dtype=bool)
    middle = (begins + ends) / 2
    before = np.searchsorted(at, middle, side="right") - 1
    return (before >= 0) & (middle - at[np.maximum(before, 0)] <= 2 * step_s)


def _unwatched(station: str, n_transfers: int) -> dict[str, Any]:
    why = f"no log of the network or the disks of {station} was read for its transfers, such as nicstat or vmstat"
    nothing = dict.fromkeys(
        ("tool", "watched", "sample_s", "skew_s", "skew_s_low", "skew_s_high", "correlation", "blind_below_s")
    )
    return nothing | {"direction": "both", "n_transfers": n_transfers, "reason_missing": why}
