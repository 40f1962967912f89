"""What a finding rests on: how much of its source was seen, and the log lines that prove it."""

from typing import Any

import polars as pl

from pipelines.catalog import Rule
from pipelines.findings.hits import Period
from pipelines.warehouse import LAKE, Connection

TEXT_CHARS = 300


def confidence(connection: Connection, rule: Rule, period: Period) -> str:
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


def evidence(connection: Connection, rule: Rule, rows: pl.DataFrame) -> list[dict[str, Any]]:
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
