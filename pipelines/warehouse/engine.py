"""DuckDB with the extensions that a warehouse needs: nothing is downloaded or written."""

import importlib.util
from pathlib import Path

import duckdb

from pipelines.catalog.sql_inspect import quote
from pipelines.primitives.errors import ConfigError

Connection = duckdb.DuckDBPyConnection
_checked: set[str] = set()  # extensions whose signature this process has found to be DuckDB's


def connect(extensions: tuple[str, ...]) -> Connection:
    """A database of its own with DuckDB's signed extensions from their packages.

    To check a signature takes 0.1 s, most of what opening costs: a process does it once for each extension.
    """
    is_checked = _checked.issuperset(extensions)
    connection = duckdb.connect(":memory:", config={"allow_unsigned_extensions": is_checked})
    try:
        for name in extensions:
            connection.execute(load_sql(name))
        connection.execute("SET allow_unsigned_extensions = false")  # which nothing can take back
    except BaseException:
        connection.close()
        raise
    _checked.update(extensions)
    return connection


def load_sql(name: str) -> str:
    """The statement that loads an extension. Raises ConfigError where its package is not installed."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        raise ConfigError(f"the package {package} is not installed", "install the project's requirements.lock")
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return f"LOAD {quote(str(folder / f'{name}.duckdb_extension'))}"
