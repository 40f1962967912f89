"""How pages order names, with numbers in the numbers' order, and how sentences begin."""

import re
from typing import Any


def in_order(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows by a name with numbers, in the numbers' order; rows of one name stay as they are.

    >>> [row["s"] for row in in_order([{"s": "s10a"}, {"s": "s5a"}, {"s": None}], "s")]
    [None, 's5a', 's10a']
    """
    return sorted(rows, key=lambda row: natural(row[name]))


def natural(name: str | None) -> tuple[list[tuple[int, str]], str]:
    """What names are sorted by: their numbers as numbers, so that `s5a` comes before `s10a`."""
    parts = re.findall(r"(\d+)|(\D+)", name or "")
    return [(int(digits[:18] or 0), letters) for digits, letters in parts], name or ""


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning.

    >>> capital("cannot estimate growth: one day was observed")
    'Cannot estimate growth: one day was observed'
    """
    return sentence[:1].upper() + sentence[1:]
