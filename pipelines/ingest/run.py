"""Files into bronze: identify, recognise, read lines, parse, load.

A batch of files and their `ops.file` rows are committed together: a file is in wholly or not at all.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.config.files import logs_in, look_at, origin_of, shown
from pipelines.config.site import Input, Site, find_inputs, input_for
from pipelines.ingest.identify import identify
from pipelines.ingest.load import FileReport, Loader, prepare_tables
from pipelines.ingest.parse_file import limits_of
from pipelines.ingest.registry import FileBook
from pipelines.ingest.staging import Staging
from pipelines.ingest.succession import Incoming
from pipelines.ingest.withdrawal import withdraw
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Warehouse, transaction
from pipelines.warehouse.runs import record_run

BATCH_FILES = 200
BATCH_BYTES = 512 * 2**20
MEMORY = "400MB"  # of DuckDB; with Python, Polars and a block or two of text the process stays below 1 GB

Wanted = tuple[Path, Input | None, dict[str, str]]
Progress = Callable[[str, int], None]
Share = tuple[int, int]  # which of how many


@dataclass
class IngestReport:
    """What became of each file."""

    files: list[FileReport] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)  # patterns of [[input]]s that no file fits
    unnamed: str = ""  # what lies beside the files that site.toml names, in a paragraph

    def as_dict(self) -> dict[str, Any]:
        states = ("loaded", "unchanged", "failed", "unknown", "withdrawn")
        names = ("n_lines", "n_used", "n_skipped", "n_rejected", "n_records")
        return {
            "files": len(self.files),
            **{state: sum(report.state == state for report in self.files) for state in states},
            "unnamed": self.unnamed,
            **{name: sum(getattr(report.counts, name) for report in self.files) for name in names},
            "problems": [
                {"path": report.path, "state": report.state, "reason": report.reason}
                for report in self.files
                if report.reason
            ]
            + [
                {"path": glob, "state": "empty input", "reason": "no file fits this pattern of site.toml"}
                for glob in self.unmatched
            ],
            "warnings": [
                {"path": report.path, "state": "warning", "reason": report.warning}
                for report in self.files
                if report.warning
            ],
        }


def ingest(
    site: Site,
    catalog: Catalog,
    paths: list[Path] | None = None,
    again: bool = False,
    progress: Progress | None = None,
    share: Share = (0, 1),
) -> IngestReport:
    """Read the files that site.toml names (or those given) where they are new or have changed.

    `again` also reads files that were withdrawn; `share` (2, 5) reads the third of five parts of them. Raises
    WarehouseBusy if another process writes.
    """
    wanted: list[Wanted] = (
        list(find_inputs(site)) if paths is None else [(path, *input_for(site, path)) for path in logs_in(site, paths)]
    )
    report = IngestReport()
    if paths is None and share[0] == 0:
        met = {item.glob for _, item, _ in wanted if item is not None}
        report.unmatched = [item.glob for item in site.input if item.glob not in met]
    if share[1] > 1:
        wanted = [one for one in wanted if _is_of(share, shown(site, one[0]))]
    with Warehouse(site).write("ingest") as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        prepare_tables(connection, catalog)
        with record_run(connection, "ingest") as run, closing(Staging(connection, catalog)) as staging:
            if again:
                connection.execute(f"DELETE FROM {LAKE}.ops.file WHERE state = 'withdrawn'")
            loader = Loader(connection, catalog, staging, site.root, limits_of(site))
            for batch in _batches(wanted):
                with transaction(connection):
                    for path, item, values in batch:
                        report.files.append(_ingest_file(loader, site, path, item, values))
                        if progress:
                            progress(str(path), size_of(path))
                    loader.flush()
            run.counts = report.as_dict()
    return report


def forget(site: Site, catalog: Catalog, what: str) -> list[str]:
    """Withdraw rows by file_id, or all that was read at a path; returns the file_ids. No later ingest reads them."""
    bronze = {relation.name: relation for relation in catalog.layer("bronze")}
    with Warehouse(site).write("forget") as connection:
        prepare_tables(connection, catalog)
        return _forget(site, FileBook(connection, catalog), bronze, what)


def _forget(site: Site, book: FileBook, bronze: dict[str, Relation], what: str) -> list[str]:
    with transaction(book.connection):
        names = (what, shown(site, Path(what)))
        held = {place.file_id for name in names if (place := book.places.get(name))}
        met = [
            file_id
            for file_id, row in book.rows.items()
            if row["state"] == "loaded" and (file_id == what or row["path"] in names or file_id in held)
        ]
        if not met:
            raise TapescopeError(f"no loaded file is called {what}", "`tapescope ask files` lists them")
        file_ids = sorted({part for file_id in met for part in book.chain(file_id)})
        withdraw(book, bronze, file_ids, keep_note=True)
        book.write_back()
    return file_ids


def size_of(path: Path) -> int:
    """Bytes on disk; 0 of what cannot be looked at."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_of(share: Share, name: str) -> bool:
    """Whether a file falls to a share: by its name alone, so that it does so again whatever else has come.

    >>> [[n for n in "abcdef" if _is_of((part, 2), n)] for part in (0, 1)]
    [['a', 'b', 'c', 'e', 'f'], ['d']]
    """
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "big") % share[1] == share[0]


def _batches(wanted: list[Wanted]) -> Iterator[list[Wanted]]:
    batch: list[Wanted] = []
    size = 0
    for item in wanted:
        batch.append(item)
        size += size_of(item[0])
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _ingest_file(loader: Loader, site: Site, path: Path, item: Input | None, values: dict[str, str]) -> FileReport:
    name = shown(site, path)
    try:
        return _read_file(loader, site, name, path, item, values)
    except Exception as error:
        error.add_note(f"while reading {name}")
        raise


def _read_file(
    loader: Loader, site: Site, name: str, path: Path, item: Input | None, values: dict[str, str]
) -> FileReport:
    status = look_at(path)  # before anything is read of it: a file that changes meanwhile is read again next time
    wanted = item.source if item else ""
    if status is not None:
        origin = origin_of(site, path, item, values, status)
        if loader.book.is_current(name, status, origin, wanted) and (known := loader.book.part_at(name)):
            return FileReport(name, "withdrawn" if known.state == "withdrawn" else "unchanged", known.source)
    found = identify(path, wanted)
    if found.source is None or status is None:
        return loader.note_failure(name, found.state or "failed", found.refusal, status)
    return loader.load(Incoming(name, path, found.source, replace(origin, head=found.head), status))
