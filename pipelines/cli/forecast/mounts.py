"""The command that replays the recorded reads under other mount policies."""

import re
from collections.abc import Iterator
from typing import Any

import click

from pipelines.cli.forecast.common import Past, history_options
from pipelines.cli.lazy import forecast
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, percent

_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
_GB = {"GB": 1, "TB": 1000}


class _Amount(click.ParamType[float]):
    """A number with one of several units, converted to the first unit."""

    def __init__(self, name: str, units: dict[str, int], example: str) -> None:
        self.name, self.units, self.example = name, units, example

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(rf"(\d+(?:\.\d*)?) ?({'|'.join(self.units)})", value)
        if not found:
            self.fail(
                f"{value!r} is not a number with a unit ({', '.join(self.units)}), such as {self.example}",
                param,
                context,
            )
        return float(found[1]) * self.units[found[2]]


_TIME, _SIZE = _Amount("time", _SECONDS, "2h"), _Amount("size", _GB, "500GB")


@click.command()
@click.option(
    "--min-age", "min_age_s", type=_TIME, help="Mount a tape when its oldest request has waited this long, such as 2h."
)
@click.option(
    "--min-files", type=click.IntRange(1), help="Also mount a tape when this many of its files are requested."
)
@click.option(
    "--min-bytes",
    "min_gb",
    type=_SIZE,
    help="Also mount a tape when this much of its data is requested, such as 500GB.",
)
@click.option(
    "--fill-wait",
    "fill_wait_s",
    type=_TIME,
    help="Also mount a tape once no further file on it was requested for this long, as ENDIT does.",
)
@click.option(
    "--remount-delay",
    "remount_delay_s",
    type=_TIME,
    help="Shortest time from the start of a mount to the next mount of the same tape; ENDIT has such a limit.",
)
@click.option(
    "--order", type=click.Choice(["requested", "position", "rao"]), help="Order in which a mount reads its files."
)
@history_options(7)
@format_option
def mounts(past: Past, form: str, **options: Any) -> None:
    """Replay the recorded reads under another mount policy. The table shows drive-hours saved and waits of requests.

    Each option changes one part of the site's present policy. That policy is inferred from the logs. Without options,
    the command tries several policies. The table then lists a policy only if it is certain to save drive-hours, and no
    other policy has both fewer drive-hours and shorter waits. If a replay without changes differs from the logs by more
    than 10 %, there is no answer.
    """
    try:
        found = forecast.advise(past(), {name: value for name, value in options.items() if value is not None})
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    print_parts(_parts(found), form)


def _parts(found: Any) -> Iterator[str | Rows]:
    if isinstance(found, NoEstimate):
        yield Rows("policies", [])
        yield f"{no_estimate(found, 'what another mount policy would bring')}."
        return
    yield Rows("policies", forecast.policy_rows(found))
    yield (
        f"The replay without changes differs from the logs by up to {percent(found.error)};"
        f" the largest difference is in the {found.what}."
    )
    if found.is_withheld:
        yield f"The difference is above {percent(forecast.MOST_ERROR)}, so the effect of another policy is not shown."
    elif not found.others:
        yield "None of the policies that were tried is certain to save drive-hours."
    else:
        yield (
            "A wait is the time from a request to the first block of its file. Drive-hours are those of read mounts."
        )
    if found.unplaced:
        yield (
            f"The positions of files on tapes of {', '.join(found.unplaced)} drives are not known, so the replay cannot"
            " show what another order of reading would change."
        )
    yield ""
    yield Rows("costs", [_costs(kind, cost) for kind, cost in found.reads.costs.items()])


def _costs(kind: str, cost: Any) -> dict[str, Any]:
    whole = {"kind": kind, "n_mounts": cost.n_mounts} | cost.mount_s.columns("mount_s") | {"file_s": cost.read.file_s}
    return {**whole, **cost.way_s.columns("way_s")}
