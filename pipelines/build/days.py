"""Which days a build must make again, and which it must read to do so.

Days are linked when a mount, an outage or a request spans midnight. With a day that changed, the days linked to it are
made again, and all days linked to those are read: so each row is made of all lines about its mount, outage or request,
and a build of some days gives the rows that a build of all days would give.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from pipelines.build.day_pairs import CTA_REQUESTS, ENSTORE_REQUESTS, HOLES, LINKS
from pipelines.catalog.sql_inspect import bind
from pipelines.primitives.clock import day_bounds, site_days
from pipelines.primitives.times import days_between

DAY = timedelta(days=1)


class DayLinks:
    """The links between days at the time of the first question; `ask` answers SQL about all days."""

    def __init__(self, ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
        self._ask = ask
        self._pairs: dict[str, set[tuple[date, date]]] = {}
        self._asked: dict[str, set[date]] = {}

    @cached_property
    def _spans(self) -> list[tuple[date, date]]:
        return sorted((first, last) for first, last in self._ask(LINKS) if last is not None and last > first)

    @cached_property
    def _holes(self) -> set[tuple[date, date]]:
        return {(first, last) for first, last in self._ask(HOLES) if last is not None and last > first + DAY}

    def neighbours(self, days: Iterable[date]) -> set[date]:
        """Each day with the one before and after, and with the next one of a log that has a hole there."""
        days = set(days)
        return with_neighbours(days) | {day for hole in self._holes if not days.isdisjoint(hole) for day in hole}

    def close(self, days: Iterable[date]) -> set[date]:
        """The days and all days linked to them: those of each mount, outage or request that is open on one of them.

        Not those linked to the latter in turn: on a busy archive a mount spans each midnight.
        """
        ordered = sorted(set(days))
        touched = (
            (first, last)
            for first, last in self._spans
            if (place := bisect_left(ordered, first)) < len(ordered) and ordered[place] <= last
        )
        return set(ordered).union(*(days_between(first, last) for first, last in touched))

    def close_requests(self, days: set[date]) -> set[date]:
        """The days, and all days whose requests a change on them can affect.

        A line of CTA that comes or goes moves its request to another file, or its file to another request, which may
        be on a further day. Lines of Enstore name their request.
        """
        return self.waits(self.waits(days), (CTA_REQUESTS,))

    def note_changed(self, name: str) -> None:
        """A relation has other rows: what is read from it is asked for again, for days may have further pairs."""
        for sql, asked in self._asked.items():
            if name in sql:
                asked.clear()

    def waits(self, days: set[date], kinds: tuple[str, ...] = (ENSTORE_REQUESTS, CTA_REQUESTS)) -> set[date]:
        """The days, and those with lines about the same requests, however long these waited."""
        if not days:
            return set()
        found = set(days)
        for sql in kinds:
            pairs = self._pairs.setdefault(sql, set())
            if new := days - self._asked.setdefault(sql, set()):
                # what was built before is overwritten while the build goes on: a pair that was found once is kept
                pairs.update(self._ask(bind(sql, {"days": sorted(new)})))
                self._asked[sql] |= new
            found |= {other for day, other in pairs if day in days and other is not None}
        return found


def with_neighbours(days: Iterable[date]) -> set[date]:
    """Each day with the one before and after."""
    return {day + DAY * n for day in days for n in (-1, 0, 1)}


def site_days_of(utc_days: Iterable[date], zone: str) -> set[date]:
    """Calendar days of the site's zone that overlap some UTC days."""
    return {
        found
        for day in utc_days
        for found in site_days(datetime.combine(day, time.min), datetime.combine(day, time.max), zone)
    }


def utc_days_of(days: Iterable[date], zone: str) -> set[date]:
    """UTC days that overlap some calendar days of the site's zone."""
    bounds = (day_bounds(day, zone) for day in days)
    return {found for begin, end in bounds for found in site_days(begin, end - timedelta(microseconds=1), "UTC")}
