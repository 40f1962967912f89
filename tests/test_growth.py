"""A log that grows between two ingests, or has two names, gives the rows of its last state read once.

Cases of all sources at once, in one archive each way: what differs is named by its case. That a parser's rows do not
depend on where its file is cut is test_sources.py's, for every case.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.ingest.registry import FileReport
from pipelines.sources import all_sources
from pipelines.sources.packing import HEAD_LINES, compression
from pipelines.warehouse.connection import Warehouse
from support.corpus import CASES, make, put

pytestmark = pytest.mark.usefixtures("plain_store")

State = dict[str, Counter[tuple[Any, ...]]]


def rows_of(site: Site) -> State:
    """What is in bronze of each path, and of its rejects, by table; without the file's id."""
    found: State = {}
    with Warehouse(site).read() as connection:
        files = dict(connection.execute("SELECT file_id, path FROM ops.file WHERE state = 'loaded'").fetchall())
        # an interval of bronze.log_coverage may come in one piece or in two that touch
        tables = [table for table in load_catalog().layer("bronze") if table.name != "log_coverage"]
        for table in [*tables, load_catalog().relations["ops.reject"]]:
            columns = ", ".join(f'"{name}"' for name in table.column_names if name not in ("file_id", "day"))
            for file_id, *row in connection.execute(f"SELECT file_id, {columns} FROM {table.full_name}").fetchall():
                path = files.get(file_id, "?")
                found.setdefault(f"{path} {table.full_name}", Counter())[tuple(map(repr, row))] += 1
    return found


def load(site: Site, cases: list[Path], share: float = 1.0, folder: str = ".") -> list[FileReport]:
    """Put a share of each case's lines in place, and ingest."""
    for case in cases:
        text = case.read_bytes()
        lines = text.split(b"\n")
        n = len(lines) if compression(case) else round(share * len(lines))
        put(site, case, b"".join(line + b"\n" for line in lines[:n]) if share < 1 and n < len(lines) else text, folder)
    return steps.ingest(site).files


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, State]:
    site = make(tmp_path_factory.mktemp("growth") / "whole", CASES)
    load(site, CASES)
    return site, rows_of(site)


def test_half_a_log_and_then_all_of_it_is_all_of_it(tmp_path: Path, whole: tuple[Site, State]) -> None:
    growing = [case for case in CASES if not is_snapshot(case.parent.name)]
    site = make(tmp_path / "halves", growing)
    load(site, growing, 0.5)
    load(site, growing)
    expected = {name: rows for name, rows in whole[1].items() if not is_snapshot(name.partition(".")[0])}
    assert expected and differences(expected, rows_of(site)) == []


def test_the_same_log_under_two_names_is_read_once(whole: tuple[Site, State]) -> None:
    site, before = whole
    (site.root / "twice").mkdir()
    text = (site.root / "site.toml").read_text()
    (site.root / "site.toml").write_text(text + text[text.index("\n[[input]]") :].replace('glob = "', 'glob = "twice/'))
    # of two series in files of equal text only their paths say which is which
    cases = [case for case in CASES if not getattr(all_sources()[case.parent.name], "IS_NAMED_BY_PATH", False)]
    again = [file for file in load(steps.site_at(site.root), cases, folder="twice") if file.path.startswith("twice/")]
    assert len(again) == len(cases) > 0.9 * len(CASES)
    assert {file.state for file in again} == {"unchanged", "failed"}
    assert differences(before, rows_of(site)) == []


def test_real_logs_that_grow_are_read_on(tmp_path: Path, realdata: Path) -> None:
    """For those whose half already has the complete head: only later lines are read."""
    taken: dict[str, list[Path]] = {}
    for path in sorted(realdata.rglob("*")):
        if not path.is_file() or not 20_000 < path.stat().st_size < 400_000 or compression(path):
            continue
        if path.read_bytes().count(b"\n") < 2 * HEAD_LINES:
            continue
        stem = steps.recognise([path])[0].source
        if stem and not is_snapshot(stem) and len(taken.setdefault(stem, [])) < 2:
            taken[stem].append(path)
    cases = [path for paths in taken.values() for path in paths]
    assert len(taken) > 3
    one, two = make(tmp_path / "one", cases), make(tmp_path / "two", cases)
    load(one, cases)
    load(two, cases, 0.6)
    load(two, cases)
    assert differences(rows_of(one), rows_of(two)) == []


def is_snapshot(stem: str) -> bool:
    """Every version of such a file counts by itself: see `protocol.Source`."""
    return getattr(all_sources()[stem], "IS_SNAPSHOT", False)


def differences(expected: State, got: State) -> list[str]:
    messages = []
    for name in sorted(expected | got):
        left, right = (state.get(name, Counter[tuple[Any, ...]]()) for state in (expected, got))
        if left != right:
            messages.append(f"{name}: {(left - right).total()} rows missing, {(right - left).total()} too many")
    return messages
