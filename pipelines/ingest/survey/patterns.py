"""Patterns of file names: the [[input]]s of a site.toml, from the paths found."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines.config.inputs import Input
from pipelines.ingest.survey.files import FileFound
from pipelines.ingest.survey.names import is_regular, may_be_host
from pipelines.ingest.survey.periods import Expected, Period, expected
from pipelines.primitives.text import escape_control, short_host
from pipelines.sources import source_of
from pipelines.sources._shared.names import stem_of

_DATE = re.compile(r"(?<!\d)\d{4}[-.]?\d\d[-.]?\d\d(?!\d)")
_ENDING = re.compile(r"^.*(\.[A-Za-z]\w*)(?:\.\d+)*$")
_PACKED = re.compile(r"\.(gz|zst|bz2|xz)$")
# sources whose rows belong to a link or a host that only the path may name
_OF_LINKS = {"mrtg_log", "rrdtool"}


@dataclass
class Refused:
    """Files that lack the same, and the fields of an [[input]] that would supply it."""

    lacks: str
    fields: tuple[str, ...]
    files: list[str] = field(default_factory=list)


@dataclass
class Pattern:
    """An [[input]]: the pattern, the files it matches, and those of them that need more fields to be read."""

    glob: str
    source: str
    files: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    periods: dict[str, list[Period]] = field(default_factory=dict)  # by the host or link of a file
    named: dict[str, Counter[str]] = field(default_factory=dict)  # archive systems, pools … in them: rows of each
    zone: str = ""  # of its stamps, where it is not the site's

    def expect(self, zone: str) -> Expected:
        """The period that its files span, as site.toml writes it; empty where files are still to be read."""
        return Expected() if self.refused else expected(self.periods, self.zone or zone)

    @property
    def is_local(self) -> bool:
        """Its period is by the site's clock: it holds in one zone only."""
        return any(one.is_local for of in self.periods.values() for one in of)

    @property
    def is_plain(self) -> bool:
        """It names no link, host or date."""
        return "{" not in self.glob


def patterns(found: list[FileFound]) -> list[Pattern]:
    """One pattern for the files of a folder and source that differ only in date, host, link or number.

    The first input that matches a file applies. A plain pattern matches no other pattern's file, except those of a zone
    of their own, so it goes first; a more specific pattern goes before one that would match as well.
    """
    globs = _globs([file for file in found if file.source is not None])
    groups: dict[tuple[str, str, str], list[FileFound]] = {}
    for file in found:
        if file.source is not None:
            glob = globs[file.path]
            key = (glob, "") if "{" in glob else (glob.rpartition("/")[0], file.zone)
            groups.setdefault((*key, file.source), []).append(file)
    made: list[Pattern] = []
    for (place, zone, source), group in groups.items():
        others = {file.path for file in found} - {file.path for file in group}
        if not zone:  # the patterns of files in another zone go first
            others -= {file.path for key, of in groups.items() for file in of if key[1] and key[::2] == (place, source)}
        names = {globs[file.path] for file in group}
        # a plain pattern is tried before those with names and dates, so it may take no file of theirs
        is_theirs = len(names) == 1 and not any(
            _fits(glob, other) for glob in names if "{" not in glob for other in others
        )
        for glob in names if is_theirs else _cover([file.path for file in group], others, globs):
            made.append(_pattern_of(glob, [file for file in group if _fits(glob, file.path)]))
    return sorted(made, key=_order)


def _pattern_of(glob: str, group: list[FileFound]) -> Pattern:
    refused: dict[tuple[str, tuple[str, ...]], Refused] = {}
    for file in group:
        if file.lacks:
            refused.setdefault((file.lacks, file.fields), Refused(file.lacks, file.fields)).files.append(file.path)
    made = Pattern(glob, str(group[0].source), [file.path for file in group], list(refused.values()))
    zones = {file.zone for file in group if file.zone_words}
    made.zone = zones.pop() if len(zones) == 1 else ""
    for file in group:
        for kind, names in file.named.items():
            made.named.setdefault(kind, Counter()).update(names)
        if file.period is not None:
            named = Input(glob=glob).match(file.path) or {}
            place = named.get("link") or named.get("host") or _host_of(file)
            made.periods.setdefault(place, []).append(file.period)
    return made


def _host_of(file: FileFound) -> str:
    """The host that a log of a host is about, if its path does not name it; empty where there are several."""
    if source_of(str(file.source)).SPEAKS_FOR != "hosts" or len(file.hosts) > 1:
        return ""
    return next(iter(file.hosts), stem_of(file.path))


def _order(pattern: Pattern) -> tuple[str, bool, bool, int, int, str]:
    spelt_out = len(re.sub(r"\{\w+\}|\*", "", pattern.glob))
    folder = pattern.glob.rpartition("/")[0]
    return folder, not pattern.is_plain, not pattern.zone, -spelt_out, pattern.glob.count("*"), pattern.glob


def _fits(glob: str, path: str) -> bool:
    return Input(glob=glob).match(path) is not None


def _globs(found: list[FileFound]) -> dict[str, str]:
    """Each path generalised; a word of a name is a host's where the text says so, or a regular pattern of several."""
    named = {file.path: generalise(file.path, str(file.source), list(file.hosts)) for file in found}
    support = Counter(named.values())
    for file in found:
        glob = named[file.path]
        if "{host}" in glob and not file.hosts and (support[glob] < 2 or not is_regular(glob)):
            named[file.path] = generalise(file.path, str(file.source), [], may_name=False)
        if not _fits(named[file.path], file.path):
            named[file.path] = _spelt(file.path)
    return named


def _cover(paths: list[str], others: set[str], globs: dict[str, str]) -> list[str]:
    """Few patterns that fit all of these files of one folder and none of the others."""
    if len(paths) == 1:
        near = globs[paths[0]]
        return [_spelt(paths[0]) if any(_fits(near, other) for other in others) else near]
    folder = paths[0].rpartition("/")[0]
    names = [path.rpartition("/")[2] for path in paths]
    for tried in _candidates(names):
        glob = _spelt(f"{folder}/{tried}" if folder else tried)
        if all(_fits(glob, path) for path in paths) and not any(_fits(glob, other) for other in others):
            return [glob]
    start = len(_beginning(names))
    parts: dict[str, list[str]] = {}
    for path, name in zip(paths, names, strict=True):
        parts.setdefault(re.split(r"(?<=\w)[_.-]", name[start:])[0] if len(name) > start else "", []).append(path)
    if len(parts) == 1:  # the names differ after their next word: each by itself
        return [glob for path in paths for glob in _cover([path], others, globs)]
    return [glob for part in parts.values() for glob in _cover(part, others, globs)]


def _beginning(names: list[str]) -> str:
    """What all of some names begin with: as much as the first and the last of them share."""
    first, last = min(names), max(names)
    return first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _candidates(names: list[str]) -> Iterator[str]:
    """Patterns for some names, the most specific first."""
    common = _beginning(names)
    word = re.match(r".*[A-Za-z]{2,}[_.-]|", common)
    begin = word[0] if word else ""
    endings = {_ENDING.sub(r"\1", _PACKED.sub("", name)) if "." in name else "" for name in names}
    ending = endings.pop() if len(endings) == 1 else ""
    if begin:
        yield f"{begin}*"
    if ending:
        yield f"*{ending}*"
        if begin:
            yield f"{begin}*{ending}*"
    yield "*"


def generalise(path: str, source: str, hosts: list[str], may_name: bool = True) -> str:
    """A path with what varies replaced; without `may_name` no word is taken for a host that no text names.

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
    >>> generalise("csv/dm8.example.org/cpu-0/cpu-idle-2026-03-02", "collectd_csv", [])
    'csv/{host}/*/*'
    """
    path = _spelt(path)
    if source == "collectd_csv" and path.count("/") >= 2:  # a file a series: the folders are always the same
        return "/".join([*path.split("/")[:-3], "{host}", "*", "*"])
    folder, _, name = path.rpartition("/")
    name = _PACKED.sub("", name)
    parts = {"{date}": _DATE.search(name)}
    pattern = _DATE.sub("{date}", name, count=1) if parts["{date}"] else name
    pattern = _place_of(pattern, source, hosts, may_name)
    pattern = re.sub(r"(?<![{\w])\d+(?![\w}])", "*", pattern)
    pattern = re.sub(r"\*+", "*", pattern if pattern.endswith("*") else pattern + "*")
    return f"{folder}/{pattern}" if folder else pattern


def _spelt(path: str) -> str:
    """A path as a pattern: `?` for each brace, and for each character that site.toml would show as an escape.

    >>> _spelt("logs/{a}_1.txt")
    'logs/?a?_1.txt'
    """
    return "".join("?" if char in "{}" or escape_control(char) != char else char for char in path)


def _place_of(name: str, source: str, hosts: list[str], may_name: bool) -> str:
    if source in _OF_LINKS:
        return re.sub(r"^[^{]+?(?=\.(log|old|rrd|xml|txt|json|csv|out)\b|$)", "{link}", name, count=1)
    for host in sorted({*hosts, *(short_host(host) for host in hosts)}, key=len, reverse=True):
        word = rf"(?<![A-Za-z0-9]){re.escape(host)}(?![A-Za-z0-9])"
        if host and "_" not in host and re.search(word, name):
            return re.sub(word, "{host}", name, count=1)
    if hosts or not may_name or source.startswith(("enstore", "encp", "dcache", "amass", "mrtg")):
        return name
    first = re.match(r"[A-Za-z][A-Za-z0-9.-]*(?=_)", name)
    if first is None or may_be_host(first[0]):
        return name if first is None else "{host}" + name[first.end() :]
    # after the name of a tool only a word with the form of a host's name: letters, then a number
    return re.sub(
        r"(?<=^" + re.escape(first[0]) + r"_)[A-Za-z][A-Za-z-]*[A-Za-z]\d+[a-z]?(?=[_.])", "{host}", name, count=1
    )
