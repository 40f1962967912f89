"""Commands of `forecast` about what would be: a recall not made yet, and the recorded days run again with changes."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from pipelines.cli.forecast.common import (
    calibration,
    history,
    history_options,
    said,
    speed_options,
    stated_service,
    table,
)
from pipelines.cli.options import DAY, site_option


@click.command()
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
    """Foretell the reading of FILES (numbers such as 3,17,20-40) of a tape, in three orders, and of all of it.

    `together`: had these files lain side by side on a tape of their own, as another organisation of families would.
    """
    from pipelines.analysis.forecast import foretell

    found = calibration(drives_like, speed, site_path, day, n_days, "read")
    service = stated_service(found, speed, mount_s=mount_s, file_s=file_s)
    told = foretell(history(site_path, day, n_days), volume, _numbers(files), service, generation)
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


@click.command()
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
@click.option("--day", type=DAY, help="Last site day of the history.")
@click.option(
    "--days", "n_days", type=click.IntRange(min=1), default=7, show_default=True, help="Site days of history."
)
def whatif(site_path: Path, day: datetime | None, n_days: int, **changes: Any) -> None:
    """Run the recorded days again with changes; the answer is withheld where the replay is more than 10 % off.

    Several changes are also run each alone: what is done soonest stands first, what drives cannot keep up with last.
    """
    from pipelines.analysis.forecast import what_if
    from pipelines.analysis.models.simulation import Changes

    try:
        made = Changes(**changes)
        answer = what_if(history(site_path, day, n_days), made)
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
    elif made != Changes():
        _side_by_side(answer, made)


def _side_by_side(answer: Any, changes: Any) -> None:
    """The change and each part of it alone against the replay, what is done soonest first."""
    from pipelines.analysis.forecast import UNCHANGED, described, ranked
    from pipelines.analysis.models.simulation import simulate

    work, alone = answer.record.work, changes.alone()
    runs = [(changes, answer.changed), *((one, simulate(work, one)) for one in alone if alone != [changes])]
    listed = ranked(work, answer.replayed, runs)
    rows = [
        (one.name, *(f"{hours:.2f}" for hours in (one.done_h, one.waited_h, one.ended_h, one.busy_h)), _keeps_up(one))
        for one in listed
    ]
    click.echo("")
    table(("scenario", "done after h", "hours waited", "ended after h", "drive-hours", "keeps up"), rows)
    everything = {one.name: one for one in listed}
    made = everything[described(changes)]
    if made.hindrance:
        click.echo(f"Cannot go on like this: {made.hindrance}.")
    click.echo(made.against(everything[UNCHANGED]))


def _keeps_up(one: Any) -> str:
    return "no" if one.hindrance else "yes"


def _use(use: Any) -> tuple[str, ...]:
    hours = [f"{seconds / 3600:.2f}" for seconds in (use.busy_s, use.waited_s, use.ended_s)]
    return (hours[0], f"{use.rate_mb_s:.1f}", *hours[1:])
