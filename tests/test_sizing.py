"""Drives needed: the sizing note's example, its sensitivity, intervals; and the formula asked the other way round."""

import math
import re

import numpy as np
import pytest
from click.testing import CliRunner

from pipelines.analysis.forecast.costs import Fitted
from pipelines.analysis.forecast.drives import size
from pipelines.analysis.models import calibration, sizing
from pipelines.analysis.models.service_time import Mounts, Service
from pipelines.analysis.models.sizing import Traffic, capped, certain, drives_needed
from pipelines.analysis.studies import published
from pipelines.analysis.studies.published import drives_fed, gap_bound_rate
from pipelines.cli import cli
from pipelines.config.technology import drive
from pipelines.primitives.estimate import Estimate


def note(organised: float = 0.5, chaotic: float = 0.1) -> list[Traffic]:
    """C23, CERN sizing note, summary: three classes at 40 MB/s a drive."""
    return [
        Traffic("T0", certain(100), certain(2), certain(organised)),
        Traffic("reprocessing", certain(150), certain(2), certain(organised)),
        Traffic("analysis", certain(50), certain(2), certain(chaotic)),
    ]


def test_fifty_drives_c23() -> None:
    """100 x 2 / 0.5 / 40 = 10, 150 x 2 / 0.5 / 40 = 15, 50 x 2 / 0.1 / 40 = 25."""
    found = drives_needed(note(), certain(40))
    assert found.of_class == {"T0": 10, "reprocessing": 15, "analysis": 25}
    assert (found.drives, found.whole) == (Estimate(50, 50, 50), 50)
    assert found.tornado == (), "nothing was said to be uncertain"


@pytest.mark.parametrize(
    ("organised", "chaotic", "printed"), [(0.5, 0.05, 75), (0.5, 0.03, 108), (0.4, 0.1, 56), (0.3, 0.1, 67)]
)
def test_sensitivity_c24(organised: float, chaotic: float, printed: int) -> None:
    """25 + 100 / 0.05 / 40 = 75; 25 + 83.3 = 108.3; 250 x 2 / 0.4 / 40 + 25 = 56.25; 41.67 + 25 = 66.67."""
    assert round(drives_needed(note(organised, chaotic), certain(40)).drives.value) == printed


def test_the_answer_hangs_on_the_chaotic_efficiency() -> None:
    classes = note()
    classes[2] = Traffic("analysis", certain(50), certain(2), Estimate(0.1, 0.03, 0.12))
    classes[0] = Traffic("T0", certain(100), Estimate(2, 1.8, 2.2), certain(0.5))
    found = drives_needed(classes, certain(40))
    assert [name for name, *_ in found.tornado] == ["analysis: efficiency", "T0: factor"]
    assert found.tornado[0][1:] == pytest.approx((108.33, 45.83), abs=0.01)
    assert found.tornado[1][1:] == pytest.approx((49, 51))
    assert found.drives.value == 50 and 44 < found.drives.low < 47 and 100 < found.drives.high < 112


def test_availability_c03() -> None:
    """A tenth of the drives out of order: 50 / 0.9 = 55.6, so 56."""
    assert drives_needed(note(), certain(40), certain(0.9)).whole == 56


def test_one_uncertain_input_gives_its_own_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """Drives go with 1 / efficiency: an efficiency of 0.2 (0.1 to 0.4) gives 5 (2.5 to 10) drives, to a few per cent.

    And as a forecast: where truths are drawn as the input says, 85 to 95 of a hundred intervals hold them.
    """
    one = drives_needed([Traffic("a", certain(40), certain(1), Estimate(0.2, 0.1, 0.4))], certain(40))
    assert (one.drives.value, one.drives.low, one.drives.high) == pytest.approx((5, 2.5, 10), rel=0.06)
    rng, held = np.random.default_rng(3), []
    for trial in range(400):
        # an efficiency and a speed are measured with a known error, and given with 90 % intervals
        efficiency, speed = rng.normal([math.log(0.3), math.log(80)], [0.15, 0.05])
        seen = [math.exp(rng.normal(true, sd)) for true, sd in ((efficiency, 0.15), (speed, 0.05))]
        estimates = [
            Estimate(v, v * math.exp(-1.645 * sd), v * math.exp(1.645 * sd))
            for v, sd in zip(seen, (0.15, 0.05), strict=True)
        ]
        found = drives_needed(
            [Traffic("a", certain(500), certain(2), estimates[0])], estimates[1], seed=trial, n_draws=800
        )
        held.append(found.drives.low <= 1000 / math.exp(efficiency + speed) <= found.drives.high)
    with capsys.disabled():
        print(f"\n400 drives-needed intervals of 90 %: {np.mean(held):.1%} hold the truth")
    assert 0.85 <= np.mean(held) <= 0.95


@pytest.mark.parametrize(
    ("speed", "n_files", "size"),
    [(30, math.inf, 132), (30, 100, 168), (30, 10, 492), (30, 1, 3732), (400, math.inf, 1760)],
)
def test_file_size_for_half_c15(speed: float, n_files: float, size: float) -> None:
    """C15: at 50 % the file moves as long as it costs: 30 x (120 / 10 + 4.4) = 492 MB."""
    found = sizing.file_size_for_efficiency(Service(speed), 0.5, n_files)
    assert round(found) == size
    if n_files < math.inf:
        assert Service(speed).time(n_files, found).efficiency == pytest.approx(0.5)


def test_below_five_per_cent_c15() -> None:
    """C15: one file a mount stays below 5 % when it has less than 30 x 124.4 x 0.05 / 0.95 = 196 MB."""
    assert round(sizing.file_size_for_efficiency(Service(30), 0.05, 1)) == 196


def test_files_a_mount_for_a_rate() -> None:
    """1 GB at 80 MB/s takes 12.5 s and 4.4; for 40 MB/s 25 s may pass: 120 / (25 - 16.9) = 14.8 files."""
    assert sizing.files_per_mount_for(Service(80), 40, 1000) == pytest.approx(120 / 8.1)
    with pytest.raises(ValueError, match=r"never reach 60 MB/s: they reach only 59.2 MB/s"):
        sizing.files_per_mount_for(Service(80), 60, 1000)


def test_write_buffer_p48_and_x7() -> None:
    """P48: 20 GB of 2.755 GB files at 60 MB/s: 20,000 / (120 + 7.26 x 4.4 + 333.3) = 41.2 MB/s, 69 %; an hour 89 %."""
    service = Service(60)
    spent = service.time(20_000 / 2755, 2755)
    assert (round(spent.rate_mb_s, 1), round(100 * spent.efficiency)) == (41.2, 69)
    hour = service.time(216_000 / 2755, 2755)
    assert round(100 * hour.efficiency) == 89
    assert sizing.chunk_for_efficiency(service, hour.efficiency, 2755) == pytest.approx(216_000)
    with pytest.raises(ValueError, match="however much data a mount moves"):
        sizing.chunk_for_efficiency(service, 0.95, 1000)


def test_spool_headroom_m46() -> None:
    """M46: 2 x 535 GB at 57 MB/s: 1,070,000 / 57 = 18,772 s = 5.2 h."""
    assert round(published.buffer_hours(1070, 57), 1) == 5.2
    with pytest.raises(ValueError, match="above 0"):
        published.buffer_hours(1, 0)


def test_what_a_pool_can_feed_n10_n11() -> None:
    """N10: 2000 MB/s of disks less 1250 of 10GigE: 750, 4.7 LTO-6 drives."""
    lto6 = drive("LTO-6").native_mb_s
    assert round(published.drives_fed(2000, 1250, lto6), 1) == 4.7
    assert published.drives_fed(1000, 1250, lto6) == 0


def test_bandwidth_chain_c08_c10() -> None:
    """C08: 220 file systems of 40 MB/s, 20 servers of 110, a switch of 1100. C10: 500 in and 500 out are 91 % of it."""
    name, most = published.narrowest({"file systems": 220 * 40, "servers": 20 * 110, "switch": 1100})
    assert (name, most, round((500 + 500) / most, 2)) == ("switch", 1100, 0.91)
    with pytest.raises(ValueError, match="has no links"):
        published.narrowest({})


@pytest.mark.parametrize(("group_mb", "rate"), [(100, 3.5), (256, 6.0), (1024, 9.2), (49, 2.0)])
def test_cache_flush_e30(group_mb: float, rate: float) -> None:
    """E30: a group of G MB and 20 s of positioning at SD-3's 11.2 MB/s: G / (G / 11.2 + 20); 49 MB give January's 2."""
    assert round(gap_bound_rate(group_mb, drive("SD-3").native_mb_s, 20), 1) == rate


@pytest.mark.parametrize(
    "wrong",
    [
        Traffic("a", certain(1), certain(1), certain(1.2)),
        Traffic("a", certain(0), certain(1), certain(1)),
        Traffic("a", Estimate(5, 6, 7)),
    ],
)
def test_inputs_that_cannot_be(wrong: Traffic) -> None:
    with pytest.raises(ValueError, match=r"a: .* must be above 0"):
        drives_needed([wrong], certain(40))


def test_the_command_answers_for_the_budget_meeting() -> None:
    words = ["T0=100,2,0.5", "reprocessing=150,2,0.5", "analysis=50,2,0.1:0.03:0.12"]
    args = [part for word in words for part in ("--traffic", word)]
    done = CliRunner().invoke(cli, ["forecast", "drives", *args, "--speed", "40"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "50 drives: 50.0 drives (4" in done.output and "analysis: efficiency" in done.output
    spare = CliRunner().invoke(cli, ["forecast", "drives", *args, "--speed", "40", "--availability", "0.9"])
    assert "56 drives" in spare.output
    invalid = CliRunner().invoke(cli, ["forecast", "drives", "--traffic", "T0=fast", "--speed", "40"])
    assert invalid.exit_code == 2 and "NAME=MB/S,FACTOR,EFFICIENCY" in invalid.output


def test_the_command_asks_the_formula_the_other_way_round() -> None:
    words = ["forecast", "sizes", "--speed", "30", "--efficiency", "0.5", "--files", "10", "--file-mb", "1000"]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert re.search(r"492 +MB", done.output), "C15: ten files a mount"
    # 1 GB files at 15 MB/s: 120 / (66.67 - 33.33 - 4.4) = 4.1 files
    assert re.search(r"4\.1\d* +files", done.output)
    assert re.search(r"108 +GB", done.output), "N12: an hour at 30 MB/s"
    more_than_all = CliRunner().invoke(cli, ["forecast", "sizes", "--speed", "30", "--efficiency", "1.5"])
    assert more_than_all.exit_code == 2 and "0<x<1" in more_than_all.output


def test_growth_n04_and_technology_n06() -> None:
    """600 MB/s by drives used at half of their rate (N02): LTO-4 at 120 needs 10, twice the traffic 20 (N04).

    LTO-6 at 160 and still half of it: 7.5 for the traffic of today. Where the disks give a drive 60 MB/s and no more,
    its efficiency is 60 / 160, and another technology saves nothing: 10 again (N06, N11).
    """

    def needed(name: str, efficiency: float, growth: float = 1.0) -> float:
        traffic = [Traffic("pool", certain(600.0), certain(growth), certain(efficiency))]
        return drives_needed(traffic, certain(drive(name).native_mb_s)).drives.value

    assert needed("LTO-4", 0.5) == pytest.approx(10) and needed("LTO-4", 0.5, growth=2) == pytest.approx(20)
    assert needed("LTO-6", 0.5) == pytest.approx(7.5)
    assert needed("LTO-6", 60 / 160) == pytest.approx(10)


def test_throttled_n29_and_upgrades_n30() -> None:
    """A pool of 2000 MB/s (N23) with a full 10 GigE, 1250 MB/s, feeds 750 / 160 = 4.7 LTO-6 drives (N10).

    Throttled to a GigE of its own, 125 MB/s, the same traffic leaves 1875 / 160 = 11.7 (N29). With each upgrade the
    pool feeds fewer: 6.25 LTO-4, 2.5 LTO-7, 1.9 LTO-9 (N30).
    """
    assert round(drives_fed(2000, 1250, drive("LTO-6").native_mb_s), 1) == 4.7
    assert round(drives_fed(2000, 125, drive("LTO-6").native_mb_s), 1) == 11.7
    fed = {name: drives_fed(2000, 1250, drive(name).native_mb_s) for name in ("LTO-4", "LTO-7", "LTO-9")}
    assert {name: round(number, 2) for name, number in fed.items()} == {"LTO-4": 6.25, "LTO-7": 2.5, "LTO-9": 1.88}


def test_cautious_cap_c11() -> None:
    """Streams above 50 MB/s are not counted on: the 120 MB/s of an LTO-4 are 50, the 40 of a 3592A stay."""
    assert [capped(drive(name).native_mb_s) for name in ("LTO-4", "3592A")] == [50.0, 40.0]
    organised = [Traffic("T0", certain(100.0), certain(2.0), certain(0.5))]
    assert drives_needed(organised, certain(capped(drive("LTO-4").native_mb_s))).whole == 8
    with pytest.raises(ValueError, match="above 0"):
        capped(0.0)


def test_an_efficiency_whose_interval_reaches_below_0_is_sized() -> None:
    """Five mounts that scatter: by the fit 0.55, from -0.16 to 0.92."""
    columns = ([16, 5, 3, 6, 8], [32000, 5000, 1500, 6000, 8000], [445, 174, 101, 395, 201], [320, 62, 15, 300, 80])
    mounts = Mounts(*(np.array(column, float) for column in columns), np.zeros(5), np.arange(5.0))
    fitted = calibration.fit(mounts)
    assert fitted.efficiency(10, 1000.0).low < 0
    needed, _ = size(Fitted("LTO-4", "read", mounts, fitted), 400.0, 2.0, 10, 1000.0, 0.9)
    assert 0 < needed.drives.low <= needed.drives.value <= needed.drives.high
