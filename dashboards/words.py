"""How pages order names, with numbers in the numbers' order, and how sentences begin."""

from typing import Any

from pipelines.primitives.text import natural


def in_order(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Rows by a name with numbers, in the numbers' order; rows of one name stay as they are.

    >>> [row["s"] for row in in_order([{"s": "s10a"}, {"s": "s5a"}, {"s": None}], "s")]
    [None, 's5a', 's10a']
    """
    return sorted(rows, key=lambda row: natural(row[name]))


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning.

    >>> capital("cannot estimate growth: one day was observed")
    'Cannot estimate growth: one day was observed'
    """
    return sentence[:1].upper() + sentence[1:]
