"""The commands about recommendations: what was promised, since when it is done, what came of it."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.cli.forecast.common import estimate, history
from pipelines.cli.options import DAY, format_option, site_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.estimate import Estimate, NoEstimate

if TYPE_CHECKING:
    from pipelines.analysis.stats.diff_in_diff import Realised


@click.group()
def recommendation() -> None:
    """Keep what was recommended and what it should bring; hold it against what came of it."""


@recommendation.command()
@click.option(
    "--finding", help="Mend this finding: its id or the beginning of it; the gain is the one it was priced at."
)
@click.option("--drives", help="Drives it is about, with commas, for one of your own.")
@click.option("--gain", help="What it should bring in GB a day, as VALUE or VALUE:LOW:HIGH.")
@click.option("--hours", "is_hours", is_flag=True, help="It brings hours of drives, not speed.")
@click.option("--text", help="What is recommended.")
@site_option
def make(
    finding: str | None, drives: str | None, gain: str | None, is_hours: bool, text: str | None, site_path: Path
) -> None:
    """Write down a recommendation, of a finding or of one's own."""
    from pipelines import steps
    from pipelines.analysis.forecast import recommendations
    from pipelines.catalog.contracts import load_catalog

    site, catalog = steps.site_at(site_path), load_catalog()
    if finding and not (drives or gain):
        number = recommendations.recommend(site, catalog, finding, text)
    elif drives and gain and text and not finding:
        names = [name.strip() for name in drives.split(",")]
        number = recommendations.recommend_freely(site, catalog, text, names, estimate(gain, "--gain"), is_hours)
    else:
        raise click.UsageError("give --finding, or --text with --drives and --gain")
    click.echo(f"Recommendation {number} is written down.")


@recommendation.command()
@click.argument("number", type=int)
@click.option("--day", type=DAY, required=True, help="First site day with it.")
@click.option("--note", help="What was done.")
@site_option
def apply(number: int, day: datetime, note: str | None, site_path: Path) -> None:
    """Say that it is done, from a site day on."""
    _change(site_path, number, "applied", day, note)


@recommendation.command()
@click.argument("number", type=int)
@click.option("--day", type=DAY, required=True, help="Site day on which it was given up.")
@click.option("--note", help="Why.")
@site_option
def drop(number: int, day: datetime, note: str | None, site_path: Path) -> None:
    """Say that it will not be done, or is no longer."""
    _change(site_path, number, "dropped", day, note)


def _change(site_path: Path, number: int, event: str, day: datetime, note: str | None) -> None:
    from pipelines import steps
    from pipelines.analysis.forecast import recommendations
    from pipelines.catalog.contracts import load_catalog

    recommendations.change(steps.site_at(site_path), load_catalog(), number, event, day.date(), note)
    click.echo(f"Recommendation {number} is {event}, {day.date()}.")


@recommendation.command("list")
@site_option
@click.option("--day", type=DAY, help="As of this site day; the last day with data if left out.")
@click.option(
    "--days",
    "n_days",
    type=click.IntRange(min=1),
    default=28,
    show_default=True,
    help="Site days on either side of the change.",
)
@format_option
def list_them(site_path: Path, day: datetime | None, n_days: int, form: str) -> None:
    """List them: what was promised in GB a day, the gain since, and whether that is as promised."""
    from pipelines.analysis.forecast import recommendations

    found = recommendations.scores(history(site_path, day, n_days))
    nothing = NoEstimate("", "")
    rows = [
        {"number": str(one.number), "applied_day": one.applied_day}
        | one.predicted.columns("promised_gb_day")
        | (one.found.gain_gb_day if one.found else nothing).columns("gain_gb_day")
        | {"verdict": one.verdict, "recommendation": one.text}
        for one in found
    ]
    notes = [] if rows else ["Nothing was recommended yet: `tapescope recommendation make`."]
    if alone := [str(one.number) for one in found if _is_alone(one.found)]:
        notes.append(f"No other drives of the kind to compare with: {', '.join(alone)}; what else changed is in there.")
    print_parts([Rows("recommendations", rows), *notes], form)


def _is_alone(found: "Realised | None") -> bool:
    return found is not None and isinstance(found.gain_gb_day, Estimate) and not found.has_peers
