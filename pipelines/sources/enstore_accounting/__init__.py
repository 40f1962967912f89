"""Enstore's accounting: exports of its database tables, as CSV or as psql prints them, and a few small forms.

    date,node,pid,username,src,dst,size,rw,overall_rate,network_rate,drive_rate,volume,mover,…     header, then rows
    2010-06-15 08:01:39,stage01.example.org,4321,pro,/data/a,/pnfs/a,2119773184,w,21409626,96308302,87919872,VOL001,…

         date        |        node         | pid  | …       psql, aligned: names, rule, rows, perhaps each of them
    ---------------------+---------------------+------+ …   wrapped over several lines; or unaligned (a|b|c); or
     2010-06-15 08:01:39 | stage01.example.org | 4321 | …   expanded (-[ RECORD 1 ]-)

    06-15-2010 08:01:15 0 1808346112 0 0                    rate file: bytes in 15 s, with those of null movers

A list of one volume's files, made to migrate it to CTA, has the columns bfid, location_cookie, size, crc and pnfs_path;
its own name is the volume's: VR1234M8.csv.

The column names decide what a file is, in any order; columns with other names are left out, a missing one refuses the
file. One file may hold several tables. Clock times are local without a zone, unless an offset follows them. Request ids
hold the epoch of their start, which settles the hour that autumn repeats. Rates of 0 and -1 mean unknown. Tables,
columns and units are described in Enstore's schemas (databases/schemas) and source code.
"""

import re
from collections.abc import Callable
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import coverage_of
from pipelines.sources.enstore_accounting import forms, grid, psql, tables
from pipelines.sources.enstore_accounting.cells import typed
from pipelines.sources.enstore_accounting.grid import Section, Sheet, State
from pipelines.sources.protocol import COVERAGE, REJECTS, Carry, Claim, Origin, Parsed

TITLE = "Enstore accounting"
VERSION = 2
TABLES = tuple(sorted({table.fills for table in tables.TABLES}))
SPEAKS_FOR = "transfers"
IS_WHOLE = True

_SILENCE_US = 600 * 1_000_000
_SAMPLE_US = 1_800 * 1_000_000  # of samples taken each quarter of an hour
_DELIMITERS = {"csv": ",", "unaligned": "|"}
_READERS = {
    **{"aligned": psql.aligned, "expanded": psql.expanded},
    **{"rates": forms.rates, "listed": forms.listed, "records": forms.records},
}
_STATISTICS = re.compile(r"FORMAT VERSION: +\d+")
_HISTORY = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +(system|user)_inhibit\[\d\]")


def recognise(head: list[str]) -> Claim:
    """A table of Enstore's databases by its column names, or one of the small forms."""
    _, claim = _shape(head)
    return claim


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Rows of every table met. Raises UnreadableFile for a header that is not read."""
    state: State = dict(carry or {})
    if "shape" not in state:
        state["shape"] = _shape(list(origin.head) or lines["text"].head(200).to_list())[0]
    sheet = _read(lines, state, lambda section: typed(section, origin.zone, None)[0].height > 0)
    rejects, coverage = [REJECTS.to_frame(), *sheet.rejects], [COVERAGE.to_frame()]
    found: dict[str, list[pl.DataFrame]] = {}
    for section in sheet.sections:
        rows, bad, proof = _rows(section, origin, state)
        rejects.append(bad)
        coverage.append(proof)
        found.setdefault(_table(section).fills, []).append(rows)
    bad = pl.concat(rejects).sort("line_no")
    return Parsed.of(
        lines,
        lines.height - sheet.n_skipped - bad.height,
        bad,
        tables={name: pl.concat(frames) for name, frames in found.items()},
        coverage=pl.concat(coverage),
        carry=state,
    )


def _read(lines: pl.DataFrame, state: State, is_good: Callable[[Section], bool]) -> Sheet:
    if delimiter := _DELIMITERS.get(state["shape"]):
        return grid.delimited(lines, state, delimiter, is_good)
    if read := _READERS.get(state["shape"]):
        return read(lines, state)
    if lines.height:
        raise UnreadableFile(
            "the file has no header of a table of Enstore's databases",
            "export complete tables with their header",
            "unknown_header",
        )
    state.clear()
    return Sheet()


def _table(section: Section) -> tables.EnstoreTable:
    assert section.header.table is not None
    return section.header.table


def _rows(section: Section, origin: Origin, state: State) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """A section's rows in the order of the contract, its rejects, and the time they prove the table was kept."""
    table = _table(section)
    folds: dict[str, Any] = state.setdefault("folds", {})
    rows, rejects, fold = typed(section, origin.zone, folds.get(table.name))
    folds[table.name] = fold
    rows = rows.with_columns(system=pl.lit(origin.system, pl.String))
    if table.name == tables.FILE_LIST:
        rows = rows.with_columns(volume=pl.lit(_volume_of_name(origin.path)))
    if table.name == "mover mapping":
        day = pl.lit(origin.date, pl.Date).fill_null(pl.date(1970, 1, 1))
        rows = rows.with_columns(recorded_at=day.cast(pl.Datetime("us")))
    rows = complete(rows, table.fills)
    return rows, rejects, _coverage(rows, table, origin.system, state)


def _volume_of_name(path: str) -> str:
    """The label that a file's name begins with; raises UnreadableFile where it begins with none."""
    found = re.match(r"([A-Z][A-Z0-9]{5,7})(?![A-Za-z0-9])", path.rpartition("/")[2])
    if found is None:
        raise UnreadableFile(
            "this list of a volume's files does not name the volume",
            "use the label of the volume as the file's name, such as VR1234M8.csv",
            "unknown_header",
        )
    return found[1]


def _coverage(rows: pl.DataFrame, table: tables.EnstoreTable, system: str, state: State) -> pl.DataFrame:
    """A table is being kept from row to row, unless it is silent for ten minutes; no time, no proof."""
    known = rows.filter(pl.col(table.at).is_not_null()) if table.at else rows.clear()
    if known.is_empty():
        return pl.DataFrame(schema=COVERAGE)
    lasts: dict[str, int] = state.setdefault("lasts", {})
    last_at = lasts.get(table.name)
    until = "to_at" if table.fills.endswith(("_rate", "_daily")) else table.at
    silence = _SAMPLE_US if table.name == "drive_utilization" else _SILENCE_US
    lasts[table.name] = int(known[table.at].to_physical()[-1])
    return coverage_of(known.select("line_no", at=table.at, until=until), system, last_at, silence, "until")


# --- what a file is, from its first lines ----------------------------------------------------------------------------


def _shape(head: list[str]) -> tuple[str, Claim]:
    """The form of a file and the claim on it; the form is empty where it is not read."""
    texts = [line for line in head if line.strip()]
    if not texts:
        return "", Claim(False, 0.0, "the file is empty")
    if small := _small_form(texts):
        return small
    body = [line for line in texts if not re.match(grid.PROMPT, line)]
    for shape, cells in _headers(body):
        if header := tables.read_header(cells):
            if header.table is None:
                return "", Claim(False, 0.7, header.why)
            return shape, Claim(True, 1.0, header.why)
    return "", Claim(False, 0.0, "no header line of a table of Enstore's databases")


def _headers(body: list[str]) -> list[tuple[str, list[str]]]:
    """What may be the names of columns, by the form they would come in."""
    found: list[tuple[str, list[str]]] = []
    rule = next((place for place, line in enumerate(body) if re.match(psql.RULE, line)), None)
    if rule is not None:
        pieces = [line for line in body[rule : rule + rule] if re.match(psql.RULE, line)]
        names = psql.names_of(body[:rule], pieces)
        found.append(("aligned", names))
    if body and re.match(psql.RECORD, body[0]):
        rest = body[1:]
        end = next((place for place, line in enumerate(rest) if re.match(psql.RECORD, line)), len(rest))
        found.append(("expanded", [line.split("|")[0].strip() for line in rest[:end] if "|" in line]))
    for line in body[:3]:
        found.append(("csv", grid.split_line(line, ",")))
        found.append(("unaligned", line.split("|")))
    return found


def _small_form(texts: list[str]) -> tuple[str, Claim] | None:
    first = texts[0]
    if re.match(forms.RATE, first):
        return "rates", Claim(True, 0.9, "lines of an Enstore rate file, with date, time and four byte counts")
    if re.match(forms.LISTED, first):
        return "listed", Claim(True, 0.9, "a list of the files of an Enstore volume")
    if _STATISTICS.match(first) and any(line.startswith("DRIVE SERNO:") for line in texts):
        why = "a mover's statistics file without the time of its values"
        with_time = "the table `status` of Enstore's accounting has these values with a time"
        return "", Claim(False, 0.7, f"this is {why}; {with_time}")
    if _HISTORY.match(first):
        return "", Claim(False, 0.7, "this is the history of an Enstore volume, but it does not name the volume")
    brace = next((place for place, line in enumerate(texts[:3]) if line.startswith("{'")), None)
    if brace is None:
        return None
    text = "\n".join(texts[brace:])
    if "'external_label'" in text and ("'capacity_bytes'" in text or "'bfid'" in text):
        return "records", Claim(True, 1.0, "a record of Enstore's volume or file database")
    return None
