"""The coverage gate: what a rule cannot judge, because its logs do not cover enough of its period."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipelines.analysis.findings.lifecycle import History, identity
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import ConfigError
from pipelines.primitives.text import short_host
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input


@dataclass(frozen=True)
class Seen:
    """How much of one log's declared time was read, in a rule's period."""

    kind: str  # what the rule rests on: a source, or what sources speak for
    source: str
    host: str
    expected_s: float
    covered_s: float

    @property
    def share(self) -> float:
        return self.covered_s / self.expected_s


class Kin:
    """The names under which logs may refer to an entity, and how much of all logs was read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._logs: dict[Period, list[tuple[Any, ...]]] = {}
        self._of: dict[str, set[str]] = {}
        for name, other in ask_input(connection, "related_names").iter_rows():
            self._of.setdefault(name, set()).add(other)

    def names(self, entity: str) -> set[str]:
        """Each part of its name, between slashes, and those that belong to it."""
        parts = entity.split("/")
        return {entity, *parts}.union(*(self._of.get(part, ()) for part in parts))

    def logs(self, kind: str, period: Period) -> list[Seen]:
        """The covered time of a kind of log. Rules have few different periods, so each is asked for once."""
        if period not in self._logs:
            begin, end = period.bounds
            self._logs[period] = ask_input(self._connection, "coverage_by_host", begin=begin, end=end).rows()
        return [
            Seen(kind, source, *row) for source, speaks_for, *row in self._logs[period] if kind in (source, speaks_for)
        ]


class Gate:
    """The coverage of a rule's logs in a period, and for whom that is too little.

    A log that site.toml declares no hours for cannot be short: what is missing is unknown.
    """

    def __init__(self, site: Site, kin: Kin, rule: Rule, period: Period) -> None:
        self.rule, self.kin, self.period = rule, kin, period
        self.needed = site.min_coverage.get(rule.name, rule.min_coverage)
        self.logs = [log for kind in (rule.sources if self.needed > 0 else ()) for log in kin.logs(kind, period)]

    @property
    def short(self) -> list[Seen]:
        """Logs with too few hours, where no other log of the kind covers their host better."""
        best: dict[tuple[str, str], float] = {}
        for log in self.logs:
            place = (log.kind, short_host(log.host))
            best[place] = max(log.share, best.get(place, 0.0))
        return [log for log in self.logs if best[log.kind, short_host(log.host)] < self.needed]

    def missing(self, entity: str) -> Seen | None:
        """The log that is too short to judge an entity; all logs of the kind together if none is its own.

        Of several programs that watch an entity one is enough: the one with most hours decides.
        """
        names = self.kin.names(entity)
        for kind in self.rule.sources:
            logs = [log for log in self.logs if log.kind == kind]
            own: dict[str, list[Seen]] = {}
            for log in logs:
                if not names.isdisjoint((log.host, short_host(log.host))):
                    own.setdefault(log.source, []).append(log)
            if logs:
                best = max((_together(kind, same) for same in own.values() or [logs]), key=lambda log: log.share)
                if best.share < self.needed:
                    return best
        return None

    def rows(self, fired: set[str], history: History) -> Iterator[dict[str, Any]]:
        """What is withheld: by log, then of the entities for which the rule fired now or the day judged before."""
        for log in self.short:
            yield self._row(log, None)
        for entity in sorted(fired | history.standing(self.rule.name, self.period.last)):
            if (missing := self.missing(entity)) is not None:
                yield self._row(missing, entity)

    def _row(self, log: Seen, entity: str | None) -> dict[str, Any]:
        return {
            "day": self.period.last,
            "first_day": self.period.first,
            "rule": self.rule.name,
            "entity": entity,
            "finding_id": None if entity is None else identity(self.rule.name, entity),
            "source": log.source,
            "host": log.host,
            "expected_hours": log.expected_s / 3600,
            "covered_hours": log.covered_s / 3600,
            "missing_hours": (log.expected_s - log.covered_s) / 3600,
            "share": log.share,
            "needed": self.needed,
        }


def _together(kind: str, logs: list[Seen]) -> Seen:
    return Seen(
        kind,
        ", ".join(dict.fromkeys(log.source for log in logs)),
        ", ".join(dict.fromkeys(log.host for log in logs)),
        sum(log.expected_s for log in logs),
        sum(log.covered_s for log in logs),
    )


def check_names(site: Site, rules: dict[str, Rule]) -> None:
    """Refuse a min_coverage of site.toml for a rule that does not exist."""
    if strange := sorted(set(site.min_coverage) - set(rules)):
        raise ConfigError(
            f"site.toml: min_coverage names rules that do not exist: {', '.join(strange)}",
            "`tapescope rules` lists the rules",
        )
