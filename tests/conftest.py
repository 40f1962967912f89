"""Options and paths all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples at every run and on every machine, however busy: a test never depends on a clock.
settings.register_profile("house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

REPO = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="rewrite the expected results of text cases")


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
