"""How long the pages' answers take: `python -m benchmarks.pages`, on the sample archive and on a year drawn for it."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from benchmarks import year
from benchmarks.aims import Aim, judge_pages
from benchmarks.measure import REPO, PageResult
from benchmarks.tables import aims_lines, line
from pipelines import steps
from pipelines.config.site import Site

PAGES, REPEAT = "pages", 20
COLUMNS = ("page", "period", "questions", "median ms", "p95 ms", "slowest question", "its p95 ms")
Say = Callable[[str], None]


def p95(values: Sequence[float]) -> float:
    """The value that 95 of a hundred do not exceed.

    >>> p95([float(n) for n in range(1, 21)])
    19.0
    """
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def sample(folder: Path, say: Say) -> Site:
    """The sample archive as the demo makes it, of this state of the product; a kept one is only brought up to date."""
    say("sample archive")
    site = steps.make_demo(folder / "sample")
    steps.ingest(site)
    steps.build(site)
    steps.detect(site)
    steps.forecast(site)
    return site


def measure(name: str, site: Site, repeat: int, selected: Sequence[str] = ()) -> list[PageResult]:
    """All pages of a site, or some, in a process of its own that has two cores."""
    command = [sys.executable, "-m", "benchmarks.page_runs", str(site.root), "--repeat", str(repeat)]
    command += [word for page in selected for word in ("--page", page)]
    done = subprocess.run(command, cwd=REPO, stdout=subprocess.PIPE, text=True, check=True)
    return [_result(name, run) for run in json.loads(done.stdout)]


def _result(archive: str, run: dict) -> PageResult:  # type: ignore[type-arg]
    totals = [1e3 * sum(seconds) for seconds in run["seconds"]]
    _, *calls = run["calls"]  # the first is no question: which snapshot is the newest
    _, *each = (1e3 * p95(seconds) for seconds in zip(*run["seconds"], strict=True))
    slowest = max(range(len(each)), key=lambda place: each[place], default=None)
    return PageResult(
        archive,
        run["title"],
        run["period"],
        len(calls),
        median(totals),
        p95(totals),
        "" if slowest is None else calls[slowest]["question"],
        0.0 if slowest is None else each[slowest],
    )


def cells(result: PageResult) -> tuple[str, ...]:
    """One result as texts, in the order of COLUMNS."""
    numbers = (f"{result.median_ms:,.0f}", f"{result.p95_ms:,.0f}")
    return (result.title, result.period, str(result.n_questions), *numbers, result.slowest, f"{result.slowest_ms:,.0f}")


def show(console: Console, results: Sequence[PageResult], aims: Sequence[Aim]) -> None:
    """A table for each archive, and whether the aim was reached."""
    for archive in dict.fromkeys(result.archive for result in results):
        table = Table(*COLUMNS, title=f"server time of the pages: {archive}")
        for place in (2, 3, 4, 6):
            table.columns[place].justify = "right"
        for result in results:
            if result.archive == archive:
                table.add_row(*cells(result))
        console.print(table)
    for aim in aims:
        console.print(f"{aim.requirement}: {aim.got}; {aim.verdict}", highlight=False, markup=False)


def markdown(results: Sequence[PageResult], aims: Sequence[Aim]) -> str:
    """The same for a document."""
    lines = []
    for archive in dict.fromkeys(result.archive for result in results):
        rows = [cells(result) for result in results if result.archive == archive]
        rule = ["---"] * 2 + ["---:"] * 3 + ["---", "---:"]
        lines += [f"Server time of the pages, {archive}:", "", *map(line, (COLUMNS, rule, *rows)), ""]
    return "\n".join(lines + aims_lines(aims))


def run(folder: Path, size: year.Size, repeat: int, say: Say) -> tuple[list[PageResult], list[Aim]]:
    """Both archives, made or kept in a folder."""
    results = measure("sample archive", sample(folder, say), repeat)
    site = year.make(folder, size, say)
    results += measure(f"{size.days} days, {size.transfers:,} transfers", site, repeat)
    return results, judge_pages(results)


def places(folder: Path) -> list[Path]:
    """The contents that `run` made in its folder, which is its own."""
    return [folder] if folder.exists() else []


def report(results: list[PageResult], aims: list[Aim]) -> None:
    """Both forms on standard output."""
    show(Console(width=None if sys.stdout.isatty() else 150), results, aims)
    click.echo(f"\n{markdown(results, aims)}")


@click.command()
@click.option("--site", "site_path", type=click.Path(path_type=Path), help="Measure only this existing site.")
@click.option(
    "--page",
    "selected",
    multiple=True,
    help="With --site: measure only this page, given by its file name, such as `time/gaps`; may be repeated.",
)
@click.option("--days", default=year.Size.days, show_default=True)
@click.option("--transfers", default=year.Size.transfers, show_default=True)
@click.option(
    "--fine-days",
    default=year.Size.fine_days,
    show_default=True,
    help="Number of days at the end of the archive with samples every second.",
)
@click.option("--repeat", default=REPEAT, show_default=True)
@click.option("--dir", "folder", type=click.Path(path_type=Path), default=REPO / "var" / "benchmarks" / PAGES)
def main(
    site_path: Path | None,
    selected: tuple[str, ...],
    days: int,
    transfers: int,
    fine_days: int,
    repeat: int,
    folder: Path,
) -> None:
    """Server time of each page's questions: median and 95th percentile."""
    if site_path:
        results = measure(str(site_path), steps.site_at(site_path), repeat, selected)
        report(results, judge_pages(results))
        return
    say = Console(stderr=True).print
    report(*run(folder, year.Size(days, transfers, fine_days), repeat, lambda text: say(text, highlight=False)))


if __name__ == "__main__":
    main()
