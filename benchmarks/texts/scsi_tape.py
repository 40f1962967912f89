"""Dumps of four tape drives' counters in `/sys/class/scsi_tape`, a minute apart."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from random import Random

from benchmarks.texts._staging import FIRST

NAME, GLOB = "tps1_scsi_tape.txt", "{host}_{name}.txt"
REASON = "each row combines ten lines; a real host writes a few MB a day"

STEP_S = 60
FILES = [
    "in_flight",
    "io_ns",
    "other_cnt",
    "read_byte_cnt",
    "read_cnt",
    "read_ns",
    "resid_cnt",
    "write_byte_cnt",
    "write_cnt",
    "write_ns",
]


def text(seed: int) -> Iterator[str]:
    """A dump a piece."""
    rng = Random(f"{seed} scsi_tape")
    counts: Counter[tuple[int, str]] = Counter()
    for number in count():
        lines = [f"# {FIRST + timedelta(seconds=number * STEP_S):%Y-%m-%dT%H:%M:%SZ}"]
        for drive in range(4):
            busy = rng.random()
            mode = rng.choice(("read", "write"))
            rises = {
                f"{mode}_byte_cnt": 24_000_000_000 * busy,
                f"{mode}_cnt": 24_000 * busy,
                f"{mode}_ns": 5e10 * busy,
                "io_ns": 6e10 * busy,
            }
            counts.update({(drive, name): int(rise) for name, rise in rises.items()})
            lines += [f"/sys/class/scsi_tape/st{drive}/stats/{name}:{counts[drive, name]}" for name in FILES]
        yield "\n".join([*lines, ""])
