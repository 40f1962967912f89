"""Text as `vmstat -t 1` prints it on a host that stages files: busy for minutes, then quiet, day after day."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

NAME, GLOB = "stager1_1s.txt", "{host}_{name}.txt"

HEADER = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 CST\n"
)
HEADER_EVERY = 21
MEMORY_KB = 8_174_000
# The clocks went back the night before, so stamps run on for four months without a jump.
FIRST = datetime(2009, 11, 2)
DAY_S = 86_400


def text(seed: int) -> Iterator[str]:
    """Pieces of a run that does not end; each is one header and its rows."""
    rng = Random(f"{seed} vmstat")
    at = 0
    busy_until, mb_in, mb_out = 0, 0.0, 0.0
    while True:
        if at >= busy_until:
            busy_until = at + 120 + rng.randrange(1800)
            is_busy = rng.random() < 0.6
            mb_in, mb_out = (30 + 40 * rng.random(), 40 + 60 * rng.random()) if is_busy else (0.0, 0.0)
        yield HEADER + "".join([_row(rng, at + step, mb_in, mb_out) for step in range(HEADER_EVERY)])
        at += HEADER_EVERY


def _row(rng: Random, at: int, mb_in: float, mb_out: float) -> str:
    noise = rng.random()
    flushed = 3 * mb_in if at % 3 == 0 else 0.0  # the spool is flushed every three seconds
    read_kb, written_kb = int(mb_out * (900 + 150 * noise)), int(flushed * (950 + 60 * noise))
    system, user = int((mb_in + mb_out) * 0.12 + 3 * noise), int(2.9 * noise)
    wait = min(30, int(flushed * 0.1 + mb_out * 0.05 + noise))
    free = 160_000 + 4 * int(8_750 * noise)  # whole pages, as all memory in KiB
    stamp = (FIRST + timedelta(days=at // DAY_S)).strftime("%Y-%m-%d")
    second = at % DAY_S
    return (
        f"{int(4 * noise):2d} {int(wait > 3):2d} {108:6d} {free:6d} {61_000 + 4 * int(225 * noise):6d} "
        f"{MEMORY_KB - free - 900_000:6d} {0:4d} {0:4d} {read_kb:5d} {written_kb:5d} "
        f"{1000 + int((mb_in + mb_out) * 55 + 60 * noise):4d} {300 + int(mb_out * 30 + 80 * noise):4d} "
        f"{user:2d} {system:2d} {100 - system - user - wait:2d} {wait:2d} {0:2d} "
        f"{stamp} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}\n"
    )
