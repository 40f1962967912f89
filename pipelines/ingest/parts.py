"""Rows of `ops.file` and `ops.place` as objects: parts of content that was read, and the paths that hold them."""

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines import sources
from pipelines.sources import blocks, packing
from pipelines.sources.protocol import Carry, Origin, source_names

Row = dict[str, Any]
Span = tuple[datetime, datetime]  # first and last instant
REFUSED = ("failed", "unknown")


@dataclass(frozen=True)
class Part:
    """A row of `ops.file`, as far as the next reading of that file needs it."""

    file_id: str
    path: str
    sha256: str
    origin: str
    source: str
    source_version: int
    state: str
    reason: str
    end_offset: int
    end_line: int
    prefix_sha256: str
    carry: str
    first_at: datetime | None
    last_at: datetime | None

    def is_read_as(self, stem: str, origin: Origin) -> bool:
        """Read by this source in its present version, with this origin."""
        source = sources.all_sources().get(stem)
        version = source.VERSION if source else None
        return (self.source, self.source_version, self.origin) == (stem, version, origin_text(origin, stem))

    def fits(self, stem: str, origin: Origin) -> bool:
        """As `is_read_as`, and its rows are in."""
        return self.state == "loaded" and self.is_read_as(stem, origin)

    def differs_in(self, origin: Origin) -> set[str]:
        """The fields in which another origin differs."""
        own, other = json.loads(self.origin), json.loads(origin_text(origin, self.source))
        return {name for name in own.keys() | other.keys() if own.get(name) != other.get(name)}

    @property
    def date(self) -> str:
        """The date that site.toml or its path gave it."""
        return str(json.loads(self.origin).get("date", "no date"))

    @property
    def span(self) -> Span | None:
        """Its first and last instant."""
        return (self.first_at, self.last_at) if self.first_at and self.last_at else None

    @property
    def has_whole_head(self) -> bool:
        """Its first lines are all that a source judges by; of a shorter file more lines may change what it is."""
        return bool(self.end_offset) and (self.end_line >= packing.HEAD_LINES or self.end_offset >= packing.HEAD_BYTES)

    def start(self) -> tuple[blocks.Start, Carry]:
        """Where to read on, and what the parser must know there."""
        return blocks.Start(self.end_offset, self.end_line, self.prefix_sha256), json.loads(self.carry)


@dataclass(frozen=True)
class Place:
    """A path, the part with which its content ended when it was read, and its size and time on disk just before."""

    path: str
    file_id: str
    size_bytes: int
    modified_ns: int

    def is_same(self, status: os.stat_result | None) -> bool:
        """Neither longer nor shorter nor written to since."""
        return status is not None and (self.size_bytes, self.modified_ns) == (status.st_size, status.st_mtime_ns)


def origin_text(origin: Origin, stem: str) -> str:
    """The part of a file's identity that site.toml gives, and of some sources its path: same text elsewhere means other
    rows."""
    without = {"path", "head", "modified_at"}
    if not (stem in source_names() and getattr(sources.source_of(stem), "IS_NAMED_BY_PATH", False)):
        without.add("place")
    values = {k: v for k, v in vars(origin).items() if k not in without and v not in (None, "", ())}
    return json.dumps(values, sort_keys=True, default=str)


def file_id_of(sha256: str, origin: str, stem: str, version: int) -> str:
    """The file_id of a part that is loaded: of its content, its origin and who read it."""
    return digest_of(sha256, origin, f"{stem} {version}")


def digest_of(*parts: str) -> str:
    """A file_id, from the texts that identify a part."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
