"""A file of a folder, as far as its first lines show it."""

import re
from collections import Counter
from dataclasses import dataclass, field

from pipelines.ingest.survey.periods import Period
from pipelines.primitives.errors import UnreadableFile

_FIELD = re.compile(r"`(date|start_at|interval_s|date_order)`")


@dataclass
class FileFound:
    """A file, the facts in its first lines, and the fields that site.toml must add for it to be read."""

    path: str  # relative to the folder
    source: str | None
    why: str  # the claim of the source, or why none has claimed it
    hosts: Counter[str] = field(default_factory=Counter)  # written in it, not taken from its name
    named: dict[str, Counter[str]] = field(default_factory=dict)  # archive systems, pools … in it: rows of each
    zone_words: Counter[str] = field(default_factory=Counter)  # next to its stamps: in how many lines
    offsets: Counter[tuple[int, int]] = field(default_factory=Counter)  # from UTC, of its local times
    zone: str = ""  # where its stamps contradict the zone of the site
    lacks: str = ""  # what the source misses, where it refuses the file: "its rows carry no date"
    period: Period | None = None  # from its first row to its last
    fields: tuple[str, ...] = ()  # fields of an [[input]] that would supply it

    def refuse(self, error: UnreadableFile) -> None:
        """Note why the source that claims it cannot read it yet."""
        self.lacks = str(error).replace(self.path.rpartition("/")[2], "the file")
        self.fields = tuple(dict.fromkeys(_FIELD.findall(error.hint)))
