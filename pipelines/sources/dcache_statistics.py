"""Statistics of dCache's pools: what each pool and class holds and has moved since midnight, written once an hour.

    #
    # timestamp=1773219300897
    # date=Wed Mar 11 09:55:00 CET 2026
    #
    tape_w1 atlas:mctape@osm 756000000000 189 3 0 3 0 7500000000 0 0 7500000000

Files `YYYY-MM-DD-HH.raw`, written at HH:55 by dCache's statistics service (class PoolStatisticsV0), and
`YYYY-MM-DD-day.raw` for the whole day so far. Ten numbers follow pool and class: bytes and files now; transfers,
restores, stores, errors; bytes from clients, to clients, from tape, to tape. A day's file has two more before them:
bytes and files at the day's start. Only the width of the rows distinguishes the two kinds, so the first row after a
header decides, and the others must have its width.

The counters run from local midnight: silver takes the differences between hours. `timestamp` is the instant. `date`
next to it gives the local day and, where site.toml has no zone, the offset of its midnight.
"""

import re
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.clock import day_bounds
from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.stamps import EPOCH, microseconds
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, Reject

TITLE = "dCache statistics"
VERSION = 1
TABLE = "dcache_statistics"
TABLES = (TABLE,)
SPEAKS_FOR = "pools"

_STAMP = re.compile(r"# timestamp=(\d{1,16})")
_DATE = re.compile(r"# date=\w{3} (\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\S+) (\d{4})")
_START_NAMES = ("start_bytes", "n_start_files")
_NAMES = (
    *("held_bytes", "n_files", "n_transfers", "n_restores", "n_stores", "n_errors"),
    *("client_in_bytes", "client_out_bytes", "restored_bytes", "stored_bytes"),
)
_HOUR, _DAY = 2 + len(_NAMES), 2 + len(_START_NAMES) + len(_NAMES)
_MOST, _MOST_DIGITS = 2**62, 19
_START: Carry = {
    "at_ms": None,  # of the last header
    "midnight_us": None,
    "width": None,  # fields of its rows
    "is_seen": False,  # a row of it has been met
}


def recognise(head: list[str]) -> Claim:
    """The header of a timestamp and rows of pool, class and ten or twelve numbers."""
    texts = [line.strip() for line in head if line.strip()]
    is_headed = any(_STAMP.fullmatch(text) for text in texts)
    rows = [text.split() for text in texts if not text.startswith("#")]
    fitting = sum(len(row) in (_HOUR, _DAY) and all(map(_is_number, row[2:])) for row in rows)
    if is_headed and (2 * fitting > len(rows) or not rows) and any(_DATE.fullmatch(text) for text in texts):
        return Claim(True, 1.0, f"a timestamp and {fitting} rows of pool, class and counters")
    if is_headed:
        return Claim(
            False, 0.5, "the timestamp header of dCache's statistics, but without rows of ten or twelve numbers"
        )
    return Claim(False, 0.0, "no line '# timestamp=', with which dCache's statistics begin")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """The counters of every pool and class, unchanged; silver takes the differences."""
    state = {**_START, **(carry or {})}
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    coverage: list[tuple[int, str, datetime, datetime]] = []
    n_used = 0
    for line_no, text in lines.select("line_no", "text").iter_rows():
        outcome = _line(line_no, text.strip(), origin, state)
        if isinstance(outcome, dict):
            rows.append(outcome)
            if not state["is_seen"]:
                coverage.append((line_no, origin.system, outcome["sampled_at"], outcome["sampled_at"]))
            state["is_seen"] = True
        elif outcome not in ("used", "skipped"):
            rejects.append((line_no, text, outcome))
        n_used += isinstance(outcome, dict) or outcome == "used"
    return Parsed.of(
        lines,
        n_used,
        rejects,
        tables={TABLE: pl.DataFrame(rows, schema=schema_of(TABLE))},
        coverage=pl.DataFrame(coverage, schema=COVERAGE, orient="row"),
        carry=state,
    )


def _line(line_no: int, text: str, origin: Origin, state: Carry) -> dict[str, Any] | str:
    """A record, or `used`, `skipped`, or why the line is rejected."""
    if text.startswith("# timestamp="):
        match = _STAMP.fullmatch(text)
        at_ms = int(match[1]) if match else 0
        is_sound = 315_532_800_000 <= at_ms < 4_102_444_800_000  # 1980 to 2100
        state.update(at_ms=at_ms if is_sound else None, midnight_us=None, width=None, is_seen=False)
        return "used" if is_sound else "bad_time"
    if text.startswith("# date="):
        state["midnight_us"] = _midnight_us(text, state["at_ms"], origin.zone)
        return "bad_time" if state["midnight_us"] is None else "used"
    if text.startswith("#") or not text:
        return "skipped"
    if state["at_ms"] is None or state["midnight_us"] is None:
        return "no_header"
    fields = text.split()
    if state["width"] is None and len(fields) in (_HOUR, _DAY):
        state["width"] = len(fields)
    if len(fields) != state["width"]:
        return "wrong_width"
    if not all(_is_number(field) and int(field) < _MOST for field in fields[2:]):
        return "bad_number"
    return _record(line_no, fields, origin.system, state)


def _midnight_us(text: str, at_ms: int | None, zone: str) -> int | None:
    """The beginning of the local day, microseconds since 1970."""
    match = _DATE.fullmatch(text)
    if match is None or at_ms is None:
        return None
    month, day, time, _, year = match.groups()
    try:
        local = datetime.strptime(f"{year} {month} {day} {time}", "%Y %b %d %H:%M:%S")
    except ValueError:
        return None
    if zone != "UTC":
        begin = day_bounds(datetime.fromtimestamp(at_ms // 1000, ZoneInfo(zone)).date(), zone)[0]
    else:
        # offsets are whole quarters of an hour; the service's date is a second or so off its timestamp
        behind = (local - EPOCH - timedelta(milliseconds=at_ms)) / timedelta(minutes=15)
        begin = datetime.combine(local.date(), datetime.min.time()) - round(behind) * timedelta(minutes=15)
    return microseconds(begin)


def _record(line_no: int, fields: list[str], system: str, state: Carry) -> dict[str, Any]:
    names = _NAMES if len(fields) == _HOUR else (*_START_NAMES, *_NAMES)
    name, _, hsm = fields[1].partition("@")
    group, _, family = name.partition(":" if ":" in name else ".")
    group, family = ("" if part == "<Unknown>" else part for part in (group, family))
    return {
        "line_no": line_no,
        "system": system,
        "sampled_at": EPOCH + timedelta(milliseconds=state["at_ms"]),
        "counted_from": EPOCH + timedelta(microseconds=state["midnight_us"]),
        "kind": "hour" if len(fields) == _HOUR else "day",
        "pool": fields[0],
        "storage_class": fields[1],
        "storage_group": group or None,
        "file_family": family or None,
        "hsm": hsm or None,
        **dict(zip(names, map(int, fields[2:]), strict=True)),
    }
