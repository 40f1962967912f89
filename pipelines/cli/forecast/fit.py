"""Commands that fit costs to the site's mounts, follow campaigns, and list published figures of drives."""

from collections.abc import Iterator
from typing import Any

import click

from pipelines.cli.forecast.common import REASONS, Past, history_options, reasons
from pipelines.cli.lazy import calibration, forecast, service_time, technology
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, quantity


@click.command()
@history_options()
@format_option
def fit(past: Past, form: str) -> None:
    """Fit the sizing formula to the site's mounts. The fit gives seconds per mount, file and seek, and MB/s."""
    everyone = forecast.fit_site(past())
    notes = [
        "Values in brackets are 90 % intervals. error_share is the median error: for half of the mounts, the measured"
        " time differs from the formula's time by at most this share of the formula's time."
    ]
    notes += [f"{one.generation} {one.mode}: {note}." for one in everyone for note in _notes(one)]
    print_parts([Rows("costs", [_costs(one) for one in everyone], REASONS), *notes], form)


def _costs(one: Any) -> dict[str, Any]:
    found = one.found
    row: dict[str, Any] = {"drives": f"{one.generation} {one.mode}", "n_mounts": found.n_mounts}
    for name in calibration.UNITS:
        row |= found.parameters[name].columns(name)
    row |= {"error_share": found.median_error, "r2": found.r_squared} | found.drift_week.columns("drift_week_share")
    return row | reasons(next(iter(found.unknown.values()), None))


def _notes(one: Any) -> Iterator[str]:
    for unknown in dict.fromkeys(one.found.unknown.values()):
        yield no_estimate(unknown)
    if not one.found.unknown and not one.found.fits:
        yield "the formula does not fit these mounts; forecasts based on the formula are rough"
    if not one.found.unknown and isinstance(one.found.drift_week, NoEstimate):
        yield no_estimate(one.found.drift_week, "drift")
    if not isinstance(speed := one.found.parameters["speed_mb_s"], NoEstimate):
        stated = service_time.check(service_time.Service(speed.value), one.mounts)
        yield f"with 120 s per mount and 4.4 s per file, as in CERN's sizing note, {stated.summary}"


@click.command()
@history_options()
@format_option
def campaign(past: Past, form: str) -> None:
    """Show progress and estimated end of site.toml's campaigns.

    Also list changes that would end a campaign sooner.
    """
    history = past()
    everyone = forecast.progress(history)
    notes = [f"{one.name}: {note}." for one in everyone for note in _campaign_notes(one)]
    known = {one.name for one in everyone}
    notes += [
        f"{planned.name}: no log covers any day since the campaign started on {planned.begin}."
        for planned in history.site.campaign
        if planned.name not in known
    ]
    print_parts([Rows("campaigns", [_campaign(one) for one in everyone], REASONS), *notes], form)


def _campaign(one: Any) -> dict[str, Any]:
    row = {
        "campaign": one.name,
        "last_day": one.last_day,
        "done_tb": one.done_gb / 1000,
        "size_tb": one.size_gb / 1000,
        "left_tb": one.left_gb / 1000,
        "drive_rate_mb_s": one.rate_mb_s,
        "n_days_lacking": one.n_days_lacking,
    }
    end, done = one.end, dict.fromkeys(("done_day", "done_day_low", "done_day_high"))
    if isinstance(end, NoEstimate):
        return {**row, **end.columns("moved_gb_day"), **one.left_days.columns("left_days"), **done, **reasons(end)}
    days = zip(done, (end.days.value, end.days.low, end.days.high), strict=True)
    dates = (
        {name: str(one.day_after(n_days) or "after the year 9999") for name, n_days in days} if one.left_gb else done
    )
    return {**row, **end.gb_day.columns("moved_gb_day"), **one.left_days.columns("left_days"), **dates, **reasons(end)}


def _campaign_notes(one: Any) -> Iterator[str]:
    if one.n_days_lacking:
        yield (
            f"days without logs since the start of the campaign: {one.n_days_lacking}; data moved on such days is not"
            " counted"
        )
    if not one.left_gb:
        yield "the campaign is complete"
        return
    if isinstance(one.end, NoEstimate):
        yield no_estimate(one.end, "the end of the campaign")
        return
    yield f"the end is estimated from the data moved on {one.end.n_days} days"
    for lever in one.end.levers:
        sooner = quantity(one.end.days.value - lever.days, "d")
        moved = quantity(lever.gb_day, "GB/day")
        yield f"with the change “{lever.name}”, the campaign would move {moved} and end {sooner} sooner"


@click.command()
@format_option
def roadmap(form: str) -> None:
    """Show published figures of drive generations. These are capacity, rate, wrap size and time to fill a tape."""
    rows = [
        {
            "drive": row.name,
            "year": str(row.year),
            "capacity_gb": row.capacity_gb,
            "native_mb_s": row.native_mb_s,
            "n_wraps": row.wraps,
            "wrap_gb": row.wrap_gb,
            "fill_hours": row.fill_hours,
            "source": row.source,
        }
        for row in technology.technologies().values()
    ]
    print_parts([Rows("drives", rows), *map(_promised, technology.promises())], form)


def _promised(promise: Any) -> str:
    sold = technology.drive(promise.name)
    return (
        f"{promise.name} was announced with {promise.capacity_gb:g} GB at {promise.native_mb_s:g} MB/s"
        f" ({quantity(promise.fill_hours, 'h')} to fill), and sold with {sold.capacity_gb:g}"
        f" GB at {sold.native_mb_s:g} MB/s"
        f" ({quantity(sold.fill_hours, 'h')} to fill)."
    )
