"""Growth of what is written, holdings against a plan: by hand, refusals, intervals that hold as often as they say."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.analysis.forecast import History, Outlook, outlooks
from pipelines.analysis.models.growth import YEAR, Growth, learn
from pipelines.answers.question import Answer, answer
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site, load_site
from pipelines.primitives.errors import ConfigError, TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.reporting.report.sections.forecast import _holdings
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import prepare_tables
from support.archive import make_site

pytestmark = pytest.mark.usefixtures("plain_store")

FIRST, LAST = date(2010, 1, 1), date(2010, 7, 18)  # 199 days

Days = np.ndarray[Any, np.dtype[np.float64]]


def growth_of(gb: Days, last: int | None = None) -> Growth:
    found = learn(np.arange(len(gb)), gb, len(gb) - 1 if last is None else last)
    assert isinstance(found, Growth)
    return found


def value(found: object) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def test_traffic_that_doubles_in_a_year_n04() -> None:
    """N04, "about x2": days that double every year, 1000 GB at last: a year on 2000, 1000 x YEAR / ln 2 between."""
    found = growth_of(1000 * 2 ** ((np.arange(400) - 399.5) / YEAR))
    assert value(found.factor_year) == pytest.approx(2.0, rel=1e-3)
    assert value(found.double_days) == pytest.approx(YEAR, rel=2e-3)
    assert (value(found.rate(0)), value(found.rate(YEAR))) == pytest.approx((1000, 2000), rel=2e-3)
    assert value(found.written(YEAR)) == pytest.approx(1000 * YEAR / np.log(2), rel=2e-3)
    assert value(found.days_until(1000 * YEAR / np.log(2))) == pytest.approx(YEAR, rel=2e-3)
    assert found.reach_days == 1600


def test_steady_writing_by_hand() -> None:
    """500 GB a day for ten weeks: factor 1, 50,000 GB in 100 days; nothing scatters, so 100 days are enough or not."""
    found = growth_of(np.full(70, 500.0))
    assert isinstance(found.factor_year, Estimate)
    assert (found.factor_year.low, found.factor_year.high) == pytest.approx((1, 1))
    assert value(found.written(100)) == pytest.approx(50_000) == 500 * value(found.days_until(50_000))
    assert (found.chance(100, 49_999), found.chance(100, 50_001)) == (1.0, 0.0)
    assert isinstance(found.double_days, Estimate)


def test_falling_traffic_may_never_come_to_it() -> None:
    """Halved every 30 days, 100 GB a day at last: what is still to come is 100 x 30 / ln 2 = 4,328 GB, and no more."""
    found = growth_of(100 * 0.5 ** ((np.arange(84) - 83.5) / 30))
    assert value(found.days_until(2164)) == pytest.approx(30, rel=0.02)
    never = found.days_until(5000)
    assert isinstance(never, NoEstimate) and never.reason.startswith(
        "the amount is not expected to be written within the next 336 days"
    )
    assert value(found.double_days) == np.inf


def test_weeks_without_logs_are_no_weeks_without_writing() -> None:
    """Of 20 weeks the middle six have no logs, and one has four days only: the line is that of the others."""
    days = np.array([day for day in range(140) if not 49 <= day < 91 and not 10 <= day < 14])
    found = learn(days, 100 * 3 ** ((days - 139.5) / YEAR), 139)
    assert isinstance(found, Growth) and value(found.factor_year) == pytest.approx(3.0, rel=1e-2)


def test_weeks_with_nothing_make_it_unsure() -> None:
    """Every other of eight weeks nothing is written, in the others 3,500 GB: 250 a day, and hardly known."""
    found = growth_of(np.where(np.arange(56) // 7 % 2 == 0, 0.0, 500.0))
    assert isinstance(found.factor_year, Estimate) and found.factor_year.low < 0.1 < 10 < found.factor_year.high
    half = found.written(28)
    assert isinstance(half, Estimate) and half.low < 3500 < 14_000 < half.high


def test_what_cannot_be_estimated() -> None:
    few = learn(np.arange(4), np.full(4, 1.0), 3)
    assert isinstance(few, NoEstimate) and few.reason == "only 4 days have logs" and "5 days" in few.data_needed
    none = learn(np.arange(90), np.zeros(90), 89)
    assert isinstance(none, NoEstimate) and none.reason == "no data was written on the days with logs"
    month = growth_of(np.full(28, 500.0))
    assert isinstance(month.factor_year, NoEstimate)
    assert month.factor_year.reason == "only 4 weeks with logs of at least five days"
    assert "8 weeks" in month.factor_year.data_needed and value(month.written(28)) == 14_000
    far = month.written(29)
    assert (
        isinstance(far, NoEstimate)
        and far.reason == "29 days is too far ahead: 28 days of logs allow an estimate for at most 28 days"
    )
    # 3 days of 21: their mean is no basis, and its interval would reach a hundred times as much
    sudden = learn(np.arange(21), np.where(np.arange(21) < 18, 0.0, 5000.0), 20)
    assert (
        isinstance(sudden, NoEstimate)
        and sudden.reason == "nothing was written at the start or at the end of the days with logs"
    )
    begun = growth_of(np.where(np.arange(84) < 70, 0.0, 500.0))
    assert isinstance(begun.factor_year, NoEstimate) and begun.factor_year.reason.startswith("nothing was written")


@pytest.mark.parametrize(("since", "until"), [(56, 140), (0, 84), (21, 140), (0, 119)])
def test_growth_is_not_read_off_the_begin_or_end_of_writing(since: int, until: int) -> None:
    """Eight, or three, empty weeks next to weeks of 100 GB a day are no growth; a pause as long within them is."""
    days = np.arange(140)
    found = growth_of(np.where((days >= since) & (days < until), 100.0, 0.0))
    assert isinstance(found.factor_year, NoEstimate) and found.factor_year.reason.startswith("nothing was written")
    paused = growth_of(np.where((days < 49) | (days >= 70), 100.0, 0.0))
    assert isinstance(paused.factor_year, Estimate)


def test_intervals_hold_what_comes_as_often_as_stated(capsys: pytest.CaptureFixture[str]) -> None:
    """400 sites with logs of 12 weeks, days that scatter by half, idle week-ends; then half a year is lived through."""
    held = []
    for trial in range(400):
        rng = np.random.default_rng([5, trial])
        factor, days = rng.uniform(0.7, 3.0), np.arange(84 + 182)
        gb = 500 * factor ** ((days - 84) / YEAR) * rng.lognormal(-0.125, 0.5, len(days))
        gb *= np.where((days + trial) % 7 < 5, 1.0, 0.3)
        found = growth_of(gb[:84])
        pairs = (found.factor_year, factor), (found.written(182), gb[84:].sum())
        held.append([isinstance(one, Estimate) and one.low <= truth <= one.high for one, truth in pairs])
    shares = np.mean(held, axis=0)
    with capsys.disabled():
        print(f"\n400 sites: factors {shares[0]:.1%}, GB of half a year {shares[1]:.1%} in their 90 % intervals")
    assert all(0.85 <= share <= 0.95 for share in shares)


# --- of a site ------------------------------------------------------------------------------------------------

PLANS = """
[[plan]]
by = 2011-07-19
holdings_tb = 1000.0

[[plan]]
by = 2010-12-31
holdings_tb = 10.0
storage_group = "cms"

[[plan]]
by = 2010-07-01
holdings_tb = 10.0
file_family = "raw"

[[plan]]
by = 2002-01-01
holdings_tb = 2000.0

[[plan]]
by = 2020-01-01
holdings_tb = 2000.0
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """199 days on which 1 TB is written, all of cms; an export says that 400 TB were there before the first."""
    folder = tmp_path_factory.mktemp("projection")
    made = make_site(folder, f'name = "grown"\n{PLANS}')
    catalog = load_catalog()
    days = f"(SELECT DATE '{FIRST}' + CAST(n AS INTEGER) AS day FROM range(199) AS t(n))"
    with Warehouse(made).write("test") as connection:
        prepare_tables(connection, catalog)
        with transaction(connection):
            connection.execute(
                f"INSERT INTO {LAKE}.site.setting (name, zone, duty_threshold_mb_s, expected_gap_s, log_silence_s)"
                " VALUES ('grown', 'UTC', 5, 2, 600)"
            )
            connection.execute(
                f"INSERT INTO {LAKE}.gold.drive_ledger BY NAME"
                " SELECT day, 'A' AS drive, 'idle' AS bucket, 86400000000 AS duration_us, 86400000000 AS day_us"
                f" FROM {days}"
            )
            connection.execute(
                f"INSERT INTO {LAKE}.silver.transfer BY NAME"
                " SELECT day, 's' AS system, CAST(day AS VARCHAR) AS transfer_id, 'write' AS mode, 'ok' AS status,"
                " 'V' AS volume, 1000000000000 AS bytes, 'cms' AS storage_group, 'aod' AS file_family,"
                f" day + INTERVAL 8 HOUR AS started_at, 'mover' AS witnesses FROM {days}"
            )
            connection.execute(
                f"INSERT INTO {LAKE}.gold.tape_traffic BY NAME"
                " SELECT day, 's' AS system, 'write' AS mode, 1000000000000 AS bytes, 'cms' AS storage_group,"
                f" 'aod' AS file_family, FALSE AS is_listed FROM {days}"
            )
            connection.execute(
                f"INSERT INTO {LAKE}.silver.volume BY NAME SELECT 's' AS system, 'V' AS volume, 'cms' AS storage_group,"
                " 'aod' AS file_family, 400000000000000 AS active_bytes, TIMESTAMP '2009-12-31' AS recorded_at"
            )
    yield made


def test_holdings_against_a_plan_e01(site: Site) -> None:
    """400 + 199 TB are held. A TB a day: 401 more come in 401 days, on 2011-08-24; by 2011-07-19, 365 days, 964 TB."""
    with Warehouse(site).read() as connection:
        asked = partial(answer, connection, load_catalog())
        found = outlooks(History(site, load_catalog(), LAST, ask=asked))
    assert [one.held.held_tb for one in found] == [599.0, 599.0, 0.0, 599.0, 599.0]
    year, cms, raw, past, far = found
    assert value(year.holdings_tb) == pytest.approx(964) and year.chance == 0.0
    assert year.day_of(value(year.days_left)) in (date(2011, 8, 23), date(2011, 8, 24))
    assert cms.chance == 1.0 and value(cms.holdings_tb) == pytest.approx(599 + 165)
    assert (
        isinstance(raw.holdings_tb, NoEstimate)
        and raw.holdings_tb.reason == "no data was written on the days with logs"
    )
    assert (
        isinstance(past.holdings_tb, NoEstimate)
        and past.holdings_tb.reason == "the day of the plan is not after the last day of the history"
    )
    assert (
        isinstance(far.holdings_tb, NoEstimate)
        and "199 days of logs allow an estimate for at most 796 days" in far.holdings_tb.reason
    )
    assert far.day_of(np.inf) is None


def test_the_command_says_it(site: Site) -> None:
    done = CliRunner().invoke(cli, ["forecast", "growth", "--site", str(site.root)], catch_exceptions=False)
    output = done.output
    assert "599.00 TB on tape (export of volumes on 2009-12-31, plus later writes) at the end of 2010-07-18" in output
    assert "a factor of 1.000 (1.000 to 1.000) a year" in output
    assert re.search(r"365 +1,000 \(1,000 to 1,000\) +964\.00", output)
    plan = next(line for line in output.splitlines() if line.startswith("1000 TB by 2011-07-19 "))
    assert "964.00 (964.00 to 964.00)" in plan and " 0.0 " in plan and " 2011-08-2" in plan
    assert "cms 10 TB by 2010-12-31" in output
    assert (
        "cannot estimate whether the plan is met: the day of the plan is not after the last day of the history"
        in output
    )
    nobody = CliRunner().invoke(cli, ["forecast", "growth", "--group", "nobody", "--site", str(site.root)])
    assert "no log shows data of 'nobody' on tape" in str(nobody.exception)
    early = CliRunner().invoke(cli, ["forecast", "growth", "--day", "2001-01-01", "--site", str(site.root)])
    assert isinstance(early.exception, TapescopeError)
    assert "no accounting shows how much was written on any day" in str(early.exception)
    # a build would change nothing: days without drives' logs have none after it either
    assert "tapescope build" not in early.exception.hint and "files written to tape" in early.exception.hint


def test_a_night_keeps_plans_and_the_report_tells_them(site: Site) -> None:
    steps.forecast(site, LAST)
    rows = [row for row in steps.ask(site, "forecasts", {"last_day": str(LAST)}).as_dicts() if row["model"] == "growth"]
    kept = {(row["entity"], row["quantity"]): row for row in rows}
    holds = kept["1000 TB by 2011-07-19", "holdings_tb"]
    assert holds["value"] == pytest.approx(964) and holds["until_day"] == date(2011, 7, 18)
    assert (holds["n_samples"], holds["first_day"]) == (199, LAST - timedelta(days=727))
    assert kept["cms 10 TB by 2010-12-31", "met"]["value"] == 1.0
    assert (
        kept["2000 TB by 2002-01-01", "holdings_tb"]["reason_missing"]
        == "the day of the plan is not after the last day of the history"
    )
    plan_rows = [row for row in rows if row["entity"].startswith("1000")]
    assert _holdings(plan_rows).startswith(
        "964.00 TB (964.00 to 964.00) by the day of the plan, with a probability of 0"
    ) and "estimated from 199 days" in _holdings(plan_rows)
    assert "cannot estimate future size: the day of the plan is not after the last day of the history" in _holdings(
        [row for row in rows if "2002" in row["entity"]]
    )
    assert _holdings([]) == "the future size of the archive was not estimated"


def test_what_was_there_before_is_not_guessed() -> None:
    """Without an export 60 TB were logged; 60 days are enough for a plan 30 days ahead, which is without growth."""
    site = Site(name="case", plan=[{"by": date(2010, 3, 1), "holdings_tb": 80.0}])  # type: ignore[list-item]
    questions = load_catalog().asked
    begin = date(2010, 1, 1)
    days = [(begin + timedelta(days=n), 1000.0, 1.0) for n in range(30)] + [(date(2010, 1, 31), 9999.0, 0.4)]
    rows = {"written_days": days, "holdings": [(0, 0.0, None, 60_000.0, 60_000.0)]}

    def answered(name: str, _: dict[str, str]) -> Answer:
        return Answer(list(questions[name].columns), rows[name], "", 1)

    (found,) = outlooks(History(site, load_catalog(), date(2010, 1, 30), 28, answered))
    assert isinstance(found, Outlook) and not found.held.is_whole and found.written.n_days == 30
    assert (value(found.holdings_tb), value(found.days_left)) == (89.0, 20.0), (
        "29 days of 1 TB; the half-seen day is out"
    )
    assert found.day_of(20) == date(2010, 2, 20)


def test_plans_of_a_site_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text('name = "x"\n[[plan]]\nby = 2012-01-01\nholdings_tb = 0\n[[plan]]\nby = 2012-01-01\n')
    with pytest.raises(ConfigError, match=r"line 4: plan\.1\.holdings_tb[\s\S]*plan\.2\.holdings_tb"):
        load_site(path)
    path.write_text('name = "x"\n' + 2 * "[[plan]]\nby = 2012-01-01\nholdings_tb = 5\n")
    with pytest.raises(ConfigError, match="'5 TB by 2012-01-01' is declared twice"):
        load_site(path)
