"""What CTA's tape daemons log, as JSON lines, cut into one file per drive and UTC day.

Messages and parameters are those of CTA's own templates. A mount is given with its times; every line follows from them.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sample_data.cta.mount import File, Mount, Read

INSTANCE = "teststand"
LABEL_BYTES = 480  # of each file, before and after its data
STATUS = "In TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status."
SELECTED = "In Scheduler::getNextMount(): Selected next mount (retrieve)"
FLUSH = "No more data to write on tape, unconditional flushing to the client"
POSITIONED = {
    "read": "Tape read session session without LBP successfully started",
    "write": "Write session initialised without LBP, tape VID checked and drive positioned for writing",
}


def after(at: datetime, s: float) -> datetime:
    return at + timedelta(seconds=s)


def asked(
    at: datetime, file_id: int, mode: str = "read", vo: str = "muon", min_age_s: float = 600, disk: str = ""
) -> str:
    """A line of a frontend: it queued a request for a file."""
    disk = disk or f"eos{vo}"
    function, word = {"read": ("queueRetrieve", "retrieve"), "write": ("queueArchiveWithGivenId", "archive")}[mode]
    line = {
        "epoch_time": at.replace(tzinfo=UTC).timestamp(),
        "hostname": "ctafe01.example.org",
        "program": "cta-frontend",
        "message": f"In Scheduler::{function}(): Queued {word} request",
        "instance": INSTANCE,
        "instanceName": disk,
        "fileId": file_id,
        "dstURL" if mode == "read" else "srcURL": f"root://{disk}.example.org//eos/f{file_id}",
        "policyMinAge" if mode == "read" else "policyArchiveMinAge": min_age_s,
    }
    return json.dumps(line) + "\n"


@dataclass
class Taped:
    """What the daemons of some drives log; `servers` names the tape server of each.

    `moved` has what passed through them: server, whether it was read, begin and end (s since 1970), bytes. `reads`
    has each file that was read, `served` the mounts, which are numbered from 1.
    """

    servers: dict[str, str]
    instance: str = INSTANCE
    lines: list[tuple[datetime, int, str, str]] = field(default_factory=list)
    moved: list[tuple[str, bool, float, float, int]] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    served: list[Mount] = field(default_factory=list)

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
            "instance": self.instance,
            "tapeDrive": drive,
        }
        self.lines.append((at, len(self.lines), drive, json.dumps(line | fields)))

    def status(self, at: datetime, drive: str, state: str) -> None:
        self.say(at, drive, STATUS, next_status=state)

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
        """A mount with files of 300 MB/s each, every tenth of its tape; returns when the drive is free."""
        is_read = mode == "read"
        waits = 0.0 if is_read else 1.0
        moved = [
            File(10 * n, int(300e6 * file_s), file_s - waits, position_s if is_read else 0.0, waits)
            for n in range(1, n_files + 1)
        ]
        return self.serve(Mount(drive, volume, at, moved, mode, vo, hangs_s=hangs_s, oldest_s=oldest_s))

    def serve(self, mount: Mount) -> datetime:
        """All lines of a mount; returns when its drive is free again."""
        self.served.append(mount)
        return _Served(self, mount, len(self.served)).tell()

    def heartbeat(self, drive: str, begin: datetime, end: datetime, step_s: int = 300) -> None:
        """A free drive looks for work every few minutes."""
        while begin < end:
            states = {"PreviousState": "Checking", "NewState": "Scheduling"}
            self.say(begin, drive, "In processEvent(): changing session state", **states)
            begin = after(begin, step_s)

    def files(self, by_server: bool = False) -> dict[tuple[str, date], str]:
        """The text of each drive's file of each UTC day; or of each tape server's, as syslog collects them."""
        texts: dict[tuple[str, date], list[str]] = {}
        for at, _, drive, text in sorted(self.lines):
            place = self.servers[drive] if by_server else drive
            texts.setdefault((place, at.date()), []).append(f"{text}\n")
        return {place: "".join(lines) for place, lines in texts.items()}


class _Served:
    """One mount on its way through its states; `at` is the instant of the next line."""

    def __init__(self, taped: Taped, mount: Mount, number: int) -> None:
        self.taped, self.mount, self.number, self.at = taped, mount, number, mount.at
        self.is_read = mount.mode == "read"
        self.own: dict[str, Any] = {
            "mountId": str(number),
            "tapeVid": mount.volume,
            "vo": mount.vo,
            "tapePool": mount.pool or f"r_{mount.vo}",
            "mountType": "Retrieve" if self.is_read else "ArchiveForUser",
        }
        if mount.media:
            self.own["mediaType"] = mount.media

    def say(self, message: str, **fields: Any) -> None:
        self.taped.say(self.at, self.mount.drive, message, **self.own, **fields)

    def wait(self, s: float) -> None:
        self.at = after(self.at, s)

    def tell(self) -> datetime:
        mount = self.mount
        if mount.is_empty:
            return self._give_up()
        if mount.oldest_s:
            chosen = {
                "tapeVid": mount.volume,
                "vo": mount.vo,
                "oldestJobAge": mount.oldest_s,
                "minArchiveRequestAge": 600,
            }
            message = "In Scheduler::getNextMount(): Selected next mount (retrieve)"
            self.taped.say(after(self.at, -10), mount.drive, message, **chosen)
        self.say(f"Tape session started for {mount.mode}")
        self.wait(mount.mount_s)
        if mount.is_failed:
            return self._fail()
        self.say("Tape mounted and drive ready", mountTime=mount.mount_s, tapeLoadTime=0.7 * mount.mount_s)
        self.wait(mount.label_s)
        self.say(POSITIONED[mount.mode], positionTime=mount.label_s)
        for nth, file in enumerate(mount.files, 1):
            self._move(nth, file)
        if mount.hangs_s:
            return self._hang()
        if not self.is_read and mount.files:
            self.wait(mount.flush_s + 0.5)
            self.say(FLUSH, flushTime=mount.flush_s, files=len(mount.files), bytes=self._n_bytes())
        return self._dismount()

    def _give_up(self) -> datetime:
        self.wait(0.03)
        none = {"dataVolume": 0, "headerVolume": 0, "filesCount": 0, "wasTapeMounted": False, "mountTime": 0.0}
        ended = {"totalTime": 0.03, "mountAttempted": 0, "Info_emptyMount": 1, "status": "success", "killSignal": 0}
        self.own |= {"tapeVid": None, "vo": None, "tapePool": None}
        self.say("Tape session finished", **none, **ended)
        return after(self.at, 1)

    def _fail(self) -> datetime:
        none = {"dataVolume": 0, "headerVolume": 0, "filesCount": 0, "wasTapeMounted": False, "mountTime": 0.0}
        ended = {"totalTime": self.mount.mount_s, "mountAttempted": 1, "Error_tapeLoad": 1, "status": "failure"}
        self.say("Tape session finished", **none, **ended, killSignal=0)
        return after(self.at, 1)

    def _move(self, nth: int, file: File) -> None:
        mount = self.mount
        total = file.position_s + file.moving_s + file.waiting_s
        self.wait(total + 0.01)
        number = {"fSeq": file.number, "fileId": 1000 * self.number + nth}
        if file.error:
            self.say("Error reading a file in TapeReadFileTask", **number, exception_message=file.error)
            return
        moved = number | {"dataVolume": file.n_bytes, "headerVolume": LABEL_BYTES}
        times = {"readWriteTime": file.moving_s, "totalTime": total}
        end, server = self.at.replace(tzinfo=UTC).timestamp(), self.taped.servers[mount.drive]
        self.taped.moved.append((server, self.is_read, end - file.moving_s - file.waiting_s, end, file.n_bytes))
        url = f"root://{mount.disk or f'eos{mount.vo}'}.example.org//eos/f{file.number}"
        if self.is_read:
            self.taped.reads.append(Read(mount, file, number["fileId"], self.at))
            times |= {"positionTime": file.position_s, "waitFreeMemoryTime": file.waiting_s}
            kind = {"dstURL": url, "isVerifyOnly": False, "isRepack": False}
            self.say("File successfully read from tape", **moved, **times, **kind)
        else:
            times |= {"waitDataTime": file.waiting_s}
            self.say("File successfully transmitted to drive", **moved, **times, diskURL=url)

    def _good(self) -> list[File]:
        return [file for file in self.mount.files if not file.error]

    def _n_bytes(self) -> int:
        return sum(file.n_bytes for file in self._good())

    def _totals(self) -> dict[str, Any]:
        mount, good = self.mount, self._good()
        return {
            "dataVolume": self._n_bytes(),
            "headerVolume": LABEL_BYTES * len(good),
            "filesCount": len(good),
            "wasTapeMounted": True,
            "mountAttempted": 1,
            "mountTime": mount.mount_s,
            "positionTime": mount.label_s + sum(file.position_s for file in mount.files),
            "readWriteTime": sum(file.moving_s for file in good),
        }

    def _hang(self) -> datetime:
        self.wait(self.mount.hangs_s)
        spent = (self.at - self.mount.at).total_seconds()
        self.say("Drive subprocess crashed. Will spawn a new one.")
        self.wait(0.01)
        killed = {"killSignal": 9, "status": "failure", "Error_sessionKilled": 1, "totalTime": spent}
        self.say("Tape session finished", **self._totals(), **killed)
        return after(self.at, 0.99)

    def _dismount(self) -> datetime:
        mount = self.mount
        self.wait(0.2)
        of_mount = {"update_sessionId": self.own["mountId"], "update_currentVid": mount.volume}
        self.taped.say(self.at, mount.drive, STATUS, next_status="UNLOADING", **of_mount)
        self._health()
        name = "TapeReadSingleThread" if self.is_read else "TapeWriteSingleThread"
        self.wait(mount.unload_s)
        self.say(f"{name}: Tape unloaded")
        self.wait(mount.unmount_s)
        self.say(f"{name} : tape unmounted")
        done = {"totalTime": (self.at - mount.at).total_seconds(), "status": "success", "killSignal": 0}
        done |= {"unloadTime": mount.unload_s, "unmountTime": mount.unmount_s, "drainingTime": mount.drain_s}
        if mount.drain_s:
            self.taped.say(self.at, mount.drive, STATUS, next_status="DRAININGTODISK", **of_mount)
        self.wait(mount.drain_s + 0.5)
        alerts = {f"Error_{name}": n for name, n in Counter(mount.alerts).items()}
        self.say("Tape session finished", **self._totals(), **done, **alerts)
        self.wait(0.5)
        self.taped.status(self.at, mount.drive, "UP")
        return self.at

    def _health(self) -> None:
        """What the drive itself reports at the end: its alerts, and its counters of this mount."""
        for number, text in enumerate(self.mount.alerts):
            count = {"tapeAlertNumber": number, "tapeAlertCount": len(self.mount.alerts)}
            self.say("Tape alert detected", tapeAlert=text, **count)
        if self.mount.counters:
            self.say("Logging mount general statistics", **self.mount.counters)
