"""Rules × methods → gold.finding: what is anomalous, what it costs at most, how sure, and which log lines prove it."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, cast

import polars as pl

from pipelines.catalog import Catalog, Rule
from pipelines.clock import day_bounds
from pipelines.config import Site
from pipelines.errors import ContractError
from pipelines.methods import episodes, population
from pipelines.warehouse import LAKE, Connection

EVIDENCE_ROWS = 3
TEXT_CHARS = 300


@dataclass
class Hit:
    """A rule that fired for one entity: facts for its text, its price, and the rows behind it."""

    entity: str
    started_at: datetime
    ended_at: datetime
    value: float
    facts: dict[str, Any]
    lost_s: float | None = None
    lost_bytes: float | None = None
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)  # the most telling rows, best first


@dataclass(frozen=True)
class Period:
    """The site days a rule looks at."""

    first: date
    last: date
    zone: str

    @property
    def n_days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        return day_bounds(self.first, self.zone)[0], day_bounds(self.last, self.zone)[1]


def detect(connection: Connection, site: Site, catalog: Catalog, first: date, last: date) -> list[dict[str, Any]]:
    """Apply every rule to the period that ends with `last`, and replace that day's findings.

    A rule whose window is longer than the period looks back further.
    """
    found: list[dict[str, Any]] = []
    for rule in catalog.rules.values():
        begin = min(first, last - timedelta(days=rule.params.get("window_days", 1) - 1))
        period = Period(begin, last, site.zone)
        rows = read_metric(connection, catalog, rule, period)
        for hit in judge(rule, rows, site, period):
            found.append(_finding(connection, rule, hit, period))
    _replace(connection, catalog, found, last)
    return found


def read_metric(connection: Connection, catalog: Catalog, rule: Rule, period: Period) -> pl.DataFrame:
    """The rows of a rule's metric in a period: by site day where the metric has one, else by the instants."""
    relation = catalog.relations.get(rule.metric)
    if relation is None:
        raise ContractError(f"rule {rule.name}: there is no relation {rule.metric}", f"mend {rule.name}.toml")
    conditions = [f'"{column}" = ?' for column in rule.where]
    values: list[Any] = list(rule.where.values())
    if relation.layer == "gold" and relation.has_day:
        conditions.append("day BETWEEN ? AND ?")
        values += [period.first, period.last]
    else:
        begin, end = rule.time
        conditions.append(f'"{begin}" < ? AND "{end}" >= ?')
        values += [period.bounds[1], period.bounds[0]]
    where = " AND ".join(conditions)
    order = ", ".join(f'"{column}"' for column in (*rule.by, *rule.time))
    return connection.execute(f"SELECT * FROM {LAKE}.{rule.metric} WHERE {where} ORDER BY {order}", values).pl()


def judge(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """What a rule's method says of its metric's rows."""
    method = METHODS.get(rule.method)
    if method is None:
        raise ContractError(f"rule {rule.name}: there is no method {rule.method}", f"known: {', '.join(METHODS)}")
    if rows.height:
        yield from method(rule, rows, site, period)


def _groups(rule: Rule, rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for key, group in rows.group_by(list(rule.by), maintain_order=True):
        yield "/".join(str(part) for part in key), group


# --- methods applied to relations -----------------------------------------------------------------------------


def _population(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A population of long values: enough of them, and a large enough share."""
    params = rule.params
    # a gap over midnight is told once, on the day it begins
    begun = rows.filter(pl.col(rule.time[0]) >= period.bounds[0])
    for entity, group in _groups(rule, begun):
        found = population.long_values(
            group[rule.value].to_numpy().astype(float), site.expected_gap_s, params["excess_s"]
        )
        if found.n_long < params["min_count"] or found.share < params["min_share"]:
            continue
        long = group.filter(pl.Series(found.is_long)).with_columns(excess_s=pl.col(rule.value) - site.expected_gap_s)
        parts = {part: _number(long[f"{part}_s"].sum()) for part in ("database", "request", "start")}
        facts = {
            "n": found.n,
            "n_long": found.n_long,
            "share": found.share,
            "modal_s": found.modal,
            "limit_s": site.expected_gap_s + params["excess_s"],
            "expected_s": site.expected_gap_s,
            "part": max(parts, key=lambda name: parts[name]),
            "whole_gap_s": _number(long["gap_s"].median()),
        }
        typical = (pl.col(rule.value) - found.modal).abs()
        yield Hit(
            entity,
            _instant(long[rule.time[0]].min()),
            _instant(long[rule.time[1]].max()),
            found.modal,
            facts,
            found.total_excess,
            float((long["excess_s"] * long[rule.rate]).sum()),
            long.sort(typical, rule.time[0]).head(EVIDENCE_ROWS),
        )


def _low_share(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A share of counted bins below a limit; what was missed is priced at the rate while active, or the others'."""
    params = rule.params
    total = rows[rule.value].sum() * params["unit_s"]
    common = rows[params["moved_gb"]].sum() * 1e9 / total if total else None
    for entity, group in _groups(rule, rows):
        n, n_active = int(group[params["of"]].sum()), int(group[rule.value].sum())
        if n < params["min_coverage"] * params["full"] * period.n_days or n_active >= params["below"] * n:
            continue
        active_s = n_active * params["unit_s"]
        rate = group[params["moved_gb"]].sum() * 1e9 / active_s if n_active else common
        lost_s = (n - n_active) * params["unit_s"]
        facts = {
            "n": n,
            "share": n_active / n,
            "limit": params["below"],
            "first_day": str(period.first),
            "last_day": str(period.last),
        }
        priced = lost_s * rate if rate else None
        yield Hit(entity, *period.bounds, n_active / n, facts, lost_s, priced, group.tail(EVIDENCE_ROWS))


def _episodes(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Intervals joined into episodes that last long enough."""
    params, (begin, end) = rule.params, rule.time
    for entity, group in _groups(rule, rows):
        clipped = group.with_columns(
            pl.max_horizontal(pl.col(begin), pl.lit(period.bounds[0])).alias(begin),
            pl.min_horizontal(pl.col(end), pl.lit(period.bounds[1])).alias(end),
        ).filter(pl.col(end) > pl.col(begin))
        instants = [clipped[name].dt.epoch("us").to_numpy() / 1e6 for name in (begin, end)]
        for episode in episodes.join(instants[0], instants[1], params["join_s"]):
            if episode.total < params["min_s"]:
                continue
            members = clipped[episode.members.tolist()]
            facts = {name: _number(members[name].median()) for name in params.get("facts", ())}
            facts |= {"hours": episode.total / 3600}
            yield Hit(
                entity,
                _instant(members[begin].min()),
                _instant(members[end].max()),
                _number(members[rule.value].median()),
                facts,
                episode.total if params.get("is_priced", True) else None,
                _bytes(rule, members, (members[end] - members[begin]).dt.total_microseconds() / 1e6),
                members.head(EVIDENCE_ROWS),
            )


def _repeats(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The same kind of event so often that it is no accident."""
    params = rule.params
    for entity, group in _groups(rule, rows):
        if group.height < params["min_count"]:
            continue
        detail = group[params["detail"]].drop_nulls().mode().sort()
        facts = {"n": group.height, "detail": detail[0] if detail.len() else "for no reason given"}
        yield Hit(
            entity,
            _instant(group[rule.time[0]].min()),
            _instant(group[rule.time[1]].max()),
            float(group.height),
            facts,
            _number(group[rule.value].sum()),
            None,
            group.head(EVIDENCE_ROWS),
        )


def _instant(value: object) -> datetime:
    return cast(datetime, value)


def _number(value: object) -> float:
    return float(cast(float, value))


def _bytes(rule: Rule, rows: pl.DataFrame, lost_s: pl.Series) -> float | None:
    if not rule.rate or rows[rule.rate].null_count() == rows.height:
        return None
    return float((rows[rule.rate] * lost_s).sum())


METHODS: dict[str, Callable[[Rule, pl.DataFrame, Site, Period], Iterator[Hit]]] = {
    "population": _population,
    "low_share": _low_share,
    "episodes": _episodes,
    "repeats": _repeats,
}


# --- findings -------------------------------------------------------------------------------------------------


def _finding(connection: Connection, rule: Rule, hit: Hit, period: Period) -> dict[str, Any]:
    lost_gb = None if hit.lost_bytes is None else hit.lost_bytes / 1e9
    words = {"entity": hit.entity, "value": hit.value} | hit.facts
    return {
        "day": period.last,
        "first_day": period.first,
        "finding_id": _identity(rule.name, hit, period.last),
        "rule": rule.name,
        "severity": rule.severity,
        "state": _state(connection, rule.name, hit.entity, period.last),
        "entity": hit.entity,
        "started_at": hit.started_at,
        "ended_at": hit.ended_at,
        "value": hit.value,
        "lost_hours": None if hit.lost_s is None else hit.lost_s / 3600,
        "lost_gb_day": None if lost_gb is None else lost_gb / period.n_days,
        "confidence": _confidence(connection, rule, period),
        "text": rule.text.format_map({name: _plain(value) for name, value in words.items()}),
        "means": rule.means,
        "look_at": rule.look_at,
        "facts": json.dumps(hit.facts, sort_keys=True),
        "evidence": json.dumps(_evidence(connection, rule, hit.rows), default=str),
    }


def _identity(rule: str, hit: Hit, day: date) -> str:
    parts = f"{rule}\n{hit.entity}\n{day}\n{hit.started_at:%Y-%m-%dT%H:%M:%S}"
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


def _plain(value: Any) -> Any:
    """What comes from logs is bounded before it goes into a sentence."""
    return value[:80] if isinstance(value, str) else value


def _state(connection: Connection, rule: str, entity: str, day: date) -> str:
    """Open where the last period before that anybody looked at had the same."""
    row = connection.execute(
        f"SELECT max(day) = (SELECT max(day) FROM {LAKE}.gold.finding WHERE day < $day) FROM {LAKE}.gold.finding"
        " WHERE rule = $rule AND entity = $entity AND day < $day",
        {"day": day, "rule": rule, "entity": entity},
    ).fetchone()
    return "open" if row and row[0] else "new"


def _confidence(connection: Connection, rule: Rule, period: Period) -> str:
    """How much of what site.toml declares for the rule's source was seen in its period."""
    source = rule.params.get("source")
    if source is None:
        return "high: the absence itself was observed"
    row = connection.execute(
        f"SELECT sum(expected_s), sum(seen_s) FROM {LAKE}.ops.coverage"
        " WHERE source = ? AND expected_s IS NOT NULL AND hour_at >= ? AND hour_at < ?",
        [source, *period.bounds],
    ).fetchone()
    if row is None or not row[0]:
        return f"medium: site.toml declares no period for {source}, so what is missing cannot be told"
    share = row[1] / row[0]
    level = "high" if share >= 0.9 else "medium" if share >= 0.5 else "low"
    return f"{level}: {share:.0%} of the declared hours of {source} were seen"


def _evidence(connection: Connection, rule: Rule, rows: pl.DataFrame) -> list[dict[str, Any]]:
    """The log lines of the most telling rows, with their text where the warehouse keeps it."""
    if not rule.evidence:
        return []
    lines: list[dict[str, Any]] = []
    for row in rows.iter_rows(named=True):
        for column in rule.evidence:
            found = connection.execute(
                f"SELECT f.path, m.marked_at, m.message FROM {LAKE}.ops.file f"
                f" LEFT JOIN {LAKE}.silver.mover_step m ON m.file_id = f.file_id AND m.line_no = $line AND m.day"
                " BETWEEN CAST($at AS DATE) - 1 AND CAST($at AS DATE) + 1 WHERE f.file_id = $file",
                {"line": row[column], "file": row[column.replace("line_no", "file_id")], "at": row[rule.time[0]]},
            ).fetchone()
            if found:
                text = (found[2] or "")[:TEXT_CHARS]
                lines.append({"path": found[0], "line_no": row[column], "at": found[1], "text": text})
    return lines


def _replace(connection: Connection, catalog: Catalog, found: list[dict[str, Any]], day: date) -> None:
    """Write the day's findings where they differ from those that are there: looking again changes nothing."""
    names = catalog.relations["gold.finding"].column_names
    table = f"{LAKE}.gold.finding"
    wanted = sorted((tuple(finding[name] for name in names) for finding in found), key=repr)
    present = connection.execute(f"SELECT * FROM {table} WHERE day = ?", [day]).fetchall()
    if wanted == sorted(present, key=repr):
        return
    connection.execute(f"DELETE FROM {table} WHERE day = ?", [day])
    for row in wanted:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", list(row))
