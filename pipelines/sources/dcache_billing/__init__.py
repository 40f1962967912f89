"""Billing of dCache: what pools sent to tape and fetched from it, and what clients then read, as text, JSON or a dump.

    ## storage-info-message $date$ [$cellType$:$cellName$:$type$] [$pnfsid$,$filesize$] [$path$] …
    03.11 06:49:36 [pool:w3@w3Domain:store] [0000A1,84344446] [/pnfs/x/f] cms:raw@osm 6339699 29385 {0:""}
    03.11 06:59:50 [pool:r1@r1Domain:restore] [0000B2,4291478280] [/pnfs/x/g] cms:raw@osm 1294154 0 {0:""}

Written by dCache's billing service (classes BillingCell, StorageInfoMessage, NearlineStorageHandler): files
`billing-YYYY.MM.DD`; `billing-error-YYYY.MM.DD` repeats what failed; with `billing.format.json` one object a line; the
same records in the database table `storageinfo`, here as a CSV dump with its header. A text file's own `##` headers
give the layout; without them the default one holds; a header that names an unknown field refuses the file. Movers' text
is read in the default layout only, because it shows who read a file that was fetched from tape. Movers in other
layouts, doors, removals, hits and warnings are recognised and skipped.

    03.11 07:02:11 [pool:r1:transfer] [0000B2,42914] [/pnfs/x/g] cms:raw@osm 42914 81 false {GFtp-2.0 …} [door:…] {0:""}

**These are latencies, no drive rates**: the time a pool waited for a file, which includes the tape system's queue,
mount and positioning. Note:

* The date is the creation of the request; the line is written at its end, into that day's file. The date has no year:
  the year is that of the file's name, or the year before where the day would be in the future.
* `transferTime` counts from activation to the end. `queuingTime`, from creation to activation, is never written for a
  restore (it reads 0): so its queue and its start are unknown, and `ended_at` is the earliest possible end.
* A request that ended before it was started has an epoch for `transferTime`: both times are unknown, and its end is
  that epoch.
* In the hour that autumn repeats a text record may be an hour later than its row: `note` marks it.
* The message of a failure has the lines that the tape system's script printed: the first one is kept.
* A store may be logged twice, with rc 0 and rc 666; silver keeps the good one.
* dCache 11.2 writes many records twice or more (issue 8008). A mover's line holds the transaction of its door, so one
  that is equal to a line shortly above it is skipped; silver joins equal tape records.
"""

import polars as pl

from pipelines.sources._shared.contract import no_rows
from pipelines.sources._shared.coverage import so_far
from pipelines.sources.dcache_billing import movers, objects, requests
from pipelines.sources.dcache_billing.foreign import foreign
from pipelines.sources.dcache_billing.layout import KINDS, PREFIX
from pipelines.sources.dcache_billing.text import classify, file_date, tape_records, written_at
from pipelines.sources.protocol import COVERAGE, NO_YEAR, Carry, Claim, Origin, Parsed, rejected

TITLE = "dCache billing"
VERSION = 4
TABLES = (requests.TABLE, movers.TABLE)
SPEAKS_FOR = "pools"

_HEADER = r"^##\s+[\w-]+-message\s.*\$date[$;]"
_REPEATED = "records of movers that repeat a line shortly above (dCache 11.2 writes some records more than once)"
_NEAR_LINES = 100
_OBJECT = rf'^\{{.*"msgType"\s*:\s*"(?:{"|".join(KINDS)})"'
_START: Carry = {
    "dump": None,  # delimiter and columns, if the file is a dump
    "is_begun": False,  # a line that is not blank has been met
    "storage": None,  # layout of tape records, of the last header
    "others": [],  # layouts of other records
    "is_open": False,  # the message of the last record goes on in the next line
    "recent": [],  # movers' lines among the last ones: number and hash
    "last_us": None,  # the latest instant met: billing was being written until then
}


def recognise(head: list[str]) -> Claim:
    """Billing lines or their headers, billing objects, or the header of a dump of `storageinfo`."""
    texts = [line for line in head if line.strip()]
    if texts and objects.header_of(texts[0]):
        return Claim(True, 1.0, "the header of a dump of dCache's table storageinfo")
    lines = pl.Series(texts, dtype=pl.String)
    n_headers = int(lines.str.contains(_HEADER).sum())
    n_records = int((lines.str.contains(PREFIX) | lines.str.contains(_OBJECT)).sum())
    if n_headers or n_records:
        share = (n_headers + n_records) / len(texts)
        if n_headers or share >= 0.5:
            return Claim(True, max(share, 0.6), f"{n_headers} headers and {n_records} records of dCache's billing")
        return Claim(False, 0.5, "some lines of dCache's billing, but most lines are something else")
    if what := foreign(texts):
        return Claim(False, 0.7, f"this is {what}")
    return Claim(False, 0.0, "no line is a record of dCache's billing (date and [cell:name:kind]) or its header (##)")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Tape requests; raises UnreadableFile for a layout it does not know, or for records whose year is unknown."""
    state: Carry = {**_START, **(carry or {})}
    if state["is_begun"] is False and (begin := lines.filter(pl.col("text").str.strip_chars() != "").head(1)).height:
        header = objects.header_of(begin["text"][0])
        state.update(is_begun=True, dump=list(header) if header else None)
        if header:
            return _parse_dump(lines, int(begin["line_no"][0]), origin, state)
    return _parse_dump(lines, None, origin, state) if state["dump"] else _parse_log(lines, origin, state)


def _parse_dump(lines: pl.DataFrame, header_line: int | None, origin: Origin, state: Carry) -> Parsed:
    delimiter, names = state["dump"]
    rows = lines.filter(pl.col("text").str.strip_chars() != "")
    if header_line is not None:
        rows = rows.filter(pl.col("line_no") > header_line)
    records, rejects = requests.finish(objects.from_dump(rows, delimiter, names, origin.zone), origin.system, False)
    return Parsed.of(
        lines,
        records.height + (header_line is not None),
        rejects,
        tables={requests.TABLE: records, movers.TABLE: no_rows(movers.TABLE)},
        carry=state,
    )


def _parse_log(lines: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    rows = classify(lines, state)
    is_copy = "billing-error" in origin.path
    objected = objects.from_json(rows.filter(kind="object").select("line_no", "text"), origin.zone)
    raw = pl.concat([tape_records(rows, origin), objected]).sort("line_no")
    records, rejects = requests.finish(raw, origin.system, is_copy)
    new, n_repeated = _without_repeats(rows.head(0) if is_copy else rows, state)
    moved = movers.mover_records(new, origin)
    junk = rows.filter(pl.col("kind").is_null()).with_columns(reason=pl.lit("bad_syntax"))
    proof = written_at(rows, origin)
    return Parsed.of(
        lines,
        records.height + moved.height + rows.filter(kind="header").height,
        rejected(rejects, junk),
        tables={requests.TABLE: records, movers.TABLE: moved},
        coverage=pl.DataFrame(schema=COVERAGE) if is_copy else _coverage(records, proof, origin.system, state),
        carry=state,
        notes={
            NO_YEAR: 0 if is_copy or file_date(origin) is not None else rows.filter(kind="transfer").height,
            _REPEATED: n_repeated,
        },
    )


def _without_repeats(rows: pl.DataFrame, state: Carry) -> tuple[pl.DataFrame, int]:
    """The movers' lines that are not equal to one of the lines shortly above, and how many are. `state` moves on."""
    moved = rows.filter(kind="transfer").with_columns(mark=pl.col("text").hash())
    before = pl.DataFrame(state["recent"], schema={"line_no": pl.Int64, "mark": pl.UInt64}, orient="row")
    seen = pl.concat([before, moved.select(before.columns)])
    distance = pl.col("line_no") - pl.col("line_no").shift(1).over("mark")
    is_repeat = seen.select((distance <= _NEAR_LINES).fill_null(False)).to_series().slice(before.height)
    last = pl.lit(rows["line_no"].max() if rows.height else 0)
    state["recent"] = [list(row) for row in seen.filter(pl.col("line_no") > last - _NEAR_LINES).rows()]
    return moved.filter(~is_repeat).select(rows.columns), int(is_repeat.sum())


def _coverage(records: pl.DataFrame, others: pl.DataFrame, system: str, state: Carry) -> pl.DataFrame:
    """From the first instant of the file to the latest so far: a service that writes at each event, in one file."""
    ends = records.filter(pl.col("ended_at").is_not_null()).select("line_no", at="ended_at")
    proof = pl.concat([ends, others]).sort("line_no")
    found, state["last_us"] = so_far(proof, system, state["last_us"])
    return found
