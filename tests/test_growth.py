"""A log that grows between two ingests, or lies under two names, gives the rows of its last state read once.

All cases of all sources at once, in one archive each way: what differs is named by its case.
"""

import os
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from test_sources import CASES

from pipelines import steps
from pipelines.catalog import load_catalog
from pipelines.config import Site
from pipelines.lines import compression
from pipelines.warehouse import Warehouse

WRITTEN = 1_773_230_400  # 2026-03-11 12:00 UTC
FIELDS = ("system", "host", "link", "zone", "date", "start_at", "interval_s", "date_order")
State = dict[str, Counter[tuple[Any, ...]]]


def name_of(case: Path) -> str:
    return f"{case.parent.name}.{case.name}"


def put(site: Site, case: Path, text: bytes, folder: str = ".") -> None:
    """A file of a site, last written when all of them were: some sources date by that what says no day."""
    path = site.root / folder / name_of(case)
    path.write_bytes(text)
    os.utime(path, (WRITTEN, WRITTEN))


def make(folder: Path, cases: list[Path]) -> Site:
    """A site whose inputs give each case the origin that its neighbour says."""
    inputs = []
    for case in cases:
        told = case.with_suffix(".origin.toml")
        origin = tomllib.loads(told.read_text()) if told.exists() else {}
        values = [f"{name} = {_toml(value)}" for name, value in origin.items() if name in FIELDS]
        inputs.append("\n".join([f'[[input]]\nglob = "{name_of(case)}"', *values]))
    folder.mkdir()
    (folder / "site.toml").write_text('name = "growth"\nzone = "America/Chicago"\n' + "\n".join(inputs))
    return steps.site_at(folder)


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def rows_of(site: Site) -> State:
    """What is in bronze of each path, and of its rejects, by table; without the file's id."""
    found: State = {}
    with Warehouse(site).read() as connection:
        files = dict(connection.execute("SELECT file_id, path FROM ops.file WHERE state = 'loaded'").fetchall())
        # an interval of bronze.seen may be told in one piece or in two that touch
        tables = [table for table in load_catalog().layer("bronze") if table.name != "seen"]
        for table in [*tables, load_catalog().relations["ops.reject"]]:
            said = ", ".join(f'"{name}"' for name in table.column_names if name not in ("file_id", "day"))
            for file_id, *row in connection.execute(f"SELECT file_id, {said} FROM {table.full_name}").fetchall():
                path = files.get(file_id, "?")
                found.setdefault(f"{path} {table.full_name}", Counter())[tuple(map(repr, row))] += 1
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, State]:
    site = make(tmp_path_factory.mktemp("growth") / "whole", CASES)
    for case in CASES:
        put(site, case, case.read_bytes())
    steps.ingest(site)
    return site, rows_of(site)


def test_half_a_log_and_then_all_of_it_is_all_of_it(tmp_path: Path, whole: tuple[Site, State]) -> None:
    site = make(tmp_path / "halves", CASES)
    for case in CASES:
        text = case.read_bytes()
        lines = text.splitlines(keepends=True)
        half = text if compression(case) else b"".join(lines[: len(lines) // 2])
        put(site, case, half)
    steps.ingest(site)
    for case in CASES:
        put(site, case, case.read_bytes())
    steps.ingest(site)
    assert differences(whole[1], rows_of(site)) == []


def test_the_same_log_under_two_names_is_read_once(whole: tuple[Site, State]) -> None:
    site, before = whole
    twice = site.root / "twice"
    twice.mkdir()
    text = (site.root / "site.toml").read_text().replace('glob = "', 'glob = "{name}/')
    (site.root / "site.toml").write_text((site.root / "site.toml").read_text() + text.partition("\n[[input]]")[2])
    for case in CASES:
        put(site, case, case.read_bytes(), "twice")
    again = steps.ingest(site, [twice])
    assert differences(before, rows_of(site)) == []
    assert again.files


def differences(wanted: State, got: State) -> list[str]:
    said = []
    for name in sorted(wanted | got):
        left, right = (state.get(name, Counter[tuple[Any, ...]]()) for state in (wanted, got))
        if left != right:
            said.append(f"{name}: {(left - right).total()} rows missing, {(right - left).total()} too many")
    return said
