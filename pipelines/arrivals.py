"""What has come and was not read yet: how many files of which kind, and the batches they make.

A batch is a share of all files by their names, not a list of them: whoever reads it later, or once more after a kill,
finds its files himself, and those that were read meanwhile cost a look.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from pipelines import lines, sources
from pipelines.catalog import Catalog
from pipelines.config import Site, find_inputs
from pipelines.errors import AmbiguousSource, UnreadableFile
from pipelines.filebook import FileBook
from pipelines.loader import Part, last_part
from pipelines.origins import not_a_file, origin_of, shown
from pipelines.records import Origin
from pipelines.warehouse import LAKE, Warehouse

BATCH_FILES = 200
BATCH_BYTES = 512 * 2**20
UNKNOWN = "unknown"


@dataclass
class Arrivals:
    """Files that site.toml names, and those of them that an ingest would read."""

    n_files: int = 0
    n_new: int = 0
    n_bytes: int = 0  # of the new ones, on disk
    by_source: Counter[str] = field(default_factory=Counter)  # new ones by who would read them, or `unknown`

    @property
    def n_batches(self) -> int:
        """So many that one is neither long to read again nor too small to be worth a task."""
        return max(-(-self.n_new // BATCH_FILES), -(-self.n_bytes // BATCH_BYTES), 0)

    def as_dict(self) -> dict[str, Any]:
        counts = {"files": self.n_files, "new": self.n_new, "bytes": self.n_bytes, "batches": self.n_batches}
        return counts | {f"new_{name}": n for name, n in sorted(self.by_source.items())}


def arrivals(site: Site, catalog: Catalog) -> Arrivals:
    """Look at every file that site.toml names; nothing is read but the heads of new ones, and nothing is locked.

    A file that was refused, or that nobody recognised, is not new again until it changes.
    """
    found, book = Arrivals(), _book(site, catalog)
    for path, item, values in find_inputs(site):
        found.n_files += 1
        last = last_part(book, shown(site, path)) if book else None
        is_file = not not_a_file(path)
        if last is not None and is_file and _is_known(last, path, origin_of(site, path, item, values)):
            continue
        found.n_new += 1
        found.n_bytes += path.stat().st_size if is_file else 0
        found.by_source[_source(path) if is_file else UNKNOWN] += 1
    return found


def waiting(site: Site) -> dict[str, int]:
    """Bronze relations that have changed since the last build, and how many of their days."""
    warehouse = Warehouse(site)
    if not warehouse.exists():
        return {}
    with warehouse.read() as connection:
        rows = connection.execute(
            f"SELECT relation, count(DISTINCT coalesce(day, DATE '1970-01-01')) FROM {LAKE}.ops.dirty_day GROUP BY ALL"
        ).fetchall()
    return dict(sorted(rows))


def _book(site: Site, catalog: Catalog) -> FileBook | None:
    """What is known of files; nothing before the first ingest, or while a newer version has not made its tables."""
    warehouse = Warehouse(site)
    if not warehouse.exists():
        return None
    try:
        with warehouse.read() as connection:
            return FileBook(connection, catalog)
    except (duckdb.CatalogException, duckdb.BinderException):
        return None


def _is_known(last: Part, path: Path, origin: Origin) -> bool:
    refused = last.state in ("failed", "unknown") and last.is_same_on_disk(path)
    return refused or last.is_current(path, origin)


def _source(path: Path) -> str:
    try:
        return sources.choose(lines.read_head(path))[0] or UNKNOWN
    except (AmbiguousSource, UnreadableFile, OSError):
        return UNKNOWN
