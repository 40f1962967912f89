"""Names of hosts, and words in names of files."""

import re

# values of the host column where no text names a host; the first is the file name we give while looking
NO_NAME = "\0"
NO_HOSTS = (NO_NAME, "", "unknown", "localhost", "localhost.localdomain")
# Words of file names that say what measured, or what the file is, not where.
_NO_HOST_WORDS = {
    *("vmstat", "iostat", "sar", "sadf", "nmon", "topas", "dool", "dstat", "pcp", "pmrep", "pmdumptext", "nicstat"),
    *("dd", "time", "mrtg", "rrd", "sysstat", "ksar", "oswatcher", "collectl", "mpstat", "netstat", "amass", "sysperf"),
    *("log", "logs", "out", "output", "sample", "samples", "test", "data", "stat", "stats", "perf", "load", "host"),
}
_ENDINGS = {"txt", "csv", "json", "xml", "dat", "raw", "old"}


def may_be_host(word: str) -> bool:
    """Not the name of a tool or a word such as "log".

    >>> may_be_host("dm8"), may_be_host("iostat"), may_be_host("Sar.2")
    (True, False, False)
    """
    return re.split(r"[^A-Za-z]", word)[0].lower() not in _NO_HOST_WORDS


def is_regular(glob: str) -> bool:
    """Whether a pattern of names has, apart from the host, only dates, numbers, tools and endings.

    >>> is_regular("load/vmstat_{host}_{date}.txt*"), is_regular("{host}_Linux_*.txt*"), is_regular("{host}_*.out*")
    (True, False, True)
    """
    name = re.sub(r"\{\w+\}", "", glob.rpartition("/")[2])
    return all(word.lower() in _NO_HOST_WORDS | _ENDINGS for word in re.findall(r"[A-Za-z]+", name))
