"""Text of `sysperf` of AMASS in a loop with `date`: a screen every ten seconds, six drives in two jukeboxes."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from benchmarks.texts._staging import Load

NAME, GLOB = "stager1_sysperf.txt", "{host}_{name}.txt"
REASON = "read by a Python loop, because labels decide what each number means; real files have a few KiB"

FIRST = datetime(1997, 11, 3)  # a week after the change of clocks
STEP_S = 10
DRIVES = ((1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2))
CACHE, FNODES = 512, 64


def text(seed: int) -> Iterator[str]:
    """Pieces of a loop that does not end; each is a date and a screen."""
    load = Load(seed, "amass_sysperf")
    at = 0
    while True:
        stamp = (FIRST + timedelta(seconds=at)).ctime()
        yield f"{stamp[:-5]} CST{stamp[-5:]}\n{_screen(load, at)}\n"
        at += STEP_S


def _screen(load: Load, at: int) -> str:
    mb_in, mb_out = load.at(at)
    rng = load.rng
    writes, reads = int(mb_in / 8), int(mb_out / 12)
    dirty = min(CACHE, int(6 * mb_in))
    free = (CACHE - dirty) * rng.randrange(60, 100) // 100
    rows = "".join(
        f"{juke:4d} {drive:5d} {'A' if mb_in else 'I':>8} {20 * juke + 3 * drive + at // 7200:6d} "
        f"{10 + drive:6d} {int(1000 * (mb_in + mb_out) / 6 * rng.random()) if mb_in else 0:10d}\n"
        for juke, drive in DRIVES
    )
    return (
        f"WRITE REQUESTS {writes}   # OF VOL GROUPS {min(3, writes)}\n"
        f"READ REQUESTS {reads}    # OF VOL GROUPS {min(2, reads)}\n\n"
        f"CACHE BLOCKS {CACHE} Total  {free} Free  {dirty} Dirty\n"
        f"FNODES       {FNODES} Total   {FNODES - writes - reads} Free\n\n"
        f"JUKE DRIVE VOLFLAGS VOLUME VOLGRP KBYTES/SEC\n{rows}"
    )
