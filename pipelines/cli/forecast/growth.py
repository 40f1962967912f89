"""The command that projects what is written and holds it against the plans of site.toml."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from pipelines.cli.forecast.common import history, said, table
from pipelines.cli.options import DAY, site_option

_AHEAD = (0, 91, 182, 365, 730)
_WHOLE, _TB = "{:.0f}".format, "{:.2f}".format


@click.command()
@click.option("--group", default="", help="One storage group; all of them if left out.")
@click.option("--family", default="", help="One file family; all of them if left out.")
@site_option
@click.option("--day", type=DAY, help="Last site day of the history; the last day with data if left out.")
@click.option(
    "--days", "n_days", type=click.IntRange(min=1), default=728, show_default=True, help="Site days of history."
)
def growth(group: str, family: str, site_path: Path, day: datetime | None, n_days: int) -> None:
    """Project bytes written a day, by what growth a year, and hold what the archive will hold against its plans.

    By what the site's logs, or the accounting, say was written each day; every [[plan]] of site.toml.
    """
    from pipelines.analysis.forecast import held, outlooks, written
    from pipelines.analysis.models.calibration import Unknown

    past = history(site_path, day, n_days)
    found = written(past, group, family, n_days)
    now = held(past, found.last_day, group, family)
    click.echo(f"{_holds(now)} at the end of {found.last_day}; days of which logs tell: {found.n_days}.")
    if isinstance(found.growth, Unknown):
        click.echo(f"What will be written cannot be told: {found.growth.why}. Wanted: {found.growth.wanted}.")
    else:
        _say_growth(found.growth)
        _say_ahead(found.growth, now.held_tb)
    for one in outlooks(past, n_days):
        _say_plan(one)
    if not past.site.plan:
        click.echo("site.toml declares no plan: add [[plan]] with by and holdings_tb, e.g. by = 2012-01-01.")


def _holds(now: Any) -> str:
    if now.is_whole:
        return (
            f"{now.held_tb:.2f} TB on tape, by an export of volumes up to {now.listed_at:%Y-%m-%d} and what followed,"
        )
    return f"{now.held_tb:.2f} TB seen being written (no export of volumes tells what was there before)"


def _say_growth(found: Any) -> None:
    from pipelines.analysis.models.calibration import Unknown

    factor, double = found.factor_year, found.double_days
    if isinstance(factor, Unknown):
        click.echo(f"Growth cannot be told: {factor.why}. Wanted: {factor.wanted}.")
        click.echo("What follows takes the mean of the days seen to go on, without growth.")
        return
    unsure = "; that it does not grow at all is possible" if factor.low <= 1 <= factor.high else ""
    click.echo(f"What is written grows by a factor of {said(factor, _TB)} a year{unsure}.")
    if factor.low > 1:
        click.echo(f"It doubles in {said(double, _WHOLE)} days.")


def _say_ahead(found: Any, held_tb: float) -> None:
    from pipelines.analysis.models.calibration import Unknown

    rows = []
    for days in (ahead for ahead in _AHEAD if ahead <= found.reach_days):
        amount = found.written(days)
        ends = [f"{held_tb + gb / 1000:.2f}" for gb in (amount.value, amount.low, amount.high)]
        rows.append((str(days), said(found.rate(days), _WHOLE), f"{ends[0]} ({ends[1]} to {ends[2]})"))
    table(("days ahead", "GB a day", "TB held then"), rows)
    if isinstance(further := found.rate(_AHEAD[-1]), Unknown):
        click.echo(f"{further.why}: that cannot be told. Wanted: {further.wanted}.")


def _say_plan(one: Any) -> None:
    from pipelines.analysis.models.calibration import Unknown
    from pipelines.primitives.text import escape_control

    click.echo(escape_control(f"Plan {one.plan.name}: {_holds(one.held)} at the end of {one.written.last_day}."))
    if isinstance(one.holdings_tb, Unknown):
        click.echo(f"  Whether it is met cannot be told: {one.holdings_tb.why}. Wanted: {one.holdings_tb.wanted}.")
    else:
        of = ", without growth" if isinstance(one.written.growth.factor_year, Unknown) else ""
        click.echo(f"  {said(one.holdings_tb, _TB)} TB by then{of}: it is met with {one.chance:.0%}.")
    if not one.held.is_whole:
        click.echo("  What was there before the logs begin is not in it: so much at least.")
    if one.held.held_tb >= one.plan.holdings_tb:
        return
    if isinstance(one.days_left, Unknown):
        if not isinstance(one.holdings_tb, Unknown):
            click.echo(f"  Its size is reached {one.days_left.why}.")
        return
    ends = [one.days_left.value, one.days_left.low, one.days_left.high]
    value, low, high = (str(one.day_of(days) or "never") for days in ends)
    click.echo(f"  Its size is reached on {value}, 90 % between {low} and {high}.")
