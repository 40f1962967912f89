"""Text of CTA's tape daemon: a drive that is mounted, reads scattered files and is unmounted, in the default format."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import local

NAME, GLOB = "cta-taped.log", "cta-taped*"
ORIGIN = "date = 2009-11-02\n"

DRIVE = "IBMLIB1-D07"
_STATIC = f'drive_name="{DRIVE}" instance="ARCHIVE" sched_backend="objectstore"'


def text(seed: int) -> Iterator[str]:
    """Sessions one after another; between its files the daemon logs what concerns no drive."""
    rng = Random(f"{seed} cta_taped")
    at, mount = 600.0, 4000
    while True:
        mount += 1
        volume = f"L{rng.randrange(20_000):05d}"
        context = f'mountId="{mount}" tapeDrive="{DRIVE}" tapePool="raw" tapeVid="{volume}" thread="TapeRead" vo="v"'
        lines = list(_session(rng, at, mount, context))
        yield "".join(line for _, line in lines)
        at = lines[-1][0] + rng.randrange(10, 200)


def _session(rng: Random, at: float, mount: int, context: str) -> Iterator[tuple[float, str]]:
    yield _line(at, mount, "Tape session started for read", f'mediaType="LTO9" mountType="Retrieve" {context}')
    yield _line(at := at + 66, mount, "Tape mounted and drive ready", f'mountTime="66.1" tapeLoadTime="40.2" {context}')
    begun, n_files, n_bytes = at, rng.randrange(5, 60), 0
    for number in range(n_files):
        size, position = rng.randrange(10**8, 10**10), rng.uniform(0.1, 60)
        call = size / 3.6e8
        name = f'BlockId="{rng.randrange(10**8)}" dstURL="root://eos.example.org//eos/f{rng.randrange(10**9)}"'
        name += f' fSeq="{number * 7 + 1}" fileId="{rng.randrange(10**10)}" isRepack="0" isVerifyOnly="0"'
        yield _line(at := at + position, mount, "Successfully positioned for reading", f"{name} {context}")
        for _ in range(4):
            yield _line(at, mount, "Opened disk file for writing", f'actualURL="x" openingTime="0.01" {context}')
        times = f'positionTime="{position:.9f}" readWriteTime="{call:.9f}" totalTime="{call + position:.9f}"'
        times += f' transferTime="{call:.9f}" waitFreeMemoryTime="0.0001" waitReportingTime="0.00021"'
        moved = f'LBPMode="LBP_On" dataVolume="{size}" headerVolume="480" {name} {times} {context}'
        yield _line(at := at + call, mount, "File successfully read from tape", moved)
        n_bytes += size
    yield _line(at := at + 31, mount, "TapeReadSingleThread: Tape unloaded", context)
    yield _line(at := at + 14, mount, "TapeReadSingleThread : tape unmounted", context)
    final = f'dataVolume="{n_bytes}" filesCount="{n_files}" status="success" totalTime="{at - begun:.6f}"'
    yield _line(at + 0.5, mount, "Tape session finished", f"{final} {context}")


def _line(at: float, pid: int, message: str, parameters: str) -> tuple[float, str]:
    stamp = f"{local(int(at)):%b %d %H:%M:%S}.{at % 1:.9f}".replace(".0.", ".", 1)
    head = f'{stamp} tpsrv07 cta-taped: LVL="INFO" PID="{pid}" TID="{pid}" MSG="{message}"'
    return at, f"{head} {_STATIC} {parameters} \n"
