"""The command that keeps the warehouse small."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, site_option
from pipelines.primitives.format import counted


@click.command()
@site_option
@json_option
@click.option("--dry-run", is_flag=True, help="Only print the work that would be done.")
def maintain(site_path: Path, as_json: bool, dry_run: bool) -> None:
    """Drop old rows and unused files, and merge small files.

    The key `retention_days` of site.toml defines which rows are old.
    """
    counts = steps.maintain(steps.site_at(site_path), dry_run).as_dict()
    print_counts(counts, as_json, _maintain_sentences(counts))


def _maintain_sentences(counts: dict[str, Any]) -> str:
    would = "Would drop" if counts["dry_run"] else "Dropped"
    days = ", ".join(f"{counts[f'{layer}_days_dropped']} days of {layer}" for layer in ("gold", "silver", "bronze"))
    rows = counted(counts["rows_dropped"], "row")
    facts = f"{would} {days}: {rows}; metrics of {counts['kept_from']} and later are kept."
    if counts["waits_for_build"]:
        facts = (
            "No rows were dropped, because SQL or site.toml changed after the last build; run `tapescope build` first."
        )
    elif not counts["rows_dropped"]:
        facts = "No rows are old enough to drop."
    n_gone = counts["files_removed"] + counts["orphans_removed"]
    would_be = "would be " if counts["dry_run"] else ""
    spool = (
        f"\n{counted(counts['spool_files_removed'], 'file')} of collected answers {would_be}removed:"
        f" {counts['spool_bytes_removed'] / 1e6:,.1f} MB."
        if counts["spool_files_removed"]
        else ""
    )
    dry_run = "Would be done: " if counts["dry_run"] else ""
    return (
        f"{facts}\n{dry_run}{counted(counts['files_before'], 'file')} merged into {counts['files_after']:,},"
        f" {counted(counts['snapshots_expired'], 'snapshot')} expired,"
        f" {counted(n_gone, 'file')} removed ({counts['orphans_removed']:,} left by killed writers):"
        f" {counts['bytes_given_back'] / 1e6:,.1f} MB freed." + spool
    )
