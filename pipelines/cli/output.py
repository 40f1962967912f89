"""What the command line shows: tables, progress, errors. Text from logs is shown as it is, never obeyed."""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from pipelines.primitives.text import escape_control, escape_csv_cell, truncate

if TYPE_CHECKING:  # the command line starts without the libraries that these need
    from pipelines.answers.question import Answer
    from pipelines.catalog.contracts import Column
    from pipelines.ingest.survey import Survey

CELL_CHARS = 120
RECORD_ROWS = 3


def shown(value: Any) -> str:
    """A value for people: four significant digits, instants to the second."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return truncate(escape_control(str(value)), CELL_CHARS)


# Why nothing is gained, by what limits next; else because no work waited.
NOTHING_GAINED = {
    "link": "nothing gained, the link is full",
    "output": "nothing gained, the drives that write take no more",
}


def priced(finding: dict[str, Any]) -> str:
    """What follows a finding's name: hours, and the gain of mending it or, where none is known, the price at most."""
    hours, lost, gain = (finding[name] for name in ("lost_hours", "lost_gb_day", "gain_gb_day"))
    parts = [f"{shown(hours)} h"] if hours is not None else []
    if gain is not None:
        nothing = NOTHING_GAINED.get(finding.get("bottleneck") or "", "no work waited for it")
        return ", ".join(["", *parts, f"{shown(gain)} GB/day gained if mended" if gain else nothing])
    parts += [f"{shown(lost)} GB/day"] if lost is not None else []
    return f", at most {', '.join(parts)}" if parts else ""


def print_answer(answer: "Answer", form: str) -> None:
    """An answer as a table for people, or as CSV or JSON for programs; its notices on standard error in any form."""
    print_rows(answer.columns, answer.rows, form)
    errors = error_console()
    if form == "table":
        cut = ", cut at the limit" if answer.is_cut else ""
        period = f"; {answer.period}" if answer.period else ""
        errors.print(f"{len(answer.rows)} rows{cut}{period}; snapshot {answer.snapshot}", style="dim", highlight=False)
    for notice in answer.notices:
        errors.print(escape_control(notice), highlight=False, soft_wrap=True)


def print_rows(columns: list["Column"], rows: list[tuple[Any, ...]], form: str) -> None:
    """Rows as a table for people, or as CSV or JSON for programs."""
    names = [column.name for column in columns]
    if form == "json":
        json.dump([dict(zip(names, row, strict=True)) for row in rows], sys.stdout, default=_plain, indent=1)
        sys.stdout.write("\n")
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(escape_csv_cell, names))
        writer.writerows(map(_csv_cell, row) for row in rows)
    else:
        print_table(columns, rows)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, int | float) or value is None:
        return "" if value is None else value
    return escape_csv_cell(str(value))


def print_table(columns: list["Column"], rows: list[tuple[Any, ...]]) -> None:
    """Rows under their names and units; a few rows too wide for the terminal come as records instead."""
    names = [column.name for column in columns]  # a name ends in its unit
    out = console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, name in zip(columns, names, strict=True):
        number = column.type in ("DOUBLE", "BIGINT", "INTEGER", "HUGEINT")
        table.add_column(Text(name), justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(shown(value)) for value in row))
    width = out.measure(table, options=out.options.update(width=10_000)).maximum
    if width <= out.width or len(rows) > RECORD_ROWS or not sys.stdout.isatty():
        console(max(width, 1)).print(table, crop=False)
        return
    label = max(map(len, names))
    for row in rows:
        for name, value in zip(names, row, strict=True):
            out.print(Text(f"{name:{label}}  {shown(value)}"))
        out.print()


def print_survey(found: "Survey", out: str) -> None:
    """What a survey found, a line each, and what to do next."""
    page = console()
    for source, n in sorted(found.by_source.items()):
        page.print(f"{n:6,} {source}")
    if found.unknown:
        page.print(f"{len(found.unknown):6,} of no known kind; listed with their reasons at the end of the file")
    n_lacking = sum(bool(file.lacks) for file in found.files)
    if n_lacking:
        page.print(f"{n_lacking:6,} of these are refused as they stand; their [[input]]s there say what they lack")
    zone = found.zone.zones[0] if found.zone.zones else "unknown"
    page.print(
        f"Wrote {out}: {len(found.hosts.stations)} stations, {len(found.drives)} drives, {len(found.links)} links,"
        f" zone {zone}, {len(found.inputs)} inputs.\n"
        f"Read it and confirm what was guessed; then: tapescope run --site {out}",
        soft_wrap=True,
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def console(width: int | None = None) -> Console:
    """Standard output, without markup: what logs contain is never read as such."""
    return Console(highlight=False, markup=False, width=width)


def error_console() -> Console:
    """Standard error, without markup."""
    return Console(stderr=True, highlight=False, markup=False)


@contextmanager
def reading_bar(total_bytes: int, label: str) -> Iterator[Callable[[str, int], None]]:
    """A progress bar over bytes on a terminal; elsewhere a plain line for every tenth of the work."""
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
    """The name of what is being done now, on a terminal; elsewhere one line."""
    if not sys.stderr.isatty():
        print(label, file=sys.stderr)
        yield lambda name: None
        return
    with error_console().status(label) as status:
        yield lambda name: status.update(f"{label}: {name}")
