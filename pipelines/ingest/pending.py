"""What has come and was not read yet: how many files of which kind, and the batches they make.

A batch is a share of all files by their names, not a list of them: whoever reads it later, or once more after a kill,
finds its files himself, and those that were read meanwhile cost a look.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import duckdb

from pipelines.catalog.contracts import Catalog
from pipelines.config.files import look_at, origin_of, shown
from pipelines.config.site import Site, find_inputs
from pipelines.ingest.identify import identify
from pipelines.ingest.registry import FileBook
from pipelines.warehouse.connection import LAKE, Warehouse

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
        status = look_at(path)
        if (
            book
            and status
            and book.is_current(
                shown(site, path),
                status,
                origin_of(site, path, item, values, status),
                item.source,
                is_refusal_known=True,
            )
        ):
            continue
        found.n_new += 1
        found.n_bytes += status.st_size if status else 0
        found.by_source[identify(path, item.source).source or UNKNOWN] += 1
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
