"""Answers into the spool, and a note of what fails."""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipelines.config.collect import SPOOL
from pipelines.config.site import Site
from pipelines.ingest import collect as collector
from pipelines.ingest.collect import CollectReport
from pipelines.ingest.collect import seconds_to_next as seconds_to_next
from pipelines.primitives.files import write_atomic
from pipelines.warehouse.runs import Run, try_record

_NOTED = ".noted.json"  # next to the entries' folders: which of them fail, as ops.run has it


def collect(
    site: Site, names: Iterable[str] = (), is_all: bool = False, secrets: Mapping[str, str] | None = None
) -> CollectReport:
    """Ask the `[[collect]]` entries that are due, those named, or all; entries that fail are in the report.

    Collecting does not write the warehouse. A run is recorded there when an entry begins to fail, or fails no more:
    a row a minute would fill it. Where another step writes just then, the next run records it.
    """
    run, begun = Run("collect"), time.monotonic()
    report = collector.collect(site, names, is_all, secrets)
    run.counts = report.as_dict()
    noted, failing = site.root / SPOOL / _NOTED, sorted(report.failing)
    if failing != _read(noted) and try_record(site, run, time.monotonic() - begun, _failure(report)):
        write_atomic(noted, json.dumps(failing).encode())
    return report


def _failure(report: CollectReport) -> str | None:
    listed = "; ".join(f"{name}: {reason}" for name, reason in sorted(report.failing.items()))
    return f"collect failed: {listed}" if listed else None


def _read(noted: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads(noted.read_bytes())]
    except (FileNotFoundError, ValueError):
        return []
