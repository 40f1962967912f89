"""Impossible values in the logs: more than is possible, or less than another log proves."""

from collections.abc import Iterator
from typing import Any

from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

RELATION = "gold.contradiction"
WINDOW_DAYS = 7


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each kind: its entities with values that cannot be, or that there was nothing to compare."""
    begin, end = period.bounds
    return ask_input(connection, "impossible_values", begin=begin, end=end).iter_rows(named=True)
