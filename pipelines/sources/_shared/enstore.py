"""What the logs of Enstore's servers and tools share: the C library's time stamp, and when a log was being written."""

import ast
import re
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources.protocol import Origin

# `Tue Jun  5 08:00:00 2010`, 24 characters, the day padded with a blank.
CTIME = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-3][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [12][0-9]{3}"
CTIME_LENGTH = 24

BFID = r"[A-Z][A-Z0-9]*?[0-9]{14,}"  # a file's id: its system, the epoch of its birth, a counter
# The lines of encp's data access layer, and their columns.
ACCESS_KEYS = {
    "INFILE": "source_path",
    "OUTFILE": "target_path",
    "FILESIZE": "file_bytes",
    "LABEL": "volume",
    "LOCATION": "file_number",
    "DRIVE": "device",
    "DRIVE_SN": "drive_serial",
    "TRANSFER_TIME": "transfer_s",
    "SEEK_TIME": "seek_s",
    "MOUNT_TIME": "mount_s",
    "QWAIT_TIME": "queue_s",
    "TIME2NOW": "total_s",
    "CRC": "checksum",
    "STATUS": "status",
}
_LONG = re.compile(r"(?<=\d)L(?=\s*[,)}\]])")

_EARLIEST, _LATEST = pl.datetime(1990, 1, 1), pl.datetime(2100, 1, 1)


def reported_at(origin: Origin, what: str) -> pl.Expr:
    """The instant, or else the day, of output that has no clock. Raises UnreadableFile if neither is given."""
    if origin.start_at is None and origin.date is None:
        hint = "put the date into the file names and {date} into the glob, or give `date` in the [[input]] of site.toml"
        raise UnreadableFile(f"{origin.path or what} has no date", hint, "no_clock")
    at = origin.start_at.replace(tzinfo=None) if origin.start_at else origin.date
    return pl.lit(at).cast(pl.Datetime("us"))


def read_ctime(text: pl.Expr) -> pl.Expr:
    """The local time at the start of a line; null for other text, or a year before Enstore wrote logs."""
    local = text.str.slice(4, CTIME_LENGTH - 4).str.to_datetime("%b %e %H:%M:%S %Y", strict=False, time_unit="us")
    return pl.when(local.is_between(_EARLIEST, _LATEST)).then(local)


def printed_dict(text: str) -> dict[str, Any] | None:
    """A dictionary as Python 2 prints it, long integers with their L; None for anything else."""
    try:
        value = ast.literal_eval(_LONG.sub("", text.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
