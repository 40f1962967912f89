"""A round-robin database as the text `rrdtool dump` makes of it.

Its binary layout is that of the machine that wrote it, so only rrdtool itself reads it, and only on that kind of
machine. The program gets a list of arguments and no shell, little environment and little time.
"""

import os
import subprocess
from io import RawIOBase
from pathlib import Path
from threading import Timer
from typing import Any

from pipelines.primitives.errors import UnreadableFile

MAGIC = b"RRD\x00"
LONGEST_S = 120.0
_READ_BYTES = 2**18
_HINT = "dump the database to XML on the machine that wrote it (`rrdtool dump FILE FILE.xml`) and provide the XML"


class DumpStream(RawIOBase):
    """The bytes of `rrdtool dump FILE`, as they come. Reading raises UnreadableFile where the program fails."""

    def __init__(self, path: Path, longest_s: float = LONGEST_S) -> None:
        self.path = path
        self.is_late = False
        # the same text whatever the zone and language of this machine, and from the file, not from a daemon
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        try:
            self.process = subprocess.Popen(
                ["rrdtool", "dump", os.fspath(path.resolve())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
            )
        except OSError as error:
            raise UnreadableFile(
                f"{path} is a round-robin database; only the program rrdtool can read it, and rrdtool could not be"
                f" started ({error.strerror})",
                f"install rrdtool, or {_HINT}",
                reason="not_converted",
            ) from error
        self.timer = Timer(longest_s, self._stop)
        self.timer.daemon = True
        self.timer.start()

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        """What there is, at most `size` bytes; empty at the end."""
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), min(size, _READ_BYTES) if size > 0 else _READ_BYTES)
        if not data:
            self._check()
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """End the program, whatever it still had to say."""
        if self.closed:
            return
        self.timer.cancel()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        super().close()

    def _stop(self) -> None:
        self.is_late = True
        self.process.kill()

    def _check(self) -> None:
        if self.process.wait() == 0:
            return
        assert self.process.stderr is not None
        message = " ".join(self.process.stderr.read(1000).decode("utf-8", "replace").split())
        why = (
            "rrdtool did not end in time"
            if self.is_late
            else message or f"rrdtool ended with exit code {self.process.returncode}"
        )
        raise UnreadableFile(f"{self.path}: rrdtool cannot dump the file: {why}", _HINT, reason="not_converted")
