"""`sadf -p` (once `-ppc`): one value a line, between tabs.

    stage07	600	2026-03-02 09:10:01 UTC	sdb	wkB/s	20992.00
    stage07	600	2026-03-02 09:10:01 UTC	sdb	%util	8.40

The values of one sample of one item are on consecutive lines. They become one row, at the line that completes it.
Values that only some versions print after that (`blocked`, `%ifutil`) become a row of their own.
"""

import re
from copy import deepcopy

import polars as pl

from pipelines.sources._shared.sysstat import numbers
from pipelines.sources.protocol import LINES, Carry, Origin, Parsed, first_of
from pipelines.sources.sar.activities import LINUX
from pipelines.sources.sar.measure import ChunkRows, begins
from pipelines.sources.sar.stamps import read_stamps

ROW = re.compile(r"[^;\s]+\t-?\d+\t(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( [A-Za-z+-]\S*)?|\d{9,11})\t\S+\t\S")

_NAMES = ["host", "interval", "stamp", "item", "name", "value"]
_MARK = r"^(LINUX-RESTART|COM )"
_START: Carry = {"open": [], "n_blocks": 0, "chains": {}, "fold": None}
_ACTIVITY_OF = {
    name: number for number, activity in enumerate(LINUX) for field in activity.fields for name in field.names
}
# With these a sample is complete; each value of memory is a sample by itself.
_LAST = ["%idle", "bwrtn/s", "ldavg-15", "blocked", "cswch/s", "%util", "txkB/s", "txbyt/s", "%ifutil"]
_ALONE = [number for number, activity in enumerate(LINUX) if activity.signs & {"kbmemfree", "kbswpused"}]
_OPEN = pl.Schema([*LINES.items(), ("block", pl.Int64())])
_MOST_OPEN = 64  # lines of one sample of one item; there are no more than a dozen


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry) -> Parsed:
    """Rows of the activities that are read."""
    state = deepcopy({**_START, **carry})
    fields = pl.col("text").str.strip_chars_end(" \r").str.splitn("\t", 6).struct.rename_fields(_NAMES)
    split_lines = lines.with_columns(fields.alias("fields")).unnest("fields")
    is_mark = split_lines.select(pl.col("item").str.contains(_MARK).fill_null(False)).to_series()
    split_lines = split_lines.with_columns(block=is_mark.cast(pl.Int64).cum_sum() + state["n_blocks"], is_mark=is_mark)
    state["n_blocks"] += int(is_mark.sum())
    rows = _ours(split_lines.filter(~pl.col("is_mark")))
    found = ChunkRows(origin)
    found.reject(rows)
    is_junk = ~is_mark & split_lines["value"].is_null() & (split_lines["text"].str.strip_chars() != "")
    found.reject(split_lines.filter(is_junk).with_columns(reason=pl.lit("bad_syntax")))
    good = rows.filter(pl.col("reason").is_null())
    open_lines = pl.DataFrame(state["open"], schema=_OPEN, orient="row").with_columns(fields.alias("fields"))
    samples = _samples(pl.concat([_ours(open_lines.unnest("fields")), good], how="diagonal_relaxed"), state)
    samples, state["fold"] = read_stamps(samples, origin, state["fold"])
    for number, activity in enumerate(LINUX):
        part = samples.filter(pl.col("activity") == number)
        if part.is_empty():
            continue
        from_at, state["chains"][str(number)] = begins(part, state["chains"].get(str(number)))
        found.add_sparse(part.with_columns(from_at, to_at="at"), activity)
    parsed = found.parsed(lines.height, [], state)
    # a line counts where it is read, though its sample may be complete in a later chunk
    parsed.n_used, parsed.n_skipped = good.height, lines.height - good.height - parsed.rejects.height
    return parsed


def _ours(rows: pl.DataFrame) -> pl.DataFrame:
    """The lines whose value is read, with a reason where it cannot be."""
    activity = pl.col("name").replace_strict(_ACTIVITY_OF, default=None, return_dtype=pl.Int64)
    rows = rows.filter(pl.col("value").is_not_null()).with_columns(activity=activity)
    is_total = (pl.col("activity") != 0) | (pl.col("item") == "all")
    is_of_item = (pl.col("name") != "tps") | (pl.col("item") != "-")
    rows = rows.filter(pl.col("activity").is_not_null() & is_total & is_of_item)
    number = numbers(rows.select("value"), {})["value"]
    timed, _ = read_stamps(rows, Origin(), None)
    is_timed = timed["at"].is_not_null() & timed["interval_s"].is_not_null()
    is_number = number.is_not_null() & ~(number < 0).fill_null(False)
    return rows.with_columns(is_timed=is_timed, is_number=is_number).with_columns(
        reason=first_of(bad_time=~pl.col("is_timed"), bad_number=~pl.col("is_number"))
    )


def _samples(rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Lines into samples; what is not complete at the end of the chunk waits in `state`."""
    key = ["host", "interval", "stamp", "item", "activity", "block"]
    is_last = pl.col("name").is_in(_LAST) | pl.col("activity").is_in(_ALONE)
    is_new = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in key)
    rows = rows.with_columns(is_last=is_last, is_new=is_new | is_last.shift(1, fill_value=False))
    rows = rows.with_columns(sample=pl.col("is_new").cast(pl.Int64).cum_sum())
    is_open = rows.height > 0 and not rows["is_last"][-1]
    waiting = rows.filter(pl.col("sample") == (rows["sample"][-1] if is_open else 0))
    is_stuck = waiting.height > _MOST_OPEN
    state["open"] = [] if is_stuck else [list(row) for row in waiting.select(_OPEN.names()).rows()]
    closed = rows if is_stuck or not is_open else rows.filter(pl.col("sample") != rows["sample"][-1])
    values = [pl.col("value").filter(pl.col("name") == name).first().alias(name) for name in _ACTIVITY_OF]
    return (
        closed.group_by("sample", *key, maintain_order=True)
        .agg(pl.first("line_no", "text"), *values)
        .with_columns(reason=pl.lit(None, dtype=pl.String), n_cpus=pl.lit(None, dtype=pl.Int32))
    )
