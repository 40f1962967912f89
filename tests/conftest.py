"""Options and paths all tests share."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from pipelines import steps
from support import REPO

# The same examples at every run and on every machine, however busy: a test never depends on a clock.
settings.register_profile("house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# More workers run than there are cores: threads of one would only take time from the others. What runs in a process
# of its own (the command line, Airflow, readers) has as many as it likes.
if "PYTEST_XDIST_WORKER" in os.environ:  # which has made its threads by now
    os.environ.pop("POLARS_MAX_THREADS", None)
else:
    os.environ["POLARS_MAX_THREADS"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests start hundreds of processes: each would compile all modules
sys.dont_write_bytecode = False
_connect = duckdb.connect


def _connect_with_one_thread(*args: Any, **kwargs: Any) -> duckdb.DuckDBPyConnection:
    return _connect(*args, **kwargs | {"config": {"threads": 1} | kwargs.get("config", {})})


duckdb.connect = _connect_with_one_thread


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="rewrite the expected results of text cases")
    parser.addoption("--quick", action="store_true", help="leave out what makes a site, starts a process or is large")


# What a module imports that makes sites, starts processes or browsers: `make check` does without it.
LARGE = re.compile(
    r"^(from|import) (subprocess|benchmarks|click\.testing|streamlit|pipelines import .*steps|pipelines\.build"
    r"|support\.(airflow_home|app|archive|browsing|processes|report_site|screenshots|served|two_days|week)"
    r"|support import (archive|receivers|report_site))\b",
    re.MULTILINE,
)
SMALL = ("test_house.py",)  # starts the linters only, which --quick leaves out


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_test = collection_path.name.startswith("test_") and collection_path.name not in SMALL
    if not (config.getoption("--quick") and is_test):
        return None
    return bool(LARGE.search(collection_path.read_text(encoding="utf-8"))) or None


# The longest, by CPU, in this order: begun last they would run alone while the other workers have nothing left to do.
LONG = (
    "browser_pages",
    "dags",
    "kill",
    "invariants",
    "build_parts",
    "cta_site",
    "workers",
    "documented_commands",
    "truth",
    "maintain",
    "first_visit",
    "dashboard_browser",
    "ask",
    "store",
    "house",
    "postgres",
    "object_storage",
    "numbers_agree",
    "benchmarks",
    "realdata_table",
    "pool_sites",
    "delivery",
    "readers",
    "tsm_site",
    "page_benchmark",
    "enstore_accounting",
    "growth",
    "link_ports",
    "week",
    "score",
)


class OneProcessPerFixture(LoadScopeScheduling):  # type: ignore[misc]
    """Tests of a module that has fixtures share a process, and those of one parametrised case; others do not."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if has_own_fixtures(module):
            return module
        return f"{module}[{nodeid.partition('[')[2]}" if nodeid.endswith("]") else nodeid


@cache
def has_own_fixtures(module: str) -> bool:
    return 'scope="module"' in (REPO / module).read_text(encoding="utf-8")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Half as many again as there are cores: a worker waits for browsers, servers and commands it started."""
    return max(1, len(os.sched_getaffinity(0)) * 3 // 2)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return OneProcessPerFixture(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        left_out = [item for item in items if is_large(item)]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
    place = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path.stem.removeprefix("test_"), len(LONG)))


# Of small modules what takes most of the time all the same; linters run before the tests.
LONG_TESTS = (
    *("test_tool_has_no_complaint", "test_cutting_the_file_changes_nothing", "test_damage_is_data"),
    "test_written_disks_come_back",
)


def is_large(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    is_long = item.name.startswith(LONG_TESTS) or item.path.stem == "test_sample_data"
    return is_long or "realdata" in names or "sample" in names or "cta" in names


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
def mostly_plain_store(request: pytest.FixtureRequest) -> Iterator[None]:
    """The same for modules of which some tests are about the store: these are marked with `lake`."""
    from support import memory_lake

    with nullcontext() if request.node.get_closest_marker("lake") else memory_lake.plain_store():
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

    def make(folder: Path) -> None:
        shutil.copytree(REPO / "sample_data", folder, ignore=shutil.ignore_patterns("captured", "studies", "*.py"))
        site = steps.site_at(folder)
        steps.ingest(site)
        steps.build(site)
        steps.detect(site)

    return made_once(tmp_path_factory, "sample", make)


@pytest.fixture(scope="session")
def cta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample archive of a site of CTA, likewise."""

    def make(folder: Path) -> None:
        site = steps.make_demo(folder, "cta")
        steps.ingest(site)
        steps.build(site)
        steps.detect(site)

    return made_once(tmp_path_factory, "cta", make)


@pytest.fixture(scope="session")
def archive(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with hostile texts, only to be read: made once for the tests of all workers, of which each has a copy.

    Its readers make files next to the catalogue and remove them: a copy made meanwhile in another worker would fail.
    """
    from support.served import make_archive

    shared = made_once(tmp_path_factory, "archive", lambda folder: make_archive(sample, folder))
    return shutil.copytree(shared, tmp_path_factory.mktemp("archive") / "site")


@pytest.fixture
def app(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The dashboard on it, in Streamlit's own test runner."""
    from streamlit.testing.v1 import AppTest

    from support.served import APP, DEADLINE_S

    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    return AppTest.from_file(APP, default_timeout=DEADLINE_S)


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first worker that needs it makes, while the others wait."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            unfinished = folder.with_suffix(".part")
            make(unfinished)
            unfinished.rename(folder)
    return folder
