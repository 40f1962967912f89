"""The days of a period; days, instants and spans as people read them, on the clock of a zone."""

from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo


def days_between(first: date, last: date) -> list[date]:
    """All days of a period, both ends included; none if it ends before it begins.

    >>> [day.day for day in days_between(date(2010, 2, 27), date(2010, 3, 1))]
    [27, 28, 1]
    """
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def runs_of(days: Iterable[date], gap_days: int = 1) -> list[list[date]]:
    """Days as runs in which no two neighbours are more than `gap_days` apart.

    >>> [[day.day for day in run] for run in runs_of({date(2010, 3, 4), date(2010, 3, 1), date(2010, 3, 2)})]
    [[1, 2], [4]]
    """
    runs: list[list[date]] = []
    for day in sorted(days):
        if runs and (day - runs[-1][-1]).days <= gap_days:
            runs[-1].append(day)
        else:
            runs.append([day])
    return runs


def period_texts(days: Iterable[date]) -> list[str]:
    """Days as periods without a missing day.

    >>> period_texts([date(2010, 2, 28), date(2010, 3, 1), date(2010, 3, 4)])
    ['2010-02-28 to 2010-03-01', '2010-03-04']
    """
    return [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs_of(days)]


def day_text(day: date | None) -> str:
    """A day in words.

    >>> day_text(date(2010, 3, 10))
    '10 March 2010'
    """
    return f"{day.day} {day:%B %Y}" if day else "no day with data"


def days_text(first: date | None, last: date | None) -> str:
    """The days of a period in words.

    >>> days_text(date(2010, 3, 4), date(2010, 3, 10)), days_text(date(2010, 2, 27), date(2010, 3, 5))
    ('4 to 10 March 2010', '27 February to 5 March 2010')
    """
    if first is None or last is None or first == last:
        return day_text(last)
    if first.year != last.year:
        return f"{day_text(first)} to {day_text(last)}"
    month = "" if first.month == last.month else f" {first:%B}"
    return f"{first.day}{month} to {day_text(last)}"


def left_out(missing: Collection[date], n_days: int) -> str:
    """That days of a period are in no sum of hours, not even as unknown ones; empty where none is missing.

    >>> left_out([date(2010, 3, 10)], 7)
    '1 of 7 days has no log of the tape system and is left out of all totals'
    """
    has, are = ("has", "is") if len(missing) == 1 else ("have", "are")
    text = f"{len(missing)} of {n_days} days {has} no log of the tape system and {are} left out of all totals"
    return text if missing else ""


def instant(value: datetime, zone: str, to: str = "%H:%M:%S") -> str:
    """An instant of the warehouse (UTC) on the clock of the site, whose zone it names.

    >>> instant(datetime(2010, 3, 10, 14, 45), "America/Chicago")
    '2010-03-10 08:45:00 CST'
    >>> instant(datetime(2010, 3, 10, 14), "America/Sao_Paulo", "%H:%M")
    '2010-03-10 11:00 UTC-03'
    """
    here = _here(value, zone)
    return f"{here:%Y-%m-%d {to}} {_zone_name(here)}"


def span(begin: datetime, end: datetime, zone: str) -> str:
    """From one instant of the warehouse to another, to the minute; their common part appears once.

    >>> span(datetime(2010, 3, 10, 15, 5), datetime(2010, 3, 10, 17, 29), "America/Chicago")
    '2010-03-10 09:05 to 11:29 CST'
    >>> span(datetime(2010, 3, 14, 7), datetime(2010, 3, 14, 9), "America/Chicago")
    '2010-03-14 01:00 CST to 04:00 CDT'
    """
    first, last = _here(begin, zone), _here(end, zone)
    name = "" if _zone_name(first) == _zone_name(last) else f" {_zone_name(first)}"
    until = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M}{name} to {until} {_zone_name(last)}"


def _here(value: datetime, zone: str) -> datetime:
    return value.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))


def _zone_name(here: datetime) -> str:
    """A zone without letters of its own, such as -03, is named by its distance from UTC."""
    name = f"{here:%Z}"
    return name if name.isalpha() else f"UTC{name}"
