"""`ops.run`: what each step did that changed the warehouse, how long it took, and why one failed or was stopped."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb

from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.failures import is_stop, summarize_failure
from pipelines.warehouse.connection import LAKE, Connection, Warehouse, snapshot_id
from pipelines.warehouse.engine import transaction

_WAIT_S = 10.0


@dataclass
class Run:
    """One run of a step, while it goes on."""

    step: str
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(tzinfo=None))
    counts: dict[str, Any] = field(default_factory=dict)
    is_stopped: bool = False  # by a signal


@contextmanager
def record_run(connection: Connection, step: str) -> Iterator[Run]:
    """Record the run of a step on the step's connection, after it, so that a failure, or a signal, is recorded too.

    A run that changed nothing leaves no row: a check every few minutes must not fill the warehouse.
    """
    run, begun, before = Run(step), time.monotonic(), snapshot_id(connection)
    try:
        yield run
    except BaseException as error:
        with suppress(duckdb.Error):  # the first failure is the one to report
            _write(connection, run, time.monotonic() - begun, _why(run, error))
        raise
    if snapshot_id(connection) != before:
        _write(connection, run, time.monotonic() - begun, None)


@contextmanager
def record_readonly_run(site: Site, step: str) -> Iterator[Run]:
    """Record the run of a step that only reads: after it finishes, if it produced counts.

    Gives up quickly if there is no warehouse or another step holds the lock.
    """
    run, begun = Run(step), time.monotonic()
    failure: str | None = None
    try:
        yield run
    except Exception as error:
        failure = _why(run, error)
        raise
    finally:
        if failure or run.counts:
            try_record(site, run, time.monotonic() - begun, failure)


def try_record(site: Site, run: Run, elapsed_s: float, failure: str | None) -> bool:
    """Record a run of a step that does not write the warehouse; False if there is none, or another step writes it."""
    warehouse = Warehouse(site.model_copy(update={"lock_wait_s": _WAIT_S}))
    if not warehouse.exists():
        return False
    try:
        with warehouse.write(run.step) as connection:
            _write(connection, run, elapsed_s, failure)
    except (TapescopeError, duckdb.Error, OSError):
        return False
    return True


def _why(run: Run, error: BaseException) -> str:
    """Why a run ended before its time."""
    run.is_stopped = is_stop(error)
    stopped = f"{run.step} was stopped by a signal (such as Ctrl-C) or a time limit; uncommitted work was rolled back"
    return stopped if run.is_stopped else summarize_failure(run.step, error)


def _write(connection: Connection, run: Run, elapsed_s: float, failure: str | None) -> None:
    outcome = "done" if failure is None else "stopped" if run.is_stopped else "failed"
    counts = {name: value for name, value in run.counts.items() if isinstance(value, int | float)}
    with transaction(connection):
        execute(
            connection,
            f"INSERT INTO {LAKE}.ops.run VALUES (?, ?, ?, ?, ?, ?)",
            [run.started_at, run.step, outcome, elapsed_s, json.dumps(counts), failure],
        )
