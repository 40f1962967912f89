"""Values that no archive can have, such as a file that took 10^18 seconds or -3: damaged, left out of their rows.

One such number would end the build: sums of it do not fit into any column, or a check of the rows fails.
"""

from functools import cache

import polars as pl

from pipelines.sources._shared.contract import columns_of
from pipelines.sources.protocol import Parsed

IMPOSSIBLE = "used, except for impossible numbers"
# By unit, the largest value: 30 years, a petabyte, a petabyte per second. None is below 0 except shares and numbers
# without a unit: sources judge shares themselves, and a head can move by a negative number of file marks.
_MOST = {"s": 1e9, "h": 1e6, "bytes": 2.0**50, "bytes/s": 1e15, "KB/s": 1e12, "1/s": 1e15}
_MOST_TOTAL = 2.0**60
_TOTALS = {  # bytes of a queue, a pool, a system or a drive's life, not of one file, mount or tape
    "cta_queue",
    "cta_step",
    "dcache_statistics",
    "drive_counter",
    "endit_stat",
    "enstore_accounting_daily",
    "enstore_accounting_drive_stat",
    "enstore_accounting_group_storage",
    "enstore_accounting_rate",
    "enstore_mover_status",
}
_MOST_SHARE = 1e9
_MOST_OF_COUNTS = {"BIGINT": 1e15, "DOUBLE": 2.0**60}  # counters of bytes are DOUBLE


@cache
def limits_of(table: str) -> dict[str, tuple[float, float]]:
    """The smallest and largest value of each column of a bronze relation that is a number.

    >>> limits_of("cta_file")["position_s"]
    (0.0, 1000000000.0)
    """
    most = _MOST | ({"bytes": _MOST_TOTAL} if table in _TOTALS else {})
    return {
        name: _limits(column["type"], column.get("unit", ""), most)
        for name, column in columns_of(table).items()
        if column["type"] in _MOST_OF_COUNTS
    }


def _limits(kind: str, unit: str, most: dict[str, float]) -> tuple[float, float]:
    if unit in most:
        return 0.0, most[unit]
    end = _MOST_OF_COUNTS[kind] if not unit else _MOST_SHARE
    return -end, end


def leave_out_impossible(parsed: Parsed) -> Parsed:
    """The same chunk, with values beyond their limits NULL, and a note of how many rows had any."""
    for table, rows in parsed.tables.items():
        limits = {name: ends for name, ends in limits_of(table).items() if name in rows.columns}
        beyond = {name: pl.col(name).is_between(*ends).not_().fill_null(False) for name, ends in limits.items()}
        if beyond and (n_bad := rows.select(pl.any_horizontal(beyond.values()).sum()).item()):
            kept = (pl.when(~is_beyond).then(name).alias(name) for name, is_beyond in beyond.items())
            parsed.tables[table] = rows.with_columns(kept)
            parsed.notes[IMPOSSIBLE] = parsed.notes.get(IMPOSSIBLE, 0) + n_bad
    return parsed
