"""What a report is before it is printed: sections of sentences, tables, figures and cards.

All ways of printing walk the same tree, so that they cannot say different things. Texts are held as the logs had them;
each printer makes them safe for its own medium.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pipelines.catalog.contracts import Column


@dataclass(frozen=True)
class Query:
    """A question with its parameters, so that it can be asked again."""

    name: str
    title: str
    why: str
    params: dict[str, str]
    sql: str


@dataclass(frozen=True)
class Table:
    """Rows of an answer, with what their columns mean."""

    title: str
    question: str
    columns: list[Column]
    rows: list[tuple[Any, ...]]
    note: str = ""


@dataclass(frozen=True)
class Group:
    """A group of drive time, as gold.drive_time_bucket defines it."""

    name: str
    words: str
    colour: str
    symbol: str


@dataclass(frozen=True)
class Bar:
    """One bar of a waterfall."""

    name: str
    group: Group
    value: float
    share: float
    meaning: str


@dataclass(frozen=True)
class _Drawing:
    title: str
    question: str
    unit: str


@dataclass(frozen=True)
class Waterfall(_Drawing):
    """Parts of a total, one under the other, each beginning where the one above ends."""

    bars: list[Bar]


@dataclass(frozen=True)
class Stack(_Drawing):
    """One row per entity, divided into groups; every row is as long as the period."""

    groups: list[Group]
    rows: dict[str, list[float]]


@dataclass(frozen=True)
class Burndown(_Drawing):
    """What is left of a campaign at the end of each day with logs, and when it may be done, in days after the last."""

    size: float
    left: list[tuple[date, float]]
    days: float
    low: float
    high: float


@dataclass(frozen=True)
class Tornado(_Drawing):
    """A number, and what it would be with one input alone at either end of its interval, the widest first."""

    value: float
    bars: list[tuple[str, float, float]]


Figure = Waterfall | Stack | Burndown | Tornado


@dataclass(frozen=True)
class Loss:
    """A cause and what it costs at most."""

    title: str
    where: str
    price: str
    period: str
    action: str
    anchor: str


@dataclass(frozen=True)
class Evidence:
    """A line of a log; `at` is its instant as the finding has it."""

    place: str
    at: str
    text: str


@dataclass(frozen=True)
class Night:
    """A site day of a finding: fired, quiet, withheld or not_run, and what it cost, to be drawn."""

    outcome: str
    size: float


@dataclass(frozen=True)
class Finding:
    """A finding with all that is known of it."""

    anchor: str
    id: str
    link: str  # of its own page, where site.toml names the dashboard
    sign: str
    severity_word: str
    title: str
    rule: str
    severity: str
    state: str
    since: str
    trend: list[Night]  # empty where it fired on one night alone
    entity: str
    period: str
    price: str
    confidence: str
    text: str
    means: str
    look_at: str
    steps: list[str]  # the same, a step each
    others: list[str]  # its other spells of the period
    handbook: list[tuple[str, str]]  # headings and texts of its rule's entry that the card does not show
    is_repeat: bool  # of the same rule as the one before: what it means need not be read twice
    evidence: list[Evidence]


@dataclass(frozen=True)
class Section:
    """Printed in the order of the fields; who registered it gives it its id, and its place gives it its number."""

    title: str
    id: str = ""
    number: int = 0
    page: str = ""  # of the dashboard, that shows the same
    link: str = ""  # to that page, where site.toml names the dashboard
    facts: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """One run over one period. `problems` are what went wrong on the way and come before anything else."""

    title: str
    zone: str
    first_day: date | None
    last_day: date | None
    problems: list[str]
    sections: list[Section]  # numbered from 0, the head, without a hole
