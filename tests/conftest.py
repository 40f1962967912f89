"""Options and paths all tests share."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from pipelines import steps
from support import REPO

# The same examples at every run and on every machine, however busy: a test never depends on a clock.
settings.register_profile("house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# As many workers run as there are cores: threads of one would only take time from the others. What runs in a process
# of its own (the command line, Airflow, readers) has as many as it likes.
_connect = duckdb.connect


def _connect_with_one_thread(*args: Any, **kwargs: Any) -> duckdb.DuckDBPyConnection:
    return _connect(*args, **kwargs | {"config": {"threads": 1} | kwargs.get("config", {})})


duckdb.connect = _connect_with_one_thread


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="rewrite the expected results of text cases")


# The longest, by CPU: begun last they would run alone while the other workers have nothing left to do.
LONG = (
    "truth",
    "dags",
    "kill",
    "browser_pages",
    "invariants",
    "week",
    "growth",
    "score",
    "delivery",
    "postgres",
    "maintain",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in LONG)


@pytest.fixture(scope="session", autouse=True)
def _remove_templates() -> Iterator[None]:
    """What tests/support/archive.py made once for all tests of a process goes with them."""
    yield
    archives = sys.modules.get("support.archive")
    if archives and archives.empty_warehouse.cache_info().currsize:
        shutil.rmtree(archives.empty_warehouse().parent.parent)


@pytest.fixture(scope="module")
def plain_store() -> Iterator[None]:
    """For modules that are not about the store: see `support.memory_lake.plain_store`."""
    from support import memory_lake

    with memory_lake.plain_store():
        yield


@pytest.fixture
def regen(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regen"))


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real captures, which is no part of the repository."""
    folder = Path(os.environ.get("TAPESCOPE_REALDATA") or REPO / ".." / "shared" / "realdata").resolve()
    if not folder.is_dir():
        pytest.skip(f"no real captures: {folder} is not there; set TAPESCOPE_REALDATA")
    return folder


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample archive, read, built and judged once for the tests of all workers: to be copied, never written to."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "sample"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            unfinished = folder.with_suffix(".part")
            shutil.copytree(
                REPO / "sample_data", unfinished, ignore=shutil.ignore_patterns("captured", "studies", "*.py")
            )
            site = steps.site_at(unfinished)
            steps.ingest(site)
            steps.build(site)
            steps.detect(site)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def archive(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with hostile texts, only to be read: made once for all tests marked xdist_group("dashboard")."""
    from support.served import make_archive

    return make_archive(sample, tmp_path_factory.mktemp("archive") / "site")
