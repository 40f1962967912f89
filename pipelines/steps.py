"""The steps that the command line and the DAGs call: each one transaction's worth of work, safe to run again."""

import hashlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from pipelines import ask as asking
from pipelines import build as builder
from pipelines import drill as drilling
from pipelines import estimates, findings, lines, quality, site_tables, sources
from pipelines import ingest as ingester
from pipelines.catalog import Catalog, load_catalog
from pipelines.config import Site, find_inputs, input_for, load_site
from pipelines.errors import AmbiguousSource, CheckFailed, TapescopeError, UnreadableFile
from pipelines.ingest import IngestReport
from pipelines.loader import prepare_tables
from pipelines.origins import logs_below, logs_in, not_a_file, origin_of
from pipelines.reading import Reading, limits_of
from pipelines.statement import quote
from pipelines.survey import Survey, survey, writing
from pipelines.survey.leftover import leftover
from pipelines.warehouse import LAKE, Connection, Warehouse, transaction


def site_at(path: str | Path) -> Site:
    """The site of a `site.toml` or of the folder that holds one."""
    return load_site(Path(path))


def ingest(
    site: Site, paths: list[Path] | None = None, again: bool = False, progress: ingester.Progress | None = None
) -> IngestReport:
    """Read what is new or changed; of the inputs of site.toml it also says what lies beside. Raises WarehouseBusy."""
    report = ingester.ingest(site, load_catalog(), paths, again, progress)
    if paths is None:
        report.unnamed = leftover(
            site, {path for path, _, _ in find_inputs(site)} | {site.root / site.change_log}
        ).sentence
    return report


def forget(site: Site, what: str) -> list[str]:
    """Withdraw a file by path or file_id; the next build takes its rows out of everything."""
    return ingester.forget(site, load_catalog(), what)


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    number: int
    is_full: bool
    days: list[str]
    n_rows: int
    n_checks: int
    n_warnings: int

    def as_dict(self) -> dict[str, Any]:
        return vars(self)


def build(site: Site, full: bool = False, progress: Callable[[str], None] | None = None) -> BuildReport:
    """Make silver and gold of what changed, check, then commit.

    All of it is made again where SQL, contracts, rules or site.toml changed. Raises CheckFailed, with nothing
    committed but the failures, and WarehouseBusy.
    """
    catalog = load_catalog()
    with Warehouse(site).write("build") as connection:
        remade = prepare_tables(connection, catalog, will_build=True)
        builder.make_views(connection, catalog)
        results: list[quality.CheckResult] = []
        try:
            with transaction(connection):
                return _build(connection, site, catalog, full or bool(remade), results, progress)
        except CheckFailed:
            connection.execute(f"USE {LAKE}")
            with transaction(connection):
                number = _next_number(connection)
                _record(connection, number, results, BuildReport(number, full, [], 0, len(results), 0), "", False)
            raise


def _build(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    full: bool,
    results: list[quality.CheckResult],
    progress: Callable[[str], None] | None,
) -> BuildReport:
    whole = site_tables.sync(connection, site)
    fingerprint = _fingerprint(connection, site, catalog)
    is_full = full or fingerprint != _last_fingerprint(connection)
    changes = builder.dirty(connection, catalog, is_full)
    changes.whole |= whole
    had_changes = bool(changes.days or changes.timeless or whole or is_full)
    builder.build(connection, site, catalog, changes, is_full, progress)
    if progress:
        progress("checks")
    results += quality.check(connection, catalog, changes)
    stopping = [result for result in results if result.stops_build]
    if stopping:
        raise CheckFailed(
            "\n".join(
                f"{r.relation}: {r.expectation} {r.arguments} {r.outcome} ({r.n_failing} rows) {r.detail}"
                for r in stopping
            ),
            "readers keep the last build; look at the files named, or withdraw one with `tapescope forget FILE`",
        )
    made = [name for name in changes.days if not name.startswith("bronze.")]
    days = sorted({day for name in made for day in changes.days[name]})
    number = _next_number(connection)
    warnings = sum(result.outcome == "failed" for result in results)
    report = BuildReport(number, is_full, [str(day) for day in days], changes.n_rows, len(results), warnings)
    if had_changes:
        _record(connection, number, results, report, fingerprint, True)
        connection.execute(f"DELETE FROM {LAKE}.ops.dirty_day")
    return report


# What site.toml says of where things are, and of verdicts: no relation that a build makes reads it.
_DECIDE_NO_ROW = {"root", "input", "warehouse", "deliver", "min_coverage", "change", "change_log"}


def _fingerprint(connection: Connection, site: Site, catalog: Catalog) -> str:
    """Of all that decides what rows mean: contracts, SQL, site.toml, and the drives the logs know."""
    drives = connection.execute(f"SELECT drive, logname FROM {LAKE}.site.drive ORDER BY ALL").fetchall()
    parts = [
        catalog.fingerprint,
        site.model_dump_json(exclude=_DECIDE_NO_ROW),
        repr(drives),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _last_fingerprint(connection: Connection) -> str:
    row = connection.execute(
        f"SELECT fingerprint FROM {LAKE}.ops.build WHERE is_committed ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else ""


def _next_number(connection: Connection) -> int:
    row = connection.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {LAKE}.ops.build").fetchone()
    return int(row[0]) if row else 1


def _record(
    connection: Connection,
    number: int,
    results: list[quality.CheckResult],
    report: BuildReport,
    fingerprint: str,
    is_committed: bool,
) -> None:
    build_id = f"{number}-{fingerprint[:12]}" if fingerprint else f"{number}-failed"
    connection.execute(
        f"INSERT INTO {LAKE}.ops.build VALUES (?, ?, ?, ?, ?, ?, ?)",
        [build_id, number, fingerprint, report.is_full, is_committed, json.dumps(report.days), report.n_rows],
    )
    for result in results:
        connection.execute(
            f"INSERT INTO {LAKE}.ops.check_result VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [build_id, *vars(result).values()],
        )


@dataclass(frozen=True)
class DetectReport:
    """Which findings the rules made of a period, and what they could not judge."""

    first_day: date
    last_day: date
    findings: list[dict[str, Any]]
    withheld: list[dict[str, Any]]  # rows of gold.withheld

    def as_dict(self) -> dict[str, Any]:
        counts = Counter(finding["severity"] for finding in self.findings)
        rules = {row["rule"] for row in self.withheld}
        return {"first_day": str(self.first_day), "last_day": str(self.last_day), **counts, "withheld": len(rules)}


def detect(site: Site, first: date | None = None, last: date | None = None) -> DetectReport:
    """Apply every rule to a period; the default is the last day with data. Raises WarehouseBusy."""
    catalog = load_catalog()
    with Warehouse(site).write("detect") as connection:
        prepare_tables(connection, catalog)
        connection.execute(f"USE {LAKE}")
        end = last or asking.last_day(connection).day
        with transaction(connection):
            estimates.estimate(connection, site, catalog, end)
            found = findings.detect(connection, site, catalog, first or end, end)
    return DetectReport(first or end, end, found.findings, found.withheld)


def mark_finding(site: Site, finding: str, kind: str, until: date | None = None, note: str | None = None) -> str:
    """Acknowledge, mute or reopen a finding, named by its id or the beginning of it; returns the whole id.

    Raises TapescopeError where no finding, or more than one, has such an id; WarehouseBusy.
    """
    catalog = load_catalog()
    with Warehouse(site).write("finding") as connection:
        prepare_tables(connection, catalog)
        with transaction(connection):
            return findings.mark(connection, finding, kind, until, note)


def report(
    site: Site,
    first: date | None = None,
    last: date | None = None,
    out: Path | None = None,
    problems: list[str] | None = None,
) -> dict[str, Path]:
    """Write the nightly report in its three forms; returns their paths by form.

    `problems` says what went wrong before, so that a report is written all the same.
    """
    from pipelines import report as reporting  # draws plots: heavy to import

    made = reporting.make_report(site, load_catalog(), first, last, problems or [])
    return reporting.write_report(made, out or _reports(site))


def _reports(site: Site) -> Path:
    return site.root / "var" / "reports"


def deliver(
    site: Site,
    first: date | None = None,
    last: date | None = None,
    problems: list[str] | None = None,
    secrets: Mapping[str, str] | None = None,
    again: bool = False,
) -> dict[str, Any]:
    """Write the report and send it wherever `[deliver]` of site.toml says; returns the counts and what was done.

    What this very report was sent to before is left out unless `again`. `secrets` go before the environment. Raises
    TapescopeError at the end if a way failed; the others have been tried.
    """
    from pipelines import delivery
    from pipelines import report as reporting

    catalog = load_catalog()
    made = reporting.make_report(site, catalog, first, last, problems or [])
    files = reporting.write_report(made, _reports(site))
    done = delivery.deliver(site, delivery.collect(site, catalog, made, files), secrets, again)
    counts = Counter(one.state for one in done)
    if failed := [one for one in done if one.is_failed]:
        told = "\n".join(f"{one.way}: {one.where}" for one in failed)
        hint = "mend [deliver] in site.toml or the receiver, then run `tapescope deliver` again: the others are done"
        raise TapescopeError(f"the report {files['html']} could not be sent by {len(failed)} way(s)\n{told}", hint)
    ways = [{"way": one.way, "state": one.state, "where": one.where} for one in done]
    return {"report": files, "sent": counts["sent"], "earlier": counts["earlier"], "ways": ways}


def ask(site: Site, name: str, params: dict[str, str] | None = None) -> asking.Answer:
    """Answer a question of the catalogue. Raises QuestionRefused."""
    return asking.ask(site, load_catalog(), name, params)


def ask_sql(site: Site, sql: str, timeout_s: float = 30.0) -> asking.Answer:
    """Answer free SQL in a process of its own. Raises QuestionRefused."""
    return asking.ask_sql(site, sql, timeout_s)


def drill(site: Site, drive: str, bucket: str, day: date | None = None, limit: int = 10) -> drilling.Drilled:
    """What is behind a bucket of a drive's day, down to the log lines. Raises QuestionRefused."""
    return drilling.drill(site, load_catalog(), drive, bucket, day, limit)


def bytes_to_read(site: Site, paths: list[Path] | None) -> int:
    """Size on disk of the files an ingest will look at, for its progress bar."""
    wanted = [path for path, _, _ in find_inputs(site)] if paths is None else logs_in(site, paths)
    return sum(ingester.size_of(path) for path in wanted)


def bytes_below(folder: Path) -> int:
    """Size on disk of the files below a folder, for the progress bar of `init`."""
    return sum(ingester.size_of(path) for path in logs_below(folder) if not not_a_file(path))


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
    if what := not_a_file(path):
        return Recognised(path, None, f"not_a_file: {what}")
    try:
        head = lines.read_head(path)
        stem, claims = sources.choose(head)
    except UnreadableFile as error:
        return Recognised(path, None, f"{error.reason}: {error}")
    except AmbiguousSource as error:
        return Recognised(path, None, f"ambiguous_source: {error}")
    except OSError as error:
        return Recognised(path, None, f"not_readable: {error.strerror}")
    why = claims[stem].why if stem else sources.nearest(claims) if any(head) else "it is empty"
    ordered = sorted(claims.items(), key=lambda named: -named[1].likeness)
    return Recognised(path, stem, why, {name: claim.why for name, claim in ordered})


def init(folder: Path, out: Path, force: bool, progress: ingester.Progress | None = None) -> Survey:
    """Write a site.toml from what the logs in a folder say. Raises TapescopeError if there is one already."""
    if not folder.is_dir():
        raise TapescopeError(f"{folder} is not a folder", "give the folder that holds the logs")
    if out.exists() and not force:
        raise TapescopeError(f"{out} exists already", "read it, or give --force to write it anew, or --out FILE")
    found = survey(folder, progress)
    text = writing.written(found)
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
    head = lines.read_head(path)
    found, claims = sources.choose(head)
    if stem is not None and stem not in sources.all_sources():
        raise TapescopeError(f"there is no source {stem!r}", f"known: {', '.join(sources.all_sources())}")
    chosen = stem or found
    if chosen is None:
        raise TapescopeError(f"no source recognises {path}", sources.nearest(claims))
    origin = replace(origin_of(site, path, item, values), head=tuple(head))
    reading = Reading(path, chosen, origin, lines.Start(), None, limits_of(site) if site else None)
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
            rest = sum(block.lines.height + block.too_long.height for block in lines.read_blocks(path)) - counts.n_lines
        counts.n_lines += rest
        counts.n_rejected += rest
    return {
        "source": chosen,
        "lines": counts.n_lines,
        "used": counts.n_used,
        "skipped": counts.n_skipped,
        "rejected": counts.n_rejected,
        "records": counts.n_records,
    }


def export(site: Site, path: Path) -> int:
    """Copy the warehouse into one plain DuckDB file; returns the number of its tables."""
    if path.exists():
        raise TapescopeError(f"{path} exists already", "give another name, or remove it first")
    if not path.parent.is_dir():
        raise TapescopeError(f"there is no folder {path.parent}", "make it, or give another name")
    with Warehouse(site).read() as connection:
        connection.execute(f"ATTACH {quote(str(path))} AS plain")
        connection.execute(f"COPY FROM DATABASE {LAKE} TO plain")
        row = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'plain'").fetchone()
        connection.execute("DETACH plain")
    return int(row[0]) if row else 0


SAMPLE = Path(__file__).resolve().parent.parent / "sample_data"


def make_demo(folder: Path) -> Site:
    """Copy the sample archive into a scratch folder, where its site.toml serves every other command."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(SAMPLE / "logs", folder / "logs", dirs_exist_ok=True)
    shutil.copy2(SAMPLE / "site.toml", folder / "site.toml")
    return site_at(folder)
