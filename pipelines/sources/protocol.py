"""The types that parsers take and return: Origin in, Parsed out.

A source is a module of `pipelines.sources` with `TITLE`, `recognise(head)` and `parse(lines, origin, carry)`; see
the `Source` protocol. Parsers are pure: no files, no database, no clock, no logging. The columns of what they fill
are those of the contracts in `schemas/bronze` (`_shared/contract.py`).
"""

import datetime as dt
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import polars as pl

# What the next chunk of the same file must know: plain JSON values, so that a growing file can be resumed.
Carry = dict[str, Any]
Reject = tuple[int, str, str]  # line, its text, and why

LINES = pl.Schema({"line_no": pl.Int64, "text": pl.String})
REJECTS = pl.Schema({"line_no": pl.Int64, "text": pl.String, "reason": pl.String})
_INSTANT = pl.Datetime("us")
COVERAGE = pl.Schema([("line_no", pl.Int64()), ("host", pl.String()), ("from_at", _INSTANT), ("to_at", _INSTANT)])

# Why one line was rejected.
LINE_REASONS = {
    "torn": "the last line of the file has no line end, so it may be incomplete",
    "too_long": "the line is longer than `line_kb` in site.toml allows",
    "bad_number": "a field that must be a number is not a number",
    "bad_time": "a time or date cannot be read",
    "wrong_width": "the line has more or fewer fields than the header",
    "out_of_order": "the time of the line contradicts the order of lines in the file",
    "no_header": "a data row comes before any header",
    "bad_syntax": "the line does not have the format of its log",
}
# Why a whole file was refused.
FILE_REASONS = {
    "unknown_source": "no source recognises the first lines of the file",
    "ambiguous_source": "several sources recognise the first lines of the file; `source` in its [[input]] decides",
    "unknown_header": "the header is unknown, and tapescope does not guess columns",
    "not_a_file": "not a regular file: for example a pipe, a socket, a broken link or a folder that cannot be listed",
    "not_readable": "the operating system refuses to open the file, or the file changes while it is read",
    "not_text": "not plain text: a binary file, an archive of several files, or text in UTF-16",
    "no_clock": "the rows lack a date or time, or day and month are ambiguous, and site.toml does not resolve this",
    "not_converted": "the program that converts the file to text is missing or failed",
    "broken_archive": "the compressed file is damaged",
    "internal_error": "tapescope's reader for this kind of log failed on the file, which is a bug in tapescope",
    "other_date": "the file has the same lines as another file, which was read with another date",
    "too_big": "the file becomes more than `expansion` (site.toml) times as large when it is decompressed",
}


# What a log that was being written proves, by what the `host` of its coverage names.
SPEAKS_FOR = {
    "drives": "all activity of a drive, of all drives of a tape server, or of all drives of an archive system",
    "drive_states": "states of drives at some moments",
    "mounts": "mounts of an archive system, from the first mount to the last dismount of each drive",
    "requests": "requests for files that an archive system queued",
    "transfers": "files that clients moved",
    "pools": "requests of disk pools, and the files that they recalled or flushed",
    "hosts": "load of a host, of its disks and of its network",
    "links": "traffic of a network link",
}


# Texts of notes about skipped lines; the last of these loses rows.
AVERAGES = "averages since boot"
COUNTERS = "counters since boot that only mark the start of an interval"
OTHER_SERIES = "of a series that is not read"
OTHER_PROGRAM = "of another program of the archive (such lines are read only from files that mostly consist of them)"
NO_YEAR = "without a year, which neither the file name nor `date` in site.toml gives"


# Other modules in the folder of the sources.
NO_SOURCES = {"_shared", "blocks", "packing", "protocol", "rrd"}


@cache
def source_names() -> tuple[str, ...]:
    """The stem of every source, sorted: the folder is the registry."""
    names = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return tuple(sorted(names - NO_SOURCES))


class Claim(NamedTuple):
    """Whether a source recognises a file by its first lines, and why."""

    is_match: bool
    likeness: float  # 0 to 1: how near it came, to name the nearest source of an unknown file
    why: str  # one sentence: what was found, or what is missing


@dataclass(frozen=True)
class Origin:
    """Facts about a file that its text lacks; from `site.toml`, the path pattern and the first lines."""

    path: str = ""
    place: str = ""  # its two folders and its name: part of its identity for sources with IS_NAMED_BY_PATH
    system: str = ""  # archive system whose servers wrote the log
    host: str = ""  # host a measurement was taken on
    link: str = ""  # network link a measurement belongs to
    drive: str = ""  # drive a reading is of
    zone: str = "UTC"  # of clocks that name no zone
    date: dt.date | None = None  # calendar day of the first line, local
    start_at: dt.datetime | None = None  # UTC instant of the first row, where rows carry no clock
    interval_s: float | None = None  # step of rows that carry no clock
    date_order: str = ""  # dmy or mdy: how to read a date such as 04/05/10 where the file itself does not show it
    columns: tuple[tuple[str, str], ...] = ()  # our name of a column, and its title in the file
    modified_at: dt.datetime | None = None  # UTC instant the file was last written; no part of its identity
    head: tuple[str, ...] = ()  # the file's first lines, the same for every chunk


@dataclass
class Parsed:
    """What one chunk of lines became: `n_used + n_skipped + len(rejects)` is the number of its lines.

    `tables` maps a bronze relation's name (without the layer) to its rows: the contract's columns less `file_id` and
    `day`, which the loader adds. `coverage` holds the intervals in which the log proves that it was being written; the
    loader joins those that touch. `notes` are for a person, about skipped lines: a phrase, and how many.
    """

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    n_used: int = 0
    n_skipped: int = 0
    rejects: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=REJECTS))
    coverage: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COVERAGE))
    carry: Carry = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: pl.DataFrame, n_used: int, rejects: pl.DataFrame | list[Reject], **rest: Any) -> "Parsed":
        """What a chunk became whose other lines were skipped."""
        bad = rejects if isinstance(rejects, pl.DataFrame) else pl.DataFrame(rejects, schema=REJECTS, orient="row")
        return cls(n_used=n_used, n_skipped=lines.height - n_used - bad.height, rejects=bad, **rest)

    @property
    def n_records(self) -> int:
        return sum(rows.height for rows in self.tables.values())


class Source(Protocol):
    """A module that reads one kind of log.

    VERSION goes into every file's identity: raise it when the same text gives other rows.
    TABLES names the bronze relations the source fills. SPEAKS_FOR, a key of `SPEAKS_FOR` here, is what its coverage
    proves: `drives` makes a drive's silence idle time, `mounts` that of the drive they name. Optional constants:
    IS_SNAPSHOT = True: every version of a file counts by itself; otherwise a rewritten file replaces its former rows.
    IS_WHOLE = True: files are written in one go, so that a last line without a line end is complete.
    HAS_SECRETS = True: the text of lines is kept only as far as `parse` returns it.
    CAN_BE_CUT = True: the state of the parser follows from the last 256 KiB, so that many processes read a large file.
    BLOCK_BYTES: bytes of text in a chunk, where those of `blocks` are not the best.
    """

    TITLE: str
    VERSION: int
    TABLES: tuple[str, ...]
    SPEAKS_FOR: str

    def recognise(self, head: list[str]) -> Claim:
        """Are these first lines this source's? Exactly one source may say so; none sees the file's name."""

    def parse(self, lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
        """Turn one chunk of `LINES` into records; `carry` is None for a file's first chunk.

        Cutting a file into chunks at any line gives the same rows. Raises UnreadableFile for an unknown header.
        """


def rejected(*frames: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a `reason`, in the order of their lines."""
    parts = [rows.filter(pl.col("reason").is_not_null()).select(REJECTS.names()).cast(REJECTS) for rows in frames]
    return pl.concat(parts).sort("line_no")


def first_of(otherwise: str | None = None, **labels: pl.Expr) -> pl.Expr:
    """The name of the first of these conditions that holds, such as the reason of a reject; else `otherwise`."""
    found = pl.lit(otherwise, pl.String)
    for label, condition in reversed(labels.items()):
        found = pl.when(condition).then(pl.lit(label)).otherwise(found)
    return found


def tidy_origin(values: Mapping[str, Any]) -> Origin:
    """An Origin from a mapping that may hold keys it does not know (placeholders of a path pattern)."""
    known = Origin.__dataclass_fields__
    return Origin(**{key: value for key, value in values.items() if key in known and value is not None})
