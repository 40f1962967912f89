"""The period of files: what an [[input]] may declare as expected, so that holes between them show."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.config.site import Site

_BEGINS, _ENDS = ("from_at", "logged_at"), ("to_at", "logged_at")
_RATES = ("in_bytes_s", "out_bytes_s")
_SILENCE = timedelta(seconds=Site.model_fields["log_silence_s"].default)
_FIRST = datetime(1990, 1, 1)
_APART = timedelta(hours=1)  # of two hosts' logs: periods that differ by more are not declared together


@dataclass(frozen=True)
class Period:
    """The first and the last instant of a file's rows; by the site's clock where `is_local`, else UTC."""

    begin: datetime
    end: datetime
    is_local: bool = True


def period_of(tables: dict[str, pl.DataFrame], modified_at: datetime | None) -> Period | None:
    """What the rows of a file span; zeros before a link's first traffic, and rows with impossible dates, do not count.

    None for single readings that are further apart than `log_silence_s`: such a log never covers the time between them.
    """
    begins: list[datetime] = []
    ends: list[datetime] = []
    for rows in tables.values():
        active = rows.filter(pl.max_horizontal(*_RATES) > 0) if set(_RATES) <= set(rows.columns) else rows
        for names, found, least in ((_BEGINS, begins, True), (_ENDS, ends, False)):
            name = next((name for name in names if name in active.columns), None)
            possible = None if name is None else active.filter(_is_possible(name, modified_at))[name]
            at = None if possible is None else possible.min() if least else possible.max()
            if isinstance(at, datetime):
                found.append(at)
    has_span = begins and ends and min(begins) < max(ends)
    return Period(min(begins), max(ends)) if has_span and not _is_sparse(tables.values()) else None


def _is_possible(name: str, modified_at: datetime | None) -> pl.Expr:
    """Instants since 1990, and up to a day after the file was written: local times may run ahead of UTC."""
    since = pl.col(name) >= _FIRST
    if modified_at is None or modified_at < _FIRST:
        return since
    return since & (pl.col(name) <= modified_at + timedelta(days=1))


def _is_sparse(tables: Collection[pl.DataFrame]) -> bool:
    """Whether rows are single instants, and most steps from one to the next are longer than a log may be silent."""
    if any(_BEGINS[0] in rows.columns and rows.height for rows in tables):
        return False
    instants = pl.concat([rows["logged_at"] for rows in tables if "logged_at" in rows.columns])
    step = instants.drop_nulls().unique().sort().diff().median()
    return isinstance(step, timedelta) and step > _SILENCE


@dataclass(frozen=True)
class Expected:
    """`expect` of an [[input]] as site.toml writes it, and why it is no more than a comment there."""

    period: str = ""
    doubt: str = ""


def expected(periods: dict[str, list[Period]], zone: str) -> Expected:
    """What an input with files of these hosts or links may declare: a period only if each has logs for most of it.

    >>> one = Period(datetime(2011, 10, 29, 9, 5), datetime(2011, 10, 29, 14, 20))
    >>> expected({"": [one]}, "Europe/Berlin").period
    '{ from = 2011-10-29T09:05:00+02:00, to = 2011-10-29T14:20:00+02:00 }'
    >>> later = Period(datetime(2011, 10, 30, 9, 5), datetime(2011, 10, 30, 14, 20), is_local=False)
    >>> expected({"b": [later]}, "Europe/Berlin")
    Expected(period='{ from = 2011-10-30T09:05:00Z, to = 2011-10-30T14:20:00Z }', doubt='')
    >>> expected({"a": [one], "b": [later]}, "UTC").doubt
    'the logs of 2 hosts or links cover different periods'
    >>> expected({"a": [one, later]}, "UTC").doubt
    'the logs cover only 10.50 h of the 29.25 h from their first row to their last'
    """
    spans = [
        Period(min(one.begin for one in of), max(one.end for one in of), all(one.is_local for one in of))
        for of in periods.values()
    ]
    first = next(iter(spans), None)
    if first is None:
        return Expected()
    if any(abs(one.begin - first.begin) > _APART or abs(one.end - first.end) > _APART for one in spans):
        return Expected(doubt=f"the logs of {len(spans)} hosts or links cover different periods")
    # what all of them span, in whole minutes: time outside was never promised, and would count as a hole
    begin, end = max(one.begin for one in spans), min(one.end for one in spans)
    edges = begin.replace(second=0, microsecond=0), end.replace(second=0, microsecond=0)
    edges = edges[0] if edges[0] == begin else edges[0] + timedelta(minutes=1), edges[1]
    if edges[0] >= edges[1]:
        return Expected()
    ends = [_local(at, zone, first.is_local) for at in edges]
    doubts = (_holes(of, span.end - span.begin) for of, span in zip(periods.values(), spans, strict=True))
    return Expected(f"{{ from = {ends[0]}, to = {ends[1]} }}", next(filter(None, doubts), ""))


def _holes(periods: list[Period], span: timedelta) -> str:
    """Why logs of one host or link are no log that goes on: they cover less than half of the time; else ''."""
    covered, reached = timedelta(), datetime.min
    for one in sorted(periods, key=lambda one: one.begin):
        covered += max(one.end, reached) - max(one.begin, reached)
        reached = max(one.end, reached)
    if 2 * covered >= span:
        return ""
    hours = [f"{length / timedelta(hours=1):,.2f} h" for length in (covered, span)]
    return f"the logs cover only {hours[0]} of the {hours[1]} from their first row to their last"


def _local(at: datetime, zone: str, is_local: bool) -> str:
    aware = at.replace(tzinfo=ZoneInfo(zone) if is_local else UTC)
    return aware.isoformat().removesuffix("+00:00") + ("Z" if aware.utcoffset() == timedelta() else "")
