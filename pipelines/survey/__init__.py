"""What a folder of unknown logs holds: the sources, hosts, drives, links and zones in it, each with its evidence.

`tapescope init DIR` writes this down as a commented site.toml to be confirmed. Nothing is loaded; of many files in
one folder most give only their beginning.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipelines import lines, sources
from pipelines.errors import AmbiguousSource, UnreadableFile
from pipelines.origins import expand, origin_of
from pipelines.records import Origin
from pipelines.survey.drives import DriveFound, note_drives
from pipelines.survey.hosts import HostsFound
from pipelines.survey.links import LinkFound, note_links
from pipelines.survey.names import NO_HOSTS, NO_NAME, Pattern
from pipelines.survey.patterns import patterns
from pipelines.survey.zones import ZoneGuess, guess_zone, offsets_of, words_of

SAMPLE_BYTES = 2**20  # of each file at least
FOLDER_BYTES = 256 * 2**20  # of all files of one source in one folder, before each gives its beginning only


@dataclass
class FileFound:
    """A file, and what its first lines say."""

    path: str  # relative to the folder
    source: str | None
    why: str  # the claim of the source, or why none has claimed it
    hosts: Counter[str] = field(default_factory=Counter)  # written in it, not taken from its name


@dataclass
class Survey:
    """All that was found in a folder."""

    folder: Path
    files: list[FileFound] = field(default_factory=list)
    inputs: list[Pattern] = field(default_factory=list)
    hosts: HostsFound = field(default_factory=HostsFound)
    drives: dict[str, DriveFound] = field(default_factory=dict)
    links: dict[str, LinkFound] = field(default_factory=dict)
    zone: ZoneGuess = field(default_factory=ZoneGuess)

    @property
    def by_source(self) -> Counter[str]:
        return Counter(found.source for found in self.files if found.source)

    @property
    def unknown(self) -> list[FileFound]:
        return [found for found in self.files if found.source is None]


def survey(folder: Path, progress: Callable[[str, int], None] | None = None) -> Survey:
    """Look at every file below a folder."""
    made = Survey(folder)
    offsets: Counter[tuple[int, int]] = Counter()
    words: Counter[str] = Counter()
    read: Counter[tuple[str, str]] = Counter()
    for path in expand([folder]):
        name = path.relative_to(folder).as_posix()
        if path.name == "site.toml" or name.startswith("var/"):
            continue
        if progress:
            progress(name, path.stat().st_size)
        found, tables = _look_at(path, name, read)
        made.files.append(found)
        made.hosts.note(tables, name)
        note_drives(made.drives, tables, name)
        note_links(made.links, tables, name)
        offsets += offsets_of(tables)
        words += words_of(tables)
    made.zone = guess_zone(offsets, words)
    made.inputs = patterns([(found.path, found.source, found.hosts) for found in made.files if found.source])
    for pattern in made.inputs:
        made.hosts.note_named(pattern)
    for link in made.links.values():
        link.station = made.hosts.station_like(link.name)
    return made


def _look_at(path: Path, name: str, read: Counter[tuple[str, str]]) -> tuple[FileFound, dict[str, pl.DataFrame]]:
    try:
        head = lines.read_head(path)
        stem, claims = sources.choose(head)
    except (UnreadableFile, AmbiguousSource, OSError) as error:
        return FileFound(name, None, str(error)), {}
    if stem is None:
        return FileFound(name, None, sources.nearest(claims) if any(head) else "it is empty"), {}
    named = origin_of(None, path, None, {})
    # a name no log would hold stands for the file's: what comes back under it was not in the text. The host stays
    # empty, for one that is given goes before one that a banner names.
    origin = Origin(path=NO_NAME, link=NO_NAME, date=named.date, modified_at=named.modified_at, head=tuple(head))
    group = (str(path.parent), stem)
    tables, n_bytes = _sample(path, stem, origin, FOLDER_BYTES - read[group])
    read[group] += n_bytes
    found = FileFound(name, stem, claims[stem].why)
    for rows in tables.values():
        if "host" in rows.columns:
            counts = rows.filter(~pl.col("host").is_in(NO_HOSTS)).group_by("host").len()
            found.hosts.update(dict(counts.rows()))
    return found, tables


def _sample(path: Path, stem: str, origin: Origin, most_bytes: int) -> tuple[dict[str, pl.DataFrame], int]:
    """Records of a file up to some size, and the bytes read; none where it needs site.toml to be read."""
    parts: dict[str, list[pl.DataFrame]] = {}
    end, carry = 0, None
    try:
        for block in lines.read_blocks(path, block_bytes=SAMPLE_BYTES):
            parsed = sources.all_sources()[stem].parse(block.lines, origin, carry)
            end, carry = block.end_offset, parsed.carry
            for table, rows in parsed.tables.items():
                parts.setdefault(table, []).append(rows)
            if end >= most_bytes:
                break
    except UnreadableFile:
        pass
    return {table: pl.concat(frames) for table, frames in parts.items()}, end
