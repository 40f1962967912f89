"""Text of ENDIT's retriever: four workers at a time, each a volume, their files listed."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import local

NAME, GLOB = "tsmretriever.log", "tsmretriever*"

N_WORKERS = 4
DAEMON = "tape_pool01 [1400]"


def text(seed: int) -> Iterator[str]:
    """The start, then rounds of workers that begin, are done or fail."""
    rng = Random(f"{seed} endit")
    yield f"{_stamp(0)} {DAEMON} /opt/endit/tsmretriever.pl: Starting ENDIT on stage07...\n"
    at, pid = 600, 2000
    while True:
        yield "".join(_round(rng, at, pid))
        at += 3600 + rng.randrange(1800)
        pid = 2000 + (pid + N_WORKERS - 2000) % 28_000


def _round(rng: Random, at: int, pid: int) -> Iterator[str]:
    ends: list[tuple[int, str]] = []
    for number in range(N_WORKERS):
        volume, worker = f"A{rng.randrange(20_000):05d}", pid + number
        files = [f"0000{rng.getrandbits(128):032X}" for _ in range(rng.randrange(5, 60))]
        size = f"{(gib := 4 * len(files) * rng.random()):.2f} GiB in {len(files)} files"
        came = f"oldest {_stamp(at - 900)} newest {_stamp(at - 620)}"
        running = f"Running worker PID {worker} on volume {volume} ({size}, {came}) files: {' '.join(files)}"
        yield f"{_stamp(at)} {DAEMON} {running}\n"
        listed = f"/grid/pool/requestlists/{volume}.x1Yz2W"
        trying = f"Trying to retrieve files from volume {volume} using file list {listed}"
        yield f"{_stamp(at)} {DAEMON}[{worker}] {trying}\n"
        took = 60 + rng.randrange(3000)
        rates = f"{gib * 1024 / took:.2f} MiB/s ({len(files) / took:.2f} files/s)"
        message = (
            f"Retrieve operation from volume {volume} successful, {size} took {took} seconds, average rate {rates}"
        )
        if rng.random() < 0.03:
            message = f"dsmc retrieve failure volume {volume} file list {listed}: child exited with value 12"
        ends.append((at + took, f"{DAEMON}[{worker}] {message}\n"))
    yield from (f"{_stamp(ended)} {message}" for ended, message in sorted(ends))


def _stamp(at: int) -> str:
    return f"{local(at):%Y-%m-%d %H:%M:%S}"
