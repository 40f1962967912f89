"""Billing lines of text: tape records read, the others known by their beginning and skipped."""

import re
from datetime import date

import polars as pl

from pipelines.primitives.clock import to_utc
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import shaped
from pipelines.sources._shared.stamps import read_stamp
from pipelines.sources.dcache_billing.layout import (
    DEFAULT,
    KINDS,
    PREFIX,
    STORAGE,
    TAPE,
    Layout,
    other_pattern,
    storage_layout,
)
from pipelines.sources.dcache_billing.requests import NUMBERS, RAW
from pipelines.sources.protocol import Carry, Origin, first_of

_HEADER = r"^##\s+([\w-]+-message)\s(.+?)\s*$"
_NAMED = re.compile(r"billing(?:-error)?-(\d{4})[.-]?(\d\d)[.-]?(\d\d)")
_FAILED, _END = r'[^0-9]-?[1-9][0-9]*:"', r'"[}\])]\s*$'  # where the message of a failure begins, and how it ends


def file_date(origin: Origin) -> date | None:
    """The day dCache named the file by, else that of the origin."""
    if match := _NAMED.search(origin.path):
        try:
            return date(*map(int, match.groups()))
        except ValueError:
            return origin.date
    return origin.date


def classify(lines: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Each line with `kind` (a kind of record, header, comment or NULL) and, of tape records, its `layout`."""
    text = pl.col("text")
    rows = lines.with_columns(
        kind=pl.coalesce(
            first_of(
                header=text.str.contains(_HEADER),
                comment=(text.str.strip_chars() == "") | text.str.starts_with("#"),
                object=text.str.starts_with("{"),
            ),
            text.str.extract(PREFIX),
        ),
        headed=text.str.extract(_HEADER),
        layout=text.str.extract(_HEADER, 2),
    )
    own = pl.when(pl.col("headed") == STORAGE).then(pl.col("layout"))
    rows = rows.with_columns(storage=own.forward_fill().fill_null(pl.lit(state["storage"], dtype=pl.String)))
    if rows.height:
        state["storage"] = rows["storage"][-1]
    others = rows.filter(pl.col("headed").is_not_null() & (pl.col("headed") != STORAGE))
    known = dict(reversed(others.select("layout", "line_no").rows())) | dict.fromkeys(state["others"], 0)
    state["others"] = sorted(known)
    return _continued(_by_headers(rows, known), state)


def _continued(rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """What a tape system's script printed may have several lines: those after its record's first are as comments."""
    text, kind = pl.col("text"), pl.col("kind")
    has_ended = text.str.contains(_END)
    is_open = pl.when(kind.is_in(KINDS)).then(text.str.contains(_FAILED) & ~has_ended).when(has_ended).then(False)
    rows = rows.with_columns(is_open=is_open.forward_fill().fill_null(state["is_open"]))
    is_rest = kind.is_null() & pl.col("is_open").shift(1, fill_value=state["is_open"])
    if rows.height:
        state["is_open"] = rows["is_open"][-1]
    return rows.with_columns(kind=pl.when(is_rest).then(pl.lit("comment")).otherwise(kind)).drop("is_open")


def _by_headers(rows: pl.DataFrame, others: dict[str, int]) -> pl.DataFrame:
    """Lines that do not begin as by default, with the headers above them; `others` has each layout's first line."""
    strange = rows.filter(pl.col("kind").is_null())
    if not strange.height:
        return rows
    is_skipped = pl.any_horizontal(
        pl.lit(False),
        *(pl.col("text").str.contains(other_pattern(o)) & (pl.col("line_no") > since) for o, since in others.items()),
    )
    parts = []
    for part in strange.partition_by("storage"):
        layout = storage_layout(part["storage"][0] or DEFAULT)
        operation = pl.col("text").str.extract_groups(layout.pattern).struct.field("operation")
        kind = pl.when(operation.is_in(TAPE)).then(operation).when(is_skipped).then(pl.lit("transfer"))
        parts.append(part.with_columns(kind=kind).select("line_no", header_kind=pl.col("kind")))
    rows = rows.join(pl.concat(parts), on="line_no", how="left", maintain_order="left")
    return rows.with_columns(kind=pl.coalesce("kind", "header_kind")).drop("header_kind")


def tape_records(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """The classified lines that are stores and restores, field by field."""
    selected = rows.filter(pl.col("kind").is_in(TAPE))
    parts = [pl.DataFrame(schema=RAW)]
    for part in selected.partition_by("storage", maintain_order=True):
        parts.append(_fields(part, storage_layout(part["storage"][0] or DEFAULT), origin))
    return pl.concat(parts)


def _fields(part: pl.DataFrame, layout: Layout, origin: Origin) -> pl.DataFrame:
    part = part.with_columns(found=pl.col("text").str.extract_groups(layout.pattern)).unnest("found")
    text = pl.col("text")
    is_whole = text.str.contains(_END) | text.str.contains(_FAILED) | pl.lit(not layout.may_go_on)
    is_read = pl.col("cell").is_not_null() & pl.col("operation").is_in(TAPE) & is_whole
    local = None if layout.has_zone else local_time(pl.col("date"), layout, origin)
    part = part.with_columns(
        created_at=instant(pl.col("date"), layout, origin),
        is_doubtful=pl.lit(False) if local is None else is_repeated(local, origin.zone),
        encoding=pl.lit("text"),
        reason=pl.when(~is_read).then(pl.lit("bad_syntax")),
    )
    return shaped(part.with_columns(pl.col(NUMBERS).cast(pl.Int64, strict=False)), RAW)


def instant(text: pl.Expr, layout: Layout, origin: Origin) -> pl.Expr:
    """UTC instants of record dates.

    In the hour autumn repeats, the first pass is taken, because records are not in the order of their creation.
    """
    if layout.has_zone:
        return text.str.to_datetime(layout.date_form, strict=False, time_unit="us").dt.replace_time_zone(None)
    return to_utc(local_time(text, layout, origin), origin.zone)


def is_repeated(local: pl.Expr, zone: str) -> pl.Expr:
    """The local time occurs twice."""
    first, second = (local.dt.replace_time_zone(zone, ambiguous=a, non_existent="null") for a in ("earliest", "latest"))
    return (first != second).fill_null(False)


def local_time(text: pl.Expr, layout: Layout, origin: Origin) -> pl.Expr:
    """Record dates in the local clock; those without a year take the file's, or the year before.

    A record is older than its file or made that day; the day after is allowed for clocks that run ahead.
    """
    if layout.has_year:
        return read_stamp(text, layout.date_form)
    day = file_date(origin)
    if day is None:
        raise UnreadableFile(
            "the billing records have no year",
            "keep dCache's file names (billing-2026.03.11), or give `date` in the file's [[input]] of site.toml",
            reason="no_clock",
        )
    this, before = (
        read_stamp(pl.lit(f"{year} ") + text, f"%Y {layout.date_form}") for year in (day.year, day.year - 1)
    )
    is_late = this.is_null() | (this >= pl.datetime(day.year, day.month, day.day) + pl.duration(days=2))
    return pl.when(is_late).then(before).otherwise(this)


def written_at(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """When the other records were made, where their dates can be read: proof that billing was being written."""
    others = rows.filter(pl.col("kind").is_not_null() & ~pl.col("kind").is_in(["comment", "header", "object", *TAPE]))
    if file_date(origin) is None or not others.height:
        return others.head(0).select("line_no", at=pl.lit(None, dtype=pl.Datetime("us")))
    date = pl.col("text").str.slice(0, 14)
    return others.select("line_no", at=instant(date, storage_layout(DEFAULT), origin)).drop_nulls()
