"""Table SUMMARY of IBM's tape archiver TSM (Storage Protect): mounts, sessions of clients and processes of the server.

    2024-03-05 10:20:40.000000,2024-03-05 10:31:02.000000,TAPE MOUNT,0,,,,,0,0,0,0,,,,,0,0,0,YES,A00017L8,DRIVE01 (…
    2024-03-05 10:20:00.000000,2024-03-05 10:30:00.000000,RETRIEVE,5103,POOL,Tcp/Ip,h:41234,,9,9,0,60000000000,,,,,8,91…

What `dsmadmc -dataonly=yes -comma "select * from summary"` prints, or with `-tabdelimited`: 26 columns without a
header, begin and end of each in the server's local time. A mount's row is written when the tape is dismounted; it has
no bytes, and sessions name no drive. What had not ended when the row was written ends in 1900. Releases with other
columns, and choices of columns, are refused: nothing names them. Columns as in a real dump of 2021; the server keeps
rows for some weeks, so exports overlap: silver takes each row once.
"""

from typing import Any

import polars as pl

from pipelines.primitives.clock import to_utc
from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.coverage import reached
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated, read_stamp, second_pass
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "TSM summary table"
VERSION = 2
TABLE = "tsm_summary"
TABLES = (TABLE,)
SPEAKS_FOR = "mounts"
IS_WHOLE = True

_STAMP = r'"?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}"?'
_LINE = rf'^{_STAMP}[,\t]{_STAMP}[,\t]"?[A-Z][A-Z_ ]{{2,40}}"?[,\t]\d*[,\t]'
_WIDTH = 26
_MOST_CHARS = 300
_DRIVE = r"^(?P<drive>\S.*?)(?: \((?P<device>[^()]*)\))?$"
_WORDS = {"activity": 2, "entity": 4, "address": 6, "schedule": 7, "volume": 20, "library": 22, "last_use": 23}
_NUMBERS = {
    **{"number": 3, "n_examined": 8, "n_affected": 9, "n_failed": 10, "bytes": 11},
    **{"idle_s": 16, "media_wait_s": 17, "n_processes": 18, "network_wait_s": 24},
}
_START: Carry = {"fold": None, "hosts": {}}


def recognise(head: list[str]) -> Claim:
    """Two stamps with microseconds, an activity in capitals and a number, in 26 columns."""
    texts = filled(head)
    rows, share = texts.filter(texts.str.contains(_LINE)), share_of(texts, _LINE)
    n_whole = int((_cells(rows).list.len() == _WIDTH).sum()) if len(rows) else 0
    if share >= 0.5 and n_whole * 2 > len(rows):
        return Claim(True, share, f"{n_whole} rows of TSM's table SUMMARY")
    if len(rows):
        return Claim(False, 0.5, f"rows like those of TSM's table SUMMARY, but most have not its {_WIDTH} columns")
    return Claim(False, 0.0, "no line is begin, end, activity and number, as in TSM's table SUMMARY")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Rows of the table."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    rows = lines.filter(pl.col("text").str.strip_chars() != "")
    rows = rows.with_columns(cells=_cells(rows["text"]))
    cell = pl.col("cells").list
    rows = rows.with_columns(
        local=read_stamp(cell.get(0, null_on_oob=True).str.head(19)),
        end_text=cell.get(1, null_on_oob=True).str.head(19),
    )
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    stamped = _read(stamped.rename({"at": "started_at"}), origin)
    bad_time = rows.filter(pl.col("local").is_null()).with_columns(reason=_why(pl.lit("bad_time")))
    good = fitted(stamped.filter(pl.col("reason").is_null()), TABLE)
    coverage, hosts = _coverage(good, memory["hosts"])
    return Parsed.of(
        lines,
        good.height,
        rejected(stamped, bad_time),
        tables={TABLE: good},
        coverage=coverage,
        carry={"fold": fold, "hosts": hosts},
    )


def _why(otherwise: pl.Expr) -> pl.Expr:
    """Why a row is none; of the right width `otherwise`."""
    is_like = pl.col("text").str.contains(_LINE)
    width = pl.col("cells").list.len()
    return (
        pl.when(~is_like)
        .then(pl.lit("bad_syntax"))
        .when((width != _WIDTH).fill_null(True))
        .then(pl.lit("wrong_width"))
        .otherwise(otherwise)
    )


def _read(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    fields = pl.col("cells").list
    cell = {
        place: fields.get(place, null_on_oob=True).str.strip_chars().str.head(_MOST_CHARS) for place in range(_WIDTH)
    }
    is_open = pl.col("end_text").str.starts_with("1900-01-01")
    end = read_stamp(pl.col("end_text"))
    ended = to_utc(end, origin.zone)
    # in the hour that autumn repeats the second pass, where the first would lie before the begin
    later = second_pass(end, origin.zone)
    ended = pl.when(ended >= pl.col("started_at")).then(ended).when(later >= pl.col("started_at")).then(later)
    rows = rows.with_columns(
        **{name: pl.when(cell[place] != "").then(cell[place]) for name, place in _WORDS.items()},
        **{name: cell[place].str.to_integer(strict=False, dtype=pl.Int64) for name, place in _NUMBERS.items()},
        is_successful=pl.when(cell[19].is_in(["YES", "NO"])).then(cell[19] == "YES"),
        ended_at=pl.when(~is_open).then(ended),
        system=pl.lit(origin.system or origin.host),
    ).with_columns(cell[21].str.extract_groups(_DRIVE).struct.unnest())
    is_bad_number = pl.any_horizontal(
        pl.col(name).is_null() & (cell[place] != "") for name, place in _NUMBERS.items()
    ) | pl.any_horizontal((pl.col(name) < 0).fill_null(False) for name in _NUMBERS)
    has_no_end = ~is_open & pl.col("ended_at").is_null()
    doubt = pl.when(has_no_end).then(pl.lit("bad_time")).when(is_bad_number).then(pl.lit("bad_number"))
    return rows.with_columns(reason=_why(doubt))


def _cells(texts: pl.Series) -> pl.Series:
    """Fields of each line, by comma or tab; NULL where quotes do not close."""
    by_tab = texts.str.contains(rf"^{_STAMP}\t")
    by_comma = cells(texts, ",")
    if not by_tab.any():
        return by_comma
    return pl.select(pl.when(by_tab).then(cells(texts, "\t")).otherwise(by_comma)).to_series()


def _coverage(rows: pl.DataFrame, known: dict[str, int]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Of the system from the earliest begin to the latest end: what the server did in between stands in the table.

    Of each drive from its first mount to its last dismount: a row comes after the dismount, so that later on the drive
    may hold a tape that the table does not have yet.
    """
    times = {"from_at": pl.col("started_at"), "to_at": pl.col("ended_at")}
    mounts = rows.filter(pl.col("activity") == "TAPE MOUNT")
    spans = [
        frame.select("line_no", pl.col(name).alias("host"), **times)
        for frame, name in ((rows, "system"), (mounts, "drive"))
    ]
    return reached(pl.concat(spans), known)
