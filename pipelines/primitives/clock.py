"""Clock times of old logs into UTC: zones, daylight saving, midnight and new year."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.times import days_between

DAY_S = 86_400


def naive_utc(instant: datetime) -> datetime:
    """An instant as UTC without its zone; one that has no zone is UTC already."""
    return instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant


def parse_instant(text: str) -> datetime:
    """A text such as `2010-03-10 17:00` as naive UTC, unless it names another offset. Raises ValueError.

    >>> parse_instant("2010-03-10 17:00"), parse_instant("2010-03-10T17:00-06:00")
    (datetime.datetime(2010, 3, 10, 17, 0), datetime.datetime(2010, 3, 10, 23, 0))
    """
    try:
        return naive_utc(datetime.fromisoformat(text))
    except OverflowError:  # an offset takes it before the first year, or after the last
        raise ValueError(f"{text} is outside the years 1 to 9999") from None


def to_utc(local: pl.Expr, zone: str) -> pl.Expr:
    """Naive local time to naive UTC (both Datetime[us]).

    The hour that repeats in autumn is taken the first time round, the hour that is skipped in spring an hour later:
    callers that see a clock jump back know better and use `fold`.
    """
    if zone in ("UTC", "Etc/UTC", "GMT"):
        return local
    fixed = local.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    later = (local + pl.duration(hours=1)).dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return pl.coalesce(fixed, later).dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def site_days(first: datetime, last: datetime, zone: str) -> list[date]:
    """The calendar days of a zone that an interval of UTC instants touches."""
    here, utc = ZoneInfo(zone), ZoneInfo("UTC")
    day = first.replace(tzinfo=utc).astimezone(here).date()
    end = last.replace(tzinfo=utc).astimezone(here).date()
    return days_between(day, max(day, end))


def day_bounds(day: date, zone: str) -> tuple[datetime, datetime]:
    """UTC instants (naive) at which a calendar day of a zone begins and ends: 23 to 25 hours apart."""
    begin, end = (datetime.combine(at, time(), ZoneInfo(zone)) for at in (day, day + timedelta(days=1)))
    return naive_utc(begin), naive_utc(end)


@dataclass(frozen=True)
class Period:
    """Site days from `first` to `last`, in the site's zone."""

    first: date
    last: date
    zone: str

    @property
    def n_days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """UTC instants at which it begins and ends."""
        return day_bounds(self.first, self.zone)[0], day_bounds(self.last, self.zone)[1]
