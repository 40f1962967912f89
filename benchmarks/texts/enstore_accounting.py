"""Text of an export of Enstore's accounting table encp_xfer as CSV: a line a file, by its end."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import FIRST_S, Moved, local, moved_files

NAME, GLOB = "encp_xfer.csv", "*.csv"

HEADER = (
    "date,node,pid,username,src,dst,size,rw,overall_rate,network_rate,drive_rate,volume,mover,drive_id,drive_sn,elapsed,"
    "media_changer,mover_interface,driver,storage_group,encp_ip,encp_id,disk_rate,transfer_rate,encp_version,"
    "file_family,wrapper,library\n"
)


def text(seed: int) -> Iterator[str]:
    """The header, then a line for each file."""
    rng = Random(f"{seed} enstore_accounting")
    yield HEADER
    for count, one in enumerate(moved_files(seed, "enstore_accounting")):
        yield _line(rng, one, count)


def _line(rng: Random, one: Moved, count: int) -> str:
    source, target = (one.tape_path, one.disk_path) if one.is_read else (one.disk_path, one.tape_path)
    drive = one.mib_s * 2**20
    network = drive * (1 + 0.1 * rng.random())
    elapsed = one.n_bytes / drive + 20 * rng.random()
    node = f"stager{1 + one.drive % 3}.example.org"
    begun = FIRST_S + one.ended - int(elapsed)
    return (
        f"{local(one.ended):%F %T},{node},{4000 + one.drive},pro,{source},{target},{one.n_bytes},"
        f"{'r' if one.is_read else 'w'},{one.n_bytes / elapsed:.0f},{network:.0f},{drive:.0f},{one.volume},"
        f"{one.mover}.mover,ULTRIUM-TD4,{one.serial},{elapsed:.6f},STK.media_changer,mvr{301 + one.drive},FTTDriver,"
        f"lattice,192.0.2.{21 + one.drive % 3},{node}-{begun}-{4000 + one.drive}-{count},{network:.0f},{network:.0f},"
        f"v3_9 encp,gauge,cpio_odc,CD-LTO4\n"
    )
