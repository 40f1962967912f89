"""Options that commands share."""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]

DAY = click.DateTime(["%Y-%m-%d"])


def site_option(command: Command) -> Command:
    """Which site a command is about."""
    return click.option(
        "--site",
        "site_path",
        envvar="TAPESCOPE_SITE",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default="site.toml in this folder",
        help="site.toml, or its folder.",
    )(command)


def workers_option(command: Command) -> Command:
    """How many processes read logs."""
    text = "Processes that read logs, where there is much to read: by default those of site.toml, or one for each core."
    return click.option("--workers", type=click.IntRange(min=1), help=text)(command)


def period_options(command: Command) -> Command:
    """Which days a command is about; `period` resolves them to a first and a last day."""
    for name, text in (("--to", "Last site day."), ("--from", "First site day."), ("--day", "One site day.")):
        command = click.option(name, f"{name.strip('-')}_day", type=DAY, help=text)(command)
    return command


def period(day: datetime | None, begin: datetime | None, end: datetime | None) -> tuple[date | None, date | None]:
    """First and last day, None for an end that is not given. Raises click.UsageError if the options contradict."""
    if day and (begin or end):
        raise click.UsageError("give --day, or --from and --to, not both")
    first, last = (day, day) if day else (begin, end)
    if first and last and first > last:
        raise click.UsageError("--from must not be after --to")
    return first.date() if first else None, last.date() if last else None


def as_params(first: date | None, last: date | None) -> dict[str, str]:
    """The same as parameters of a question."""
    values = {"first_day": first, "last_day": last}
    return {name: str(value) for name, value in values.items() if value}


def format_option(command: Command) -> Command:
    """For people, or for programs."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "csv", "json"]),
        default="table",
        show_default=True,
        help="A table for people, or CSV or JSON for programs.",
    )(command)


def json_option(command: Command) -> Command:
    """The counts of a step as JSON, for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")(command)


def load_site(site_path: Path) -> Any:
    """The site that a command is about. Raises ConfigError."""
    from pipelines import steps

    return steps.site_at(site_path)
