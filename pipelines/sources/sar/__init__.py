"""sar and sadf of sysstat, and sar of Solaris, AIX and HP-UX: load of a host, its disks and its network interfaces.

    Linux 5.14.0-70.el9.x86_64 (stage07.example.org) 	2026-03-02 	_x86_64_	(8 CPU)

    09:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle
    09:10:01        all      5.20      0.00      3.10     12.40      0.00     79.30

    # hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
    stage07;600;2026-03-02 09:10:01 UTC;sdb;41.00;0.00;20992.00;0.00;512.00;0.21;5.10;8.40

Text (`sar`), and `sadf -d`, `-dh`, `-p`, `-j` and `-x`, of sysstat from 4 to 12.7: `text`, `delimited`, `pairs`,
`tree`. Of Linux, the source reads the processors (-u, the row of all of them), disks (-d), block I/O (-b), run queue
and load (-q), memory and swap in use (-r, -S), context switches (-w) and interfaces (-n DEV); of other systems the
processors and disks. Other activities are known by their headers and skipped. `activities` maps the columns.

The activities of one interval are far apart in a file. Each gives a row of host_sample of its own, the other columns
null, and silver.host_sample joins them into one row. Binary files (saNN) are not read: convert them with sadf.
"""

import re
from collections.abc import Callable

import polars as pl

from pipelines.sources._shared.columns import TABLES as TABLES
from pipelines.sources._shared.sysstat import read_banner, without_colours
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed
from pipelines.sources.sar import delimited, pairs, text, tree
from pipelines.sources.sar.activities import words

TITLE = "sar"
VERSION = 4
SPEAKS_FOR = "hosts"

_PARSERS: dict[str, Callable[[pl.DataFrame, Origin, Carry], Parsed]] = {
    "delimited": delimited.parse,
    "pairs": pairs.parse,
    "tree": tree.parse,
    "text": text.parse,
}
# First names of sar's tables, after the time; those of disks and interfaces may be last (-h, -p).
_TABLES = words(
    "CPU proc/s cswch/s INTR pswpin/s pgpgin/s tps kbmemfree kbswpfree kbhugfree dentunusd runq-sz TTY DEV IFACE call/s"
    " scall/s totsck irec/s ihdrerr/s imsg/s ierr/s active/s atmptf/s idgm/s tcp6sck irec6/s ihdrer6/s imsg6/s ierr6/s"
    " idgm6/s BUS MBfsfree FILESYSTEM FCHOST BAT FAN TEMP IN %scpu-10 %sio-10 %smem-10 rxpck/s rxerr/s frmpg/s"
    " bread/s total/s MHz wghMHz kbmemused DEVICE manufact"
)
_PIDSTAT_H = re.compile(r"# ?Time (?:UID )?(?:TGID )?(?:TID )?PID |# ?Time UID (?:T?G?ID|PID) ")
_OTHERS = {
    "pidstat": re.compile(r"\b(PID|TGID)\b"),
    "mpstat": re.compile(r"%soft %steal|%irq %soft %idle|^CPU .*%.* intr/s$|^CPU (?!total/s|i\d{3}/s)\S+/s|^NODE "),
}


def recognise(head: list[str]) -> Claim:
    """Lines of sadf, or a banner and headers of sar after clock times; similar formats are named in the refusal."""
    dialect, why = _dialect(head)
    if dialect:
        return Claim(True, 1.0, why)
    return Claim(
        False, 0.7 if why else 0.0, why or "no line of sadf, and no header of sar on a line that begins with a time"
    )


def _dialect(head: list[str] | tuple[str, ...]) -> tuple[str, str]:
    """How the file is written; '' with a reason if it is like sar, but not."""
    if any(delimited.HEADER.match(line) or delimited.ROW.match(line) for line in head):
        return "delimited", "fields of sadf -d, separated by semicolons"
    if any(pairs.ROW.match(line) for line in head):
        return "pairs", "values of sadf -p, one per line"
    if any("<sysstat" in line or '"sysstat"' in line for line in head):
        return _tree(head)
    return _text([" ".join(line.split()) for line in head])


def _tree(head: list[str] | tuple[str, ...]) -> tuple[str, str]:
    if not any('"file-date"' in line or "<file-date>" in line for line in head):
        return "", ""  # iostat and mpstat write such trees too
    if not any(re.match(r"\s*(\"nodename\": |<host nodename=)", line) for line in head):
        return "", "this is output of sadf -j or -x, reformatted by another program; keep the line breaks of sadf"
    return "tree", "JSON or XML of sadf -j or -x"


def _text(flats: list[str]) -> tuple[str, str]:
    system = next((flat for flat in flats if text.UNIX_BANNER.match(flat)), "")
    banner = system or next((flat for flat in flats if read_banner(flat)), "")
    names: list[str] = []
    if any(_PIDSTAT_H.match(flat) for flat in flats):
        return "", "this is pidstat -h, which is not read because it reports single processes"
    for flat in flats:
        timed = text.TIMED.match(flat)
        rest = (timed["rest"] or "") if timed else ""
        if rest.startswith("LINUX RESTART") and banner:
            return "text", "a banner of sysstat and sar's line for a restart"
        if re.search(text.NAMES, rest) and not re.search(text.NUMBER, rest):
            names.append(rest)
    for tool, pattern in _OTHERS.items():
        if any(pattern.search(rest) for rest in names):
            return "", f"this is {tool}, which is not read because it reports single processors or processes"
    if names and system:
        return "text", f"sar of {system.split(' ')[0]}"
    if any({(words := rest.split(" "))[0], words[-1]} & _TABLES and (banner or len(words) > 1) for rest in names):
        return "text", "headers of sar on lines that begin with a time"
    return "", "headers on lines that begin with a time, but no known header of sar" if names and banner else ""


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of the host, its disks and its interfaces; raises UnreadableFile for an unknown header or no clock."""
    lines = without_colours(lines)
    state = dict(carry or {})
    dialect = state.pop("dialect", "") or _dialect(origin.head or tuple(lines["text"].head(200)))[0] or "text"
    parsed = _PARSERS[dialect](lines, origin, state)
    parsed.carry["dialect"] = dialect
    return parsed
