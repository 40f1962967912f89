"""Lines of log files by number, from the file itself as long as it has not changed since ingest."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.text import truncate
from pipelines.sources import blocks
from pipelines.warehouse.connection import Connection

LINE_CHARS = 1000  # of a line that a file still has: CTA's lines of JSON end with the error, after 600 to 800
TEXT_CHARS = 300  # of a text that the warehouse keeps
_KNOWN = """
SELECT arg_max(size_bytes, end_offset), arg_max(modified_ns, end_offset), max(end_offset),
       arg_max(end_line, end_offset), arg_max(prefix_sha256, end_offset), count(*) FILTER (continues IS NULL)
FROM ops.file WHERE path = ? AND state = 'loaded'
"""


def read_lines(
    connection: Connection, site: Site, path: str, numbers: Iterable[int], chars: int = LINE_CHARS
) -> dict[int, str] | str:
    """Text by line number, at most `chars` characters with a mark of a cut; or why the file cannot be shown any more.

    A file whose size or time differ from when it was read is compared with what was read, byte for byte, first.
    """
    file = site.root / path
    row = execute(connection, _KNOWN, [path]).fetchone()
    requested = sorted(set(numbers))
    if row is None or row[2] is None:
        return "tapescope has not read this file"
    if row[-1] > 1:
        return "this path held several different logs, one after another"
    try:
        if not _is_the_same(file, row, site):
            return "the file has changed since tapescope read it"
        return _texts(file, requested, site, chars)
    except (OSError, UnreadableFile) as error:
        return f"the file cannot be read any more ({getattr(error, 'strerror', None) or error})"


def kept(text: str) -> str:
    """A text of the warehouse, marked where its end may be lost: it keeps TEXT_CHARS characters of a longer one.

    The macro `kept_text` is the same in SQL.

    >>> kept("x" * 400)[-2:], kept("x" * 300)[-2:], kept("x" * 299)[-2:]
    ('x…', 'x…', 'xx')
    """
    return text if len(text) < TEXT_CHARS else truncate(f"{text}…", TEXT_CHARS)


def _is_the_same(file: Path, known: tuple[Any, ...], site: Site) -> bool:
    size, modified_ns, end_offset, end_line, sha256, _ = known
    now = file.stat()
    if (now.st_size, now.st_mtime_ns) == (size, modified_ns):
        return True
    try:
        next(blocks.read_blocks(file, blocks.Start(end_offset, end_line, sha256), limits=site.limits.of_reading), None)
    except blocks.PrefixChanged:
        return False
    return True


def _texts(file: Path, requested: list[int], site: Site, chars: int) -> dict[int, str]:
    """Read blocks up to the last requested line."""
    found: dict[int, str] = {}
    for block in blocks.read_blocks(file, limits=site.limits.of_reading):
        rows = pl.concat([block.lines, block.too_long]).filter(pl.col("line_no").is_in(requested))
        found |= {number: truncate(text, chars) for number, text in rows.select("line_no", "text").iter_rows()}
        if block.end_line >= requested[-1]:
            break
    return found
