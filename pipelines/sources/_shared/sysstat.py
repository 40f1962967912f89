"""Text that sysstat's tools (iostat, sar, tapestat, …) have in common: banner, dates, clock stamps and number cells.

    Linux 5.14.0-70.el9.x86_64 (spool3.example.org)   04/05/26   _x86_64_   (16 CPU)

The format of a date depends on the locale of whoever ran the tool, and 04/05/26 does not show which part is the month.
It is decided once for a file, in this order: a part above 12 anywhere in the file's head; the only reading in which the
dates of the head do not run backwards; `date_order` of site.toml; a year of four digits with an AM or PM clock, which
only the United States write so. Otherwise the file is refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from pipelines.primitives.clock import DAY_S
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import dated, offset_of
from pipelines.sources.packing import COLOUR
from pipelines.sources.protocol import Carry, Origin

_BANNER = re.compile(r"Linux (\S+) \((\S*)\)(?: (.*?))??(?: (_\S*_))?(?: \((\d+) CPU\))?")
_FOREIGN = {"SunOS ": "Solaris", "AIX ": "AIX", "HP-UX ": "HP-UX", "Darwin ": "macOS", "FreeBSD ": "FreeBSD"}

_HALF = r"([AaPp][Mm]|上午|下午|午前|午後|πμ|μμ)"
# Groups: half of the day (before or after the time), hour, minute, second.
TIME = rf"(?:{_HALF} ?)?([0-9]{{1,2}})(?:[:.時时]|시 )([0-9]{{2}})(?:[:.分]|분 )([0-9]{{2}})[秒초]?(?: ?{_HALF})?"
_LATER_HALVES = ["PM", "pm", "Pm", "下午", "午後", "μμ"]
_DATE = r"[0-9]{1,4}(?:[-./年]|[.년] )[0-9]{1,2}(?:[-./月]|[.월] )[0-9]{1,4}[日일.]?"
_LABEL = r"[^\W\d_]{1,20} ?: "  # Time: in any language
_STAMP = rf"^(?:{_LABEL})?(?:({_DATE})[ T])?{TIME}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})?$"
UNDATED = rf"^(?:{_LABEL})?{TIME}"  # a stamp that takes the day of the banner
_GROUPS = ["date", "early", "hour", "minute", "second", "late", "offset"]
_EPOCH = r"^[0-9]{9,10}$"
IS_STAMP = rf"{_STAMP}|{_EPOCH}"  # does a line, with single blanks, hold a clock stamp and nothing else?

_YEAR_FIRST = re.compile(r"(\d{4})(?:[-./年]|년 )(\d{1,2})(?:[-./月]|월 )(\d{1,2})[日일.]?")
# Points and dashes: German, Russian, Dutch, …
_DAY_FIRST = re.compile(r"(\d{1,2})(?:[-.]|\. )(\d{1,2})(?:[-.]|\. )(\d{4}|\d\d)\.?")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)")
_TELLING = re.compile(rf'Linux \S|{_LABEL}|\d|\s*"(date|timestamp)"')  # lines of a head that may hold a date
_SLASHED_INSIDE = re.compile(rf"(?<![\d/]){_SLASHED.pattern}(?![\d/])")
_LONG_YEAR = re.compile(r"(?<![\d/])\d\d/\d\d/\d{4}(?![\d/])")
_HALF_DAY = re.compile(r"\b\d\d:\d\d:\d\d [AP]M\b")
_PIVOT = 80  # years of two digits below it are of this century: sysstat is no older than 1999

SUFFIXES = {"B": 1, "k": 2**10, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
_CELL = r"^(-?\d+(?:[.,]\d+)?)([BkKMGTP%]?)$"


class Banner(NamedTuple):
    """The first line of a run: host and date as printed, and processors if the version prints them."""

    host: str
    date: str
    n_cpus: int | None


def without_colours(lines: pl.DataFrame) -> pl.DataFrame:
    """LINES without the sequences that colour text on a terminal: S_COLORS=always writes them into files too."""
    has_any = lines["text"].str.contains("\x1b", literal=True).any()
    return lines.with_columns(pl.col("text").str.replace_all(COLOUR, "")) if has_any else lines


def read_banner(flat: str) -> Banner | None:
    """A banner, given with single blanks; None for another line.

    >>> read_banner("Linux 2.6.12.6 ((none)) 04/11/23")
    Banner(host='', date='04/11/23', n_cpus=None)
    >>> read_banner("Linux 3.10.0 (dm8.example.org) 2026-11-21 _x86_64_ (32 CPU)")
    Banner(host='dm8.example.org', date='2026-11-21', n_cpus=32)
    """
    match = _BANNER.fullmatch(flat)
    if match is None:
        return None
    _, host, day, _, cpus = match.groups()
    return Banner("" if host == "(none)" else host, day or "", int(cpus) if cpus and len(cpus) < 7 else None)


def foreign_banner(flat: str) -> str:
    """The system whose tool begins its output with this line, if it is not Linux."""
    return next((name for start, name in _FOREIGN.items() if flat.startswith(start)), "")


def date_order(head: Iterable[str], origin: Origin) -> str:
    """`dmy` or `mdy` for dates with slashes, '' if nothing decides; from the head alone, so that all chunks agree."""
    dated = [line for line in head if _TELLING.match(line)]
    parts = [(int(a), int(b), _year(c)) for line in dated for a, b, c in _SLASHED_INSIDE.findall(line)]
    is_dmy = any(a > 12 >= b for a, b, _ in parts)
    is_mdy = any(b > 12 >= a for a, b, _ in parts)
    if is_dmy != is_mdy:
        return "dmy" if is_dmy else "mdy"
    if not is_dmy:
        rises_dmy = _is_rising([(year, b, a) for a, b, year in parts])
        rises_mdy = _is_rising([(year, a, b) for a, b, year in parts])
        if rises_dmy != rises_mdy:
            return "dmy" if rises_dmy else "mdy"
    if origin.date_order:
        return origin.date_order
    is_american = all(any(pattern.search(line) for line in dated) for pattern in (_LONG_YEAR, _HALF_DAY))
    return "mdy" if is_american and not is_dmy else ""


def _is_rising(days: Sequence[tuple[int, int, int]]) -> bool:
    return all(a <= b for a, b in pairwise(days))


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < _PIVOT else 1900)


def read_date(text: str, order: str) -> date | None:
    """A day as any locale writes it; None for other text. Raises UnreadableFile where day and month are ambiguous.

    >>> read_date("21.11.2026", ""), read_date("2012年08月13日", "")
    (datetime.date(2026, 11, 21), datetime.date(2012, 8, 13))
    >>> read_date("21. 11. 26", ""), read_date("2026년 11월 21일", "")
    (datetime.date(2026, 11, 21), datetime.date(2026, 11, 21))
    >>> read_date("04/05/26", "dmy"), read_date("05/05/26", "")
    (datetime.date(2026, 5, 4), datetime.date(2026, 5, 5))
    """
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = int(match[1]), int(match[2]), _year(match[3])
    elif match := _SLASHED.fullmatch(text):
        first, second, year = int(match[1]), int(match[2]), _year(match[3])
        if not order and first != second:
            raise UnreadableFile(
                f"the date {text} may begin with the day or with the month",
                'give `date_order` ("dmy" or "mdy") in the file\'s [[input]] of site.toml',
                reason="no_clock",
            )
        day, month = (first, second) if order == "dmy" else (second, first)
    else:
        return None
    try:
        return date(year, month, day) if 1980 <= year < 2100 else None
    except ValueError:
        return None


def _second_of(groups: Iterable[pl.Expr]) -> pl.Expr:
    """Seconds since midnight from the groups of TIME."""
    early, hour, minute, second, late = groups
    half = pl.coalesce(early, late)
    hours, minutes, seconds = (part.cast(pl.Int64, strict=False) for part in (hour, minute, second))
    hours = pl.when(half.is_null()).then(hours).otherwise(hours % 12 + half.is_in(_LATER_HALVES).cast(pl.Int64) * 12)
    is_time = (hours < 24) & (minutes < 60) & (seconds <= 60) & (half.is_null() | hour.cast(pl.Int64).is_between(1, 12))
    return pl.when(is_time).then(hours * 3600 + minutes * 60 + seconds)


def read_stamps(
    stamps: pl.DataFrame, origin: Origin, order: str, clock: Carry | None
) -> tuple[pl.Series, Carry | None]:
    """UTC instants of the lines of clock stamps in the order of the file; null where a stamp cannot be read.

    `stamps` has `flat` (the line with single blanks), `day`, the date of the banner above it (null without one), and
    `run`, a number that changes with each banner. A stamp without a date takes the banner's, and the next day each time
    it passes midnight. An offset in a stamp has precedence over any zone. `clock` carries on to the next chunk.
    """
    known = clock or {"run": None, "second": None, "days": 0, "fold": None}
    groups = stamps["flat"].str.extract_groups(_STAMP).struct.rename_fields(_GROUPS).struct.unnest()
    read = stamps.with_columns(
        groups["date"],
        groups["offset"],
        groups.select(at_second=_second_of(pl.col(name) for name in _GROUPS[1:6])).to_series(),
        epoch=pl.when(pl.col("flat").str.contains(_EPOCH)).then(pl.col("flat").cast(pl.Int64, strict=False)),
    )
    days = {text: read_date(text, order) for text in read["date"].drop_nulls().unique(maintain_order=True)}
    own = pl.DataFrame({"date": list(days), "own_day": list(days.values())}, schema_overrides={"own_day": pl.Date})
    read = _roll(read.join(own.cast({"date": pl.String}), on="date", how="left", maintain_order="left"), known)
    midnight = pl.when(pl.col("date").is_null()).then(pl.col("day") + pl.duration(days=pl.col("rolled")))
    local = midnight.otherwise("own_day").cast(pl.Datetime("us")) + pl.duration(seconds=pl.col("at_second"))
    shifted = local - offset_of(pl.col("offset"))
    epoch = pl.from_epoch(pl.col("epoch"), time_unit="s").cast(pl.Datetime("us"))
    is_utc = pl.col("offset").is_not_null() | pl.col("epoch").is_not_null()
    read = read.with_columns(
        local=pl.coalesce(epoch, shifted, local), word=pl.when(is_utc).then(pl.lit("UTC")).otherwise(pl.lit(""))
    )
    read = read.with_row_index("place")
    good, fold = dated(read, origin.zone, known["fold"])
    placed = read.select("place").join(good.select("place", "at"), on="place", how="left", maintain_order="left")
    return placed["at"].cast(pl.Datetime("us")), {**_last(read, known), "fold": fold}


def _roll(read: pl.DataFrame, known: Carry) -> pl.DataFrame:
    """Add `rolled`: midnights since the banner."""
    second = pl.col("at_second").forward_fill()
    is_old = pl.col("run") == pl.lit(known["run"], dtype=pl.Int64)
    before = pl.when(is_old).then(pl.lit(known["second"], dtype=pl.Int64))
    last = second.shift(1).over("run").fill_null(before)
    passed = (second < last - DAY_S // 2).fill_null(False).cast(pl.Int64).cum_sum().over("run")
    return read.with_columns(rolled=passed + pl.when(is_old).then(known["days"]).otherwise(0))


def _last(read: pl.DataFrame, known: Carry) -> Carry:
    timed = read.filter(pl.col("at_second").is_not_null())
    if timed.is_empty():
        return known
    run, second, days = timed.select("run", "at_second", "rolled").row(-1)
    return {"run": run, "second": second, "days": days}


def numbers(cells: pl.DataFrame, units: Mapping[str, int]) -> pl.DataFrame:
    """Text columns as numbers: null for a cell without a number, NaN where the tool printed nan.

    Decimal points or commas and percent signs are understood. In columns named in `units` (bytes of one of the
    header's units) the result is in bytes; a cell with a suffix, such as 3.8M, has its own unit.
    """
    plain = cells.select(pl.all().cast(pl.Float64, strict=False))
    unread = [name for name in cells.columns if plain[name].null_count() > cells[name].null_count()]
    plain = plain.with_columns(pl.col(name) * units[name] for name in cells.columns if units.get(name, 1) != 1)
    if unread:
        plain = plain.with_columns(cells.select(_suffixed_number(name, units.get(name)) for name in unread))
    return plain


def _suffixed_number(name: str, unit: int | None) -> pl.Expr:
    text = pl.col(name)
    groups = text.str.extract_groups(_CELL)
    value = groups.struct.field("1").str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    suffix = groups.struct.field("2")
    own = suffix.replace_strict(SUFFIXES, default=None, return_dtype=pl.Int64)
    factor = pl.when(suffix.is_in(["", "%"])).then(pl.lit(1 if unit is None else unit)).otherwise(own)
    plain = text.cast(pl.Float64, strict=False) * (1 if unit is None else unit)
    is_nan = text.str.to_lowercase().is_in(["nan", "-nan", "inf", "-inf"])
    return pl.when(is_nan).then(float("nan")).otherwise(pl.coalesce(value * factor, plain)).alias(name)
