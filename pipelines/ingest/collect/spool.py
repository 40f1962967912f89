"""The spool of one `[[collect]]` entry: answers on disk, and how far it has come.

Answers of a line are appended to a file a day; a text that has its own clock becomes a file of its own. `.state.json`
is written after each answer and says where it ended: what a killed collector left after that place is cut off before
anything is asked again, so no half answer stays and none is kept twice. Where ingest had read such a line, it reads the
file again, and the new rows replace the old ones (`ingest/succession.py`).
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pipelines.primitives.files import write_atomic

STATE, LOCK = ".state.json", ".lock"
_START: dict[str, Any] = {"mark": {}, "slot": -1, "file": "", "begin": 0, "size": 0, "failure": ""}


class Spool:
    """Opened by `opened` alone: one collector at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_answers = self.n_bytes = 0  # kept since it was opened
        noted = _read(folder / STATE)
        self.state, self._is_lost = _START | noted, not noted

    @property
    def mark(self) -> dict[str, Any]:
        """How far its kind of entry has come."""
        return dict(self.state["mark"])

    def is_new(self, day: str) -> bool:
        """Whether what is appended for a day begins a file."""
        return bool(self._file_of(day) != self.state["file"])

    def append(self, day: str, lines: bytes, mark: dict[str, Any], head: bytes = b"") -> None:
        """Keep whole lines of an answer of a day, after `head` where they begin its file, and how far it has come."""
        name = self._file_of(day)
        if name == self.state["file"]:
            head = b""
        elif self.state["file"]:  # what a later file holds already was never committed
            (self.folder / name).unlink(missing_ok=True)
        with (self.folder / name).open("ab") as file:
            begin = file.tell() + len(head)
            file.write(head + lines)
            file.flush()
            os.fsync(file.fileno())
            end = file.tell()
        self._count(lines)
        self.note(file=name, begin=begin, size=end, mark=mark)

    def write(self, at: datetime, text: bytes, mark: dict[str, Any]) -> None:
        """Keep an answer in a file of its own."""
        write_atomic(self.folder / f"{at:%Y-%m-%dT%H%M%S.%f}Z.txt", text)
        self._count(text)
        self.note(mark=mark)

    def last_answer(self) -> bytes:
        """What was appended last; nothing where its file was taken away."""
        path = self.folder / str(self.state["file"])
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            file.seek(self.state["begin"])
            return file.read(int(self.state["size"]) - int(self.state["begin"]))

    def note(self, **values: Any) -> None:
        """Keep what is known of the entry; readers see the old state or the new one."""
        self.state |= values
        write_atomic(self.folder / STATE, json.dumps(self.state).encode())

    def _count(self, content: bytes) -> None:
        self.n_answers += 1
        self.n_bytes += len(content)

    def _file_of(self, day: str) -> str:
        """The file of a day. If the clock was set back, the present file is kept."""
        return max(f"{day}.jsonl", str(self.state["file"]))

    def repair(self) -> None:
        """Take away what a killed collector left half done."""
        for path in self.folder.glob(".*"):
            if path.name not in (STATE, LOCK):
                path.unlink()
        if self.state["file"]:
            _cut(self.folder / self.state["file"], self.state["size"])
            return
        for path in sorted(self.folder.glob("20*.jsonl")):
            if self._is_lost:  # whole lines are kept, and what follows is appended to them
                _cut(path, path.read_bytes().rfind(b"\n") + 1)
                size = path.stat().st_size
                self.state |= {"file": path.name, "begin": size, "size": size}
            else:  # its first answer was never noted, and is asked for again
                path.unlink()


def state_of(folder: Path) -> dict[str, Any]:
    """How far an entry has come, without opening its spool."""
    return _START | _read(folder / STATE)


def utc_day(at_s: float) -> str:
    """The day whose file an instant belongs to."""
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d}"


@contextmanager
def opened(folder: Path) -> Iterator[Spool | None]:
    """A spool to write to, in order; None while another process collects for it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        turn = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        yield None
        return
    with turn:
        spool = Spool(folder)
        spool.repair()
        yield spool


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _cut(path: Path, size: int) -> None:
    if path.exists() and path.stat().st_size > size:
        os.truncate(path, size)
