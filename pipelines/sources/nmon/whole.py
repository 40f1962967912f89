"""Which lines of nmon count, and after which line a snapshot is complete."""

import polars as pl

from pipelines.sources._shared.columns import DEVICE
from pipelines.sources.nmon.figures import split
from pipelines.sources.nmon.layout import LAST, relation_of
from pipelines.sources.protocol import Carry


def judge(data: pl.DataFrame, headers: pl.DataFrame, marks: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Data lines with their `header` and `table`, and why one is rejected."""
    if not data.height:
        _note_sorted(data, marks, state)
        _note_marks(marks, state)
        return data.with_columns(header=pl.lit(""), table=pl.lit(""), reason=pl.lit(None, dtype=pl.String))
    carried = pl.DataFrame(
        [(0, tag, text) for tag, text in state["headers"].items()],
        schema={"line_no": pl.Int64, "tag": pl.String, "header": pl.String},
        orient="row",
    )
    above = pl.concat([carried, headers.select("line_no", "tag", header="text")]).sort("line_no")
    data = data.sort("line_no").join_asof(above, on="line_no", by="tag", check_sortedness=False)
    parts = [data.filter(pl.col("header").is_null()).with_columns(reason=pl.lit("no_header"))]
    for (tag, header), lines in data.filter(pl.col("header").is_not_null()).group_by(
        "tag", "header", maintain_order=True
    ):
        parts.append(split(lines, str(tag), str(header)).drop("cells", "width", "is_unreadable"))
    data = pl.concat(parts).sort("line_no")
    _note_sorted(data.filter(pl.col("header").is_not_null()), marks, state)
    tables = {tag: relation_of(tag) for tag in data["tag"].unique()}
    data = data.with_columns(table=pl.col("tag").replace_strict(tables, default=None, return_dtype=pl.String))
    data = data.join_asof(marks.select("line_no", mark="shot").sort("line_no"), on="line_no", check_sortedness=False)
    data = data.with_columns(pl.col("mark").fill_null(pl.lit(state["shot"], pl.Int64)))
    is_lost = pl.lit(False) if state["is_sorted"] else (pl.col("shot") != pl.col("mark")).fill_null(True)
    data = data.with_columns(reason=pl.coalesce("reason", pl.when(is_lost).then(pl.lit("bad_time"))))
    return _late(data, headers, marks, state)


def _late(data: pl.DataFrame, headers: pl.DataFrame, marks: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Mark lines of snapshots that already became rows, and note which have by the end of these lines.

    A snapshot is complete after the line of its last tag, and at the latest when ZZZZ ends it.
    """
    data = data.join_asof(_widest(headers, state), on="line_no", check_sortedness=False)
    last_disk = (
        pl.when(pl.col("most") > 0)
        .then(pl.lit("DISKXFER") + pl.col("most").cast(pl.String))
        .otherwise(pl.lit("DISKXFER"))
    )
    ending = pl.col("table").replace_strict(LAST, default=None, return_dtype=pl.String)
    is_end = pl.col("tag") == pl.when(pl.col("table") == DEVICE).then(last_disk).otherwise(ending)
    done = pl.DataFrame(
        [(table, state["done"].get(table, 0)) for table in LAST],
        schema={"table": pl.String, "done": pl.Int64},
        orient="row",
    )
    data = data.join(done, on="table", how="left", maintain_order="left").with_columns(
        ended=pl.when(is_end & pl.col("reason").is_null()).then("shot").otherwise(0)
    )
    over = marks.select("line_no", over=pl.col("shot").cum_max() - _behind(state))
    data = data.join_asof(over, on="line_no", check_sortedness=False)
    above = pl.col("ended").cum_max().shift(1).over("table")
    is_late = pl.col("shot") <= pl.max_horizontal("done", above, "over")
    for table, number in data.group_by("table", maintain_order=True).agg(pl.col("ended").max()).rows():
        state["done"] = {**state["done"], table: max(state["done"].get(table, 0), number)}
    _note_marks(marks, state)
    return data.with_columns(reason=pl.coalesce("reason", pl.when(is_late).then(pl.lit("out_of_order"))))


def _behind(state: Carry) -> int:
    """How many of the latest snapshots a ZZZZ leaves open: its own data follow it, except in a sorted file."""
    return 0 if state["is_sorted"] else 1


def _note_marks(marks: pl.DataFrame, state: Carry) -> None:
    if marks.height:
        number = max(marks["shot"]) - _behind(state)
        state["done"] = {table: max(state["done"].get(table, 0), number) for table in LAST}


def _widest(headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """How far the tags of disks are numbered, by the headers so far."""
    tags = [(0, tag) for tag in state["headers"]] + headers.select("line_no", "tag").rows()
    known = [(line_no, int(tag[8:] or 0)) for line_no, tag in tags if tag.startswith("DISKREAD")]
    frame = pl.DataFrame(known, schema={"line_no": pl.Int64, "most": pl.Int64}, orient="row")
    return frame.sort("line_no").with_columns(pl.col("most").cum_max())


def _note_sorted(data: pl.DataFrame, marks: pl.DataFrame, state: Carry) -> None:
    """Whether the run has data before any ZZZZ, once there is either."""
    if state["is_sorted"] is None and (data.height or marks.height):
        first = data["line_no"].to_list()[:1]
        state["is_sorted"] = bool(first) and (not marks.height or first[0] < marks["line_no"][0])
