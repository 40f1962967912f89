"""The flush pattern of a spool's writes, found in sampled series and in nothing else.

The series are made here, from writes of which everything is known, as a sampler would have recorded them: too long to
be written out as cases. A small one is in tests/gold/flush_pattern.
"""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pytest

from pipelines.catalog.files import load_catalog, macros

HOUR_AT = datetime(2008, 3, 3, 10)
HOUR_MS = 3_600_000
BURST = 100  # MB/s for one second, every three: M26
STREAM = 33  # MB/s, one input stream: M30

Write = tuple[int, int, float]  # from, to (milliseconds of the hour), MB/s


def test_bursts_on_the_second_m26() -> None:
    """M26: 100 MB in one second, then two without writes: 33.3 MB/s, printed ~33."""
    row = pattern([(at, at + 1000, BURST) for at in range(0, HOUR_MS, 3000)])
    assert row["verdict"] == "burst"
    assert (row["n_bursts"], row["step_s"], row["period_s"], row["on_s"]) == (1200, 1, 3, 1)
    assert (row["amplitude_mb_s"], row["burst_bytes"]) == (100, 100e6)
    assert row["mean_mb_s"] == pytest.approx(100 / 3)
    assert row["from_at"] == HOUR_AT and row["to_at"] == HOUR_AT + timedelta(milliseconds=HOUR_MS - 2000)


@pytest.mark.parametrize("shift_ms", [300, 400, 500, 600, 700, 800, 900])
def test_bursts_between_two_samples(shift_ms: int) -> None:
    """A burst then falls into two samples, and neither shows its full rate; its bytes are all there."""
    row = pattern([(at + shift_ms, at + shift_ms + 1000, BURST) for at in range(0, HOUR_MS - 3000, 3000)])
    assert (row["verdict"], row["period_s"], row["on_s"]) == ("burst", 3, 2)
    assert row["amplitude_mb_s"] == pytest.approx(max(shift_ms, 1000 - shift_ms) / 10)
    assert row["mean_mb_s"] == pytest.approx(100 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_unsteady_bursts(seed: int) -> None:
    """Each burst somewhere in its three seconds: now and then two meet, and the period is still found."""
    chance = random.Random(seed)
    shifts = [chance.randrange(2001) for _ in range(HOUR_MS // 3000)]
    row = pattern([(3000 * i + shift, 3000 * i + shift + 1000, BURST) for i, shift in enumerate(shifts)])
    assert (row["verdict"], row["period_s"]) == ("burst", 3)
    assert row["mean_mb_s"] == pytest.approx(100 / 3, rel=0.1)


@pytest.mark.parametrize("shift_ms", [0, 600])
def test_bursts_with_pauses_between_files(shift_ms: int) -> None:
    """M29, M32: files of 1 GB, ten bursts each, and ten seconds of pause after each: 40 s a file."""
    begins = [
        file_at + at + shift_ms for file_at in range(0, HOUR_MS - 40_000, 40_000) for at in range(0, 30_000, 3000)
    ]
    row = pattern([(at, at + 1000, BURST) for at in begins])
    assert (row["verdict"], row["period_s"]) == ("burst", 3)
    # the rate while the pattern lasts: the pauses are not in it
    assert row["mean_mb_s"] == pytest.approx(100 / 3)


@pytest.mark.parametrize("shift_ms", [0, 600])
def test_samples_too_coarse_m27(shift_ms: int) -> None:
    """M27: five-second samples cannot show three seconds; what they could is at least fifteen."""
    row = pattern([(at + shift_ms, at + shift_ms + 1000, BURST) for at in range(0, HOUR_MS - 3000, 3000)], step_ms=5000)
    assert (row["verdict"], row["step_s"], row["shortest_period_s"]) == ("resolution insufficient", 5, 15)
    assert row["period_s"] is None and row["n_bursts"] is None and row["mean_mb_s"] is None


@pytest.mark.parametrize("length_ms", [1000, 3000, 5000])
@pytest.mark.parametrize("shift_ms", [0, 1200, 2500])
def test_slow_flush_in_coarse_samples(length_ms: int, shift_ms: int) -> None:
    """A flush every thirty seconds is six steps of five seconds."""
    begins = range(shift_ms, HOUR_MS - 30_000, 30_000)
    row = pattern([(at, at + length_ms, 200) for at in begins], step_ms=5000)
    assert (row["verdict"], row["period_s"], row["n_bursts"]) == ("burst", 30, len(begins))
    assert row["burst_bytes"] == pytest.approx(200e3 * length_ms)


@pytest.mark.parametrize("size_mb", [100, 250, 500, 1000])
@pytest.mark.parametrize("pause_ms", [2000, 10_000])
@pytest.mark.parametrize("step_ms", [1000, 5000])
def test_files_one_after_the_other_are_no_bursts(size_mb: int, pause_ms: int, step_ms: int) -> None:
    """One steady stream, nothing between files, and they are all of one size: regular, and still no flush."""
    assert pattern(files([size_mb] * 1200, pause_ms), step_ms)["verdict"] == "resolution insufficient"


@pytest.mark.parametrize("step_ms", [1000, 5000])
def test_files_of_all_sizes_are_no_bursts(step_ms: int) -> None:
    series = {}
    for seed in range(20):
        chance = random.Random(seed)
        series[f"seed {seed}"] = files([chance.randint(100, 1000) for _ in range(300)], 10_000)  # M29
    assert taken_for_bursts(series, step_ms) == []


NOISES: dict[str, Callable[[random.Random], float]] = {
    "always, unevenly": lambda chance: chance.expovariate(1 / 30),
    "often": lambda chance: 100.0 if chance.random() < 0.5 else 0.0,
    "at times": lambda chance: 100.0 if chance.random() < 0.3 else 0.0,
    "seldom": lambda chance: 100.0 if chance.random() < 0.05 else 0.0,
    "at times, unevenly": lambda chance: chance.uniform(1, 200) if chance.random() < 0.3 else 0.0,
}


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("step_ms", [1000, 5000])
def test_noise_is_no_burst(kind: str, step_ms: int) -> None:
    series = {}
    for seed in range(20):
        chance = random.Random(f"{kind} {seed}")
        series[f"seed {seed}"] = [(at, at + 1000, NOISES[kind](chance)) for at in range(0, HOUR_MS, 1000)]
    assert taken_for_bursts(series, step_ms) == []


def test_busy_and_quiet_spells_are_no_burst() -> None:
    """Noise that comes in spells is like itself a few seconds later, and less so the later: no period."""
    series = {}
    for seed in range(20):
        chance = random.Random(seed)
        level, writes = 50.0, []
        for at in range(0, HOUR_MS, 1000):
            level = 0.8 * level + chance.gauss(10, 20)
            writes.append((at, at + 1000, max(level, 0.0)))
        series[f"seed {seed}"] = writes
    assert taken_for_bursts(series) == []


def files(sizes_mb: list[int], pause_ms: int) -> list[Write]:
    """Files written at the speed of one stream, each after the other, as far as the hour goes."""
    at, writes = 0, []
    for size_mb in sizes_mb:
        end = at + size_mb * 1000 // STREAM
        if end > HOUR_MS:
            break
        writes.append((at, end, float(STREAM)))
        at = end + pause_ms
    return writes


def pattern(writes: list[Write], step_ms: int = 1000) -> dict[str, Any]:
    """The one row of gold.flush_pattern for an hour of these writes."""
    return patterns({"dm8": writes}, step_ms)["dm8"]


def taken_for_bursts(series: dict[str, list[Write]], step_ms: int = 1000) -> list[str]:
    return [host for host, row in patterns(series, step_ms).items() if row["verdict"] == "burst"]


def patterns(series: dict[str, list[Write]], step_ms: int) -> dict[str, dict[str, Any]]:
    """The rows of gold.flush_pattern by host, each of whose writes are one series."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET TimeZone = 'UTC'; {macros()}")
        for name in ("silver.host_sample", "site.setting"):
            relation = load_catalog().relations[name]
            columns = ", ".join(f'"{column.name}" {column.type}' for column in relation.columns)
            connection.execute(f"CREATE SCHEMA {relation.layer}; CREATE TABLE {name} ({columns})")
        connection.execute("INSERT INTO site.setting (zone) VALUES ('UTC')")
        for host, writes in series.items():
            connection.register("made", sampled(host, writes, step_ms))
            connection.execute("INSERT INTO silver.host_sample BY NAME SELECT * FROM made")
        rows = connection.execute(load_catalog().relations["gold.flush_pattern"].sql).pl().to_dicts()
    assert sorted(row["host"] for row in rows) == sorted(series) and {row["hour_at"] for row in rows} == {HOUR_AT}
    return {row["host"]: row for row in rows}


def sampled(host: str, writes: list[Write], step_ms: int) -> pl.DataFrame:
    """What a sampler sees: the bytes of each step over its length."""
    moved = [0.0] * (HOUR_MS // step_ms)
    for begin, end, mb_s in writes:
        for step in range(begin // step_ms, min(-(-end // step_ms), len(moved))):
            overlap_ms = min(end, (step + 1) * step_ms) - max(begin, step * step_ms)
            moved[step] += mb_s * 1000 * overlap_ms
    begins = [HOUR_AT + timedelta(milliseconds=step * step_ms) for step in range(len(moved))]
    return pl.DataFrame(
        {
            "day": [HOUR_AT.date()] * len(moved),
            "host": [host] * len(moved),
            "from_at": begins,
            "to_at": [at + timedelta(milliseconds=step_ms) for at in begins],
            "write_bytes_s": [1000 * bytes_ / step_ms for bytes_ in moved],
        }
    )
