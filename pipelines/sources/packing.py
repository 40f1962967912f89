"""How a file is packed (plain, gz, zst, bz2, xz, or an RRD as its dump), its unpacked bytes, and its first lines."""

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import rrd

HEAD_LINES = 200
HEAD_BYTES = 256 * 2**10
BOM = b"\xef\xbb\xbf"  # of UTF-8
COLOUR = r"\x1b\[[0-9;]*m"  # what tools print for terminals, sysstat also into files under S_COLORS=always

_MAGIC = {
    b"\x1f\x8b": "gz",
    b"\x28\xb5\x2f\xfd": "zst",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    rrd.MAGIC: "rrd",
    **{bytes([first]) + b"\x2a\x4d\x18": "zst" for first in range(0x50, 0x60)},  # pzstd's first frame
}
# Binary logs: first bytes, their offset, what such a file is, and the command that prints it as text.
_SA_TO_TEXT = "sadf -d FILE -- -u -r -b -d -q -n DEV"
_CONVERTIBLE = [
    (b"\x96\xd5", 0, "a binary file of sysstat (saNN)", _SA_TO_TEXT),
    (b"\xd5\x96\x21", 0, "a binary file of sysstat (saNN)", _SA_TO_TEXT),
    (
        b"\x50\x05\x26",
        4,
        "an archive of PCP",
        "pmrep -a FILE -o csv disk.dev network.interface kernel.all.cpu mem.util",
    ),
    (b"LPKSHHRH", 0, "a journal of systemd", "journalctl --file FILE -o short-iso"),
]
_ZST_BYTES = 1024  # decompressed at once: a byte may become 32 KiB


class _ZstdFrames(io.RawIOBase):
    """The decompressed bytes of all frames of a file.

    Raises EOFError where the last frame is cut, which zstandard.open takes for the end.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """It is, and cannot be written."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As many bytes as one step gives; 0 at the end."""
        while not self._ready:
            packed, self._packed = self._packed or self._file.read(_ZST_BYTES), b""
            if not packed:
                if self._frame:
                    raise EOFError("the file ends within a frame of Zstandard")
                return 0
            self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
            self._ready = memoryview(self._frame.decompress(packed))
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        given, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)

    def close(self) -> None:
        """The file too."""
        self._file.close()
        super().close()


_OPENERS: dict[str, Callable[[Path], Any]] = {
    "gz": gzip.open,
    "zst": lambda path: io.BufferedReader(_ZstdFrames(path)),
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
    # the files in one would look like one text
    if kind := "tar" if data[257:262] == b"ustar" else "zip" if data.startswith(b"PK\x03\x04") else "":
        raise UnreadableFile(f"{name} is a {kind} archive", "unpack it, then read the files in it", reason="not_text")
    for magic, offset, kind, command in _CONVERTIBLE:
        if data.startswith(magic, offset):
            raise UnreadableFile(f"{name} is {kind}", f"convert it to text: {command}", reason="not_text")
    if data:
        n_control = sum(data.count(byte) for byte in (b"\x00", b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"))
        if n_control > len(data) // 10:
            raise UnreadableFile(f"{name} is not a text file", "provide the log as text", reason="not_text")
    text = re.sub(COLOUR, "", data.decode("utf-8", "replace").replace("\x00", ""))
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
