"""What the texts share: when they begin, the load of a host that stages files, and the files its drives move."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

# The clocks went back the night before, so stamps of Chicago's clock run on for four months without a jump.
FIRST = datetime(2009, 11, 2)
FIRST_S = 1_257_141_600  # the same instant
DISKS = tuple(f"sd{letter}" for letter in "abcdefghijkl")
N_DRIVES = 12


def local(at: int) -> datetime:
    """The local clock, `at` seconds after the first instant."""
    return FIRST + timedelta(seconds=at)


class Load:
    """A host that stages files: busy for minutes, then quiet."""

    def __init__(self, seed: int, name: str) -> None:
        self.rng = Random(f"{seed} {name}")
        self._until, self._mb_in, self._mb_out = 0, 0.0, 0.0

    def at(self, second: int) -> tuple[float, float]:
        """MB/s coming in and going out; to be asked second after second."""
        if second >= self._until:
            self._until = second + 120 + self.rng.randrange(1800)
            is_busy = self.rng.random() < 0.6
            self._mb_in = 30 + 40 * self.rng.random() if is_busy else 0.0
            self._mb_out = 40 + 60 * self.rng.random() if is_busy else 0.0
        return self._mb_in * (0.9 + 0.2 * self.rng.random()), self._mb_out * (0.9 + 0.2 * self.rng.random())


@dataclass(frozen=True)
class Moved:
    """A file between a disk and a tape; times are whole seconds after the first instant."""

    begun: int
    ended: int
    drive: int
    volume: str
    number: int
    n_bytes: int
    is_read: bool
    mib_s: float  # at the drive

    @property
    def mover(self) -> str:
        return f"LTO4_{301 + self.drive}"

    @property
    def serial(self) -> int:
        return 1_310_000_000 + 37 * self.drive

    @property
    def tape_path(self) -> str:
        return f"/pnfs/lattice/gauge/{self.volume}/run{self.number:05d}.dat"

    @property
    def disk_path(self) -> str:
        return f"/stage7/spool/{self.volume}_run{self.number:05d}.dat"


def moved_files(seed: int, name: str) -> Iterator[Moved]:
    """Files one after the other by their ends; each drive in turn, some dozens of files from a volume."""
    rng = Random(f"{seed} {name}")
    left, numbers = [0] * N_DRIVES, [0] * N_DRIVES
    volumes = [""] * N_DRIVES
    now, count = 60, 0
    while True:
        drive = count % N_DRIVES
        if not left[drive]:
            left[drive], numbers[drive] = 20 + rng.randrange(60), 1 + rng.randrange(400)
            volumes[drive] = f"V{drive:02d}{rng.randrange(1000):03d}"
        rate = 60 + 40 * rng.random()
        now += 3 + rng.randrange(3)
        seconds = 10 + rng.randrange(20)
        n_bytes = int(seconds * rate * 2**20)
        yield Moved(now - seconds, now, drive, volumes[drive], numbers[drive], n_bytes, drive % 3 == 0, rate)
        left[drive] -= 1
        numbers[drive] += 1
        count += 1
