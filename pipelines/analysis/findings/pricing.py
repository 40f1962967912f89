"""What mending a finding's cause would bring: the gain of gold.lost_time, capped by what comes next in the way.

A rule names its `cause` there. Where that is "hours", the hours come back at the drive's overall rate. The interval is
that of the lost time on days like these; how the mended drive would be used is not in it.
"""

from datetime import timedelta
from typing import Any, NamedTuple

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import LAKE, Connection

HOURS = "hours"
_NEEDS_WORK = "idle_queued"  # where no request waited for an idle drive, nothing is gained until more is queued

_ROWS = f"FROM {LAKE}.gold.lost_time WHERE day BETWEEN $first AND $last"
_OF_CAUSE = f"""
SELECT sum(gain_gb_day), sum(naive_gb_day), first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, day, drive)
{_ROWS} AND "{{who}}" = $name AND cause = $cause
"""
_OF_HOURS = f"""
SELECT avg(rate_mb_s), sum(least(room_gb, asked_gb)),
       any_value(CASE WHEN asked_gb < coalesce(room_gb, asked_gb + 1) THEN 'work' ELSE bottleneck END ORDER BY day)
FROM (
    SELECT day, drive, any_value(rate_mb_s) AS rate_mb_s,
           any_value(bottleneck ORDER BY cause) FILTER (bottleneck <> 'work') AS bottleneck,
           any_value((supply_mb_s - rate_mb_s) * busy_hours * 3.6e0) AS room_gb, any_value(asked_gb) AS asked_gb
    {_ROWS} AND "{{who}}" = $name GROUP BY day, drive
)
"""
# A day counts of which a tenth or more is known of some drive: the first and last file of a log reach over midnight.
_DAYS = f"""
SELECT count(*) FROM (
    SELECT DISTINCT day FROM (
        SELECT day, drive FROM {LAKE}.gold.drive_ledger WHERE day BETWEEN $first AND $last
        GROUP BY day, drive
        HAVING coalesce(sum(duration_us) FILTER (bucket <> 'unknown'), 0) * 10 >= max(day_us)
    )
)
"""


class Gain(NamedTuple):
    """GB a day; least and most are None where the loss has no interval, all is None where no log tells."""

    gb_day: float | None = None
    least: float | None = None
    most: float | None = None
    bottleneck: str | None = None


def days_priced(connection: Connection, rule: Rule, hit: Hit, period: Period) -> int:
    """Days that a finding's price is spread over: of those it is of, the ones that have logs of drives.

    All of them for rules on other logs, and where no log of drives tells.
    """
    n_days = hit.n_days or period.n_days
    if "enstore_log" not in rule.sources:
        return n_days
    (n_logged,) = _row(connection, _DAYS, _days(n_days, period))
    return n_logged or n_days


def _days(n_days: int, period: Period) -> dict[str, Any]:
    return {"first": period.last - timedelta(days=n_days - 1), "last": period.last}


def gain(connection: Connection, rule: Rule, hit: Hit, period: Period) -> Gain:
    """What a finding is worth if its cause is mended, a day of those it is priced for that have logs."""
    who = rule.by[-1]
    if not rule.cause or not hit.rows.height or who not in hit.rows.columns:
        return Gain()
    days = _days(hit.n_days or period.n_days, period)
    n_days = days_priced(connection, rule, hit, period)
    values = days | {"name": hit.rows[who][0]}
    if rule.cause == HOURS:
        found, naive, bottleneck = _of_hours(connection, who, values, hit)
    else:
        found, naive, bottleneck = _row(connection, _OF_CAUSE.format(who=who), values | {"cause": rule.cause})
    if found is not None:
        least, most = (_scaled(bound_s, hit, naive, found, n_days) for bound_s in hit.lost_interval)
        return Gain(found / n_days, least, most, bottleneck)
    (n_rows,) = _row(connection, f"SELECT count(*) {_ROWS}", days)
    return Gain(0.0) if n_rows and rule.cause == _NEEDS_WORK else Gain()


def _of_hours(connection: Connection, who: str, values: dict[str, Any], hit: Hit) -> tuple[Any, Any, Any]:
    rate, room, bottleneck = _row(connection, _OF_HOURS.format(who=who), values)
    if rate is None or hit.lost_s is None:
        return None, None, None
    naive = rate * hit.lost_s / 1e3
    return naive if room is None else min(naive, room), naive, bottleneck


def _scaled(bound_s: float | None, hit: Hit, naive: float, found: float, n_days: int) -> float | None:
    """A bound of the lost seconds as gain a day; where a cap binds, it binds there too."""
    if bound_s is None or not hit.lost_s:
        return None
    needed = naive * bound_s / hit.lost_s
    return (min(needed, found) if found < naive else needed) / n_days


def _row(connection: Connection, sql: str, values: dict[str, Any]) -> tuple[Any, ...]:
    row = connection.execute(sql, values).fetchone()
    assert row is not None  # an aggregate has one
    return row
