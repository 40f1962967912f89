"""What is delivered: a report, the files it was written to, and its findings and figures."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.primitives.clock import day_bounds
from pipelines.primitives.format import counted
from pipelines.primitives.text import SENTENCES_CHARS, single_line
from pipelines.reporting.report import Report
from pipelines.reporting.report.queries import Asker

_ONE = "summary"  # the section that says it in one sentence
_REPRODUCE = "reproduce"  # the section on how to make the report again
_ABOUT_ITSELF = ("period", "data read", "last run", "data")  # facts of the head
Row = dict[str, Any]


@dataclass(frozen=True)
class Message:
    """Everything a way out may need."""

    site: str
    report: Report
    files: dict[str, Path]  # by form: html, txt, json
    findings: list[Row]  # of the period
    standing: list[Row]  # `finding_life`: all that ever fired, gone ones too
    hours: list[Row]  # `ledger_waterfall`: drive-hours of the period by bucket of the ledger
    headline: Row
    wlcg: list[Row]  # a row a storage group
    dashboard: str = ""  # its address, for links
    newest: date | None = None  # last whole day with data, whatever day is reported
    days: list[Row] = field(default_factory=list)  # `day_state`: whether logs cover the days, and whether the rules ran

    @property
    def day(self) -> date | None:
        return self.report.last_day

    @property
    def is_past(self) -> bool:
        """Whether later days are known: the report is not the present state."""
        return self.day is not None and self.newest is not None and self.day < self.newest

    def begin_of(self, day: date) -> datetime:
        """When a site day begins."""
        return day_bounds(day, self.report.zone)[0].replace(tzinfo=UTC)

    @property
    def ends_at(self) -> datetime | None:
        """When the last day reported ends."""
        return day_bounds(self.day, self.report.zone)[1].replace(tzinfo=UTC) if self.day else None

    @property
    def first_sentence(self) -> str:
        """What went wrong on the way if anything did, else the report's one sentence."""
        if self.report.problems:
            problems = counted(len(self.report.problems), "problem")
            return single_line(f"{problems}: {self.report.problems[0]}", SENTENCES_CHARS)
        sentences = [text for section in self.report.sections if section.id == _ONE for text in section.sentences]
        return single_line(sentences[0] if sentences else self.report.title, SENTENCES_CHARS)

    @property
    def text(self) -> str:
        """The report's title and its one sentence, for a chat."""
        return f"{single_line(self.report.title)}: {self.first_sentence}"

    @property
    def subject(self) -> str:
        return single_line(self.text)

    @property
    def digest(self) -> str:
        """Of the report's content: the same report is not sent twice.

        Its head also says of which snapshot it is and why of this day: that alone makes no other report.
        """
        sections = [
            replace(section, facts=[fact for fact in section.facts if fact[0] not in _ABOUT_ITSELF])
            for section in self.report.sections
            if section.id != _REPRODUCE
        ]
        parts = [self.report.title, str(self.report.first_day), *self.report.problems, *map(repr, sections)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def labels_of(message: Message, finding: Row) -> Mapping[str, str]:
    """What distinguishes one finding from others, for programs that keep series."""
    names = ("rule", "entity", "severity", "state")
    return {"site": message.site} | {name: single_line(str(finding[name])) for name in names}


def collect(site: Site, catalog: Catalog, report: Report, files: dict[str, Path]) -> Message:
    """What is known of the report's period; what cannot be asked is empty, and the report says so already."""
    with Asker(site, catalog, report.first_day, report.last_day) as asker:
        return Message(
            site=site.name,
            dashboard=site.deliver.dashboard_url,
            newest=asker.newest_whole_day(),
            report=report,
            files=files,
            findings=asker.ask("findings").as_dicts(),
            standing=asker.ask("finding_life").as_dicts(),
            hours=asker.ask("ledger_waterfall").as_dicts(),
            headline=asker.only("headline"),
            days=asker.ask("day_state").as_dicts(),
            wlcg=asker.ask("wlcg_tape").as_dicts(),
        )
