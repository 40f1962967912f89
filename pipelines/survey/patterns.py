"""Patterns of file names: the [[input]]s of a site.toml, from the paths found."""

import re
from collections import Counter

from pipelines.config import Input
from pipelines.survey.names import Pattern, may_be_host, short

_DATE = re.compile(r"(?<!\d)\d{4}-?\d\d-?\d\d(?!\d)")
_PACKED = re.compile(r"\.(gz|zst|bz2|xz)$")
# sources whose rows belong to a link or a host that only the path may name
_OF_LINKS = {"mrtg_log", "rrdtool"}


def patterns(found: list[tuple[str, str | None, Counter[str]]]) -> list[Pattern]:
    """One pattern for files of a folder and source whose names differ in date, host, link or number."""
    made: dict[tuple[str, str], Pattern] = {}
    for path, source, hosts in found:
        if source is None:
            continue
        glob = generalise(path, source, list(hosts))
        if Input(glob=glob).match(path) is None:
            glob = path
        made.setdefault((glob, source), Pattern(glob, source)).files.append(path)
    return sorted(made.values(), key=_narrowest_first)


def _narrowest_first(pattern: Pattern) -> tuple[int, int, str]:
    """The first input that fits a file counts, so one that spells out more goes before one that would fit as well."""
    spelt_out = len(re.sub(r"\{\w+\}|\*", "", pattern.glob))
    return -spelt_out, pattern.glob.count("*"), pattern.glob


def generalise(path: str, source: str, hosts: list[str]) -> str:
    """A path with what varies replaced.

    >>> generalise("enstore/LOG-2010-03-10.gz", "enstore_log", [])
    'enstore/LOG-{date}*'
    >>> generalise("mrtg/dm8-bond0.log", "mrtg_log", [])
    'mrtg/{link}.log*'
    >>> generalise("load/dm8_2010-03-10.txt", "vmstat", [])
    'load/{host}_{date}.txt*'
    >>> generalise("load/iostat.dm8.out.3", "iostat", ["dm8.example.org"])
    'load/iostat.{host}.out.*'
    >>> generalise("load/vmstat_dm8_2010-03-10.txt", "vmstat", []), generalise("load/iostat_x.txt", "iostat", [])
    ('load/vmstat_{host}_{date}.txt*', 'load/iostat_x.txt*')
    """
    folder, _, name = path.rpartition("/")
    name = _PACKED.sub("", name)
    parts = {"{date}": _DATE.search(name)}
    pattern = _DATE.sub("{date}", name, count=1) if parts["{date}"] else name
    pattern = _place_of(pattern, source, hosts)
    pattern = re.sub(r"(?<![{\w])\d+(?![\w}])", "*", pattern)
    pattern = re.sub(r"\*+", "*", pattern if pattern.endswith("*") else pattern + "*")
    return f"{folder}/{pattern}" if folder else pattern


def _place_of(name: str, source: str, hosts: list[str]) -> str:
    if source in _OF_LINKS:
        return re.sub(r"^[^{]+?(?=\.(log|old|rrd|xml|txt|json|csv|out)\b|$)", "{link}", name, count=1)
    for host in sorted({*hosts, *(short(host) for host in hosts)}, key=len, reverse=True):
        if host and host in name and "_" not in host:
            return name.replace(host, "{host}", 1)
    if hosts or source.startswith(("enstore", "encp", "dcache", "amass")):
        return name
    first = re.match(r"[A-Za-z][A-Za-z0-9.-]*(?=_)", name)
    if first is None or may_be_host(first[0]):
        return name if first is None else "{host}" + name[first.end() :]
    # behind the name of a tool only what is built like a host's: letters, then a number
    return re.sub(
        r"(?<=^" + re.escape(first[0]) + r"_)[A-Za-z][A-Za-z-]*[A-Za-z]\d+[a-z]?(?=[_.])", "{host}", name, count=1
    )
