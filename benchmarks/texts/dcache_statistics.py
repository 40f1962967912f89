"""Text of dCache's hourly statistics, hour after hour in one file as `cat` makes one of them."""

from collections.abc import Iterator
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

from benchmarks.texts._staging import FIRST_S

NAME, GLOB = "2009-11-hours.raw", "*.raw"
REASON = "read by a Python loop; real files cover an hour and have about 10 KiB"

POOLS = tuple(f"tape_{way}{number:02d}" for way in "rw" for number in range(1, 13))
CLASSES = ("lattice:gauge@osm", "lattice:props@osm", "beams:raw@osm", "beams:reco@osm")
ZONE = ZoneInfo("America/Chicago")
FILE_BYTES = 2_500_000_000


def text(seed: int) -> Iterator[str]:
    """Pieces of a file that does not end; each is the file of an hour. Counters run from midnight."""
    rng = Random(f"{seed} dcache_statistics")
    held = {(pool, name): rng.randrange(50, 500) for pool in POOLS for name in CLASSES}
    counts: dict[tuple[str, str], list[int]] = {}
    hour, day = 0, ""
    while True:
        at = FIRST_S + 3600 * hour + 3300
        clock = datetime.fromtimestamp(at, ZONE)
        if f"{clock:%F}" != day:
            day, counts = f"{clock:%F}", {key: [0, 0, 0] for key in held}
        rows = "".join([_row(rng, key, held, counts[key]) for key in held])
        yield f"#\n# timestamp={at}{rng.randrange(1000):03d}\n# date={clock:%a %b %d %H:%M:%S %Z %Y}\n#\n{rows}"
        hour += 1


def _row(rng: Random, key: tuple[str, str], held: dict[tuple[str, str], int], counts: list[int]) -> str:
    moved = rng.randrange(12)
    counts[0] += moved + rng.randrange(5)
    counts[1 if key[0].startswith("tape_r") else 2] += moved
    held[key] += rng.randrange(3) - 1
    into, out = (0, counts[0]) if counts[1] else (counts[0], 0)
    return (
        f"{key[0]} {key[1]} {held[key] * FILE_BYTES} {held[key]} {counts[0]} {counts[1]} {counts[2]} 0 "
        f"{into * FILE_BYTES} {out * FILE_BYTES} {counts[1] * FILE_BYTES} {counts[2] * FILE_BYTES}\n"
    )
