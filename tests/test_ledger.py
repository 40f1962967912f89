"""Recommendations: what a change brought, by hand and over many; and the ledger from prediction to score."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pipelines.analysis.forecast import recommendations
from pipelines.analysis.stats.diff_in_diff import Days, realised
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from support.archive import make_site

pytestmark = pytest.mark.usefixtures("plain_store")
APPLIED = date(2010, 3, 10)


def flat(gb: float, hours: float, n: int = 6) -> Days:
    return Days(np.full(n, gb), np.full(n, hours))


def test_by_hand() -> None:
    """60 GB an hour before, 90 after: a half more; the peers went from 50 to 55, a tenth more: 1.5 / 1.1 - 1 = 36.4 %.

    Of 60 GB an hour in 4 hours a day: 87.27 GB a day. Without peers 120.
    """
    alone = realised(flat(240, 4), flat(360, 4)).gain_gb_day
    assert isinstance(alone, Estimate) and (alone.value, alone.low, alone.high) == pytest.approx((120, 120, 120))
    matched = realised(flat(240, 4), flat(360, 4), flat(100, 2), flat(110, 2))
    assert (
        matched.has_peers
        and isinstance(matched.gain_gb_day, Estimate)
        and matched.gain_gb_day.value == pytest.approx(240 * (1.5 / 1.1 - 1))
    )
    # hours: 240 GB a day in 4 h, then 360 in 6 h: no faster, and half more
    assert realised(flat(240, 4), flat(360, 6)).gain_gb_day.value == pytest.approx(0)  # type: ignore[union-attr]
    # of peers that only a table of transfers shows no hours are known: as if there were none
    unknown = realised(flat(240, 4), flat(360, 4), flat(100, 0), flat(110, 0))
    assert not unknown.has_peers and unknown.gain_gb_day == alone
    assert isinstance(realised(flat(240, 0), flat(360, 4)).gain_gb_day, NoEstimate)
    assert realised(flat(240, 4), flat(360, 6), hours=True).gain_gb_day.value == 120  # type: ignore[union-attr]


def test_what_cannot_be_estimated() -> None:
    assert realised(flat(1, 1, 4), flat(1, 1)).gain_gb_day == NoEstimate(
        "only 4 days before the change, or only 4 days after it", "5 days before and after the change"
    )
    single = realised(flat(1, 1, 1), flat(1, 1)).gain_gb_day
    assert isinstance(single, NoEstimate) and single.reason.startswith("only 1 day before the change, or only 1 day ")
    refused = realised(flat(0, 0), flat(1, 1)).gain_gb_day
    assert isinstance(refused, NoEstimate) and "moved no data before" in refused.reason


def test_intervals_hold_the_gain_as_often_as_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    """400 changes of a tenth, and 400 without effect: 20 days on either side, common weather and noise of one's own.

    What a drive does in an hour scatters by a tenth of its own and by a tenth with its peers.
    """
    rng = np.random.default_rng(2)
    shares = {}
    for gain in (0.1, 0.0):
        held = []
        for _ in range(400):
            weather = rng.lognormal(0, 0.1, 40) * np.where(np.arange(40) < 20, 1.0, 1.08)
            hours, peers_hours = rng.uniform(3, 6, 40), rng.uniform(10, 20, 40)
            own = 60 * hours * weather * rng.lognormal(0, 0.1, 40) * np.where(np.arange(40) < 20, 1.0, 1 + gain)
            peers = 60 * peers_hours * weather * rng.lognormal(0, 0.05, 40)
            found = realised(
                Days(own[:20], hours[:20]),
                Days(own[20:], hours[20:]),
                Days(peers[:20], peers_hours[:20]),
                Days(peers[20:], peers_hours[20:]),
                n_resamples=300,
            ).gain_gb_day
            truth = gain * (60 * hours[:20] * weather[:20]).sum() / hours[:20].sum() * hours[20:].mean()
            assert isinstance(found, Estimate)
            held.append(found.low <= truth <= found.high)
        shares[gain] = float(np.mean(held))
    with capsys.disabled():
        print(f"\n400 changes each: covered {shares}; of nothing told as something {1 - shares[0.0]:.1%}")
    assert all(0.85 <= share <= 0.95 for share in shares.values())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Drive A makes 60 GB an hour until the change and 75 from then on, its peer B 60; both 4 hours a day."""
    folder = tmp_path_factory.mktemp("ledger")
    made = make_site(folder, 'name = "ledger"\n')
    with Warehouse(made).write("test") as connection, transaction(connection):
        for drive in "AB":
            put(connection, "site.drive", drive=drive, generation="LTO-4")
        for n in range(-8, 9):
            day = APPLIED + timedelta(days=n)
            put(connection, "gold.drive_ledger", day=day, drive="A", bucket="transfer", duration_us=1, day_us=1)
            put(connection, "gold.drive_day", day=day, drive="A", covered_us=1, day_us=1)
            for drive, gb in (("A", 300.0 if n >= 0 else 240.0), ("B", 240.0)):
                put(connection, "gold.lost_time", day=day, drive=drive, cause="mount", moved_gb=gb, busy_hours=4.0)
        finding = {"finding_id": "abc123", "rule": "long_gap", "entity": "A", "text": "long gaps of A"}
        priced = {"gain_gb_day": 60.0, "gain_gb_day_low": 50.0, "gain_gb_day_high": 70.0}
        put(connection, "gold.finding", day=APPLIED - timedelta(days=1), **finding, **priced)
        put(connection, "gold.finding", day=APPLIED, finding_id="free", rule="flush_burst", entity="A", text="no price")
    yield made


def put(connection: Connection, table: str, **values: object) -> None:
    row = [values.get(name) for name in load_catalog().relations[table].column_names]
    connection.execute(f"INSERT INTO {LAKE}.{table} VALUES ({', '.join('?' * len(row))})", row)


def run(site: Site, *words: str) -> Result:
    return CliRunner().invoke(cli, ["recommendation", *words, "--site", str(site.root)])


def test_from_promise_to_score(site: Site) -> None:
    """Predicted 60 GB a day (50 to 70); it came to (75 - 60) x 4 = 60. Predicted 200 by head: less came."""
    assert "No recommendations yet" in run(site, "list").output
    assert "Recommendation 1 " in run(site, "make", "--finding", "abc").output
    freely = ("make", "--text", "a wonder", "--drives", "A", "--gain", "200:150:250")
    assert "Recommendation 2 " in run(site, *freely).output
    for number in "12":
        assert run(site, "apply", number, "--day", str(APPLIED)).exit_code == 0
    lines = run(site, "list").output.splitlines()
    assert "2010-03-10" in lines[1] and "60 (50 to 70)" in lines[1] and "60 (60 to 60)" in lines[1]
    assert "as predicted" in lines[1] and "long gaps of A" in lines[1]
    assert "less than predicted" in lines[2]
    early = run(site, "list", "--day", str(APPLIED + timedelta(days=3))).output
    assert "cannot estimate: only 3 days before the change, or only 3 days after it; data needed: 5 days" in early
    assert run(site, "drop", "2", "--day", str(APPLIED + timedelta(days=8)), "--note", "no").exit_code == 0
    assert "dropped" in run(site, "list").output


def test_spells_of_a_day_are_recommended_together(site: Site) -> None:
    """Two outages of the newest day cost 30 (20 to 40) and 50 GB: 80 (70 to 90). That of the day before cost 500."""
    spell = {"finding_id": "outage", "rule": "drive_down", "entity": "A", "text": "down"}
    with Warehouse(site).write("test") as connection, transaction(connection):
        put(connection, "gold.finding", day=APPLIED - timedelta(days=1), **spell, gain_gb_day=500.0)
        bounds = {"gain_gb_day_low": 20.0, "gain_gb_day_high": 40.0}
        for hour, priced in ((6, {"gain_gb_day": 30.0, **bounds}), (9, {"gain_gb_day": 50.0})):
            put(connection, "gold.finding", day=APPLIED, started_at=datetime(2010, 3, 10, hour), **spell, **priced)
    number = recommendations.recommend(site, load_catalog(), "outage")
    columns = "predicted_gb_day, predicted_gb_day_low, predicted_gb_day_high"
    with Warehouse(site).read() as connection:
        found = connection.execute(f"SELECT {columns} FROM ops.recommendation WHERE number = ?", [number]).fetchall()
    assert found == [(80.0, 70.0, 90.0)]


def test_an_hour_of_the_next_day_is_no_day_after_the_change() -> None:
    """240 GB a day in five days before, 360 in five after, and 20 in the one hour of the next day: 120 more.

    With the hour as a day it would be (5 x 360 + 20) / 6 - 240 = 63.3.
    """
    days = [(240.0, 24.0)] * 5 + [(360.0, 24.0)] * 5 + [(20.0, 1.0)]
    row = {
        "number": 1,
        "text": "a spare drive",
        "state": "applied",
        "made_day": APPLIED,
        "applied_day": APPLIED,
        "is_hours": True,
        "predicted_gb_day": 120.0,
        "predicted_gb_day_low": 110.0,
        "predicted_gb_day_high": 130.0,
        "peers_gb": 0.0,
        "peers_hours": 0.0,
    }
    rows = [
        row
        | {"day": APPLIED + timedelta(days=n - 5 + (n >= 5)), "is_after": n >= 5}
        | {"moved_gb": gb, "busy_hours": hours / 4, "covered_hours": hours}
        for n, (gb, hours) in enumerate(days)
    ]
    score = recommendations._score(rows)
    assert score.found and isinstance(score.found.gain_gb_day, Estimate)
    assert (score.found.gain_gb_day.value, score.verdict) == (120.0, "as predicted")


def test_a_finding_that_names_its_cause_before_the_station_is_of_the_stations_drives(site: Site) -> None:
    priced = {
        "finding_id": "spread",
        "rule": "priced_loss",
        "entity": "slow_drive/s",
        "text": "slow",
        "gain_gb_day": 9.0,
    }
    with Warehouse(site).write("test") as connection, transaction(connection):
        put(connection, "gold.finding", day=APPLIED, **priced)
        put(connection, "gold.lost_time", day=APPLIED, drive="A", cause="slow_drive", station="s")
    number = recommendations.recommend(site, load_catalog(), "spread")
    with Warehouse(site).read() as connection:
        found = connection.execute("SELECT drives FROM ops.recommendation WHERE number = ?", [number]).fetchall()
    assert found == [("A",)]


def test_what_is_refused(site: Site) -> None:
    catalog = load_catalog()
    with pytest.raises(TapescopeError, match="no finding has an id"):
        recommendations.recommend(site, catalog, "zzz")
    with pytest.raises(TapescopeError, match="has no gain in GB per day"):
        recommendations.recommend(site, catalog, "free")
    with pytest.raises(TapescopeError, match="no drive is called 'Q'"):
        recommendations.recommend_freely(site, catalog, "x", ["Q"], Estimate(1, 1, 1))
    with pytest.raises(TapescopeError, match="no recommendation 99"):
        recommendations.change(site, catalog, 99, "applied", APPLIED)
    assert run(site, "make", "--text", "x").exit_code == 2
