"""All steps of a night in their order, for whoever starts them: the command line, or a visitor of the dashboard."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from pipelines.config.site import Site
from pipelines.ingest.run import Progress
from pipelines.primitives.errors import NothingRead
from pipelines.primitives.failures import is_stop, problem_lines, summarize_failure
from pipelines.steps.build import build
from pipelines.steps.detect import detect, forecast
from pipelines.steps.ingest import bytes_to_read, ingest
from pipelines.steps.report import deliver, report


class StepReport(Protocol):
    """What a step did."""

    def as_dict(self) -> dict[str, Any]:
        """Its counts by name."""
        ...

    @property
    def sentence(self) -> str:
        """The same for people."""
        ...


class Watcher(Protocol):
    """Whoever looks on while a run goes on."""

    def reading(self, n_bytes: int) -> AbstractContextManager[Progress]:
        """Before this many bytes are read; the block gets the name and size of what was read."""
        ...

    def building(self) -> AbstractContextManager[Callable[[str], None]]:
        """Before the build; the block gets the name of each relation."""
        ...

    def done(self, step: str, report: StepReport) -> None:
        """After a step."""
        ...


@dataclass
class Run:
    """The result of a run: its findings, the files of the report by form, where it was sent, and what failed."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    report: dict[str, Path] = field(default_factory=dict)
    ways: list[dict[str, str]] = field(default_factory=list)  # as `deliver` returns them
    failure: Exception | None = None  # the first
    problems: list[str] = field(default_factory=list)  # sentences for people, the failed steps among them


def run(
    site: Site,
    watcher: Watcher,
    first: date | None = None,
    last: date | None = None,
    workers: int | None = None,
    send: bool = False,
) -> Run:
    """Ingest, build, detect, forecast and report, as the DAG nightly_report does; a default is the last day with data.

    Where a step fails those after it do not run, and the report is written all the same and says so; with `send` it is
    sent to the recipients of [deliver]. What failed is in the result; only a signal raises, and ends all steps.
    """
    made = Run()
    step = "ingest"
    try:
        with watcher.reading(bytes_to_read(site, None)) as advance:
            read = ingest(site, progress=advance, workers=workers)
        counts = read.as_dict()
        made.problems += problem_lines(counts)
        watcher.done(step, read)
        step = "build"
        with watcher.building() as name_it:
            built = build(site, progress=name_it, workers=workers)
        watcher.done(step, built)
        step = "detect"
        found = detect(site, first, last)
        made.findings = found.findings
        watcher.done(step, found)
        step = "forecast"
        watcher.done(step, forecast(site, last))
        made.failure = _nothing_read(site, counts)
    except Exception as error:
        if is_stop(error):  # whoever stops the command does not wait for a report
            raise
        made.failure = error
        made.problems.insert(0, summarize_failure(step, error))
    try:
        if send:
            done = deliver(site, first, last, made.problems)
            made.report, made.ways = done["report"], done["ways"]
        else:
            made.report = report(site, first, last, problems=made.problems)
    except Exception as error:
        made.failure = made.failure or error
        made.problems.append(summarize_failure("deliver" if send else "report", error))
    return made


def _nothing_read(site: Site, read: dict[str, Any]) -> NothingRead | None:
    """What is wrong if no input matches a file, or no file could be read; unchanged files were read before."""
    if not read["files"]:
        patterns = ", ".join(item.glob for item in site.input) or "site.toml has no [[input]]"
        hint = "correct the `glob` of the [[input]] entries; `tapescope init DIR` writes entries for a folder of logs"
        return NothingRead(f"nothing was read, because no file matches an input of site.toml ({patterns})", hint)
    if not any(read[state] for state in ("loaded", "unchanged", "withdrawn")):
        return NothingRead(
            f"nothing was read, because none of {read['files']} files could be read", "`tapescope ask files` shows why"
        )
    return None
