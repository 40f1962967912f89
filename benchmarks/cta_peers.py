"""What one writes in an afternoon against CTA's logs: a loop over lines, by `re` or by a JSON library; no database."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

Converters = dict[str, Callable[[Any], Any]]
_MESSAGE = re.compile(r'\bMSG="([^"]*)"')
_HEAD = re.compile(r"(\w{3} [ \d]\d [\d:.]+) (\S+) cta-taped: ")
_PAIR = re.compile(r'(\w+)="([^"]*)"')
_COMMON: Converters = {
    "tapeDrive": str,
    "instance": str,
    "tapeVid": str,
    "mountId": str,
    "vo": str,
    "tapePool": str,
}
_NAMED: Converters = _COMMON | {"fSeq": int, "fileId": int}
_MOVED: Converters = {
    **_NAMED,
    **dict.fromkeys(("dataVolume", "headerVolume"), int),
    **dict.fromkeys(("readWriteTime", "waitReportingTime", "transferTime", "totalTime"), float),
    "LBPMode": str,
}
_MARK: Converters = _COMMON | {"type": str, "mountType": str, "status": str}
_WAITS: Converters = dict.fromkeys(("positionTime", "waitFreeMemoryTime"), float)
_FINAL = ("mountTime", "positionTime", "readWriteTime", "totalTime", "unloadTime", "unmountTime", "drainingTime")
# The messages from which rates and lost time follow: kind, and the fields with what makes a value of each.
FIELDS: dict[str, tuple[str, Converters]] = {
    "File successfully read from tape": (
        "read",
        {**_MOVED, **_WAITS, "BlockId": int, "dstURL": str, "isRepack": str, "isVerifyOnly": str},
    ),
    "File successfully transmitted to drive": (
        "written",
        {**_MOVED, "waitDataTime": float, "checksumingTime": float, "diskURL": str},
    ),
    "Successfully positioned for reading": ("file_positioned", _NAMED),
    "Tape session finished": (
        "final",
        {**_MARK, **dict.fromkeys(("dataVolume", "headerVolume", "filesCount"), int), **dict.fromkeys(_FINAL, float)},
    ),
    "Tape session started for read": ("session_started", _MARK),
    "Tape session started for write": ("session_started", _MARK),
    "Tape mounted and drive ready": ("ready", {**_MARK, "mountTime": float}),
    "Tape read session session with LBP. Using CRC32C": ("label_positioned", {**_MARK, "positionTime": float}),
    "Write session initialised with LBP, tape VID checked and drive positioned for writing": (
        "positioned",
        {**_MARK, "positionTime": float},
    ),
    "Normal flush because thresholds was reached": (
        "flushed",
        {**_MARK, "files": int, "bytes": int, "flushTime": float},
    ),
    "In processEvent(): changing session state": ("state_changed", {**_MARK, "NewState": str, "NewType": str}),
    "In TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status.": (
        "drive_status",
        {**_MARK, "next_status": str, "update_sessionId": str},
    ),
    **{f"Tape{mode}SingleThread: Tape unloaded": ("unloaded", _MARK) for mode in ("Read", "Write")},
    **{f"Tape{mode}SingleThread : tape unmounted": ("unmounted", _MARK) for mode in ("Read", "Write")},
}


def re_loop(path: Path) -> list[Row]:
    """The message of every line by one pattern; of those fields, the rest by another, and a dictionary for each."""
    return list(_of_text(path))


def _of_text(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            found = _MESSAGE.search(line)
            if found is None or (known := FIELDS.get(found[1])) is None or (head := _HEAD.match(line)) is None:
                continue
            kind, fields = known
            given = dict(_PAIR.findall(line))
            row = {key: convert(given[key]) for key, convert in fields.items() if given.get(key)}
            row.update(line_no=number, kind=kind, at=head[1], host=head[2])
            yield row


def json_library() -> str:
    """The quickest one that is installed."""
    return "orjson" if importlib.util.find_spec("orjson") else "json"


def json_loop(path: Path) -> list[Row]:
    """Every line as a dictionary; of the fields ones another with the fields that count."""
    return list(_of_json(path, importlib.import_module(json_library()).loads))


def _of_json(path: Path, loads: Callable[[bytes], Row]) -> Iterator[Row]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                given = loads(line)
            except ValueError:
                continue
            if (known := FIELDS.get(given.get("message", ""))) is None:
                continue
            kind, fields = known
            row = {key: convert(value) for key, convert in fields.items() if (value := given.get(key)) is not None}
            row.update(line_no=number, kind=kind, at=float(given["epoch_time"]), host=given["hostname"])
            yield row
