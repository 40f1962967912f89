"""Shared parts of the forecast commands: options, days of history, costs of drives."""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from pipelines.cli.lazy import files, forecast, service_time, steps
from pipelines.cli.options import DAY, Command, site_option
from pipelines.cli.suggested import say
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import no_estimate

_DAYS = click.IntRange(min=1)
_DAYS_HELP = "Number of site days of history."
_DAY_HELP = "Last site day of the history; default: the last day with data."
Past = Callable[[], Any]  # makes the History of the days that are looked at
REASONS = ("reason_missing", "data_needed")  # columns for programs; people get a sentence


def history_options(n_days: int = 28) -> Callable[[Command], Command]:
    """Options for the site and the days of history; the command receives `past`, which returns the History."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_past(site_path: Path, day: datetime | None, n_days: int, **given: Any) -> None:
            command(past=partial(history, site_path, day, n_days), **given)

        days = click.option("--days", "n_days", type=_DAYS, default=n_days, show_default=True, help=_DAYS_HELP)
        day = click.option("--day", type=DAY, help=_DAY_HELP)
        return site_option(day(days(with_past)))

    return decorate


def speed_options(command: Command) -> Command:
    """Options for the speed of a drive: a stated value, or the fit to the site's own mounts."""
    for option, text in (
        ("--speed", "Speed of a drive in MB/s, as VALUE or VALUE:LOW:HIGH."),
        (
            "--drives-like",
            "Use the speed and costs that were fitted to the site's mounts of one generation and mode, such as"
            " 'LTO-4 read'. By default, tapescope prefers generations and modes that the sizing formula fits,"
            " and takes the one with the most mounts.",
        ),
    ):
        command = click.option(option, help=text)(command)
    return command


def reasons(found: Any) -> dict[str, str | None]:
    """The reason why there is no estimate, as columns of a table."""
    pair = (found.reason, found.data_needed) if isinstance(found, NoEstimate) else (None, None)
    return dict(zip(REASONS, pair, strict=True))


def estimate(text: str, what: str) -> Any:
    """Parse an estimate, written as VALUE or VALUE:LOW:HIGH."""
    try:
        numbers = [float(part) for part in text.split(":")]
        value, low, high = numbers * 3 if len(numbers) == 1 else numbers
        if not all(map(math.isfinite, numbers)) or not low <= value <= high:
            raise ValueError("the values are not finite, or LOW <= VALUE <= HIGH does not hold")
        return Estimate(value, low, high)
    except ValueError as error:
        raise click.UsageError(
            f"write {what} as VALUE or VALUE:LOW:HIGH with LOW <= VALUE <= HIGH, not {text!r}"
        ) from error


def history(site_path: Path, day: datetime | None, n_days: int) -> Any:
    """The history of a site on the days that a command uses."""
    return forecast.History(steps.site_at(site_path), files.load_catalog(), day.date() if day else None, n_days)


def calibration(like: str | None, speed: str | None, past: Past, mode: str = "", generation: str = "") -> Any:
    """Costs fitted to the site's mounts of kind `like`, by default of the best-fitting kind; None if a speed is given.

    Costs of a given `generation` are preferred. If they are unknown, other costs and that generation's speed are used.

    Raises TapescopeError if `like` has no logs or no costs. Raises click.UsageError if no kind has costs, or if both
    `like` and a speed are given.
    """
    if like is not None and speed is not None:
        raise click.UsageError("give either --speed or --drives-like")
    if speed is not None:
        return None
    fitted = forecast.fit_site(past())
    everyone = {f"{one.generation} {one.mode}": one.found for one in fitted}
    if like is None:
        known = [one for one in fitted if not one.found.unknown and mode in ("", one.mode)]
        if not known:
            raise click.UsageError(
                "the costs of mounts cannot be fitted to this site's logs: give --speed"
                " (`tapescope forecast fit` shows the reason)"
            )
        own = [one for one in known if one.generation == generation]
        best = max(own or known, key=lambda one: (one.found.fits, one.found.n_mounts, one.generation, one.mode))
        like = f"{best.generation} {best.mode}"
        text = (
            f"Costs are those of {like} mounts at this site, fitted to {best.found.n_mounts} mounts"
            " (--speed or --drives-like change this)."
        )
        click.echo(text, err=True)
        _warn_of_misfit(best.found)
        return best.found if own or not generation else _at_speed_of(generation, mode, best.found, fitted)
    if like not in everyone:
        raise TapescopeError(f"no log shows {like!r} mounts", f"logged kinds of mounts: {', '.join(everyone)}")
    if everyone[like].unknown:
        why = "; ".join(dict.fromkeys(no_estimate(one, f"costs of {like}") for one in everyone[like].unknown.values()))
        hint = "give --speed instead of --drives-like, and write each efficiency as a number, not as FILESxMB"
        raise TapescopeError(why, hint)
    _warn_of_misfit(everyone[like])
    return everyone[like]


def _warn_of_misfit(found: Any) -> None:
    if not found.fits:
        text = "The formula does not fit these mounts, so the result is rough: see `tapescope forecast fit`."
        say(text, to_stderr=True)


def _at_speed_of(generation: str, mode: str, found: Any, fitted: list[Any]) -> Any:
    """Costs of other drives with the speed of `generation`. Raises click.UsageError if no mount shows that speed."""
    alike = (one.found for one in fitted if (one.generation, one.mode) == (generation, mode))
    speeds = [(one.n_mounts, speed) for one in alike if isinstance(speed := one.parameters["speed_mb_s"], Estimate)]
    if not speeds:
        raise click.UsageError(f"no log shows the speed of {generation} {mode} mounts: give --speed")
    ((n_mounts, speed),) = speeds
    click.echo(f"The speed is that of {generation} {mode} mounts, fitted to {n_mounts} mounts.", err=True)
    return replace(found, parameters=found.parameters | {"speed_mb_s": speed})


def stated_service(found: Any, speed: str | None, **costs: float) -> Any:
    """Cost of serving files: fitted to the site's own mounts, else from the given speed and seconds."""
    if found:
        return found.service
    try:
        return service_time.Service(estimate(speed or "", "--speed").value, **costs)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
