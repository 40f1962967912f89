"""How a file is packed (plain, gz, zst, bz2, xz, or an RRD as its dump), its unpacked bytes, and its first lines."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import rrd

HEAD_LINES = 200
HEAD_BYTES = 256 * 2**10
BOM = b"\xef\xbb\xbf"  # of UTF-8

_MAGIC = {
    b"\x1f\x8b": "gz",
    b"\x28\xb5\x2f\xfd": "zst",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    rrd.MAGIC: "rrd",
}
_OPENERS: dict[str, Callable[[Path], Any]] = {
    "gz": gzip.open,
    "zst": zstandard.open,
    "bz2": bz2.open,
    "xz": lzma.open,
    "rrd": rrd.DumpStream,
}
BROKEN = (EOFError, OSError, lzma.LZMAError, zstandard.ZstdError, ValueError)  # of a damaged file


def compression(path: Path) -> str:
    """'gz', 'zst', 'bz2', 'xz', 'rrd' or '' by the file's first bytes: names of rotated logs are often wrong."""
    with path.open("rb") as file:
        return _form(file.read(6))


def _form(data: bytes) -> str:
    return next((name for magic, name in _MAGIC.items() if data.startswith(magic)), "")


def open_bytes(path: Path) -> BinaryIO:
    """The decompressed bytes of a file. Raises UnreadableFile for an RRD where rrdtool is missing."""
    form = compression(path)
    return cast(BinaryIO, _OPENERS[form](path)) if form else path.open("rb")


def read_head(path: Path) -> list[str]:
    """The first lines of a file as text, for recognition. Raises UnreadableFile where there is no text."""
    with open_bytes(path) as file:
        data, error = take(file, HEAD_BYTES)
    if error is not None and not data:
        raise damaged(path, error) from error
    if (inner := _form(data)) and compression(path) not in ("", "rrd"):
        raise UnreadableFile(
            f"{path} contains another {inner} file", "decompress the file once, then read it", reason="not_text"
        )
    return head_of(data, str(path))


def head_of(data: bytes, name: str) -> list[str]:
    """The first lines of some bytes; a file with many NUL or control bytes is not text."""
    data = data.removeprefix(BOM)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFile(
            f"{name} is text in UTF-16", "convert the file: iconv -f UTF-16 -t UTF-8", reason="not_text"
        )
    if data:
        n_control = sum(data.count(byte) for byte in (b"\x00", b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"))
        if n_control > len(data) // 10:
            raise UnreadableFile(f"{name} is not a text file", "provide the log as text", reason="not_text")
    text = data.decode("utf-8", "replace").replace("\x00", "")
    return [line.rstrip("\r") for line in text.split("\n", HEAD_LINES)[:HEAD_LINES]]


def take(file: BinaryIO, size: int) -> tuple[bytes, Exception | None]:
    """Up to `size` bytes; of a damaged archive those before the damage, and what is wrong."""
    parts: list[bytes] = []
    got = 0
    while got < size:
        try:
            # read1 gives what one step decompressed; read would throw that away if a later step failed
            data = file.read1(size - got) if hasattr(file, "read1") else file.read(size - got)
        except BROKEN as error:
            return b"".join(parts), error
        if not data:
            break
        parts.append(data)
        got += len(data)
    return b"".join(parts), None


def damaged(path: Path, error: Exception) -> UnreadableFile:
    """The error of a file whose bytes can only be read up to a damaged place."""
    return UnreadableFile(
        f"{path} cannot be decompressed completely: {error}",
        "copy the file again; the part that could be read was kept",
        reason="broken_archive",
    )
