"""What was not read yet: how many files of which kind, and the batches they make; and what was not built yet.

A batch is a share of all files by their names, not a list of them: whoever reads it later, or once more after a kill,
finds its files himself, and those that were read meanwhile cost a look.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import duckdb

from pipelines.catalog.files import load_catalog
from pipelines.config.files import site_files
from pipelines.config.site import Site
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.plan import unchanged
from pipelines.ingest.registry import FileRegistry
from pipelines.ingest.run import BATCH_BYTES, BATCH_FILES
from pipelines.primitives.errors import NoWarehouse
from pipelines.warehouse.connection import LAKE, Warehouse

UNKNOWN = "unknown"


@dataclass
class PendingFiles:
    """Files that site.toml names, and those of them that an ingest would read."""

    n_files: int = 0
    n_new: int = 0
    n_bytes: int = 0  # of the new ones, on disk
    by_source: Counter[str] = field(default_factory=Counter)  # new ones by who would read them, or `unknown`

    @property
    def n_batches(self) -> int:
        """A number of batches of which none takes long to repeat, and each is worth a task."""
        return max(-(-self.n_new // BATCH_FILES), -(-self.n_bytes // BATCH_BYTES), 0)

    def as_dict(self) -> dict[str, Any]:
        counts = {"files": self.n_files, "new": self.n_new, "bytes": self.n_bytes, "batches": self.n_batches}
        return counts | {f"new_{name}": n for name, n in sorted(self.by_source.items())}


def pending_files(site: Site) -> PendingFiles:
    """Look at every file that site.toml names; only the heads of new ones are read. Locks nothing.

    A file that was refused, or that no source recognised, is not new again until it changes.
    """
    pending, registry = PendingFiles(), _registry(site)
    for named in site_files(site):
        pending.n_files += 1
        file = IncomingFile(site, *named)
        if registry and unchanged(registry, file, is_refusal_known=True):
            continue
        pending.n_new += 1
        pending.n_bytes += file.size_bytes
        pending.by_source[file.source or UNKNOWN] += 1
    return pending


def dirty_tables(site: Site) -> dict[str, int]:
    """Bronze relations that have changed since the last build, and how many of their days. Locks nothing."""
    try:
        with Warehouse(site).read() as connection:
            rows = connection.execute(
                "SELECT relation, count(DISTINCT coalesce(day, DATE '1970-01-01'))"
                f" FROM {LAKE}.ops.dirty_day GROUP BY ALL"
            ).fetchall()
    except NoWarehouse:
        return {}
    return dict(sorted(rows))


def _registry(site: Site) -> FileRegistry | None:
    """What is known of files; None before the first ingest, or while a newer version has not made its tables."""
    try:
        with Warehouse(site).read() as connection:
            return FileRegistry(connection, load_catalog())
    except (NoWarehouse, duckdb.CatalogException, duckdb.BinderException):
        return None
