"""Files into bronze, batch by batch.

A batch of files and their `ops.file` rows are committed together: a file is in wholly or not at all.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from pipelines.catalog.files import load_catalog
from pipelines.config.files import Named, site_files
from pipelines.config.site import Site
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.load import Early, Loader
from pipelines.ingest.registry import FileReport
from pipelines.ingest.rows import Setup
from pipelines.ingest.staging import fresh_folder
from pipelines.ingest.survey.unmatched import unmatched_files
from pipelines.ingest.workers import Workers
from pipelines.primitives.format import counted
from pipelines.primitives.processes import n_cores
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.runs import record_run
from pipelines.warehouse.tables import prepare_tables

BATCH_FILES = 200
BATCH_BYTES = 512 * 2**20
MEMORY = "400MB"  # of DuckDB; with Python, Polars and a block or two of text the process stays below 1 GB

Progress = Callable[[str, int], None]
Share = tuple[int, int]  # which of how many


@dataclass
class IngestReport:
    """The result for each file."""

    files: list[FileReport] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)  # patterns of [[input]]s that match no file
    unnamed: str = ""  # a paragraph about files near those of site.toml that no input matches

    def as_dict(self) -> dict[str, Any]:
        states = ("loaded", "unchanged", "failed", "unknown", "withdrawn")
        names = ("n_lines", "n_used", "n_skipped", "n_rejected", "n_records")
        return {
            "files": len(self.files),
            **{state: sum(report.state == state for report in self.files) for state in states},
            "unnamed": self.unnamed,
            **{name: sum(getattr(report.counts, name) for report in self.files) for name in names},
            "problems": [_problem(report.path, report.state, report.reason) for report in self.files if report.reason]
            + [
                _problem(glob, "empty input", "no file matches the `glob` of this [[input]]") for glob in self.unmatched
            ],
            "warnings": [_problem(report.path, "warning", report.warning) for report in self.files if report.warning],
        }

    @property
    def sentence(self) -> str:
        """The counts in a line."""
        counts = self.as_dict()
        states = ", ".join(f"{counts[name]} {name}" for name in ("unchanged", "failed", "unknown"))
        lines = " + ".join(f"{counts[f'n_{name}']:,} {name}" for name in ("used", "skipped", "rejected"))
        n_files, n_lines = counted(counts["files"], "file"), counted(counts["n_lines"], "line")
        return (
            f"Read {counts['loaded']} of {n_files} ({states}): {n_lines} = {lines};"
            f" {counted(counts['n_records'], 'record')}."
        )


def ingest(
    site: Site,
    paths: list[Path] | None = None,
    again: bool = False,
    progress: Progress | None = None,
    share: Share = (0, 1),
    workers: int | None = None,
) -> IngestReport:
    """Read the files that site.toml names (or those given) where they are new or have changed.

    `again` also reads files that were withdrawn; `share` (2, 5) reads the third of five parts of them; `workers`
    processes read, by default as site.toml says. Without `paths` the report of the first share also has the patterns
    that no file fits and the files that no pattern names. Raises WarehouseBusy if another process writes.
    """
    report, named, catalog, warehouse = IngestReport(), site_files(site, paths), load_catalog(), Warehouse(site)
    with warehouse.write("ingest") as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        prepare_tables(connection, catalog)
        with record_run(connection, "ingest") as run, fresh_folder(warehouse.temp_folder) as aside:
            if again:
                connection.execute(f"DELETE FROM {LAKE}.ops.file WHERE state = 'withdrawn'")
            setup = Setup.of(connection, catalog, warehouse.data_path, aside)
            loader = Loader(connection, catalog, setup, site.root)
            files = (IncomingFile(site, *found) for found in named)
            with closing(Workers(setup, workers or site.workers or n_cores(), loader.plan)) as pool:
                for batch in _batches(file for file in files if is_of(share, file.name)):
                    with transaction(connection):
                        report.files += load_all(loader, pool.read_ahead(batch), progress)
                        loader.flush()
                    loader.staging.clear()
            run.counts = report.as_dict()
    if paths is None and share[0] == 0:
        note_unnamed(report, site, named)
    return report


def note_unnamed(report: IngestReport, site: Site, named: Iterable[Named]) -> None:
    """The patterns that no file fits, and the files that no pattern names."""
    globs = {item.glob for _, item, _ in named if item is not None}
    report.unmatched = [item.glob for item in site.input if item.glob not in globs]
    report.unnamed = unmatched_files(site).sentence


def load_all(
    loader: Loader, batch: Iterable[tuple[IncomingFile, Early | None]], progress: Progress | None = None
) -> Iterator[FileReport]:
    """Files of a batch into the staging, one after the other; `progress` learns of each."""
    for file, early in batch:
        try:
            yield loader.load(file, early)
        except Exception as error:
            error.add_note(f"while reading {file.name}")
            raise
        if progress:
            progress(str(file.path), file.size_bytes)


def is_of(share: Share, name: str) -> bool:
    """Whether a file falls to a share: by its name alone, so that it does so again whatever else has come.

    >>> [[n for n in "abcdef" if is_of((part, 2), n)] for part in (0, 1)]
    [['a', 'b', 'c', 'e', 'f'], ['d']]
    """
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "big") % share[1] == share[0]


def _batches(files: Iterable[IncomingFile]) -> Iterator[Iterator[IncomingFile]]:
    """Files in batches that must be used up in turn: one is looked at on disk just before it is read."""
    number = n_files = n_bytes = 0

    def batch_of(file: IncomingFile) -> int:
        nonlocal number, n_files, n_bytes
        if n_files >= BATCH_FILES or n_bytes >= BATCH_BYTES:
            number, n_files, n_bytes = number + 1, 0, 0
        n_files, n_bytes = n_files + 1, n_bytes + file.size_bytes
        return number

    return (batch for _, batch in groupby(files, batch_of))


def _problem(path: str, state: str, reason: str) -> dict[str, str]:
    return {"path": path, "state": state, "reason": reason}
