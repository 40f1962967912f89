"""Hosts named in logs, and which of them are stations."""

import re
from collections import Counter
from dataclasses import dataclass, field

import polars as pl

from pipelines.config.inputs import Input
from pipelines.ingest.survey.names import NO_HOSTS
from pipelines.ingest.survey.patterns import Pattern
from pipelines.primitives.format import counted
from pipelines.primitives.text import short_host

# who moved files to or from tape: a station
_CLIENT_TABLES = ("enstore_log_encp", "enstore_accounting_transfer", "encp_console_transfer", "cta_file")
_CLIENT_COLUMNS = ("client_host", "disk_host", "host")  # the first that a table has
_MODES = {"read": "read", "r": "read", "write": "written", "w": "written"}


@dataclass
class HostsFound:
    """Rows per host, and the files that name it."""

    clients: Counter[str] = field(default_factory=Counter)  # moved files: stations
    measured: Counter[str] = field(default_factory=Counter)  # vmstat, iostat, sar … of them
    named: Counter[str] = field(default_factory=Counter)  # files with its name in theirs
    moved: Counter[tuple[str, str]] = field(default_factory=Counter)  # short name, read or written: files
    files: dict[str, str] = field(default_factory=dict)  # the first file that names it

    def note(self, tables: dict[str, pl.DataFrame], path: str) -> None:
        """Add the hosts of one file."""
        for table, rows in tables.items():
            column = next((name for name in _CLIENT_COLUMNS if name in rows.columns), None)
            if column is None:
                continue
            known = rows.filter(pl.col(column).is_not_null() & ~pl.col(column).is_in(NO_HOSTS))
            counts = dict(known.group_by(column).len().rows())
            if table in _CLIENT_TABLES:
                self.clients.update(counts)
                self._note_modes(known.select(host=column, mode="kind" if table == "cta_file" else "mode"))
            elif table.endswith("_sample"):
                self.measured.update(counts)
            for host in counts:
                self.files.setdefault(host, path)

    def _note_modes(self, rows: pl.DataFrame) -> None:
        for host, mode, n in rows.drop_nulls().group_by("host", "mode").len().rows():
            self.moved[short_host(host), _MODES.get(mode, mode)] += n

    def use(self, name: str) -> str:
        """What the logs show of a station's role. They prove none: migrations and users send the same requests."""
        read, written = self.moved[name, "read"], self.moved[name, "written"]
        if read or written:
            return f"unknown: the host read {read} files from tape and wrote {written}; no log line shows for whom"
        return "unknown: no log line shows the purpose of the host"

    def note_named(self, pattern: Pattern) -> None:
        """Add the hosts that the names of files give."""
        for path in pattern.files if "{host}" in pattern.glob else ():
            if host := (Input(glob=pattern.glob).match(path) or {}).get("host"):
                self.named[host] += 1
                self.files.setdefault(host, f"{path}, from the pattern {pattern.glob}")

    def station_like(self, link: str) -> str:
        """The one station whose name holds the longest word of a link's, or nothing.

        >>> found = HostsFound(named=Counter(["stkendm8a", "stkendm10a"]), files={"stkendm8a": "", "stkendm10a": ""})
        >>> found.station_like("dm8-bond0"), found.station_like("core-switch")
        ('stkendm8a', '')
        """
        wrong = self.misspelt
        right = [name for name, _ in self.stations if name not in wrong]
        for word in sorted(re.split(r"[^A-Za-z0-9]+", link), key=len, reverse=True):
            near = [name for name in right if len(word) > 2 and word.lower() in name.lower()]
            if len(near) == 1:
                return near[0]
        return ""

    @property
    def stations(self) -> list[tuple[str, str]]:
        """Short names, each with its evidence, the busiest first."""
        found: dict[str, str] = {}
        for host, n in self.clients.most_common():
            what = f"this host moved files, as {_record(n)}"
            found.setdefault(short_host(host), f"{what}; the first log that names it is {self.files[host]}")
        for host, n in self.measured.most_common():
            what = f"{_record(n)} the load of this host"
            found.setdefault(short_host(host), f"{what}; the first log that names it is {self.files[host]}")
        for host, n in self.named.most_common():
            files = "file name contains" if n == 1 else "file names contain"
            found.setdefault(
                short_host(host), f"no log line names this host; {n} {files} its name, first {self.files[host]}"
            )
        return list(found.items())

    @property
    def misspelt(self) -> dict[str, str]:
        """Rare names that look like a frequent one with a letter more, less or exchanged; digits must agree."""
        counts: Counter[str] = Counter()
        for host, n in (self.clients + self.measured + self.named).items():
            counts[short_host(host)] += n
        known = [host for host, _ in counts.most_common()]
        found: dict[str, str] = {}
        for i, rare in enumerate(known):
            for often in known[:i]:
                if _digits(rare) == _digits(often) and _is_one_off(rare, often):
                    found.setdefault(rare, often)
        return found


def _digits(name: str) -> str:
    return re.sub(r"\D", "", name)


def _is_one_off(a: str, b: str) -> bool:
    """One letter more, less, other, or two neighbours exchanged.

    >>> _is_one_off("stkensm8a", "stkendm8a"), _is_one_off("alpha", "beta")
    (True, False)
    """
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    return (
        rest_a[1:] == rest_b[1:]
        or rest_a[1:] == rest_b
        or rest_a == rest_b[1:]
        or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    )


def _record(n_lines: int) -> str:
    return f"{counted(n_lines, 'log line')} {'records' if n_lines == 1 else 'record'}"
