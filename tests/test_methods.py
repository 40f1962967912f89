"""Methods on data whose answer is known: planted effects, null data, and the figures of the documents."""

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from pipelines.analysis.stats import before_after, change_points, clock_skew, contradictions, mixture, two_way
from pipelines.analysis.stats.median_ratio import ratio_of_medians
from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.analysis.studies import published
from pipelines.primitives.estimate import Estimate, NoEstimate

# --- contrast -------------------------------------------------------------------------------------------------


def drawn_rates(random: np.random.Generator, level: float, n_tapes: int, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty files on each tape: tapes differ by 4 %, files by 5 %."""
    tapes = np.repeat(np.arange(first, first + n_tapes), 20)
    return level * (1 + 0.04 * random.normal(size=n_tapes)).repeat(20) * (
        1 + 0.05 * random.normal(size=tapes.size)
    ), tapes


def test_a_drive_15_percent_slow_is_found_and_its_interval_covers() -> None:
    """200 files on 10 tapes, peers on 30: intervals of 90 % cover the truth in 85 to 95 of 100 trials."""
    covered = found = 0
    for seed in range(200):
        random = np.random.default_rng([1, seed])
        own, peers = drawn_rates(random, 68.0, 10, 0), drawn_rates(random, 80.0, 30, 100)
        answer = ratio_of_medians(*own, *peers, n_resamples=199, seed=seed)
        covered += answer.ratio.low <= 0.85 <= answer.ratio.high
        found += answer.ratio.value <= 0.9 and answer.ratio.high < 0.95
    assert found / 200 >= 0.95
    assert 0.85 <= covered / 200 <= 0.95


def test_a_slow_tape_that_both_read_cancels() -> None:
    rates = np.concatenate([np.full(30, 40.0), np.full(60, 80.0)])
    tapes = np.concatenate([np.zeros(30), np.repeat([1, 2], 30)])
    answer = ratio_of_medians(rates, tapes, rates, tapes)
    assert answer.ratio == Estimate(1.0, 1.0, 1.0)


def test_the_interval_against_drives_that_differ_holds_how_much_they_do() -> None:
    """Drives that are well differ by 3 %; one is 15 % slow on top: its own share of that is in the interval."""
    covered = {True: 0, False: 0}
    for seed in range(100):
        random = np.random.default_rng([2, seed])
        own = 1 + 0.03 * random.normal(size=6)
        rates = [drawn_rates(random, 80.0 * level, 6, 10 * number) for number, level in enumerate(own)]
        slow, peers = rates[0], [np.concatenate(side) for side in zip(*rates[1:], strict=True)]
        drives = np.repeat(np.arange(5), 120)
        for knows in covered:
            answer = ratio_of_medians(
                0.85 * slow[0],
                slow[1],
                peers[0],
                peers[1],
                other_groups=drives if knows else None,
                n_resamples=99,
                seed=seed,
            )
            covered[knows] += answer.ratio.low <= 0.85 <= answer.ratio.high
    assert covered[False] < 85 <= covered[True] <= 97


def test_equal_rates_of_whole_seconds_leave_the_drives_differences_in_the_interval() -> None:
    """Every resample has the median of 70 and that of 80: all doubt is how much the peers, 60 to 100, differ.

    Logarithms of 60, 72, 80, 90 and 100: standard deviation 0.198; Student's t of 4 is 2.132: a factor of e^0.4225.
    """
    tapes = np.tile(np.arange(10), 6)
    peers = np.repeat([60.0, 72.0, 80.0, 90.0, 100.0], 60)
    drives = np.repeat(np.arange(5), 60)
    answer = ratio_of_medians(np.full(60, 70.0), tapes, peers, np.tile(tapes, 5), other_groups=drives)
    assert answer.ratio.low == pytest.approx(0.875 / np.exp(0.4225), rel=0.01)
    assert answer.ratio.high == pytest.approx(0.875 * np.exp(0.4225), rel=0.01)


# --- ratios ---------------------------------------------------------------------------------------------------


def test_a_pool_with_twice_the_share_is_found_and_its_interval_covers() -> None:
    """Counts of 24 hours, 20 against 10 on average: the interval of 90 % covers 2; an even share is never one."""
    covered = alarms = 0
    for seed in range(300):
        random = np.random.default_rng([3, seed])
        others = random.poisson(10, (24, 7)).astype(float)
        twice = ratio_of_sums(random.poisson(20, 24).astype(float), others.mean(axis=1), np.arange(24))
        even = ratio_of_sums(others[:, 0], others[:, 1:].mean(axis=1), np.arange(24))
        covered += twice.low <= 2 <= twice.high
        alarms += even.value >= 1.5 and even.low > 1.2
    assert 0.85 <= covered / 300 <= 0.95
    assert alarms == 0


# --- mixture --------------------------------------------------------------------------------------------------


def positions(values: np.ndarray, quantum: float = 1.0) -> list[tuple[float, float]]:
    return [(mode.position, mode.weight) for mode in mixture.modes(values, quantum).modes]


@pytest.mark.parametrize("n", [100, 2_000, 100_000])
def test_two_and_ten_second_gaps_are_two_modes(n: int) -> None:
    """G3: whole seconds, a fifth of the gaps at ten, one in twenty anywhere up to an hour."""
    random = np.random.default_rng(n)
    kind = random.random(n)
    gaps = np.where(kind < 0.75, random.normal(2, 0.3, n), np.where(kind < 0.95, random.normal(10, 0.7, n), 0))
    gaps = np.round(np.where(kind >= 0.95, np.exp(random.normal(4, 1, n)), gaps))
    (short, many), (long, some) = positions(gaps)[:2]
    assert (short, long) == (pytest.approx(2, abs=0.3), pytest.approx(10, abs=0.5))
    assert (many, some) == (pytest.approx(0.75, abs=0.1), pytest.approx(0.2, abs=0.1))


def test_one_population_is_one_mode() -> None:
    random = np.random.default_rng(2)
    for values in (
        np.round(random.normal(2, 0.4, 5_000)),
        np.round(np.exp(random.normal(1.5, 0.8, 50_000))),
        np.round(2 * (1 + random.pareto(1.5, 20_000))),
        np.full(500, 2.0),
    ):
        assert len(positions(values)) == 1
    assert mixture.modes(np.full(19, 2.0)) == NoEstimate("only 19 values, but 20 are needed", "at least 20 values")


def test_a_fifth_of_gaps_five_seconds_longer() -> None:
    random = np.random.default_rng(4)
    gaps = random.normal(2.3, 0.4, 1_000) + 5 * (random.random(1_000) < 0.2)
    assert positions(np.round(gaps, 3), 0.001)[1] == (pytest.approx(7.3, abs=0.3), pytest.approx(0.2, abs=0.05))


# --- change points --------------------------------------------------------------------------------------------


def wandering(seed: int, n_series: int, n: int, memory: float) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=(n_series, n + 50))
    return np.asarray(lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 50:] * math.sqrt(1 - memory**2))


@pytest.mark.parametrize(("memory", "most"), [(0.0, 0.03), (0.3, 0.06), (0.6, 0.10)])
def test_false_alarms_of_change_points(memory: float, most: float) -> None:
    alarms = sum(bool(change_points.find_steps(row)) for row in wandering(3, 100, 30, memory))
    assert alarms / 100 <= most


def test_a_step_of_ten_percent_is_found_with_its_interval() -> None:
    """Thirty days of 100 ± 2 before, thirty of 90 after, with memory: found once, at its place, and covered."""
    series = 100 + 2 * wandering(5, 40, 60, 0.3)
    series[:, 30:] -= 10
    found = [change_points.find_steps(row) for row in series]
    exact = [steps for steps in found if len(steps) == 1 and abs(steps[0].at - 30) <= 2]
    assert len(exact) >= 36
    assert sum(steps[0].low <= -10 <= steps[0].high for steps in exact) >= 0.85 * len(exact)


def test_a_step_of_a_short_series_is_put_in_its_place() -> None:
    """Gaps of eight half-days at 2 s and six at 3: by ranks alone the two largest before it seem to belong after it."""
    gaps = np.array([1.93, 1.95, 1.97, 1.95, 1.89, 1.84, 2.11, 2.00, 3.05, 2.91, 2.90, 3.32, 3.03, 3.11])
    (step,) = change_points.find_steps(gaps - 1e-3 * np.arange(14))
    assert step.at == 8 and step.low < 1.08 < step.high


def test_up_and_down_again_are_two_steps_and_long_series_are_cut_into_blocks() -> None:
    series = np.random.default_rng(6).normal(50, 1, 6_000)
    series[2_000:4_000] += 8
    steps = change_points.find_steps(series)
    assert [(round(step.size), round(step.at, -2)) for step in steps] == [(8, 2_000), (-8, 4_000)]
    assert change_points.find_steps(np.full(50, 7.0)) == ()


# --- before and after -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "before", "after", "printed"),
    [
        ("E17 write, one drive", 2.0, 16.0, 8.0),
        ("E17 read, one drive", 2.0, 16.0, 8.0),
        ("E18 write, all", 7.0, 47.0, 6.7),
        ("E18 read, all", 9.5, 29.0, 3.05),
        ("E27 write, file system", 16.0, 50.0, 3.1),
        ("E27 write, raw", 16.0, 35.0, 2.2),
        ("E27 read, file system", 30.0, 75.0, 2.5),
        ("E27 read, raw", 30.0, 80.0, 2.7),
    ],
)
def test_ratios_of_the_documents(row: str, before: float, after: float, printed: float) -> None:
    """One figure a side gives the printed ratio, and no interval: nothing of the kind can be proved from it."""
    answer = before_after.compare(np.array([before, after]), np.array([False, True]), np.zeros(2), np.arange(2))
    digits = len(str(printed).split(".")[1])
    assert round(answer.unmatched_ratio, digits) == printed
    assert isinstance(answer.ratio, NoEstimate) and "no group of comparable cases has 5 values" in answer.ratio.reason
    assert not answer.is_significant


def null_comparison(seed: int, spread: float) -> before_after.Comparison:
    random = np.random.default_rng([7, seed])
    mounts = np.arange(240) // 10
    rates = 80 * np.exp(spread * random.normal(size=24)[mounts] + 0.1 * random.normal(size=240))
    return before_after.compare(rates, np.arange(240) >= 120, np.tile([0, 1], 120), mounts)


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_false_alarms_of_before_and_after(spread: float) -> None:
    alarms = sum(null_comparison(seed, spread).is_significant for seed in range(150))
    assert alarms / 150 <= 0.16


def test_a_change_of_the_mix_is_no_change_of_the_rate() -> None:
    """Large files go at 80, small ones at 20, before and after; only there are more large ones after."""
    large = np.concatenate([np.tile([True, False, False, False], 30), np.tile([True, True, True, False], 30)])
    rates = np.where(large, 80.0, 20.0) * np.tile([0.98, 1.0, 1.02, 1.0, 0.99], 48)
    answer = before_after.compare(rates, np.arange(240) >= 120, large, np.arange(240) // 8)
    assert answer.unmatched_ratio > 3 and answer.mix_shift == pytest.approx(0.5)
    assert answer.ratio.value == pytest.approx(1, abs=0.02) and not answer.is_significant


# --- drives and tapes -----------------------------------------------------------------------------------------


def judged(effects: tuple[two_way.Effect, ...]) -> list[tuple[two_way.Effect, Estimate]]:
    """Those that can be separated, with their ratios."""
    return [(effect, effect.ratio) for effect in effects if isinstance(effect.ratio, Estimate)]


def test_slow_drive_and_slow_tape_are_separated() -> None:
    random = np.random.default_rng(8)
    drives, tapes = random.integers(0, 8, 600), random.integers(0, 40, 600)
    rates = 80 * np.exp(0.05 * random.normal(size=600)) * np.where(drives == 3, 0.85, 1) * np.where(tapes == 7, 0.8, 1)
    found = two_way.fit(rates, drives, tapes)
    slow = {effect.name: ratio for effect, ratio in judged(found.drives) if ratio.high < 0.95}
    assert set(slow) == {"3"} and slow["3"].low <= 0.85 <= slow["3"].high
    assert [effect.name for effect, ratio in judged(found.tapes) if ratio.value < 0.88] == ["7"]


def test_a_change_of_all_drives_is_not_laid_on_the_tapes_read_since() -> None:
    """From day 5 on everything is a tenth faster; tapes 0 to 6 are read mostly before, 7 to 13 mostly since."""
    random = np.random.default_rng(4)
    tapes = np.tile(np.arange(14), 6)
    drives = random.integers(0, 6, tapes.size)
    days = np.where(random.random(tapes.size) < 0.8, tapes // 7 * 5, 5 - tapes // 7 * 5) + random.integers(
        0, 5, tapes.size
    )
    rates = 80 * np.where(days >= 5, 1.1, 1.0) * np.where(tapes == 9, 0.85, 1.0) * (1 + 0.004 * random.normal(size=84))
    plain, timed = (two_way.fit(rates, drives, tapes, times, n_resamples=1) for times in (None, days))
    assert min(ratio.value for effect, ratio in judged(plain.tapes) if effect.name != "9") < 0.96
    assert min(ratio.value for effect, ratio in judged(timed.tapes) if effect.name != "9") > 0.98
    (ninth,) = (ratio.value for effect, ratio in judged(timed.tapes) if effect.name == "9")
    assert ninth == pytest.approx(0.85, abs=0.01)
    assert np.median(timed.times[5:]) / np.median(timed.times[:5]) == pytest.approx(1.1, abs=0.01)


def test_what_shares_no_tape_cannot_be_separated() -> None:
    """D9: each drive has read tapes of its own: two groups, and no one to blame."""
    drives, tapes = np.repeat(["a", "b"], 40), np.repeat(np.arange(8), 10)
    found = two_way.fit(np.where(drives == "a", 60.0, 80.0), drives, tapes, n_resamples=19)
    assert len({effect.group for effect in found.drives}) == 2
    whys = [effect.ratio.reason for effect in found.drives if isinstance(effect.ratio, NoEstimate)]
    assert len(whys) == 2 and all("with other drives" in why for why in whys)
    tapes = [effect.ratio.reason for effect in found.tapes if isinstance(effect.ratio, NoEstimate)]
    assert tapes == ["the tape was used in one drive only"] * 8


# --- fairness -------------------------------------------------------------------------------------------------


def test_fairness_of_the_documents() -> None:
    """C07, and the five active drives of E09, which share almost evenly."""
    assert published.per_stream(100.0, 50) == 2.0
    drives = np.array([9420.0, 9420.0, 8345.0, 8601.0, 8806.0])
    assert drives.sum() == 44_592 and round(drives.mean()) == 8918
    assert published.jain(drives) == pytest.approx(0.9975, abs=2e-4)
    assert published.variation(drives) == pytest.approx(0.0549, abs=5e-4)
    # M22: one stream of 175 MB/s leaves the other nothing
    assert published.jain(np.array([175.0, 0.0])) == 0.5
    # N18: streams of an LTO-6 want 160 MB/s each of a ceiling of 2000 (N23): twelve hold it, thirteen do not
    streams = np.arange(1, 15)
    assert published.streams_held(streams, 2000.0 / streams, 160.0) == 12
    assert math.isnan(published.jain(np.zeros(3))) and math.isnan(published.variation(np.array([1.0])))


# --- clocks ---------------------------------------------------------------------------------------------------


def two_clocks(skew_s: float, step_s: float, noise: float = 0.0) -> tuple[np.ndarray, ...]:
    """Six hours of transfers, and what the network carried in samples of `step_s`, its clock ahead by `skew_s`."""
    random = np.random.default_rng(9)
    begins = np.cumsum(random.uniform(15, 45, 600))
    lasted = random.uniform(5, 12, 600)
    clock = np.arange(0.0, 21_600.0, step_s)
    fine = np.arange(0.0, 21_600.0, 0.1)
    running = np.zeros(fine.size)
    for begin, end in zip(begins + skew_s, begins + skew_s + lasted, strict=True):
        running[np.searchsorted(fine, begin) : np.searchsorted(fine, end)] += 100.0
    seen = running.reshape(clock.size, -1).mean(axis=1) + noise * 100 * random.exponential(size=clock.size)
    return begins, begins + lasted, 100 * lasted, clock, seen


@pytest.mark.parametrize(("step_s", "noise"), [(1.0, 0.0), (1.0, 1.0), (5.0, 0.0), (10.0, 0.3)])
@pytest.mark.parametrize("skew_s", [37.0, 10.0, -10.0, 0.0])
def test_a_planted_skew_is_found_to_two_seconds(skew_s: float, step_s: float, noise: float) -> None:
    found = clock_skew.skew(*two_clocks(skew_s, step_s, noise), step_s)
    assert found.skew_s.value == pytest.approx(skew_s, abs=2)
    assert found.skew_s.low <= skew_s <= found.skew_s.high
    assert found.blind_below_s == step_s


@pytest.mark.parametrize("step_s", [60.0, 300.0])
def test_coarse_samples_say_what_they_cannot_see(step_s: float) -> None:
    found = clock_skew.skew(*two_clocks(37.0, step_s), step_s)
    assert isinstance(found.skew_s, NoEstimate) and f"a sample covers {step_s:g} s" in found.skew_s.reason
    assert found.blind_below_s == step_s


def test_traffic_of_somebody_else_tells_nothing() -> None:
    begins, ends, moved, clock, seen = two_clocks(37.0, 1.0)
    other = np.random.default_rng(10).permutation(seen)
    assert "no time lag clearly fits best" in clock_skew.skew(begins, ends, moved, clock, other, 1.0).skew_s.reason


# --- contradictions -------------------------------------------------------------------------------------------

GB, TB, DAY = 1e9, 1e12, 86_400
WRONG = {
    "M18 spool against five disks": contradictions.disagree("spool, GB", 535, 5000),
    "M19 little difference": published.two_figures("read by block size", [125, 200]),
    "M28 ten percent of 8 GB": contradictions.disagree("dirty pages, GB", 1.0, 0.8),
    "M43 four outputs on two links": contradictions.above("two instances out, Gb/s", 4 * 75 * 8 / 1e3, 2, "Gb/s"),
    "MA1 headline": contradictions.outside("80 MB/s", 79.2, 85, 135),
    "MA2 dm8": contradictions.above_one("output duty that balances", 450 * 0.8 / 300),
    "MA2 dm8 in a week": contradictions.unbalanced("dm8, TB", 7 * 3.888, 7 * 2.376, 1.07),
    "P07 a third of a tape": contradictions.disagree("share of a tape", 1 / 3, 28 / 800),
    "P13 volume": contradictions.disagree("TB", 41.3, 84.01e6 * 12 * DAY / TB),
    "P15 movers": contradictions.above("movers in use", 11.71, 9, "drives"),
    "P23 robots against reads": contradictions.disagree("MB/s", 121.43, 76.76 + 117.38),
    "P25 powerful servers": published.two_figures("MB/s", [110, 120]),
    "P42 f upside down": contradictions.above_one("f = drive/overall", 83.4 / 72.6),
    "C08 switch": contradictions.disagree("10 GB switch, GB/s", 10.0, 10 / 8),
    "E26 stripe": contradictions.disagree("256K blocks of 512 bytes", 128 * 1024, 256 * 1024 * 512),
    "E29 segments": contradictions.disagree("bytes", 256e3, 1.024e9 / 4),
    "N31 one file": contradictions.fits_memory("1 GB on 36 GB", 1 * GB, 1, 36 * GB),
    "X6 M19, file of 1 GB on 8 GB": contradictions.fits_memory("dd", 1 * GB, 1, 8 * GB),
    "N15 one stream": published.too_few_streams("dd", 1, 4),
}
RIGHT = {
    "M28 ten percent of 1 GB": contradictions.disagree("dirty pages, MB", 100, 0.1 * 1000),
    "M31 within the drive's range": contradictions.outside("MB/s", 75, 60, 120),
    "M33": contradictions.disagree("efficiency", 0.77, 200 / 260),
    "M38": contradictions.disagree("duties", 2.4, 0.6 + 0.6 + 0.8 + 0.4),
    "M40": contradictions.disagree("s/GB", 12.5, 1000 / 80),
    "M43 four inputs": contradictions.above("Gb/s", 4 * 33 * 8 / 1e3, 2, "Gb/s"),
    "P05": contradictions.disagree("GB", 2.8, 4200 / 1500),
    "P24": contradictions.outside("drives", 250 / 33, 7.1, 10),
    "P31": contradictions.disagree("wraps", 56, 896 / 16),
    "P36": contradictions.disagree("GB", 2.75, 766 / 278),
    "P42 the right way": contradictions.above_one("f = overall/drive", 72.6 / 83.4),
    "C07": contradictions.disagree("MB/s", 2, 100 / 50),
    "C23": contradictions.disagree("drives", 50, 10 + 15 + 25),
    "E09": contradictions.disagree("blocks", 24, 240 - 216),
    "E10": contradictions.disagree("KB/s", 44_592, 9420 + 9420 + 8345 + 8601 + 8806),
    "E14 more than memory": contradictions.fits_memory("timex", 600e6, 1, 512e6),
    "N23": contradictions.disagree("MB/s", 2000, 25 * 80),
    "dm7 balanced by its spool": contradictions.unbalanced("dm7, TB", 2.1, 1.9, 1.07),
}


@pytest.mark.parametrize("name", WRONG)
def test_marks_of_the_documents_are_found(name: str) -> None:
    found = WRONG[name]
    assert found is not None and found.why


@pytest.mark.parametrize("name", RIGHT)
def test_right_figures_are_left_alone(name: str) -> None:
    assert RIGHT[name] is None


def test_slips_of_units_are_named() -> None:
    assert "bits and bytes confused" in str(WRONG["C08 switch"])
    assert "a factor of 1024" in str(WRONG["E26 stripe"])
    assert "a factor of 1000" in str(WRONG["E29 segments"])
