"""The gain of fixing a finding's cause: the gain of gold.lost_time, capped by what comes next in the way.

A rule names its `cause` there. Where that is "hours", the hours come back at the drive's overall rate. The interval is
that of the lost time on days like these; how the fixed drive would be used is not in it.
"""

from datetime import date, timedelta
from typing import Any, NamedTuple

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

HOURS = "hours"
_NEEDS_WORK = "idle_queued"  # where no request waited for an idle drive, nothing is gained until more is queued


class Gain(NamedTuple):
    """GB a day; least and most are None where the loss has no interval, all is None where no log shows it."""

    gb_day: float | None = None
    least: float | None = None
    most: float | None = None
    bottleneck: str | None = None


class Pricing:
    """Prices of the findings of a night; what many of them share is asked once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._n_logged: dict[tuple[date, date], int] = {}

    def n_days(self, rule: Rule, hit: Hit, period: Period) -> int:
        """Days that a finding's price is spread over: of those it is of, the ones that have logs of drives.

        All of them for rules on other logs, and where no drive log shows it.
        """
        n_days = hit.n_days or period.n_days
        if "drives" not in rule.sources:
            return n_days
        days = _days(n_days, period)
        key = (days["first_day"], days["last_day"])
        if key not in self._n_logged:
            (self._n_logged[key],) = ask_input(self._connection, "logged_drive_days", **days).row(0)
        return self._n_logged[key] or n_days

    def gain(self, rule: Rule, hit: Hit, period: Period) -> Gain:
        """What a finding is worth if its cause is fixed, a day of those it is priced for that have logs."""
        who = rule.by[-1]
        if not rule.cause or not hit.rows.height or who not in hit.rows.columns:
            return Gain()
        cause = rule.cause_of(hit.entity)
        own: dict[str, Any] = _days(hit.n_days or period.n_days, period) | {"who": who, "name": hit.rows[who][0]}
        n_days = self.n_days(rule, hit, period)
        if cause == HOURS:
            found, naive, bottleneck, n_rows = *self._of_hours(own, hit), 0
        else:
            found, naive, bottleneck, n_rows = self._of_cause(own, hit, cause)
        if found is not None:
            least, most = (_scaled(bound_s, hit, naive, found, n_days) for bound_s in hit.lost_interval)
            return Gain(found / n_days, least, most, bottleneck)
        return Gain(0.0) if n_rows and cause == _NEEDS_WORK else Gain()

    def _of_cause(self, own: dict[str, Any], hit: Hit, cause: str) -> tuple[Any, Any, Any, int]:
        """The gain of all that the drive or station lost to the cause; of one of several parts, its share by hours.

        Two outages of a drive on one day, and its long gaps with two stations, are findings of their own.
        """
        answer = ask_input(self._connection, "gain_of_cause", cause=cause, **own)
        found, naive, lost_hours, bottleneck, n_rows = answer.row(0)
        if found is None or not (hit.is_part and hit.lost_s and lost_hours):
            return found, naive, bottleneck, n_rows
        share = min(1.0, hit.lost_s / 3600 / lost_hours)
        return share * found, share * naive, bottleneck, n_rows

    def _of_hours(self, own: dict[str, Any], hit: Hit) -> tuple[Any, Any, Any]:
        rate, room, bottleneck = ask_input(self._connection, "gain_of_hours", **own).row(0)
        if rate is None or hit.lost_s is None:
            return None, None, None
        naive = rate * hit.lost_s / 1e3
        return naive if room is None else min(naive, room), naive, bottleneck


def _days(n_days: int, period: Period) -> dict[str, date]:
    return {"first_day": period.last - timedelta(days=n_days - 1), "last_day": period.last}


def _scaled(bound_s: float | None, hit: Hit, naive: float, found: float, n_days: int) -> float | None:
    """A bound of the lost seconds as gain a day; where a cap binds, it binds there too."""
    if bound_s is None or not hit.lost_s:
        return None
    needed = naive * bound_s / hit.lost_s
    return (min(needed, found) if found < naive else needed) / n_days
