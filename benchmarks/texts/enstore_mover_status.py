"""Text of `enstore mover --status` as a script that asks again and again keeps it: dump after dump of one mover."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import FIRST_S, moved_files

NAME, GLOB = "mover_status.txt", "*_status.txt"
ORIGIN = 'host = "LTO4_301.mover"\n'
REASON = "printed dictionaries, read by a Python loop; real files have 2 KiB"


def text(seed: int) -> Iterator[str]:
    """Pieces without end; each is a dump in the midst of a file."""
    rng = Random(f"{seed} enstore_mover_status")
    for n_done, one in enumerate(moved_files(seed, "enstore_mover_status")):
        share = rng.random()
        done, buffered = int(one.n_bytes * share), rng.randrange(64 * 2**20)
        at = FIRST_S + one.ended
        yield f"""\
{{'buffer': 'Buffer 67108864  {buffered}  2621440000',
 'buffer_max': 2621440000L,
 'buffer_min': 67108864L,
 'bytes_buffered': {buffered},
 'bytes_read': {done + buffered}L,
 'bytes_read_last': {done + buffered}L,
 'bytes_to_transfer': {one.n_bytes + 2 * buffered}L,
 'bytes_written': {done}L,
 'client': '192.0.2.74',
 'current_location': {one.number},
 'current_volume': '{one.volume}',
 'default_dismount_delay': 20,
 'drive_id': 'ULTRIUM-TD4',
 'drive_sn': '1310000000',
 'drive_vendor': 'IBM',
 'files': ('stager1.example.org:{one.disk_path}',
           '{one.tape_path}'),
 'last_error': ('ok', None),
 'last_location': {one.number - 1},
 'last_volume': '{one.volume}',
 'max_dismount_delay': 600,
 'mode': '{"READ" if one.is_read else "WRITE"}',
 'rate of network': {one.mib_s * 2**20 * 1.05:.6f},
 'rate of tape': {one.mib_s * 2**20:.9f},
 'state': 'ACTIVE',
 'status': ('ok', None),
 'successful_writes': {n_done},
 'time_in_state': {share * 30:.9f},
 'time_stamp': {at}.{rng.randrange(1, 10**6):06d},
 'transfers_completed': {n_done},
 'transfers_failed': 0}}

"""
