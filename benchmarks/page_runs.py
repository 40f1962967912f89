"""What each page asks, and how long its answers take: `python -m benchmarks.page_runs SITE`, as JSON.

Nothing here names a question. A page is run in Streamlit's own test runner with empty caches, and its questions to the
warehouse are recorded. Then just these are asked repeatedly, on connections that stay open as those of the pages do, so
that drawing is not measured. All pages take turns: a busy minute falls on all of them alike.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from pathlib import Path

import click

from benchmarks.measure import CORES, REPO
from dashboards.pages import find_parts, find_views
from pipelines.answers import question as asking
from pipelines.answers.snapshot import SnapshotReader
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.steps import site_at
from pipelines.warehouse.connection import Connection

APP = REPO / "dashboards" / "app.py"
Params = dict[str, str] | None
DRAWN_S = 600  # a page of a year is long
NEWEST = "newest snapshot"  # looked up by every view of a page, and never remembered
PERIODS = {"default": 0, "week": 7, "month": 30, "year": 365}  # days; 0: what the page shows to whoever opens it


@dataclass(frozen=True)
class Call:
    """A question a page asked, and on what: the newest snapshot, or that of the page."""

    question: str
    params: tuple[tuple[str, str], ...]
    on: str  # newest or snapshot


@dataclass
class PageRun:
    """A page about a period: what it asks, and the seconds of each repetition, question by question."""

    page: str
    title: str
    period: str
    calls: list[Call]
    seconds: list[list[float]] = field(default_factory=list)


def pages() -> dict[str, str]:
    """Title by name of every part of every page of the app, such as `time/gaps`; of a page without parts its own."""
    titles: dict[str, str] = {}
    for view in find_views():
        parts = {f"{view.name}/{part.name}": f"{view.title} · {part.title}" for part in find_parts(view.name)}
        titles |= parts or {view.name: view.title}
    return titles


class Notebook:
    """Every question answered in this process, whoever asks it. To be opened before anything of the pages is loaded."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._cursor_kinds: dict[int, str] = {}
        self._answer, self._cursor = asking.answer, SnapshotReader.cursor

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._replace(self._answer, self._note)
        SnapshotReader.cursor = lambda opened: self._noted_cursor(opened)  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            self._replace(self._note, self._answer)
            SnapshotReader.cursor = self._cursor  # type: ignore[method-assign]

    def tear(self) -> list[Call]:
        """What was noted since it was last asked for."""
        calls, self._calls = self._calls, []
        return calls

    @staticmethod
    def _replace(old: object, new: object) -> None:
        for module in list(sys.modules.values()):
            if getattr(module, "answer", None) == old:
                vars(module)["answer"] = new

    def _note(
        self, connection: Connection, catalog: Catalog, name: str, params: Params = None, snapshot: int | None = None
    ) -> asking.Answer:
        self._calls.append(Call(name, tuple(sorted((params or {}).items())), self._cursor_kinds[id(connection)]))
        return self._answer(connection, catalog, name, params, snapshot)

    @contextmanager
    def _noted_cursor(self, opened: SnapshotReader) -> Iterator[Connection]:
        with self._cursor(opened) as cursor:
            self._cursor_kinds[id(cursor)] = "newest" if opened._snapshot is None else "snapshot"
            try:
                yield cursor
            finally:
                del self._cursor_kinds[id(cursor)]


def asked_by(notebook: Notebook, page: str, days: tuple[date, date] | None) -> list[Call]:
    """What a page asks about some days, or about those it chooses itself. Raises ValueError where it breaks."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(APP), default_timeout=DRAWN_S)
    if days:
        app.query_params["from"], app.query_params["to"] = str(days[0]), str(days[1])
    app.run()  # pages are known by their addresses only when the app has run
    notebook.tear()
    st.cache_data.clear()
    name, _, part = page.partition("/")
    if part:
        app.query_params["part"] = part
    app.switch_page(f"views/{name}.py").run()
    if app.exception:
        raise ValueError(f"page {page} breaks: {app.exception[0].value}")
    return notebook.tear()


def spans(site: Site) -> dict[str, tuple[date, date] | None]:
    """The days of each period for which the archive is long enough."""
    row = asking.ask(site, load_catalog(), "period").as_dicts()[0]
    last, n_days = row["last_day"], (row["last_day"] - row["first_day"]).days + 1
    return {
        name: (last - timedelta(days=length - 1), last) if length else None
        for name, length in PERIODS.items()
        if length <= n_days
    }


def note_all(site: Site, selected: Sequence[str], say: Callable[[str], None]) -> list[PageRun]:
    """Each page about each period; one that asks about no days is noted once."""
    runs: list[PageRun] = []
    all_spans, notebook = spans(site), Notebook()
    with notebook.opened():
        for page, title in pages().items():
            first: list[Call] | None = None
            for period, days in all_spans.items():
                if (selected and page not in selected) or (
                    first is not None and not any(dict(c.params) for c in first)
                ):
                    continue
                say(f"{title}, {period}")
                calls = asked_by(notebook, page, days)
                first = first if first is not None else calls
                runs.append(PageRun(page, title, period, [Call(NEWEST, (), "newest"), *calls]))
    return runs


def time_all(site: Site, runs: list[PageRun], repeat: int, say: Callable[[str], None]) -> None:
    """Ask all of it `repeat` times, and once before to open the connections that stay open."""
    catalog = load_catalog()
    newest = SnapshotReader(site)
    snapshot = newest.ask(catalog, "period", {}).snapshot
    pinned = SnapshotReader(site, snapshot)

    def ask(call: Call) -> float:
        begin = time.perf_counter()
        if call.question == NEWEST:
            newest.newest()
            return time.perf_counter() - begin
        (newest if call.on == "newest" else pinned).ask(catalog, call.question, dict(call.params))
        return time.perf_counter() - begin

    for turn in range(repeat + 1):
        say(f"running the questions of all pages, repetition {turn} of {repeat}")
        for run in runs:
            seconds = [ask(call) for call in run.calls]
            if turn:
                run.seconds.append(seconds)
    newest.close()
    pinned.close()


@click.command()
@click.argument("site_path", metavar="SITE", type=click.Path(path_type=Path))
@click.option("--repeat", default=20, show_default=True)
@click.option("--page", "selected", multiple=True, help="Measure only this page, such as `time/gaps`; may be repeated.")
def main(site_path: Path, repeat: int, selected: tuple[str, ...]) -> None:
    """Measure the pages of a site on two cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    site = site_at(site_path)
    os.environ["TAPESCOPE_SITE"] = str(site.root)

    def say(text: str) -> None:
        click.echo(text, err=True)

    runs = note_all(site, selected, say)
    time_all(site, runs, repeat, say)
    json.dump([asdict(run) for run in runs], sys.stdout)


if __name__ == "__main__":
    main()
