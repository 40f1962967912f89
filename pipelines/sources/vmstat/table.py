"""vmstat's table of samples: one row per interval of a host."""

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import HOST
from pipelines.sources.protocol import AVERAGES, Carry, Origin, Parsed
from pipelines.sources.vmstat import doubts, runs
from pipelines.sources.vmstat.clock import OtherLine, date_rows, others_of, read_clock
from pipelines.sources.vmstat.headers import FACTS, foreign, is_group_line, is_like_header, mode_of, read_header
from pipelines.sources.vmstat.results import gather
from pipelines.sources.vmstat.rows import announce, split
from pipelines.sources.vmstat.text import sort_out

START: Carry = {
    "header": ["", "", False, 0],  # see rows.Announced
    "header_rank": None,  # n_rows at the last header, and the rows between it and the one before
    "gap": None,
    "last": ["", "", 0],  # kind, text and rank of the last line that is no row
    **runs.START,
    **doubts.START,
}


def parse(lines: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """Samples with the instants they begin and end at; raises UnreadableFile for an unknown header or no clock."""
    rows, others = sort_out(lines, origin, state)
    rows = rows.with_row_index("rank", offset=state["n_rows"]).cast({"rank": pl.Int64})
    others = _others(others, rows, state)
    headers = _headers(others, state)
    rows = split(announce(rows, headers, state), origin, state)
    rows = date_rows(rows, others, origin, state)
    rows = doubts.mark(runs.find_runs(rows, headers, state), state)
    _close(rows, others, headers, state)
    records = rows.filter("is_record").rename({"at": "to_at"})
    parsed = gather(lines, rows, others, records, records.height, HOST, origin, state)
    parsed.notes = {AVERAGES: rows.filter(pl.col("reason").is_null() & ~pl.col("is_record")).height}
    return parsed


def classify(flat: str) -> OtherLine:
    """What a line is that is no row."""
    if line := read_clock(flat):
        return line
    if foreign(flat):
        return OtherLine("unknown")
    if is_group_line(flat):
        return OtherLine("group", is_stamped="timestamp" in flat)
    if FACTS.match(flat):
        return OtherLine("facts")
    if header := read_header(flat):
        return OtherLine("field", names=" ".join(header.names), zone=header.zone)
    return OtherLine("unknown" if is_like_header(flat) or mode_of(flat) else "junk")


def _others(others: pl.DataFrame, rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The lines that are no rows; a header with the titles above it."""
    kind, titles, rank = state["last"]
    others = others_of(others, rows, classify, state).with_columns(
        last_kind=pl.col("kind").shift(1, fill_value=kind),
        last_flat=pl.col("flat").shift(1, fill_value=titles),
        last_rank=pl.col("rank").shift(1, fill_value=rank),
    )
    behind_titles = (pl.col("last_kind") == "group") & (pl.col("last_rank") == pl.col("rank"))
    unread = others.filter((pl.col("kind") == "unknown") | (behind_titles & (pl.col("kind") == "junk")))
    if unread.height:  # the rows after such names must not be read by the header before
        line_no, flat = unread.select("line_no", "flat").row(0)
        what = foreign(flat)
        raise UnreadableFile(
            f"line {line_no}: "
            + (f"this is {what}" if what else f"the header is cut or has unknown columns: {flat[:120]}"),
            "put other output into separate files, and keep header lines as vmstat prints them",
        )
    return others.with_columns(titles=pl.when(behind_titles).then("last_flat").otherwise(pl.lit("")))


def _headers(others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The lines of column names with `gap`, the rows since the header before, and the gap before that."""
    headers = others.filter(kind="field")
    pairs = headers.select("titles", "names").unique()
    eras = [doubts.era_of(titles, names.split(" ")) for titles, names in pairs.iter_rows()]
    return (
        headers.drop("era")
        .join(pairs.with_columns(era=pl.Series(eras, dtype=pl.Int64)), on=["titles", "names"], maintain_order="left")
        .with_columns(announces=pl.col("titles").str.contains("timestamp", literal=True) | (pl.col("zone") != ""))
        .with_columns(gap=pl.col("rank") - pl.col("rank").shift(1, fill_value=state["header_rank"]))
        .with_columns(last_gap=pl.col("gap").shift(1, fill_value=state["gap"]))
    )


def _close(rows: pl.DataFrame, others: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> None:
    """Keep for the next chunk what the lines so far decide."""
    state["n_rows"] += rows.height
    if others.height:
        kind, flat, rank = others.select("kind", "flat", "rank").row(-1)
        state["last"] = [kind, flat if kind == "group" else "", rank]
    if headers.height:
        last = headers.row(-1, named=True)
        state["header"] = [last[key] for key in ("names", "zone", "announces", "era")]
        state["gap"], state["header_rank"] = last["gap"], last["rank"]
