"""The results for people (a table on the terminal) and for documents (Markdown)."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.table import Table

from benchmarks.aims import Aim
from benchmarks.inputs import MB
from benchmarks.measure import Result

COLUMNS = ("what", "input", "MB", "s (min–max)", "CPU s", "MB/s", "rows", "rows/s", "peak MB")
PACKAGES = ("polars", "duckdb", "duckdb-extension-ducklake", "jc")


def machine() -> str:
    """What the figures were measured on."""
    packages = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    system = f"{platform.system()} {platform.machine()}"
    cores = os.cpu_count()
    return (
        f"{cores} cores, {system}, Python {platform.python_version()}, {packages};"
        f" load average after the measurements {load:.1f}"
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def cells(result: Result) -> tuple[str, ...]:
    """One result as texts, in the order of COLUMNS."""
    return (
        result.task.title,
        result.task.path.name,
        f"{result.n_bytes / MB:,.1f}",
        f"{result.seconds:.2f} ({result.fastest:.2f}–{result.slowest:.2f})",
        f"{result.cpu_s:.2f}",
        f"{result.mb_s:,.1f}",
        f"{result.n_rows:,}",
        f"{result.rows_s:,.0f}",
        f"{result.peak_bytes / MB:,.0f}",
    )


def show(console: Console, results: Sequence[Result], aims: Sequence[Aim]) -> None:
    """Both tables on the terminal, each in the width it needs."""
    table = Table(*COLUMNS, title="medians; each repetition ran in a new process")
    for column in table.columns[2:]:
        column.justify = "right"
    for result in results:
        table.add_row(*cells(result))
    console.print(table)
    verdicts = Table("aim", "this run", "", title="aims")
    for aim in aims:
        verdicts.add_row(aim.requirement, aim.got, aim.verdict)
    console.print(verdicts)


def markdown(results: Sequence[Result], aims: Sequence[Aim]) -> str:
    """The same for a document."""
    lines = [line(COLUMNS), line(["---"] * 2 + ["---:"] * (len(COLUMNS) - 2))]
    lines += [line(cells(result)) for result in results]
    return "\n".join([*lines, "", *aims_lines(aims), "", machine()])


def aims_lines(aims: Sequence[Aim]) -> list[str]:
    """Aims as lines of a table of a document."""
    head = [line(("aim", "this run", "")), line(["---"] * 3)]
    return head + [line((aim.requirement, aim.got, aim.verdict)) for aim in aims]


def line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
