"""Text of TSM's table SUMMARY: sessions of clients and their mounts."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import N_DRIVES, local

NAME, GLOB = "summary.csv", "*.csv"


def text(seed: int) -> Iterator[str]:
    """A session and its mount, in the order of their begin."""
    rng = Random(f"{seed} tsm_summary")
    at, number = 0, 5000
    while True:
        at, number = at + rng.randrange(5, 40), number + 1
        yield _session(rng, at, number)
        yield _mount(rng, at + 4)


def _session(rng: Random, at: int, number: int) -> str:
    took, files = rng.randrange(60, 4000), rng.randrange(1, 300)
    moved = f"{files},{files},0,{files * rng.randrange(10**8, 8 * 10**9)}"
    waits = f"{rng.randrange(20)},{rng.randrange(60, 200)}"
    node = f"POOL_{rng.randrange(8)},Tcp/Ip,stage{rng.randrange(9):02}.example.org:{rng.randrange(40_000, 50_000)}"
    work = ("ARCHIVE", "RETRIEVE")[rng.random() < 0.6]
    return f"{_stamps(at, took)},{work},{number},{node},,{moved},,,,,{waits},0,YES,,,,,{rng.randrange(90)},\n"


def _mount(rng: Random, at: int) -> str:
    drive = rng.randrange(N_DRIVES)
    place = f"A{rng.randrange(20_000):05d}L8,DRIVE{drive:02} (/dev/lin_tape/by-id/tape{drive}),LIB1,Data,0,"
    return f"{_stamps(at, rng.randrange(60, 4000))},TAPE MOUNT,0,,,,,0,0,0,0,,,,,0,0,0,YES,{place}\n"


def _stamps(at: int, took: int) -> str:
    return f"{local(at):%Y-%m-%d %H:%M:%S}.000000,{local(at + took):%Y-%m-%d %H:%M:%S}.000000"
