"""A file on its way in, looked at once: what it is on disk, what site.toml says of it, and which source reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pipelines import sources
from pipelines.config.collect import Spool
from pipelines.config.files import input_for, look_at, not_a_file, origin_of, stored_path
from pipelines.config.inputs import Input
from pipelines.config.site import Site
from pipelines.primitives.errors import AmbiguousSource, UnreadableFile
from pipelines.sources import blocks, packing
from pipelines.sources.protocol import Claim, Origin


@dataclass(frozen=True)
class Identified:
    """The source that reads a file, or why it cannot be read (`failed`) or is of no known kind (`unknown`)."""

    source: str  # empty where none reads it
    why: str  # in words: what was found, or what is missing
    reason: str = ""  # of a file that failed, one of protocol.FILE_REASONS
    head: tuple[str, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=dict)  # by source; empty where none was asked

    @property
    def state(self) -> str:
        """The state of a file that no source reads, as `ops.file` has it."""
        return "unknown" if not (self.source or self.reason) else "failed"

    @property
    def refusal(self) -> str:
        """Why no source reads it, as `ops.file` has it."""
        return f"{self.reason}: {self.why}" if self.reason else f"no source recognises the file; {self.why}"


def identify(path: Path, given: str = "") -> Identified:
    """Ask every source for a file's first lines, unless one is given: then that one reads it, or refuses it."""
    if what := not_a_file(path):
        return Identified("", what, "not_a_file")
    try:
        head = packing.read_head(path)
        if given and any(head):
            return Identified(given, "site.toml or --source names this source for the file", head=tuple(head))
        stem, claims = sources.choose(head)
    except UnreadableFile as error:
        return Identified("", str(error), error.reason)
    except AmbiguousSource as error:  # such as two formats in one file
        return Identified("", str(error), "ambiguous_source")
    except OSError as error:
        return Identified("", error.strerror or str(error), "not_readable")
    why = claims[stem].why if stem else sources.nearest(claims) if any(head) else "the file is empty"
    return Identified(stem or "", why, head=tuple(head), claims=claims)


class IncomingFile:
    """A file, its name as `ops.file` keeps it, and all that is known before its rows are read.

    Its status is from before anything is read of it: a file that changes meanwhile is read again next time. Nothing
    opens it before `found` is asked for. Without the [[input]] that names it, the first one that fits is taken.
    """

    def __init__(
        self,
        site: Site | None,
        path: Path,
        item: Input | None = None,
        values: dict[str, str] | None = None,
        source: str = "",
    ) -> None:
        if site and item is None:
            item, values = input_for(site, path)
        self.path, self.status = path, look_at(path)
        self.name = stored_path(site, path) if site else str(path)
        self.grows_by_lines = isinstance(item, Spool)
        self.glob = item.glob if isinstance(item, Input) else ""
        self.given_source = source or (item.source if item else "")
        self.declared = origin_of(site, path, item, values or {}, self.status)
        self.limits = site.limits.of_reading if site else blocks.Limits()

    @cached_property
    def found(self) -> Identified:
        """Who reads it; this opens the file."""
        return identify(self.path, self.given_source)

    @cached_property
    def origin(self) -> Origin:
        """Its origin, by site.toml, the path and the first lines."""
        return replace(self.declared, head=self.found.head)

    @property
    def source(self) -> str:
        """The source that reads it; empty where none does."""
        return self.found.source

    @property
    def is_snapshot(self) -> bool:
        """Whether each version of it counts by itself."""
        return getattr(sources.all_sources()[self.source], "IS_SNAPSHOT", False)

    @property
    def size_bytes(self) -> int:
        """Size on disk; 0 of what is no regular file."""
        return self.status.st_size if self.status else 0

    @property
    def modified_ns(self) -> int:
        """When it was last written, in ns since 1970; 0 of what is no regular file."""
        return self.status.st_mtime_ns if self.status else 0
