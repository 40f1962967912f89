"""The writer's turn: one process at a time writes a warehouse, and the lock goes with its process.

Next to an SQLite catalogue a lock file makes the second writer give up. In a PostgreSQL catalogue an advisory lock
makes writers on any number of hosts take turns.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
from filelock import FileLock, Timeout

from pipelines.catalog.sql_inspect import quote
from pipelines.primitives.errors import WarehouseBusy
from pipelines.primitives.store_errors import translate_store_errors
from pipelines.warehouse.engine import Connection, connect

TURN_S = 3600.0  # a writer waits so long for its turn at a PostgreSQL catalogue
HOLDER = "writer.json"  # names the process that has its turn
_POLL_S = 0.2
# the limit that a server may have would end the turn of a writer who computes
_NO_LIMIT = "set_config('idle_in_transaction_session_timeout', '0', true) AS no_limit"
_LOCK_KEY = 7_461_706_573  # of the advisory lock; such keys hold for one database
_HOLDER_SQL = (
    "SELECT max(a.application_name) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    f" WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32) + l.objid::bigint = {_LOCK_KEY}"
)


@contextmanager
def file_turn(folder: Path, wait_s: float) -> Iterator[Callable[[], object]]:
    """The lock next to an SQLite catalogue, which its process cannot lose. Raises WarehouseBusy."""
    try:
        turn = FileLock(folder / "writer.lock").acquire(timeout=wait_s)
    except Timeout:
        raise _busy(folder, _holder(folder / HOLDER)) from None
    with turn:
        yield lambda: None


@contextmanager
def server_turn(folder: Path, address: str, step: str, wait_s: float | None) -> Iterator[Callable[[], object]]:
    """The lock in a PostgreSQL catalogue, held by a transaction on a connection of its own.

    The lock goes with that connection. A writer calls what is yielded before each commit: it raises duckdb.Error if the
    connection was lost. Raises WarehouseBusy.
    """
    until = time.monotonic() + (TURN_S if wait_s is None else wait_s)
    keeper = connect(("postgres_scanner",))
    try:
        keeper.execute("SET enable_progress_bar = false")
        with translate_store_errors(str(folder)):
            keeper.execute(f"ATTACH {quote(address)} AS turn (TYPE postgres)")
        me = f"tapescope {step}, process {os.getpid()} on {os.uname().nodename}"
        while True:
            keeper.execute("BEGIN")
            _ask_server(keeper, f"SELECT set_config('application_name', {quote(me)}, false), {_NO_LIMIT}")
            if _ask_server(keeper, f"SELECT pg_try_advisory_xact_lock({_LOCK_KEY})"):
                break
            holder = _ask_server(keeper, _HOLDER_SQL)
            keeper.execute("ROLLBACK")
            if time.monotonic() > until:
                raise _busy(folder, holder or "another process")
            time.sleep(_POLL_S)
        yield lambda: _ask_server(keeper, "SELECT 1")
    finally:
        with suppress(duckdb.Error):  # there may be no transaction
            keeper.execute("ROLLBACK")  # where the server has gone, closing an open transaction aborts the process
        keeper.close()


@contextmanager
def named(folder: Path, step: str) -> Iterator[None]:
    """A note of who has the turn, for those who wait for it."""
    file = folder / HOLDER
    try:
        file.write_text(json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "step": step}))
        yield
    finally:
        file.unlink(missing_ok=True)


def _busy(folder: Path, holder: str) -> WarehouseBusy:
    return WarehouseBusy(
        f"{holder} is writing to the warehouse {folder}", "wait until that process ends, then try again"
    )


def _ask_server(keeper: Connection, sql: str) -> Any:
    """One value of a PostgreSQL server, in the transaction that is open with it."""
    row = keeper.execute(f"SELECT * FROM postgres_query('turn', {quote(sql)})").fetchone()
    return row[0] if row else None


def _holder(file: Path) -> str:
    try:
        holder = json.loads(file.read_text())
        return f"`tapescope {holder['step']}`, process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
