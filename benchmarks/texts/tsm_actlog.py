"""Text of TSM's activity log: a session, the mount for it, and messages about neither."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import N_DRIVES, local

NAME, GLOB = "actlog.txt", "*.txt"


def text(seed: int) -> Iterator[str]:
    """What the server logs of one session after the other."""
    rng = Random(f"{seed} tsm_actlog")
    at, number = 0, 5000
    while True:
        at, number = at + rng.randrange(60, 400), number + 1
        volume, drive = f"A{rng.randrange(20_000):05d}L8", rng.randrange(N_DRIVES)
        place = f"DRIVE{drive:02} (/dev/lin_tape/by-id/tape{drive})"
        node, tag = f"POOL_{rng.randrange(8)}", f"(SESSION: {number})"
        yield _line(
            at, f"ANR0406I Session {number} started for node {node} (Linux x86-64) (Tcp/Ip stage01(41234)). {tag}"
        )
        yield _line(at + 30, f"ANR8337I LTO volume {volume} mounted in drive {place}. {tag}")
        yield _line(at + 31, f"ANR0510I Session {number} opened input volume {volume}. {tag}")
        yield _line(at + 40, "ANR2017I Administrator ADMIN issued command: QUERY SESSION")
        yield _line(at + 50, f"ANR0514I Session {number} closed volume {volume}. {tag}")
        yield _line(at + 51, f"ANR0403I Session {number} ended for node {node} (Linux x86-64). {tag}")
        yield _line(at + 59, f"ANR8468I LTO volume {volume} dismounted from drive {place} in library LIB1.")


def _line(at: int, message: str) -> str:
    return f"{local(at):%Y-%m-%d %H:%M:%S}     {message}\n"
