"""The command `drill`, which goes from a drive's hours down to the log lines."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import DAY, Listed, site_option
from pipelines.cli.suggested import say
from pipelines.primitives.format import counted, duration, quantity
from pipelines.primitives.text import escape_control

if TYPE_CHECKING:
    from pipelines.answers.drill import Drilled


@click.command()
@click.argument("drive", type=Listed("`tapescope ask drives` lists the drives."))
@click.option(
    "--bucket",
    default="between_files",
    show_default=True,
    help="A use of drive time (bucket) or a group of uses; `tapescope ask drive_time_buckets` lists them.",
)
@click.option("--day", type=DAY, help="Site day; default: the last day with data.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Number of intervals to show, the longest first.",
)
@site_option
def drill(drive: str, bucket: str, day: datetime | None, limit: int, site_path: Path) -> None:
    """List the longest intervals of one use of a drive's time.

    For each interval, the list shows the mount, the file, and the log lines at the start and the end. The default use
    is the time between files.
    """
    found = steps.drill(steps.site_at(site_path), drive, bucket, day.date() if day else None, limit)
    say(f"{found.drive}, {found.day} ({found.zone}): {_summary(found)}")
    groups: dict[str | None, list[dict[str, Any]]] = {}
    for row in found.intervals:
        groups.setdefault(row["session_id"], []).append(row)
    for session, rows in groups.items():
        say("")
        say(f"{_session(session, rows[0])}:")
        for row in rows:
            _interval(found, row)
    for path, why in found.unread.items():
        say("")
        say(f"{path}: {why}; for this file, only lines kept in the warehouse are shown")


def _summary(found: "Drilled") -> str:
    if not found.intervals:
        return f"the drive spent no time in “{found.words}”"
    first = found.intervals[0]
    n, shown = first["n_intervals"], len(found.intervals)
    which = f"the {shown} longest of {n}" if shown < n else f"{n}"
    return f"{duration(first['all_s'])} in “{found.words}”, {which} {'interval' if n == 1 else 'intervals'}"


def _session(session: str | None, row: dict[str, Any]) -> str:
    if session is None:
        return "no log covers this time" if row["bucket"] == "unknown" else "no tape mounted"
    return f"mount {session}: {duration(row['session_s'])} in {counted(row['session_n'], 'interval')}"


def _interval(found: "Drilled", row: dict[str, Any]) -> None:
    zone = ZoneInfo(found.zone)
    begin, end = (row[name].replace(tzinfo=UTC).astimezone(zone) for name in ("from_at", "to_at"))
    of = ""
    if row["transfer_id"]:
        size = "" if row["volume_gb"] is None else f", {quantity(row['volume_gb'], 'GB')}"
        number = "a file" if row["file_number"] is None else f"file {row['file_number']}"
        of = f", {number} of {row['volume']} ({row['mode']} for {row['station']}{size})"
    say(f"  {begin:%H:%M:%S} to {end:%H:%M:%S}  {row['bucket_words']} {duration(row['interval_s'])}{of}")
    for path, number, kept in (
        (row["path"], row["line_no"], row["message"]),
        (row["end_path"], row["end_line_no"], row["end_message"]),
    ):
        if path is not None and number is not None:
            print_log_line(path, number, found.texts.get((path, number), kept or "not kept"))


def print_log_line(path: str, number: int, text: str) -> None:
    """Print a line of a log with its place."""
    click.echo(escape_control(f"    {path}:{number}  {text}"))
