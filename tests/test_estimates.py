"""Estimates made of silver and gold: clocks, changes, drives and tapes, contradictions.

What a method does by itself is in `test_methods.py`; here are its input and output rows.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipelines.analysis.estimates import estimate
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import LAKE, Connection
from support.memory_lake import memory_lake

DAY = date(2010, 3, 10)
MORNING = datetime(2010, 3, 10, 9)
SITE = Site(name="case")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def empty() -> Iterator[Connection]:
    with memory_lake() as connection:
        yield connection


@pytest.fixture
def lake(empty: Connection) -> Iterator[Connection]:
    """A lake without rows, before and after."""
    empty.execute("BEGIN TRANSACTION")
    yield empty
    empty.execute("ROLLBACK")


def put(lake: Connection, relation: str, rows: list[Row]) -> None:
    """Rows of a relation; columns left out are NULL."""
    columns = load_catalog().relations[relation].columns
    given = pl.DataFrame(rows, infer_schema_length=None)
    assert set(given.columns) <= {column.name for column in columns}
    names = ", ".join(f'"{name}"' for name in given.columns)
    lake.register("given", given.to_arrow())
    lake.execute(f"INSERT INTO {LAKE}.{relation} ({names}) SELECT {names} FROM given")
    lake.unregister("given")


def made(lake: Connection, relation: str, site: Site = SITE, last: date = DAY) -> list[Row]:
    estimate(lake, site, load_catalog(), last)
    frame = lake.execute(f"SELECT * FROM {LAKE}.{relation} WHERE day = ? ORDER BY ALL", [last]).pl()
    return frame.to_dicts()


# --- clocks ---------------------------------------------------------------------------------------------------


def put_transfers(lake: Connection, n: int = 60) -> pl.DataFrame:
    """Reads and writes of one station in turns, 5 to 12 s each, as the movers' log has them: whole seconds."""
    random = np.random.default_rng(3)
    begins = np.cumsum(random.uniform(15, 45, n))
    ends = begins + random.uniform(5, 12, n)
    rows = [
        {
            "day": DAY,
            "transfer_id": f"T{number}",
            "system": "stken",
            "station": "node1",
            "mode": "read" if number % 2 else "write",
            "bytes": int(100e6 * (end - begin)),
            "started_at": MORNING + timedelta(seconds=int(begin)),
            "ended_at": MORNING + timedelta(seconds=int(end)),
            "status": "ok",
            "witnesses": "mover,encp",
        }
        for number, (begin, end) in enumerate(zip(begins, ends, strict=True))
    ]
    put(lake, "site.station", [{"station": "node1", "role": "migration"}])
    put(lake, "silver.transfer", rows)
    return pl.DataFrame({"begin": begins, "end": ends, "is_read": np.arange(n) % 2 == 1})


def put_network(lake: Connection, moved: pl.DataFrame, skew_s: float, step_s: int = 1, delay_s: float = 0) -> None:
    """What the station's interface carried by its own clock; a buffer delays reads and hastens writes."""
    seconds = np.arange(0, int(moved["end"].max()) + 200, 0.5)  # type: ignore[arg-type]
    carried = {}
    for name, is_read, shift in (("in_bytes_s", True, delay_s), ("out_bytes_s", False, -delay_s)):
        running = np.zeros(seconds.size)
        for begin, end in moved.filter(pl.col("is_read") == is_read).select("begin", "end").iter_rows():
            running[(seconds >= begin + skew_s + shift) & (seconds < end + skew_s + shift)] += 100e6
        carried[name] = running[: seconds.size // (2 * step_s) * 2 * step_s].reshape(-1, 2 * step_s).mean(axis=1)
    rows = [
        {
            "day": DAY,
            "host": "node1",
            "tool": "nicstat",
            "interface": "eth0",
            "kind": "port",
            "is_summed": True,
            "from_at": MORNING + timedelta(seconds=step_s * place),
            "to_at": MORNING + timedelta(seconds=step_s * (place + 1)),
            "in_bytes_s": float(came),
            "out_bytes_s": float(went),
        }
        for place, (came, went) in enumerate(zip(carried["in_bytes_s"], carried["out_bytes_s"], strict=True))
    ]
    put(lake, "silver.network_sample", rows)


@pytest.mark.parametrize("skew_s", [37.0, -10.0, 0.0])
def test_a_planted_skew_is_found_to_two_seconds(lake: Connection, skew_s: float) -> None:
    """I14: 37 s planted, found to 2 s, in both directions; a clock that agrees is found to agree."""
    put_network(lake, put_transfers(lake), skew_s)
    found = {row["direction"]: row for row in made(lake, "gold.clock_alignment")}
    assert set(found) == {"in", "out", "both"}
    for row in found.values():
        assert row["reason_missing"] is None and row["skew_s"] == pytest.approx(skew_s, abs=2)
        assert row["skew_s_low"] <= skew_s <= row["skew_s_high"]
        assert (row["tool"], row["watched"], row["sample_s"], row["blind_below_s"]) == ("nicstat", "network", 1.0, 1.0)
    assert [found[name]["n_transfers"] for name in ("in", "out", "both")] == [30, 30, 60]
    assert found["in"]["first_day"] == DAY - timedelta(days=6)


def test_buffers_show_as_opposite_skews(lake: Connection) -> None:
    put_network(lake, put_transfers(lake), 0.0, delay_s=8)
    found = {row["direction"]: row["skew_s"] for row in made(lake, "gold.clock_alignment")}
    assert found["in"] == pytest.approx(8, abs=1.5) and found["out"] == pytest.approx(-8, abs=1.5)


def test_coarse_samples_say_what_they_cannot_show(lake: Connection) -> None:
    put_network(lake, put_transfers(lake), 37.0, step_s=300)
    assert {row["skew_s"] for row in made(lake, "gold.clock_alignment")} == {None}
    assert all(
        "300 s" in row["reason_missing"] for row in made(lake, "gold.clock_alignment") if row["n_transfers"] >= 20
    )


def test_a_station_nobody_watched_names_the_missing_logs(lake: Connection) -> None:
    put_transfers(lake)
    (row,) = made(lake, "gold.clock_alignment")
    assert (row["station"], row["n_transfers"], row["skew_s"], row["tool"]) == ("node1", 60, None, None)
    assert "no log of the network or disks of node1 (such as" in row["reason_missing"]


def test_other_stations_and_days_are_left_out(lake: Connection) -> None:
    put_network(lake, put_transfers(lake), 37.0)
    lake.execute(f"UPDATE {LAKE}.site.station SET station = 'node2'")
    assert made(lake, "gold.clock_alignment") == []
    lake.execute(f"UPDATE {LAKE}.site.station SET station = 'node1'")
    assert made(lake, "gold.clock_alignment", last=DAY + timedelta(days=7)) == []
    assert len(made(lake, "gold.clock_alignment", last=DAY + timedelta(days=6))) == 3


# --- changes --------------------------------------------------------------------------------------------------

AT = datetime(2010, 3, 5)


def put_files(lake: Connection, drive: str, faster: float, mode: str = "read", days: int = 5) -> None:
    """Five files of each of six tapes a day: 80 MB/s, and `faster` times that from AT on; large ones go at 90 %.

    Reads come back to the same tapes; writes go to new ones.
    """
    rows = []
    for day in range(-days, days):
        for tape in range(6):
            for number in range(5):
                at = AT + timedelta(days=day, hours=tape, minutes=number)
                is_large = number % 2 == 1
                rate = 80.0 * (faster if day >= 0 else 1.0) * (0.9 if is_large else 1.0) * (1 + 0.004 * (tape - number))
                rows.append(
                    {
                        "day": at.date(),
                        "transfer_id": f"{drive} {at}",
                        "system": "stken",
                        "station": "node1",
                        "drive": drive,
                        "generation": "LTO-4",
                        "mode": mode,
                        "volume": f"V{tape}" if mode == "read" else f"W{tape} {day}",
                        "bytes": 4_000_000_000 if is_large else 600_000_000,
                        "started_at": at,
                        "ended_at": at + timedelta(seconds=20),
                        "drive_rate_basis": "call",
                        "rate_mb_s": rate,
                    }
                )
    put(lake, "gold.file_rate", rows)


def put_change(lake: Connection, at: datetime, *entities: str, change_id: str = "c1") -> None:
    rows = [{"change_id": change_id, "changed_at": at, "what": "x", "entity": name} for name in entities or (None,)]
    put(lake, "site.change", [{name: value for name, value in row.items() if value is not None} for row in rows])


@pytest.mark.parametrize(("mode", "matched_by"), [("read", "tape and size"), ("write", "size")])
def test_a_change_is_measured_on_what_is_alike(lake: Connection, mode: str, matched_by: str) -> None:
    """S6: 1.25 times, of drive D1 alone; D2, which it did not touch, is left out."""
    put_files(lake, "D1", 1.25, mode)
    put_files(lake, "D2", 0.5, mode)
    put_change(lake, AT, "D1")
    (row,) = made(lake, "gold.change_effect")
    assert (row["measure"], row["mode"], row["matched_by"], row["reason_missing"]) == ("rate", mode, matched_by, None)
    assert row["ratio"] == pytest.approx(1.25) and row["ratio_low"] <= 1.25 <= row["ratio_high"] < 1.3
    assert row["effect"] == 1.0 and (row["n_before"], row["n_after"]) == (150, 150)
    # 6 tapes x 5 files: medians of what is 80 x 1 or 0.9 times ...: the interval leaves out 1
    assert row["ratio_low"] > 1 and row["after"] / row["before"] == pytest.approx(1.25)


def test_a_change_of_nothing_says_so(lake: Connection) -> None:
    put_files(lake, "D1", 1.0)
    put_change(lake, AT)
    (row,) = made(lake, "gold.change_effect")
    assert row["ratio"] == pytest.approx(1.0) and row["ratio_low"] <= 1 <= row["ratio_high"]


def test_a_neighbouring_change_ends_the_side(lake: Connection) -> None:
    """Another change two days later touched the same drive: what is after it does not count for the first."""
    put_files(lake, "D1", 1.25)
    put_change(lake, AT, "D1")
    put_change(lake, AT + timedelta(days=2), change_id="c2")
    put_change(lake, AT + timedelta(days=1), "D7", change_id="c3")
    rows = {row["change_id"]: row for row in made(lake, "gold.change_effect")}
    assert set(rows) == {"c1", "c2"}
    assert (rows["c1"]["n_before"], rows["c1"]["n_after"]) == (150, 60)
    assert rows["c1"]["after_to_at"] == AT + timedelta(days=2)
    assert (rows["c2"]["n_before"], rows["c2"]["n_after"]) == (30, 90)  # c3 may have touched what c2 touched


@pytest.mark.parametrize(
    ("before", "after", "ratio"),
    [(2.0, 16.0, 8.0), (7.0, 47.0, 6.7), (9.5, 29.0, 3.05), (16.0, 50.0, 3.1), (30.0, 80.0, 2.7)],
)
def test_one_figure_a_side_has_a_ratio_and_no_interval(
    lake: Connection, before: float, after: float, ratio: float
) -> None:
    """Tables 1 to 3 of the EOS/ECS tuning (E17, E18, E27): their ratios as printed, and nothing proved by them."""
    files = [
        {"day": at.date(), "transfer_id": str(at), "drive": "D1", "mode": "write", "started_at": at, "rate_mb_s": rate}
        for at, rate in ((AT - timedelta(days=1), before), (AT, after))
    ]
    put(lake, "gold.file_rate", files)
    put_change(lake, AT)
    (row,) = made(lake, "gold.change_effect")
    assert round(row["ratio"], len(str(ratio).split(".")[1])) == ratio
    assert (
        row["ratio_low"] is None
        and row["matched_by"] is None
        and "no group of comparable cases" in row["reason_missing"]
    )


def test_gaps_are_measured_too(lake: Connection) -> None:
    """Gaps of 10 s become 2 s: 0.2 times. Those without a request are demand, and left out."""
    rows = [
        {
            "day": at.date(),
            "gap_id": str(at),
            "session_id": f"S{number // 10}",
            "drive": "D1",
            "mode": "write",
            "started_at": at,
            "gap_s": (10.0 if at < AT else 2.0) * (1 + 0.01 * (number % 5)),
            "no_request_s": 0.0 if number % 7 else 3.0,
        }
        for number in range(140)
        for at in [AT + timedelta(minutes=10 * (number - 70))]
    ]
    put(lake, "silver.gap", rows)
    put_change(lake, AT)
    (row,) = made(lake, "gold.change_effect")
    assert (row["measure"], row["matched_by"], row["effect"]) == ("gap", "drive", -1.0)
    assert row["ratio"] == pytest.approx(0.2, rel=0.02) and (row["n_before"], row["n_after"]) == (60, 60)


# --- drives and tapes -----------------------------------------------------------------------------------------


def put_rates(lake: Connection, pairs: list[tuple[str, str, float]]) -> None:
    """Five files of each drive and tape, at a rate."""
    rows = [
        {
            "day": DAY,
            "transfer_id": f"{drive} {tape} {number}",
            "system": "stken",
            "drive": drive,
            "volume": tape,
            "mode": "read",
            "generation": "LTO-4",
            "drive_rate_basis": "call",
            "started_at": MORNING,
            "rate_mb_s": rate * (1 + 0.002 * number),
        }
        for drive, tape, rate in pairs
        for number in range(5)
    ]
    put(lake, "gold.file_rate", rows)


def test_a_slow_drive_and_a_slow_tape_are_kept_apart(lake: Connection) -> None:
    """D9: drive b at 0.75, tape T5 at 0.5 of the others, in any drive."""
    pairs = [
        (drive, f"T{tape}", 80.0 * (0.75 if drive == "b" else 1.0) * (0.5 if tape == 5 else 1.0))
        for drive in "abc"
        for tape in range(8)
    ]
    put_rates(lake, pairs)
    found = {(row["is_drive"], row["name"]): row for row in made(lake, "gold.drive_tape_effect")}
    assert len(found) == 11
    assert found[True, "b"]["ratio"] == pytest.approx(0.75) and found[True, "b"]["ratio_high"] < 0.8
    assert found[True, "a"]["ratio"] == pytest.approx(1.0)
    assert found[False, "T5"]["ratio"] == pytest.approx(0.5) and found[False, "T5"]["ratio_low"] is None
    assert found[False, "T4"]["ratio"] == pytest.approx(1.0)
    assert (found[True, "b"]["n_files"], found[True, "b"]["n_others"], found[True, "b"]["n_shared"]) == (40, 8, 8)


def test_what_shares_no_tape_is_not_judged(lake: Connection) -> None:
    put_rates(lake, [("a", "T1", 80.0), ("a", "T2", 80.0), ("b", "T3", 40.0), ("b", "T4", 40.0)])
    found = made(lake, "gold.drive_tape_effect")
    assert {row["ratio"] for row in found} == {None} and all(row["reason_missing"] for row in found)
    assert {row["group_no"] for row in found} == {1, 2}


# --- contradictions -------------------------------------------------------------------------------------------


def test_values_that_cannot_be_are_found_with_what_they_are_compared_with(lake: Connection) -> None:
    """G5: one of each kind, and one that is right."""
    hour = {"day": DAY, "hour_at": MORNING}
    span = {"day": DAY, "started_at": MORNING, "ended_at": MORNING + timedelta(seconds=20)}
    sample = {"day": DAY, "from_at": MORNING, "to_at": MORNING + timedelta(seconds=10), "host": "node1"}
    witness = {"day": DAY, "bin_at": MORNING, "station": "node1", "turn_mb_s": 2**32 / 300e6}
    put(
        lake,
        "gold.link_reconciliation",
        [
            # 2^32 bytes a poll at most; 26.3 GB came from tape, 3.13 were counted
            witness | {"direction": "in", "tape_gb": 26.3, "counted_gb": 3.13, "max_mb_s": 14.31},
            witness | {"direction": "out", "tape_gb": 20.0, "counted_gb": 19.5, "max_mb_s": 90.0},
            witness | {"direction": "in", "station": "node2", "counted_gb": 1.0, "max_mb_s": 90.0},
        ],
    )
    put(lake, "site.drive", [{"drive": name, "nameplate_mb_s": 120.0} for name in ("D1", "D2")])
    put(
        lake,
        "gold.file_rate",
        [
            span | {"drive": "D1", "generation": "LTO-4", "rate_mb_s": 361.0},  # above three times 120
            span | {"drive": "D2", "generation": "LTO-4", "rate_mb_s": 359.0},
            span | {"drive": "D3", "generation": "unheard of", "rate_mb_s": 9999.0},
        ],
    )
    load = hour | {"direction": "in", "capacity_mb_s": 125.0}
    put(lake, "gold.link_load", [load | {"link": "l1", "avg_mb_s": 128.0}, load | {"link": "l2", "avg_mb_s": 127.0}])
    cpu = {"cpu_user": 0.5, "cpu_system": 0.3}
    put(lake, "silver.host_sample", [sample | cpu | {"cpu_idle": 0.3}, sample | cpu | {"host": "n2", "cpu_idle": 0.2}])
    put(
        lake,
        "silver.device_sample",
        [sample | {"device": "sda", "busy": 1.2}, sample | {"device": "sdb", "busy": 1.01}],
    )
    moved = span | {"status": "ok"}
    put(
        lake,
        "silver.transfer",
        [
            moved | {"drive": "D1", "bytes": 10, "file_bytes": 11},
            moved | {"drive": "D2", "bytes": 12, "file_bytes": 11},
        ],
    )
    put(lake, "silver.gap", [span | {"drive": "D1", "gap_s": -3.0}, span | {"drive": "D2", "gap_s": 3.0}])
    mounts = [{"drive": "D1", "n_recorded_files": n, "n_file_lines": 2} for n in (2, 3)]
    put(lake, "silver.cta_mount", [{"from_at": MORNING, "to_at": MORNING} | mount for mount in mounts])
    # E14: 400 MB at once do not leave a memory of 512 MB, 600 MB do
    test = {"host": "node1", "ended_at": MORNING + timedelta(seconds=10), "elapsed_s": 10.0, "bytes": 200_000_000}
    put(lake, "site.setting", [{"zone": "UTC"}])
    put(lake, "site.fact", [{"entity": "node1", "name": "memory_gb", "value": "0.512", "number": 0.512}])
    put(
        lake,
        "silver.benchmark_run",
        [test | {"streams_bytes": 400_000_000}, test | {"streams_bytes": 600_000_000}],
    )
    found = {row["kind"]: row for row in made(lake, "gold.contradiction")}
    assert {kind: (row["entity"], row["n"], row["n_compared"]) for kind, row in found.items()} == {
        "link_below_tape": ("node1/in", 1, 2),
        "rate_above_drive": ("D1", 1, 2),
        "load_above_link": ("l1/in", 1, 2),
        "processors_above_one": ("node1", 1, 2),
        "disk_above_one": ("node1/sda", 1, 2),
        "file_above_moved": ("D1", 1, 2),
        "files_without_line": ("D1", 1, 2),
        "negative_gap": ("D1", 1, 2),
        "test_in_memory": ("node1", 1, 2),
    }
    wrapped = found["link_below_tape"]
    assert wrapped["why"] == "26.3, but the links carried at most 3.13 GB"
    assert found["negative_gap"]["why"] == "-3 is negative" and found["negative_gap"]["hint"] is None
    assert (wrapped["from_at"], wrapped["to_at"]) == (MORNING, MORNING + timedelta(minutes=30))
    assert wrapped["hint"] == "no poll counts more than 2^32 bytes, which points to a 32-bit counter that wraps"


def test_where_there_is_nothing_to_compare_it_says_which_logs_are_missing(lake: Connection) -> None:
    found = made(lake, "gold.contradiction")
    assert len(found) == 9 and {(row["n"], row["entity"]) for row in found} == {(0, None)}
    assert all(row["reason_missing"].startswith("nothing to compare: no ") for row in found)


# --- pools ----------------------------------------------------------------------------------------------------


def put_requests(lake: Connection, hours: list[int], last: datetime) -> None:
    """Hours up to `last`, each with a given number of pools that get 10 to 14 requests."""
    random = np.random.default_rng(5)
    put(
        lake,
        "gold.pool_share",
        [
            {
                "day": (last - timedelta(hours=len(hours) - number)).date(),
                "hour_at": last - timedelta(hours=len(hours) - number),
                "kind": "pool",
                "system": "dcache",
                "member": f"pool{pool:02}",
                "work": "restore cms:raw",
                "amount": int(random.integers(10, 15)),
                "moved_gb": 10.0,
            }
            for number, n_pools in enumerate(hours)
            for pool in range(n_pools)
        ],
    )


def test_thirteen_pools_then_five_then_thirteen_are_three_regions(lake: Connection) -> None:
    """P16: region 1 with 13 pools, 2 with five, 3 with all again; each hour moved 10 GB a pool."""
    midnight = datetime.combine(DAY, time()) + timedelta(days=1)
    put_requests(lake, [13] * 40 + [5] * 30 + [13] * 26, midnight)
    found = made(lake, "gold.pool_usage_phase")
    assert [(row["region_no"], row["asked_hours"], row["n_pools"]) for row in found] == [
        (1, 40, 13),
        (2, 30, 5),
        (3, 26, 13),
    ]
    assert [row["asked_gb"] for row in found] == [5200.0, 1500.0, 3380.0]
    assert [round(row["even_pools"]) for row in found] == [13, 5, 13]
    assert found[0]["step_low"] is None and found[1]["step_low"] < -7.5 and found[1]["step_high"] > -8.5
    assert found[1]["from_at"] == found[0]["to_at"] == midnight - timedelta(hours=56)
    assert found[1]["pools"].count("%") == 5 and found[1]["pools"].startswith("pool")


def test_hours_with_few_requests_tell_no_regions(lake: Connection) -> None:
    put_requests(lake, [13] * 9, datetime.combine(DAY, time()) + timedelta(days=1))
    (found,) = made(lake, "gold.pool_usage_phase")
    assert (
        found["region_no"] is None
        and found["reason_missing"]
        == "only 9 values, but 10 are needed; each hour with at least 10 requests gives one value"
    )


def test_pools_that_always_share_are_one_region(lake: Connection) -> None:
    put_requests(lake, [8] * 96, datetime.combine(DAY, time()) + timedelta(days=1))
    (found,) = made(lake, "gold.pool_usage_phase")
    assert (found["region_no"], found["n_pools"], found["step_low"]) == (1, 8, None)
