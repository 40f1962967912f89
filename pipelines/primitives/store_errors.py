"""Failures of the store, each as one TapescopeError with a hint.

They are a full disk, missing rights, damage and a server that is away or goes away. DuckDB, SQLite, Polars, libpq and
the system each report them in their own words and with their own classes.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.primitives.errors import ConfigError, TapescopeError

_MOST_CHARS = 300
_LAYER = re.compile(r"(bronze|silver|gold|site|ops)/(\w+)/[^\"']*\.parquet")
_FOLDERS = re.compile(r"[^\s\"']*/(?=(?:bronze|silver|gold|site|ops)/\w+/[^\"']*\.parquet)")
_POSTGRES = "Unable to connect to Postgres"
RESTORE = "`tapescope restore` restores the newest undamaged backup of the catalogue"
REBUILD = "`tapescope build --full` computes the lost rows again"
READ_AGAIN = (
    "restore the file from a copy of the data folder; without a copy, move the warehouse to another place and run "
    "`tapescope run`, which reads all logs that still exist"
)


@dataclass(frozen=True)
class _KnownFailure:
    """What an error message of DuckDB, SQLite or the system means."""

    pattern: re.Pattern[str]
    what: str
    hint: str


def _failure(pattern: str, what: str, hint: str) -> _KnownFailure:
    return _KnownFailure(re.compile(pattern, re.IGNORECASE), what, hint)


_KNOWN_FAILURES = (
    _failure(
        r"no space left on device|disk is full|disk quota exceeded|file too large",
        "the disk is full",
        "free some space and run the command again; committed data are intact",
    ),
    _failure(
        r"^Out of Memory Error|cannot allocate memory|^std::bad_alloc"
        r"|failed to map segment from shared object(?!: Operation not permitted)",
        "there is not enough memory",
        "give the process more memory, or stop others on this machine; committed data are intact",
    ),
    _failure(
        r"readonly database|read-only file system|permission denied|unable to open database file",
        "this user lacks the right to read or write the site's files",
        "run the command as the owner of the files, or grant the rights; a read-only copy cannot be written",
    ),
    _failure(
        r"disk i/o error|input/output error|stale file handle",
        "the disk reports an error",
        "see the system's log: is the disk full, or the file server unreachable?",
    ),
    _failure(r"database disk image is malformed|file is not a database", "the catalogue is damaged", RESTORE),
    _failure(
        r"error for HTTP [A-Z]+ to '",
        "the object storage cannot be reached",
        "is its server running, and is AWS_ENDPOINT_URL right? When the server answers, run the command again;"
        " committed data are intact",
    ),
    _failure(  # a data file that is not there is its warehouse's damage; a bucket that is not there is not
        r"\AHTTP Error: (?:(?!.*HTTP 404)|[\s\S]*NoSuchBucket)",
        "the object storage refused a request",
        "is AWS_ENDPOINT_URL right, does the bucket exist, and do the keys allow reading and writing?"
        " Then run the command again; committed data are intact",
    ),
    _failure(  # "ROLLBACK" fails where the server has gone; libpq then gives no reason
        r"server closed the connection|terminating connection|no connection to the server"
        r'|(could not|cannot) (receive|send) data|Failed to execute query "(ROLLBACK|COMMIT)',
        "the connection to the catalogue in PostgreSQL was lost",
        "when the server runs again, run the command again; committed data are intact",
    ),
)
_DAMAGED = re.compile(
    r"magic bytes|footer|don't know what type|thrift|tprotocol|decompress|snappy|zstd|too small to be a parquet"
    r"|corrupt|parquet.*invalid|out of specification|not a parquet file|column chunk|page header",
    re.IGNORECASE | re.DOTALL,
)
_MISSING = re.compile(r"no files found that match|cannot open file|no such file|HTTP 404", re.IGNORECASE)


@contextmanager
def translate_store_errors(*places: str) -> Iterator[None]:
    """Raise failures that we know as TapescopeError; paths below `places` become relative to them."""
    try:
        yield
    except TapescopeError:
        raise
    except Exception as error:
        if (own := known_error(error, *places)) is None:
            raise
        for note in getattr(error, "__notes__", ()):
            own.add_note(note)
        raise own from error


def known_error(error: BaseException, *places: str) -> TapescopeError | None:
    """The failure as a TapescopeError with a hint; None if it is not one that we know.

    >>> str(known_error(OSError("IO Error: Cannot open file '/w/data/gold/a/x.parquet': No such file or directory")))
    "a data file of gold.a is missing: IO Error: Cannot open file 'gold/a/x.parquet': No such file or directory"
    """
    text = str(error)
    if _POSTGRES in text:
        return _server(text)
    summary = _shortened(text, places)
    for kind in _KNOWN_FAILURES:
        if kind.pattern.search(text):
            return TapescopeError(f"{kind.what}: {summary}", kind.hint)
    if not is_damage(error):
        return None
    found = _LAYER.search(_FOLDERS.sub("", text))
    of = f" of {found[1]}.{found[2]}" if found else ""
    what = "missing" if _MISSING.search(text) else "damaged"
    repair = READ_AGAIN if found and found[1] == "bronze" else REBUILD
    return TapescopeError(f"a data file{of} is {what}: {summary}", repair)


def is_damage(error: BaseException) -> bool:
    """Whether a data file of the lake is missing, or does not hold what it should.

    >>> is_damage(OSError("Cannot open file '/w/data/gold/a/x.parquet': Permission denied"))
    False
    """
    text = str(error)
    if any(kind.pattern.search(text) for kind in _KNOWN_FAILURES):
        return False
    if _LAYER.search(text) and _MISSING.search(text):
        return True
    return bool(_DAMAGED.search(text)) and type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb")


def _shortened(text: str, places: tuple[str, ...]) -> str:
    """The first line, without the folders above a layer of the lake, and without others that the reader knows.

    A bucket stays.
    """
    line = _FOLDERS.sub("", (text.strip().splitlines() or [""])[0])
    for place in sorted((one for one in places if "://" not in one), key=len, reverse=True):
        line = line.replace(f"{place.rstrip('/')}/", "")
    return line if len(line) <= _MOST_CHARS else line[:_MOST_CHARS] + "…"


def _server(text: str) -> TapescopeError:
    """What libpq reports of a server that is away, or refuses."""
    report = re.sub(rf'^.*?{_POSTGRES} at "[^"]*": ', "", text, flags=re.DOTALL)
    report = " ".join(report.split())
    message = f"the catalogue of the warehouse cannot be reached: {report}"
    if re.search(r"FATAL|password|no pg_hba|does not exist", report):
        hint = "correct `catalogue` in site.toml, or PGUSER, PGPASSWORD, PGPASSFILE in the environment"
        return ConfigError(message, hint)
    return TapescopeError(message, "is the server running, and are PGHOST and PGPORT right?")
