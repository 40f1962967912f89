"""Values that cannot be, in what the logs say: more than is possible, or less than another log proves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pipelines.analysis.stats import contradictions
from pipelines.analysis.stats.contradictions import Contradiction
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import LAKE, Connection

RELATION = "gold.contradiction"
WINDOW_DAYS = 7
MOST_ROWS = 10_000  # of a kind; a log that is wrong throughout is told by fewer
_TURN = (0.9, 1.01)
# no data compress to a third in a drive's stream
_COMPRESSED = 3.0


@dataclass(frozen=True)
class _Kind:
    """Rows to compare (`source`), those that may contradict (`suspect`), and the method that says whether they do."""

    name: str
    entity: str
    source: str
    suspect: str
    stated: str
    possible: str
    judge: Callable[[float, float], Contradiction | None]
    needs: str  # logs without which nothing can be compared
    time: tuple[str, str] = ("from_at", "to_at")
    lineage: str = "file_id, line_no"


_KINDS = (
    _Kind(
        "link_below_tape",
        "concat_ws('/', station, direction)",
        "(SELECT *, bin_at + INTERVAL 30 MINUTE AS bin_end FROM {lake}.gold.link_witness WHERE tape_gb IS NOT NULL)",
        "tape_gb > counted_gb",
        "tape_gb",
        "counted_gb",
        lambda stated, most: contradictions.above(
            "GB on tape in half an hour", stated, most, "GB its links carried", 0.05
        ),
        "traffic of a station's links and transfers of drives elsewhere, in the same half-hour",
        ("bin_at", "bin_end"),
    ),
    _Kind(
        "rate_above_drive",
        "drive",
        "(SELECT r.*, d.nameplate_mb_s FROM {lake}.gold.file_rate r JOIN {lake}.site.drive d ON d.drive = r.drive"
        " AND d.nameplate_mb_s IS NOT NULL)",
        "rate_mb_s > nameplate_mb_s",
        "rate_mb_s",
        "nameplate_mb_s",
        lambda stated, most: contradictions.above(
            "MB/s of a large file", stated, most, f"MB/s of the drive, times {_COMPRESSED:g},", _COMPRESSED - 1
        ),
        "transfers of large files in drives whose generation site.toml names",
        ("started_at", "ended_at"),
    ),
    _Kind(
        "load_above_link",
        "concat_ws('/', link, direction)",
        "(SELECT *, hour_at + INTERVAL 1 HOUR AS hour_end FROM {lake}.gold.link_load WHERE capacity_mb_s IS NOT NULL)",
        "avg_mb_s > capacity_mb_s",
        "avg_mb_s",
        "capacity_mb_s",
        lambda stated, most: contradictions.above(
            "MB/s of a link in an hour", stated, most, "MB/s of its capacity", 0.02
        ),
        "traffic of links whose capacity site.toml or MRTG's configuration gives",
        ("hour_at", "hour_end"),
        "CAST(NULL AS VARCHAR) AS file_id, CAST(NULL AS BIGINT) AS line_no",  # an hour is of many lines
    ),
    _Kind(
        "processors_above_one",
        "host",
        "(SELECT *, cpu_user + cpu_system + cpu_idle + coalesce(cpu_wait, 0) AS shares, 1e0 AS one"
        " FROM {lake}.silver.host_sample)",
        "shares > 1.05",
        "shares",
        "one",
        lambda stated, _: contradictions.above_one("shares of processor time in all", stated),
        "samples of processors",
    ),
    _Kind(
        "disk_above_one",
        "concat_ws('/', host, device)",
        "(SELECT *, 1e0 AS one FROM {lake}.silver.device_sample WHERE busy IS NOT NULL)",
        "busy > 1.05",
        "busy",
        "one",
        lambda stated, _: contradictions.above_one("busy share of a disk", stated),
        "samples of disks with their busy share",
    ),
    _Kind(
        "file_above_moved",
        "drive",
        "(SELECT * FROM {lake}.silver.transfer WHERE status = 'ok' AND bytes > 0)",
        "file_bytes > bytes",
        "file_bytes",
        "bytes",
        lambda stated, most: contradictions.above("bytes of a user's file", stated, most, "bytes moved for it"),
        "transfers with the size of the user's file",
        ("started_at", "ended_at"),
    ),
    _Kind(
        "negative_gap",
        "drive",
        "(SELECT *, 0e0 AS nothing FROM {lake}.silver.gap)",
        "gap_s < 0",
        "gap_s",
        "nothing",
        lambda stated, _: contradictions.negative("seconds of a gap between files", stated),
        "two files in one mount",
        ("started_at", "ended_at"),
        "previous_file_id AS file_id, previous_line_no AS line_no",
    ),
    _Kind(
        "test_in_memory",
        "host",
        "(SELECT r.*, coalesce(r.streams_bytes, r.bytes) AS working_set, f.number * 1e9 AS memory,"
        " r.ended_at - to_microseconds(CAST(r.elapsed_s * 1e6 AS BIGINT)) AS began_at"
        " FROM {lake}.silver.benchmark_run r CROSS JOIN {lake}.site.setting c"
        " JOIN {lake}.site.fact f ON f.entity = r.host AND f.name = 'memory_gb'"
        " AND coalesce(timezone(c.zone, timezone('UTC', r.ended_at)) >= f.since_day, true)"
        " AND coalesce(timezone(c.zone, timezone('UTC', r.ended_at)) < f.until_day, true)"
        " WHERE r.ended_at IS NOT NULL AND r.bytes > 0 AND r.is_flushed IS NOT TRUE)",
        "working_set <= memory",
        "working_set",
        "memory",
        lambda stated, most: contradictions.fits_memory("bytes of a timed test", stated, 1, most),
        "timed tests with their date, of hosts whose memory_gb a fact of site.toml gives",
        ("began_at", "ended_at"),
    ),
)


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each kind: its entities with values that cannot be, or that there was nothing to compare."""
    for kind in _KINDS:
        begin, end = kind.time
        table = f"SELECT {{}} FROM {kind.source.format(lake=LAKE)} WHERE {begin} >= $begin AND {begin} < $end"
        bounds = {"begin": period.bounds[0], "end": period.bounds[1]}
        (n_compared,) = connection.execute(table.format("count(*)"), bounds).fetchone() or (0,)
        if not n_compared:
            yield _nothing(kind)
            continue
        columns = f"{kind.entity} AS entity, {kind.stated} AS stated, {kind.possible} AS possible"
        sql = (
            f"{table.format(f'{columns}, {begin} AS began_at, {end} AS ended_at, {kind.lineage}')} AND {kind.suspect}"
            f" ORDER BY ALL LIMIT {MOST_ROWS}"
        )
        found: dict[str, list[dict[str, Any]]] = {}
        for row in connection.execute(sql, bounds).pl().iter_rows(named=True):
            verdict = kind.judge(float(row["stated"]), float(row["possible"]))
            if verdict is not None:
                found.setdefault(row["entity"], []).append(row | {"verdict": verdict})
        for entity, those in found.items():
            contradiction = _row(kind, entity, those, n_compared)
            yield contradiction | {"hint": _hint(connection, contradiction)}


def _row(kind: _Kind, entity: str, those: list[dict[str, Any]], n_compared: int) -> dict[str, Any]:
    worst = max(those, key=lambda row: abs(row["stated"] - row["possible"]) / max(abs(row["possible"]), 1e-9))
    return {
        "kind": kind.name,
        "entity": entity,
        "n": len(those),
        "n_compared": n_compared,
        "stated": float(worst["stated"]),
        "possible": float(worst["possible"]),
        "what": worst["verdict"].what,
        "why": worst["verdict"].why,
        "from_at": min(row["began_at"] for row in those),
        "to_at": max(row["ended_at"] for row in those),
        "reason_missing": None,
        "file_id": worst["file_id"],
        "line_no": worst["line_no"],
    }


def _nothing(kind: _Kind) -> dict[str, Any]:
    none = ("entity", "stated", "possible", "what", "why", "hint", "from_at", "to_at", "file_id", "line_no")
    why = f"nothing to compare: no {kind.needs}"
    return {"kind": kind.name, "n": 0, "n_compared": 0, "reason_missing": why} | dict.fromkeys(none)


def _hint(connection: Connection, row: dict[str, Any]) -> str | None:
    """A counter of 32 bits shows itself by its largest count between two polls: nearly a turn, and never more."""
    if row["kind"] != "link_below_tape":
        return None
    station, _, direction = row["entity"].rpartition("/")
    largest = connection.execute(
        f"SELECT max(max_mb_s) / min(turn_mb_s) FROM {LAKE}.gold.link_witness WHERE station = $station"
        " AND direction = $direction AND bin_at >= $from_at AND bin_at < $to_at",
        {"station": station, "direction": direction, "from_at": row["from_at"], "to_at": row["to_at"]},
    ).fetchone()
    most = largest[0] if largest and largest[0] is not None else 0.0
    is_wrapping = _TURN[0] <= most <= _TURN[1]
    return "no poll counts more than 2^32 bytes: a 32-bit counter that goes round" if is_wrapping else None
