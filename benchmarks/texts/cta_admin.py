"""Answers of `cta-admin --json drive ls`, one a minute, of twenty drives."""

import json
from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import FIRST_S

NAME, GLOB = "drive-ls.jsonl", "drive-ls*"
REASON = "each line is one complete answer with thirty fields per drive, of which half are used"

N_DRIVES, STEP_S = 20, 60
# What a drive does, and for how long at least, in seconds.
_TURNS = (("UP", 300), ("MOUNTING", 60), ("TRANSFERRING", 900), ("UNLOADING", 60), ("UNMOUNTING", 60))
_EMPTY = {
    "logicalLibraryDisabled": False,
    "physicalLibrary": "LIB1",
    "schedulerBackendName": "objectstore",
    "devFileName": "/dev/nst0",
    "rawLibrarySlot": "smc5",
    "driveConfig": [],
    "currentActivity": "",
    "reservedBytes": "0",
    "ctaVersion": "5.11.20.0-1",
    "diskSystemName": "",
    "comment": "",
    "reason": "",
}


def text(seed: int) -> Iterator[str]:
    """An answer a piece."""
    rng = Random(f"{seed} cta_admin")
    turns, since, session = [0] * N_DRIVES, [0] * N_DRIVES, [0] * N_DRIVES
    at = 0
    while True:
        at += STEP_S
        for drive in range(N_DRIVES):
            if at - since[drive] > _TURNS[turns[drive]][1] * rng.uniform(1, 3):
                turns[drive] = (turns[drive] + 1) % len(_TURNS)
                since[drive] = at - rng.randrange(STEP_S)
                session[drive] += turns[drive] == 1
        rows = [_drive(drive, _TURNS[turns[drive]][0], at - since[drive], session[drive]) for drive in range(N_DRIVES)]
        yield json.dumps({"polled_at": FIRST_S + at, "answer": rows}, separators=(",", ":")) + "\n"


def _drive(number: int, status: str, since_s: int, session: int) -> dict[str, object]:
    is_busy = status != "UP"
    return _EMPTY | {
        "driveName": f"LIB1-D{number:02d}",
        "host": f"tpsrv{number // 4:02d}.example.org",
        "instanceName": "ARCHIVE",
        "logicalLibrary": "LIB1",
        "desiredDriveState": "UP",
        "mountType": "RETRIEVE" if is_busy else "NO_MOUNT",
        "driveStatus": status,
        "driveStatusSince": str(since_s),
        "vid": f"L{session * N_DRIVES + number:05d}" if is_busy else "",
        "tapepool": "raw" if is_busy else "",
        "vo": "muon" if is_busy else "",
        "sessionId": str(session * N_DRIVES + number) if is_busy else "0",
        "filesTransferredInSession": str(since_s // 30),
        "bytesTransferredInSession": str(since_s * 300_000_000),
        "timeSinceLastUpdate": "7",
        "sessionElapsedTime": str(since_s),
    }
