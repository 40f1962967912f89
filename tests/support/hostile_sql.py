"""The list of hostile statements, `hostile.toml`, for both borders that they are tried at."""

import tomllib

from support import TESTS

_LIST = tomllib.loads((TESTS / "hostile.toml").read_text(encoding="utf-8"))
REFUSED = [*_LIST["refused"], *(one["before"] + one["piece"] * one["times"] + one["after"] for one in _LIST["long"])]
ENDLESS, HUGE = _LIST["endless"], _LIST["huge"]


def named(sql: str) -> str:
    """The id of a test."""
    return ascii(sql[:60])
