"""The commands about what would be: costs fitted to the site's mounts, drives needed, recalls, what-if, campaigns."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from pipelines.forecast_words import (
    calibration,
    estimate,
    fitted,
    history_options,
    said,
    speed_options,
    stated_service,
    table,
)
from pipelines.options import site_option


@click.group()
def forecast() -> None:
    """Fit models to the site's history; ask what would be needed, how long it would take, what if."""


@forecast.command()
@site_option
@history_options
def fit(site_path: Path, day: datetime | None, n_days: int) -> None:
    """Fit the sizing formula to the site's mounts: what a mount, a file, a search and a megabyte cost."""
    from pipelines.models.calibration import Unknown, check
    from pipelines.models.service_time import Service

    everyone = fitted(site_path, day, n_days)
    heads = ("drives", "mounts", "speed MB/s", "mount s", "file s", "seek s", "error", "R2", "drift a week")
    rows = []
    for one in everyone:
        found = one.found
        costs = [said(found.parameters[name]) for name in ("speed_mb_s", "mount_s", "file_s", "seek_s")]
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


_ABOVE_0 = click.FloatRange(min=0, min_open=True)
_TRAFFIC = "NAME=MB/S,FACTOR,EFFICIENCY"


@forecast.command()
@click.option("--traffic", "classes", multiple=True, required=True, metavar=_TRAFFIC, help="Once for each class.")
@click.option("--availability", default="1", show_default=True, help="Share of time a drive can be used.")
@speed_options
@site_option
@history_options
def drives(
    classes: tuple[str, ...],
    availability: str,
    speed: str | None,
    drives_like: str | None,
    site_path: Path,
    day: datetime | None,
    n_days: int,
) -> None:
    """Reckon the drives that classes of traffic need, how sure that is, and what it hangs on.

    Every number may be VALUE or VALUE:LOW:HIGH, the ends of a 90 % interval. With --drives-like an efficiency may be
    FILESxMB: that of mounts of so many files of such a size, by the site's own costs.
    """
    from pipelines.models.sizing import drives_needed

    found = calibration(drives_like, site_path, day, n_days)
    if (found is None) == (speed is None):
        raise click.UsageError("give either --speed or --drives-like")
    rate = estimate(speed, "--speed") if speed else found.parameters["speed_mb_s"]
    try:
        traffic = [_class(text, found) for text in classes]
        needed = drives_needed(traffic, rate, estimate(availability, "--availability"))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    low, high = needed.drives.low, needed.drives.high
    click.echo(f"{needed.whole} drives (reckoned {needed.drives.value:.1f}, 90 %: {low:.1f} to {high:.1f})")
    table(("class", "drives"), [(name, f"{n:.1f}") for name, n in needed.of_class.items()])
    if needed.tornado:
        click.echo("What it hangs on, each alone at its low and at its high end:")
        table(("input", "at low", "at high"), [(n, f"{a:.1f}", f"{b:.1f}") for n, a, b in needed.tornado])


def _class(text: str, found: Any) -> Any:
    from pipelines.methods.bootstrap import Estimate
    from pipelines.models.sizing import Traffic

    name, _, numbers = text.partition("=")
    parts = numbers.split(",")
    if not name or len(parts) != 3:
        raise click.UsageError(f"a class of traffic is {_TRAFFIC}, not {text!r}")
    if mount := re.fullmatch(r"(\d+)x(\d+)", parts[2]):
        if found is None:
            raise click.UsageError("an efficiency as FILESxMB needs --drives-like")
        rate, best = found.rate(int(mount[1]), int(mount[2])), found.parameters["speed_mb_s"].value
        efficiency = Estimate(*(min(1.0, end / best) for end in (rate.value, rate.low, rate.high)))
    else:
        efficiency = estimate(parts[2], f"{_TRAFFIC}: the efficiency")
    wanted, factor = (estimate(part, f"{_TRAFFIC}: a number") for part in parts[:2])
    return Traffic(name, wanted, factor, efficiency)


@forecast.command()
@speed_options
@click.option("--efficiency", type=_ABOVE_0, default=0.5, show_default=True, help="Share of the speed to come to.")
@click.option("--files", "n_files", type=_ABOVE_0, default=10.0, show_default=True, help="Files a mount.")
@click.option("--file-mb", type=_ABOVE_0, default=1000.0, show_default=True, help="Size of a file in MB.")
@click.option(
    "--outage-hours", type=_ABOVE_0, default=1.0, show_default=True, help="Outage of tape a buffer should bear."
)
@site_option
@history_options
def sizes(
    speed: str | None,
    drives_like: str | None,
    efficiency: float,
    n_files: float,
    file_mb: float,
    outage_hours: float,
    site_path: Path,
    day: datetime | None,
    n_days: int,
) -> None:
    """Ask the formula the other way round: sizes of files, mounts, chunks and buffers for an efficiency."""
    from pipelines.models import sizing

    service = stated_service(calibration(drives_like, site_path, day, n_days), speed)
    rate = efficiency * service.speed_mb_s
    size, chunk = sizing.file_size_for_efficiency, sizing.chunk_for_efficiency
    asked: list[tuple[str, Callable[[], str]]] = [
        (f"file size at {n_files:g} files a mount", lambda: f"{size(service, efficiency, n_files):.0f} MB"),
        ("file size at endless mounts", lambda: f"{size(service, efficiency):.0f} MB"),
        (f"files of {file_mb:g} MB a mount", lambda: f"{sizing.files_per_mount_for(service, rate, file_mb):.1f} files"),
        (f"chunk of {file_mb:g} MB files", lambda: f"{chunk(service, efficiency, file_mb) / 1000:.1f} GB"),
        (f"buffer for {outage_hours:g} h of one drive", lambda: f"{service.speed_mb_s * 3.6 * outage_hours:.0f} GB"),
    ]
    click.echo(f"For {efficiency:.0%} of {service.speed_mb_s:.1f} MB/s, {rate:.1f} MB/s a drive:")
    table(("what", "must be at least"), [(name, _answer(reckon)) for name, reckon in asked])


def _answer(reckon: Callable[[], str]) -> str:
    """What cannot be is said so instead of a number."""
    try:
        return reckon()
    except ValueError as error:
        return f"cannot be: {error}"


@forecast.command()
@click.argument("volume")
@click.argument("files")
@click.option("--generation", help="Kind of drive, where no log tells it.")
@click.option("--mount-s", default=120.0, show_default=True, help="Seconds a mount takes.")
@click.option("--file-s", default=4.4, show_default=True, help="Seconds a file takes besides its data and its search.")
@speed_options
@site_option
@history_options
def recall(
    volume: str,
    files: str,
    generation: str | None,
    mount_s: float,
    file_s: float,
    speed: str | None,
    drives_like: str | None,
    site_path: Path,
    day: datetime | None,
    n_days: int,
) -> None:
    """Foretell the reading of FILES (numbers such as 3,17,20-40) of a tape, in three orders, and of all of it."""
    from pipelines import forecast as forecasting
    from pipelines import steps
    from pipelines.catalog import load_catalog

    found = calibration(drives_like, site_path, day, n_days)
    service = stated_service(found, speed, mount_s=mount_s, file_s=file_s)
    site = steps.site_at(site_path)
    told = forecasting.foretell(site, load_catalog(), volume, _numbers(files), service, generation)
    rows = [(name, _hours(one.seconds), f"{one.seek_s / 60:.1f}") for name, one in told.orders.items()]
    table(("order", "hours", "minutes of seeks"), [*rows, ("whole tape", f"{told.whole_s / 3600:.2f}", "0.0")])
    model = told.model
    basis = (
        f"{model.n_mounts} mounts of {told.generation} here" if model.n_mounts else "no mount here: the published one"
    )
    click.echo(f"Seeks: {said(model.factor, '{:.2f}'.format)} times the published cost model, by {basis}.")
    if told.n_lacking:
        click.echo(f"{told.n_lacking} files of the tape are not known: places behind them are further along than told.")
    shares = f"as they come {_percent(told.break_even)}, in the order of places {_percent(told.break_even_in_order)}"
    click.echo(f"Asked are {told.share:.1%} of its files. Reading all is quicker from this share on: {shares}.")
    best = told.orders["optimised"]
    click.echo("Order: " + ",".join(map(str, best.numbers)))


def _numbers(text: str) -> list[int]:
    """3,17,20-40 as numbers, in that order."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part.strip())
        if not ends or not 0 <= int(ends[2] or ends[1]) - int(ends[1]) < 1_000_000:
            raise click.UsageError(f"files are numbers such as 3,17,20-40, not {part!r}")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    if len(set(found)) < len(found):
        raise click.UsageError("a file is listed twice")
    return found


def _hours(seconds: Any) -> str:
    return said(seconds.times(1 / 3600), "{:.2f}".format)


def _percent(share: Any) -> str:
    return "never" if share.value == 1 else said(share, "{:.0%}".format)


def _number_of_drives(_: Any, __: Any, texts: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for text in texts:
        kind, _, number = text.rpartition("=")
        if not kind or not number.isdigit():
            raise click.BadParameter(f"give KIND=NUMBER, such as LTO-4=6, not {text!r}")
        found[kind] = int(number)
    return found


@forecast.command()
@click.option("--drives", multiple=True, callback=_number_of_drives, help="KIND=NUMBER: so many drives of a kind.")
@click.option("--gap", "gap_s", type=float, help="Upper end of the dialogue between two files, in seconds.")
@click.option("--faster", "speed", default=1.0, help="Factor on the speed of all drives.")
@click.option("--depth", default=1, help="Requests a client keeps queued.")
@click.option("--instances", default=1, help="Instances at a station, each with --inputs and --outputs.")
@click.option("--inputs", type=int, help="Mounts an instance reads from at once.")
@click.option("--outputs", type=int, help="Mounts an instance writes to at once.")
@click.option("--disk", "disk_mb_s", type=float, help="What a station's disks bear, in and out together, MB/s.")
@click.option("--link", "link_mb_s", type=float, help="What a station's link bears in each direction, MB/s.")
@click.option("--chunk", "chunk_gb", type=float, help="GB collected before a mount that writes.")
@click.option("--at-once", is_flag=True, help="All mounts asked for at the beginning: drives never lack work.")
@click.option("--writes-wait-for-reads", is_flag=True, help="A station writes no more than it has read.")
@site_option
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), help="Last site day of the history.")
@click.option(
    "--days", "n_days", type=click.IntRange(min=1), default=7, show_default=True, help="Site days of history."
)
def whatif(site_path: Path, day: datetime | None, n_days: int, **changes: Any) -> None:
    """Run the recorded days again with changes; the answer is withheld where the replay is more than 10 % off."""
    from pipelines import forecast as forecasting
    from pipelines import steps
    from pipelines.catalog import load_catalog
    from pipelines.models.simulation import Changes

    site = steps.site_at(site_path)
    try:
        made = Changes(**changes)
        answer = forecasting.what_if(site, load_catalog(), made, day.date() if day else None, n_days)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    runs = {"recorded": answer.record.recorded, "again": answer.replayed}
    if answer.changed and made != Changes():
        runs["changed"] = answer.changed
    rows = [
        (name, " ".join(key), str(use.n_mounts), f"{use.moved_mb / 1e6:.2f}", *_use(use))
        for key in answer.record.uses
        for name, run in runs.items()
        if (use := run.uses.get(key))
    ]
    table(("run", "drives", "mounts", "TB", "drive-hours", "MB/s a drive", "hours waited", "ended after h"), rows)
    click.echo(f"The replay is {answer.error:.1%} off, most in the {answer.what}.")
    if answer.changed is None:
        click.echo("That is more than 10 %: what the change would bring is withheld.")
    elif answer.changed.n_stuck:
        click.echo(f"{answer.changed.n_stuck} mounts never ended: they waited for data that nobody read.")


def _use(use: Any) -> tuple[str, ...]:
    hours = [f"{seconds / 3600:.2f}" for seconds in (use.busy_s, use.waited_s, use.ended_s)]
    return (hours[0], f"{use.rate_mb_s:.1f}", *hours[1:])


@forecast.command()
@site_option
@history_options
def campaign(site_path: Path, day: datetime | None, n_days: int) -> None:
    """Tell how far the campaigns of site.toml are, when they will be done, and what would move that most."""
    from pipelines import forecast as forecasting
    from pipelines import steps
    from pipelines.catalog import load_catalog
    from pipelines.hostile import visible
    from pipelines.models.calibration import Unknown

    site = steps.site_at(site_path)
    everyone = forecasting.progress(site, load_catalog(), day.date() if day else None, n_days)
    for one in everyone:
        done = f"{one.done_gb / 1000:.2f} of {one.size_gb / 1000:g} TB until {one.last_day}"
        rate = f"; a drive at work moves {one.rate_mb_s:.1f} MB/s" if one.rate_mb_s else ""
        click.echo(visible(f"{one.name}: {done}, {one.left_gb / 1000:.2f} TB left{rate}."))
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
    for planned in site.campaign:
        if planned.name not in {one.name for one in everyone}:
            click.echo(visible(f"{planned.name}: no log tells of a day since it begins, {planned.begin}."))


@forecast.command()
def roadmap() -> None:
    """Show what drives are sold as, what a wrap holds, and how long a cartridge takes to fill."""
    from pipelines.models import technology

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
