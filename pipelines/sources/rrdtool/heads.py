"""What the first lines of rrdtool's four outputs say: layout, columns, step, begin."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

# the two values of an MRTG target (ds0, ds1), and the names other pollers and people give the same
_TRAFFIC = {
    **dict.fromkeys(("in", "ds0", "input", "inbound", "traffic_in", "inoctets"), "in"),
    **dict.fromkeys(("out", "ds1", "output", "outbound", "traffic_out", "outoctets"), "out"),
}
# what LibreNMS and Observium count at a port as well, after the word in or out
_OTHERS = ("errors", "discards", "ucastpkts", "nucastpkts", "broadcastpkts", "multicastpkts", "unknownprotos")
# Ganglia's metrics of a host that we have a column for: table, column, and what a value is multiplied by
METRICS: dict[str, tuple[str, str, float]] = {
    "bytes_in": ("network_sample", "in_bytes_s", 1.0),
    "bytes_out": ("network_sample", "out_bytes_s", 1.0),
    "pkts_in": ("network_sample", "in_packet_rate", 1.0),
    "pkts_out": ("network_sample", "out_packet_rate", 1.0),
    "cpu_user": ("host_sample", "cpu_user", 0.01),
    "cpu_nice": ("host_sample", "cpu_nice", 0.01),
    "cpu_system": ("host_sample", "cpu_system", 0.01),
    "cpu_idle": ("host_sample", "cpu_idle", 0.01),
    "cpu_wio": ("host_sample", "cpu_wait", 0.01),
    "cpu_steal": ("host_sample", "cpu_stolen", 0.01),
    "load_one": ("host_sample", "load_1", 1.0),
    "load_five": ("host_sample", "load_5", 1.0),
    "load_fifteen": ("host_sample", "load_15", 1.0),
    "mem_free": ("host_sample", "free_bytes", 1024.0),
    "mem_buffers": ("host_sample", "buffer_bytes", 1024.0),
    "mem_cached": ("host_sample", "cache_bytes", 1024.0),
}
_METRIC = re.compile(rf"(?:^|[^A-Za-z0-9])({'|'.join(METRICS)})$")
_ENDINGS = re.compile(r"\.(?:gz|zst|bz2|xz|txt|xml|json|dump|fetch|xport|rrd|out)$", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?|nan|NaN|inf)"
_FETCH_ROW = re.compile(rf"\s*(\d{{9,10}}):((?:\s+{_NUMBER})+)\s*")


@dataclass(frozen=True)
class Head:
    """`columns` are names of in, out, in_max, out_max, or one metric of Ganglia."""

    layout: str  # dump, fetch, xport or json
    names: tuple[str, ...] = ()  # as the file says
    step_s: int = 0
    start: int = 0  # end of the first bin, where rows carry no time
    has_times: bool = True
    why_not: str = ""  # why it is not read


def read_head(lines: tuple[str, ...] | list[str]) -> Head | None:
    """The head of an output of rrdtool; None for other lines."""
    text = "\n".join(lines)
    if "<rrd>" in text and "<minimal_heartbeat>" in text:
        return _judged(_dump(text))
    if re.search(r"^\s*<xport>", text, re.MULTILINE):
        return _judged(_xport(text))
    if re.search(r'\{\s*"about":\s*"RRDtool', text):
        return _judged(_json(text))
    if re.search(r'^filename = ".*"\nrrd_version = "', text, re.MULTILINE):
        return Head(
            "info",
            why_not="this is output of `rrdtool info`, which describes the structure of a database and has no series",
        )
    return _fetch(lines)


def _judged(head: Head) -> Head:
    if not head.names or head.step_s <= 0 or (head.layout in ("xport", "json") and head.start <= 0):
        return replace(head, why_not="the header lacks the columns, the length of a bin or the start")
    if head.names == ("sum", "num"):
        why = "this is Ganglia's summary of a cluster, which has sums over hosts and no values of single hosts"
        return replace(head, why_not=why)
    if head.names == ("sum",) or (len(head.names) == 1 and head.names[0] in METRICS):
        return head
    if columns_of(head.names) is None:
        shown = ", ".join(head.names)[:120]
        return replace(head, why_not=f"the meaning and units of the names in this database are unknown: {shown}")
    return head


def columns_of(names: tuple[str, ...]) -> tuple[str, ...] | None:
    """in, out, in_max, out_max for the columns of traffic, '' for a port's other counters.

    None if any is something else, or one comes twice.
    """
    found = []
    for name in names:
        word = re.sub(r"[\s_-]+", "_", name.strip().lower())
        side, maximum = re.sub(r"_?max(?:imum)?_?", "", word), "max" in word
        if side in _TRAFFIC:
            found.append(_TRAFFIC[side] + ("_max" if maximum else ""))
        elif word.startswith(("in", "out")) and word.removeprefix("in").removeprefix("out") in _OTHERS:
            found.append("")
        else:
            return None
    traffic = [name for name in found if name]
    return tuple(found) if len(set(traffic)) == len(traffic) and {"in", "out"} & set(traffic) else None


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def _dump(text: str) -> Head:
    upper = text.split("<rra>")[0]
    names = re.findall(r"<ds>\s*<name>\s*(\S+?)\s*</name>", upper)
    return Head("dump", tuple(names), _number(r"<step>\s*(\d{1,9})\s*</step>", upper))


def _xport(text: str) -> Head:
    names = [name.strip() for name in re.findall(r"<entry>([^<]*)</entry>", text)]
    meta = text.split("<data>")[0]
    return Head(
        "xport",
        tuple(names),
        _number(r"<step>\s*(\d{1,9})\s*</step>", meta),
        _number(r"<start>\s*(\d{9,10})\s*</start>", meta),
        "<row><t>" in text,
    )


def _json(text: str) -> Head:
    meta = text.split('"data":')[0]
    legend = re.search(r'"legend":\s*\[([^\]]*)\]', meta)
    names = re.findall(r'"([^"]*)"', legend[1]) if legend else []
    times = re.search(r'"data":\s*\[\s*\[\s*"\d+"', text) is not None
    step, start = _number(r'"step":\s*(\d{1,9})\b', meta), _number(r'"start":\s*(\d{9,10})\b', meta)
    return Head("json", tuple(names), step, start, times)


def _fetch(lines: tuple[str, ...] | list[str]) -> Head | None:
    """Names over columns, an empty line, rows of `epoch: value …`; the step is the commonest between rows."""
    filled = [line for line in lines if line.strip()]
    rows = [match for line in filled[1:] if (match := _FETCH_ROW.fullmatch(line))]
    if not rows or 2 * len(rows) < len(filled) or _FETCH_ROW.fullmatch(filled[0]):
        return None
    names = tuple(filled[0].split())
    if any(len(row[2].split()) != len(names) for row in rows[:1]):
        return None
    steps = Counter(step for a, b in pairwise(rows) if (step := int(b[1]) - int(a[1])) > 0)
    return _judged(Head("fetch", names, max(steps, key=lambda step: (steps[step], -step), default=0)))


def stem_of_rrd(path: str) -> str:
    """The file's name without the endings of RRDs and of what rrdtool makes of them.

    >>> stem_of_rrd("mrtg/gw.example.org_2.rrd.xml.gz")
    'gw.example.org_2'
    """
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    while (shorter := _ENDINGS.sub("", name)) != name and shorter:
        name = shorter
    return name or "unknown"


def metric_of(names: tuple[str, ...], path: str) -> str | None:
    """The metric of a file of Ganglia: what its column is called, else what its name ends with.

    >>> metric_of(("sum",), "node7/bytes_in.rrd"), metric_of(("sum",), "disk_free.rrd")
    ('bytes_in', None)
    """
    if names[0] in METRICS:
        return names[0]
    found = _METRIC.search(stem_of_rrd(path))
    return found[1] if found else None
