"""The period of files: what an [[input]] may declare as expected, so that holes between them show."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

_BEGINS, _ENDS = ("from_at", "logged_at"), ("to_at", "logged_at")
_RATES = ("in_bytes_s", "out_bytes_s")
_APART = timedelta(hours=1)  # of two hosts' logs: periods that differ by more are not declared together


@dataclass(frozen=True)
class Period:
    """The first and the last instant of a file's rows; by the site's clock where `is_local`, else UTC."""

    begin: datetime
    end: datetime
    is_local: bool = True


def period_of(tables: dict[str, pl.DataFrame]) -> Period | None:
    """What the rows of a file span; zeros before a link's first traffic are no rows."""
    begins: list[datetime] = []
    ends: list[datetime] = []
    for rows in tables.values():
        active = rows.filter(pl.max_horizontal(*_RATES) > 0) if set(_RATES) <= set(rows.columns) else rows
        for names, found, least in ((_BEGINS, begins, True), (_ENDS, ends, False)):
            name = next((name for name in names if name in active.columns), None)
            at = None if name is None else active[name].min() if least else active[name].max()
            if isinstance(at, datetime):
                found.append(at)
    return Period(min(begins), max(ends)) if begins and ends and min(begins) < max(ends) else None


def declared(periods: dict[str, list[Period]], zone: str) -> str:
    """`expect` of an input whose files are of these hosts or links; empty where their periods are not one and the same.

    >>> one = Period(datetime(2011, 10, 29, 9, 5), datetime(2011, 10, 29, 14, 20))
    >>> declared({"": [one]}, "Europe/Berlin")
    '{ from = 2011-10-29T09:05:00+02:00, to = 2011-10-29T14:20:00+02:00 }'
    >>> later = Period(datetime(2011, 10, 30, 9, 5), datetime(2011, 10, 30, 14, 20), is_local=False)
    >>> declared({"a": [one], "b": [later]}, "UTC"), declared({"b": [later]}, "Europe/Berlin")
    ('', '{ from = 2011-10-30T09:05:00Z, to = 2011-10-30T14:20:00Z }')
    """
    spans = [
        Period(min(one.begin for one in of), max(one.end for one in of), all(one.is_local for one in of))
        for of in periods.values()
    ]
    first = next(iter(spans), None)
    if first is None or any(
        abs(one.begin - first.begin) > _APART or abs(one.end - first.end) > _APART for one in spans
    ):
        return ""
    # what all of them span, in whole minutes: time outside was never promised, and would count as a hole
    begin, end = max(one.begin for one in spans), min(one.end for one in spans)
    edges = begin.replace(second=0, microsecond=0), end.replace(second=0, microsecond=0)
    edges = edges[0] if edges[0] == begin else edges[0] + timedelta(minutes=1), edges[1]
    if edges[0] >= edges[1]:
        return ""
    ends = [_local(at, zone, first.is_local) for at in edges]
    return f"{{ from = {ends[0]}, to = {ends[1]} }}"


def _local(at: datetime, zone: str, is_local: bool) -> str:
    aware = at.replace(tzinfo=ZoneInfo(zone) if is_local else UTC)
    return aware.isoformat().removesuffix("+00:00") + ("Z" if aware.utcoffset() == timedelta() else "")
