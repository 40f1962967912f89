"""Table SUMMARY of IBM's tape archiver TSM (Storage Protect): mounts, sessions of clients and processes of the server.

    2024-03-05 10:20:40.000000,2024-03-05 10:31:02.000000,TAPE MOUNT,0,,,,,0,0,0,0,,,,,0,0,0,YES,A00017L8,DRIVE01 (…
    2024-03-05 10:20:00.000000,2024-03-05 10:30:00.000000,RETRIEVE,5103,POOL,Tcp/Ip,h:41234,,9,9,0,60000000000,,,,,8,91…

What `dsmadmc -dataonly=yes -comma "select * from summary"` prints, or with `-tabdelimited`: 26 columns without a
header, begin and end of each in the server's local time. A mount's row is written when the tape is dismounted; it has
no bytes, and sessions name no drive. What had not ended when the row was written ends in 1900. Columns as in a real
dump of 2021; the server keeps rows for some weeks, so exports overlap: silver takes each row once.

Other columns, in any order, are read where the first line names them as the table does:

    START_TIME,END_TIME,ACTIVITY,VOLUME_NAME,DRIVE_NAME

START_TIME and ACTIVITY must be among them. A choice of columns without such a line is refused: nothing names them.
"""

from typing import Any

import polars as pl

from pipelines.primitives.clock import to_utc
from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.coverage import reached
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated, read_stamp, second_pass
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "TSM summary table"
VERSION = 2
TABLE = "tsm_summary"
TABLES = (TABLE,)
SPEAKS_FOR = "mounts"
CAN_BE_CUT = True
IS_WHOLE = True

_STAMP = r'"?[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}"?'
_LINE = rf'^{_STAMP}[,\t]{_STAMP}[,\t]"?[A-Z][A-Z_ ]{{2,40}}"?[,\t][0-9]*[,\t]'
_COLUMNS = [
    *("START_TIME", "END_TIME", "ACTIVITY", "NUMBER", "ENTITY", "COMMMETH", "ADDRESS", "SCHEDULE_NAME", "EXAMINED"),
    *(
        "AFFECTED",
        "FAILED",
        "BYTES",
        "BYTES_PROTECTED",
        "BYTES_WRITTEN",
        "DEDUP_SAVINGS",
        "COMP_SAVINGS",
        "IDLE",
        "MEDIAW",
    ),
    *(
        "PROCESSES",
        "SUCCESSFUL",
        "VOLUME_NAME",
        "DRIVE_NAME",
        "LIBRARY_NAME",
        "LAST_USE",
        "COMM_WAIT",
        "NUM_OFFSITE_VOLS",
    ),
]
_WIDTH = len(_COLUMNS)
_HEADER = r'^"?[A-Z_]{2,30}"?(?:[,\t]"?[A-Z_]{2,30}"?)+$'
_NEEDED = {"START_TIME", "ACTIVITY"}
_MOST_CHARS = 300
_DRIVE = r"^(?P<drive>\S.*?)(?: \((?P<device>[^()]*)\))?$"
_WORDS = {
    **{"activity": "ACTIVITY", "entity": "ENTITY", "address": "ADDRESS", "schedule": "SCHEDULE_NAME"},
    **{"volume": "VOLUME_NAME", "library": "LIBRARY_NAME", "last_use": "LAST_USE"},
}
_NUMBERS = {
    **{"number": "NUMBER", "n_examined": "EXAMINED", "n_affected": "AFFECTED", "n_failed": "FAILED", "bytes": "BYTES"},
    **{"idle_s": "IDLE", "media_wait_s": "MEDIAW", "n_processes": "PROCESSES", "network_wait_s": "COMM_WAIT"},
}
# some locales print 32426,00
_NUMBER = r"^(-?\d{1,18})(?:[.,]\d{1,2})?$"
_START: Carry = {"fold": None, "hosts": {}}


def recognise(head: list[str]) -> Claim:
    """Two stamps with microseconds, an activity in capitals and a number, in 26 columns; or the names of columns."""
    texts = filled(head)
    if (named := _named_columns(head)) is not None:
        return Claim(True, 1.0, f"the first line names {len(named)} columns of TSM's table SUMMARY")
    rows, share = texts.filter(texts.str.contains(_LINE)), share_of(texts, _LINE)
    n_whole = int((_cells(rows).list.len() == _WIDTH).sum()) if len(rows) else 0
    if share >= 0.5 and n_whole * 2 > len(rows):
        return Claim(True, share, f"{n_whole} rows of TSM's table SUMMARY")
    if len(rows):
        return Claim(
            False,
            0.5,
            f"rows like those of TSM's table SUMMARY, but most lack some of the {_WIDTH}"
            " columns, and no header names the columns",
        )
    return Claim(False, 0.0, "no line has start time, end time, activity and number, as in TSM's table SUMMARY")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Rows of the table."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    rows = lines.filter(pl.col("text").str.strip_chars() != "")
    named = _named_columns(list(origin.head))
    columns = named or _COLUMNS
    if named is not None:
        rows = rows.filter(~pl.col("text").str.contains(_HEADER))
    rows = rows.with_columns(cells=_cells(rows["text"]))
    rows = rows.with_columns(
        local=read_stamp(_cell("START_TIME", columns).str.head(19)), end_text=_cell("END_TIME", columns).str.head(19)
    )
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    is_like = pl.col("text").str.contains(_LINE) if named is None else pl.col("cells").is_not_null()
    stamped = _read(stamped.rename({"at": "started_at"}), origin, columns, is_like)
    bad_time = rows.filter(pl.col("local").is_null())
    bad_time = bad_time.with_columns(reason=_why(pl.lit("bad_time"), len(columns), is_like))
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


def _named_columns(head: list[str]) -> list[str] | None:
    """The columns that a file's first line names; None where it names none of the table."""
    first = next((line for line in head if line.strip()), "")
    names = [name.strip(' "') for name in first.strip().replace("\t", ",").split(",")]
    is_known = len(names) == len(set(names)) and _NEEDED <= set(names) <= set(_COLUMNS)
    return names if is_known else None


def _cell(name: str, columns: list[str]) -> pl.Expr:
    """The text of a column; empty where the file has no such column."""
    if name not in columns:
        return pl.lit("")
    cell = pl.col("cells").list.get(columns.index(name), null_on_oob=True)
    return cell.str.strip_chars().str.head(_MOST_CHARS)


def _why(otherwise: pl.Expr, most: int, is_like: pl.Expr) -> pl.Expr:
    """Why a line is not a row; `otherwise` if it has the right width."""
    width = pl.col("cells").list.len()
    return pl.coalesce(first_of(bad_syntax=~is_like, wrong_width=(width != most).fill_null(True)), otherwise)


def _read(rows: pl.DataFrame, origin: Origin, columns: list[str], is_like: pl.Expr) -> pl.DataFrame:
    cell = {name: _cell(name, columns) for name in _COLUMNS}
    is_open = pl.col("end_text").str.starts_with("1900-01-01")
    end = read_stamp(pl.col("end_text"))
    ended = to_utc(end, origin.zone)
    # in the hour that autumn repeats: the second pass, if the first would be before the start
    later = second_pass(end, origin.zone)
    ended = pl.when(ended >= pl.col("started_at")).then(ended).when(later >= pl.col("started_at")).then(later)
    rows = rows.with_columns(
        **{name: pl.when(cell[place] != "").then(cell[place]) for name, place in _WORDS.items()},
        **{name: cell[place].str.extract(_NUMBER).cast(pl.Int64, strict=False) for name, place in _NUMBERS.items()},
        is_successful=pl.when(cell["SUCCESSFUL"].is_in(["YES", "NO"])).then(cell["SUCCESSFUL"] == "YES"),
        ended_at=pl.when(~is_open).then(ended),
        system=pl.lit(origin.system or origin.host),
    ).with_columns(cell["DRIVE_NAME"].str.extract_groups(_DRIVE).struct.unnest())
    is_bad_number = pl.any_horizontal(
        pl.col(name).is_null() & (cell[place] != "") for name, place in _NUMBERS.items()
    ) | pl.any_horizontal((pl.col(name) < 0).fill_null(False) for name in _NUMBERS)
    has_no_end = ~is_open & pl.col("ended_at").is_null() & pl.lit("END_TIME" in columns)
    doubt = pl.when(has_no_end).then(pl.lit("bad_time")).when(is_bad_number).then(pl.lit("bad_number"))
    return rows.with_columns(reason=_why(doubt, len(columns), is_like))


def _cells(texts: pl.Series) -> pl.Series:
    """Fields of each line, by comma or tab; NULL where quotes do not close."""
    by_tab = texts.str.contains(rf"^{_STAMP}\t")
    by_comma = cells(texts, ",")
    if not by_tab.any():
        return by_comma
    return pl.select(pl.when(by_tab).then(cells(texts, "\t")).otherwise(by_comma)).to_series()


def _coverage(rows: pl.DataFrame, known: dict[str, int]) -> tuple[pl.DataFrame, dict[str, int]]:
    """The system is covered from the earliest start to the latest end: the table has all that the server did then.

    Each drive is covered from its first mount to its last dismount. A row comes after the dismount, so that later on
    the drive may hold a tape that the table does not have yet.
    """
    times = {"from_at": pl.col("started_at"), "to_at": pl.col("ended_at")}
    mounts = rows.filter(pl.col("activity") == "TAPE MOUNT")
    spans = [
        frame.select("line_no", pl.col(name).alias("host"), **times)
        for frame, name in ((rows, "system"), (mounts, "drive"))
    ]
    return reached(pl.concat(spans), known)
