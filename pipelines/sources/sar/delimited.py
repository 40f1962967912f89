"""`sadf -d`: one sample of one item a line, its fields between semicolons, each activity under a header of its own.

    # hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
    stage07;600;2026-03-02 09:10:01 UTC;sdb;41.00;0.00;20992.00;0.00;512.00;0.21;5.10;8.40
    stage07;-1;2026-03-02 09:14:30 UTC;LINUX-RESTART	(8 CPU)

With `-h` all activities of a sample share a line. It is read if at most one of them comes in several items (`[...]` at
the end of its names), since the line does not show how many items each has.
"""

import re
from copy import deepcopy
from typing import NamedTuple

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources.protocol import LINES, Carry, Origin, Parsed, first_of
from pipelines.sources.sar.activities import LINUX, Layout, read_header
from pipelines.sources.sar.measure import ChunkRows, begins, rows_of
from pipelines.sources.sar.stamps import read_stamps

HEADER = re.compile(r"# hostname;interval;timestamp(;|$)")
ROW = re.compile(r"[^;\s]+;-?\d+;(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( [A-Za-z+-]\S*)?|\d{9,11});")

_MARK = r"^(LINUX-RESTART|COM )"
_START: Carry = {"header": None, "n_blocks": 0, "chains": {}, "fold": None}


class HeaderGroup(NamedTuple):
    """One activity of a header: where its names begin, and how many items a line holds (None: any number)."""

    names: tuple[str, ...]
    is_repeated: bool


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry) -> Parsed:
    """Rows of the activities that are read; raises UnreadableFile for a header that pretends to be one of them."""
    state = deepcopy({**_START, **carry})
    text = pl.col("text").str.strip_chars_end(" \r\t")
    flat = lines.with_columns(text=pl.col("text"), flat=text)
    is_header = pl.col("flat").str.starts_with("#")
    flat = flat.with_columns(header=pl.when(is_header).then("flat").forward_fill().fill_null(pl.lit(state["header"])))
    fields = pl.col("flat").str.splitn(";", 4).struct.rename_fields(["host", "interval", "stamp", "rest"])
    rows = flat.filter(~is_header & (pl.col("flat") != "")).with_columns(fields.alias("fields")).unnest("fields")
    is_mark = rows.select(pl.col("rest").str.contains(_MARK).fill_null(False)).to_series()
    rows = _numbered(rows.with_columns(is_mark=is_mark), flat.filter(is_header), state)
    rows, state["fold"] = read_stamps(rows.filter(~pl.col("is_mark")), origin, state["fold"])
    found, used = ChunkRows(origin), []
    for header in flat["header"].drop_nulls().unique(maintain_order=True):
        groups = _groups(header)
        layouts = [read_header(group.names, LINUX) for group in groups]
        if not any(layouts):
            continue
        used.append(flat.filter(is_header & (pl.col("flat") == header))["line_no"])
        _read(rows.filter(pl.col("header") == header), header, groups, layouts, state, found)
    found.reject(rows.filter(pl.col("header").is_null()).with_columns(reason=pl.lit("no_header")))
    if flat.height:
        state["header"] = flat["header"][-1]
    return found.parsed(lines.height, used, state)


def _numbered(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `block`: a number that changes with each header and each restart."""
    marks = pl.concat([headers["line_no"], rows.filter("is_mark")["line_no"]]).sort()
    blocks = pl.DataFrame({"line_no": marks, "block": pl.int_range(1, marks.len() + 1, eager=True)})
    rows = (
        rows.set_sorted("line_no")
        .join_asof(blocks.cast({"line_no": LINES["line_no"]}).set_sorted("line_no"), on="line_no")
        .with_columns(block=pl.col("block").fill_null(0) + state["n_blocks"])
    )
    state["n_blocks"] += marks.len()
    return rows


def _groups(header: str) -> list[HeaderGroup]:
    """The activities a header names; there is one, but under `-h`."""
    names = header.removeprefix("#").strip().split(";")[3:]
    if not any(name.endswith("[...]") for name in names):
        return [HeaderGroup(tuple(names), False)]
    groups: list[HeaderGroup] = []
    start = 0
    for place, name in enumerate(names):
        if name.endswith("[...]"):
            single, repeated = _begin_of_repeated(names[start : place + 1])
            groups += [HeaderGroup(single, False)] * bool(single) + [HeaderGroup(repeated, True)]
            start = place + 1
    return groups + [HeaderGroup(tuple(names[start:]), False)] * (start < len(names))


def _begin_of_repeated(names: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names up to `[...]`, cut where the activity that has items begins: at the column that names them."""
    plain = [name.removesuffix("[...]") for name in names]
    at = next((place for place in reversed(range(len(plain))) if plain[place].isupper()), 0)
    return tuple(plain[:at]), tuple(plain[at:])


def _read(
    rows: pl.DataFrame,
    header: str,
    groups: list[HeaderGroup],
    layouts: list[Layout | None],
    state: Carry,
    found: ChunkRows,
) -> None:
    width = pl.col("rest").str.count_matches(";", literal=True) + 1
    if len(groups) == 1 and not groups[0].is_repeated:
        rows = rows.with_columns(reason=_reason(width == len(groups[0].names)), n_items=pl.lit(1, dtype=pl.Int64))
    else:
        rows = _fitted(rows, header, groups, width)
    stamped = rows.filter(pl.col("at").is_not_null() & pl.col("interval_s").is_not_null())
    from_at, state["chains"][header] = begins(stamped, state["chains"].get(header))
    rows = rows.join(stamped.select("line_no").with_columns(from_at), on="line_no", how="left", maintain_order="left")
    found.reject(rows)
    rows = rows.filter(pl.col("reason").is_null()).with_columns(to_at="at", n_cpus=pl.lit(None, dtype=pl.Int32))
    cells = pl.col("rest").str.split(";")
    rows = rows.with_columns(cells=cells)
    offset = pl.lit(0, dtype=pl.Int64)
    for group, layout in zip(groups, layouts, strict=True):
        if layout is not None:
            _take(rows, group, layout, offset, found)
        n_items = pl.col("n_items") if group.is_repeated else pl.lit(1, dtype=pl.Int64)
        offset = offset + n_items * len(group.names)


def _reason(is_wide: pl.Expr) -> pl.Expr:
    return first_of(
        bad_syntax=pl.col("rest").is_null(),
        bad_time=pl.col("at").is_null() | pl.col("interval_s").is_null(),
        wrong_width=~is_wide,
    )


def _fitted(rows: pl.DataFrame, header: str, groups: list[HeaderGroup], width: pl.Expr) -> pl.DataFrame:
    """Rows of `-h` with the number of items the repeated activity has in each."""
    repeated = [group for group in groups if group.is_repeated]
    if len(repeated) > 1 or any(name.endswith("*") for group in groups for name in group.names):
        raise UnreadableFile(
            "this file of sadf -h has several activities whose number of devices or interfaces varies, "
            f"so its columns cannot be assigned: {header[:120]}",
            "write the file with sadf -d and without -h, or each activity into a file of its own",
        )
    fixed = sum(len(group.names) for group in groups if not group.is_repeated)
    size = len(repeated[0].names)
    is_wide = (width >= fixed) & ((width.cast(pl.Int64) - fixed) % size == 0)
    return rows.with_columns(reason=_reason(is_wide), n_items=(width.cast(pl.Int64) - fixed) // size)


def _take(rows: pl.DataFrame, group: HeaderGroup, layout: Layout, offset: pl.Expr, found: ChunkRows) -> None:
    """Hand the cells of one activity on, one row for each item."""
    if group.is_repeated:
        rows = rows.with_columns(nth=pl.int_ranges(0, pl.col("n_items"))).explode("nth")
        rows = rows.filter(pl.col("nth").is_not_null())
        offset = offset + pl.col("nth") * len(group.names)
    cells = [pl.col("cells").list.get(offset + place, null_on_oob=True) for place in range(len(group.names))]
    rows = rows_of(rows, layout, cells)
    found.add(rows, layout)
