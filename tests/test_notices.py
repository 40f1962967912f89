"""Notices of `ask` with its rows: that they were cut, that no log covers a day, that no rule has judged it."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines import steps
from pipelines.answers import parameters
from pipelines.answers import question as ask
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import Warehouse
from support.archive import make_site

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = "2010-06-15"
N_MOUNTS = 5001


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """5001 mounts on 15 June, which the rules judged clean; logs of the 16th, which they never saw."""
    site = make_site(tmp_path_factory.mktemp("notices"), 'name = "case"\nzone = "UTC"\n')
    with Warehouse(site).write("test") as connection:
        connection.execute("INSERT INTO lake.site.setting (name, zone) VALUES ('case', 'UTC')")
        connection.execute(
            "INSERT INTO lake.gold.mount (site_day, session_id, drive, mode, requested_at, n_files, volume_gb)"
            f" SELECT DATE '{DAY}', 's' || i, 'D' || i % 2, 'read', TIMESTAMP '{DAY}' + i * INTERVAL 1 SECOND, 1, 1"
            f" FROM range({N_MOUNTS}) t(i)"
        )
        connection.execute(f"INSERT INTO lake.gold.drive_ledger (day) VALUES ('{DAY}')")
        connection.execute(
            "INSERT INTO lake.ops.coverage SELECT 'enstore_log', 'stk', TIMESTAMP '2010-06-15' + i * INTERVAL 1 HOUR,"
            " NULL, 3600 FROM range(48) t(i)"
        )
        connection.execute(f"INSERT INTO lake.ops.detection (day, n_findings) VALUES ('{DAY}', 0)")
        connection.execute(
            "INSERT INTO lake.ops.build (build_id, number) SELECT CAST(i AS VARCHAR), i FROM range(1, 4) t(i)"
        )
    yield site


def asked(site: Site, name: str, **params: str) -> ask.Answer:
    return ask.ask(site, load_catalog(), name, params)


def test_a_cut_answer_says_so(site: Site) -> None:
    found = asked(site, "session_rates", n="5000")
    assert (found.is_cut, len(found.rows)) == (True, N_MOUNTS - 1)
    assert found.notices == ("session_rates is cut off at 5,000 rows; n=… allows more.",)
    whole = asked(site, "session_rates", n="5000", drive="D1")
    assert (whole.is_cut, whole.notices, len(whole.rows)) == (False, (), N_MOUNTS // 2)
    two = asked(site, "builds", n="2")
    assert (two.is_cut, len(two.rows), two.notices) == (True, 2, ("builds is cut off at 2 rows; n=… allows more.",))
    assert not asked(site, "builds", n="3").is_cut


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_every_form_says_that_rows_are_missing(site: Site, form: str) -> None:
    done = run(site, "ask", "builds", "n=2", "--format", form)
    assert done.exit_code == 0 and "builds is cut off at 2 rows" in done.stderr
    if form == "json":
        assert len(json.loads(done.stdout)) == 2


def run(site: Site, *args: str) -> Result:
    return CliRunner().invoke(cli, [*args, "--site", str(site.root)])


@pytest.mark.parametrize(
    ("name", "day", "expected"),
    [
        ("findings", DAY, ()),
        (
            "findings",
            "2010-06-16",
            ("The rules have not run for 2010-06-16: run `tapescope detect --day 2010-06-16`.",),
        ),
        (
            "finding_life",
            "2010-06-16",
            ("The rules have not run for 2010-06-16: run `tapescope detect --day 2010-06-16`.",),
        ),
        ("headline", "2010-06-16", ()),  # no verdict: it is not the rules that make it
        (
            "headline",
            "2031-01-01",
            (
                "No log covers 2031-01-01: nothing can be concluded.",
                "There is data from 2010-06-15 to 2010-06-16.",
            ),
        ),
    ],
)
def test_days_without_logs_or_verdicts_are_named(site: Site, name: str, day: str, expected: tuple[str, ...]) -> None:
    question = load_catalog().questions[name]
    params = {key: day for key in ("first_day", "last_day") if key in question.params}
    assert asked(site, name, **params).notices == expected


def test_an_empty_answer_about_a_later_day_says_where_data_end(site: Site) -> None:
    done = run(site, "ask", "drives", "--day", "2031-01-01", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])
    assert "There is data from 2010-06-15 to 2010-06-16." in done.stderr


def test_detect_names_days_that_it_says_nothing_of(site: Site) -> None:
    """Of a day without logs no finding is no all-clear; of earlier days with logs the rules never saw one."""
    found = steps.detect(site, date(2031, 1, 1), date(2031, 1, 1))
    assert (found.findings, found.as_dict()["state"]) == ([], "not_covered")
    assert found.doubts == ["No log covers 2031-01-01: nothing can be concluded."]
    assert found.not_run == ["The rules have not run for 2010-06-16: run `tapescope detect --day 2010-06-16`."]
    done = run(site, "detect", "--day", "2031-01-01")
    assert done.exit_code == 0 and "No log covers 2031-01-01: nothing can be concluded." in done.output


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("before_after", "changed_at=banana", "2010-06-15 17:00"),
        ("before_after", "changed_at=2010-02-30", "2010-06-15 17:00"),
        ("before_after", "first_day=June", "2010-06-15"),
        ("builds", "n=0", "whole number"),
        ("builds", "n=-5", "whole number"),
        ("builds", f"n={2**63}", "whole number"),
        ("builds", "n=2.5", "whole number"),
        ("duty_at", "threshold_mb_s=inf", "number"),
    ],
)
def test_values_that_do_not_fit_are_refused(site: Site, name: str, value: str, expected: str) -> None:
    """The message names parameter and value, the hint what is expected; the exit code is that of a usage error."""
    done = run(site, "ask", name, value)
    error = done.exception
    assert isinstance(error, TapescopeError) and error.exit_code == 2
    assert value in str(error) and expected in error.hint


@pytest.mark.parametrize("text", ["2010-06-15 17:00", "2010-06-15T17:00:00Z", "2010-06-15T19:00+02:00"])
def test_an_instant_is_utc_unless_it_names_an_offset(text: str) -> None:
    question = load_catalog().questions["before_after"]
    assert parameters.given(question, {"changed_at": text})["changed_at"] == datetime(2010, 6, 15, 17)
    assert parameters.given(question, {"changed_at": ""})["changed_at"] is None, "left out"


def test_a_far_day_in_one_log_does_not_become_the_last_day(site: Site, tmp_path: Path) -> None:
    far = make_site(tmp_path / "far", 'name = "far"\nzone = "UTC"\n')
    with Warehouse(far).write("test") as connection:
        connection.execute("INSERT INTO lake.site.setting (name, zone) VALUES ('far', 'UTC')")
        # written on 21 June 2010; traffic of a link ends in 9999 alone, samples of a host are sound
        connection.execute("INSERT INTO lake.ops.file (modified_ns) VALUES (1277078400000000000)")
        connection.execute("INSERT INTO lake.gold.link_load (day) VALUES ('9999-12-30')")
        connection.execute(
            "INSERT INTO lake.ops.coverage VALUES ('mrtg_log', 'l', '9999-12-30 10:00:00', NULL, 3600),"
            " ('sar', 'h', '2010-06-15 10:00:00', NULL, 0)"
        )
    with Warehouse(far).read() as connection:
        found = ask.last_day(connection)
    assert (found.day, found.has, found.beyond) == (date(2010, 6, 15), "any log", date(9999, 12, 30))
