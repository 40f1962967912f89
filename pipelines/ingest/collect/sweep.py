"""Answers that were read go from the spool after a while; their rows stay."""

import time
from pathlib import Path

from pipelines.catalog.sql_inspect import execute
from pipelines.config.collect import SPOOL
from pipelines.config.files import look_at, stored_path
from pipelines.config.site import Site
from pipelines.ingest.collect.spool import state_of
from pipelines.warehouse.connection import LAKE, Connection

_DAY_S = 86_400


def sweep(site: Site, connection: Connection, dry_run: bool) -> tuple[int, int]:
    """Remove answers that were read and are older than `spool_days`; how many files, and their bytes.

    What could not be read stays, and so does the file that an entry appends to.
    """
    read = _read_as(connection)
    n_files = n_bytes = 0
    for entry in site.collect:
        folder = site.root / entry.folder
        current = folder / str(state_of(folder)["file"])
        for path in sorted(folder.glob("20*")):
            status = look_at(path)
            if path == current or status is None or time.time() - status.st_mtime < site.spool_days * _DAY_S:
                continue
            if read.get(stored_path(site, path)) == (status.st_size, status.st_mtime_ns):
                n_files, n_bytes = n_files + 1, n_bytes + status.st_size
                _remove(path, dry_run)
    return n_files, n_bytes


def _read_as(connection: Connection) -> dict[str, tuple[int, int]]:
    """By path in the spool, size and time of what was read of it."""
    rows = execute(
        connection,
        f"SELECT p.path, p.size_bytes, p.modified_ns FROM {LAKE}.ops.place p JOIN {LAKE}.ops.file f USING (file_id)"
        " WHERE f.state IN ('loaded', 'withdrawn') AND starts_with(p.path, ?)",
        [f"{SPOOL}/"],
    ).fetchall()
    return {path: (size, modified) for path, size, modified in rows}


def _remove(path: Path, dry_run: bool) -> None:
    if not dry_run:
        path.unlink(missing_ok=True)
