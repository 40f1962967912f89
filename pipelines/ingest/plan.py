"""Before a file is read: nothing to do, or where to begin, by what the registry has of its path and its bytes."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parts import REFUSED, Part
from pipelines.ingest.registry import FileRegistry
from pipelines.ingest.succession import Succession
from pipelines.sources import blocks
from pipelines.sources.protocol import Carry


@dataclass(frozen=True)
class Plan:
    """Continue after a part, or read from the first line; and the parts whose rows this reading replaces."""

    continues: Part | None
    replaces: list[Part]

    @property
    def key(self) -> str:
        """The part that is continued; '' for none."""
        return self.continues.file_id if self.continues else ""

    def start(self) -> tuple[blocks.Start, Carry | None]:
        """Where to begin, and what the parser must know there."""
        return self.continues.start() if self.continues else (blocks.Start(), None)


def unchanged(registry: FileRegistry, file: IncomingFile, is_refusal_known: bool = False) -> Part | None:
    """What the file held when it was last read, if nothing can have changed; the file is not opened.

    It is the same file on disk, read by the same source with the same origin. A file that was refused is read again
    each time, unless its refusal counts as known.
    """
    place = registry.places.get(file.name)
    if place is None or not place.is_same(file.status):
        return None
    part = registry.part(place.file_id)
    if part.state in REFUSED:
        is_known = is_refusal_known
    else:
        is_known = part.state == "withdrawn" or part.fits(file.given_source or part.source, file.declared)
    return part if is_known else None


def plans(succession: Succession, file: IncomingFile) -> Iterator[Plan]:
    """Ways to read a file, the cheapest first; the last, to read all of it, always works.

    A plan that continues a part fails if the file does not begin with it.
    """
    here = succession.registry.part_at(file.name)
    if here is not None and _goes_on(file, here):
        yield Plan(here, [])
    known = succession.beginnings(file)
    for part in known:
        if _goes_on(file, part):
            yield Plan(part, [other for other in known if other != part])
    yield Plan(None, known)


def _goes_on(file: IncomingFile, part: Part) -> bool:
    """Whether reading may continue after a part that the file begins with."""
    return part.fits(file.source, file.origin) and part.has_whole_head and not file.is_snapshot
