"""Log of CTA's tape daemon at INFO: a drive that reads and writes, mount after mount, as text or JSON (5.11.20).

Of each file the daemon logs what its drive did, and what the disk and the reports of jobs did: two lines in three
concern no drive. What a line holds and how its numbers are printed is that of CTA's own templates.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.texts._staging import FIRST_S, local

Fields = dict[str, Any]

NAME, GLOB = "cta-taped.log", "cta-taped*"
ORIGIN = "date = 2009-11-02\n"

DRIVE, HOST = "IBMLIB1-D07", "tpsrv07.example.org"
_STATIC = {"drive_name": DRIVE, "instance": "ARCHIVE", "sched_backend": "objectstore"}
_VERSIONS = {"cta_version": "5.11.20.0-1", "log_schema_version": "0.2.0"}
_BATCH = 30  # files whose jobs are reported together
_POSITIONED = {
    "Read": "Tape read session session with LBP. Using CRC32C",
    "Write": "Write session initialised with LBP, tape VID checked and drive positioned for writing",
}
_STATUS = "In TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status."
Event = tuple[float, int, str, dict[str, Any]]  # seconds after the first instant, process, message, parameters


def text(seed: int) -> Iterator[str]:
    """Mounts one after another in the default format."""
    for events in _mounts(seed):
        yield "".join(_as_text(*event) for event in events)


def json_text(seed: int) -> Iterator[str]:
    """The same mounts as JSON."""
    for events in _mounts(seed):
        yield "".join(_as_json(*event) for event in events)


def _mounts(seed: int) -> Iterator[list[Event]]:
    rng = Random(f"{seed} cta_taped")
    at, mount = 600.0, 4000
    while True:
        mount += 1
        events = list(_Mount(rng, at, mount).events())
        yield events
        at = events[-1][0] + rng.randrange(10, 200)


class _Mount:
    """One mount; `at` is the instant of its next line."""

    def __init__(self, rng: Random, at: float, mount: int) -> None:
        self.rng, self.at, self.begun, self.mount = rng, at, at, mount
        self.is_read = rng.random() < 0.6
        self.mode = "Read" if self.is_read else "Write"
        volume = f"L{rng.randrange(20_000):05d}"
        self.own = {"mountId": str(mount), "tapeDrive": DRIVE, "tapePool": "raw", "tapeVid": volume, "vo": "v"}
        self.sizes = [rng.randrange(10**8, 10**10) for _ in range(rng.randrange(20, 200))]

    def event(self, message: str, of: str = "Tape", **more: Any) -> Event:
        thread = f"{of}{self.mode}" if of == "Tape" else of
        return self.at, self.mount, message, more | self.own | {"thread": thread}

    def events(self) -> Iterator[Event]:
        states = {"PreviousState": "Scheduling", "NewState": "Mounting", "PreviousType": "Undetermined"}
        yield self.event("In processEvent(): changing session state", "MainThread", **states, NewType="Retrieve")
        yield self.event(f"Tape session started for {self.mode.lower()}", mediaType="LTO9", vendor="FUJIFILM")
        yield self.event(_STATUS, "MainThread", next_status="MOUNTING", update_sessionId=str(self.mount))
        self.at += 66
        yield self.event("Tape mounted and drive ready", mountTime=66.1, tapeLoadTime=40.2)
        self.at += 18
        yield self.event(_POSITIONED[self.mode], positionTime=18.2, useLbp=True)
        for number, size in enumerate(self.sizes, 1):
            yield from self._read(number, size) if self.is_read else self._written(number, size)
            if number % _BATCH == 0:
                yield from self._reported(_BATCH)
        self.at += 31
        yield self.event(f"Tape{self.mode}SingleThread: Tape unloaded")
        self.at += 14
        yield self.event(f"Tape{self.mode}SingleThread : tape unmounted")
        yield self.event(_STATUS, "MainThread", next_status="UP", update_sessionId="")
        yield self._finished()

    def _read(self, number: int, size: int) -> Iterator[Event]:
        rng = self.rng
        position, call, disk = rng.uniform(0.1, 60), size / 3.6e8, size / 9e8
        name: Fields = {
            "fileId": 4_500_000_000 + rng.randrange(10**9),
            "fSeq": 7 * number + 1,
            "dstURL": _url(rng),
        }
        yield self.event("Created tasks for recalling a file", "MainThread", **name, BlockId=rng.randrange(10**8))
        yield self.event(
            "Opened disk file for writing", "DiskWrite", **name, actualURL=name["dstURL"], openingTime=0.01
        )
        self.at += position
        what: Fields = name | {"BlockId": rng.randrange(10**8), "isRepack": False, "isVerifyOnly": False}
        yield self.event("Successfully positioned for reading", **what)
        self.at += call
        counts: Fields = {
            "repackBytesCount": 0,
            "repackFilesCount": 0,
            "userBytesCount": size,
            "userFilesCount": 1,
        }
        sums: Fields = {
            "checksumType": "ADLER32",
            "checksumValue": f"{rng.randrange(16**8):08x}",
            "LBPMode": "LBP_On",
        }
        waits: Fields = {"waitFreeMemoryTime": 0.0001, "waitReportingTime": 0.00021}
        times: Fields = {"positionTime": position, "readWriteTime": call, "transferTime": call + 0.00031}
        moved: Fields = what | counts | sums | waits | times | _rates(size, call + position + 0.00031)
        yield self.event("File successfully read from tape", **moved, verifiedBytesCount=0, verifiedFilesCount=0)
        yield self.event("File successfully transfered to disk", "DiskWrite", **name, **_of_disk(size, disk))

    def _written(self, number: int, size: int) -> Iterator[Event]:
        rng = self.rng
        wait, call, disk = rng.uniform(0, 8), size / 3.6e8, size / 9e8
        name: Fields = {
            "fileId": 4_500_000_000 + rng.randrange(10**9),
            "fSeq": 3000 + number,
            "diskURL": _url(rng),
        }
        yield self.event("Created tasks for migrating a file", "MainThread", **name, fileSize=size)
        yield self.event("Opened disk file for read", "DiskRead", **name, actualURL=name["diskURL"], openingTime=0.01)
        yield self.event("File successfully read from disk", "DiskRead", **name, **_of_disk(size, disk))
        self.at += call + wait
        times: Fields = {
            "readWriteTime": call,
            "waitDataTime": wait,
            "waitReportingTime": 0.00003,
            "checksumingTime": 0.1,
        }
        moved: Fields = times | {
            "fileSize": size,
            "LBPMode": "LBP_On",
            "reconciliationTime": 0,
            "transferTime": call + wait,
        }
        yield self.event(
            "File successfully transmitted to drive", **name, **moved, **_rates(size, call + wait + 0.0001)
        )
        if number % 200 == 0:
            self.at += 2
            flushed: Fields = {"files": 200, "bytes": sum(self.sizes[number - 200 : number]), "flushTime": 1.93}
            yield self.event("Normal flush because thresholds was reached", **flushed)

    def _reported(self, n_files: int) -> Iterator[Event]:
        """What the reports of a batch of jobs say: of the object store, none of it of the drive."""
        times: Fields = {"schedulerDbTime": 0.21, "catalogueTime": 0.033, "totalTime": 0.244, "files": n_files}
        for message in ("Reported a batch of jobs", "In Agent::removeBatch(): removed objects", "Tasks injected"):
            yield self.event(message, "MainThread", **times)

    def _finished(self) -> Event:
        """The session's record comes from its process as text, also in JSON."""
        self.at += 0.5
        volume, total = sum(self.sizes), self.at - self.begun
        counts: Fields = {
            "dataVolume": volume,
            "headerVolume": 480 * len(self.sizes),
            "filesCount": len(self.sizes),
        }
        times: Fields = {
            "mountTime": 66.1,
            "positionTime": 18.2,
            "readWriteTime": volume / 3.6e8,
            "totalTime": total,
        }
        times |= {"unloadTime": 31.0, "unmountTime": 14.0, "drainingTime": 0.0, "deliveryTime": total}
        kind = {"mountType": "Retrieve" if self.is_read else "ArchiveForUser", "wasTapeMounted": 1}
        words = {key: str(value) for key, value in (counts | times | kind).items()}
        return self.event("Tape session finished", "MainThread", **words, status="success", killSignal=0)


def _url(rng: Random) -> str:
    return f"root://eos.example.org//eos/v/data/run{rng.randrange(1000)}/f{rng.randrange(10**9)}"


def _rates(size: int, total_s: float) -> dict[str, Any]:
    rates = {"driveTransferSpeedMBps": (size + 480) / 1e6 / total_s, "payloadTransferSpeedMBps": size / 1e6 / total_s}
    return rates | {"dataVolume": size, "headerVolume": 480, "totalTime": total_s}


def _of_disk(size: int, took_s: float) -> dict[str, Any]:
    times = {"readWriteTime": took_s, "checksumingTime": 0.2, "waitFreeMemoryTime": 0.01, "waitReportingTime": 0.0001}
    times |= {"checkingErrorTime": 1e-06, "openingTime": 0.01, "closingTime": 0.002, "transferTime": took_s + 0.21}
    rates = {"globalPayloadTransferSpeedMBps": size / 1e6 / (took_s + 0.3), "diskPerformanceMBps": size / 1e6 / took_s}
    return times | rates | {"openRWCloseToTransferTimeRatio": 0.98, "totalTime": took_s + 0.3, "dataVolume": size}


def _as_text(at: float, pid: int, message: str, parameters: dict[str, Any]) -> str:
    stamp = f"{local(int(at)):%b %d %H:%M:%S}.{int(at % 1 * 1e6):06d}000"
    given = "".join(f'{key}="{_plain(value)}" ' for key, value in (_STATIC | dict(sorted(parameters.items()))).items())
    return f'{stamp} {HOST} cta-taped: LVL="INFO" PID="{pid}" TID="{pid + 7}" MSG="{message}" {given}\n'


def _as_json(at: float, pid: int, message: str, parameters: dict[str, Any]) -> str:
    whole = FIRST_S + int(at)
    head = {"local_time": f"{local(int(at)):%Y-%m-%dT%H:%M:%S}-0600", **_VERSIONS, "hostname": HOST}
    head |= {"program": "cta-taped", "source_location": "TapeTask.hpp:184", "log_level": "INFO"}
    line = head | {"pid": pid, "tid": pid + 7, "message": message} | _STATIC | dict(sorted(parameters.items()))
    rest = json.dumps(line, separators=(",", ":"))
    return f'{{"epoch_time":{whole}.{int(at % 1 * 1e6):06d}000,{rest[1:]}\n'


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
