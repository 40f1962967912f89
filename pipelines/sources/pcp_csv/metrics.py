"""The metrics of PCP that the shared relations hold: where each goes, and in which unit pmrep prints it.

Units are those of the metrics themselves, which pmrep keeps unless its header shows others; counters are printed as
rates. A predefined report (`:vmstat`, `:sar-…`) separates by blanks and gives some metrics another unit: those are not
certain in such a file.
"""

import csv
import re
from functools import lru_cache
from typing import NamedTuple

from pipelines.primitives.units import KIB, MIB
from pipelines.sources._shared.columns import DEVICE, HOST, NETWORK
from pipelines.sources._shared.device_kinds import disk_kind, interface_kind
from pipelines.sources._shared.metrics import BYTE, COUNT, CPU, FACTORS, KBYTE, MILLI, NUMBER, PERCENT, Metric

_HOST = {
    "kernel.all.running": Metric(HOST, "run_queue", COUNT, False),
    "kernel.all.runnable": Metric(HOST, "run_queue", COUNT, False),
    "proc.runq.runnable": Metric(HOST, "run_queue", COUNT, False),
    "kernel.all.blocked": Metric(HOST, "blocked", COUNT, False),
    "proc.runq.blocked": Metric(HOST, "blocked", COUNT, False),
    "hinv.ncpu": Metric(HOST, "n_cpus", COUNT, False),
    "swap.used": Metric(HOST, "swapped_bytes", BYTE, False, is_rescaled=True),
    "mem.freemem": Metric(HOST, "free_bytes", KBYTE, False),
    "mem.util.free": Metric(HOST, "free_bytes", KBYTE, False),
    "mem.bufmem": Metric(HOST, "buffer_bytes", KBYTE, False),
    "mem.util.bufmem": Metric(HOST, "buffer_bytes", KBYTE, False),
    "mem.util.cached": Metric(HOST, "cache_bytes", KBYTE, False),
    "mem.util.allcache": Metric(HOST, "cache_bytes", KBYTE, False),
    "mem.util.inactive": Metric(HOST, "inactive_bytes", KBYTE, False),
    "mem.util.active": Metric(HOST, "active_bytes", KBYTE, False),
    "mem.vmstat.pgpgin": Metric(HOST, "read_bytes_s", KBYTE),  # counted by the kernel in KiB
    "mem.vmstat.pgpgout": Metric(HOST, "write_bytes_s", KBYTE),
    "disk.all.read_bytes": Metric(HOST, "read_bytes_s", KBYTE),
    "disk.all.write_bytes": Metric(HOST, "write_bytes_s", KBYTE),
    "kernel.all.intr": Metric(HOST, "interrupt_rate", NUMBER),
    "kernel.all.pswitch": Metric(HOST, "switch_rate", NUMBER),
    "kernel.all.cpu.alluserp": Metric(HOST, "cpu_user", PERCENT),
    "kernel.all.cpu.sysp": Metric(HOST, "cpu_system", PERCENT),
    "kernel.all.cpu.idlep": Metric(HOST, "cpu_idle", PERCENT),
    "kernel.all.cpu.wait.totalp": Metric(HOST, "cpu_wait", PERCENT),
    "kernel.all.cpu.stealp": Metric(HOST, "cpu_stolen", PERCENT),
    "kernel.all.cpu.guestp": Metric(HOST, "cpu_guest", PERCENT),
    "kernel.cpu.util.user": Metric(HOST, "cpu_user", PERCENT),
    "kernel.cpu.util.nice": Metric(HOST, "cpu_nice", PERCENT),
    "kernel.cpu.util.sys": Metric(HOST, "cpu_system", PERCENT),
    "kernel.cpu.util.idle": Metric(HOST, "cpu_idle", PERCENT),
    "kernel.cpu.util.wait": Metric(HOST, "cpu_wait", PERCENT),
    "kernel.cpu.util.steal": Metric(HOST, "cpu_stolen", PERCENT),
    "kernel.all.cpu.user": Metric(CPU, "user", NUMBER),
    "kernel.all.cpu.nice": Metric(CPU, "nice", NUMBER),
    "kernel.all.cpu.sys": Metric(CPU, "sys", NUMBER),
    "kernel.all.cpu.intr": Metric(CPU, "intr", NUMBER),
    "kernel.all.cpu.idle": Metric(CPU, "idle", NUMBER),
    "kernel.all.cpu.wait.total": Metric(CPU, "wait", NUMBER),
    "kernel.all.cpu.steal": Metric(CPU, "steal", NUMBER),
}
_LOADS = {"1 minute": "load_1", "5 minute": "load_5", "15 minute": "load_15"}
_DEVICE = {
    "read": Metric(DEVICE, "read_request_rate", NUMBER),
    "write": Metric(DEVICE, "write_request_rate", NUMBER),
    "discard": Metric(DEVICE, "discard_request_rate", NUMBER),
    "flush": Metric(DEVICE, "flush_request_rate", NUMBER),
    "total": Metric(DEVICE, "request_rate", NUMBER),
    "read_merge": Metric(DEVICE, "read_merge_rate", NUMBER),
    "write_merge": Metric(DEVICE, "write_merge_rate", NUMBER),
    "read_bytes": Metric(DEVICE, "read_bytes_s", KBYTE),
    "write_bytes": Metric(DEVICE, "write_bytes_s", KBYTE),
    "discard_bytes": Metric(DEVICE, "discard_bytes_s", KBYTE),
    "total_bytes": Metric(DEVICE, "moved_bytes_s", KBYTE),
    "await": Metric(DEVICE, "wait_s", MILLI, False),
    "r_await": Metric(DEVICE, "read_wait_s", MILLI, False),
    "w_await": Metric(DEVICE, "write_wait_s", MILLI, False),
    "avg_qlen": Metric(DEVICE, "queue", NUMBER, False),
    "avactive": Metric(DEVICE, "busy", MILLI),  # ms of activity a second
    "util": Metric(DEVICE, "busy", PERCENT, False),
}
# Trees of disks, and the kind of the devices in each; for disk.dev the names show it.
_DEVICE_TREES = {"disk.dev.": "", "disk.dm.": "mapper", "disk.md.": "md", "disk.partitions.": "partition"}
_NETWORK = {
    "in.bytes": Metric(NETWORK, "in_bytes_s", BYTE, is_rescaled=True),
    "out.bytes": Metric(NETWORK, "out_bytes_s", BYTE, is_rescaled=True),
    "in.packets": Metric(NETWORK, "in_packet_rate", NUMBER),
    "out.packets": Metric(NETWORK, "out_packet_rate", NUMBER),
}

# The names a column may begin with: longest first, since an instance follows after a hyphen.
_METRICS = _HOST | {tree + name: metric for tree in _DEVICE_TREES for name, metric in _DEVICE.items()}
_METRICS |= {f"network.{tree}.{name}": metric for tree in ("interface", "all") for name, metric in _NETWORK.items()}

_NAMED = re.compile(
    r'(?:[^\s/"\[\]]*[/:])?([A-Za-z][\w.]*)(?:\["?([^"\]]*)"?\])?'
)  # pmdumptext: archive/metric["inst"]
# pmrep: metric-instance, since 7.1.3 metric[instance]; with --csv-unit-info the unit is at the end
_PRINTED = re.compile(r"([A-Za-z][\w.]*)(?:-(.*?)|\[(.*?)\])?(?: ?\(([^()]*)\))?")
_LIKE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")
_PLAIN = {PERCENT: ("%", "percent", "none"), MILLI: ("ms", "ms/s", "msec", "millisec")}  # as the metric is kept anyway
_UNITS = {"byte": 1, "Kbyte": KIB, "Mbyte": MIB, "Gbyte": KIB * MIB, "Tbyte": MIB * MIB}
_UNITS |= {"B": 1, "KB": KIB, "MB": MIB, "GB": KIB * MIB, "TB": MIB * MIB}  # as pmrep -b and -B are given them


class Field(NamedTuple):
    """A column of the file that is read: its place after the stamp, whose it is and where it goes."""

    place: int
    name: str  # device or interface; empty of the host
    kind: str  # of device or interface
    metric: Metric
    unit: str  # as the units row, or the column's name, says; empty without one
    factor: int | None  # what a value in this unit is to be multiplied with; None where that is not certain


class Header(NamedTuple):
    """A header line."""

    delimiter: str
    n_fields: int  # after the stamp
    fields: tuple[Field, ...]
    is_pmrep: bool


def is_header(text: str) -> bool:
    """Whether a line is a header of PCP: `Time`, a delimiter, names with dots."""
    return re.match(r'"?Time"?[,;|\t ]', text) is not None and _LIKE.search(text) is not None


@lru_cache(maxsize=16)
def read_header(text: str, units: str = "") -> Header:
    """The columns of a header line, and of the units row below it."""
    delimiter = text[len('"Time"' if text.startswith('"') else "Time")]
    names = next(csv.reader([text], delimiter=delimiter))[1:]
    is_quoted = text.partition(delimiter)[2].startswith('"')  # as pmrep does
    is_pmrep = is_quoted or not any("[" in name or re.search(r"[/:]", name.partition("-")[0]) for name in names)
    unit_names = units.split(delimiter)[1:]
    fields = []
    for place, name in enumerate(names):
        unit = unit_names[place].strip() if len(unit_names) == len(names) else ""
        if field := _field(place, name, is_pmrep, unit):
            fields.append(field)
    return Header(delimiter, len(names), tuple(fields), is_pmrep)


def _field(place: int, name: str, is_pmrep: bool, unit: str) -> Field | None:
    if is_pmrep:
        printed = _PRINTED.fullmatch(name.strip())
        if printed is None:
            return None
        metric, instance, unit = printed[1], (printed[2] or printed[3] or "").strip('"'), printed[4] or ""
    else:
        found = _NAMED.fullmatch(name.strip())
        if found is None:
            return None
        metric, instance = found[1], found[2] or ""
    target = _METRICS.get(metric)
    if metric == "kernel.all.load" and instance in _LOADS:
        target = Metric(HOST, _LOADS[instance], NUMBER, False)
        instance = ""
    if target is None or (target.table in (HOST, CPU)) != (instance == ""):
        if metric.startswith("network.all.") and target is not None and instance == "":
            instance = "all"
        else:
            return None
    return Field(place, instance, _kind(metric, instance, target), target, unit, _factor(unit, target))


def _kind(metric: str, instance: str, target: Metric) -> str:
    if target.table == DEVICE:
        return next(kind for tree, kind in _DEVICE_TREES.items() if metric.startswith(tree)) or disk_kind(instance)
    return interface_kind(instance) if target.table == NETWORK else ""


def _factor(unit: str, metric: Metric) -> int | None:
    """Bytes or counts in a unit that pmdumptext or pmrep names; None for one that is not certain.

    >>> _factor("Kbyte / second", _DEVICE["read_bytes"]), _factor("count / second", _DEVICE["read"])
    (1024, 1)
    >>> _factor("", _DEVICE["read"])
    """
    size, _, per = (part.strip() for part in unit.partition("/"))
    if per not in ("", "second", "sec", "s"):
        return None
    if metric.unit in FACTORS:
        return _UNITS.get(size)
    return 1 if size in ("count", "none") and metric.unit in (COUNT, NUMBER) else None


def why_uncertain(header: Header, field: Field) -> str:
    """What keeps a field's unit from being certain; empty where nothing does."""
    if field.metric.table == CPU:
        return ""
    if header.is_pmrep and field.unit and field.factor is None and field.unit not in _PLAIN.get(field.metric.unit, ()):
        return f"unit not known: {field.unit[:40]}"
    if not header.is_pmrep and (field.metric.is_counter or field.metric.unit not in (COUNT, NUMBER)):
        return "" if field.factor is not None else "values left out, because pmdumptext printed no known unit (-u)"
    if header.delimiter == " " and field.metric.is_rescaled and not field.unit:
        return "values left out, because a predefined report of pmrep does not name their unit"
    return ""
