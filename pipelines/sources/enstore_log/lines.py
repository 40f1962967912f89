"""The log line itself: which lines begin a record, the fields before the message, and repetitions.

Four lines in five of a DEBUGLOG are not needed here. They cost one pattern, which checks their clock, and one search
for the literals of all templates together; the fields are only taken from the rest.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl

_CLOCK = r"(?:(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}  )?[0-9]{2}:[0-9]{2}:[0-9]{2} "
RECORD = rf"^{_CLOCK}[!-~]+ +[0-9]{{6,}} [!-~]{{1,8}} [CAEUWIM] [!-~]+  "
# Without host, process and severity: a count of identical messages. Anything else with a clock is a continuation.
REPEATED = "last message repeated "
TIMED = rf"{RECORD}|^{_CLOCK}{REPEATED}[0-9]+ time"
# The message is cut off after the prefix, not matched: it can be long.
_FIELDS = (
    rf"^(?P<prefix>{_CLOCK}(?P<host>[!-~]+) +(?P<pid>[0-9]{{6,}}) [!-~]{{1,8}} (?P<severity>[CAEUWIM])"
    r" (?P<name>[!-~]+)  )"
)
# The prefix alone at the end of a line: a document has wrapped it.
WRAPPED = rf"^{_CLOCK}[!-~]+ +[0-9]{{6,}} [!-~]{{1,8}} [CAEUWIM] [!-~]+ *$"
_THREAD = r" Thread \S+\s*$"

# Lines may be swapped within a second or so; identical messages further apart than this are not counted together.
_WINDOW_US = 5_000_000
_SAME = ["logged_at", "host", "pid", "name", "message_hash"]
_RECENT = {
    "logged_at": pl.Int64(),
    "host": pl.String(),
    "pid": pl.Int64(),
    "name": pl.String(),
    "message_hash": pl.UInt64(),
    "n_before": pl.Int64(),
}


def stamps_of(texts: pl.DataFrame) -> pl.DataFrame:
    """The lines that begin with a clock, and that clock, with its date where there is one, as `stamp`."""
    text = pl.col("text")
    stamp = pl.when(text.str.slice(2, 1) == ":").then(text.str.slice(0, 8)).otherwise(text.str.slice(0, 20))
    return texts.filter(text.str.contains(TIMED)).with_columns(stamp=stamp)


def timed(lines: pl.DataFrame) -> pl.DataFrame:
    """The lines that begin with a clock, their `stamp`, and in `tick` the number of the run of equal stamps."""
    return stamps_of(lines).with_columns(tick=(pl.col("stamp") != pl.col("stamp").shift(1)).fill_null(False).cum_sum())


def ticks_of(timed_lines: pl.DataFrame) -> pl.DataFrame:
    """The first line of each run: all the clock ever needs to see."""
    is_first = (pl.col("tick") != pl.col("tick").shift(1)).fill_null(True)
    return timed_lines.filter(is_first).select("line_no", "stamp")


def with_fields(timed_lines: pl.DataFrame, literals: Sequence[str]) -> pl.DataFrame:
    """Host, process, severity, name and message of the lines that contain one of the literals.

    A count of repetitions has only a message.
    """
    text, prefix = pl.col("text"), pl.col("prefix")
    begin = pl.coalesce(prefix.str.len_bytes(), pl.col("stamp").str.len_bytes() + 1)
    message = text.str.slice(begin).str.replace(_THREAD, "").str.strip_chars_end()
    return (
        timed_lines.filter(text.str.contains_any(list(literals)))
        .with_columns(text.str.extract_groups(_FIELDS).struct.unnest())
        .filter(prefix.is_not_null() | text.str.slice(pl.col("stamp").str.len_bytes() + 1).str.starts_with(REPEATED))
        .with_columns(pl.col("pid").cast(pl.Int64, strict=False), message=message)
        .drop("prefix")
    )


def number_repeats(rows: pl.DataFrame, memory: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Add `message_hash` and `nth`; remember the counts of the last seconds.

    A line later than the window gets 1: it is a stray, and an unbounded memory is no price for its number.
    """
    hashes = pl.Series("message_hash", _hashes(rows["message"].to_list()), dtype=pl.UInt64)
    recent = pl.DataFrame(memory.get("recent", []), schema=_RECENT, orient="row")
    at = pl.col("logged_at").to_physical()
    newest = at.cum_max() if memory.get("newest") is None else pl.max_horizontal(at.cum_max(), pl.lit(memory["newest"]))
    counted = (
        rows.with_columns(hashes)
        .with_columns(is_late=at < newest - _WINDOW_US, newest=newest)
        .with_columns(nth=pl.int_range(1, pl.len() + 1).over(*_SAME, "is_late"))
        .join(
            recent.with_columns(pl.col("logged_at").cast(pl.Datetime("us"))),
            on=_SAME,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        .with_columns(
            nth=pl.when("is_late").then(1).otherwise(pl.col("nth") + pl.col("n_before").fill_null(0)).cast(pl.Int32)
        )
    )
    if not rows.height:
        return counted, memory
    last = counted["newest"][-1]
    kept = pl.concat(
        [
            recent,
            counted.filter(~pl.col("is_late") & (at >= last - _WINDOW_US)).select(
                at.alias("logged_at"), *_SAME[1:], pl.col("nth").cast(pl.Int64).alias("n_before")
            ),
        ]
    )
    kept = kept.filter(pl.col("logged_at") >= last - _WINDOW_US).group_by(_SAME).agg(pl.col("n_before").max())
    return counted, {"newest": last, "recent": [list(row) for row in kept.sort(_SAME).rows()]}


def _hashes(messages: list[str]) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    # Not Expr.hash: that may change with the version of Polars, and this number is stored.
    digests = b"".join([blake2b(message.encode(), digest_size=8).digest() for message in messages])
    return np.frombuffer(digests, dtype="<u8")
