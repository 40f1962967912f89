"""The command that runs the recorded reads again under other mount policies."""

import re
from collections.abc import Iterator
from typing import Any

import click

from pipelines.cli.forecast.common import Past, history_options
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, percent

_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
_GB = {"GB": 1, "TB": 1000}


class _Amount(click.ParamType[float]):
    """A number with one of some units; the value is in the first of them."""

    def __init__(self, name: str, units: dict[str, int], example: str) -> None:
        self.name, self.units, self.example = name, units, example

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(rf"(\d+(?:\.\d*)?) ?({'|'.join(self.units)})", value)
        if not found:
            self.fail(f"{value!r} is not a number with {', '.join(self.units)}, such as {self.example}", param, context)
        return float(found[1]) * self.units[found[2]]


_TIME, _SIZE = _Amount("time", _SECONDS, "2h"), _Amount("size", _GB, "500GB")


@click.command()
@click.option("--min-age", "min_age_s", type=_TIME, help="A mount once the oldest request is so old, such as 2h.")
@click.option("--min-files", type=click.IntRange(1), help="Or once so many files of the tape are asked for.")
@click.option("--min-bytes", "min_gb", type=_SIZE, help="Or once so much of it is, such as 500GB.")
@click.option("--fill-wait", "fill_wait_s", type=_TIME, help="Or once nobody asked for more of it for so long (ENDIT).")
@click.option("--remount-delay", "remount_delay_s", type=_TIME, help="No mount so soon after the tape's last (ENDIT).")
@click.option("--order", type=click.Choice(["requested", "position", "rao"]), help="In which a mount reads its files.")
@history_options(7)
@format_option
def mounts(past: Past, form: str, **options: Any) -> None:
    """Run the recorded reads again under another mount policy: drive-hours saved, and how long requests wait.

    Without options some policies are tried, and those are listed of which none saves more with shorter waits. What
    is not given stays as it was. The answer is withheld where the replay is more than 10 % off.
    """
    from pipelines.analysis.forecast import advise

    try:
        found = advise(past(), {name: value for name, value in options.items() if value is not None})
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    print_parts(_parts(found), form)


def _parts(found: Any) -> Iterator[str | Rows]:
    from pipelines.analysis.forecast import MOST_ERROR, policy_rows

    if isinstance(found, NoEstimate):
        yield Rows("policies", [])
        yield f"{no_estimate(found, 'what another mount policy would bring')}."
        return
    yield Rows("policies", policy_rows(found))
    yield f"The replay is {percent(found.error)} off, most in the {found.what}."
    if found.is_withheld:
        yield f"That is more than {percent(MOST_ERROR)}: what another policy would bring is withheld."
    elif not found.others:
        yield "None of the policies tried saves drive-hours for sure."
    else:
        yield "Waits are from the request to the first block of its file; hours are of drives that read."
    if found.unplaced:
        yield f"Where files lie on tapes of {', '.join(found.unplaced)} is not known: their order changes nothing here."
    yield ""
    yield Rows("costs", [_costs(kind, cost) for kind, cost in found.reads.costs.items()])


def _costs(kind: str, cost: Any) -> dict[str, Any]:
    whole = {"kind": kind, "n_mounts": cost.n_mounts} | cost.mount_s.columns("mount_s") | {"file_s": cost.read.file_s}
    return {**whole, **cost.way_s.columns("way_s")}
