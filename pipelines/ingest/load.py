"""One file into the lake: plan, read, make room by the rule of succession, register."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parts import Part, Span
from pipelines.ingest.plan import Plan, plans, unchanged
from pipelines.ingest.reading import Reader, Reading
from pipelines.ingest.registry import FileRegistry, FileReport
from pipelines.ingest.rows import Setup
from pipelines.ingest.staging import Staging
from pipelines.ingest.succession import Succession, joined
from pipelines.ingest.withdrawal import take_out
from pipelines.warehouse.connection import LAKE, Connection

BY_CHANCE = 20  # fewer records of two days may be the same by chance, where a log is nearly empty
_UNREAD = {"loaded": "unchanged", "withdrawn": "withdrawn"}


@dataclass(frozen=True)
class Early:
    """What another process found in a file: on after this part, or from the first line; None where it could not."""

    continues: str
    reading: Reading | None


class Loader:
    """Loads the files of one batch on a writing connection inside its transaction; paths are relative to `root`."""

    def __init__(self, connection: Connection, catalog: Catalog, setup: Setup, root: Path) -> None:
        self.connection = connection
        self.reader, self.staging = Reader(setup, connection), Staging(connection, setup)
        self.registry = FileRegistry(connection, catalog)
        self.bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.succession = Succession(self.registry, self.bronze, root)

    def flush(self) -> None:
        """Put what was read of a batch into the lake, in the caller's transaction."""
        gone = [file_id for file_id in self.staging.flush() if file_id not in self.registry.rows]
        take_out(self.connection, self.bronze, gone)  # what a later file of the batch replaced
        self.registry.write_back()

    def plan(self, file: IncomingFile) -> Plan | None:
        """How a file would be read, as far as is known now; None where it would not."""
        if unchanged(self.registry, file) or file.status is None or not file.source:
            return None
        return next(plans(self.succession, file))

    def load(self, file: IncomingFile, early: Early | None = None) -> FileReport:
        """Read what is new in a file, unless that was done before, and stage its rows."""
        report = self._load(file, early)
        if early and early.reading and not self.staging.has(early.reading):
            early.reading.discard()
        return report

    def _load(self, file: IncomingFile, early: Early | None) -> FileReport:
        if known := unchanged(self.registry, file):
            return FileReport(file.name, _UNREAD[known.state], known.source)
        if file.status is None or not file.source:
            return self._refuse(file)
        for plan in plans(self.succession, file):
            is_done = early is not None and early.continues == plan.key
            reading = early.reading if early and is_done else self.reader.read(file, *plan.start())
            if reading is not None:
                return self._take(file, plan, reading)
        raise AssertionError("the start of a file cannot have changed if the file is read from its first line")

    def _refuse(self, file: IncomingFile) -> FileReport:
        report = FileReport(file.name, file.found.state, reason=file.found.refusal)
        self.succession.put(file, self.registry.register_refusal(file, report))
        return report

    def _take(self, file: IncomingFile, plan: Plan, reading: Reading) -> FileReport:
        same = [] if reading.is_refused else self.registry.with_content(reading.sha256, file.source)
        if before := next((part for part in same if part.is_read_as(file.source, file.origin)), None):
            reading.discard()
            warning = self.succession.find_again(file, before)
            return FileReport(file.name, _UNREAD[before.state], file.source, before.reason or "", warning=warning)
        report = self._judge(file, reading, same)
        if not reading.failure.startswith("not_readable"):  # or nothing is known of what it holds now
            self._make_room(file, plan, report, same, reading.written)
        file_id = self.registry.register(file, reading, report, plan.continues, _span(reading.written))
        if report.state == "loaded":
            self.staging.keep(reading)
        else:
            reading.discard()
        self.succession.put(file, file_id)
        return report

    def _judge(self, file: IncomingFile, reading: Reading, same: list[Part]) -> FileReport:
        """A file that was refused half-way leaves no rows; of a damaged archive what could be read is kept."""
        report, counts = FileReport(file.name, "loaded", file.source, reading.failure), reading.counts
        if reading.is_refused or (reading.failure and not counts.n_lines):
            report.state = "failed"
        elif counts.n_records >= BY_CHANCE and (twin := self.succession.of_another_date(file, same)):
            report.state = "failed"
            report.reason = (
                f"other_date: {twin.path} has the same lines, but was read with the date {twin.date};"
                " one of the two files has a wrong date: remove that file"
            )
        else:
            report.counts, report.note, report.warning = counts, reading.note, reading.warning
        return report

    def _make_room(
        self, file: IncomingFile, plan: Plan, report: FileReport, same: list[Part], written: pl.DataFrame
    ) -> None:
        """Take out what the file replaces; if it has grown, move the parts that it continues to its path."""
        continues, replaced = plan.continues, plan.replaces
        stays = self.registry.ancestors(continues.file_id) if continues else []
        if report.state == "loaded":
            replaced = [*replaced, *self.succession.read_otherwise(file, same)]
            if report.counts.n_records:
                span = joined([self.succession.span(stays), _span(written)])
                known = [*replaced, *([continues] if continues else [])]
                again = self.succession.written_again(file, span, set(written["host"]), known)
                shortened = self.succession.shortened(file, again, span[1] if span else None)
                report.warning = "; ".join(filter(None, [report.warning, shortened]))
                replaced += again
        self.succession.replace(file, replaced, stays)
        if continues and report.state == "loaded":
            self._take_back_torn_line(continues)
            self.registry.move(stays, file.name)

    def _take_back_torn_line(self, part: Part) -> None:
        """The torn last line of the part before is complete now, and counts where it was read completely."""
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
