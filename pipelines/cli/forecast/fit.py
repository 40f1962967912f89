"""The commands about what would be: costs fitted to the site's mounts, drives needed, recalls, what-if, campaigns."""

from datetime import datetime
from pathlib import Path

import click

from pipelines.cli.forecast.common import history, history_options, said, table
from pipelines.cli.options import site_option


@click.command()
@site_option
@history_options
def fit(site_path: Path, day: datetime | None, n_days: int) -> None:
    """Fit the sizing formula to the site's mounts: what a mount, a file, a search and a megabyte cost."""
    from pipelines.analysis.forecast import fit_site
    from pipelines.analysis.models.calibration import UNITS, Unknown, check
    from pipelines.analysis.models.service_time import Service

    everyone = fit_site(history(site_path, day, n_days))
    heads = ("drives", "mounts", "speed MB/s", "mount s", "file s", "seek s", "error", "R2", "drift a week")
    rows = []
    for one in everyone:
        found = one.found
        costs = [said(found.parameters[name]) for name in UNITS]
        error = "" if found.median_error is None else f"{found.median_error:.1%}"
        fits = "" if found.r_squared is None else f"{found.r_squared:.3f}"
        drift = said(found.drift_week, "{:+.1%}".format)
        rows.append((f"{one.generation} {one.mode}", str(found.n_mounts), *costs, error, fits, drift))
    table(heads, rows)
    click.echo("In brackets 90 % intervals; error: median error of the time of a mount.")
    for one in everyone:
        for unknown in dict.fromkeys(one.found.unknown.values()):
            click.echo(f"{one.generation} {one.mode}: {unknown.why}. Wanted: {unknown.wanted}.")
        if not one.found.unknown and not one.found.fits:
            click.echo(
                f"{one.generation} {one.mode}: the formula does not fit these mounts; forecasts of it are rough."
            )
        if not one.found.unknown and isinstance(one.found.drift_week, Unknown):
            click.echo(f"{one.generation} {one.mode}: drift cannot be told, {one.found.drift_week.why}.")
        if not isinstance(speed := one.found.parameters["speed_mb_s"], Unknown):
            stated = check(Service(speed.value), one.mounts)
            click.echo(
                f"{one.generation} {one.mode}, with the sizing note's 120 s a mount and 4.4 s a file: {stated.said}."
            )


@click.command()
@site_option
@history_options
def campaign(site_path: Path, day: datetime | None, n_days: int) -> None:
    """Tell how far the campaigns of site.toml are, when they will be done, and what would move that most."""
    from pipelines.analysis.forecast import progress
    from pipelines.analysis.models.calibration import Unknown
    from pipelines.primitives.text import escape_control

    past = history(site_path, day, n_days)
    everyone = progress(past)
    for one in everyone:
        done = f"{one.done_gb / 1000:.2f} of {one.size_gb / 1000:g} TB until {one.last_day}"
        rate = f"; a drive at work moves {one.rate_mb_s:.1f} MB/s" if one.rate_mb_s else ""
        click.echo(escape_control(f"{one.name}: {done}, {one.left_gb / 1000:.2f} TB left{rate}."))
        if one.n_days_lacking:
            click.echo(f"  {one.n_days_lacking} days since it began have no logs: what moved then is not counted.")
        if isinstance(one.end, Unknown):
            click.echo(f"  When it ends cannot be told: {one.end.why}. Wanted: {one.end.wanted}.")
            continue
        click.echo(f"  {said(one.end.gb_day, '{:.0f}'.format)} GB a day, by {one.end.n_days} days.")
        ends = [one.end.days.value, one.end.days.low, one.end.days.high]
        dates = [str(one.day_after(days) or "beyond the calendar") for days in ends]
        click.echo(f"  Done in {said(one.end.days)} days: {dates[0]}, 90 % between {dates[1]} and {dates[2]}.")
        for lever in one.end.levers:
            saved = one.end.days.value - lever.days
            click.echo(f"  {lever.name}: {lever.gb_day:.0f} GB a day, {saved:.1f} days sooner.")
    for planned in past.site.campaign:
        if planned.name not in {one.name for one in everyone}:
            click.echo(escape_control(f"{planned.name}: no log tells of a day since it begins, {planned.begin}."))


@click.command()
def roadmap() -> None:
    """Show what drives are sold as, what a wrap holds, and how long a cartridge takes to fill."""
    from pipelines.config import technology

    heads = ("drive", "year", "GB", "MB/s", "wraps", "GB/wrap", "fill h", "source")
    rows = [
        (
            row.name,
            str(row.year),
            f"{row.capacity_gb:g}",
            f"{row.native_mb_s:g}",
            str(row.wraps or ""),
            f"{row.wrap_gb:.2f}" if row.wrap_gb else "",
            f"{row.fill_hours:.2f}",
            row.source,
        )
        for row in technology.technologies().values()
    ]
    table(heads, rows)
    for promise in technology.promises():
        sold = technology.drive(promise.name)
        click.echo(
            f"{promise.name} was promised with {promise.capacity_gb:g} GB at {promise.native_mb_s:g} MB/s"
            f" ({promise.fill_hours:.2f} h to fill), sold with {sold.capacity_gb:g} at {sold.native_mb_s:g}"
            f" ({sold.fill_hours:.2f} h)."
        )
