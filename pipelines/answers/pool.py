"""The confined processes that free SQL runs in, from the parent's side: started, asked, reused, killed.

A process is used again by the same program for the same warehouse, after an answer that left it unchanged: a table, or
a mistake in the SQL. One that ran out of time, memory or luck is killed, and so is one that has grown, or has answered
often enough. What a statement could leave to the next one is listed in `sql_worker`.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.primitives.errors import QuestionRefused, TapescopeError

COMMAND = ("-P", "-s", "-m", "pipelines.answers.worker")
START_S = 60  # until a new process is ready; not part of a statement's time
MAX_IDLE = 2
MAX_STATEMENTS = 200
MAX_RESIDENT_BYTES = 700 * 2**20
_MAX_HEAD = 2**20
_MAX_STREAM = 256 * 2**20
_READ_BYTES = 2**20


@dataclass(frozen=True)
class Opening:
    """What a process is started for; links of its working folder lead to the folders."""

    links: tuple[tuple[str, str], ...]  # name in the working folder, folder it leads to
    request: str  # JSON: warehouse, catalogue, data_path, memory, snapshot
    environment: tuple[tuple[str, str], ...]
    identity: str  # of the warehouse: another one in its place is another


class Ended(Exception):
    """The process ended without an answer; the argument is its exit code."""


class Worker:
    """One process and its working folder."""

    def __init__(self, opening: Opening) -> None:
        self.n_asked = 0
        self._folder = tempfile.TemporaryDirectory(prefix="tapescope-sql-", ignore_cleanup_errors=True)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        for name, target in opening.links:
            (Path(self._folder.name) / name).symlink_to(target)
        self._process = subprocess.Popen(
            [sys.executable, *COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(opening.environment),
            cwd=self._folder.name,
            start_new_session=True,
            bufsize=0,
        )
        self._write(opening.request)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        """The head of the answer and its Arrow stream. Raises Ended, and QuestionRefused when time is up."""
        self.n_asked += 1
        self._write(json.dumps(request))
        data = bytearray(self._first_words() if self.n_asked == 1 else b"")
        deadline = time.monotonic() + timeout_s
        while b"\n" not in data:
            data += self._read(deadline, timeout_s)
            if len(data) > _MAX_HEAD + _READ_BYTES:
                raise TapescopeError("the SQL process failed because its answer has no header")
        line, _, rest = data.partition(b"\n")
        head: dict[str, Any] = json.loads(line)
        if not 0 <= head["n_bytes"] <= _MAX_STREAM:
            raise TapescopeError("the SQL process failed because its answer is too large")
        while len(rest) < head["n_bytes"]:
            rest += self._read(deadline, timeout_s)
        return head, bytes(rest)

    def _first_words(self) -> bytes:
        """What a new process writes first: an empty line once it is ready, or the head of an error."""
        try:
            return self._read(time.monotonic() + START_S, START_S).removeprefix(b"\n")
        except QuestionRefused:
            raise TapescopeError(f"the SQL process did not start within {START_S} s") from None

    def errors(self) -> str:
        """The end of what it wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-2000:]

    def close(self) -> None:
        """Kill its whole process group, and remove its folder."""
        if self.is_alive():
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._errors.close()
        self._folder.cleanup()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # reading says how it ended
            self._process.stdin.write(line.encode() + b"\n")

    def _read(self, deadline: float, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise QuestionRefused(
                f"the query was stopped after {timeout_s:g} s",
                "select fewer days, join tables on equal columns, or aggregate before you join",
            )
        data = os.read(self._process.stdout.fileno(), _READ_BYTES)
        if not data:
            raise Ended(self._process.wait())
        return data


_idle: list[tuple[Opening, Worker]] = []
_lock = threading.Lock()


def ask(opening: Opening, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
    """The head of a statement's answer and its Arrow stream, from an idle process or a new one.

    Raises QuestionRefused for what was stopped, TapescopeError for a process that failed.
    """
    while True:
        worker = _take(opening)
        is_reusable, is_used = False, worker.n_asked > 0
        try:
            head, stream = worker.ask(request, timeout_s)
            is_reusable = (
                head["is_reusable"] and head["resident_bytes"] <= MAX_RESIDENT_BYTES and worker.n_asked < MAX_STATEMENTS
            )
            return head, stream
        except Ended as end:
            code = end.args[0]
            if code == 0 and is_used:
                continue  # it was idle for too long and ended when it was asked
            if code < 0:
                name = signal.Signals(-code).name
                raise QuestionRefused(
                    f"the statement crashed its process ({name})", "select fewer rows or columns"
                ) from None
            raise TapescopeError(f"the SQL process failed: {worker.errors()}") from None
        finally:
            _give_back(opening, worker, is_reusable)


def _take(opening: Opening) -> Worker:
    with _lock:
        for place, (made_for, worker) in enumerate(_idle):
            if made_for == opening and worker.is_alive():
                del _idle[place]
                return worker
    return Worker(opening)


def _give_back(opening: Opening, worker: Worker, is_reusable: bool) -> None:
    with _lock:
        if is_reusable:
            _idle.append((opening, worker))
        gone = [one for _, one in _idle[:-MAX_IDLE]]
        del _idle[:-MAX_IDLE]
    for one in gone if is_reusable else [*gone, worker]:
        one.close()


@atexit.register
def close_all() -> None:
    """End the idle processes of this program."""
    with _lock:
        gone = [worker for _, worker in _idle]
        _idle.clear()
    for worker in gone:
        worker.close()
