"""The header lines of vmstat: which columns follow, and what else calls itself vmstat.

Columns are taken by name. A translated header (`frei` for `free`) is taken by position if enough of its names are where
a known layout has them; anything else is unknown, since a shifted column would look like data. Other systems' columns
that do not measure a host's load (page faults, requests to disks of cut names) become `-`: counted, not read.
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
OLDEST = LAYOUTS[0]
WIDEST = max(len(names) for names in LAYOUTS)
UNREAD = "-"

_ZONE = re.compile(r"[A-Z][A-Za-z]{1,5}|[+-]\d\d(:?\d\d)?")
_GROUPS = re.compile(r"-*procs-* .*memory")
_ALIKE = 0.6  # of the names a translated header must share with a layout

# Header lines of other systems, and the columns that are read. Solaris counts free memory in KiB, as do the BSD systems
# (newer FreeBSD with a letter after it), AIX in pages of 4 KiB, HP-UX in pages of unknown size.
_OTHER_SYSTEMS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        r"r b w swap free (?:re mf|si so) pi po fr de sr(?: \S+){0,6} in sy cs us sy id",
        {"free": "free"},
    ),
    (
        r"r [bs](?: w)? avm fre flt re pi po fr sr(?: \S+){0,8} int? sys? cs us sy id",
        {"fre": "free_scaled"},
    ),
    (r"r b avm fre re pi po fr sr cy in sy cs us sy id wa(?: pc ec)?", {"fre": "free_4k"}),
    (r"r b w avm free re at pi po fr de sr in sy cs us sy id", {}),
)
_SYSTEM_HEADERS = [(re.compile(pattern), memory) for pattern, memory in _OTHER_SYSTEMS]
_SYSTEM_GROUPS = re.compile(r"(kthr|procs) memory page (disks? )?(faults|traps) cpu")
_RULE = re.compile(r"-+( -+)+")  # which AIX draws between titles and names
_READ_EVERYWHERE = ("r", "b", "in", "cs")  # of the names that a header has once
FACTS = re.compile(r"System configuration: .*lcpu")  # AIX's line of processors and memory above its header

_FOREIGN = (
    (
        r"(memory page executable|swap free re mf fr de sr epi)",
        "vmstat -p of Solaris, which shows paging by kind of memory",
    ),
    (r"Cache Num Total Size Pages", "vmstat -m, which shows the kernel's caches and not the load of a host"),
    (r"\d+ forks$", "vmstat -f, which shows the number of forks since boot and not the load of a host"),
    (r"nr_\w+ \d+$", "a copy of /proc/vmstat, which has the kernel's counters and not the output of vmstat"),
)
_FOREIGN_LINES = [(re.compile(pattern), what) for pattern, what in _FOREIGN]
# Header lines of the modes that count since boot; `disks` and `counts` read them.
_MODES = (
    ("disks", re.compile(r"disk-* -*reads-* -*writes-* -*IO-*|(disk )?total merged sectors ms total")),
    ("partition", re.compile(r"(\S+) reads read sectors writes requested writes")),
    ("sums", re.compile(r"\d+ disks$")),
    ("counts", re.compile(r"\d+ \S+ total memory$")),
)


class Header(NamedTuple):
    """The names of one layout, and the time zone that `-t` puts after them ('' without)."""

    names: tuple[str, ...]
    zone: str


def is_group_line(flat: str) -> bool:
    """Is this the line of group titles, with single blanks?"""
    if _SYSTEM_GROUPS.match(flat) or _RULE.fullmatch(flat):
        return True
    return _GROUPS.match(flat) is not None and " page" not in flat


def foreign(flat: str) -> str:
    """What a line with single blanks shows the file to be, if it is a vmstat this source does not read."""
    return next((what for pattern, what in _FOREIGN_LINES if pattern.match(flat)), "")


def mode_of(flat: str) -> str:
    """The mode a line is the header of: disks, partition, sums, counts or table; '' if it is no header.

    >>> mode_of("24684084 K total memory"), mode_of("r b swpd free buff cache si so bi bo in cs us sy id wa")
    ('counts', 'table')
    """
    found = next((mode for mode, pattern in _MODES if pattern.match(flat)), "")
    return found or ("table" if flat.startswith("r ") and read_header(flat) else "")


def read_header(flat: str) -> Header | None:
    """The layout a line of column names announces; None if it is no such line or names unknown columns.

    >>> read_header("r b swpd free buff cache si so bi bo in cs us sy id wa st CDT").zone
    'CDT'
    >>> " ".join(read_header("r b w avm free re at pi po fr de sr in sy cs us sy id").names)
    'r b - - - - - - - - - - in - cs us sy id'
    """
    words = flat.split(" ")
    if other := _other_system(flat, words):
        return Header(other, "")
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


def _other_system(flat: str, words: list[str]) -> tuple[str, ...]:
    """The columns that are read of another system; `sy` is first system calls, and last processor time."""
    memory = next((memory for pattern, memory in _SYSTEM_HEADERS if pattern.fullmatch(flat)), None)
    if memory is None:
        return ()
    shares = len(words) - 1 - words[::-1].index("us")
    names = [memory.get(word, word if word in _READ_EVERYWHERE else UNREAD) for word in words[:shares]]
    names = ["in" if word == "int" else name for word, name in zip(words, names, strict=False)]
    return (*names, *(word if word in ("us", "sy", "id", "wa") else UNREAD for word in words[shares:]))


def is_like_header(flat: str) -> bool:
    """Does a line begin as vmstat's column names do, whatever follows?"""
    return flat.startswith("r b ")
