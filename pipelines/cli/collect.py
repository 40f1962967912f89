"""The command that collects data from the servers, commands and journal that site.toml names."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, site_option
from pipelines.primitives.format import counted
from pipelines.primitives.text import escape_control


@click.command()
@click.argument("names", nargs=-1, metavar="[ENTRY]...")
@site_option
@json_option
@click.option("--all", "is_all", is_flag=True, help="Collect from every entry, whether it is due or not.")
@click.option(
    "--watch", is_flag=True, help="Keep running until SIGTERM or Ctrl-C, and collect from each entry when it is due."
)
def collect(names: tuple[str, ...], site_path: Path, as_json: bool, is_all: bool, watch: bool) -> None:
    """Collect from the [[collect]] entries that are due. With ENTRY, collect only from the named entries, due or not.

    The next `tapescope ingest` or `tapescope run` reads the answers. If a server or command needs a token, put the
    token into the environment variable that the entry's key `token` names (default: TAPESCOPE_COLLECT_TOKEN). If an
    entry fails, the answers of the other entries are kept and the exit code is 1.
    """
    site = steps.site_at(site_path)
    if watch:
        if names or is_all:
            raise click.UsageError("--watch collects from every entry when it is due: remove the names and --all")
        _watch(site)  # as long as there is anything
    counts = steps.collect(site, names, is_all).as_dict()
    print_counts(counts, as_json, collect_sentence(counts))
    if counts["failed"]:
        sys.exit(1)


def collect_sentence(counts: dict[str, Any]) -> str:
    """The counts of a collection in one line."""
    n_asked = counts["done"] + counts["failed"]
    busy = f"; {counts['busy']} skipped, because another process collects from them" if counts["busy"] else ""
    if not counts["entries"]:
        return "Nothing to collect: site.toml has no [[collect]] entry."
    if not n_asked and not busy:
        return f"None of the {counts['entries']} [[collect]] entries is due yet."
    return (
        f"Tried to collect from {n_asked} of {counts['entries']} entries ({counts['failed']} failed{busy}):"
        f" {counted(counts['answers'], 'answer')}, {counts['bytes'] / 1e6:,.1f} MB."
    )


def _watch(site: Any) -> None:
    """Collect from each entry when it is due; print a line when an entry starts to fail and when it answers again."""
    failing: dict[str, str] = {}
    while site.collect:
        before, failing = failing, steps.collect(site).failing
        for name in sorted(failing.keys() - before.keys()):
            click.echo(f"failed: {name}: {escape_control(failing[name])}", err=True)
        for name in sorted(before.keys() - failing.keys()):
            click.echo(f"done: {name}: answers again", err=True)
        time.sleep(steps.seconds_to_next(site))
