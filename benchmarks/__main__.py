"""`make bench`, or `python -m benchmarks`: makes the inputs, measures, prints the table and the aims."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import click
from rich.console import Console

from benchmarks import day, inputs, pages, peer_errors, tables, week, year
from benchmarks.aims import BIG, judge
from benchmarks.cta_peers import json_library
from benchmarks.day import DAY
from benchmarks.inputs import CTA, ENSTORE, IOSTAT, JSON, MANY, VMSTAT
from benchmarks.measure import REPO, Result, Task, measure
from benchmarks.pages import PAGES
from benchmarks.tasks import JC_MB
from benchmarks.texts import all_texts
from benchmarks.week import WEEK

SOURCES = tuple(sorted(all_texts()))
INPUTS = (*SOURCES, CTA + JSON, VMSTAT + MANY, IOSTAT + MANY, ENSTORE + MANY, BIG, WEEK, DAY)
PARTS = (*INPUTS, PAGES)
TITLES = {
    "ingest": "reading a file and committing its rows",
    "by_one": "reading ten files and committing their rows, one process",
    "by_two": "reading ten files and committing their rows, two processes",
    "parse": "reading and parsing only",
    "read_blocks": "tapescope cuts the file into numbered lines",
    "read_lines": "Polars read_lines",
    "jc": f"jc, first {JC_MB} MB",
    "iostat_tool": "iostat-tool",
    "re_loop": "Python loop with re",
    "cta_re_loop": "Python loop with re",
    "cta_json_loop": f"Python loop with {json_library()}",
    "whatif": "what-if of a recorded week",
    "nightly": "one day's logs of 200 drives, to the report",
}
PLAN = {
    VMSTAT: ("ingest", "parse", "read_blocks", "read_lines", "jc"),
    ENSTORE: ("ingest", "parse", "read_blocks", "read_lines", "re_loop"),
    IOSTAT: ("ingest", "parse", "jc", *(("iostat_tool",) if find_spec("iostat") else ())),
    CTA: ("ingest", "parse", "cta_re_loop"),
    CTA + JSON: ("ingest", "parse", "cta_json_loop"),
    VMSTAT + MANY: ("by_one", "by_two"),
    IOSTAT + MANY: ("by_one", "by_two"),
    ENSTORE + MANY: ("by_one", "by_two"),
    BIG: ("ingest",),
    WEEK: ("whatif",),
    DAY: ("nightly",),
}
OF_ANY = ("ingest", "parse")
LARGE = {VMSTAT, ENSTORE, IOSTAT, CTA, CTA + JSON}
MANY_MB = 10  # times the size of one log


@click.command()
@click.option(
    "--mb", default=100.0, show_default=True, help="Size of each large log (vmstat, iostat, DEBUGLOG and CTA), in MB."
)
@click.option("--small-mb", default=20.0, show_default=True, help="Size of the log of every other source, in MB.")
@click.option(
    "--big-mb",
    default=2000.0,
    show_default=True,
    help="Size of the log for the measurement of peak memory, in MB; 0 leaves out this measurement.",
)
@click.option(
    "--week",
    "story",
    type=click.Path(path_type=Path),
    default=week.USUAL,
    help="Library scenario (TOML) from which the recorded week is generated.",
)
@click.option(
    "--repeat",
    default=3,
    show_default=True,
    help="Repetitions of each measurement; the table shows the median. The inputs `big` and `day` are measured once,"
    " pages 20 times.",
)
@click.option(
    "--page-days",
    default=year.Size.days,
    show_default=True,
    help="Length of the archive for the page benchmark, in days.",
)
@click.option(
    "--page-transfers",
    default=year.Size.transfers,
    show_default=True,
    help="Number of files moved in the archive for the page benchmark.",
)
@click.option(
    "--only", type=click.Choice(PARTS), multiple=True, help="Measure only this input or `pages`; may be repeated."
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=REPO / "var" / "benchmarks",
    help="Folder for the inputs.",
)
@click.option("--keep", is_flag=True, help="Keep the inputs, so that the next run does not generate them again.")
def main(
    mb: float,
    small_mb: float,
    big_mb: float,
    story: Path,
    repeat: int,
    page_days: int,
    page_transfers: int,
    only: tuple[str, ...],
    folder: Path,
    keep: bool,
) -> None:
    """Measure tapescope against its peers on inputs made for it, and its pages. Nothing is asserted."""
    selected = [name for name in INPUTS if name in (only or INPUTS) and not (name == BIG and not big_mb)]
    say = Console(stderr=True).print
    tasks: dict[tuple[str, str], Task] = {}
    for name in selected:
        size = big_mb if name == BIG else mb if name in LARGE else mb * MANY_MB if name.endswith(MANY) else small_mb
        message = f"recording {story.stem}" if name == WEEK else f"making {name}, {size:g} MB"
        say(message, highlight=False)
        path = _made(folder, name, size, story)
        for task in PLAN.get(name, OF_ANY):
            tasks[name, task] = Task(task, TITLES[task], path, 1 if name in (BIG, DAY) else repeat)
    found = measure(list(tasks.values()), lambda text: say(text, highlight=False))
    by_task = {result.task: result for result in found}
    results = {key: by_task[task] for key, task in tasks.items()}
    if results:
        show(results)
    if PAGES in (only or PARTS):
        long = year.Size(page_days, page_transfers)
        pages.report(*pages.run(folder / PAGES, long, pages.REPEAT, lambda text: say(text, highlight=False)))
    if not keep:
        # Only what was made here: the folder may be anybody's.
        for place in {*(task.path.parent for task in tasks.values()), *pages.places(folder / PAGES)}:
            shutil.rmtree(place)


def _made(folder: Path, name: str, mb: float, story: Path) -> Path:
    if name in (WEEK, DAY):
        return week.make(folder, story) if name == WEEK else day.make(folder)
    if name.endswith(MANY):
        return inputs.make_many(folder, name.removesuffix(MANY), mb)
    return inputs.make(folder, ENSTORE if name == BIG else name, mb)


def show(results: dict[tuple[str, str], Result]) -> None:
    """Figures, aims, and what peers make of real captures where those are there."""
    aims = judge(results)
    console = Console(width=None if sys.stdout.isatty() else 150)
    tables.show(console, list(results.values()), aims)
    click.echo(f"\n{tables.markdown(list(results.values()), aims)}")
    if (captures := peer_errors.captures()) is not None:
        click.echo(
            f"\nErrors of other parsers on the real captures:\n\n{peer_errors.markdown(peer_errors.tallies(captures))}"
        )


if __name__ == "__main__":
    main()
