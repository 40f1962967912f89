"""Cases of all sources in one archive: a site whose inputs give each case the origin that its neighbour says."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pipelines import steps
from pipelines.config.site import Site
from support.parsing import CASES as ALL_CASES

WRITTEN = 1_773_230_400  # 2026-03-11 12:00 UTC
FIELDS = ("system", "host", "link", "zone", "date", "start_at", "interval_s", "date_order")
MOST = 4  # of a source: its damaged ones, and the longest of the others


def chosen() -> list[Path]:
    by_source: dict[str, list[Path]] = {}
    for case in sorted(ALL_CASES, key=lambda case: (not case.name.startswith("damaged"), -case.stat().st_size)):
        by_source.setdefault(case.parent.name, []).append(case)
    return sorted(case for cases in by_source.values() for case in cases[:MOST])


CASES = chosen()


def name_of(case: Path) -> str:
    return f"{case.parent.name}.{case.name}"


def put(site: Site, case: Path, text: bytes, folder: str = ".") -> None:
    """A file of a site, all with the same time of last change: some sources date by it files without a day."""
    path = site.root / folder / name_of(case)
    path.write_bytes(text)
    os.utime(path, (WRITTEN, WRITTEN))


def make(folder: Path, cases: list[Path]) -> Site:
    """A site whose inputs give each case the origin that its neighbour says."""
    inputs = []
    for case in cases:
        origin_file = case.with_suffix(".origin.toml")
        origin = tomllib.loads(origin_file.read_text()) if origin_file.exists() else {}
        values = [f"{name} = {_toml(value)}" for name, value in origin.items() if name in FIELDS]
        inputs.append("\n".join([f'[[input]]\nglob = "{name_of(case)}"', *values]))
    folder.mkdir()
    (folder / "site.toml").write_text('name = "growth"\nzone = "America/Chicago"\n' + "\n".join(inputs))
    return steps.site_at(folder)


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
