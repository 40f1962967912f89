"""The history of mounts of a library with four drives, as its page saves it."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from random import Random

from benchmarks.texts._staging import FIRST

NAME, GLOB = "library1_mount_history.csv", "library1_*.csv"
ORIGIN = 'zone = "UTC"\n'
REASON = "real files are small: each line is a mount, and a year of a large library has a few MB"

N_DRIVES = 4
HEAD = "Date and Time,VolSer,Frame,Drive,LogLib,Media Type,Mount Host Write,Mount Host Read,Mount Drive Residency"


def text(seed: int) -> Iterator[str]:
    """The titles, then a mount a piece, a drive after the other."""
    rng = Random(f"{seed} library_mounts")
    yield f"{HEAD}\n"
    for number in count():
        at = FIRST + timedelta(minutes=25 * (number // N_DRIVES + 1), seconds=number % N_DRIVES)
        written, read = (rng.randrange(500_000), 0) if number % 3 else (0, rng.randrange(90_000))
        cells = (
            f"{at:%Y %m %d %H:%M.%S}",
            f"A{rng.randrange(9999):05}L8",
            1,
            number % N_DRIVES + 1,
            "ARCHIVE",
            "LTO-8",
        )
        yield ",".join(map(str, (*cells, written, read, rng.randrange(5, 20)))) + "\n"
