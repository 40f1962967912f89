"""Dump of `enstore mover --status`: the status of one mover at one moment, a printed Python dictionary.

    {'buffer': 'Buffer 67108864  79691776  2621440000',
     'bytes_read': 347280136L,
     'current_volume': 'VOI177',
     'mode': 'WRITE',
     'rate of tape': 71208384.297553152,
     'state': 'ACTIVE',
     'time_stamp': 1202403301.7609749}

The keys come sorted, long numbers end in L, nested values may span lines. A file may hold several dumps, as a script
writes that asks again and again; text between them is skipped. The dump does not name its mover: its name is the host
that site.toml or the path gives. Small files, read line by line. Described in the source code of Enstore (mover.py).
"""

import math
import re
from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.enstore import printed_dict
from pipelines.sources._shared.stamps import EPOCH
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, Reject

TITLE = "Enstore mover status"
VERSION = 1
TABLE = "enstore_mover_status"
TABLES = (TABLE,)
SPEAKS_FOR = "drive_states"
IS_WHOLE = True

_MOST_LINES = 400  # of one dump; a longer one has lost its end
_KEYS = ("state", "current_volume", "bytes_to_transfer", "time_in_state", "transfers_completed")
_KEY = re.compile(rf"[{{ ]'(?:{'|'.join(_KEYS)}|time_stamp|rate of tape)': ")
_FIRST_EPOCH, _LAST_EPOCH = 631_152_000, 4_102_444_800

_TEXTS = {
    "state": "state",
    "mode": "mode",
    "current_volume": "volume",
    "last_volume": "last_volume",
    "client": "client",
    "drive_id": "drive_product",
    "drive_sn": "drive_serial",
    "drive_vendor": "drive_vendor",
}
_COUNTS = {
    "current_location": "file_number",
    "last_location": "last_file_number",
    "bytes_to_transfer": "total_bytes",
    "bytes_read": "read_bytes",
    "bytes_written": "written_bytes",
    "bytes_buffered": "buffered_bytes",
    "buffer_min": "least_buffer_bytes",
    "buffer_max": "most_buffer_bytes",
    "transfers_completed": "n_completed",
    "transfers_failed": "n_failed",
    "successful_writes": "n_writes",
}
_REALS = {
    "rate of network": "network_bytes_s",
    "rate of tape": "tape_bytes_s",
    "time_in_state": "in_state_s",
    "default_dismount_delay": "dismount_delay_s",
    "max_dismount_delay": "most_dismount_delay_s",
}


def recognise(head: list[str]) -> Claim:
    """Four of the keys that only a mover's status has, at the start of lines."""
    found = {key.group() for line in head if (key := _KEY.match(line))}
    if len(found) >= 4:
        return Claim(True, 1.0, f"a printed Python dictionary with {len(found)} keys of an Enstore mover's status")
    return Claim(False, 0.1 * len(found), "no printed Python dictionary with the keys of an Enstore mover's status")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One row per dump; one that goes on in the next chunk is carried."""
    memory: dict[str, Any] = carry or {"open": []}
    kept: list[list[Any]] = memory["open"]
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    n_used = 0
    for line_no, text in lines.select("line_no", "text").iter_rows():
        if text.startswith("{'"):
            kept = []
        elif not kept:
            continue
        kept.append([line_no, text])
        n_used += 1
        if text.rstrip().endswith("}"):
            try:
                rows.append(_row(kept))
                kept = []
            except _Unfinished:
                pass
            except ValueError as error:
                rejects.append((line_no, text, str(error)))
                n_used -= 1
                kept = []
        if len(kept) > _MOST_LINES:
            kept = []
    system = pl.lit(origin.system)
    table = pl.DataFrame(rows, schema=schema_of(TABLE)).with_columns(
        system=system, host=pl.lit(origin.host or origin.system)
    )
    return Parsed.of(
        lines,
        n_used,
        rejects,
        tables={TABLE: table},
        coverage=table.select("line_no", "host", from_at="logged_at", to_at="logged_at").cast(COVERAGE),
        carry={"open": kept},
    )


class _Unfinished(Exception):
    """The text is not a whole dictionary yet: its last brace was an inner one."""


def _row(kept: list[list[Any]]) -> dict[str, Any]:
    """A dump as a row. Raises ValueError with the reason for other text, or a dump without a time."""
    text = "\n".join(line for _, line in kept)
    if text.count("{") > text.count("}"):
        raise _Unfinished
    if (status := printed_dict(text)) is None:
        raise ValueError("bad_syntax")
    stamp = _real(status.get("time_stamp"))
    if stamp is None or not _FIRST_EPOCH <= stamp <= _LAST_EPOCH:
        raise ValueError("bad_time")
    files, error = status.get("files"), status.get("last_error")
    sides = files if isinstance(files, tuple | list) and len(files) == 2 else (None, None)
    return {
        "line_no": kept[0][0],
        "logged_at": EPOCH + timedelta(microseconds=round(stamp * 1_000_000)),
        **{column: _text(status.get(key)) for key, column in _TEXTS.items()},
        **{column: _count(status.get(key)) for key, column in _COUNTS.items()},
        **{column: _real(status.get(key)) for key, column in _REALS.items()},
        "source_path": _text(sides[0]),
        "target_path": _text(sides[1]),
        "error": _text(error[0]) if isinstance(error, tuple | list) and error else None,
    }


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
    return value if is_count else None


def _real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e18 and math.isfinite(value) else None
