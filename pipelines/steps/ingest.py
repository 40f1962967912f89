"""From files to bronze: what has come, what reads it, and what it says."""

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines import sources
from pipelines.catalog.contracts import load_catalog
from pipelines.config.files import logs_below, logs_in, not_a_file, origin_of
from pipelines.config.site import Site, find_inputs, input_for, load_site
from pipelines.ingest import pending, run
from pipelines.ingest.identify import identify
from pipelines.ingest.parse_file import Reading, limits_of
from pipelines.ingest.pending import Arrivals
from pipelines.ingest.run import IngestReport
from pipelines.ingest.survey import Survey, render, survey
from pipelines.ingest.survey.unmatched import leftover
from pipelines.primitives.errors import NothingRead, TapescopeError, UnreadableFile
from pipelines.sources import blocks


def look(site: Site) -> Arrivals:
    """Count the files that an ingest would read, by kind, and the batches they make. Locks nothing."""
    return pending.arrivals(site, load_catalog())


def waiting(site: Site) -> dict[str, int]:
    """Bronze relations that have changed since the last build, and how many of their days. Locks nothing."""
    return pending.waiting(site)


def ingest(
    site: Site,
    paths: list[Path] | None = None,
    again: bool = False,
    progress: run.Progress | None = None,
    share: run.Share = (0, 1),
) -> IngestReport:
    """Read what is new or changed, or one share of it; of the inputs of site.toml it also says what lies beside.

    Raises WarehouseBusy.
    """
    report = run.ingest(site, load_catalog(), paths, again, progress, share)
    if paths is None and share[0] == 0:
        report.unnamed = leftover(
            site, {path for path, _, _ in find_inputs(site)} | {site.root / site.change_log}
        ).sentence
    return report


def forget(site: Site, what: str) -> list[str]:
    """Withdraw a file by path or file_id; the next build takes its rows out of everything."""
    return run.forget(site, load_catalog(), what)


def bytes_to_read(site: Site, paths: list[Path] | None) -> int:
    """Size on disk of the files an ingest will look at, for its progress bar."""
    wanted = [path for path, _, _ in find_inputs(site)] if paths is None else logs_in(site, paths)
    return sum(run.size_of(path) for path in wanted)


def bytes_below(folder: Path) -> int:
    """Size on disk of the files below a folder, for the progress bar of `init`."""
    return sum(run.size_of(path) for path in logs_below(folder) if not not_a_file(path))


@dataclass(frozen=True)
class Recognised:
    """The source that claims a file, or none; why; and what every source says of it, the nearest first."""

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
    return Recognised(path, found.source, why, {name: claim.why for name, claim in ordered})


def init(folder: Path, out: Path, force: bool, progress: run.Progress | None = None) -> Survey:
    """Write a site.toml from what the logs in a folder say. Raises TapescopeError if there is one already."""
    if not folder.is_dir():
        raise TapescopeError(f"{folder} is not a folder", "give the folder that holds the logs")
    if out.exists() and not force:
        raise TapescopeError(f"{out} exists already", "read it, or give --force to write it anew, or --out FILE")
    found = survey(folder, progress)
    text = render.written(found, out.parent)
    out.write_text(text, encoding="utf-8")
    load_site(out)  # what we write must be readable
    return found


def parse(
    site: Site | None,
    path: Path,
    stem: str | None,
    only_rejects: bool,
    write: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Hand a file's records (or rejects) to `write`, row by row; returns the counts. No database.

    `-` reads standard input. A file no source can read counts all its lines as rejected.
    """
    if str(path) == "-":
        with tempfile.NamedTemporaryFile(suffix=".stdin") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
            return parse(site, Path(copy.name), stem, only_rejects, write)
    if not path.is_file():
        raise TapescopeError(f"{path} is not a regular file", "give a file, or - for standard input")
    item, values = input_for(site, path) if site else (None, {})
    if stem is not None and stem not in sources.all_sources():
        raise TapescopeError(f"there is no source {stem!r}", f"known: {', '.join(sources.all_sources())}")
    found = identify(path, stem or (item.source if item else ""))
    if found.reason:
        raise UnreadableFile(found.why, reason=found.reason)
    if found.source is None:
        raise NothingRead(f"no source recognises {path}", found.why)
    origin = replace(origin_of(site, path, item, values), head=found.head)
    reading = Reading(path, found.source, origin, blocks.Start(), None, limits_of(site) if site else None)
    for parsed in reading.chunks():
        frames = {"reject": parsed.rejects} if only_rejects else parsed.tables
        for table, rows in frames.items():
            for row in rows.iter_rows(named=True):
                write({"table": table} | {name: value for name, value in row.items() if value is not None})
    counts = reading.counts
    if reading.failure is not None:
        print(f"{path}: {reading.failure} ({reading.failure.hint})", file=sys.stderr)
        rest = 0
        if reading.failure.reason not in ("broken_archive", "too_big"):  # of such a file nothing more can be counted
            rest = (
                sum(block.lines.height + block.too_long.height for block in blocks.read_blocks(path)) - counts.n_lines
            )
        counts.n_lines += rest
        counts.n_rejected += rest
    return {
        "source": found.source,
        "lines": counts.n_lines,
        "used": counts.n_used,
        "skipped": counts.n_skipped,
        "rejected": counts.n_rejected,
        "records": counts.n_records,
        **({"note": reading.note} if reading.note else {}),
    }
