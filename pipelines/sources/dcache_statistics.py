"""Statistics of dCache's pools: what each pool and class holds and has moved since midnight, written once an hour.

    #
    # date=Wed Mar 11 09:55:00 CET 2026
    # timestamp=1773219300897
    #
    tape_w1 atlas:mctape@osm 756000000000 189 3 0 3 0 7500000000 0 0 7500000000

Files `YYYY-MM-DD-HH.raw`, written at HH:55 by dCache's statistics service (class PoolStatisticsV0), and
`YYYY-MM-DD-day.drw` or `-day.raw` for the whole day so far. The two lines of the header come in either order: Java 7
turned them round. Ten numbers follow pool and class: bytes and files now; transfers,
restores, stores, errors; bytes from clients, to clients, from tape, to tape. A day's file has two more before them:
bytes and files at the day's start. Only the width of the rows distinguishes the two kinds, so the first row after a
header decides, and the others must have its width. -1 is what the service does not know: null of what a pool holds or
held, 0 of a counter, as billing has counted nothing of that pool since it began again.

The counters run from local midnight, so a file covers the day until its instant, and a missing one only makes a step
longer. Silver takes the differences between hours. `timestamp` is the instant. `date`
next to it gives the local day and, where site.toml has no zone, the offset of its midnight.
"""

import re
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.clock import day_bounds
from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.stamps import EPOCH
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, Reject

TITLE = "dCache statistics"
VERSION = 3
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
_OF_POOL = {*_START_NAMES, "held_bytes", "n_files"}
_UNKNOWN = -1
_HOUR, _DAY = 2 + len(_NAMES), 2 + len(_START_NAMES) + len(_NAMES)
_MOST, _MOST_DIGITS = 2**62, 19
_START: Carry = {
    "at_ms": None,  # of the last header
    "date": None,
    "width": None,  # fields of its rows
    "is_seen": False,  # a row of it has been met
    "is_over": False,  # a line below the header has been met
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
    return text == str(_UNKNOWN) or (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS)


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
                covered_from = min(outcome["counted_from"], outcome["sampled_at"])
                coverage.append((line_no, origin.system, covered_from, outcome["sampled_at"]))
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
    if text.startswith(("# timestamp=", "# date=")):
        return _head(text, state)
    if text.startswith("#") or not text:
        return "skipped"
    state["is_over"] = True
    if state["at_ms"] is None or state["date"] is None:
        return "no_header"
    fields = text.split()
    if state["width"] is None and len(fields) in (_HOUR, _DAY):
        state["width"] = len(fields)
    if len(fields) != state["width"]:
        return "wrong_width"
    if not all(_is_number(field) and int(field) < _MOST for field in fields[2:]):
        return "bad_number"
    return _record(line_no, fields, origin, state)


def _head(text: str, state: Carry) -> str:
    """One of the two lines of a header; the first of them begins it."""
    name = "date" if text.startswith("# date=") else "at_ms"
    if state["is_over"] or state[name] is not None:
        state.update(_START)
    if name == "date":
        state["date"] = text if _local(text) else None
    elif match := _STAMP.fullmatch(text):
        at_ms = int(match[1])
        state["at_ms"] = at_ms if 315_532_800_000 <= at_ms < 4_102_444_800_000 else None  # 1980 to 2100
    return "bad_time" if state[name] is None else "used"


def _local(text: str) -> datetime | None:
    """The time of the line `date`."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    month, day, time, _, year = match.groups()
    try:
        return datetime.strptime(f"{year} {month} {day} {time}", "%Y %b %d %H:%M:%S")
    except ValueError:
        return None


def _midnight(state: Carry, zone: str) -> datetime:
    """The beginning of the local day."""
    at_ms, local = state["at_ms"], _local(state["date"])
    assert local is not None
    if zone != "UTC":
        return day_bounds(datetime.fromtimestamp(at_ms // 1000, ZoneInfo(zone)).date(), zone)[0]
    # offsets are whole quarters of an hour; the service's date is a second or so off its timestamp
    behind = (local - EPOCH - timedelta(milliseconds=at_ms)) / timedelta(minutes=15)
    return datetime.combine(local.date(), datetime.min.time()) - round(behind) * timedelta(minutes=15)


def _number(name: str, text: str) -> int | None:
    value = int(text)
    return value if value != _UNKNOWN else None if name in _OF_POOL else 0


def _record(line_no: int, fields: list[str], origin: Origin, state: Carry) -> dict[str, Any]:
    names = _NAMES if len(fields) == _HOUR else (*_START_NAMES, *_NAMES)
    name, _, hsm = fields[1].partition("@")
    group, _, family = name.partition(":" if ":" in name else ".")
    group, family = ("" if part == "<Unknown>" else part for part in (group, family))
    return {
        "line_no": line_no,
        "system": origin.system,
        "sampled_at": EPOCH + timedelta(milliseconds=state["at_ms"]),
        "counted_from": _midnight(state, origin.zone),
        "kind": "hour" if len(fields) == _HOUR else "day",
        "pool": fields[0],
        "storage_class": fields[1],
        "storage_group": group or None,
        "file_family": family or None,
        "hsm": hsm or None,
        **{name: _number(name, text) for name, text in zip(names, fields[2:], strict=True)},
    }
