"""Which source reads a file, or why none does: the one answer for all who ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipelines import sources
from pipelines.config.files import not_a_file
from pipelines.primitives.errors import AmbiguousSource, UnreadableFile
from pipelines.sources import blocks
from pipelines.sources.protocol import Claim


@dataclass(frozen=True)
class Identified:
    """The source that reads a file, or why it cannot be read (`failed`) or is of no known kind (`unknown`)."""

    source: str | None
    why: str  # in words: what was found, or what is missing
    reason: str = ""  # of a file that failed, one of records.FILE_REASONS
    head: tuple[str, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=dict)  # by source; empty where none was asked

    @property
    def state(self) -> str:
        """As `ops.file` notes it; empty where a source reads the file."""
        return "" if self.source else "failed" if self.reason else "unknown"

    @property
    def refusal(self) -> str:
        """Why no source reads it, as `ops.file` notes it."""
        return f"{self.reason}: {self.why}" if self.reason else f"no source recognises it; {self.why}"


def identify(path: Path, wanted: str = "") -> Identified:
    """Ask every source for a file's first lines, unless one is `wanted`: then that one reads it, or refuses it."""
    if what := not_a_file(path):
        return Identified(None, what, "not_a_file")
    try:
        head = blocks.read_head(path)
        if wanted and any(head):
            return Identified(wanted, "the source is given", head=tuple(head))
        stem, claims = sources.choose(head)
    except UnreadableFile as error:
        return Identified(None, str(error), error.reason)
    except AmbiguousSource as error:  # such as two formats in one file
        return Identified(None, str(error), "ambiguous_source")
    except OSError as error:
        return Identified(None, error.strerror or str(error), "not_readable")
    why = claims[stem].why if stem else sources.nearest(claims) if any(head) else "it is empty"
    return Identified(stem, why, head=tuple(head), claims=claims)
