"""Figures printed in the documents the project started from, reproduced by pure functions.

Those a relation yields are in that relation's cases (tests/gold). Ids are those of the requirements; M is "FNAL
migration stations". A printed figure is compared at the digits it is printed with.
"""

import pytest

from pipelines.analysis.models.throughput import campaign, stream_efficiency
from pipelines.analysis.studies.published import file_size_for, gap_bound_rate, mbit_s_to_mb_s


@pytest.mark.parametrize(
    ("mbit_s", "mb_s"),
    [(200, 25.0), (250, 31.25), (300, 37.5), (350, 43.75), (400, 50.0), (450, 56.25), (600, 75.0), (900, 112.5)],
)
def test_network_rates_m09(mbit_s: float, mb_s: float) -> None:
    """M09. The document prints 31, 37, 44, 56 and 112: rounded here, cut there; ours are exact."""
    assert mbit_s_to_mb_s(mbit_s) == mb_s


@pytest.mark.parametrize(
    ("long_mbit_s", "active_mbit_s", "percent"),
    [
        (200, 260, 76.9),  # M33: one input stream, printed 77
        (450, 520, 86.5),  # M33: two input streams of 260, printed 87
        (200, 600, 33.3),  # M34: output, printed 33
        (400, 600, 66.7),  # M34: output, printed 66, which is cut and not rounded
    ],
)
def test_stream_efficiency_m33_m34(long_mbit_s: float, active_mbit_s: float, percent: float) -> None:
    """A ratio: whether the rates are in Mb/s, as printed, or in MB/s makes no difference."""
    assert round(100 * stream_efficiency(long_mbit_s, active_mbit_s), 1) == percent
    in_mb_s = stream_efficiency(mbit_s_to_mb_s(long_mbit_s), mbit_s_to_mb_s(active_mbit_s))
    assert in_mb_s == pytest.approx(stream_efficiency(long_mbit_s, active_mbit_s), rel=1e-12)


def test_two_streams_are_counted_m33() -> None:
    assert stream_efficiency(450, 260, streams=2) == stream_efficiency(450, 520)


@pytest.mark.parametrize(("long_mb_s", "active_mb_s", "streams"), [(1, 0, 1), (1, -1, 1), (1, 1, 0)])
def test_no_efficiency_of_nothing(long_mb_s: float, active_mb_s: float, streams: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        stream_efficiency(long_mb_s, active_mb_s, streams)


def test_campaign_m40() -> None:
    """M40: duties of 2.4 in all (M38) times one stream of 33 MB/s; printed 80 MB/s, 12.5 s/GB, 4.8 months a PB."""
    exact, printed = campaign(2.4 * 33, 1000), campaign(80, 1000)
    assert (round(exact.seconds_per_gb, 2), printed.seconds_per_gb) == (12.63, 12.5)
    assert (round(exact.days, 1), round(printed.days, 1)) == (146.1, 144.7)
    assert printed.seconds == 12_500_000
    # 4.8 months: the rounded rate with months of 30 days, or the exact rate with mean months
    assert (round(printed.short_months, 2), round(exact.mean_months, 2)) == (4.82, 4.80)
    # what the other two pairings would have given
    assert (round(exact.short_months, 2), round(printed.mean_months, 2)) == (4.87, 4.75)


@pytest.mark.parametrize(("rate_mb_s", "size_tb"), [(0, 1), (-1, 1), (1, -1)])
def test_no_campaign_at_nothing(rate_mb_s: float, size_tb: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        campaign(rate_mb_s, size_tb)


def test_balanced_ratio_m41() -> None:
    """M41: an output stream of 75 MB/s wants 2.27 inputs of 33: two are too few and three too many."""
    assert stream_efficiency(2 * 33, 75) == pytest.approx(0.88)
    assert stream_efficiency(3 * 33, 75) > 1


def test_ten_gigabit_n09() -> None:
    """N09: 10GigE is 1250 MB/s; the disks of 2000 MB/s leave 750, 4.7 LTO-6 drives (N10)."""
    assert mbit_s_to_mb_s(10_000) == 1250
    assert round((2000 - mbit_s_to_mb_s(10_000)) / 160, 1) == 4.7


@pytest.mark.parametrize(("group_mb", "mb_s"), [(100, 3.5), (256, 6.0), (1024, 9.2)])
def test_flush_behind_groups_e30(group_mb: float, mb_s: float) -> None:
    """E30, EOS tuning 1997, section 5.2.1: a flush of 20 s after each group of four blocks, a drive of 11.2 MB/s."""
    assert round(gap_bound_rate(group_mb, 11.2, 20), 1) == mb_s


def test_groups_that_january_tells_of_e30() -> None:
    """E30: some 49 MB between flushes give the 2 MB/s of January: 20 / (1/2 - 1/11.2) = 48.7."""
    assert round(file_size_for(2, 11.2, 20)) == 49
