"""Text of a night of `timex dd` on a spool: a file written, then read, with `date` before each."""

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random

from benchmarks.texts._staging import FIRST_S

NAME, GLOB = "stager1_dd.txt", "{host}_{name}.txt"
REASON = "runs are separated by a Python loop; real files are logs of a test, with a few KiB"


def text(seed: int) -> Iterator[str]:
    """Pieces without end; each is a file written and read."""
    rng = Random(f"{seed} timed_run")
    at, number = FIRST_S, 0
    while True:
        name = f"/stage7/test{number % 8}"
        for operands in (f"if=/dev/zero of={name} bs=1024k count=4096", f"if={name} of=/dev/null bs=1024k"):
            seconds = 30 + 20 * rng.random()
            yield _run(at, operands, seconds, rng.random())
            at += int(seconds) + 2
        number += 1


def _run(at: int, operands: str, seconds: float, noise: float) -> str:
    date = datetime.fromtimestamp(at, UTC).ctime()
    n_bytes = 4096 * 2**20
    return (
        f"{date[:-5]} UTC{date[-5:]}\n$ timex dd {operands}\n4096+0 records in\n4096+0 records out\n"
        f"{n_bytes} bytes (4.3 GB) copied, {seconds:.4f} s, {n_bytes / seconds / 1e6:.0f} MB/s\n\n"
        f"real {seconds + 0.02 + 0.1 * noise:14.2f}\nuser {0.02 + 0.1 * noise:14.2f}\nsys  {9 + 3 * noise:14.2f}\n\n"
    )
