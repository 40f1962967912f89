"""`ops.run`: what each step did that changed the warehouse, how long it took, and why one failed."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb

from pipelines.failures import told
from pipelines.warehouse import LAKE, Connection, snapshot_id, transaction


@dataclass
class Run:
    """One run of a step, while it goes on."""

    step: str
    started_at: datetime
    counts: dict[str, Any] = field(default_factory=dict)


@contextmanager
def noted(connection: Connection, step: str) -> Iterator[Run]:
    """Note the run of a step on its own connection: after it, so that what failed is noted too.

    A run that changed nothing leaves nothing: to look again every few minutes must not fill the warehouse.
    """
    run, begun, before = Run(step, datetime.now(UTC).replace(tzinfo=None)), time.monotonic(), snapshot_id(connection)
    try:
        yield run
    except Exception as error:
        with suppress(duckdb.Error):  # what failed before is what is to be told
            _write(connection, run, time.monotonic() - begun, told(step, error))
        raise
    if snapshot_id(connection) != before:
        _write(connection, run, time.monotonic() - begun, None)


def _write(connection: Connection, run: Run, elapsed_s: float, failure: str | None) -> None:
    counts = {name: value for name, value in run.counts.items() if isinstance(value, int | float)}
    with transaction(connection):
        connection.execute(
            f"INSERT INTO {LAKE}.ops.run VALUES (?, ?, ?, ?, ?, ?)",
            [run.started_at, run.step, "failed" if failure else "done", elapsed_s, json.dumps(counts), failure],
        )
