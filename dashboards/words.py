"""How pages name and order things: buckets of the ledger in words, names with numbers in the numbers' order."""

import re
from typing import Any

BUCKETS = {
    "unknown": "no log covers it",
    "down": "drive down",
    "idle": "no tape mounted",
    "no_request": "mounted, no request",
    "mount": "mounting",
    "dismount": "dismounting",
    "position": "tape motion",
    "request": "waiting for the next request",
    "database": "updating databases",
    "start": "request to first block",
    "filemark": "writing file marks",
    "wait_data": "waiting for data",
    "wait_room": "waiting for room",
    "checksum": "checksums",
    "transfer": "moving data",
}
# Several buckets that `tapescope drill` takes together.
TOGETHER = {
    "gap": ("filemark", "database", "request", "position", "start"),
    "wait": ("wait_data", "wait_room", "checksum"),
    "mounting": ("mount", "dismount"),
}
CHOICES = BUCKETS | {
    "gap": "between files",
    "wait": "waiting inside a transfer",
    "mounting": "mounting and dismounting",
}

STATES = BUCKETS | {"transfer": "in a transfer"}  # of a drive, where waits inside a transfer are part of it


def bucket(name: str) -> str:
    """A bucket, or several together, in words; a name that is not known stands for itself."""
    return CHOICES.get(name, name)


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
