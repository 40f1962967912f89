"""What a folder of unknown logs holds: the sources, hosts, drives, links and zones in it, each with its evidence.

`tapescope init DIR` writes this down as a commented site.toml to be confirmed. Nothing is loaded; of many files in
one folder most give only their beginning.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import cast

import polars as pl

from pipelines import sources
from pipelines.config.files import logs_below
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.survey.drives import DriveFound, note_drives, settle_counted, split_shared
from pipelines.ingest.survey.files import FileFound
from pipelines.ingest.survey.hosts import HostsFound
from pipelines.ingest.survey.links import LinkFound, note_links, note_settings
from pipelines.ingest.survey.names import NO_HOSTS, NO_NAME
from pipelines.ingest.survey.patterns import Pattern, patterns
from pipelines.ingest.survey.periods import period_of
from pipelines.ingest.survey.zones import ZoneGuess, offsets_in, offsets_of, settle_zones, words_of
from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.zone_names import zone_words
from pipelines.sources import blocks
from pipelines.sources.protocol import NO_YEAR, Origin

SAMPLE_BYTES = 2**20  # of each file at least
FOLDER_BYTES = 256 * 2**20  # of all files of one source in one folder, before each gives its beginning only
_SAME = ["logged_at", "message_hash", "nth"]  # of a line that is in two files
_NAMED = {"system": "archive systems", "pool": "pools", "library": "libraries", "logical_library": "logical libraries"}
_ELSEWHERE = "Etc/GMT+12"  # read in this zone too, a local clock gives other instants


@dataclass
class Survey:
    """All that was found in a folder."""

    folder: Path
    files: list[FileFound] = field(default_factory=list)
    inputs: list[Pattern] = field(default_factory=list)
    hosts: HostsFound = field(default_factory=HostsFound)
    drives: dict[str, DriveFound] = field(default_factory=dict)
    counted: list[str] = field(default_factory=list)  # devices with counters, of a drive that another log names
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
    settings: dict[str, pl.DataFrame] = {}
    looking = _Looking()
    for path in logs_below(folder):
        name, file = path.relative_to(folder).as_posix(), IncomingFile(None, path)
        found, tables = _look_at(file, name, looking)
        if progress:
            progress(name, file.size_bytes)
        made.files.append(found)
        tables = looking.drop_copies(tables)
        made.hosts.note(tables, name)
        note_drives(made.drives, tables, name)
        note_links(made.links, tables, name)
        if (rows := tables.get("mrtg_cfg")) is not None:
            settings[name] = rows
        found.offsets = offsets_of(tables) + offsets_in(file.found.head)
        found.zone_words += words_of(tables)
    made.zone = settle_zones(made.files)
    made.inputs = patterns(made.files)
    split_shared(made.drives)
    made.counted = settle_counted(made.drives, made.inputs)
    for pattern in made.inputs:
        made.hosts.note_named(pattern)
    note_settings(made.links, settings)
    for link in made.links.values():
        link.station = made.hosts.station_like(link.name)
    return made


class _Looking:
    """What was looked at so far."""

    def __init__(self) -> None:
        self.read: Counter[tuple[str, str]] = Counter()  # bytes, by folder and source
        self._known: dict[tuple[str, date], list[pl.DataFrame]] = {}

    def drop_copies(self, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Rows without those that another file had: copies of a log, or of some lines of it, count once."""
        new = {}
        for table, rows in tables.items():
            if not set(_SAME) <= set(rows.columns):
                new[table] = rows
                continue
            fresh = []
            for (day,), of_day in rows.group_by(pl.col("logged_at").dt.date(), maintain_order=True):
                known = self._known.setdefault((table, cast(date, day)), [])
                left = of_day.join(pl.concat(known), on=_SAME, how="anti", maintain_order="left") if known else of_day
                known.append(left.select(_SAME))
                fresh.append(left)
            new[table] = pl.concat(fresh) if fresh else rows
        return new


def _look_at(file: IncomingFile, name: str, looking: _Looking) -> tuple[FileFound, dict[str, pl.DataFrame]]:
    path, stem, known = file.path, file.source, file.found
    if not stem:
        return FileFound(name, None, known.why), {}
    # A name that no log would hold replaces the file's: rows with that name have none from the text. The host stays
    # empty, because a given host has precedence over one that a banner names.
    given = file.declared
    origin = Origin(NO_NAME, given.place, link=NO_NAME, date=given.date, modified_at=given.modified_at, head=known.head)
    found = FileFound(name, stem, known.why, zone_words=zone_words(known.head))
    group = (str(path.parent), stem)
    tables, n_bytes = _sample(path, found, origin, FOLDER_BYTES - looking.read[group])
    if found.lacks:  # the name may supply what the text lacks
        found.lacks, found.fields = "", ()
        _sample(path, found, replace(origin, path=path.name), 1)
    looking.read[group] += n_bytes
    if looking.read[group] < FOLDER_BYTES:  # read to its end
        found.period = period_of(tables, origin.modified_at)
    if found.period is not None:
        there, _ = _sample(path, FileFound(name, stem, ""), replace(origin, zone=_ELSEWHERE), 1)
        begun = period_of(there, origin.modified_at)
        found.period = replace(found.period, is_local=begun is None or begun.begin != found.period.begin)
    for rows in tables.values():
        if "host" in rows.columns:
            counts = rows.filter(~pl.col("host").is_in(NO_HOSTS)).group_by("host").len()
            found.hosts.update(dict(counts.rows()))
        for column in _NAMED.keys() & set(rows.columns):
            counts = rows.filter(pl.col(column).is_not_null() & ~pl.col(column).is_in(NO_HOSTS)).group_by(column).len()
            found.named.setdefault(_NAMED[column], Counter()).update(dict(counts.rows()))
    return found, tables


def _sample(path: Path, found: FileFound, origin: Origin, most_bytes: int) -> tuple[dict[str, pl.DataFrame], int]:
    """Records of a file up to some size, and the bytes read; `found` notes what site.toml must say for more."""
    parts: dict[str, list[pl.DataFrame]] = {}
    end, carry = 0, None
    try:
        for block in blocks.read_blocks(path, block_bytes=SAMPLE_BYTES):
            parsed = sources.all_sources()[found.source or ""].parse(block.lines, origin, carry)
            end, carry = block.end_offset, parsed.carry
            for table, rows in parsed.tables.items():
                parts.setdefault(table, []).append(rows)
            if parsed.notes.get(NO_YEAR):
                found.lacks, found.fields = "the records have no year", ("date",)
            if end >= most_bytes:
                break
    except UnreadableFile as error:
        found.refuse(error)
    return {table: pl.concat(frames) for table, frames in parts.items()}, end
