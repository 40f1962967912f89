"""Buffers before the tapes: stack distances by hand and against a buffer that is played through, and their results."""

from collections import OrderedDict
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from pipelines.analysis.forecast import Buffers, History, buffers
from pipelines.analysis.models.buffer import FIRST, GB, Behaviour, Ints, Step, behaviour, caught, distances
from pipelines.answers.question import Answer
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate

DAYS = 28


def judged(files: Ints, sizes: Ints) -> Behaviour:
    """The behaviour of reads spread evenly over the days."""
    found = behaviour(distances(files, sizes), sizes, np.arange(len(files)) * DAYS // len(files))
    assert isinstance(found, Behaviour)
    return found


def played(files: Ints, sizes: Ints, room: int) -> list[bool]:
    """Which reads a buffer catches that drops what was not read for longest until the newest file fits."""
    held: OrderedDict[int, int] = OrderedDict()
    found = []
    for file, size in zip(files.tolist(), sizes.tolist(), strict=True):
        found.append(file in held)
        held[file] = size
        held.move_to_end(file)
        while sum(held.values()) > room:
            held.popitem(last=False)
    return found


def test_distances_are_those_of_a_buffer_played_through() -> None:
    rng = np.random.default_rng(22)
    n_caught = 0
    for _ in range(150):
        size_of = rng.integers(0, 12, rng.integers(1, 25))
        files = rng.integers(0, len(size_of), rng.integers(1, 70))
        sizes = size_of[files]
        apart = distances(files, sizes)
        for room in rng.integers(0, 80, 3):
            expected = played(files, sizes, int(room))
            assert ((apart != FIRST) & (apart <= room)).tolist() == expected
            n_caught += sum(expected)
    assert n_caught > 1000


def test_a_buffer_by_hand() -> None:
    """a b a c a b, of 1, 2 and 4 GB. a again: b and a, 3 GB. a again: c and a, 5 GB. b again: a, c and b, 7 GB.

    9 reads' worth: 1 + 2 + 1 + 4 + 1 + 2 = 11 GB, of which 1 + 1 + 2 = 4 are read again; 7 GB are different. 2 GB catch
    nothing, 4 the first a (1 of 11), 8 all (4 of 11). The last doubling that gains is that to 8.
    """
    files, size_of = np.array([0, 1, 0, 2, 0, 1]), np.array([1, 2, 4]) * GB
    assert distances(files, size_of[files]).tolist() == [FIRST, FIRST, 3 * GB, FIRST, 5 * GB, 7 * GB]
    found = judged(files, size_of[files])
    assert (found.n_reads, found.n_files) == (6, 3)
    assert (found.read_tb, found.set_tb, found.again) == pytest.approx((0.011, 0.007, 4 / 11))
    assert found.steps == (Step(0.002, 0, 0), Step(0.004, 1 / 6, 1 / 11), Step(0.008, 0.5, 4 / 11))
    assert found.flat_tb == 0.008
    assert caught(distances(files, size_of[files]), 0.005).tolist() == [False, False, True, False, True, False]
    with pytest.raises(ValueError, match="two reads of the same file give different sizes"):
        distances(np.array([0, 0]), np.array([1, 2]))


def test_random_reads_of_a_large_set_make_the_size_unimportant_c22() -> None:
    """C22: 10,000 reads at random of 1,000,000 files; one in a hundred or so is of a file that was read before."""
    rng = np.random.default_rng(1)
    found = judged(rng.integers(0, 1_000_000, 10_000), np.full(10_000, GB))
    assert found.again < 0.01 and found.verdict == "does not matter"
    assert max(step.byte_share for step in found.steps) < 0.01


def test_random_reads_of_a_small_set_are_caught_by_chance() -> None:
    """Of 1,000 files, 10,000 reads: a buffer for an eighth of them catches an eighth less the first reads, a tenth."""
    rng = np.random.default_rng(2)
    found = judged(rng.integers(0, 1000, 10_000), np.full(10_000, GB))
    (eighth,) = (step.byte_share for step in found.steps if step.size_tb == 0.128)
    assert found.verdict == "by chance" and eighth == pytest.approx(0.128 * 0.96, abs=0.01)


def test_a_working_set_has_a_size_from_which_the_curve_is_flat() -> None:
    """Nine in ten reads are of the 50 files of the week, the others of files read once.

    Of 18,000 reads of theirs 200 are the first: 17,800 of 20,000, 0.89, can be caught. 64 GB hold the 50 and the new
    files of 140 reads, in which all but 1 in e^(140 x 0.9 / 50) = 12 of the 50 are read again; 128 GB miss hardly one.
    """
    rng = np.random.default_rng(3)
    week = np.arange(20_000) // 5000
    files = np.where(rng.random(20_000) < 0.9, 100_000 * (week + 1) + rng.integers(0, 50, 20_000), np.arange(20_000))
    found = judged(files, np.full(20_000, GB))
    assert found.verdict == "matters" and found.flat_tb == 0.128
    assert isinstance(found.flat, Estimate) and found.flat.low < 0.89 < found.flat.high


def test_without_a_second_read_nothing_is_estimated() -> None:
    none = behaviour(distances(np.arange(5), np.full(5, GB)), np.full(5, GB), np.zeros(5, np.int64))
    assert isinstance(none, NoEstimate) and none.reason == "no file was read twice: 5 reads, 0.01 TB in total"
    empty = np.zeros(0, np.int64)
    assert isinstance(behaviour(distances(empty, empty), empty, empty), NoEstimate)


# --- of a site ------------------------------------------------------------------------------------------------


def saw(rows: list[tuple[Any, ...]]) -> list[Buffers]:
    """What is made of these rows of `tape_reads`: witness, file, family, bytes; a read an hour."""
    columns = list(load_catalog().asked["tape_reads"].columns)
    begin = datetime(2010, 3, 1)
    times = [begin + timedelta(hours=hour) for hour in range(len(rows))]
    whole = [
        (witness, "s", file, "cms", family, size, at, at.date())
        for (witness, file, family, size), at in zip(rows, times, strict=True)
    ]
    site = Site(name="case")
    return buffers(History(site, load_catalog(), date(2010, 3, 31), DAYS, lambda *_: Answer(columns, whole, "", 1)))


def test_a_buffer_a_family_p49() -> None:
    """raw reads two files of 10 GB in turn, log two new ones of 10 GB between any two of them.

    Alone, raw is caught by 20 GB (32 of those that double); in one buffer each read of it has 2 x 2 + 1 others between:
    60 GB, so that one of 32 GB for both catches nothing. Of 240 reads 80 are of raw, 78 of them not the first.
    """
    rows = []
    for turn in range(80):
        rows.append(("drives", f"raw{turn % 2}", "raw", 10 * GB))
        rows += [("drives", f"log{turn}.{n}", "log", 10 * GB) for n in (1, 2)]
    (found,) = saw(rows)
    assert [(one.name, len(one.reads.sizes)) for one in found.families] == [("cms.log", 160), ("cms.raw", 80)]
    log, raw = (one.found for one in found.families)
    assert isinstance(log, NoEstimate) and isinstance(raw, Behaviour)
    assert raw.flat_tb == 0.032 and raw.again == pytest.approx(78 / 80)
    assert found.own() == (0.032, pytest.approx(78 / 240), 0.0)
    assert found.whole.reads.caught_bytes(0.06) == 78 * 10 * GB and (found.n_days, found.is_cut) == (10, False)


def test_what_drives_and_pools_saw_is_never_added() -> None:
    found = saw([("drives", "a", None, GB), ("pools", "a", "raw", GB), ("drives", "a", None, GB)])
    assert [(one.witness, len(one.whole.reads.sizes)) for one in found] == [("drives", 2), ("pools", 1)]
    assert isinstance(found[0].whole.found, Behaviour) and isinstance(found[1].whole.found, NoEstimate)
    assert found[0].families[0].name == "cms" and found[1].own() is None
    with pytest.raises(TapescopeError, match="no log shows a file read"):
        saw([])
