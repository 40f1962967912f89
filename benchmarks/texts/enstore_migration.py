"""Text of Enstore's migration log: volume after volume, each file read to disk, written and put in its place."""

from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from random import Random

from benchmarks.texts._staging import FIRST_S, Moved, local, moved_files

NAME, GLOB = "MigrationLog@2009-11-02.000000#12345", "MigrationLog@*"
REASON = "each row combines lines of several threads about the same file"

MAIN, READ, WRITE = "MainThread", "READ_0 COPYING_TO_DISK", "WRITE_0 COPYING_TO_TAPE"
SWAP = "WRITE_0 SWAPPING_METADATA"


def text(seed: int) -> Iterator[str]:
    """Pieces of a log that does not end; each is a volume."""
    rng = Random(f"{seed} enstore_migration")
    files = moved_files(seed, "enstore_migration")
    count, last = 0, 0
    while True:
        moved = list(islice(files, 30 + rng.randrange(60)))
        volume = f"VOL{rng.randrange(10_000):04d}"
        lines = [
            (last, f"{MAIN} MIGRATING_VOLUME start migrating volume {volume} ... "),
            (last, f"{MAIN} MIGRATING_VOLUME set {volume} to migrating "),
        ]
        for number, one in enumerate(moved, 1):
            lines += _file(one, volume, number, f"GAGE{110_000_000_000_000 + 100_000 * count}")
            count += 1
        last = max(at for at, _ in lines)
        lines.append((last, f"{MAIN} MIGRATING_VOLUME set {volume} to migrated "))
        yield "".join([f"{local(at).ctime()} {entry}\n" for at, entry in sorted(lines, key=itemgetter(0))])


def _file(one: Moved, volume: str, number: int, bfid: str) -> list[tuple[int, str]]:
    path, disk = f"/pnfs/lattice/gauge/{volume}/run{number:05d}.dat", f"/data/mig/{bfid}"
    there = path.replace("/pnfs/", "/pnfs/Migration/")
    copy = f"GAGE{(FIRST_S + one.ended) * 100_000 + number}"
    half = (one.begun + one.ended) // 2
    return [
        (one.begun, f"{READ} copying {bfid} {volume} 0000_000000000_{number:07d} "),
        (half, f"{READ} {bfid} {path} to {disk} ... OK"),
        (half, f"{WRITE} copying {bfid} {disk} {there} "),
        (one.ended, f"{WRITE} {bfid} {disk} is copied to {there} ... OK"),
        (one.ended, f"{SWAP} swapping {bfid} {path} {copy} {there} "),
        (one.ended, f"{SWAP} {bfid} {path} {copy} {there} have been swapped ... OK"),
    ]
