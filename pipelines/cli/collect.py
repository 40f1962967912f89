"""The command that asks servers, commands and the journal for what site.toml names."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.options import json_option, load_site, site_option
from pipelines.primitives.text import escape_control


@click.command()
@click.argument("names", nargs=-1, metavar="[ENTRY]...")
@site_option
@json_option
@click.option("--all", "is_all", is_flag=True, help="Ask every entry, whether it is due or not.")
@click.option("--watch", is_flag=True, help="Go on until SIGTERM or Ctrl-C, asking each entry when it is due.")
def collect(names: tuple[str, ...], site_path: Path, as_json: bool, is_all: bool, watch: bool) -> None:
    """Ask what the [[collect]] entries of site.toml name and are due for, or those given; the next ingest reads it.

    Tokens come from TAPESCOPE_COLLECT_TOKEN, or the variable that an entry's `token` names. Exit code 1 where an entry
    failed; the others are kept.
    """
    from pipelines import steps

    site = load_site(site_path)
    if watch:
        if names or is_all:
            raise click.UsageError("--watch asks each entry when it is due: give no names and no --all")
        _watch(site)  # as long as there is anything
    counts = steps.collect(site, names, is_all).as_dict()
    print_counts(counts, as_json, collect_sentence(counts))
    if counts["failed"]:
        sys.exit(1)


def collect_sentence(counts: dict[str, Any]) -> str:
    """The counts of collecting in a line."""
    n_asked = counts["done"] + counts["failed"]
    busy = f", {counts['busy']} busy" if counts["busy"] else ""
    if not counts["entries"]:
        return "There is nothing to collect: site.toml has no [[collect]]."
    if not n_asked and not busy:
        return f"None of {counts['entries']} entries is due."
    return (
        f"Asked {n_asked} of {counts['entries']} entries ({counts['failed']} failed{busy}):"
        f" {counts['answers']:,} answers, {counts['bytes'] / 1e6:,.1f} MB."
    )


def _watch(site: Any) -> None:
    """Ask what is due, again and again; what begins to fail, or answers again, is printed once."""
    from pipelines import steps

    failing: dict[str, str] = {}
    while site.collect:
        before, failing = failing, steps.collect(site).failing
        for name in sorted(failing.keys() - before.keys()):
            click.echo(f"failed: {name}: {escape_control(failing[name])}", err=True)
        for name in sorted(before.keys() - failing.keys()):
            click.echo(f"done: {name}: answers again", err=True)
        time.sleep(steps.seconds_to_next(site))
