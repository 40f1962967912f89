"""What keeps the lake small: small files merged, old snapshots let go, files that nobody needs removed.

Nothing here changes what a table says, or what a reader sees who began to read within the last two days: a snapshot is
kept for a week at least, and a file for two days after the last snapshot that needs it has gone. (To expire or sweep
up to now made readers see empty tables, and removed a live writer's file.) Ages of snapshots and files are ages by the
clock; that of facts is not: see `retention`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipelines.statement import quote
from pipelines.warehouse import LAKE, Connection

LEAST_SNAPSHOT_DAYS = 7
FILE_DAYS = 2
_BOOK = f"__ducklake_metadata_{LAKE}"


@dataclass
class Upkeep:
    """What was done, or would be: files of the newest snapshot before and after, and what went."""

    files_before: int
    files_after: int = 0
    snapshots_expired: int = 0
    files_removed: int = 0  # of snapshots that have gone, and those merged into others
    orphans_removed: int = 0  # of writers that were killed
    bytes_given_back: int = 0


def tidy(connection: Connection, snapshot_days: int, dry_run: bool = False) -> Upkeep:
    """Merge, expire and sweep; each is a transaction of its own, and safe to be killed in. Call it in none.

    With `dry_run` nothing is changed; files that would be merged are those of one partition, at most.
    """
    done = Upkeep(n_files(connection))
    if dry_run:
        done.files_after = done.files_before - _n_mergeable(connection)
    else:
        connection.execute(f"CALL ducklake_merge_adjacent_files('{LAKE}')").fetchall()
        done.files_after = n_files(connection)
    done.snapshots_expired = len(
        _call(connection, "expire_snapshots", max(snapshot_days, LEAST_SNAPSHOT_DAYS), dry_run)
    )
    removed, removed_bytes = _sweep(connection, "cleanup_old_files", dry_run)
    orphans, orphan_bytes = _sweep(connection, "delete_orphaned_files", dry_run)
    done.files_removed, done.orphans_removed = removed, orphans
    done.bytes_given_back = removed_bytes + orphan_bytes
    return done


def _call(connection: Connection, function: str, days: int, dry_run: bool) -> list[tuple[object, ...]]:
    """A function of DuckLake on what is older than some days by the clock; what it did away with, or would."""
    return connection.execute(
        f"CALL ducklake_{function}('{LAKE}', dry_run => {str(dry_run).lower()},"
        f" older_than => now() - INTERVAL {int(days)} DAY)"
    ).fetchall()


def _sweep(connection: Connection, function: str, dry_run: bool) -> tuple[int, int]:
    """Number and bytes of the files that went, or would; their sizes are asked while they are there."""
    paths = [str(row[0]) for row in _call(connection, function, FILE_DAYS, dry_run=True)]
    size = _size(connection, paths)
    if paths and not dry_run:
        _call(connection, function, FILE_DAYS, dry_run=False)
    return len(paths), size


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
    """Files that the newest snapshot needs."""
    row = connection.execute(
        f"SELECT coalesce(sum(file_count + delete_file_count), 0) FROM ducklake_table_info('{LAKE}')"
    ).fetchone()
    return int(row[0]) if row else 0


def _n_mergeable(connection: Connection) -> int:
    """How many files merging could do away with: all but one of a table's partition, whose sizes allow it."""
    row = connection.execute(
        f"""
        SELECT coalesce(sum(n - 1), 0) FROM (
            SELECT count(*) AS n FROM {_BOOK}.ducklake_data_file f
            LEFT JOIN (
                SELECT data_file_id, string_agg(partition_value, '/' ORDER BY partition_key_index) AS place
                FROM {_BOOK}.ducklake_file_partition_value GROUP BY data_file_id
            ) p USING (data_file_id)
            WHERE f.end_snapshot IS NULL AND f.file_size_bytes < 512 * 1024 * 1024
            GROUP BY f.table_id, f.partition_id, p.place
        )
        """
    ).fetchone()
    return int(row[0]) if row else 0
