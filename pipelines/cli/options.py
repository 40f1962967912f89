"""Options that commands share."""

import math
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from pipelines.cli.suggested import remember_site

Command = Callable[..., Any]


class Finite(click.FloatRange):
    """A number within bounds; Python reads `nan` and `inf` as numbers too, and no bound refuses `nan`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Listed(click.types.StringParamType):
    """A name; where it is missing, the message names the command that lists what can be given."""

    def __init__(self, hint: str) -> None:
        self._hint = hint

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return self._hint


class _Day(click.DateTime):
    """A day. A year near either end of the calendar is refused: periods also need days before and after."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        day = super().convert(value, param, ctx)
        if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            self.fail(f"{day.date()} is outside the years {_FIRST_YEAR} to {_LAST_YEAR}", param, ctx)
        return day


_FIRST_YEAR, _LAST_YEAR = 1900, 9998
DAY = _Day(["%Y-%m-%d"])


site_option = click.option(
    "--site",
    "site_path",
    envvar="TAPESCOPE_SITE",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="site.toml in the current folder",
    callback=remember_site,
    help="The site.toml of the archive, or the folder with it.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of parallel processes; default: `workers` of site.toml, or one for each core.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="A table for people, or CSV or JSON for programs.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")


def period_options(command: Command) -> Command:
    """Options for the days of a command; `period` returns the first and the last day."""
    for name, text in (("--to", "Last site day."), ("--from", "First site day."), ("--day", "One site day.")):
        command = click.option(name, f"{name.strip('-')}_day", type=DAY, help=text)(command)
    return command


def period(day: datetime | None, begin: datetime | None, end: datetime | None) -> tuple[date | None, date | None]:
    """The first and last day, None if not given. Raises click.UsageError if options contradict each other."""
    if day and (begin or end):
        raise click.UsageError("give either --day, or --from and --to")
    first, last = (day, day) if day else (begin, end)
    if first and last and first > last:
        raise click.UsageError("--from must not be after --to")
    return first.date() if first else None, last.date() if last else None


def as_params(first: date | None, last: date | None) -> dict[str, str]:
    """First and last day as parameters of a question."""
    values = {"first_day": first, "last_day": last}
    return {name: str(value) for name, value in values.items() if value}
