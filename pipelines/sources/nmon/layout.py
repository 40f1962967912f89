"""The tags of nmon that are read: which relation their figures go to, and in which unit they are."""

import re
from functools import lru_cache

from pipelines.primitives.units import KIB, MIB
from pipelines.sources._shared.columns import DEVICE, HOST, NETWORK, Target

# Of each relation the tag that comes last in a snapshot, and also in a file that was sorted.
LAST = {HOST: "PROC", DEVICE: "DISKXFER", NETWORK: "NETPACKET"}
KNOWN = r"^(?:CPU_ALL|MEM|PROC|NET|NETPACKET|(?:DISKBUSY|DISKREAD|DISKWRITE|DISKXFER)\d*)$"
SWAP_TOTAL, SWAP_FREE = "swap_total", "swap_free"

_CPU = {"User%": "cpu_user", "Sys%": "cpu_system", "Wait%": "cpu_wait", "Idle%": "cpu_idle", "Steal%": "cpu_stolen"}
_MEMORY = {
    "memfree": "free_bytes",
    "Real free(MB)": "free_bytes",
    "buffers": "buffer_bytes",
    "cached": "cache_bytes",
    "active": "active_bytes",
    "inactive": "inactive_bytes",
    "swaptotal": SWAP_TOTAL,
    "swapfree": SWAP_FREE,
}
_PROCESSES = {"Runnable": "run_queue", "Blocked": "blocked", "pswitch": "switch_rate"}
_DISK = {
    "DISKREAD": ("read_bytes_s", KIB, 1),
    "DISKWRITE": ("write_bytes_s", KIB, 1),
    "DISKBUSY": ("busy", 1, 100),
    "DISKXFER": ("request_rate", 1, 1),
}
_SIDES = {
    ("NET", "read"): "in_bytes_s",
    ("NET", "write"): "out_bytes_s",
    ("NETPACKET", "read"): "in_packet_rate",
    ("NETPACKET", "write"): "out_packet_rate",
}


def relation_of(tag: str) -> str:
    """The relation a tag's figures go to.

    >>> relation_of("DISKREAD2"), relation_of("MEM"), relation_of("NETPACKET")
    ('device_sample', 'host_sample', 'network_sample')
    """
    return DEVICE if tag.startswith("DISK") else NETWORK if tag.startswith("NET") else HOST


@lru_cache(maxsize=256)
def columns_of(tag: str, header: str) -> tuple[int, tuple[Target, ...]]:
    """How many fields a line of this tag has after the snapshot's number, and those that are read."""
    names = [name.strip() for name in header.rstrip(", \r").split(",")][2:]
    return len(names), tuple(found for place, name in enumerate(names) if (found := _target(tag, str(place), name)))


def is_header(tag: str, text: str) -> bool:
    """Whether a line names columns: a data line whose snapshot number is damaged must not pass for one.

    >>> is_header("DISKREAD", "DISKREAD,Disk Read KB/s a,sda"), is_header("DISKREAD", "DISKREAD,T00x2,10.0")
    (True, False)
    """
    names = [name.strip() for name in text.rstrip(", \r").split(",")][1:]
    is_damaged = any(re.fullmatch(r"-?\d+(\.\d*)?|-?nan", name) for name in names)
    return (
        not is_damaged
        and not re.match(r"T\d", "".join(names[:1]))
        and (len(names) == 1 or bool(columns_of(tag, text)[1]))
    )


def _target(tag: str, place: str, name: str) -> Target | None:
    if tag == "CPU_ALL":
        if name in ("CPUs", "PhysicalCPUs"):
            return Target(place, HOST, "n_cpus")
        return Target(place, HOST, _CPU[name], divisor=100) if name in _CPU else None
    if tag == "MEM":
        return Target(place, HOST, _MEMORY[name], factor=MIB) if name in _MEMORY else None
    if tag == "PROC":
        return Target(place, HOST, _PROCESSES[name]) if name in _PROCESSES else None
    if tag.startswith("DISK"):
        column, factor, divisor = _DISK[tag.rstrip("0123456789")]
        return Target(place, DEVICE, column, name, factor=factor, divisor=divisor) if name else None
    found = re.fullmatch(r"(\S+)-(read|write)(?:-KB|s)?/s", name)
    if found is None:
        return None
    return Target(place, NETWORK, _SIDES[tag, found[2]], found[1], factor=KIB if tag == "NET" else 1)
