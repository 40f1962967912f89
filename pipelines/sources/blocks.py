"""A file as blocks of numbered lines, in bounded memory.

A block ends at a line break, so no line is ever split over two; bytes are hashed on the way, so that a file's
identity costs no second reading.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources.packing import BOM, BROKEN, compression, damaged, open_bytes, take
from pipelines.sources.protocol import LINES

BLOCK_BYTES = 8 * 2**20
STUB_CHARS = 1_000  # what is kept of one that is longer
UNASKED_BYTES = 64 * 2**20  # so much may come out of any archive, however small


@dataclass(frozen=True)
class Limits:
    """What a file may cost; `[limits]` of site.toml."""

    line_bytes: int = 2**20  # a longer line is a reject
    expansion: int = 200  # times its own size an archive may grow to; logs reach 10 to 60


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file, and where in the decompressed file they end."""

    lines: pl.DataFrame  # LINES
    too_long: pl.DataFrame  # LINES over the limit, only their beginning; not among `lines`
    end_offset: int  # decompressed bytes up to the end of this block
    end_line: int  # number of the last line
    digest: str  # SHA-256 of all bytes up to end_offset
    is_torn: bool = False  # this block is one last line without a line end


@dataclass(frozen=True)
class Start:
    """Where to continue in a file that has grown, and the digest of the part before."""

    offset: int = 0
    line_no: int = 0
    sha256: str = ""


class PrefixChanged(Exception):
    """The bytes before the offset to go on from are not those of last time."""


def read_blocks(
    path: Path,
    start: Start | None = None,
    block_bytes: int = BLOCK_BYTES,
    limits: Limits | None = None,
    until: float = float("inf"),
) -> Iterator[Block]:
    """Whole lines in blocks of about `block_bytes`, from the start or after a known prefix.

    The prefix is read (it belongs to the digest) but not turned into lines; PrefixChanged if it is another. A last
    line without a line end comes alone, marked torn; what follows `until` decompressed bytes is not read. Raises
    UnreadableFile if a compressed file is damaged, after the blocks that could still be read, or if it grows beyond
    the limit.
    """
    begin, limits = start or Start(), limits or Limits()
    most = _most_bytes(path, limits)
    with open_bytes(path) as file:
        cutter = _Cutter(_prefix_digest(file, path, begin), begin, limits.line_bytes)
        error = None
        while error is None:
            data, error = take(file, int(min(block_bytes, until - cutter.n_bytes)))
            if not data:
                break
            if cutter.n_bytes + len(data) > most:
                raise _bomb(path, limits)
            if block := cutter.cut(data):
                yield block
        if block := cutter.last():
            yield block
        if error is not None:
            raise damaged(path, error)


def scan(path: Path, limits: Limits) -> tuple[str, float]:
    """SHA-256 of all bytes that `read_blocks` would read, and how many: without end, where a damaged archive says so.

    Raises UnreadableFile where it grows beyond the limit.
    """
    digest, n_bytes, error = hashlib.sha256(), 0, None
    with open_bytes(path) as file:
        while error is None:
            data, error = take(file, BLOCK_BYTES)
            if not data:
                break
            digest.update(data)
            n_bytes += len(data)
            if n_bytes > _most_bytes(path, limits):
                raise _bomb(path, limits)
    return digest.hexdigest(), n_bytes if error is None else float("inf")


def cut_points(path: Path, start: Start, every: int) -> list[Start]:
    """Where a plain file can be cut at line ends about `every` bytes: its start, the cuts and its end.

    Raises PrefixChanged where the part before the start is not what it was.
    """
    found, offset, line_no = [start], start.offset, start.line_no
    with path.open("rb") as file:
        digest = _prefix_digest(file, path, start)
        while data := file.read(min(BLOCK_BYTES, every)):
            end = data.rfind(b"\n") + 1
            if end and offset + len(data) - found[-1].offset >= every:
                so_far = digest.copy()
                so_far.update(memoryview(data)[:end])
                found.append(Start(offset + end, line_no + data.count(b"\n"), so_far.hexdigest()))
            digest.update(data)
            offset, line_no = offset + len(data), line_no + data.count(b"\n")
    if offset > found[-1].offset:
        found.append(Start(offset, line_no, digest.hexdigest()))
    return found


def _most_bytes(path: Path, limits: Limits) -> float:
    """Bytes a file may decompress to; a plain one is as large as it is."""
    return max(UNASKED_BYTES, limits.expansion * path.stat().st_size) if compression(path) else float("inf")


def _prefix_digest(file: BinaryIO, path: Path, start: Start) -> "hashlib._Hash":
    digest, left = hashlib.sha256(), start.offset
    while left:
        try:
            data = file.read(min(left, BLOCK_BYTES))
        except BROKEN as error:
            raise PrefixChanged(str(path)) from error
        if not data:
            raise PrefixChanged(str(path))
        digest.update(data)
        left -= len(data)
    if start.offset and digest.hexdigest() != start.sha256:
        raise PrefixChanged(str(path))
    return digest


class _Cutter:
    """Cuts a stream of bytes at line breaks; an endless line is dropped while it comes, never collected."""

    def __init__(self, digest: "hashlib._Hash", start: Start, line_bytes: int) -> None:
        self.digest, self.offset, self.line_no = digest, start.offset, start.line_no
        self.line_bytes = line_bytes
        self.tail = b""  # bytes after the last line break, not yet in digest and offset
        self.rest = b""  # start of a line whose end has not come
        self.stub = b""  # start of a line already too long

    @property
    def n_bytes(self) -> int:
        """Bytes that came so far."""
        return self.offset + len(self.tail)

    def cut(self, data: bytes) -> Block | None:
        self._consume(self.tail)
        end = data.rfind(b"\n") + 1
        view = memoryview(data)[:end]  # a slice of bytes would copy the block
        self._consume(view)
        self.tail = data[end:]
        if not end:
            self._hold(data)
            return None
        stub, self.stub = self.stub, b""
        whole = b"".join((stub, view[data.find(b"\n") :]) if stub else (self.rest, view))
        self.rest = self.tail
        return self._block(whole, is_long=bool(stub))

    def last(self) -> Block | None:
        self._consume(self.tail)
        rest = self.stub or self.rest
        return self._block(rest, is_long=bool(self.stub), is_torn=True) if rest else None

    def _consume(self, data: bytes | memoryview) -> None:
        self.digest.update(data)
        self.offset += len(data)

    def _hold(self, data: bytes) -> None:
        if not self.stub:
            self.rest += data
        if len(self.rest) > self.line_bytes:
            self.stub, self.rest = self.rest[:STUB_CHARS], b""

    def _block(self, data: bytes, is_long: bool, is_torn: bool = False) -> Block:
        frame = frame_of(data, self.line_no)
        over = frame["text"].str.len_bytes() > self.line_bytes
        if is_long:
            over = over | (frame["line_no"] == self.line_no + 1)
        self.line_no += frame.height
        long = frame.filter(over).with_columns(pl.col("text").str.head(STUB_CHARS))
        return Block(frame.filter(~over), long, self.offset, self.line_no, self.digest.hexdigest(), is_torn)


def frame_of(data: bytes, line_no: int = 0) -> pl.DataFrame:
    """Bytes as a frame of LINES numbered from `line_no + 1`; bad UTF-8 is replaced, NUL and CR line ends
    removed, and the byte order mark that editors put before the first line."""
    if not line_no:
        data = data.removeprefix(BOM)
    lines = pl.read_lines(data, name="text").to_series() if _is_simple(data) else _lines_of(data)
    numbers = pl.int_range(line_no + 1, line_no + 1 + len(lines), dtype=pl.Int64, eager=True)
    return pl.DataFrame({"line_no": numbers, "text": lines}, schema=LINES)


def _is_simple(data: bytes) -> bool:
    """Nothing to replace or to remove, so that Polars may cut the lines, twice as fast.

    It takes bytes that begin like a zlib stream for one, and those begin with an x.
    """
    return data.isascii() and data[:1] not in (b"", b"x") and b"\x00" not in data and b"\r" not in data


def _lines_of(data: bytes) -> pl.Series:
    text = data.decode("utf-8", "replace")
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.endswith("\n"):
        text = text[:-1]
    lines = pl.Series("text", [text]).str.split("\n").explode()
    if "\r" in text:
        lines = lines.str.strip_chars_end("\r")
    return lines


def _bomb(path: Path, limits: Limits) -> UnreadableFile:
    return UnreadableFile(
        f"{path} becomes more than {limits.expansion} times as large when it is decompressed",
        "if the file is a repetitive log and not a decompression bomb, raise `expansion` under [limits] in site.toml",
        reason="too_big",
    )
