"""The lines above the rows of dstat and dool: who wrote, how it was called, when it began, what the columns are."""

import csv
import re
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from pipelines.sources._shared.columns import DEVICE, HOST, NETWORK, Target
from pipelines.sources._shared.device_kinds import disk_kind, interface_kind

PROGRAM = re.compile(r'^"(Dstat|dool|Dool) (\d+)\.(\d+)\S* CSV output"')
_TRAFFIC = {("dsk", "read"): "read_bytes_s", ("dsk", "writ"): "write_bytes_s"}
_TRAFFIC |= {("net", "recv"): "in_bytes_s", ("net", "send"): "out_bytes_s"}
_UNSHOWN_BITS = "unit unknown (bits or bytes), because the preamble is damaged"
_UNKNOWN_BITS = "unit unknown (bits or bytes), because this version of dool is not known"

# Percent of all processors; interrupts, which older versions show separately, count as the kernel's.
_CPU = {"usr": "cpu_user", "sys": "cpu_system", "idl": "cpu_idle", "wai": "cpu_wait", "stl": "cpu_stolen"}
_HOST = {
    ("system", "int"): "interrupt_rate",
    ("system", "csw"): "switch_rate",
    ("paging", "in"): "swap_in_bytes_s",
    ("paging", "out"): "swap_out_bytes_s",
    ("load avg", "1m"): "load_1",
    ("load avg", "5m"): "load_5",
    ("load avg", "15m"): "load_15",
    ("procs", "run"): "run_queue",
    ("procs", "blk"): "blocked",
    ("memory usage", "buff"): "buffer_bytes",
    ("memory usage", "cach"): "cache_bytes",
    ("memory usage", "free"): "free_bytes",
    ("swap", "used"): "swapped_bytes",
}


class Preamble(NamedTuple):
    """The contents of the lines above the rows, parsed once."""

    n_columns: int
    clock: int | None  # column of the row's stamp
    is_epoch: bool
    interrupts: tuple[str, ...]  # places of hiq and siq, to be added to sys
    targets: tuple[Target, ...]


def cells(text: str) -> list[str]:
    """The cells of a line of the preamble."""
    return [cell.strip() for cell in next(csv.reader([text]), [])]


def read_start(text: str) -> dict[str, Any]:
    """Of the Cmdline line: the command, and when it began in words: `2010 Jun 15 08:00:00` and the zone."""
    row = cells(text)
    command = row[1] if len(row) > 1 else ""
    date = row[row.index("Date:") + 1] if "Date:" in row[:-1] else ""
    found = re.fullmatch(r"(\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d)(?: (\S+))?", date)
    with suppress(ValueError):
        if found:
            day, month, year, time, word = found.groups()
            datetime.strptime(f"{year} {month} {day} {time}", "%Y %b %d %H:%M:%S")
            return {"command": command, "begin": f"{year} {month} {int(day):02d} {time}", "word": word or ""}
    return {"command": command, "begin": None, "word": ""}


def delay_s(command: str) -> int:
    """Seconds between rows: the first of the numbers a command ends with, or one.

    >>> delay_s("dstat -tcd --output f.csv 5 100"), delay_s("dool -t 10"), delay_s("dstat -a --output f.csv")
    (5, 10, 1)
    """
    found = re.search(r"\s(\d{1,6})(?:\s+\d+)?$", command)
    return max(1, int(found[1])) if found else 1


@lru_cache(maxsize=16)
def read_preamble(program: str, command: str, groups: str, columns: str) -> Preamble:
    """The columns of a run, by the line of groups (an empty cell goes on with the one before) and that of names."""
    names = cells(columns)
    group, filled = "", []
    for cell in cells(groups) + [""] * len(names):
        group = cell or group
        filled.append(group)
    divisor, why = _bits(program, command)
    clock, is_epoch, interrupts, targets = None, False, [], []
    for place, (title, name) in enumerate(zip(filled, names, strict=False)):
        short = name.removeprefix(f"{title}:")
        if clock is None and (short in ("time", "date/time") or title == short == "epoch"):
            clock, is_epoch = place, short == "epoch"
        elif title == "total cpu usage" and short in ("hiq", "siq"):
            interrupts.append(str(place))
        elif target := _target(str(place), title, short, divisor, why):
            targets.append(target)
    return Preamble(len(names), clock, is_epoch, tuple(interrupts), tuple(targets))


def _bits(program: str, command: str) -> tuple[int, str]:
    """What disk and network values are to be divided by, and what keeps that from being certain.

    >>> _bits("dool 1.3", "dool -a"), _bits("dool 1.3", "dool --bytes"), _bits("Dstat 0.7", "dstat -a")
    ((8, ''), (1, ''), (1, ''))
    >>> _bits("dool 1.3", "dool --dstat"), _bits("Dstat 0.7", "dstat --bits")
    ((1, ''), (1, ''))
    """
    options = command.split()
    name, _, version = program.partition(" ")
    # --dstat makes dool print what dstat would; dstat's own --bits is for the screen alone
    if name == "Dstat" or {"--bytes", "--dstat"} & set(options):
        return 1, ""
    if "--bits" in options:
        return 8, ""
    if not name or not command:
        return 1, _UNSHOWN_BITS
    major, minor = (int(part) for part in version.split("."))
    return (8, "") if (major, minor) >= (1, 3) else (1, _UNKNOWN_BITS)


def _disk_name(title: str) -> str:
    """The title with a disk's own name: dool shortens that of an NVMe disk in some of its titles.

    >>> _disk_name("dsk/nvm01"), _disk_name("nv11"), _disk_name("dsk/nv101"), _disk_name("dsk/sda")
    ('dsk/nvme0n1', 'nvme1n1', 'dsk/nvme10n1', 'dsk/sda')
    """
    return re.sub(r"^(dsk/)?n(?:vm?)?(\d{1,2})(\d)$", r"\1nvme\2n\3", title)


def _target(place: str, title: str, name: str, divisor: int, why: str) -> Target | None:
    if title == "total cpu usage":
        return Target(place, HOST, _CPU[name], divisor=100) if name in _CPU else None
    if column := _HOST.get((title, name)):
        return Target(place, HOST, column)
    title = _disk_name(title)
    tree, _, of = title.partition("/")
    if column := _TRAFFIC.get((tree, name)):
        if tree == "net":
            of = "all" if of == "total" else of
            return Target(place, NETWORK, column, of, interface_kind(of), divisor=divisor, why=why)
        if of == "total":
            return Target(place, HOST, column, divisor=divisor, why=why)
        return Target(place, DEVICE, column, of, disk_kind(of), divisor=divisor, why=why)
    if tree == "io" and of not in ("", "total") and name in ("read", "writ"):
        column = "read_request_rate" if name == "read" else "write_request_rate"
        return Target(place, DEVICE, column, of, disk_kind(of))
    if name == "util" and disk_kind(title) != "other" and re.fullmatch(r"[a-z]\w*", title):
        return Target(place, DEVICE, "busy", title, disk_kind(title), divisor=100)
    return None
