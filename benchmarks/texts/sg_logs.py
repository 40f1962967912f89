"""What `sg_logs` prints of one drive, again and again."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from random import Random

from benchmarks.texts._staging import FIRST

NAME, GLOB = "D1_sg_logs.txt", "D1_*.txt"
ORIGIN = 'drive = "D1"\n'
REASON = "real files are small: a few kB for all pages of a drive, a few MB a month if read every hour"


def text(seed: int) -> Iterator[str]:
    """A reading a piece."""
    rng = Random(f"{seed} sg_logs")
    moved = errors = 0
    for number in count():
        at = FIRST + timedelta(hours=number)
        moved, errors = moved + rng.randrange(10**12), errors + rng.randrange(3)
        yield (
            f"# {at:%Y-%m-%dT%H:%M:%SZ} /dev/nst0\nIBM       ULTRIUM-HH9       Q3F5\n\n"
            "  Write error counter page  [0x2]\n"
            f"  Total rewrites or rereads = {12 * errors}\n  Total errors corrected = {15 * errors}\n"
            f"  Total bytes processed = {moved}\n  Total uncorrected errors = {errors // 9}\n\n"
            "  Read error counter page  [0x3]\n"
            f"  Total errors corrected = {errors}\n  Total uncorrected errors = 0\n\n"
        )
