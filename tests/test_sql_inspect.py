"""Statements with few values as literals are those with parameters."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import duckdb
import pytest

from pipelines.catalog.sql_inspect import bind, execute

AT = datetime(2010, 3, 9, 23, 5, 6, 789_012)
VALUES = [
    *(None, True, False, 0, -5, 2**31, -(2**40), 0.1, -1e300, 1e-9, float("inf")),
    *("", "it's ? $day -- no", "a\0b", "\0", date(2010, 3, 9), AT, AT.replace(tzinfo=UTC)),
    AT.replace(tzinfo=timezone(timedelta(hours=-5, minutes=-30))),
    *([], [1, 2], ["a", None], [date(2010, 3, 9)], (1.5, 2.5)),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_literal_is_what_a_parameter_is(value: Any) -> None:
    sql = "SELECT ? AS x, typeof(x), '?'"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        expected = connection.execute(sql, [value]).fetchall()
        assert connection.execute(bind(sql, [value])).fetchall() == expected


def test_few_and_many_values_come_to_the_same() -> None:
    with duckdb.connect() as connection:
        for n in (3, 6_000):
            found = execute(connection, "SELECT sum(x), $n FROM (SELECT unnest($xs) AS x)", {"xs": [*range(n)], "n": n})
            assert found.fetchall() == [(n * (n - 1) // 2, n)]


def test_a_value_too_many_is_an_error() -> None:
    with pytest.raises(ValueError, match="more values than parameters"):
        bind("SELECT ?", [1, 2])
