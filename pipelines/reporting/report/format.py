"""Values as people read them: the same words in every printed form."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.catalog.contracts import Column
from pipelines.primitives.text import escape_control

NOTHING = "–"
_DECIMALS = {"h": 2, "TB": 2, "GB": 1, "MB/s": 1, "s": 1, "GB/day": 0, "1": 2}
_SHORT = {"drive_rate_basis": "basis"}
# Ends of column names that repeat the unit, longest first.
_UNIT_ENDS = ("_gb_day", "_mb_s", "_hours", "_gb", "_tb", "_s")


def label(column: Column) -> str:
    """A column's name for a heading; the unit stands beside it.

    >>> label(Column("active_in_mb_s", "DOUBLE", "", "MB/s"))
    'active in'
    """
    name = _SHORT.get(column.name, column.name)
    if column.unit:
        name = next((name.removesuffix(end) for end in _UNIT_ENDS if name.endswith(end)), name)
    return name.removeprefix("n_").replace("_", " ")


def is_share(column: Column) -> bool:
    """Shares and coverage are read in percent; duty factors and f are not."""
    return column.unit == "1" and column.name.startswith(("share", "coverage"))


def unit(column: Column) -> str:
    """The unit for a heading; nothing where a value has none."""
    return "%" if is_share(column) else "" if column.unit == "1" else column.unit


def number(value: float) -> str:
    """A number in a sentence, with as many decimals as its size deserves.

    >>> number(13875.4), number(160.685), number(9.719141), number(0.75), number(0.0825), number(11702)
    ('13,875', '160.7', '9.72', '0.75', '0.083', '11,702')
    """
    size = abs(value)
    decimals = (
        0 if isinstance(value, int) or size >= 1000 or value == 0 else 1 if size >= 100 else 2 if size >= 0.1 else 3
    )
    return f"{value:,.{decimals}f}"


_NO_GAIN = {
    "link": "nothing to gain while the link is full",
    "output": "nothing to gain while the drives that write take no more",
}


def gain_text(row: dict[str, Any]) -> str:
    """What a mend would bring, with the bounds of its 90 % interval where it has one.

    >>> gain_text({"gain_gb_day": 394.2, "gain_least_gb_day": 340.0, "gain_most_gb_day": 452.0})
    '394.2 GB/day to gain (340.0 to 452.0)'
    >>> gain_text({"gain_gb_day": 0.0, "gain_least_gb_day": None, "gain_most_gb_day": None})
    'nothing to gain until more work is queued'
    """
    if not row["gain_gb_day"]:
        return _NO_GAIN.get(row.get("bottleneck") or "", "nothing to gain until more work is queued")
    least, most = row["gain_least_gb_day"], row["gain_most_gb_day"]
    spread = "" if least is None or most is None else f" ({number(least)} to {number(most)})"
    return f"{number(row['gain_gb_day'])} GB/day to gain{spread}"


def worth(row: dict[str, Any]) -> str:
    """The gain of a loss, or what it cost at most where no gain is known.

    >>> worth({"gain_gb_day": None, "lost_gb_day": 615.0})
    'at most 615.0 GB/day'
    >>> worth({"gain_gb_day": None, "lost_gb_day": None, "lost_hours": 8.0})
    'at most 8.00 h, worth an unknown amount'
    """
    if row["gain_gb_day"] is not None:
        return gain_text(row)
    if row["lost_gb_day"] is not None:
        return f"at most {number(row['lost_gb_day'])} GB/day"
    return f"at most {number(row['lost_hours'])} h, worth an unknown amount"


def counted(n: int, noun: str) -> str:
    """A count and what was counted.

    >>> counted(1, "mount"), counted(11702, "file")
    ('1 mount', '11,702 files')
    """
    return f"{number(n)} {noun}" if n == 1 else f"{number(n)} {noun}s"


def percent(share: float) -> str:
    """A share for a sentence; what is there is never rounded away.

    >>> percent(0.2166), percent(0.0003), percent(0)
    ('22 %', '0.03 %', '0 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %" if value >= 1 else f"{value:.2g} %"


def day_text(day: date | None) -> str:
    """A day as it is said.

    >>> day_text(date(2010, 3, 10))
    '10 March 2010'
    """
    return f"{day.day} {day:%B %Y}" if day else "no day with data"


def days_text(first: date | None, last: date | None) -> str:
    """The days of a period as they are said.

    >>> days_text(date(2010, 3, 4), date(2010, 3, 10)), days_text(date(2010, 2, 27), date(2010, 3, 5))
    ('4 to 10 March 2010', '27 February to 5 March 2010')
    """
    if first is None or last is None or first == last:
        return day_text(last)
    if first.year != last.year:
        return f"{day_text(first)} to {day_text(last)}"
    month = "" if first.month == last.month else f" {first:%B}"
    return f"{first.day}{month} to {day_text(last)}"


def instant(value: datetime, zone: str) -> str:
    """An instant of the warehouse (UTC) on the clock of the site.

    >>> instant(datetime(2010, 3, 10, 14, 45), "America/Chicago")
    '2010-03-10 08:45:00 CST'
    """
    return f"{value.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M:%S %Z}"


def show(value: Any, column: Column, zone: str) -> str:
    """A cell, without its unit, which the heading has."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return escape_control(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return instant(value, zone)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return f"{value:,}"
    return _fixed(100 * value, 1) if is_share(column) else _fixed(value, _DECIMALS.get(column.unit, 3))


def _fixed(value: float, decimals: int) -> str:
    """Decimals that make a column even; what is there is not shown as nothing.

    >>> _fixed(15.883, 2), _fixed(0.0075, 2), _fixed(0.001, 2), _fixed(0.0, 2)
    ('15.88', '0.01', '<0.01', '0.00')
    """
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}" if 0 < value < least / 2 else f"{value:,.{decimals}f}"


def is_number(column: Column) -> bool:
    """Whether the column is set to the right."""
    return column.type in ("DOUBLE", "BIGINT", "INTEGER")
