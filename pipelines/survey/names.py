"""Names of hosts, and patterns of names of files."""

import re
from dataclasses import dataclass, field

# what stands in the host column where no text names a host; the first is the file name we give while looking
NO_NAME = "\0"
NO_HOSTS = (NO_NAME, "", "unknown")
# First words of file names that say what measured, or what the file is, not where.
_NO_HOST_WORDS = {
    *("vmstat", "iostat", "sar", "sadf", "nmon", "topas", "dool", "dstat", "pcp", "pmrep", "pmdumptext", "nicstat"),
    *("dd", "time", "mrtg", "rrd", "sysstat", "ksar", "oswatcher", "collectl", "mpstat", "netstat", "amass", "sysperf"),
    *("log", "logs", "out", "output", "sample", "samples", "test", "data", "stat", "stats", "perf", "load", "host"),
}


def may_be_host(word: str) -> bool:
    """Not the name of a tool or a word such as "log".

    >>> may_be_host("dm8"), may_be_host("iostat"), may_be_host("Sar.2")
    (True, False, False)
    """
    return re.split(r"[^A-Za-z]", word)[0].lower() not in _NO_HOST_WORDS


@dataclass
class Pattern:
    """An [[input]]: the pattern, and the files it stands for."""

    glob: str
    source: str
    files: list[str] = field(default_factory=list)


def short(host: str) -> str:
    """A host without its domain.

    >>> short("dm8.example.org"), short("192.0.2.7")
    ('dm8', '192.0.2.7')
    """
    return host if re.fullmatch(r"[\d.]+", host) else host.split(".")[0]
