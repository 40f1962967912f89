"""The catalogue: relations, their columns and checks, rules and questions. `files` reads them from `schemas/`."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.catalog import sql_inspect
from pipelines.catalog.handbook import Entry, Handbook
from pipelines.primitives.errors import ContractError

LAYERS = ("site", "ops", "bronze", "silver", "gold")

# What a question is about, in the order in which questions are listed, and the words for it.
TOPICS = {
    "hours": "Use of drive-hours, losses and possible gains",
    "findings": "Findings of the rules, and cases that the rules could not judge",
    "gaps": "Gaps between files",
    "mounts": "Mounts: rates, patterns, robots, seeks",
    "drives": "Drives: rates, health, switches between reading and writing",
    "tapes": "Tapes: contents, recalls, reads of whole tapes",
    "requests": "Requests: waits and rates, by storage group and file family",
    "stations": "Stations: duty, streams, balance, spools",
    "host": "Hosts and links: traffic, disks, benchmarks",
    "pools": "Disk pools: use, sharing, restores",
    "changes": "Changes at the site, and rates before and after them",
    "forecasts": "Forecasts and their accuracy",
    "operations": "Operations: coverage, files, builds, runs",
}


@dataclass(frozen=True)
class Column:
    """A column of a relation or question; a name's suffix and the unit agree."""

    name: str
    type: str
    doc: str
    unit: str = ""
    was: tuple[str, ...] = ()  # names it had before: a warehouse that has one of these renames it and keeps its rows
    for_programs: bool = False  # such as a hash: `tapescope ask` leaves it out of tables for people


@dataclass(frozen=True)
class Check:
    """An expectation in Great Expectations' own words."""

    expectation: str
    severity: str  # critical or warning
    kwargs: dict[str, Any]

    @property
    def sentence(self) -> str:
        """What must hold, in words.

        >>> Check("ExpectColumnValuesToBeBetween", "critical", {"column": "mount_s", "min_value": 0}).sentence
        'mount_s must be at least 0'
        """
        match self.kwargs:
            case {"description": str(words)}:
                return words
            case {"column": column, "value_set": values}:
                return f"{column} must be one of {', '.join(map(str, values))}"
            case {"column": column, "min_value": low, "max_value": high}:
                return f"{column} must be between {low} and {high}"
            case {"column": column, "min_value": low}:
                return f"{column} must be at least {low}"
            case {"column": column, "max_value": high}:
                return f"{column} must be at most {high}"
            case {"column_A": a, "column_B": b, **more}:
                return f"{a} must not be less than {b}" if more.get("or_equal") else f"{a} must be greater than {b}"
            case {"column_list": columns}:
                return f"no two rows may have the same combination of {', '.join(columns)}"
            case {"column": column} if self.expectation == "ExpectColumnValuesToNotBeNull":
                return f"{column} must not be empty"
            case {"column": column} if self.expectation == "ExpectColumnValuesToBeUnique":
                return f"no two rows may have the same {column}"
        return f"{self.expectation} {json.dumps(self.kwargs, sort_keys=True)}"


@dataclass(frozen=True)
class Relation:
    """A table: what a row is, its columns, its checks, and the SELECT that makes it if SQL does."""

    layer: str
    name: str
    title: str
    grain: str
    why: str
    columns: tuple[Column, ...]
    checks: tuple[Check, ...] = ()
    sql: str = ""
    day_of: str = ""  # timestamp column whose date the loader writes into `day`
    partition: str = "none"  # day, month or none: how its files are laid out
    is_user_data: bool = False  # its rows cannot be derived or read again: they survive a change of its contract
    never_expires: bool = False  # a row's day is when something began to exist: it is never too old to keep
    lineage: tuple[str, ...] = ()  # columns that say where a row is from, not what it holds
    features: tuple[str, ...] = ()
    was: tuple[str, ...] = ()  # names it had before, in the same layer: its rows stay
    replaces: tuple[str, ...] = ()  # full names of the relations it replaces, whose tables an upgrade drops
    path: Path = field(default=Path(), compare=False)

    @property
    def full_name(self) -> str:
        return f"{self.layer}.{self.name}"

    @property
    def has_day(self) -> bool:
        return any(column.name == "day" for column in self.columns)

    @property
    def column_names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def definitions(self) -> str:
        """Its columns with their types, as CREATE TABLE takes them."""
        return ", ".join(f'"{column.name}" {column.type}' for column in self.columns)

    @property
    def is_by_site_day(self) -> bool:
        """Whether its days are those of the site's zone, and not UTC's."""
        return self.layer in ("gold", "ops")

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Full names of the relations the SQL reads."""
        return sql_inspect.tables(self.sql) if self.sql else ()

    @property
    def is_constant(self) -> bool:
        """Whether its rows are in its SQL alone: they are there as soon as its table is."""
        return bool(self.sql) and not self.has_day and not self.inputs


@dataclass(frozen=True)
class Rule:
    """When a metric's value is an anomaly, what it means and what to look at."""

    name: str
    title: str
    metric: str
    value: str
    method: str
    means: str
    look_at: str
    text: str
    page: str  # page of the dashboard that shows what it finds: a module of dashboards/views/
    handbook: Handbook
    by: tuple[str, ...] = ()  # columns that name the entity
    time: tuple[str, ...] = ()  # columns of begin and end
    where: dict[str, Any] = field(default_factory=dict)  # column = value, or one of several
    params: dict[str, Any] = field(default_factory=dict)
    severity: str = "warning"
    rate: str = ""  # column: bytes/s that lost seconds could have moved
    min_coverage: float = 0.75  # share of its sources' declared hours below which it gives no verdict; 0: it needs none
    # cause in gold.lost_time whose gain prices the finding; "hours": at the drive's overall rate; "each": of several
    # the one that its entity begins with
    cause: str = ""
    evidence: tuple[str, ...] = ()  # columns with line numbers of the row's file_id
    expected: str = ""  # the fact, or the parameter, that is drawn as a line into the chart of its finding

    @property
    def entry(self) -> Entry:
        """The rule's entry in the operator's handbook."""
        return (
            ("What the finding means", self.means),
            ("How the rule works", self.handbook.computed),
            ("How to confirm the finding", self.handbook.confirm),
            ("What to do", self.look_at),
            ("When the finding is wrong", self.handbook.wrong_when),
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """Kinds of log the verdict rests on; none where it is about their absence."""
        given = self.params.get("source", ())
        return (given,) if isinstance(given, str) else tuple(given)

    def about(self, entity: str) -> dict[str, str]:
        """The columns that name an entity, and their values: the last has all slashes that are left."""
        return dict(zip(self.by, entity.split("/", len(self.by) - 1), strict=False))

    def cause_of(self, entity: str) -> str:
        """The cause of a finding on this entity."""
        return entity.split("/")[0] if self.cause == "each" else self.cause


@dataclass(frozen=True)
class Question:
    """A SELECT with parameters: one that the report, a page or an operator asks, or the input of a model."""

    name: str
    title: str
    why: str
    columns: tuple[Column, ...]
    sql: str
    params: dict[str, dict[str, Any]] = field(default_factory=dict)
    topic: str = ""  # one of TOPICS; empty for inputs of models and methods, which are not listed
    was: tuple[str, ...] = ()  # names of questions that it replaces
    if_empty: str = ""  # printed if there are no rows: which data it needs


@dataclass(frozen=True)
class Catalog:
    """All of `schemas/`, and a fingerprint of what decides the meaning of rows."""

    relations: dict[str, Relation]  # by full name
    rules: dict[str, Rule]
    questions: dict[str, Question]  # listed for people, by topic and name
    fingerprint: str
    inputs: dict[str, Question] = field(default_factory=dict)  # what models and methods read: asked by code alone

    @cached_property
    def asked(self) -> dict[str, Question]:
        """All that can be asked: questions and inputs of models."""
        return self.questions | self.inputs

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Former names of questions and the names that replace them."""
        return {old: question.name for question in self.asked.values() for old in question.was}

    def by_topic(self) -> dict[str, list[Question]]:
        """The questions of each topic that has any."""
        listed = self.questions.values()
        groups = {topic: [question for question in listed if question.topic == topic] for topic in TOPICS}
        return {topic: questions for topic, questions in groups.items() if questions}

    def layer(self, name: str) -> list[Relation]:
        return [relation for relation in self.relations.values() if relation.layer == name]

    def made_by_sql(self) -> list[Relation]:
        """Relations that SQL makes, each after what its FROM clauses ask for."""
        todo = {name: relation for name, relation in self.relations.items() if relation.sql}
        ordered: list[Relation] = []
        while todo:
            ready = [r for r in todo.values() if not any(name in todo and name != r.full_name for name in r.inputs)]
            if not ready:
                raise ContractError(f"these relations depend on each other in a circle: {', '.join(todo)}")
            for relation in ready:
                ordered.append(todo.pop(relation.full_name))
        return ordered
