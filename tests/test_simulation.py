"""The simulator: the closed form, a trace by hand, the documents' ratios, instances and ceilings."""

import numpy as np
import pytest

from pipelines.analysis.forecast import ranked, scenario
from pipelines.analysis.models.service_time import Service
from pipelines.analysis.models.simulation import Changes, File, Mount, Outage, Use, Work, simulate

A_FILE = (File(100, 10), File(50, 5, gap_s=3, think_s=6, tape_s=1))


def traced(*, one_volume: bool = False, drives: int = 1) -> Work:
    """A: 40 s to the first block, 10 s, a pause of 10 s, 5 s, 30 s after: 95 s. B, asked 20 s later: 20 + 10 + 10 s."""
    return Work(
        (
            Mount("LTO-4", "read", A_FILE, 0, "n1", "V1", 40, 30),
            Mount("LTO-4", "read", (File(80, 10),), 20, "n1", "V1" if one_volume else "V2", 20, 10),
        ),
        {"LTO-4": drives},
    )


def use(work: Work, changes: Changes | None = None, mode: str = "read") -> Use:
    return simulate(work, changes).uses["LTO-4", mode]


def test_a_trace_by_hand() -> None:
    """One drive: A from 0 to 95, B waits 75 s, until 135. Two drives: B from 20 to 60, unless it is one tape.

    Done at 95 and 135, 230 s in all; with two drives at 95 and 60.
    """
    assert use(traced()) == Use(2, 230, 135, 75, 135, 230, 2)
    assert use(traced(drives=2)) == Use(2, 230, 135, 0, 95, 155, 2)
    assert use(traced(drives=2, one_volume=True)) == Use(2, 230, 135, 75, 135, 230, 2)
    assert use(traced(), Changes(drives={"LTO-4": 2})) == use(traced(drives=2))


@pytest.mark.parametrize(
    ("changes", "busy_s"),
    [
        (Changes(gap_s=1), 133),  # dialogue of 3 s cut to 1
        (Changes(gap_s=5), 135),  # an upper end: what is shorter stays
        (Changes(speed=2), 122.5),  # 25 s moving become 12.5
        (Changes(depth=2), 129),  # the second file was asked for 6 s after the mount was there: no pause at 50 s
        (Changes(at_once=True), 135),
    ],
)
def test_changes_by_hand(changes: Changes, busy_s: float) -> None:
    assert use(traced(), changes).busy_s == pytest.approx(busy_s)


@pytest.mark.parametrize(
    ("wait_s", "speed", "busy_s"),
    [
        (0, 2, 5),  # the drive sets the pace
        (6, 2, 10),  # the source gives 100 MB in 10 s: a faster drive waits longer
        (6, 0.25, 16),  # 4 s of work become 16: now the drive sets the pace
        (0.5, 2, 5.25),  # a start of 0.5 s stays, 9.5 s of work become 4.75
    ],
)
def test_a_stream_is_no_faster_than_its_source(wait_s: float, speed: float, busy_s: float) -> None:
    work = Work((Mount("LTO-4", "write", (File(100, 10, wait_s=wait_s),), station="n1"),), {"LTO-4": 1})
    assert use(work, Changes(speed=speed), "write").busy_s == pytest.approx(busy_s)
    # what the station bears comes on top
    shared = Changes(speed=speed, link_mb_s=1000)
    assert use(work, shared, "write").busy_s == pytest.approx(busy_s)


def busy_week() -> Work:
    """Twelve mounts of an hour, one every 2 hours, with gaps of 60 s in each: two drives have hours enough."""
    files = (File(1000, 1740.0), File(1000, 1740.0, gap_s=60))
    mounts = tuple(Mount("LTO-4", "read", files, 7200.0 * n, lead_s=30, tail_s=30) for n in range(12))
    twins = tuple(Mount("LTO-4", "read", files, 7200.0 * n + 1, lead_s=30, tail_s=30) for n in range(12))
    return Work((*mounts, *twins), {"LTO-4": 2})


def test_scenarios_are_ranked_by_when_work_is_done() -> None:
    """One drive for 24 mounts of an hour in 23: each second one waits an hour, and the last end 1 h later.

    Its drive-hours are the same, so the fewest drive-hours would rank it as high as the replay. Half a drive would be
    enough for neither: 24 h of work in 23.0003 h. Gaps cut to 0 s: 60 s sooner each.
    """
    work = busy_week()
    replayed = simulate(work)
    fewer, cut = Changes(drives={"LTO-4": 1}), Changes(gap_s=0.0)
    listed = ranked(work, replayed, [(one, simulate(work, one)) for one in (fewer, cut)])
    assert [one.name for one in listed] == ["gaps of at most 0 s", "none: the replay", "1 LTO-4 drive"]
    first, replay, last = listed
    assert first.done_h == pytest.approx(replay.done_h - 60 / 3600) and not first.hindrance
    assert last.busy_h == pytest.approx(replay.busy_h) and last.waited_h == pytest.approx(12, rel=0.001)
    assert "cannot keep up: the work needs 1.0 times" in last.hindrance
    assert "worse; mounts end 0.50 h later on average, mounts wait 12.00 h more" in last.against(replay)
    assert "better; mounts end 0.02 h sooner" in first.against(replay) and "wait" not in first.against(replay)
    # all requested at once is a queue on purpose
    assert not scenario("", work, replayed, Changes(at_once=True), simulate(work, Changes(at_once=True))).hindrance


def test_what_waits_for_its_chunk_waits() -> None:
    """Two mounts of 10 GB asked an hour apart are one chunk: the first waits 3600 s, and both are done together."""
    files = (File(10_000, 100),)
    mounts = tuple(Mount("LTO-4", "write", files, at, "n1", lead_s=30, tail_s=20) for at in (0.0, 3600.0))
    found = use(Work(mounts, {"LTO-4": 1}), Changes(chunk_gb=20), "write")
    assert (found.n_mounts, found.n_asked, found.waited_s, found.done_s) == (1, 2, 3600, 2 * 3850)


def test_an_outage_takes_the_drive() -> None:
    """Down from 90 to 200: A keeps it until 95, B begins at 200."""
    out = Work(traced().mounts, {"LTO-4": 1}, (Outage("LTO-4", 90, 200),))
    assert use(out).ended_s == 240 and use(out).waited_s == 180


@pytest.mark.parametrize(("n_files", "file_mb"), [(1, 1000), (10, 1000), (100, 1000), (1000, 100), (1000, 1)])
def test_the_closed_form_c13(n_files: int, file_mb: float) -> None:
    """One stream alone: within 1 % of n F / (tM + n tO + n F / S); 100 files of 1 GB: 25.69 MB/s."""
    files = tuple(File(file_mb, file_mb / 30, gap_s=4.4) for _ in range(n_files))
    week = Work(tuple(Mount("9940B", "write", files, lead_s=75, tail_s=45) for _ in range(20)), {"9940B": 1})
    expected = Service(30.0).time(n_files, file_mb).rate_mb_s
    assert simulate(week).rate("write") == pytest.approx(expected, rel=0.01)
    # the same through a link and disks that are wide enough
    assert simulate(week, Changes(disk_mb_s=300, link_mb_s=250)).rate("write") == pytest.approx(expected, rel=0.01)


def station(gap_s: float = 0.0, n_mounts: int = 40) -> Work:
    """FNAL's station: inputs of 33 MB/s and outputs of 75 MB/s, files of 1 GB, mounts of 25 (M31, M36, M41)."""
    reads = tuple(File(1000, 1000 / 33) for _ in range(25))
    writes = tuple(File(1000, 1000 / 75, gap_s=gap_s) for _ in range(25))
    mounts = [Mount("LTO-2", "read", reads, station="dm8") for _ in range(n_mounts)]
    mounts += [Mount("LTO-4", "write", writes, station="dm8") for _ in range(n_mounts)]
    return Work(tuple(mounts), {"LTO-2": 12, "LTO-4": 8})


def output(gap: float = 0.0, /, **changes: float) -> float:
    made = Changes(at_once=True, writes_wait_for_reads=True, **changes)  # type: ignore[arg-type]
    found = simulate(station(gap), made)
    assert not found.n_stuck
    return found.rate("write")


def test_input_output_ratio_m41() -> None:
    """M41: two inputs give 66 < 75, three 99 > 75: then the output is what limits."""
    assert output(inputs=2, outputs=1) == pytest.approx(66, rel=0.02)
    assert output(inputs=3, outputs=1) == pytest.approx(75, rel=0.02)


def test_one_bottleneck_behind_the_other_m42() -> None:
    """M42: with gaps of 10 s an output makes 42.9 however many inputs; with 2 s 65.2, and then two inputs just do."""
    assert output(10, inputs=2, outputs=1) == pytest.approx(42.9, rel=0.02)
    assert output(10, inputs=3, outputs=1) == pytest.approx(42.9, rel=0.02)
    assert output(10, inputs=2, outputs=1, gap_s=2) == pytest.approx(65.2, rel=0.02)
    assert output(10, inputs=1, outputs=1, gap_s=2) == pytest.approx(33, rel=0.02)


def test_two_instances_m43_and_m44() -> None:
    """M43: 4 x 33 = 132 MB/s fit a link of 250; 4 x 75 = 300 do not. M44: disks of 222 bear no 264."""
    two = {"instances": 2, "inputs": 2, "outputs": 2}
    assert output(**two, link_mb_s=250) == pytest.approx(132, rel=0.03)
    outputs_only = Work(tuple(m for m in station().mounts if m.mode == "write"), {"LTO-4": 8})
    found = simulate(outputs_only, Changes(at_once=True, instances=2, outputs=2, link_mb_s=250))
    assert found.rate("write") == pytest.approx(250, rel=0.02)
    assert output(**two, link_mb_s=250, disk_mb_s=222) == pytest.approx(111, rel=0.03)
    assert output(instances=1, inputs=2, outputs=2, disk_mb_s=222) == pytest.approx(66, rel=0.03), "one instance fits"


def test_chunks_collected_before_a_mount_p48() -> None:
    """P48: 20 GB of 2.755 GB files are 8 whole files: 22,040 / (120 + 8 x 4.4 + 367.3) = 42.2 MB/s at 60."""
    mounts = tuple(
        Mount("LTO-4", "write", (File(2755, 2755 / 60, gap_s=4.4),), lead_s=75, tail_s=45)
        for _ in range(632)  # 79 chunks of 8, 8 of 79
    )
    work = Work(mounts, {"LTO-4": 1})
    assert simulate(work).rate("write") == pytest.approx(Service(60).time(1, 2755).rate_mb_s, rel=1e-6)
    assert simulate(work, Changes(chunk_gb=20)).rate("write") == pytest.approx(42.2, abs=0.05)
    hour = simulate(work, Changes(chunk_gb=216)).rate("write")
    assert hour / 60 == pytest.approx(0.89, abs=0.005), "X7: an hour's chunk comes to 89 %"


def test_what_waits_for_ever_is_counted() -> None:
    alone = Work((Mount("LTO-4", "write", (File(10, 1),), station="n1"),), {"LTO-4": 1})
    found = simulate(alone, Changes(writes_wait_for_reads=True))
    assert found.n_stuck == 1 and found.rate("write") == 0 and found.ended_s == 0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no drive of kind 'LTO-4'"):
        Work(traced().mounts, {"LTO-2": 1})
    with pytest.raises(ValueError, match="above 0"):
        Changes(speed=0)
    with pytest.raises(ValueError, match="above 0"):
        Changes(drives={"LTO-4": 0})
    with pytest.raises(ValueError, match="there is no work for drives of kind 'LTO-9'; kinds with work: LTO-4"):
        simulate(traced(), Changes(drives={"LTO-9": 2}))
    with pytest.raises(ValueError, match="`instances` needs"):
        Changes(instances=2)
    with pytest.raises(ValueError, match="gap"):
        Changes(gap_s=-1)


def test_a_queue_by_theory() -> None:
    """Mounts of 100 s that come at random to one drive, 70 % of the time in use: 0.7 x 100 / (2 x 0.3) = 116.7 s.

    Pollaczek and Khinchine for constant service. With a second drive hardly anybody waits.
    """
    rng = np.random.default_rng(1)
    asked = np.cumsum(rng.exponential(100 / 0.7, 12_000))
    mounts = tuple(Mount("LTO-4", "read", (File(1000, 50),), float(at), lead_s=30, tail_s=20) for at in asked)
    one = use(Work(mounts, {"LTO-4": 1}))
    assert one.busy_s == pytest.approx(1.2e6) and one.waited_s / one.n_mounts == pytest.approx(116.7, rel=0.06)
    two = use(Work(mounts, {"LTO-4": 1}), Changes(drives={"LTO-4": 2}))
    assert two.waited_s / two.n_mounts < 10


def test_a_stream_ends_where_the_clock_has_no_room_for_its_rest() -> None:
    """After a year of seconds a microbyte at 800 MB/s takes less than the clock's last digit."""
    rng = np.random.default_rng(0)
    files = [tuple(File(mb, mb / 400, 1.0) for mb in rng.uniform(50, 5000, 20)) for _ in range(40)]
    mounts = tuple(Mount("LTO-9", "read", one, 365 * 86400.0 + 60 * n, "st") for n, one in enumerate(files))
    ended = simulate(Work(mounts, {"LTO-9": 8}), Changes(speed=2.0, disk_mb_s=3000.0))
    assert ended.uses["LTO-9", "read"].n_mounts == 40
