"""What the Enstore client encp prints on the terminal: rates of each file, totals, the data access layer, steps.

    Transfer /data/raw_1.dat -> /pnfs/raw/raw_1.dat:
            2119773184 bytes copied to VOL001 at 91.8 MB/S
            (91.8 MB/S network) (83.8 MB/S drive) (91.8 MB/S disk)
            (20.4 MB/S overall) (91.8 MB/S transfer)
            drive_id=ULTRIUM-TD4 drive_sn=1310000001 drive_vendor=HP
            mover=LTO4_01.mover media_changer=STK.media_changer   elapsed=102.46
    Completed transferring 2119773184 bytes in 1 files in 102.460285 sec.
            Overall rate = 20.4 MB/sec.  Transfer rate = 91.8 MB/sec.

Older versions print fewer rates and other line breaks. With the option for the data access layer a block of KEY=VALUE
lines follows. In 1998 `encp --list` reported its waits step by step. MB is 2²⁰ bytes. There is no clock: the rows get
the instant, or the start of the day, that site.toml or the path gives. Small files, read line by line. Described in the
source code of Enstore (encp.py).
"""

import re

import polars as pl

from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.enstore import ACCESS_KEYS, CTIME, reported_at
from pipelines.sources.encp_console.reader import TABLES as TABLES
from pipelines.sources.encp_console.reader import Reader
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed

TITLE = "encp console output"
VERSION = 1
SPEAKS_FOR = "transfers"
CAN_BE_CUT = True
IS_WHOLE = True

_SIGNS = (
    (re.compile(r"Transfer (?>.+? -> ).+:"), 1),
    (re.compile(r"(?:Completed|Error after) transferring \d+ bytes in \d+ files? in "), 1),
    (re.compile(rf"(?:{'|'.join(ACCESS_KEYS)})="), 4),
    (re.compile(r".* cum= *\d"), 3),
)
_LOG_LINE = re.compile(CTIME)


def recognise(head: list[str]) -> Claim:
    """A line encp begins an account with, or several of its KEY=VALUE or step lines."""
    texts = [line for line in head if line.strip()]
    if 5 * sum(_LOG_LINE.match(line) is not None for line in texts) >= max(len(texts), 1):
        return Claim(False, 0.2, "a log with time stamps, not the output of encp alone")
    for sign, least in _SIGNS:
        n_found = sum(sign.match(line) is not None for line in texts)
        if n_found >= least:
            return Claim(True, min(1.0, 0.5 + n_found / len(texts)), f"{n_found} lines as encp prints them")
    return Claim(False, 0.0, "no line looks like a line that encp prints about a transfer")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk; a file's account that goes on in the next one is carried."""
    reader = Reader(carry)
    for line_no, text in lines.select("line_no", "text").iter_rows():
        reader.read(line_no, text)
    common = {
        "system": pl.lit(origin.system),
        "host": pl.lit(origin.host or origin.system),
        "reported_at": reported_at(origin, "the output") if lines.height else pl.lit(None, pl.Datetime("us")),
    }
    return Parsed.of(
        lines,
        reader.n_used,
        reader.rejects,
        tables={
            table: pl.DataFrame(rows, schema=schema_of(table)).with_columns(**common)
            for table, rows in reader.rows.items()
        },
        carry=reader.open,
    )
