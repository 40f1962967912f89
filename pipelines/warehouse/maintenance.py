"""What keeps the lake small: small files merged, old snapshots let go, unused files removed. Nothing here changes what
a table holds, or what a reader sees who began to read within the last two days: a snapshot is kept for a week at least,
and a file for two days after the last snapshot that needs it has gone. (To expire or sweep up to now made readers see
empty tables, and removed a live writer's file.) Ages of snapshots and files are ages by the clock; that of facts is
not: see `retention`.

Two things keep a file longer. It goes only if it was given up before the oldest kept backup of the catalogue was made:
every backup finds its files (`backups`). And what the catalogue does not know goes only if it is younger than the
claim of this warehouse on its data path: older files may be those of a catalogue that was lost (`ownership`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse import ownership
from pipelines.warehouse.connection import LAKE, Connection

LEAST_SNAPSHOT_DAYS = 7
FILE_DAYS = 2


@dataclass
class CompactionResult:
    """What was done, or would be: files of the newest snapshot before and after, and what was removed."""

    files_before: int
    files_after: int = 0
    snapshots_expired: int = 0
    files_removed: int = 0  # of snapshots that have gone, and those merged into others
    orphans_removed: int = 0  # of writers that were killed
    strangers_left: int = 0  # files that may be those of another catalogue
    bytes_given_back: int = 0


@dataclass(frozen=True)
class Guard:
    """What may not be removed: files that a backup of this instant needs, and unknown ones older than the claim."""

    oldest_backup: datetime | None = None
    since: datetime | None = None


def remove_unused(
    connection: Connection, snapshot_days: int, dry_run: bool = False, guard: Guard | None = None
) -> CompactionResult:
    """Expire and sweep, which gives space back and needs hardly any; safe to be killed in. Call it in no transaction.

    With `dry_run` nothing is changed.
    """
    guard = guard or Guard()
    done = CompactionResult(n_files(connection))
    days = max(snapshot_days, LEAST_SNAPSHOT_DAYS)
    done.snapshots_expired = len(_call(connection, "expire_snapshots", _ago(days), dry_run))
    unneeded = _listed(connection, "cleanup_old_files", _ago(FILE_DAYS, guard.oldest_backup))
    unknown = _listed(connection, "delete_orphaned_files", _ago(FILE_DAYS))
    strangers = ownership.strangers(connection, unknown, guard.since)
    orphans = [path for path in unknown if path not in strangers]
    done.files_removed, done.orphans_removed, done.strangers_left = len(unneeded), len(orphans), len(strangers)
    done.bytes_given_back = _size(connection, [*unneeded, *orphans])
    if dry_run:
        return done
    if unneeded:
        _call(connection, "cleanup_old_files", _ago(FILE_DAYS, guard.oldest_backup), dry_run=False)
    if orphans and not strangers:
        _call(connection, "delete_orphaned_files", _ago(FILE_DAYS), dry_run=False)
    elif orphans:
        _remove(orphans)
    return done


def merge(connection: Connection, dry_run: bool = False) -> int:
    """Merge small files, which needs room for them once more; returns how many files there are then.

    With `dry_run` nothing is changed; files that would be merged are those of one partition, at most.
    """
    if dry_run:
        return n_files(connection) - _n_mergeable(connection)
    connection.execute(f"CALL ducklake_merge_adjacent_files('{LAKE}')").fetchall()
    return n_files(connection)


def _ago(days: int, at_most: datetime | None = None) -> str:
    """`days` days before now by the clock, or an instant if that is earlier, as SQL."""
    ago = f"now() - INTERVAL {int(days)} DAY"
    return f"least({ago}, TIMESTAMPTZ '{at_most.isoformat()}')" if at_most else ago


def _call(connection: Connection, function: str, older_than: str, dry_run: bool) -> list[tuple[object, ...]]:
    """A function of DuckLake on what is older than an instant; what it did away with, or would."""
    return connection.execute(
        f"CALL ducklake_{function}('{LAKE}', dry_run => {str(dry_run).lower()}, older_than => {older_than})"
    ).fetchall()


def _listed(connection: Connection, function: str, older_than: str) -> list[str]:
    """The files that would go."""
    return [str(row[0]) for row in _call(connection, function, older_than, dry_run=True)]


def _remove(paths: Iterable[str]) -> None:
    """Files one by one, where DuckLake would take their neighbours too; in object storage they stay."""
    for path in paths:
        if "://" not in path:
            Path(path).unlink(missing_ok=True)


def _size(connection: Connection, paths: Iterable[str]) -> int:
    """Bytes of files that are there; a kill may have left the note of one that has gone."""
    total = 0
    for path in paths:
        if "://" in path:
            row = connection.execute(f"SELECT coalesce(sum(size), 0) FROM read_blob({quote(path)})").fetchone()
            total += int(row[0]) if row else 0
        elif Path(path).is_file():
            total += Path(path).stat().st_size
    return total


def n_files(connection: Connection) -> int:
    """Files that the newest snapshot needs: not the list of deleted rows of a data file that has gone itself."""
    row = connection.execute(
        f"SELECT count(f.data_file_id) + count(d.data_file_id) FROM {ownership.BOOK}.ducklake_data_file f"
        f" LEFT JOIN {ownership.BOOK}.ducklake_delete_file d"
        " ON d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL WHERE f.end_snapshot IS NULL"
    ).fetchone()
    return int(row[0]) if row else 0


def _n_mergeable(connection: Connection) -> int:
    """How many files merging could do away with: all but one of a table's partition, whose sizes allow it."""
    row = connection.execute(
        f"""
        SELECT coalesce(sum(n - 1), 0) FROM (
            SELECT count(*) AS n FROM {ownership.BOOK}.ducklake_data_file f
            LEFT JOIN (
                SELECT data_file_id, string_agg(partition_value, '/' ORDER BY partition_key_index) AS place
                FROM {ownership.BOOK}.ducklake_file_partition_value GROUP BY data_file_id
            ) p USING (data_file_id)
            WHERE f.end_snapshot IS NULL AND f.file_size_bytes < 512 * 1024 * 1024
            GROUP BY f.table_id, f.partition_id, p.place
        )
        """
    ).fetchone()
    return int(row[0]) if row else 0
