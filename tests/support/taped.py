"""Logs of CTA in the making: JSON lines of the tape daemons, cut into one file per drive and day, and of a frontend."""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

INSTANCE = "teststand"


def after(at: datetime, s: float) -> datetime:
    return at + timedelta(seconds=s)


def asked(at: datetime, file_id: int, mode: str = "read", vo: str = "muon") -> str:
    """A line of a frontend: it queued a request for a file."""
    function, word = {"read": ("queueRetrieve", "retrieve"), "write": ("queueArchiveWithGivenId", "archive")}[mode]
    line = {
        "epoch_time": at.replace(tzinfo=UTC).timestamp(),
        "hostname": "ctafe01.example.org",
        "program": "cta-frontend",
        "message": f"In Scheduler::{function}(): Queued {word} request",
        "instance": INSTANCE,
        "instanceName": f"eos{vo}",
        "fileId": file_id,
        "dstURL" if mode == "read" else "srcURL": f"root://eos{vo}.example.org//eos/f{file_id}",
        "policyMinAge" if mode == "read" else "policyArchiveMinAge": 600,
    }
    return json.dumps(line) + "\n"


@dataclass
class Taped:
    """What the daemons of some drives log; `servers` names the tape server of each."""

    servers: dict[str, str]
    lines: list[tuple[datetime, int, str, str]] = field(default_factory=list)
    n_mounts: int = 0

    def say(self, at: datetime, drive: str, message: str, **fields: Any) -> None:
        stamp = at.replace(tzinfo=UTC)
        line = {
            "epoch_time": stamp.timestamp(),
            "local_time": f"{stamp:%Y-%m-%dT%H:%M:%S%z}",
            "hostname": f"{self.servers[drive]}.example.org",
            "program": "cta-taped",
            "log_level": "INFO",
            "pid": 17,
            "tid": 17,
            "message": message,
            "drive_name": drive,
            "instance": INSTANCE,
            "tapeDrive": drive,
        }
        self.lines.append((at, len(self.lines), drive, json.dumps(line | fields)))

    def status(self, at: datetime, drive: str, state: str) -> None:
        message = "In TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status."
        self.say(at, drive, message, next_status=state)

    def mount(
        self,
        drive: str,
        volume: str,
        at: datetime,
        n_files: int,
        file_s: float = 20,
        position_s: float = 5,
        mode: str = "read",
        vo: str = "muon",
        hangs_s: float = 0,
        oldest_s: float = 0,
    ) -> datetime:
        """One mount with files of 300 MB/s each; returns when the drive is free."""
        self.n_mounts += 1
        if oldest_s:
            chosen = {"tapeVid": volume, "vo": vo, "oldestJobAge": oldest_s, "minArchiveRequestAge": 600}
            message = "In Scheduler::getNextMount(): Selected next mount (retrieve)"
            self.say(after(at, -10), drive, message, **chosen)
        kind, start = ("Retrieve", "read") if mode == "read" else ("ArchiveForUser", "write")
        own = {"mountId": str(self.n_mounts), "tapeVid": volume, "vo": vo, "tapePool": f"r_{vo}", "mountType": kind}
        begun = at
        self.say(at, drive, f"Tape session started for {start}", **own)
        at = after(at, 70)
        self.say(at, drive, "Tape mounted and drive ready", mountTime=70.0, tapeLoadTime=50.0, **own)
        at = after(at, 20)
        ready = {"read": "Tape read session session without LBP successfully started"}.get(
            mode, "Write session initialised without LBP, tape VID checked and drive positioned for writing"
        )
        self.say(at, drive, ready, positionTime=20.0, **own)
        size = int(300e6 * file_s)
        for number in range(1, n_files + 1):
            at = after(at, file_s + (position_s if mode == "read" else 0) + 0.01)
            times = {
                "dataVolume": size,
                "headerVolume": 480,
                "fSeq": 10 * number,
                "fileId": 1000 * self.n_mounts + number,
            }
            if mode == "read":
                times |= {"positionTime": position_s, "readWriteTime": file_s, "totalTime": file_s + position_s}
                url = {"dstURL": f"root://eos{vo}.example.org//eos/f{number}", "isVerifyOnly": False, "isRepack": False}
                self.say(at, drive, "File successfully read from tape", **own, **times, **url)
            else:
                times |= {"readWriteTime": file_s - 1, "waitDataTime": 1.0, "totalTime": file_s}
                url = {"diskURL": f"root://eos{vo}.example.org//eos/f{number}"}
                self.say(at, drive, "File successfully transmitted to drive", **own, **times, **url)
        total = {
            "dataVolume": n_files * size,
            "headerVolume": 480 * n_files,
            "filesCount": n_files,
            "wasTapeMounted": True,
        }
        total |= {"mountTime": 70.0, "positionTime": 20.0, "readWriteTime": n_files * file_s, "mountAttempted": 1}
        if hangs_s:
            at = after(at, hangs_s)
            spent = (at - begun).total_seconds()
            self.say(at, drive, "Drive subprocess crashed. Will spawn a new one.", **own)
            killed = {"killSignal": 9, "status": "failure", "Error_sessionKilled": 1, "totalTime": spent}
            self.say(after(at, 0.01), drive, "Tape session finished", **own, **total, **killed)
            return after(at, 1)
        if mode == "write":
            at = after(at, 3)
            flush = "No more data to write on tape, unconditional flushing to the client"
            self.say(at, drive, flush, flushTime=2.5, files=n_files, bytes=n_files * size, **own)
        at = after(at, 0.2)
        self.status_of_mount(at, drive, "UNLOADING", own)
        at = after(at, 25)
        name = "TapeReadSingleThread" if mode == "read" else "TapeWriteSingleThread"
        self.say(at, drive, f"{name}: Tape unloaded", **own)
        at = after(at, 15)
        self.say(at, drive, f"{name} : tape unmounted", **own)
        done = {"totalTime": (at - begun).total_seconds(), "unloadTime": 25.0, "unmountTime": 15.0, "status": "success"}
        self.say(after(at, 0.5), drive, "Tape session finished", **own, **total, **done, killSignal=0, drainingTime=0.0)
        self.status(after(at, 1), drive, "UP")
        return after(at, 1)

    def status_of_mount(self, at: datetime, drive: str, state: str, own: dict[str, str]) -> None:
        message = "In TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status."
        self.say(
            at, drive, message, next_status=state, update_sessionId=own["mountId"], update_currentVid=own["tapeVid"]
        )

    def heartbeat(self, drive: str, begin: datetime, end: datetime, step_s: int = 300) -> None:
        """A free drive looks for work every few minutes."""
        while begin < end:
            states = {"PreviousState": "Checking", "NewState": "Scheduling"}
            self.say(begin, drive, "In processEvent(): changing session state", **states)
            begin = after(begin, step_s)

    def files(self) -> dict[tuple[str, date], str]:
        """The text of each drive's file of each UTC day."""
        texts: dict[tuple[str, date], str] = {}
        for at, _, drive, text in sorted(self.lines):
            texts[drive, at.date()] = texts.get((drive, at.date()), "") + text + "\n"
        return texts
