"""The fitted formula: published mounts, a case by hand, refusals, and intervals that hold the truth as they say."""

from dataclasses import replace

import numpy as np
import pytest

from pipelines.analysis.models.calibration import Calibration, fit
from pipelines.analysis.models.service_time import Mounts, Service, check
from pipelines.primitives.estimate import Estimate, NoEstimate

# P38 to P41: files, GB, drive rate, overall rate in MB/s. PIC slides, "Reading LT04 tape test".
PIC = np.array([(278, 766, 83.4, 72.6), (278, 766, 80.4, 66.5), (139, 382, 81.9, 40.8), (44, 119, 80.0, 29.2)])


def pic(rows: slice, repeat: int = 1) -> Mounts:
    n_files, size_gb, _, overall = np.repeat(PIC[rows], repeat, axis=0).T
    return Mounts(n_files, size_gb * 1000, size_gb * 1000 / overall)


def test_x8_four_tests_of_one_file_size_tell_no_speed() -> None:
    """X8: mean files of 2755, 2755, 2748 and 2705 MB: time by size alone would give a negative speed.

    Whole reads take 38.0 s a file, picked ones 67.4 and 92.6: smaller files took longer.
    """
    found = fit(pic(slice(0, 4)))
    assert set(found.unknown) == {"speed_mb_s", "mount_s", "file_s", "seek_s"}
    assert "4 mounts" in found.unknown["speed_mb_s"].reason
    again = fit(pic(slice(0, 4), repeat=5))  # more of the same does not help
    speed = again.parameters["speed_mb_s"]
    assert (
        isinstance(speed, NoEstimate) and "2705 to 2755 MB" in speed.reason and "different sizes" in speed.data_needed
    )
    with pytest.raises(ValueError, match="cannot be determined"):
        again.rate(100, 1000)
    # what the refusal spares us: MB per second of the slope of service time by size
    size, service_s = PIC[:, 1] * 1000 / PIC[:, 0], PIC[:, 1] * 1000 / PIC[:, 3] / PIC[:, 0]
    assert 1 / np.polyfit(size, service_s, 1)[0] < 0


def test_x1_and_x2_stated_costs_against_the_tests() -> None:
    """X1: 72.76 predicted against 72.6; X2: 28.5 and 51.7 s per file remain unexplained, and the search for places
    offered."""
    whole = check(Service(83.4), pic(slice(0, 1)))
    assert whole.fits and whole.error[0] == pytest.approx(72.6 / 72.76 - 1, abs=1e-4)
    for row, seek_s in ((2, 28.5), (3, 51.7)):
        found = check(Service(PIC[row, 2]), pic(slice(row, row + 1)))
        assert not found.fits and round(found.left_over_s[0], 1) == seek_s
        assert f"{seek_s} to {seek_s} s per file" in found.summary and "as long as seeks take" in found.summary


def test_costs_by_hand() -> None:
    """120 s a mount, 4 s a file, 50 MB/s: 10 files of 100 MB take 120 + 40 + 20 = 180 s; without noise all is exact."""
    n_files, size = np.array([10.0, 1, 40, 5, 20, 80, 2, 60]), np.array([100.0, 900, 50, 1000, 300, 20, 500, 700])
    mounts = Mounts(n_files, n_files * size, 120 + 4 * n_files + n_files * size / 50)
    assert mounts.wall_s[0] == 180
    found = fit(mounts)
    assert (found.service.speed_mb_s, found.service.mount_s, found.service.file_s) == pytest.approx((50, 120, 4))
    assert found.fits and found.r_squared == pytest.approx(1) and found.median_error == pytest.approx(0, abs=1e-9)
    assert found.rate(10, 100).value == pytest.approx(1000 / 180)
    # the same with the moving time measured, and 3 s of positioning a file besides
    parts = Mounts(n_files, mounts.moved_mb, mounts.wall_s + 3 * n_files, mounts.moved_mb / 50, 3 * n_files)
    again = fit(parts).service
    assert (again.speed_mb_s, again.mount_s, again.file_s, again.seek_s) == pytest.approx((50, 120, 4, 3))


def test_mounts_alike_do_not_tell_a_mount_from_its_files() -> None:
    n_files = np.full(30, 20.0)
    moved = np.linspace(10_000, 30_000, 30)
    found = fit(Mounts(n_files, moved, 120 + 4 * n_files + moved / 80, moved / 80))
    assert set(found.unknown) == {"mount_s", "file_s", "seek_s"}, "without a log of motion a search is part of a file"
    assert "few files as well as of many" in found.unknown["mount_s"].data_needed
    speed = found.parameters["speed_mb_s"]
    assert isinstance(speed, Estimate) and speed.value == pytest.approx(80), "that was measured and stands"


def served(rng: np.random.Generator, n_mounts: int, moving: bool, slower_a_day: float = 0.0) -> Mounts:
    """Mounts at 80 MB/s, 110 s a mount and 5 s a file; each part of each scatters, big ones more."""
    n_files = np.ceil(rng.lognormal(3, 1, n_mounts))
    size = rng.lognormal(6.5, 0.6, n_mounts)
    moved = n_files * size
    day = np.sort(rng.uniform(0, 14, n_mounts))
    moving_s = moved / 80 * rng.normal(1, 0.05, n_mounts)
    mount_s = 110 * rng.gamma(16, 1 / 16, n_mounts)
    file_s = n_files * 5 * rng.normal(1, 0.15, n_mounts)
    wall = (mount_s + file_s + moving_s) * (1 + slower_a_day * day)
    return Mounts(n_files, moved, wall, moving_s if moving else None, None, day)


@pytest.mark.parametrize("moving", [True, False])
def test_intervals_hold_the_truth_as_often_as_they_say(moving: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """500 seeded sites of 40 mounts: 85 to 95 of a hundred 90 % intervals hold what is true."""
    truth = {"speed_mb_s": 80.0, "mount_s": 110.0, "file_s": 5.0}
    rng = np.random.default_rng(5)
    held: dict[str, list[bool]] = {name: [] for name in (*truth, "rate")}
    refused = 0
    for _ in range(500):
        found = fit(served(rng, 40, moving), n_resamples=400)
        if found.unknown:
            refused += 1
            continue
        for name, value in truth.items():
            one = found.parameters[name]  # type: ignore[index]
            assert isinstance(one, Estimate)
            held[name].append(one.low <= value <= one.high)
        rate = found.rate(50, 500)
        held["rate"].append(rate.low <= Service(80, 110, 5).time(50, 500).rate_mb_s <= rate.high)
    shares = {name: float(np.mean(one)) for name, one in held.items()}
    with capsys.disabled():
        print(f"\n{500 - refused} fits, {refused} refused; covered: {shares}")
    assert refused < 25 and min(map(len, held.values())) >= 400
    assert all(0.85 <= share <= 0.95 for share in shares.values()), shares


def of_two_stations(rng: np.random.Generator, n_mounts: int = 40) -> tuple[Mounts, float]:
    """110 s a mount; files cost 4 s at one station, and 9 s at another whose mounts have more of them; also their mean.

    Costs scatter by 15 % a mount; speeds and searches are as measured. The mean is over all gaps between files.
    """
    is_slow = np.arange(n_mounts) % 2 == 1
    n_files = np.ceil(rng.lognormal(np.where(is_slow, 4.0, 3.0), 0.5, n_mounts))
    moved = n_files * rng.lognormal(6.5, 0.6, n_mounts)
    cost = np.where(is_slow, 9.0, 4.0)
    file_s, moving_s = cost * rng.normal(1, 0.15, n_mounts), moved / 80 * rng.normal(1, 0.05, n_mounts)
    wall = 110 * rng.gamma(16, 1 / 16, n_mounts) + n_files * file_s + moving_s
    truth = float((cost * (n_files - 1)).sum() / (n_files - 1).sum())
    return Mounts(n_files, moved, wall, moving_s, None, None, (n_files - 1) * file_s), truth


def test_a_mount_is_not_traded_for_its_files() -> None:
    """Where files cost more in mounts of more files, a line through mounts gives a mount too little, and is sure of it.

    The time between files separates the two. Of 60 intervals of 90 % at least 47 hold the truth but once in a thousand
    tries (binomial); those of the line held a mount's cost a few times.
    """
    rng, held = np.random.default_rng(11), {"mount": 0, "file": 0, "line": 0}
    for _ in range(60):
        mounts, a_file_s = of_two_stations(rng)
        found = fit(mounts, n_resamples=200).parameters
        line = fit(replace(mounts, between_s=None), n_resamples=200).parameters["mount_s"]
        mount_s, file_s = found["mount_s"], found["file_s"]
        assert isinstance(mount_s, Estimate) and isinstance(file_s, Estimate)
        held["mount"] += mount_s.low <= 110 <= mount_s.high
        held["file"] += file_s.low <= a_file_s <= file_s.high
        held["line"] += isinstance(line, Estimate) and line.low <= 110 <= line.high
    assert held["mount"] >= 47 and held["file"] >= 47 and held["line"] < 30, held


def test_logged_gaps_by_hand() -> None:
    """Mounts of 3 and 5 files, 100 and 110 s a mount, 2 s a file at first and 3 s later: (4 + 12) / (2 + 4) = 2.667 s.

    Left for a mount: (102 + 113) / 2 - 2.667 = 104.83 s. Mounts of one size do as well; those of one file do not.
    """
    n_files = np.array([3.0, 5, 3, 5, 3, 5])
    between, first, mount = np.tile([4.0, 12], 3), np.tile([2.0, 3], 3), np.tile([100.0, 110], 3)
    moving = n_files * 10
    found = fit(Mounts(n_files, moving * 80, mount + first + between + moving, moving, None, None, between)).service
    assert (found.mount_s, found.file_s) == pytest.approx((215 / 2 - 16 / 6, 16 / 6))
    alike = np.full(6, 4.0)
    same = fit(
        Mounts(alike, alike * 800, 100 + 2 * alike + alike * 10, alike * 10, None, None, 2 * (alike - 1))
    ).service
    assert (same.mount_s, same.file_s) == pytest.approx((100, 2))
    ones = np.ones(6)
    assert fit(Mounts(ones, ones * 800, ones * 112, ones * 10, None, None, ones * 0)).unknown


def test_drift_is_seen_where_it_is_and_not_where_it_is_not() -> None:
    def seen(slower_a_day: float) -> Calibration:
        return fit(served(np.random.default_rng(7), 120, False, slower_a_day), n_resamples=200)

    still, slower = seen(0.0).drift_week, seen(0.02).drift_week
    assert isinstance(still, Estimate) and still.low < 0 < still.high
    assert isinstance(slower, Estimate) and slower.low > 0 and slower.value == pytest.approx(0.14, rel=0.35)
    young = fit(served(np.random.default_rng(7), 7, False))
    assert isinstance(young.drift_week, NoEstimate)


def test_bad_mounts_are_named() -> None:
    one = np.ones(3)
    with pytest.raises(ValueError, match="one finite value"):
        Mounts(one, one, np.ones(2))
    with pytest.raises(ValueError, match="one finite value"):
        Mounts(one, one, np.array([1, 2, np.nan]))
    with pytest.raises(ValueError, match="above 0"):
        Mounts(one, one, one * 0)


def test_files_that_begin_and_end_in_one_second_show_no_speed() -> None:
    """Logs of whole seconds: 0 s of moving in four of five mounts; a third of the resamples have no time at all."""
    n = np.arange(1.0, 6.0)
    found = fit(Mounts(n, n * 10, n * 60, np.array([1.0, 0, 0, 0, 0]), np.zeros(5), n, (n - 1) * 5))
    speed = found.parameters["speed_mb_s"]
    assert isinstance(speed, NoEstimate) and "less time than the log's time stamps can resolve" in speed.reason
