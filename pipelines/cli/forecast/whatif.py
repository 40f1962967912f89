"""The what-if commands of `forecast`: a planned recall, and a replay of recorded days with changes."""

import re
from typing import Any

import click

from pipelines.cli.forecast.common import Past, calibration, history_options, speed_options, stated_service
from pipelines.cli.lazy import forecast, simulation, technology
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.format import interval, percent


def _named(generation: str) -> str:
    """The name that tables use for a generation, however the user spells it: LTO-9 for LTO9."""
    sold = technology.known(generation)
    return sold.name if sold else generation


@click.command()
@click.argument("volume")
@click.argument("files")
@click.option("--generation", help="Generation of the drive, such as LTO-4, if no log shows it.")
@click.option(
    "--mount-s",
    default=120.0,
    show_default=True,
    help="Seconds for the mount and the dismount of the tape together. Used only with --speed.",
)
@click.option(
    "--file-s",
    default=4.4,
    show_default=True,
    help="Seconds that a file takes in addition to its data transfer and its seek. Used only with --speed.",
)
@speed_options
@history_options()
@format_option
def recall(
    volume: str,
    files: str,
    generation: str | None,
    mount_s: float,
    file_s: float,
    speed: str | None,
    drives_like: str | None,
    past: Past,
    form: str,
) -> None:
    """Estimate how long it takes to read files from a tape.

    FILES are the numbers of the files on the tape, such as 3,17,20-40. The table shows the time for three orders of
    reading these files, and for a read of the complete tape. The row `together` assumes that the requested files are
    next to each other on one tape. Without --speed and --drives-like, the speed is that of drives of the tape's
    generation.
    """
    generation = _named(generation) if generation else None
    of_tape = "" if speed or drives_like else generation or forecast.drives_of_tape(past(), volume)
    costs = calibration(drives_like, speed, past, "read", of_tape)
    service = stated_service(costs, speed, mount_s=mount_s, file_s=file_s)
    found = forecast.estimate_recall(past(), volume, _numbers(files), service, generation)
    rows: list[dict[str, Any]] = [
        {"order": name} | one.seconds.times(1 / 3600).columns("reading_hours") | {"seeks_s": one.seek_s}
        for name, one in found.orders.items()
    ]
    rows.append({"order": "whole tape", "reading_hours": found.whole_s / 3600, "seeks_s": 0.0})
    model = found.model
    basis = (
        f"from {model.n_mounts} {found.generation} mounts at this site"
        if model.n_mounts
        else "assumed, because no mount at this site shows how long seeks take"
    )
    notes = [f"Seeks take {interval(model.factor, '1')} times as long as in the published cost model ({basis})."]
    if found.n_lacking:
        notes.append(
            f"{found.n_lacking} files of the tape are not known, so the positions of files"
            " that follow them are underestimated."
        )
    shares = (
        f"{_share(found.break_even)} if the requested files are otherwise read in order of request,"
        f" {_share(found.break_even_in_order)} if in order of position"
    )
    notes.append(
        f"{percent(found.share)} of the tape's files are requested. Reading the complete"
        " tape is faster above these shares: "
        f"{shares}."
    )
    notes.append(f"Files in the order of `optimised`: {','.join(map(str, found.orders['optimised'].numbers))}")
    print_parts([Rows("orders", rows), *notes], form)


def _numbers(text: str) -> list[int]:
    """Parse a list of file numbers such as 3,17,20-40, and keep its order."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part.strip())
        if not ends or not 0 <= int(ends[2] or ends[1]) - int(ends[1]) < 1_000_000:
            raise click.UsageError(f"write file numbers such as 3,17,20-40, not {part!r}")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    if len(set(found)) < len(found):
        raise click.UsageError("the list names a file twice")
    return found


def _share(share: Any) -> str:
    return "never" if share.value == 1 else interval(share, "%")


def _number_of_drives(_: Any, __: Any, texts: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for text in texts:
        kind, _, number = text.rpartition("=")
        if not kind or not number.isdigit():
            raise click.BadParameter(f"write KIND=NUMBER, such as LTO-4=6, not {text!r}")
        found[_named(kind)] = int(number)
    return found


@click.command()
@click.option(
    "--drives",
    multiple=True,
    callback=_number_of_drives,
    help="Number of drives of a generation, as KIND=NUMBER, such as LTO-4=6.",
)
@click.option(
    "--gap",
    "gap_s",
    type=float,
    help="Longest avoidable gap between two files, in seconds; longer gaps are shortened to this length. File marks,"
    " checksums and tape motion stay as recorded, unless the logs do not show them separately.",
)
@click.option("--faster", "speed", default=1.0, help="Factor by which the rate of all drives is multiplied.")
@click.option("--depth", default=1, help="Number of requests that a client keeps queued.")
@click.option(
    "--instances", default=1, help="Number of migration processes per station; --inputs and --outputs apply to each."
)
@click.option("--inputs", type=int, help="Number of tapes from which a migration process reads at the same time.")
@click.option("--outputs", type=int, help="Number of tapes to which a migration process writes at the same time.")
@click.option(
    "--disk", "disk_mb_s", type=float, help="Largest rate of a station's disks, reads and writes together, in MB/s."
)
@click.option("--link", "link_mb_s", type=float, help="Largest rate of a station's link in each direction, in MB/s.")
@click.option(
    "--chunk", "chunk_gb", type=float, help="Amount of data, in GB, that is collected before a mount for writing."
)
@click.option(
    "--at-once", is_flag=True, help="Assume that all mounts are requested at the start, so drives never lack work."
)
@click.option("--writes-wait-for-reads", is_flag=True, help="Assume that a station cannot write more than it has read.")
@history_options(7)
@format_option
def whatif(past: Past, form: str, **changes: Any) -> None:
    """Replay the recorded days with changes. If several changes are given, each is also replayed alone.

    The list begins with the change after which mounts end earliest on average. Changes that give the drives more work
    than they can do come last. If a replay without changes differs from the logs by more than 10 %, there is no answer.
    """
    try:
        made = simulation.Changes(**changes)
        answer = forecast.what_if(past(), made)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    runs = {"recorded": answer.record.recorded, "again": answer.replayed}
    if answer.changed and made != simulation.Changes():
        runs["changed"] = answer.changed
    rows = [
        {"run": name, "drives": " ".join(key)} | _use(use)
        for key in answer.record.uses
        for name, run in runs.items()
        if (use := run.uses.get(key))
    ]
    off = (
        f"The replay without changes differs from the logs by up to {percent(answer.error)};"
        f" the largest difference is in the {answer.what}."
    )
    parts: list[str | Rows] = [Rows("runs", rows), off, *filter(None, [answer.shorter_waits])]
    if answer.changed is None:
        limit = percent(forecast.MOST_ERROR)
        parts.append(f"The difference is above {limit}, so the effect of the change is not shown.")
    elif made != simulation.Changes():
        parts += _side_by_side(answer, made)
    print_parts(parts, form)


def _side_by_side(answer: Any, changes: Any) -> list[str | Rows]:
    """All changes together and each change alone, compared with the replay without changes, the fastest first."""
    work, alone = answer.record.work, changes.alone()
    runs = [(changes, answer.changed), *((one, simulation.simulate(work, one)) for one in alone if alone != [changes])]
    listed = forecast.ranked(work, answer.replayed, runs)
    rows = [
        {
            "scenario": one.name,
            "average_end_hours": one.done_h,
            "waited_hours": one.waited_h,
            "last_end_hours": one.ended_h,
            "drive_hours": one.busy_h,
            "keeps_up": not one.hindrance,
        }
        for one in listed
    ]
    everything = {one.name: one for one in listed}
    made = everything[forecast.described(changes)]
    hindrance = [f"Not sustainable: {made.hindrance}."] if made.hindrance else []
    return ["", Rows("scenarios", rows), *hindrance, made.against(everything[forecast.UNCHANGED])]


def _use(use: Any) -> dict[str, Any]:
    return {
        "n_mounts": use.n_mounts,
        "moved_tb": use.moved_mb / 1e6,
        "drive_hours": use.busy_s / 3600,
        "drive_rate_mb_s": use.rate_mb_s,
        "waited_hours": use.waited_s / 3600,
        "last_end_hours": use.ended_s / 3600,
    }
