"""The commands about recommendations: their predicted gain, the day they took effect, and the achieved gain."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.cli.forecast.common import estimate, history
from pipelines.cli.lazy import files, recommendations, steps
from pipelines.cli.options import DAY, format_option, site_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.estimate import Estimate, NoEstimate

if TYPE_CHECKING:
    from pipelines.analysis.stats.diff_in_diff import Realised


@click.group()
def recommendation() -> None:
    """Record recommendations with their predicted gain. `list` compares this gain with the achieved gain."""


@recommendation.command()
@click.option(
    "--finding",
    help="Finding to fix, given by its id or the first characters of the id. The finding's gain is the predicted gain.",
)
@click.option(
    "--drives", help="Drives that your own recommendation concerns, separated by commas. Not allowed with --finding."
)
@click.option("--gain", help="Predicted gain of your own recommendation, in GB per day, as VALUE or VALUE:LOW:HIGH.")
@click.option(
    "--hours",
    "is_hours",
    is_flag=True,
    help="Set this if your own recommendation frees drive-hours but does not raise the rate of drives.",
)
@click.option("--text", help="Text of the recommendation.")
@site_option
def make(
    finding: str | None, drives: str | None, gain: str | None, is_hours: bool, text: str | None, site_path: Path
) -> None:
    """Record a recommendation. Give a finding, or describe your own recommendation with --text, --drives and --gain."""
    site, catalog = steps.site_at(site_path), files.load_catalog()
    if finding and not (drives or gain):
        number = recommendations.recommend(site, catalog, finding, text)
    elif drives and gain and text and not finding:
        names = [name.strip() for name in drives.split(",")]
        number = recommendations.recommend_freely(site, catalog, text, names, estimate(gain, "--gain"), is_hours)
    else:
        raise click.UsageError("give --finding, or --text with --drives and --gain")
    click.echo(f"Recommendation {number} is recorded.")


@recommendation.command()
@click.argument("number", type=int)
@click.option("--day", type=DAY, required=True, help="First site day on which the recommendation is in effect.")
@click.option("--note", help="Note on the work that was done.")
@site_option
def apply(number: int, day: datetime, note: str | None, site_path: Path) -> None:
    """Record that a recommendation is in effect. Give its first site day."""
    _change(site_path, number, "applied", day, note)


@recommendation.command()
@click.argument("number", type=int)
@click.option("--day", type=DAY, required=True, help="Site day on which the recommendation was given up.")
@click.option("--note", help="Why.")
@site_option
def drop(number: int, day: datetime, note: str | None, site_path: Path) -> None:
    """Record that a recommendation was given up."""
    _change(site_path, number, "dropped", day, note)


def _change(site_path: Path, number: int, event: str, day: datetime, note: str | None) -> None:
    recommendations.change(steps.site_at(site_path), files.load_catalog(), number, event, day.date(), note)
    click.echo(f"Recommendation {number} is {event} from {day.date()} on.")


@recommendation.command("list")
@site_option
@click.option("--day", type=DAY, help="Site day whose state is shown; default: the last day with data.")
@click.option(
    "--days",
    "n_days",
    type=click.IntRange(min=1),
    default=28,
    show_default=True,
    help="Number of site days compared before and after the day on which a recommendation was applied.",
)
@format_option
def list_them(site_path: Path, day: datetime | None, n_days: int, form: str) -> None:
    """List recommendations and their gains. The predicted and the achieved gain are both in GB per day."""
    found = recommendations.scores(history(site_path, day, n_days))
    nothing = NoEstimate("", "")
    rows = [
        {"number": str(one.number), "applied_day": one.applied_day}
        | one.predicted.columns("predicted_gb_day")
        | (one.found.gain_gb_day if one.found else nothing).columns("gain_gb_day")
        | {"verdict": one.verdict, "recommendation": one.text}
        for one in found
    ]
    notes = [] if rows else ["No recommendations yet: record one with `tapescope recommendation make`."]
    if alone := [str(one.number) for one in found if _is_alone(one.found)]:
        notes.append(
            f"Recommendations {', '.join(alone)}: no other drives of the same kind moved data, so there is no"
            " comparison, and the achieved gain may include the effect of other changes."
        )
    print_parts([Rows("recommendations", rows), *notes], form)


def _is_alone(found: "Realised | None") -> bool:
    return found is not None and isinstance(found.gain_gb_day, Estimate) and not found.has_peers
