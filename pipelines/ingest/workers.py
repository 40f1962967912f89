"""Processes that read files for the one that writes: as many as there are cores, once there is enough to read.

A process costs START_S of a core before its first line. So they are started when PAYING_BYTES are to be read, which one
process alone reads in about two seconds; a site of small logs never starts any. What is to be read is sent to them
file by file, a large log in pieces (`pieces`), and comes back in the order of the files, so that the result for a file
does not depend on how many read.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.ingest import pieces
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.load import Early
from pipelines.ingest.pieces import Piece, PieceReading
from pipelines.ingest.plan import Plan
from pipelines.ingest.reading import Reader, Reading
from pipelines.ingest.rows import Setup
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.processes import bare_main, spawned
from pipelines.warehouse import object_storage
from pipelines.warehouse.engine import Connection

START_S = 0.5  # CPU time, measured: Python, Polars, one source
PAYING_BYTES = 64 * 2**20  # on disk; of packed files the bytes times UNPACKED
UNPACKED = 10
WIRE_BYTES = 4 * 2**20  # of rows that a worker sends; more it puts down
_PACKED = (".gz", ".zst", ".bz2", ".xz")
_MOST_BREAKS = 3

Choose = Callable[[IncomingFile], Plan | None]


@dataclass
class _Task:
    """What one process reads of a file: all that is new, or a piece."""

    piece: Piece | None = None
    future: "Future[Any] | None" = None  # a PieceReading of a piece, else a Reading; None where it could not be read

    @property
    def is_done(self) -> bool:
        future = self.future
        return bool(future and future.done() and not future.cancelled() and future.exception() is None)

    def result(self) -> Any:
        """What was found. Raises BrokenProcessPool."""
        assert self.future is not None
        return self.future.result()


@dataclass
class _Sent:
    file: IncomingFile
    plan: Plan | None  # None: nothing to read, or to be read by the caller
    tasks: list[_Task] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        return any(task.future for task in self.tasks)


class Workers:
    """At most `n` processes; with one, all is read by the caller's own. `choose` says how a file is to be read."""

    def __init__(self, setup: Setup, n: int, choose: Choose) -> None:
        self.setup, self.n, self.choose = replace(setup, kept_bytes=WIRE_BYTES), n, choose
        self.pool: ProcessPoolExecutor | None = None
        self.n_bytes = 0  # that were to be read so far
        self.n_breaks = 0

    def close(self) -> None:
        """Give up what is still to be read."""
        if self.pool:
            self.pool.shutdown(cancel_futures=True)

    def read_ahead(self, files: Iterable[IncomingFile]) -> Iterator[tuple[IncomingFile, Early | None]]:
        """Each file in turn, and what a worker found in it; a few more are being read meanwhile."""
        sent: deque[_Sent] = deque()
        for file in files:
            sent.append(self._planned(file))
            if self.pool or sum(len(one.tasks) for one in sent if not one.is_begun) > 1:  # one task is done here
                for one in sent:
                    self._submit(one)
            while sent and (sent[0].plan is None or sum(one.is_begun for one in sent) > self.n + 1):
                yield self._received(sent)
        while sent:
            yield self._received(sent)

    def _planned(self, file: IncomingFile) -> _Sent:
        """How workers would read a file; without a plan where that does not pay."""
        plan = self.choose(file) if self.n > 1 else None
        if plan:
            self.n_bytes += _weight(file, plan)
        if plan is None or self.n_bytes < PAYING_BYTES:
            return _Sent(file, None)
        cut = pieces.cut(file, *plan.start(), self.n)
        return _Sent(file, plan, [_Task(piece) for piece in cut] or [_Task()])

    def _submit(self, one: _Sent) -> None:
        """Send what is not being read yet, or was lost."""
        for task in one.tasks:
            if task.future is None:
                task.future = self._future(one, task)

    def _future(self, one: _Sent, task: _Task) -> "Future[Any]":
        assert one.plan is not None
        if self.pool is None:
            self.pool = spawned(self.n)
        try:
            with bare_main():
                setup = self.setup.of_source(one.file.source)
                if task.piece:
                    return self.pool.submit(_read_piece, setup, one.file, task.piece)
                return self.pool.submit(_read, setup, one.file, one.plan)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def _received(self, sent: deque[_Sent]) -> tuple[IncomingFile, Early | None]:
        one = sent[0]
        while one.plan is not None and one.is_begun:
            try:
                reading = self._result(one)
            except BrokenProcessPool as error:
                self._restart(sent, error)
            else:
                sent.popleft()
                return one.file, Early(one.plan.key, reading)
        sent.popleft()
        return one.file, None

    def _result(self, one: _Sent) -> Reading | None:
        """What was found in a file: by one process, or joined from its pieces. Raises BrokenProcessPool."""
        if one.tasks[0].piece is None:
            whole: Reading | None = one.tasks[0].result()
            return whole
        parts: list[PieceReading | None] = []
        for task in one.tasks:
            found: PieceReading | None = task.result()
            before = parts[-1] if parts else None
            if found and before and task.piece and task.piece.warm_up_bytes and found.carry != before.reading.carry:
                found.reading.discard()
                found = self._read_again(one, task, task.piece.with_state(before.reading.carry))
            parts.append(found)
        read = [part.reading for part in parts if part]
        if len(read) == len(parts):
            return pieces.join(self.setup.of_source(one.file.source), one.file, read)
        for reading in read:
            reading.discard()
        one.tasks = [_Task()]  # the file is not what it was when it was cut: one process reads it
        self._submit(one)
        return self._result(one)

    def _read_again(self, one: _Sent, task: _Task, piece: Piece) -> PieceReading | None:
        """A piece whose state was guessed wrong. Raises BrokenProcessPool."""
        task.piece = piece
        task.future = self._future(one, task)
        found: PieceReading | None = task.result()
        return found

    def _restart(self, sent: deque[_Sent], error: BrokenProcessPool) -> None:
        """A worker was killed, and with it the pool: new ones read all that has not come back."""
        self.n_breaks += 1
        if self.n_breaks > _MOST_BREAKS:
            hint = "probably the machine has too little memory; `--workers 1` reads in one process"
            raise TapescopeError(f"processes that read {sent[0].file.name} were repeatedly killed", hint) from error
        if self.pool:
            self.pool.shutdown(cancel_futures=True)
        self.pool = None
        for one in sent:
            is_begun = one.is_begun
            for task in one.tasks:
                if not task.is_done:
                    task.future = None
            if is_begun:
                self._submit(one)


def _weight(file: IncomingFile, plan: Plan) -> int:
    """About the bytes to be parsed; a wrong name only changes the time of the start."""
    if file.path.suffix in _PACKED:
        return file.size_bytes * UNPACKED
    return file.size_bytes - (plan.continues.end_offset if plan.continues else 0)


# --- in the worker ---------------------------------------------------------------------------------------------

_connections: list[Connection] = []


def _read(setup: Setup, file: IncomingFile, plan: Plan) -> Reading | None:
    return _reader(setup).read(file, *plan.start())


def _read_piece(setup: Setup, file: IncomingFile, piece: Piece) -> PieceReading | None:
    return pieces.read(_reader(setup), file, piece)


def _reader(setup: Setup) -> Reader:
    data_path = setup.place.data_path
    if object_storage.is_object_storage(data_path) and not _connections:
        _connections.append(object_storage.connection(data_path))
    return Reader(setup, *_connections)
