"""A recorded week to be asked what if: a scenario's archive, ingested and built once, and kept for the next run."""

import hashlib
from pathlib import Path

import click

from benchmarks.inputs import VERSION
from pipelines import steps
from sample_data.generate import write
from sample_data.scenario import FOLDER, LibraryScenario, load

WEEK = "week"
USUAL = FOLDER / "quiet_library.toml"  # that of the score


def make(folder: Path, story: Path) -> Path:
    """The site.toml of a library scenario's archive; a kept one is only brought up to date."""
    scenario = load(story)
    if not isinstance(scenario, LibraryScenario):
        raise click.BadParameter("only the week of a library scenario can be recorded", param_hint="--week")
    scenario_json = scenario.model_dump_json().encode()
    place = folder / f"{WEEK}-{hashlib.sha256(scenario_json).hexdigest()[:8]}-v{VERSION}"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        write(scenario, unfinished)
        unfinished.rename(place)
    site = steps.site_at(place)
    steps.ingest(site)
    steps.build(site)
    return place / "site.toml"
