"""The end of a campaign: published arithmetic, by hand, refusals, and intervals that hold as often as they say."""

import numpy as np
import pytest

from pipelines.analysis.models.eta import Eta, days_left, moved_ahead, one_drive_more
from pipelines.analysis.models.throughput import campaign
from pipelines.primitives.estimate import Estimate, NoEstimate


def made(found: Eta | NoEstimate) -> Eta:
    assert isinstance(found, Eta)
    return found


def test_a_steady_campaign_is_m40() -> None:
    """M40: 79.2 MB/s is 6842.88 GB a day; 1 PB takes 146.1 days, and nothing scatters."""
    found = made(days_left(np.full(30, 79.2 * 86.4), 1_000_000))
    assert round(found.days.value, 1) == 146.1 == round(campaign(79.2, 1000).days, 1)
    assert (found.days.low, found.days.high) == pytest.approx((found.days.value, found.days.value))
    assert (found.block_days, found.n_days) == (7, 30)


def test_levers_by_hand() -> None:
    """500 GB a day and 5000 left: 10 days; 125 GB more a day: 8; 500 more: 5. One drive of two: 250 more, 6.67."""
    moved = np.full(6, 500.0)
    more = one_drive_more(moved, np.full(6, 2.0))
    assert more == 250
    found = made(days_left(moved, 5000, {"long_gap": 125.0, "idle_queued": 500.0, "a drive more": more}))
    assert [(lever.name, round(lever.days, 2)) for lever in found.levers] == [
        ("idle_queued", 5.0),
        ("a drive more", 6.67),
        ("long_gap", 8.0),
    ]
    assert found.block_days == 1


def test_the_next_days_by_hand() -> None:
    """Steady 500 GB a day: 3,500 in a week, 1,000 in two days; where days scatter, 2 of them scatter less than 7."""
    assert moved_ahead(np.full(6, 500.0)) == Estimate(3500.0, 3500.0, 3500.0)
    days = np.array([300.0, 500.0, 700.0, 400.0, 600.0, 500.0])
    week, two = moved_ahead(days), moved_ahead(days, 2)
    assert isinstance(week, Estimate) and isinstance(two, Estimate)
    assert (week.value, two.value) == (3500.0, 1000.0)
    assert 0 < two.high - two.low < week.high - week.low
    few = moved_ahead(np.full(4, 1.0))
    assert isinstance(few, NoEstimate) and few.reason == "only 4 days have logs"


def test_what_cannot_be_estimated() -> None:
    few, none = days_left(np.full(4, 1.0), 10), days_left(np.zeros(9), 10)
    assert isinstance(few, NoEstimate) and few.reason == "only 4 days have logs" and "5 days" in few.data_needed
    assert isinstance(none, NoEstimate) and "no data moved" in none.reason
    shaky = made(days_left(np.array([0, 0, 0, 0, 100.0]), 10_000))
    assert shaky.days.value == 500 and shaky.days.high > 2500, "by those days it may take for ever"
    assert made(days_left(np.full(5, 1.0), 0)).days.value == 0
    with pytest.raises(ValueError, match="negative"):
        days_left(np.full(5, -1.0), 10)


@pytest.mark.parametrize(("n_known", "has_weeks"), [(10, False), (35, True)])
def test_ends_lie_in_their_intervals_as_often_as_stated(
    n_known: int, has_weeks: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """500 campaigns whose days scatter by half, the longer ones with idle week-ends; the end is then lived through."""
    rng, held = np.random.default_rng(11), []
    for trial in range(500):
        days = 500 * rng.lognormal(0, 0.5, n_known + 600)
        if has_weeks:
            days *= np.where((np.arange(len(days)) + trial) % 7 < 5, 1.0, 0.3)
        left = float(rng.uniform(10, 80) * 500)
        interval = made(days_left(days[:n_known], left, seed=trial)).days
        whole = int(np.searchsorted(np.cumsum(days[n_known:]), left))
        before = days[n_known : n_known + whole].sum()
        ended = whole + (left - before) / days[n_known + whole]
        held.append(interval.low <= ended <= interval.high)
    with capsys.disabled():
        print(f"\n500 campaigns known for {n_known} days: {np.mean(held):.1%} end within their 90 % interval")
    assert 0.85 <= np.mean(held) <= 0.95
