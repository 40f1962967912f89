"""The rule for rows read at a path when the path holds other content.

A path is not a log. Rotation renames a log, copies and truncates it, gives it a date, packs it later, deletes it in the
end; meanwhile other content takes its path. So rows that were read stay until they are too old (`retention_days`),
unless the same log was written again. Content is known by its bytes, decompressed. There are three cases for the
content of a path:

1. Content that **was read before**, there or elsewhere, by the same source with the same origin, is not read again.
2. Content that **begins with bytes that were read**, at this path or at one that no longer holds them, has grown. It is
   read from where they end. If it must be read from the start (few lines, another origin, another version of its
   source), it replaces them.
3. Anything else is **new**. Of the rows read at this path it replaces only **the same period written again**
   (`rewrites`) of a host that both have. If the old content has no instants, such as a configuration, the new content
   replaces it. A source with IS_SNAPSHOT replaces nothing: each version counts by itself, until the site gives the path
   another origin.

Content that is refused, or has no records, replaces only the parts that it begins with.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from pipelines.catalog.contracts import Relation
from pipelines.catalog.sql_inspect import execute
from pipelines.config.files import look_at
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parts import Part, Place, Row, Span, origin_text
from pipelines.ingest.registry import FileRegistry
from pipelines.ingest.withdrawal import withdraw
from pipelines.primitives.times import instant
from pipelines.sources import packing
from pipelines.warehouse.connection import LAKE
from pipelines.warehouse.tables import LOG_COVERAGE

DATE = r"(\d{4})[-.]?(\d\d)[-.]?(\d\d)"  # in a name
_WHOSE = ("system", "host", "link", "place")  # fields of an origin that identify its log
Whose = tuple[str, ...]  # a source, and these
Known = dict[int, dict[str, set[str]]]  # by number and digest of their bytes, parts


def rewrites(new: Span, old: Span, name: str) -> bool:
    """Whether content of a path is the period of its old content written again; otherwise it is another period.

    What begins after the old has ended follows it. What begins with it or earlier, and overlaps it, is written again;
    so is what begins later and overlaps more than half of it. What ends before the old begins is an older log, unless
    the path's name holds a date, which both are of.

    >>> from datetime import datetime
    >>> noon, one, two, three = (datetime(2010, 3, 10, hour) for hour in (12, 13, 14, 15))
    >>> rewrites((one, two), (noon, one), "vmstat.log"), rewrites((one, three), (noon, two), "vmstat.log")
    (False, False)
    >>> rewrites((noon, one), (noon, two), "vmstat.log"), rewrites((noon, one), (two, three), "vmstat.log")
    (True, False)
    >>> rewrites((noon, one), (two, three), "vmstat.2010-03-10")
    True
    """
    (begin, end), (old_begin, old_end) = new, old
    if begin >= old_end:
        return False
    if end <= old_begin:
        return re.search(DATE, name) is not None
    return begin <= old_begin or (min(end, old_end) - begin) * 2 > old_end - old_begin


def joined(spans: Iterable[Span | None]) -> Span | None:
    """From the first instant of all to the last."""
    known = [span for span in spans if span]
    return (min(first for first, _ in known), max(last for _, last in known)) if known else None


def _digests(path: Path, offsets: Iterable[int]) -> Iterator[tuple[int, str]]:
    """SHA-256 of a file's first bytes, up to each offset that it reaches; nothing after the last of them is read.

    None of a file that has gone or cannot be read: its reader then says so.
    """
    digest, at, data = hashlib.sha256(), 0, b""
    with suppress(OSError), packing.open_bytes(path) as file:
        for offset in sorted(offsets):
            while at + len(data) < offset:
                digest.update(data)
                at += len(data)
                data, _ = packing.take(file, 2**16)
                if not data:
                    return
            digest.update(data[: offset - at])
            data, at = data[offset - at :], offset
            yield offset, digest.hexdigest()


def _whose(source: str, origin: str) -> Whose:
    values = json.loads(origin)
    return (source, *(values.get(name, "") for name in _WHOSE))


def _add(known: Known, row: Row) -> None:
    known.setdefault(row["end_offset"], {}).setdefault(row["prefix_sha256"], set()).add(row["file_id"])


class Succession:
    """The rule, applied to one file after another; paths are relative to the site's `root`."""

    def __init__(self, registry: FileRegistry, bronze: dict[str, Relation], root: Path) -> None:
        self.registry, self.bronze, self.root = registry, bronze, root
        self.looked: dict[str, bool] = {}  # by path, whether it holds what it held
        self.lost: dict[Whose, Known] | None = None  # parts whose path may hold other content

    # --- places of content ------------------------------------------------------------------------------------

    def holders(self, part: Part) -> set[str]:
        """The paths that hold, as far as is known, what ends with a part."""
        return {path for path in self.registry.paths_of.get(part.file_id, ()) if self._is_as_it_was(path)}

    def put(self, file: IncomingFile, file_id: str) -> None:
        """A file was looked at, and holds this; what was refused at its path before is no longer of interest."""
        self.registry.remove(other for other in self.registry.refused_at(file.name) if other != file_id)
        if before := self.registry.places.get(file.name):
            self._note(before.file_id)
        self.registry.put(Place(file.name, file_id, file.size_bytes, file.modified_ns))
        self.looked[file.name] = True

    def _is_as_it_was(self, path: str) -> bool:
        if path not in self.looked:
            self.looked[path] = self.registry.places[path].is_same(look_at(self.root / path))
        return self.looked[path]

    def _lost_of(self, whose: Whose) -> Known:
        """Parts that perhaps no path holds any more: their content may be elsewhere, and may have grown."""
        if self.lost is None:
            self.lost = {}
            for path, place in self.registry.places.items():
                if not self._is_as_it_was(path):
                    self._note(place.file_id)
            for part in self.registry.tips(self.registry.rows):
                if not self.registry.paths_of.get(part.file_id):
                    self._note(part.file_id)
        return self.lost.get(whose, {})

    def _note(self, file_id: str) -> None:
        if self.lost is not None and (row := self.registry.rows.get(file_id)) and row["end_offset"]:
            _add(self.lost.setdefault(_whose(row["source"], row["origin"]), {}), row)

    def _has_come_from(self, part: Part, file: IncomingFile) -> bool:
        """Read at the file's own path; or at another that lost it, and of the same host, system and link."""
        return part.path == file.name or not (self.holders(part) or part.differs_in(file.origin).intersection(_WHOSE))

    # --- what a file is to what was read before --------------------------------------------------------------

    def beginnings(self, file: IncomingFile) -> list[Part]:
        """What was read at its path, or at one that lost it, and is what the file begins with; the longest first."""
        if file.is_snapshot:
            return []
        here: Known = {}
        for row in self.registry.by_path(file.name):
            if row["end_offset"]:
                _add(here, row)
        lost, met = self._lost_of(_whose(file.source, origin_text(file.origin, file.source))), set[str]()
        if here or lost:
            for offset, digest in _digests(file.path, {*here, *lost}):
                for known in (here, lost):
                    met |= known.get(offset, {}).get(digest, set())
        parts = self.registry.tips(met & self.registry.rows.keys())
        return sorted((part for part in parts if self._has_come_from(part, file)), key=lambda part: -part.end_offset)

    def read_otherwise(self, file: IncomingFile, same: Iterable[Part]) -> list[Part]:
        """Of what was read of the same bytes, that which came from there, with another origin or by another version."""
        return [part for part in self.registry.tips(part.file_id for part in same) if self._has_come_from(part, file)]

    def of_another_date(self, file: IncomingFile, same: Iterable[Part]) -> Part | None:
        """What another path holds of the same bytes, read as of another day: one of the two has a wrong date."""
        for part in same:
            if part.state == "loaded" and part.differs_in(file.origin) == {"date"} and self.holders(part) - {file.name}:
                return part
        return None

    def written_again(
        self, file: IncomingFile, span: Span | None, hosts: set[str], known: Iterable[Part]
    ) -> list[Part]:
        """Other parts that were read at its path, and that cover the period of its present content."""
        skipped = {part.file_id for part in known}
        read = (row["file_id"] for row in self.registry.by_path(file.name))
        others = self.registry.tips(file_id for file_id in read if file_id not in skipped)
        if file.is_snapshot:
            return [part for part in others if part.differs_in(file.origin)]
        found = []
        for part in others:
            parts = self.registry.ancestors(part.file_id)
            old = self.span(parts)
            if old is None or (span and rewrites(span, old, file.name) and hosts & self.hosts(parts)):
                found.append(part)
        return found

    def span(self, file_ids: Iterable[str]) -> Span | None:
        """First and last instant of some parts."""
        return joined(self.registry.part(file_id).span for file_id in file_ids)

    def hosts(self, file_ids: list[str]) -> set[str]:
        """The hosts that some parts speak for."""
        rows = execute(
            self.registry.connection,
            f"SELECT DISTINCT host FROM {LAKE}.bronze.{LOG_COVERAGE} WHERE file_id IN (SELECT unnest(?::VARCHAR[]))",
            [file_ids],
        ).fetchall()
        return {row[0] for row in rows}

    # --- what follows from it --------------------------------------------------------------------------------

    def shortened(self, file: IncomingFile, parts: Iterable[Part], end: datetime | None) -> str:
        """A warning where parts of the same log, which no other path holds, end later than what replaces them."""
        own = [part for part in parts if not (part.differs_in(file.origin) or self.holders(part) - {file.name})]
        old = joined(self.span(self.registry.ancestors(part.file_id)) for part in own)
        if end is None or old is None or old[1] <= end:
            return ""
        return (
            f"the log was written again and is shorter: it ended at {instant(old[1], 'UTC')} and now ends"
            f" at {instant(end, 'UTC')}, so its later rows were removed"
        )

    def find_again(self, file: IncomingFile, before: Part) -> str:
        """What the path holds is known; what it held beyond that, or of that period, is gone from it.

        Returns a warning where the same log has become shorter.
        """
        here, stays = self.registry.part_at(file.name), self.registry.ancestors(before.file_id)
        is_cut = here is not None and here != before and before.file_id in self.registry.ancestors(here.file_id)
        span = self.span(stays)
        gone = [here] if here is not None and is_cut else self.written_again(file, span, self.hosts(stays), [before])
        warning = self.shortened(file, gone, span[1] if span else None)
        self.replace(file, gone, stays)
        has_moved = not self.holders(before) - {file.name} and not self.registry.continued.get(before.file_id)
        self.put(file, before.file_id)
        if has_moved:
            self.registry.move(stays, file.name)
        return warning

    def replace(self, file: IncomingFile, parts: Iterable[Part], stays: list[str]) -> None:
        """Take the rows of parts out, and of those they continue, unless another path holds them still."""
        gone: dict[str, None] = {}
        for part in parts:
            chain = self._alone([file_id for file_id in self.registry.ancestors(part.file_id) if file_id not in stays])
            if held := sorted(self.holders(part) - {file.name}):
                self.registry.move(chain, held[0])
            else:
                gone |= dict.fromkeys(chain)
        withdraw(self.registry, self.bronze, list(gone))

    def _alone(self, chain: list[str]) -> list[str]:
        """Of a part and those it continues, those that no other part continues as well."""
        for n, (after, file_id) in enumerate(pairwise(chain), 1):
            if self.registry.continued[file_id] != {after}:
                return chain[:n]
        return chain
