"""Output of the command line: tables, progress, errors. Text from logs is escaped, never interpreted."""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from pipelines.cli.lazy import contracts
from pipelines.cli.suggested import runnable, say
from pipelines.primitives import format
from pipelines.primitives.text import csv_text, escape_control, truncate
from pipelines.primitives.text_table import ANY_WIDTH, text_table

if TYPE_CHECKING:  # the command line starts without the libraries that these need
    from pipelines.answers.question import Answer
    from pipelines.ingest.survey import Survey

CELL_CHARS = 120
RECORD_ROWS = 3


def print_answer(answer: "Answer", form: str, all_columns: bool = True) -> None:
    """Print an answer as a table for people, or as CSV or JSON for programs; notices go to standard error.

    A table has the columns that only programs need (ids, hashes) with `all_columns`; CSV and JSON always have them.
    """
    left_out = [] if all_columns or form != "table" else [one.name for one in answer.columns if one.for_programs]
    kept = [n for n, column in enumerate(answer.columns) if column.name not in left_out]
    print_rows([answer.columns[n] for n in kept], [tuple(row[n] for n in kept) for row in answer.rows], form)
    errors = error_console()
    if form == "table":
        n_rows = format.counted(len(answer.rows), "row")
        cut = ", cut off at the row limit" if answer.is_cut else ""
        period = f"; {answer.period}" if answer.period else ""
        without = f"; --all-columns adds {', '.join(left_out)}" if left_out else ""
        errors.print(f"{n_rows}{cut}{period}; snapshot {answer.snapshot}{without}", style="dim", highlight=False)
    for notice in answer.notices:
        errors.print(escape_control(runnable(notice)), highlight=False, soft_wrap=True)


def print_rows(columns: list["contracts.Column"], rows: list[tuple[Any, ...]], form: str) -> None:
    """Print rows as a table for people, or as CSV or JSON for programs."""
    names = [column.name for column in columns]
    if form == "json":
        _print_json([dict(zip(names, row, strict=True)) for row in rows])
    elif form == "csv":
        sys.stdout.write(csv_text(names, rows))
    else:
        print_table(columns, rows)


def _print_json(value: Any) -> None:
    json.dump(value, sys.stdout, default=plain, indent=1)
    sys.stdout.write("\n")


def print_table(columns: Sequence["contracts.Column"], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as a table with units and with times in UTC.

    A table of at most 3 rows that is too wide for the terminal is shown with one value per line.
    """
    kept, cells = format.table(columns, rows)
    heads = [format.heading(column) for column in kept]
    lines = [[truncate(text, CELL_CHARS) for text in row] for row in cells]
    out = console()
    table = text_table(lines, [format.is_number(column) for column in kept], heads)
    width = out.measure(table, options=out.options.update(width=ANY_WIDTH)).maximum
    if width <= out.width or len(lines) > RECORD_ROWS or not sys.stdout.isatty():
        console(max(width, 1)).print(table, crop=False)
        return
    widest = max(map(len, heads))
    for line in lines:
        for head, text in zip(heads, line, strict=True):
            out.print(Text(f"{head:{widest}}  {text}"))
        out.print()


@dataclass(frozen=True)
class Rows:
    """A table that answers no stored question. Column names end with the unit; `hidden` columns are for programs."""

    name: str
    rows: list[dict[str, Any]]
    hidden: tuple[str, ...] = ()

    @property
    def columns(self) -> list["contracts.Column"]:
        values: dict[str, Any] = {}
        for row in self.rows:
            values |= {name: value for name, value in row.items() if values.get(name) is None}
        return [
            contracts.Column(name, _TYPES.get(type(value), "VARCHAR"), "", format.unit_of(name))
            for name, value in values.items()
        ]

    def tuples(self, columns: list["contracts.Column"]) -> list[tuple[Any, ...]]:
        return [tuple(row.get(column.name) for column in columns) for row in self.rows]


_TYPES: dict[type, str] = {float: "DOUBLE", int: "BIGINT", bool: "BOOLEAN"}


def print_parts(parts: Iterable[str | Rows], form: str) -> None:
    """Print tables and sentences for people. For programs, print only tables: as CSV the first table, as JSON a single
    table or an object with all tables by name. Sentences then go to standard error."""
    tables = []
    for part in parts:
        if isinstance(part, str):
            say(part, to_stderr=form != "table")
        elif form != "table":
            tables.append(part)
        elif part.rows:
            columns = [column for column in part.columns if column.name not in part.hidden]
            print_table(columns, part.tuples(columns))
    if form == "csv" or len(tables) == 1:
        print_rows(tables[0].columns, tables[0].tuples(tables[0].columns), form)
    elif tables:
        _print_json({table.name: table.rows for table in tables})


def print_survey(found: "Survey", out: str) -> None:
    """Print what was found in a folder of logs, one line for each kind of log, and the next step."""
    page = console()
    for source, n in sorted(found.by_source.items()):
        page.print(f"{n:6,} {source}")
    if found.unknown:
        files = "file is" if len(found.unknown) == 1 else "files are"
        text = f"{len(found.unknown):6,} {files} of an unknown kind; the end of site.toml lists each with its reason"
        page.print(text, soft_wrap=True)
    n_lacking = sum(bool(file.lacks) for file in found.files)
    if n_lacking:
        files = "file of a known kind needs" if n_lacking == 1 else "files of known kinds need"
        text = f"{n_lacking:6,} {files} further keys; [[input]] entries in site.toml name the missing keys"
        page.print(text, soft_wrap=True)
    if n_shared := sum(len(drive.systems) > 1 for drive in found.drives.values()):
        drives = "drive name occurs" if n_shared == 1 else "drive names occur"
        text = f"{n_shared:6,} {drives} in several archives; one site.toml treats equal names as one drive"
        page.print(text, soft_wrap=True)
    zone = found.zone.zones[0] if found.zone.zones else "unknown"
    n_links = sum(bool(link.station) for link in found.links.values())
    n_more = len(found.links) - n_links
    more = f" ({n_more} more as {'a comment' if n_more == 1 else 'comments'}: name the station)" if n_more else ""
    page.print(
        f"Wrote {out}: {format.counted(len(found.hosts.stations), 'station')},"
        f" {format.counted(len(found.drives), 'drive')}, {format.counted(n_links, 'link')}{more}, zone {zone},"
        f" {format.counted(len(found.inputs), 'input')}.\n"
        f"Check the guesses in this file, then run: tapescope run --site {shlex.quote(out)}",
        soft_wrap=True,
    )


def plain(value: Any) -> str:
    """Text for a value that JSON cannot represent."""
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def console(width: int | None = None) -> Console:
    """A console for standard output, without markup, because text from logs is never interpreted."""
    return Console(highlight=False, markup=False, width=width)


def error_console() -> Console:
    """A console for standard error, without markup."""
    return Console(stderr=True, highlight=False, markup=False)


@contextmanager
def reading_bar(total_bytes: int, label: str) -> Iterator[Callable[[str, int], None]]:
    """Show a progress bar over bytes on a terminal; elsewhere print a line for every tenth of the work."""
    if not sys.stderr.isatty():
        yield _plain_lines(total_bytes, label)
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task(label, total=total_bytes or None)
        yield lambda name, size: bar.update(task, advance=size, description=f"{label} {escape_control(name)[-40:]}")


def _plain_lines(total_bytes: int, label: str) -> Callable[[str, int], None]:
    state = {"done": 0, "tenth": 0}

    def advance(name: str, size: int) -> None:
        state["done"] += size
        tenth = 10 * state["done"] // max(total_bytes, 1)
        if tenth > state["tenth"]:
            state["tenth"] = tenth
            print(f"{label}: {min(10 * tenth, 100)} % ({escape_control(name)})", file=sys.stderr)

    return advance


@contextmanager
def step_spinner(label: str) -> Iterator[Callable[[str], None]]:
    """Show the name of the current work on a terminal; elsewhere print one line."""
    if not sys.stderr.isatty():
        print(label, file=sys.stderr)
        yield lambda name: None
        return
    with error_console().status(label) as status:
        yield lambda name: status.update(f"{label}: {name}")
