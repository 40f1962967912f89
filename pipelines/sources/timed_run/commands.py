"""A dd command that the log shows: its block size, and whether its data had to reach the disk."""

import re
from typing import NamedTuple

_UNITS = {"": 1, "c": 1, "w": 2, "b": 512, "k": 2**10, "K": 2**10, "m": 2**20, "M": 2**20, "g": 2**30, "G": 2**30}
_UNITS |= {"t": 2**40, "T": 2**40, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_SIZE = re.compile(r"(\d{1,15})([a-zA-Z]{0,3})")
_OPERAND = re.compile(r"(?:^|\s)([a-z]+)=(\S*)")
_FLUSHED = {"fsync", "fdatasync", "direct", "sync", "dsync"}


class DdCommand(NamedTuple):
    """The part of a dd command that decides what its figures mean."""

    in_bytes: int | None  # block sizes
    out_bytes: int | None
    is_flushed: bool  # asked to write through the page cache, or to wait for the disk


def size(text: str) -> int | None:
    """Bytes of a dd operand; None for other text.

    >>> size("64k"), size("1M"), size("1kB"), size("2x512"), size("20b"), size("big")
    (65536, 1048576, 1000, 1024, 10240, None)
    """
    total = 1
    for factor in text.split("x"):
        found = _SIZE.fullmatch(factor)
        if not found or found[2] not in _UNITS:
            return None
        total *= int(found[1]) * _UNITS[found[2]]
    return total if 0 < total < 2**62 else None


def read_command(command: str | None) -> DdCommand | None:
    """A dd command with its operands; None where no dd with operands is shown.

    >>> read_command("timex dd if=/dev/zero of=f bs=128k oflag=direct")
    DdCommand(in_bytes=131072, out_bytes=131072, is_flushed=True)
    >>> read_command("dd if=a of=b").in_bytes, read_command("cp a b")
    (512, None)
    """
    if command is None or not re.search(r"(?:^|[\s/;(])dd\s", command):
        return None
    operands = dict(_OPERAND.findall(command))
    if not operands.keys() & {"if", "of"}:
        return None
    both = operands.get("bs")
    flags = {
        word for name in ("conv", "oflag", "iflag") if name in operands for word in re.split(r"\W+", operands[name])
    }
    # a command followed by sync waits for the disk as well, if the time is that of both
    return DdCommand(
        size(both or operands.get("ibs", "512")), size(both or operands.get("obs", "512")), bool(flags & _FLUSHED)
    )
