"""The commands of `forecast` that compute how many drives traffic needs, and how large files and mounts must be."""

import re
from collections.abc import Callable
from typing import Any

import click

from pipelines.cli.forecast.common import Past, calibration, estimate, history_options, speed_options, stated_service
from pipelines.cli.lazy import sizing
from pipelines.cli.options import Finite, format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.format import counted, interval, percent, quantity

_ABOVE_0 = Finite(min=0, min_open=True)
_TRAFFIC = "NAME=MB/S,FACTOR,EFFICIENCY"


@click.command()
@click.option(
    "--traffic",
    "classes",
    multiple=True,
    required=True,
    metavar=_TRAFFIC,
    help="One class of traffic: its rate, a factor for backlogs and peaks, and the efficiency of its drives. Can be"
    " given several times.",
)
@click.option("--availability", default="1", show_default=True, help="Share of time in which a drive can be used.")
@speed_options
@history_options()
@format_option
def drives(
    classes: tuple[str, ...],
    availability: str,
    speed: str | None,
    drives_like: str | None,
    past: Past,
    form: str,
) -> None:
    """Compute the number of drives that traffic needs. The answer has an interval, and shows which inputs matter most.

    Write every number as VALUE or VALUE:LOW:HIGH, where LOW and HIGH are the ends of a 90 % interval. Without --speed,
    an efficiency may also be FILESxMB: a mount moves FILES files of MB megabytes each. The command then computes the
    efficiency of such mounts from the site's costs.
    """
    found = calibration(drives_like, speed, past)
    rate = estimate(speed, "--speed") if speed else found.parameters["speed_mb_s"]
    try:
        traffic = [_class(text, found) for text in classes]
        if len({one.name for one in traffic}) < len(traffic):
            raise click.UsageError("two classes of traffic have the same name")
        needed = sizing.drives_needed(traffic, rate, estimate(availability, "--availability"))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    rows: list[dict[str, Any]] = [{"class": "all", "n_whole": needed.whole} | needed.drives.columns("needed_drives")]
    rows += [{"class": name, "needed_drives": n} for name, n in needed.of_class.items()]
    inputs = [
        {"input": name, "at_low_end_drives": low, "at_high_end_drives": high} for name, low, high in needed.tornado
    ]
    head = f"{counted(needed.whole, 'drive')}: {interval(needed.drives, 'drives')}, 90 % interval"
    sensitivity = (
        ["Sensitivity of the number of drives (one input at a time is set to either end of its interval):"]
        if inputs
        else []
    )
    print_parts([head, Rows("drives", rows), *sensitivity, Rows("sensitivity", inputs)], form)


def _class(text: str, found: Any) -> Any:
    name, _, numbers = text.partition("=")
    parts = numbers.split(",")
    if not name or len(parts) != 3:
        raise click.UsageError(f"write a class of traffic as {_TRAFFIC}, not {text!r}")
    if mount := re.fullmatch(r"(\d+)x(\d+)", parts[2]):
        if found is None:
            raise click.UsageError("with --speed, an efficiency cannot be FILESxMB: give --drives-like instead")
        efficiency = sizing.share(found.efficiency(int(mount[1]), int(mount[2])))
    else:
        efficiency = estimate(parts[2], f"{_TRAFFIC}: the efficiency")
    rate, factor = (estimate(part, f"{_TRAFFIC}: a number") for part in parts[:2])
    return sizing.Traffic(name, rate, factor, efficiency)


@click.command()
@speed_options
@click.option(
    "--efficiency",
    type=Finite(min=0, max=1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="Efficiency to reach, as a share of the drive rate.",
)
@click.option("--files", "n_files", type=_ABOVE_0, default=10.0, show_default=True, help="Number of files per mount.")
@click.option("--file-mb", type=_ABOVE_0, default=1000.0, show_default=True, help="Size of a file in MB.")
@click.option(
    "--outage-hours",
    type=_ABOVE_0,
    default=1.0,
    show_default=True,
    help="Length of a tape outage that a buffer must cover, in hours.",
)
@history_options()
@format_option
def sizes(
    speed: str | None,
    drives_like: str | None,
    efficiency: float,
    n_files: float,
    file_mb: float,
    outage_hours: float,
    past: Past,
    form: str,
) -> None:
    """Compute file and mount sizes that give a chosen efficiency.

    The answer has file size, files and data per mount, and buffer size.
    """
    service = stated_service(calibration(drives_like, speed, past), speed)
    rate = efficiency * service.speed_mb_s
    size, chunk = sizing.file_size_for_efficiency, sizing.chunk_for_efficiency
    asked: list[tuple[str, str, Callable[[], float]]] = [
        (f"file size at {n_files:g} files per mount", "MB", lambda: size(service, efficiency, n_files)),
        ("file size if one mount serves all files", "MB", lambda: size(service, efficiency)),
        (
            f"number of files of {file_mb:g} MB per mount",
            "files",
            lambda: sizing.files_per_mount_for(service, rate, file_mb),
        ),
        (f"data per mount, in files of {file_mb:g} MB", "GB", lambda: chunk(service, efficiency, file_mb) / 1000),
        (
            f"buffer for the data of one drive in an outage of {outage_hours:g} h",
            "GB",
            lambda: service.speed_mb_s * 3.6 * outage_hours,
        ),
    ]
    head = (
        f"To reach {percent(efficiency)} of the drive rate of {quantity(service.speed_mb_s, 'MB/s')},"
        f" that is, {quantity(rate, 'MB/s')} per drive:"
    )
    rows = [_size(what, unit, compute) for what, unit, compute in asked]
    hidden = () if any(row["reason_missing"] for row in rows) else ("reason_missing",)
    print_parts([head, Rows("sizes", rows, hidden)], form)


def _size(what: str, unit: str, compute: Callable[[], float]) -> dict[str, Any]:
    """A table row for one size, with the reason instead of a number if the size is impossible."""
    row: dict[str, Any] = {"size_of": what, "at_least": None, "unit": unit, "reason_missing": None}
    try:
        return row | {"at_least": compute()}
    except ValueError as error:
        return row | {"reason_missing": f"impossible: {error}"}
