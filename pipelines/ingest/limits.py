"""Values that no archive can have, such as a file that took 10^18 seconds: damaged digits, left out of their rows.

One such number would end the build, because sums of it do not fit into any column.
"""

from functools import cache

import polars as pl

from pipelines.sources._shared.contract import columns_of
from pipelines.sources.protocol import Parsed

IMPOSSIBLE = "used without a number that is too large to be true"
# By unit, the largest value in either direction: 30 years, an exabyte, a petabyte per second.
_MOST = {"s": 1e9, "h": 1e6, "bytes": 2.0**60, "bytes/s": 1e15, "KB/s": 1e12, "1/s": 1e15, "1": 1e9}
_MOST_OF_COUNTS = {"BIGINT": 1e15, "DOUBLE": 2.0**60}  # counters of bytes are DOUBLE


@cache
def limits_of(table: str) -> dict[str, float]:
    """The largest value of each column of a bronze relation that is a number.

    >>> limits_of("cta_file")["position_s"]
    1000000000.0
    """
    return {
        name: _MOST[column["unit"]] if "unit" in column else _MOST_OF_COUNTS[column["type"]]
        for name, column in columns_of(table).items()
        if column["type"] in _MOST_OF_COUNTS
    }


def leave_out_impossible(parsed: Parsed) -> Parsed:
    """The same chunk, with values beyond their limits NULL, and a note of how many rows had any."""
    for table, rows in parsed.tables.items():
        limits = {name: most for name, most in limits_of(table).items() if name in rows.columns}
        beyond = {name: pl.col(name).is_between(-most, most).not_().fill_null(False) for name, most in limits.items()}
        if beyond and (n_bad := rows.select(pl.any_horizontal(beyond.values()).sum()).item()):
            kept = (pl.when(~is_beyond).then(name).alias(name) for name, is_beyond in beyond.items())
            parsed.tables[table] = rows.with_columns(kept)
            parsed.notes[IMPOSSIBLE] = parsed.notes.get(IMPOSSIBLE, 0) + n_bad
    return parsed
