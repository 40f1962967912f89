"""The header lines of vmstat: which columns follow, and what else calls itself vmstat.

Columns are taken by name. A translated header (`frei` for `free`) is taken by position if enough of its names stand
where a known layout has them; anything else is unknown, since a shifted column would look like data.
"""

import re
from typing import NamedTuple

_HEAD = ("r", "b")
_PAGED = ("swpd", "free", "buff", "cache")
_ACTIVE = ("swpd", "free", "inact", "active")
_RATES = ("si", "so", "bi", "bo", "in", "cs", "us", "sy", "id")
LAYOUTS = (
    ("r", "b", "w", *_PAGED, *_RATES),  # procps to 3.0.5
    *(
        (*_HEAD, *memory, *_RATES, *tail)
        for memory in (_PAGED, _ACTIVE)
        for tail in (("wa",), ("wa", "st"), ("wa", "st", "gu"))
    ),
)
WIDEST = max(len(names) for names in LAYOUTS)

_ZONE = re.compile(r"[A-Z][A-Za-z]{1,5}|[+-]\d\d(:?\d\d)?")
_GROUPS = re.compile(r"-*procs-* .*memory")
_ALIKE = 0.6  # of the names a translated header must share with a layout

_FOREIGN = (
    (r"disk-* .*reads.*writes", "vmstat -d: counters of disks since boot, not samples of a host"),
    (r"(disk )?total merged sectors ms total", "vmstat -d: counters of disks since boot, not samples of a host"),
    (r"\d+ (disks|total reads|merged reads)$", "vmstat -D: sums over all disks since boot, not samples of a host"),
    (r"\d+ \S+ (total|used|active|inactive|free) memory$", "vmstat -s: counters since boot, not samples of a host"),
    (r"\S+ reads read sectors writes requested writes", "vmstat -p: counters of one partition since boot"),
    (r"Cache Num Total Size Pages", "vmstat -m: kernel caches, not samples of a host"),
    (r"\d+ forks$", "vmstat -f: the number of forks since boot"),
    (r"(nr_free_pages|nr_\w+) \d+$", "a copy of /proc/vmstat: counters since boot, not samples of a host"),
    (r"System configuration:.*lcpu", "vmstat of AIX, whose columns count pages"),
    (r"kthr memory page faults", "vmstat of AIX, whose columns count pages"),
    (r"kthr memory page disk", "vmstat of Solaris, whose columns are others"),
    (r"procs memory page (disks? )?(faults|traps)", "vmstat of a BSD system or HP-UX, whose columns are others"),
    (r"r b w swap free re mf", "vmstat of Solaris, whose columns are others"),
    (r"r b avm fre re pi po", "vmstat of AIX, whose columns count pages"),
    (r"r b w avm free? (flt|re) ", "vmstat of a BSD system or HP-UX, whose columns are others"),
)
_FOREIGN_LINES = [(re.compile(pattern), what) for pattern, what in _FOREIGN]


class Header(NamedTuple):
    """The names of one layout, and the time zone that `-t` puts behind them ('' without)."""

    names: tuple[str, ...]
    zone: str


def is_group_line(flat: str) -> bool:
    """Is this the line of group titles, with single blanks?"""
    return _GROUPS.match(flat) is not None and " page" not in flat


def foreign(flat: str) -> str:
    """What a line with single blanks shows the file to be, if it is a vmstat this source does not read."""
    return next((what for pattern, what in _FOREIGN_LINES if pattern.match(flat)), "")


def read_header(flat: str) -> Header | None:
    """The layout a line of column names announces; None if it is no such line or names unknown columns.

    >>> read_header("r b swpd free buff cache si so bi bo in cs us sy id wa st CDT").zone
    'CDT'
    """
    words = flat.split(" ")
    if not 15 < len(words) <= WIDEST + 1:
        return None
    readings = [Header(tuple(words), "")]
    if _ZONE.fullmatch(words[-1]):
        readings.append(Header(tuple(words[:-1]), words[-1]))
    for reading in readings:
        if reading.names in LAYOUTS:
            return reading
    alike = [
        (sum(a == b.lower() for a, b in zip(names, reading.names, strict=True)) / len(names), names, reading.zone)
        for reading in readings
        for names in LAYOUTS
        if len(names) == len(reading.names)
    ]
    share, names, zone = max(alike, key=lambda entry: entry[0], default=(0.0, (), ""))
    return Header(names, zone) if share >= _ALIKE else None


def is_like_header(flat: str) -> bool:
    """Does a line begin as vmstat's column names do, whatever follows?"""
    return flat.startswith("r b ")
