"""What a finding rests on: how much of its source was read, and the log lines that prove it."""

from typing import Any

import polars as pl

from pipelines.answers.excerpts import kept, read_lines
from pipelines.catalog.contracts import Rule
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection


def confidence(connection: Connection, rule: Rule, period: Period) -> str:
    """How much of what site.toml declares for the rule's source was read in its period."""
    if not rule.sources:
        return "high: the missing log is itself the finding"
    kind = rule.sources[0]
    row = execute(
        connection,
        "SELECT string_agg(DISTINCT source, ', ' ORDER BY source), sum(expected_s), sum(least(covered_s, expected_s))"
        " FROM ops.coverage JOIN site.source USING (source)"
        " WHERE ($kind IN (source, speaks_for)"
        " OR $kind = 'links' AND host IN (SELECT link FROM site.link_port))"
        " AND expected_s IS NOT NULL AND hour_at >= $begin AND hour_at < $end",
        {"kind": kind, "begin": period.bounds[0], "end": period.bounds[1]},
    ).fetchone()
    if row is None or not row[1]:
        return f"medium: site.toml does not declare when logs of {kind} should exist, so missing hours are unknown"
    sources, expected_s, covered_s = row
    share = covered_s / expected_s
    level = "high" if share >= 0.9 else "medium" if share >= 0.5 else "low"
    return f"{level}: logs cover {share:.0%} of the hours that site.toml declares for {sources}"


def evidence(connection: Connection, site: Site, rule: Rule, hits: list[pl.DataFrame]) -> list[list[dict[str, Any]]]:
    """For each hit of a rule the log lines of the rows that show it best, with their text: as the warehouse keeps it,
    else from the file itself."""
    places = [
        (number, row[column], row[column.replace("line_no", "file_id")], row[rule.time[0]])
        for number, rows in enumerate(hits)
        for row in rows.iter_rows(named=True)
        for column in rule.evidence
    ]
    shown: list[list[dict[str, Any]]] = [[] for _ in hits]
    if not places:
        return shown
    numbers, lines, files, instants = zip(*places, strict=True)
    # all lines in one question: each costs as much as all of them
    found = execute(
        connection,
        "SELECT w.place, f.path, m.marked_at, m.message"
        " FROM (SELECT unnest(range(len($lines))) AS place, unnest($lines) AS line_no, unnest($files) AS file_id) w"
        " JOIN ops.file f ON f.file_id = w.file_id"
        " LEFT JOIN silver.mover_step m ON m.file_id = w.file_id AND m.line_no = w.line_no"
        " AND m.day BETWEEN CAST($first AS DATE) - 1 AND CAST($last AS DATE) + 1 ORDER BY ALL",
        {"lines": list(lines), "files": list(files), "first": min(instants), "last": max(instants)},
    ).fetchall()
    first = {place: line for place, *line in reversed(found)}
    lacking = [(path, lines[place]) for place, (path, _, text) in first.items() if text is None]
    texts = _texts(connection, site, lacking)
    for place, (path, at, text) in sorted(first.items()):
        shown_text = texts[path, lines[place]] if text is None else kept(text)
        line = {"path": path, "line_no": lines[place], "at": at, "text": shown_text}
        shown[numbers[place]].append(line)
    return shown


def _texts(connection: Connection, site: Site, lines: list[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Lines of files by path and number; in brackets why one cannot be shown any more."""
    found: dict[tuple[str, int], str] = {}
    of_path: dict[str, set[int]] = {}
    for path, number in lines:
        of_path.setdefault(path, set()).add(number)
    for path, numbers in of_path.items():
        texts = read_lines(connection, site, path, numbers)
        for number in numbers:
            found[path, number] = (
                f"({texts})" if isinstance(texts, str) else texts.get(number, "(the file has no line with this number)")
            )
    return found
