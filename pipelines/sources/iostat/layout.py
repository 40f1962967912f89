"""The header lines of iostat: which columns follow, in which units; and what else calls itself iostat.

Columns are taken by name, since every second version moved them. A header that is cut, or names a column that is not
known, is refused: the rows below would look like data.
"""

import re
from functools import cache
from typing import NamedTuple

from pipelines.primitives.units import KIB, MIB

SECTOR = 512  # bytes, whatever the disk; also a "block" of this tool
CPU, DEVICE, SKIPPED = "cpu", "device", "skipped"

# What a cell counts, and how: bytes are given with the unit of the header, ms and % become seconds and shares.
BYTES, MS, PERCENT, PLAIN = "bytes", "ms", "percent", "plain"


class Column(NamedTuple):
    """Where a header's name goes in the contract ('' nowhere), and what its cells count."""

    name: str
    kind: str = PLAIN
    unit: int = 1


def _sizes() -> dict[str, Column]:
    found: dict[str, Column] = {}
    for word, unit in (("sec", SECTOR), ("kB", KIB), ("MB", MIB)):
        found |= {
            f"r{word}/s": Column("read_bytes_s", BYTES, unit),
            f"w{word}/s": Column("write_bytes_s", BYTES, unit),
            f"d{word}/s": Column("discard_bytes_s", BYTES, unit),
            f"{word}/s": Column("moved_bytes_s", BYTES, unit),
        }
    for word, unit in (("Blk", SECTOR), ("Kb", KIB), ("kB", KIB), ("MB", MIB)):  # Kb of sysstat 3
        found |= {
            f"{word}_read/s": Column("read_bytes_s", BYTES, unit),
            f"{word}_wrtn/s": Column("write_bytes_s", BYTES, unit),
            f"{word}_dscd/s": Column("discard_bytes_s", BYTES, unit),
            f"{word}_w+d/s": Column("changed_bytes_s", BYTES, unit),
            **{f"{word}_{done}": Column("", BYTES, unit) for done in ("read", "wrtn", "dscd", "w+d")},
        }
    return found


_DEVICE: dict[str, Column] = {
    "tps": Column("request_rate"),
    "r/s": Column("read_request_rate"),
    "w/s": Column("write_request_rate"),
    "d/s": Column("discard_request_rate"),
    "f/s": Column("flush_request_rate"),
    "rrqm/s": Column("read_merge_rate"),
    "wrqm/s": Column("write_merge_rate"),
    "drqm/s": Column(""),
    "rqm/s": Column(""),
    "%rrqm": Column("", PERCENT),
    "%wrqm": Column("", PERCENT),
    "%drqm": Column("", PERCENT),
    "await": Column("wait_s", MS),
    "r_await": Column("read_wait_s", MS),
    "w_await": Column("write_wait_s", MS),
    "d_await": Column("", MS),
    "f_await": Column("", MS),
    "avgrq-sz": Column("", BYTES, SECTOR),
    "areq-sz": Column("", BYTES, KIB),
    "rareq-sz": Column("", BYTES, KIB),
    "wareq-sz": Column("", BYTES, KIB),
    "dareq-sz": Column("", BYTES, KIB),
    "avgqu-sz": Column("queue"),
    "aqu-sz": Column("queue"),
    "svctm": Column("service_s", MS),
    "%util": Column("busy", PERCENT),
    **_sizes(),
}
_CPU: dict[str, Column] = {
    "%user": Column("cpu_user", PERCENT),
    "%nice": Column("cpu_nice", PERCENT),
    "%system": Column("cpu_system", PERCENT),
    "%sys": Column("cpu_system", PERCENT),
    "%iowait": Column("cpu_wait", PERCENT),
    "%steal": Column("cpu_stolen", PERCENT),
    "%idle": Column("cpu_idle", PERCENT),
}
_TTY = {"tin": Column(""), "tout": Column("")}
COLUMNS = {**_DEVICE, **_CPU, **_TTY}

_TITLES = {"Device:", "Device", "Disks:"}
_MORE = re.compile(
    r"(avgrq-sz|avgqu-sz|await|r_await|w_await|svctm|%util)( (avgqu-sz|await|r_await|w_await|svctm|%util))*"
)
_NETWORK = re.compile(r"[rw](?:Blk|kB|MB)_(?:nor|dir|svr)/s|[rw]ops/s")  # of file systems, not of disks
_FOREIGN = (
    (r"(tty |cpu )?extended (device|disk) statistics", "iostat -x of Solaris or a BSD system"),
    (r"device,?[ ,]*r/s[ ,]*(i/s[ ,]*)?w/s", "iostat -x of Solaris or a BSD system"),
    (r"r/s[ ,]+w/s[ ,]+[kM]r/s[ ,]+[kM]w/s[ ,]+wait", "iostat -xn of Solaris"),
    (r"tty( +\S+)+ +cpu$", "iostat of Solaris or a BSD system"),
    (r"tin,? +tout,? .*(kps|KB/t)", "iostat of Solaris or a BSD system"),
    (r"System configuration: lcpu=\S+ drives=", "iostat of AIX"),
    (r"tty: tin tout avg-cpu: % user", "iostat of AIX"),
    (r"Disks: % tm_act", "iostat of AIX"),
    (r"(disk\d+ )+cpu load average", "iostat of macOS"),
    (r"device bps sps msps", "iostat of HP-UX"),
    (
        r"(pool )?(capacity|alloc|used)( free| avail)? operations bandwidth|pool (alloc|used) (free|avail) read",
        "zpool iostat",
    ),
)
_FOREIGN_LINES = [(re.compile(pattern), what) for pattern, what in _FOREIGN]


class Layout(NamedTuple):
    """The rows below a header: `names` of their numbers, of which `n_first`, or all, are in the first of two lines.

    `is_last`: the device's name follows the numbers. `is_lead`: the first table of a report of devices.
    `is_closing`: its rows complete the report of a device.
    """

    family: str
    names: tuple[str, ...]
    n_first: int
    is_last: bool = False
    is_lead: bool = False
    is_closing: bool = True


def foreign(flat: str) -> str:
    """What a line with single blanks shows the file to be, if it is an iostat this source does not read."""
    return next((what for pattern, what in _FOREIGN_LINES if pattern.match(flat)), "")


def is_more(flat: str) -> bool:
    """Is this the second half of a header that a mail or a terminal wrapped?"""
    return _MORE.fullmatch(flat) is not None


@cache
def read_header(text: str) -> Layout | None:
    """The layout that a header announces; None if unreadable. Blanks are single, a line break parts two halves.

    >>> read_header("avg-cpu: %user %nice %sys %idle").names
    ('%user', '%nice', '%sys', '%idle')
    >>> read_header("tps kB_read/s kB_wrtn/s kB_read kB_wrtn Device").is_last
    True
    >>> read_header("Device: rrqm/s wrqm/s r/s w/s") is None
    True
    """
    first, _, second = text.partition("\n")
    words, more = first.split(" "), tuple(second.split())
    if words[0].startswith("Filesystem") or any(_NETWORK.fullmatch(word) for word in words):
        return Layout(SKIPPED, (), 0)
    if words[0] == "avg-cpu:" or words[:4] == ["tty:", "tin", "tout", "avg-cpu:"]:
        names = tuple(word for word in words if word not in ("avg-cpu:", "tty:"))
        is_whole = names[-1:] in (("%idle",), ("%iowait",)) and _are_known(names, {**_CPU, **_TTY})
        return Layout(CPU, names, len(names)) if is_whole and {"%user", "%idle"} <= set(names) else None
    is_last = words[0] not in _TITLES
    if is_last and words[-1] not in _TITLES:
        return None
    n_first = len(words) - 1
    names = (*(words[:-1] if is_last else words[1:]), *more)
    if not _are_known(names, _DEVICE) or not _is_whole(names):
        return None
    is_lead = "r/s" in names or "tps" in names
    is_closing = "%util" in names or "tps" in names
    return Layout(DEVICE, names, n_first, is_last, is_lead, is_closing)


def _are_known(names: tuple[str, ...], known: dict[str, Column]) -> bool:
    return len(set(names)) == len(names) > 0 and all(name in known for name in names)


def _is_whole(names: tuple[str, ...]) -> bool:
    """Does the header end as some version ends it?"""
    last = names[-1]
    if "tps" in names:
        return last == "%util" or last.endswith(("_wrtn", "_dscd", "_w+d"))
    return last in ("%util", "rareq-sz", "wareq-sz", "dareq-sz")


def is_like_header(flat: str) -> bool:
    """Does a line begin or end as a header does, whatever its columns?"""
    words = flat.split(" ")
    is_titled = words[0] in (*_TITLES, "avg-cpu:", "tty:", "Filesystem:") or words[-1] in _TITLES
    return is_titled and any(word in COLUMNS or "/s" in word or word[0] == "%" for word in words if word)
