"""From files to bronze: what has come, which source reads it, and what it holds."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines import sources
from pipelines.config.files import logs_below, look_at, site_files
from pipelines.config.site import Site, load_site
from pipelines.ingest.apart import commit as commit
from pipelines.ingest.apart import read_files as read_files
from pipelines.ingest.identify import IncomingFile, identify
from pipelines.ingest.parse_file import FileParse
from pipelines.ingest.pending import dirty_tables as dirty_tables
from pipelines.ingest.pending import pending_files as pending_files
from pipelines.ingest.run import Progress
from pipelines.ingest.run import ingest as ingest
from pipelines.ingest.survey import Survey, render, survey
from pipelines.ingest.withdrawal import forget as forget
from pipelines.primitives.errors import NothingRead, TapescopeError, UnreadableFile
from pipelines.sources import blocks


def bytes_to_read(site: Site, paths: list[Path] | None) -> int:
    """Size on disk of the files an ingest will look at, for its progress bar."""
    return _size_of(path for path, _, _ in site_files(site, paths))


def bytes_below(folder: Path) -> int:
    """Size on disk of the files below a folder, for the progress bar of `init`."""
    return _size_of(logs_below(folder))


def _size_of(paths: Iterable[Path]) -> int:
    return sum(status.st_size for path in paths if (status := look_at(path)))


@dataclass(frozen=True)
class Recognised:
    """The source that claims a file, or none; why; and what it lacks for every source, the nearest first."""

    path: Path
    source: str | None
    why: str
    claims: dict[str, str] = field(default_factory=dict)


def recognise(paths: list[Path]) -> list[Recognised]:
    """Which source reads each of these files, and of the files below these folders."""
    return [_recognise(path) for given in paths for path in (logs_below(given) if given.is_dir() else [given])]


def _recognise(path: Path) -> Recognised:
    found = identify(path)
    ordered = sorted(found.claims.items(), key=lambda named: -named[1].likeness)
    why = found.refusal if found.reason else found.why
    return Recognised(path, found.source or None, why, {name: claim.why for name, claim in ordered})


def init(folder: Path, out: Path, force: bool, progress: Progress | None = None) -> Survey:
    """Write a site.toml from the logs in a folder. Raises TapescopeError if there is one already."""
    if not folder.is_dir():
        raise TapescopeError(f"{folder} is not a folder", "give the folder with the logs")
    if out.exists() and not force:
        raise TapescopeError(
            f"{out} exists already", "give --force to overwrite the file, or --out FILE to write another"
        )
    found = survey(folder, progress)
    text = render.written(found, out.parent)
    out.write_text(text, encoding="utf-8")
    load_site(out)  # what we write must be readable
    return found


def parse(
    site: Site | None, path: Path, stem: str | None, only_rejects: bool, write: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Hand a file's records (or rejects) to `write`, row by row; returns the counts. No database.

    `-` reads standard input. A file no source can read counts all its lines as rejected; why is the `problem`.
    """
    if str(path) == "-":
        with tempfile.NamedTemporaryFile(suffix=".stdin") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
            return parse(site, Path(copy.name), stem, only_rejects, write)
    if not path.is_file():
        raise TapescopeError(f"{path} is not a regular file", "give a file, or - for standard input")
    if stem is not None and stem not in sources.all_sources():
        raise TapescopeError(f"there is no source {stem!r}", f"known: {', '.join(sources.all_sources())}")
    file = IncomingFile(site, path, source=stem or "")
    if file.found.reason:
        raise UnreadableFile(file.found.why, reason=file.found.reason)
    if not file.source:
        raise NothingRead(f"no source recognises {path}", file.found.why)
    reading = FileParse(file)
    for parsed in reading.chunks():
        frames = {"reject": parsed.rejects} if only_rejects else parsed.tables
        for table, rows in frames.items():
            for row in rows.iter_rows(named=True):
                write({"table": table} | {name: value for name, value in row.items() if value is not None})
    counts, failure = reading.counts, reading.failure
    if failure and failure.reason not in ("broken_archive", "too_big"):  # of such a file nothing more can be counted
        n_lines = sum(block.lines.height + block.too_long.height for block in blocks.read_blocks(path))
        counts.n_rejected += n_lines - counts.n_lines
        counts.n_lines = n_lines
    numbers = {name.removeprefix("n_"): number for name, number in vars(counts).items()}
    problem = f"{path}: {failure} ({failure.hint})" if failure else ""
    texts = {"note": reading.note, "problem": problem}
    return {"source": file.source} | numbers | {name: text for name, text in texts.items() if text}
