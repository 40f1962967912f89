"""DuckDB with the extensions that a warehouse needs: nothing is downloaded or written."""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

import duckdb

from pipelines.catalog.sql_inspect import quote
from pipelines.primitives.errors import ConfigError

Connection = duckdb.DuckDBPyConnection
_CHECKS: WeakKeyDictionary[Connection, Callable[[], object]] = WeakKeyDictionary()


def connect(extensions: tuple[str, ...]) -> Connection:
    """A database of its own with DuckDB's extensions from their packages, and no other from then on.

    The lock pins the packages by hash, as it does the code that loads them. DuckDB's check of their signatures, 0.2 s
    for each, would be most of what opening a warehouse costs.
    """
    connection = duckdb.connect(":memory:", config={"allow_unsigned_extensions": True})
    try:
        for name in extensions:
            connection.execute(load_sql(name))
        connection.execute("SET allow_unsigned_extensions = false")  # which nothing can take back
    except BaseException:
        connection.close()
        raise
    return connection


def load_sql(name: str) -> str:
    """The statement that loads an extension. Raises ConfigError where its package is not installed."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        raise ConfigError(
            f"the package {package} is not installed", "install the packages of the project's requirements.lock"
        )
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return f"LOAD {quote(str(folder / f'{name}.duckdb_extension'))}"


def check_before_commit(connection: Connection, check: Callable[[], object]) -> None:
    """Let each `transaction` of a connection call `check` before its commit, and roll back if that raises."""
    _CHECKS[connection] = check


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Commit at the end, roll back on any error."""
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
        if check := _CHECKS.get(connection):
            check()
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
