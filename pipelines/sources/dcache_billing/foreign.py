"""Other text of dCache, recognised by its lines: what it is, and why it is not read."""

import re

_TABLE = (
    (
        r"[\w-]{36} (?:QUEUED|ACTIVE|CANCELED|REMOVED) \w{3} \w{3} "
        r"|[0-9A-F]{24,36}\s+\d+\s+\w{3} \w{3} +\d+ \d\d:\d\d:\d\d ",
        "a listing of a pool's tape queue (rh ls, st ls), which does not show when it was taken",
    ),
    (
        r"[0-9A-F]{24,36} <[A-Za-z-]{8,}\(\d+\)\[\d+\]> ",
        "a listing of a pool's files (rep ls), which shows files on disk, not transfers to or from tape",
    ),
    (
        r"(?:--- \w+ \(Nearline storage manager\) ---|Job Queues \(active/queued\)|\[\S+\] \(\S+\) admin >)",
        "output of dCache's admin shell, which does not show when it was taken",
    ),
    (
        r"\d\d/\d\d/\d\d-\d\d:\d\d:\d\d\.\d+ +\d+ \S+\.sh\[\d+\]\[",
        "the log of a site's own script between dCache and its tape system; such logs differ from site to site",
    ),
    (
        r"\w{3} +\d+ \d\d:\d\d:\d\d \S+ (?:dcache@\S+|sudo)\[\d+\]: ",
        "a journal of a pool's messages, which by default lacks completed requests; billing files have every request",
    ),
    (
        r"\d\d \w{3} \d{4} \d\d:\d\d:\d\d \(\S+\) \[",
        "the log of a pool or door, which by default lacks completed requests; billing files have every request",
    ),
    (
        r"(?:id,)?datestamp,.*\b(?:transfersize|isnew|mappeduid|filecached)\b",
        "a dump of billinginfo, doorinfo or hitinfo, which has transfers of clients, not those to and from tape",
    ),
)
_KINDS = tuple((re.compile(pattern), what) for pattern, what in _TABLE)


def foreign(head: list[str]) -> str:
    """What other text of dCache these lines are, or nothing.

    >>> foreign(["18 Jul 2024 16:36:44 (PinManager) [bulk] match done"])
    'the log of a pool or door, which by default lacks completed requests; billing files have every request'
    >>> foreign(["plain prose"])
    ''
    """
    texts = [line.strip() for line in head if line.strip()]
    for pattern, what in _KINDS:
        if 2 * sum(pattern.match(text) is not None for text in texts) >= len(texts) > 0:
            return what
    return next((what for text in texts for pattern, what in _KINDS if pattern.match(text)), "")
