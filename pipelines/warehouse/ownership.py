"""Whose files a data path holds: a warehouse writes its name there first, and never removes what another may own.

A catalogue finds its files by their names in `data_path`, and takes all others there for those of killed writers. A
new, empty catalogue would take a whole warehouse for that. So an identity file in the data path names the lake, which
SQLite's or PostgreSQL's catalogue holds as well, with the number of its newest snapshot. Each writer compares them
before it does anything:

- no catalogue, but an identity or data: the catalogue is lost, and none is made;
- another lake's identity: the data path is another site's;
- an identity further on than the catalogue: this is an older copy of it, whose newer brother may still be in use.

Readers remove nothing and do not look. After a restore, and in a data path that was in use before it had an identity,
files of unknown origin stay for good: `unknown_before` says up to when.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from pipelines.catalog.sql_inspect import execute, quote
from pipelines.primitives.errors import ConfigError
from pipelines.primitives.files import write_atomic
from pipelines.warehouse import object_storage
from pipelines.warehouse.engine import Connection

FILE = "tapescope-warehouse.json"
BOOK = "__ducklake_metadata_lake"  # the catalogue of the lake that a process writes
_OWN = "give each site a data_path of its own in site.toml"
_ADOPT = "; if no other copy of the catalogue is in use, `tapescope restore --adopt` continues with the present copy"


def book(database: str) -> str:
    """The catalogue of a lake that is attached under some name."""
    return f"__ducklake_metadata_{database}"


@dataclass(frozen=True)
class Claim:
    """The content of the identity file."""

    warehouse: str  # the lake's number
    snapshot: int  # its newest when the last writer ended
    unknown_before: str = ""  # files older than this instant may be another catalogue's

    @property
    def since(self) -> datetime | None:
        return datetime.fromisoformat(self.unknown_before) if self.unknown_before else None


def read(connection: Connection, data_path: str) -> Claim | None:
    """The claim on a data path, if there is one. Raises ConfigError where it cannot be understood."""
    if object_storage.is_object_storage(data_path):
        text = _text_in_storage(connection, data_path)
    else:
        file = Path(data_path) / FILE
        text = file.read_text(encoding="utf-8") if file.exists() else ""
    if not text:
        return None
    try:
        return _claim(text)
    except (ValueError, KeyError, TypeError):
        hint = "if the data in this folder belong to this site, remove the file; the next run creates the file again"
        raise ConfigError(f"{data_path}/{FILE} does not name a warehouse and its last snapshot", hint) from None


def lake_in(folder: str) -> str:
    """The number of the lake that the identity file of a folder names; empty where there is none that can be read."""
    try:
        return _claim((Path(folder) / FILE).read_text(encoding="utf-8")).warehouse
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _claim(text: str) -> Claim:
    held = json.loads(text)
    return Claim(str(held["warehouse"]), int(held["snapshot"]), str(held["unknown_before"]))


def write(connection: Connection, data_path: str, claim: Claim) -> None:
    """Write the identity file completely or not at all."""
    text = json.dumps(asdict(claim), sort_keys=True)
    if object_storage.is_object_storage(data_path):
        target = quote(f"{data_path.rstrip('/')}/{FILE}")
        options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\t'"
        connection.execute(f"COPY (SELECT {quote(text)}) TO {target} ({options})")
    else:
        write_atomic(Path(data_path) / FILE, text.encode())


def has_data(connection: Connection, data_path: str) -> bool:
    """Whether any Parquet file is below a data path."""
    if object_storage.is_object_storage(data_path):
        return bool(globbed(connection, f"{data_path.rstrip('/')}/**/*.parquet", 1))
    return next(Path(data_path).rglob("*.parquet"), None) is not None


def check(connection: Connection, data_path: str, claim: Claim | None, adopt: bool = False) -> Claim:
    """The claim of the lake that is attached, which may be the first one. Raises ConfigError where it is another's.

    With `adopt` an identity that is further on than the catalogue is no error: its files stay for good.
    """
    lake, newest = _lake(connection)
    if claim is None:
        return _first(connection, data_path, lake, newest)
    if claim.warehouse != lake:
        raise ConfigError(f"{data_path} contains the data of another site's warehouse", _OWN)
    if adopt:
        return replace(claim, snapshot=newest, unknown_before=datetime.now(UTC).isoformat())
    if claim.snapshot > newest:
        raise ConfigError(
            f"the catalogue is older than the data in {data_path}: the catalogue's last"
            f" snapshot is {newest}, but the last snapshot of the data is {claim.snapshot}",
            _OWN + _ADOPT,
        )
    return claim


def _first(connection: Connection, data_path: str, lake: str, newest: int) -> Claim:
    """The first claim of a lake on its data path: of files that were there before, only the known ones are its own."""
    has_files = has_data(connection, data_path)
    row = connection.execute(f"SELECT 1 FROM {BOOK}.ducklake_data_file WHERE end_snapshot IS NULL LIMIT 1").fetchone()
    if row and not has_files:
        raise ConfigError(
            f"the catalogue names data files, but {data_path} contains none",
            "is the disk of this folder mounted, and is data_path in site.toml right?",
        )
    claim = Claim(lake, newest, datetime.now(UTC).isoformat() if has_files else "")
    write(connection, data_path, claim)
    return claim


def newest(connection: Connection) -> int:
    """The lake's newest snapshot."""
    return _lake(connection)[1]


def strangers(connection: Connection, paths: Iterable[str], since: datetime | None) -> set[str]:
    """Those of some files below a data path that are older than its claim: whose they are is not known."""
    if since is None:
        return set()
    found = set()
    for path in paths:
        if "://" in path:
            row = execute(connection, f"SELECT last_modified < ? FROM read_blob({quote(path)})", [since]).fetchone()
            is_older = bool(row and row[0])
        else:
            is_older = Path(path).exists() and Path(path).stat().st_mtime < since.timestamp()
        if is_older:
            found.add(path)
    return found


def missing(connection: Connection, data_path: str) -> list[str]:
    """Files that the newest snapshot needs and that are not there, relative to the data path."""
    rows = connection.execute(
        f"""
        SELECT s.path || t.path || f.path FROM (
            SELECT table_id, path FROM {BOOK}.ducklake_data_file WHERE end_snapshot IS NULL
            UNION ALL SELECT table_id, path FROM {BOOK}.ducklake_delete_file WHERE end_snapshot IS NULL
        ) f JOIN {BOOK}.ducklake_table t ON t.table_id = f.table_id AND t.end_snapshot IS NULL
        JOIN {BOOK}.ducklake_schema s ON s.schema_id = t.schema_id AND s.end_snapshot IS NULL
        """
    ).fetchall()
    required = [str(row[0]) for row in rows]
    if not object_storage.is_object_storage(data_path):
        return sorted(path for path in required if not (Path(data_path) / path).is_file())
    begin = f"{data_path.rstrip('/')}/"
    there = {path.removeprefix(begin) for path in globbed(connection, f"{begin}**/*.parquet")}
    return sorted(set(required) - there)


def _lake(connection: Connection) -> tuple[str, int]:
    """The number of the lake that is attached, and its newest snapshot."""
    row = connection.execute(
        f"SELECT (SELECT schema_uuid::VARCHAR FROM {BOOK}.ducklake_schema WHERE schema_id = 0),"
        f" (SELECT max(snapshot_id) FROM {BOOK}.ducklake_snapshot)"
    ).fetchone()
    return (str(row[0]), int(row[1])) if row else ("", 0)


def _text_in_storage(connection: Connection, data_path: str) -> str:
    file = f"{data_path.rstrip('/')}/{FILE}"
    if file not in globbed(connection, file.replace(".json", "*.json")):  # to read what is not there is an error
        return ""
    row = connection.execute(f"SELECT content FROM read_text({quote(file)})").fetchone()
    return str(row[0]) if row else ""


def globbed(connection: Connection, pattern: str, most: int = 10_000_000) -> list[str]:
    """The files that a pattern names, in a folder or in object storage."""
    try:
        rows = connection.execute(f"SELECT file FROM glob({quote(pattern)}) LIMIT {most}").fetchall()
    except duckdb.IOException as error:
        if "No files found" in str(error):
            return []
        raise
    return [str(row[0]) for row in rows]
