"""Rows of Linux's table without any header, as `grep` or a rotation leaves them.

The number of columns leaves few layouts; the figures must settle which: processor shares in their place sum to 100,
memory is in whole pages of 4 KiB. Ten rows or more must all agree. Two columns of memory may be buffers and cache or,
under `-a`, inactive and active. Nothing shows which, so they are not read.
"""

import re
from collections.abc import Sequence

from pipelines.sources.vmstat.headers import UNREAD

_STAMP = re.compile(r" \d{4}-\d\d-\d\d \d\d:\d\d:\d\d( \S+)?$")
_COUNT = re.compile(r"[0-9]{1,18}")
_FEWEST = 10
_RATES = ("si", "so", "bi", "bo", "in", "cs")
_FRONT = ("r", "b", "swpd", "free", UNREAD, UNREAD, *_RATES)
_LAYOUTS = (
    (*_FRONT, "us", "sy", "id", "wa"),
    ("r", "b", "w", "swpd", "free", UNREAD, UNREAD, *_RATES, "us", "sy", "id"),
    (*_FRONT, "us", "sy", "id", "wa", "st"),
    (*_FRONT, "us", "sy", "id", "wa", "st", "gu"),
)
_ROUNDING = 3  # that whole percents may add up wrongly by


def layout_of(flats: Sequence[str]) -> tuple[str, bool] | None:
    """The names of the columns parted by blanks, and whether each row ends with a stamp; None if it is not certain.

    >>> row = "1 0 0 803444 49984 124916 0 0 87 16 1006 57 47 23 28 1 1"
    >>> layout_of([row] * 10)
    ('r b swpd free - - si so bi bo in cs us sy id wa st', False)
    """
    stamped = [_STAMP.search(flat) is not None for flat in flats]
    rows = [_STAMP.sub("", flat).split(" ") for flat in flats]
    if len(rows) < _FEWEST or len(set(stamped)) != 1 or not all(_COUNT.fullmatch(word) for row in rows for word in row):
        return None
    numbers = [[int(word) for word in row] for row in rows]
    fitting = [names for names in _LAYOUTS if all(_fits(row, names) for row in numbers)]
    return (" ".join(fitting[0]), stamped[0]) if len(fitting) == 1 else None


def _fits(row: list[int], names: tuple[str, ...]) -> bool:
    if len(row) != len(names):
        return False
    shares = row[names.index("us") :]
    memory = row[names.index("swpd") : names.index("si")]
    return abs(sum(shares) - 100) <= _ROUNDING and not any(size % 4 for size in memory) and memory[1] > 0
