"""From a bucket of a drive's ledger to its mounts, files and gaps, and to the log lines that begin and end them."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pipelines.answers import excerpts, question
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import QuestionRefused
from pipelines.primitives.format import listed
from pipelines.primitives.times import period_texts
from pipelines.warehouse.connection import Connection

QUESTION = "bucket_intervals"
_MOST_PERIODS = 5
Interval = dict[str, Any]


@dataclass(frozen=True)
class Drilled:
    """The longest intervals of a bucket, and the text of their lines by path and number."""

    drive: str
    bucket: str
    words: str  # the bucket, or the group of buckets, in words
    day: date
    zone: str
    intervals: list[Interval]
    texts: dict[tuple[str, int], str]
    unread: dict[str, str] = field(default_factory=dict)  # files that cannot be shown any more, and why


def drill(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    drive: str,
    bucket: str,
    day: date | None,
    limit: int,
    session: str = "",
) -> Drilled:
    """What makes up a bucket on a site day, the last one with data if none is given; of one mount if it is named.

    Raises QuestionRefused for a drive or a bucket the ledger of that day does not know.
    """
    last = day or question.last_day(connection).day
    if last == question.NO_DATA:
        raise QuestionRefused("the warehouse has no day with logs yet", "run `tapescope run` first")
    params = {"drive": drive, "bucket": bucket, "n": str(limit), "last_day": str(last), "session": session}
    rows = question.answer(connection, catalog, QUESTION, params).as_dicts()
    words = _words(connection)
    if not rows:
        _refuse_unknown(connection, drive, bucket, last, list(words))
    found = Drilled(drive, bucket, words[bucket], last, site.zone, rows, {})
    for path, numbers in _lines_of(rows).items():
        read = excerpts.read_lines(connection, site, path, numbers)
        if isinstance(read, str):
            found.unread[path] = read
        else:
            found.texts.update({(path, number): text for number, text in read.items()})
    return found


def _lines_of(rows: list[Interval]) -> dict[str, set[int]]:
    """By path, the lines that begin or end an interval."""
    line_numbers: dict[str, set[int]] = {}
    for row in rows:
        for path, number in ((row["path"], row["line_no"]), (row["end_path"], row["end_line_no"])):
            if path is not None and number is not None:
                line_numbers.setdefault(path, set()).add(number)
    return line_numbers


def _words(connection: Connection) -> dict[str, str]:
    """What groups of buckets, and then buckets, are called; a bucket that is a group alone has the group's words."""
    sql = "SELECT time_group, group_words, bucket, bucket_words FROM gold.drive_time_bucket ORDER BY number"
    rows = connection.execute(sql).fetchall()
    groups = {group: words for group, words, _, _ in rows}
    return groups | {bucket: words for _, _, bucket, words in rows if bucket not in groups}


def _refuse_unknown(connection: Connection, drive: str, bucket: str, day: date, known: list[str]) -> None:
    """Nothing found is an answer only where drive, day and bucket exist."""
    rows = execute(connection, "SELECT DISTINCT drive FROM gold.drive_ledger WHERE day = ?", [day]).fetchall()
    drives = sorted(row[0] for row in rows)
    if not drives:
        found = connection.execute("SELECT DISTINCT day FROM gold.drive_ledger ORDER BY day").fetchall()
        days = period_texts([row[0] for row in found])
        raise QuestionRefused(
            f"no log of a drive covers {day}", f"days with logs of drives: {listed(days, _MOST_PERIODS) or 'none'}"
        )
    if drive not in drives:
        raise QuestionRefused(
            f"the ledger of drive time on {day} has no drive {drive!r}",
            f"drives on that day: {', '.join(drives)}",
        )
    if bucket not in known:
        raise QuestionRefused(
            f"the ledger of drive time has no bucket {bucket!r}", f"buckets (uses of drive time): {', '.join(known)}"
        )
