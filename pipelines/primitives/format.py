"""Values as people read them: labels, units, decimals, intervals and prices of CLI, report, pages and mail.

What programs read (`--format json`, CSV) is not formatted.
"""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, Protocol

from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.text import escape_control
from pipelines.primitives.times import instant

NOTHING = "–"
SHARE = "%"
NUMBERS = ("DOUBLE", "BIGINT", "INTEGER", "HUGEINT")
# Decimals by unit; a number without a unit has four significant digits.
_DECIMALS = {"GB/day": 0, "KB": 0, "MB/s": 1, "s": 1, "d": 1, "min": 1, "drives": 1, SHARE: 1, "1": 3}
_OTHER_DECIMALS = 2
_SHORT = {"drive_rate_basis": "basis"}
# Bases of a drive rate, for a sentence; the estimate is written out in cells too, because it is not a measurement.
BASES = {
    "call": "measured in drive calls",
    "block": "measured in the loop over blocks",
    "counter": "measured in reads or writes, as the kernel counted them",
    "encp": "encp: the client's time, which includes waits and file marks",
    "estimate": "estimate: length of the TSM sessions less their waits, not measured at the drive",
}
# Ends of column names that repeat the unit.
_UNIT_ENDS = re.compile(r"_(gb_day|bytes_s|mb_s|hours|days|drives|gb|mb|tb|s)(?=(_low|_high)?$)")
_SHARE_NAMES = re.compile(r"(^|_)(share|coverage)(_low|_high)?$|^(share|coverage)_|^needed$")


class Column(Protocol):
    """What a heading and a cell depend on; `pipelines.catalog.contracts.Column` is one."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def unit(self) -> str: ...


# The unit that a name's end means, longest first.
_UNITS = {
    "_gb_day": "GB/day",
    "_mb_s": "MB/s",
    "_hours": "h",
    "_drives": "drives",
    "_share": "1",
    "_days": "d",
    "_gb": "GB",
    "_mb": "MB",
    "_tb": "TB",
    "_s": "s",
}


def unit_of(name: str) -> str:
    """The unit that a column's name ends in; counts have none.

    >>> unit_of("speed_mb_s_low"), unit_of("n_days"), unit_of("error_share")
    ('MB/s', '', '1')
    """
    stem = name.removesuffix("_low").removesuffix("_high")
    is_count = name.startswith("n_")
    return "" if is_count else next((unit for end, unit in _UNITS.items() if stem.endswith(end)), "")


def label(column: Column) -> str:
    """A column's name for a heading; the unit is next to it."""
    name = _SHORT.get(column.name, column.name)
    if column.unit:
        name = _UNIT_ENDS.sub("", name)
    return name.removeprefix("n_").replace("_", " ")


def is_share(column: Column) -> bool:
    """Shares and coverage are shown in percent; duty factors and f are not."""
    return column.unit == "1" and bool(_SHARE_NAMES.search(column.name))


def unit(column: Column) -> str:
    """The unit for a heading; nothing where a value has none."""
    return SHARE if is_share(column) else "" if column.unit == "1" else column.unit


def heading(column: Column) -> str:
    """Label and unit: `lost_gb_day` is `lost [GB/day]`; instants are UTC."""
    shown = "UTC" if column.type == "TIMESTAMP" else unit(column)
    return f"{label(column)} [{shown}]" if shown else label(column)


def is_number(column: Column) -> bool:
    """Whether the column is set to the right."""
    return column.type in NUMBERS


def decimals(column: Column) -> int | None:
    """Digits after the point; None for a number without a unit, which has four significant ones."""
    return _decimals(unit(column) or column.unit)


def _decimals(unit: str) -> int | None:
    return _DECIMALS.get(unit, _OTHER_DECIMALS) if unit else None


def fixed(value: float, unit: str) -> str:
    """A number with the decimals of its unit; a small one is not shown as 0, nor a share below 100 % as 100 %.

    >>> fixed(15.883, "h"), fixed(0.001, "h"), fixed(0.0, "h"), fixed(1234.5, "GB/day")
    ('15.88', '<0.01', '0.00', '1,234')
    >>> fixed(99.97, "%"), fixed(100.0, "%"), fixed(99.94, "%")
    ('>99.9', '100.0', '99.9')
    >>> fixed(0.123456, ""), fixed(9999.4, ""), fixed(9999.6, ""), fixed(-0.001, "s")
    ('0.1235', '9999', '10,000', '0.0')
    """
    n_decimals = _decimals(unit)
    if n_decimals is None:
        return f"{value:,.0f}" if abs(value) >= 9_999.5 else f"{value:.4g}"
    least = 10.0**-n_decimals
    if unit == SHARE and 100 - least / 2 <= value < 100 - 1e-9:  # all but a part; sums can miss all by their last bits
        return f">{100 - least:.{n_decimals}f}"
    return f"<{least:.{n_decimals}f}" if 0 < value < least / 2 else f"{value:z,.{n_decimals}f}"  # z: no -0.0


def decimals_below(usual: int, shares: Iterable[float | None]) -> int:
    """Decimals at which no share below 100 % is rounded to it: the usual ones at least.

    >>> [decimals_below(1, [0.5, share, None]) for share in (0.9, 1.0, 0.9996, 0.99999)]
    [1, 1, 2, 3]
    """
    highest = max((share for share in shares if share is not None and share < 1 - 1e-11), default=0.0)
    return next((n for n in range(usual, 6) if 100 - 100 * highest > 0.5 * 10.0**-n), 6)


def decimals_apart(low: float, high: float, unit: str) -> int:
    """Decimals at which two ends of a scale, and values between them, differ: those of their unit at least.

    >>> decimals_apart(0.093, 0.131, "drives"), decimals_apart(22.1, 31.6, "drives"), decimals_apart(2.0, 2.0, "h")
    (3, 1, 2)
    """
    usual = _decimals(unit) or 0
    return max(usual, min(6, 1 - math.floor(math.log10(high - low)))) if high > low else usual


def d3_format(unit: str) -> str:
    """The same for charts, as Vega's number formats have it.

    >>> d3_format("GB/day"), d3_format("s"), d3_format("%"), d3_format("")
    (',.0f', ',.1f', ',.1%', ',.4~r')
    """
    n_decimals = _decimals(unit)
    return ",.4~r" if n_decimals is None else f",.{n_decimals}{SHARE if unit == SHARE else 'f'}"


def quantity(value: float | None, unit: str) -> str:
    """A number with its unit, for a sentence.

    >>> quantity(394.2, "GB/day"), quantity(None, "h")
    ('394 GB/day', '–')
    """
    return NOTHING if value is None else f"{fixed(value, unit)} {unit}"


def cell(value: Any, column: Column, zone: str = "UTC") -> str:
    """A value of a column, without its unit, which the heading has; instants on the clock of a zone."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}" if zone == "UTC" else instant(value, zone)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return fixed(100 * value, SHARE) if is_share(column) else fixed(value, column.unit)
    if column.name == "drive_rate_basis" and value == "estimate":
        return BASES[value]
    return escape_control(str(value))


def table(
    columns: Sequence[Column], rows: Iterable[Sequence[Any]], zone: str = "UTC"
) -> tuple[list[Column], list[list[str]]]:
    """Columns and cells of a table; an interval's ends, `x_low` and `x_high`, are put into the cells of `x`."""
    place = {column.name: n for n, column in enumerate(columns)}
    ends = {name: (place.get(f"{name}_low"), place.get(f"{name}_high")) for name in place}
    merged = {end for pair in ends.values() if None not in pair for end in pair}

    def shown(row: Sequence[Any], n: int) -> str:
        low, high = ends[columns[n].name]
        text = cell(row[n], columns[n], zone)
        if low is None or high is None or (row[low] is None and row[high] is None):
            return text
        return f"{text} ({cell(row[low], columns[low], zone)} to {cell(row[high], columns[high], zone)})"

    kept = [n for n in range(len(columns)) if n not in merged]
    return [columns[n] for n in kept], [[shown(row, n) for n in kept] for row in rows]


def interval(found: Estimate | NoEstimate, unit: str = "") -> str:
    """A value and its interval, both with the decimals of the unit; shares (`%`) are given as such.

    >>> interval(Estimate(0.1, 0.05, 0.2), "%"), interval(Estimate(80, 79.5, 81.25), "MB/s")
    ('10.0 % (5.0 to 20.0)', '80.0 MB/s (79.5 to 81.2)')
    >>> interval(NoEstimate("4 mounts for 2 costs", "at least 5 mounts"))
    'cannot estimate'
    """
    if isinstance(found, NoEstimate):
        return "cannot estimate"
    value, low, high = (
        fixed(100 * end if unit == SHARE else end, unit) for end in (found.value, found.low, found.high)
    )
    return f"{value}{f' {unit}' if unit not in ('', '1') else ''} ({low} to {high})"


def no_estimate(found: NoEstimate, what: str = "") -> str:
    """Why there is no estimate, and which data would give one.

    >>> no_estimate(NoEstimate("4 mounts for 2 costs", "at least 5 mounts"), "costs")
    'cannot estimate costs: 4 mounts for 2 costs; data needed: at least 5 mounts'
    """
    data = f"; data needed: {found.data_needed}" if found.data_needed else ""
    return f"cannot estimate{f' {what}' if what else ''}: {found.reason}{data}"


def number(value: float) -> str:
    """A number in a sentence that no column has, with as many decimals as its size deserves.

    >>> number(13875.4), number(160.685), number(9.719141), number(0.75), number(0.0825), number(11702)
    ('13,875', '160.7', '9.72', '0.75', '0.083', '11,702')
    """
    size = abs(value)
    n_decimals = (
        0 if isinstance(value, int) or size >= 1000 or value == 0 else 1 if size >= 100 else 2 if size >= 0.1 else 3
    )
    return f"{value:,.{n_decimals}f}"


def counted(n: int, noun: str) -> str:
    """A count and what was counted.

    >>> counted(1, "mount"), counted(11702, "file")
    ('1 mount', '11,702 files')
    """
    return f"{number(n)} {noun}" if n == 1 else f"{number(n)} {noun}s"


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> listed(["D1", "D2", "D3"], 2), listed(["D1", "D2"], 2)
    ('D1, D2 and 1 more', 'D1, D2')
    """
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def percent(share: float) -> str:
    """A share for a sentence; a small one is not rounded to 0, and one below the whole not to all of it.

    >>> percent(0.2166), percent(0.0003), percent(0)
    ('22 %', '0.03 %', '0 %')
    >>> percent(0.9964), percent(0.99996), percent(1.0)
    ('99.6 %', '>99.9 %', '100 %')
    >>> percent(6.6e-14), percent(6.6e-9)
    ('0 %', '<0.0001 %')
    """
    value = 100 * share
    if 0 < value < 1e-4:  # two equal sums can differ by their last bits
        return "<0.0001 %" if value > 1e-9 else "0 %"
    if 99.5 <= value < 100 - 1e-9:  # the sum of fractions can miss the whole by its last bits
        return f"{value:.1f} %" if value < 99.95 else ">99.9 %"
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %" if value >= 1 else f"{value:.2g} %"


def duration(seconds: float) -> str:
    """A length of time for a sentence.

    >>> duration(7325), duration(119.6), duration(2.345)
    ('2.03 h', '120 s', '2.35 s')
    """
    if seconds >= 3600:
        return f"{seconds / 3600:.2f} h"
    return f"{seconds:.0f} s" if seconds >= 100 else f"{seconds:.3g} s"


_NO_GAIN = {
    "link": "nothing to gain while the link is full",
    "output": "nothing to gain while the drives that write are the bottleneck",
}


def gain(row: dict[str, Any]) -> str:
    """What fixing a cause would bring, with its 90 % interval where it has one.

    >>> gain({"gain_gb_day": 394.2, "gain_gb_day_low": 340.0, "gain_gb_day_high": 452.0})
    '394 GB/day to gain (340 to 452)'
    >>> gain({"gain_gb_day": 92.3, "gain_gb_day_low": 92.2, "gain_gb_day_high": 92.4})
    '92 GB/day to gain'
    >>> gain({"gain_gb_day": 0.0})
    'nothing to gain until more work is queued'
    """
    if not row["gain_gb_day"]:
        return _NO_GAIN.get(row.get("bottleneck") or "", "nothing to gain until more work is queued")
    low, high = row.get("gain_gb_day_low"), row.get("gain_gb_day_high")
    ends = () if low is None or high is None else (fixed(low, "GB/day"), fixed(high, "GB/day"))
    spread = f" ({' to '.join(ends)})" if len(set(ends)) > 1 else ""  # ends that print alike add nothing
    return f"{quantity(row['gain_gb_day'], 'GB/day')} to gain{spread}"


def price(row: dict[str, Any]) -> str:
    """The gain where one is known, else what all of the lost time could have moved, at most; and the hours lost.

    >>> price({"gain_gb_day": None, "lost_gb_day": 615.0, "lost_hours": 8.0})
    'at most 615 GB/day, 8.00 h lost'
    >>> price({"gain_gb_day": None, "lost_gb_day": None, "lost_hours": None})
    'cost not estimated'
    """
    hours = f"{quantity(row['lost_hours'], 'h')} lost" if row["lost_hours"] else ""
    if row["gain_gb_day"] is not None:
        return "; ".join(filter(None, (gain(row), hours)))
    volume = quantity(row["lost_gb_day"], "GB/day") if row["lost_gb_day"] else ""
    return f"at most {', '.join(filter(None, (volume, hours)))}" if volume or hours else "cost not estimated"
