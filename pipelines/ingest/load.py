"""One file into the lake: plan, parse, stage, make room by the rule of succession, register."""

from contextlib import suppress
from pathlib import Path

import polars as pl

from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import FileParse, cut_at_midnight
from pipelines.ingest.parts import Part, Span
from pipelines.ingest.plan import Plan, plans, unchanged
from pipelines.ingest.registry import FileRegistry, FileReport
from pipelines.ingest.staging import Staging
from pipelines.ingest.succession import Succession, joined
from pipelines.sources import blocks
from pipelines.sources._shared import coverage
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.tables import LOG_COVERAGE

BY_CHANCE = 20  # so many records of two days may be the same, of a log that is nearly empty
_UNREAD = {"loaded": "unchanged", "withdrawn": "withdrawn"}


class Loader:
    """Loads the files of one batch on a writing connection inside its transaction; paths are relative to `root`."""

    def __init__(self, connection: Connection, catalog: Catalog, staging: Staging, root: Path) -> None:
        self.connection, self.staging = connection, staging
        self.registry = FileRegistry(connection, catalog)
        bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.succession = Succession(self.registry, bronze, root)
        self.n_files = 0

    def flush(self) -> None:
        """Put what was read of a batch into the lake, in the caller's transaction."""
        self.staging.flush()
        self.registry.write_back()

    def load(self, file: IncomingFile) -> FileReport:
        """Read what is new in a file and stage its rows."""
        if known := unchanged(self.registry, file):
            return FileReport(file.name, _UNREAD[known.state], known.source)
        if file.status is None or not file.source:
            return self._refuse(file)
        for plan in plans(self.succession, file):
            with suppress(blocks.PrefixChanged):
                return self._read(file, plan)
        raise AssertionError("a file that is read from its first line has no prefix that could change")

    def _refuse(self, file: IncomingFile) -> FileReport:
        report = FileReport(file.name, file.found.state, reason=file.found.refusal)
        self.succession.put(file, self.registry.register_refusal(file, report))
        return report

    def _read(self, file: IncomingFile, plan: Plan) -> FileReport:
        parse = FileParse(file, *(plan.continues.start() if plan.continues else ()))
        self.n_files += 1
        token, written = self.n_files, self._stage(parse, self.n_files)
        same = [] if parse.is_refused else self.registry.with_content(parse.sha256, file.source)
        if before := next((part for part in same if part.is_read_as(file.source, file.origin)), None):
            self.succession.find_again(file, before)
            return FileReport(file.name, _UNREAD[before.state], file.source, before.reason or "")
        report = self._judge(file, parse, same)
        if report.state == "loaded":
            self.staging.add(LOG_COVERAGE, cut_at_midnight(written).with_columns(source=pl.lit(file.source)), token)
        self._make_room(file, plan, report, same, written)
        file_id = self.registry.register(file, parse, report, plan.continues, _span(written))
        if report.state == "loaded":
            self.staging.keep(token, file_id)
        self.succession.put(file, file_id)
        return report

    def _stage(self, parse: FileParse, token: int) -> pl.DataFrame:
        """Rows and rejects into the staging, chunk by chunk; returns the intervals in which the log was written."""
        seen: list[pl.DataFrame] = []
        for parsed in parse.chunks():
            for table, rows in parsed.tables.items():
                self.staging.add(table, rows, token)
            self.staging.add_rejects(parsed.rejects, token)
            seen.append(parsed.coverage)
        return coverage.joined(seen)

    def _judge(self, file: IncomingFile, parse: FileParse, same: list[Part]) -> FileReport:
        """A file that was refused half-way leaves no rows; of a damaged archive what could be read is kept."""
        report, failure, counts = FileReport(file.name, "loaded", file.source), parse.failure, parse.counts
        if failure is not None:
            report.reason = f"{failure.reason}: {failure}"
        if parse.is_refused or (failure is not None and not counts.n_lines):
            report.state = "failed"
        elif counts.n_records >= BY_CHANCE and (twin := self.succession.of_another_date(file, same)):
            report.state = "failed"
            report.reason = (
                f"other_date: it holds the very lines of {twin.path}, which is read as of {twin.date};"
                " one of the two has a wrong date: remove it"
            )
        else:
            report.counts, report.note, report.warning = counts, parse.note, parse.warning
        return report

    def _make_room(
        self, file: IncomingFile, plan: Plan, report: FileReport, same: list[Part], written: pl.DataFrame
    ) -> None:
        """Take out what the file replaces; where it has grown, the parts that it continues lie at its path now."""
        continues, replaced = plan.continues, plan.replaces
        stays = self.registry.ancestors(continues.file_id) if continues else []
        if report.state == "loaded":
            replaced = [*replaced, *self.succession.read_otherwise(file, same)]
            if report.counts.n_records:
                span = joined([self.succession.span(stays), _span(written)])
                known = [*replaced, *([continues] if continues else [])]
                replaced += self.succession.written_again(file, span, set(written["host"]), known)
        self.succession.replace(file, replaced, stays)
        if continues and report.state == "loaded":
            self._take_back_torn_line(continues)
            self.registry.move(stays, file.name)

    def _take_back_torn_line(self, part: Part) -> None:
        """The torn last line of the part before is whole now, and counts where it was read whole."""
        row = self.registry.rows.get(part.file_id)
        if row is None or not row["n_rejected"]:
            return
        taken = execute(
            self.connection, f"DELETE FROM {LAKE}.ops.reject WHERE file_id = ? AND reason = 'torn'", [part.file_id]
        ).fetchone()
        if taken and taken[0]:
            self.registry.change(part.file_id, n_lines=row["n_lines"] - 1, n_rejected=row["n_rejected"] - 1)


def _span(seen: pl.DataFrame) -> Span | None:
    return (seen["from_at"].min(), seen["to_at"].max()) if seen.height else None  # type: ignore[return-value]
