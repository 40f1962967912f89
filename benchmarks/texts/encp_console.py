"""Text encp prints on the terminal with `--verbose 3`: dozens of files a call, then the totals."""

from collections.abc import Iterator
from itertools import islice
from random import Random

from benchmarks.texts._staging import Moved, moved_files

NAME, GLOB = "encp-2009-11-02.txt", "encp-{date}.txt"
REASON = "read by a Python loop; real files hold a few KiB of terminal output"


def text(seed: int) -> Iterator[str]:
    """Pieces without end; each is what one call printed."""
    rng = Random(f"{seed} encp_console")
    files = moved_files(seed, "encp_console")
    while True:
        moved = list(islice(files, 10 + rng.randrange(40)))
        yield "".join([_file(rng, one) for one in moved]) + _totals(moved)


def _file(rng: Random, one: Moved) -> str:
    source, target = (one.tape_path, one.disk_path) if one.is_read else (one.disk_path, one.tape_path)
    network = one.mib_s * (1 + 0.1 * rng.random())
    elapsed = one.n_bytes / 2**20 / one.mib_s + 20 * rng.random()
    return (
        f"Transfer {source} -> {target}:\n"
        f"\t{one.n_bytes} bytes copied {'from' if one.is_read else 'to'} {one.volume} at {network:.3g} MB/S\n"
        f" \t({network:.3g} MB/S network) ({one.mib_s:.3g} MB/S drive) ({network:.3g} MB/S disk)\n"
        f"\t({one.n_bytes / 2**20 / elapsed:.3g} MB/S overall) ({network:.3g} MB/S transfer)\n"
        f"\tdrive_id=ULTRIUM-TD4 drive_sn={one.serial} drive_vendor=IBM\n"
        f"\tmover={one.mover}.mover media_changer=STK.media_changer   elapsed={elapsed:.5g}\n"
    )


def _totals(moved: list[Moved]) -> str:
    n_bytes = sum(one.n_bytes for one in moved)
    seconds = sum(one.n_bytes / 2**20 / one.mib_s for one in moved)
    rate = n_bytes / 2**20 / seconds
    return (
        f"Completed transferring {n_bytes} bytes in {len(moved)} files in {1.3 * seconds:.6f} sec.\n"
        f"\tOverall rate = {rate / 1.3:.3g} MB/sec.  Transfer rate = {rate:.3g} MB/sec.\n"
        f"\tNetwork rate = {rate:.3g} MB/sec.  Drive rate = {rate:.3g} MB/sec.\n"
        f"\tDisk rate = {rate:.3g} MB/sec.  Exit status = 0.\n"
    )
