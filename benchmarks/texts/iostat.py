"""Text as `iostat -xmt 1` prints it on a host that stages files on a dozen disks: busy for minutes, then quiet."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

NAME, GLOB = "stager1_1s.txt", "{host}_{name}.txt"

BANNER = "Linux 2.6.32-696.el6.x86_64 (stage7.example.org) \t11/16/2009 \t_x86_64_\t(16 CPU)\n\n"
CPU = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
DEVICE = (
    "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await"
    "  svctm  %util\n"
)
DISKS = tuple(f"sd{letter}" for letter in "abcdefghijkl")
# A day with a part above 12, and far from any change of clocks.
FIRST = datetime(2009, 11, 16)


def text(seed: int) -> Iterator[str]:
    """Pieces of a run that does not end; the first is the banner, each other one report."""
    rng = Random(f"{seed} iostat")
    yield BANNER
    at = 0
    busy_until, mb_in, mb_out = 0, 0.0, 0.0
    while True:
        if at >= busy_until:
            busy_until = at + 120 + rng.randrange(1800)
            is_busy = rng.random() < 0.6
            mb_in, mb_out = (3 + 4 * rng.random(), 4 + 6 * rng.random()) if is_busy else (0.0, 0.0)
        flushed = 3 * mb_in if at % 3 == 0 else 0.0  # the spool is flushed every three seconds
        stamp = (FIRST + timedelta(seconds=at)).strftime("%m/%d/%Y %I:%M:%S %p")
        user, system, wait = 2.9 * rng.random(), 0.4 * (mb_in + mb_out), 0.5 * flushed
        cpu = f"{user:8.2f} {0:7.2f} {system:7.2f} {wait:7.2f} {0:7.2f} {100 - user - system - wait:7.2f}"
        rows = "".join([_row(rng, disk, mb_out, flushed) for disk in DISKS])
        yield f"{stamp}\n{CPU}        {cpu}\n\n{DEVICE}{rows}\n"
        at += 1


def _row(rng: Random, disk: str, mb_out: float, flushed: float) -> str:
    noise = 0.8 + 0.4 * rng.random()
    read_mb, written_mb = mb_out * noise, flushed * noise
    reads, writes = 8 * read_mb, 9 * written_mb
    requests = reads + writes
    size = 2048 * (read_mb + written_mb) / requests if requests else 0.0
    read_ms, write_ms = (3 + noise if reads else 0.0), (14 + 9 * noise if writes else 0.0)
    wait = (reads * read_ms + writes * write_ms) / requests if requests else 0.0
    busy = min(100.0, 0.4 * requests)
    return (
        f"{disk:<13s} {reads / 9:8.2f} {writes * 7:8.2f} {reads:7.2f} {writes:7.2f} {read_mb:8.2f} {written_mb:8.2f} "
        f"{size:8.2f} {requests * wait / 1000:8.2f} {wait:7.2f} {read_ms:7.2f} {write_ms:7.2f} "
        f"{10 * busy / requests if requests else 0.0:6.2f} {busy:6.2f}\n"
    )
