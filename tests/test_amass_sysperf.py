"""Values of sysperf's screens: the published one, screens a small writer prints, and damage that must stay marked.

The published screen is figure 4 of A. Lake, "Performance Tuning of a High Capacity/High Performance Archive for the
Earth Observing Systems Project" (1997); requirements E09 and E10.
"""

from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import amass_sysperf, choose
from pipelines.sources.amass_sysperf.screens import SLOTS
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin, Parsed

EOS = Path(__file__).parent / "sources" / "amass_sysperf" / "damaged_eos_1997.txt"
START = datetime(1998, 2, 1, 8)
HEADING = "JUKE DRIVE VOLFLAGS VOLUME VOLGRP KBYTES/SEC"


def parse(text: str, **origin: object) -> Parsed:
    head = tuple(text.split("\n")[:200])
    known = {"host": "h", "start_at": START, "interval_s": 10.0} | origin
    return amass_sysperf.parse(frame_of(text.encode()), Origin(head=head, **known), None)  # type: ignore[arg-type]


def test_eos_screen_e09() -> None:
    """E09: the figures that can be read, and each cell that cannot be read as printed is marked."""
    parsed = parse(EOS.read_text())
    (screen,) = parsed.tables["amass_sysperf_screen"].to_dicts()
    assert (screen["write_requests"], screen["write_vol_groups"], screen["read_requests"]) == (6, 6, None)
    assert [screen[f"cache_{part}"] for part in ("total", "free", "dirty")] == [240, 216, 24]
    assert (screen["fnodes_total"], screen["fnodes_free"]) == (50, 43)
    drives = parsed.tables["amass_sysperf_drive"]
    assert drives["printed_rate"].to_list() == [0, 9420, 9420, 8345, 8601, 8806, 0, None]
    assert drives["drive"].to_list() == list(range(1, 9))
    assert drives["volgrp"].to_list() == ["21", "26", "23", "22", "24", "27", "29", "28"]
    assert drives["is_ocr"].all() and screen["is_ocr"]
    assert drives.filter(pl.col("repairs").is_not_null())["raw"].to_list() == ["1 7 4 02 29 0", "1 7 A 92 28"]
    assert not parsed.rejects.height


def test_eos_sum_e10() -> None:
    """E10: 44,592 KB/s over five active drives, mean 8918; 44.6 or 45.7 MB/s, the latter 43.5 MiB/s."""
    active = parse(EOS.read_text()).tables["amass_sysperf_drive"].filter(pl.col("printed_rate") > 0)
    assert (active.height, active["printed_rate"].sum()) == (5, 44_592)
    low, high = active["rate_k1000_bytes_s"].sum(), active["rate_k1024_bytes_s"].sum()
    assert (round(low / 1e6, 1), round(high / 1e6, 1), round(high / 2**20, 1)) == (44.6, 45.7, 43.5)


def test_eos_paper_is_no_capture() -> None:
    """The screen inside the text of a paper is named, not read."""
    prose = [f"Sentence {n} of a paper on the tuning of an archive." for n in range(40)]
    stem, claims = choose([*prose, *read_head(EOS), *prose])
    assert stem is None
    assert "copy the screen" in claims["amass_sysperf"].why


count = st.integers(0, 99_999)
drive_row = st.tuples(st.sampled_from(["A", "I", "AO", "IO"]), count, st.integers(1, 2047), count)
one_screen = st.tuples(st.lists(count, min_size=9, max_size=9), st.lists(drive_row, min_size=1, max_size=6))


def printed(figures: list[int], drives: list[tuple[str, int, int, int]]) -> str:
    w, wg, r, rg, total, free, dirty, nodes, left = figures
    lines = [
        f"WRITE REQUESTS {w}  # OF VOL GROUPS {wg}",
        f"READ REQUESTS {r}  # OF VOL GROUPS {rg}",
        f"CACHE BLOCKS {total} Total {free} Free {dirty} Dirty",
        f"FNODES  {nodes} Total {left} Free",
        HEADING,
    ]
    lines += [f" 1  {number:2d}  {' '.join(map(str, row))}" for number, row in enumerate(drives, 1)]
    return "\n".join(lines) + "\n"


@settings(max_examples=15, deadline=None)
@given(st.lists(one_screen, min_size=1, max_size=4))
def test_what_is_printed_comes_back(screens: list[tuple[list[int], list[tuple[str, int, int, int]]]]) -> None:
    parsed = parse("".join(printed(*screen) for screen in screens))
    rows = parsed.tables["amass_sysperf_screen"]
    assert rows.select(SLOTS).rows() == [tuple(figures) for figures, _ in screens]
    assert rows["sampled_at"].to_list() == [START + n * timedelta(seconds=10) for n in range(len(screens))]
    drives = parsed.tables["amass_sysperf_drive"]
    expected = [
        (n, number, flags, volume, str(group), rate)
        for n, (_, table) in enumerate(screens)
        for number, (flags, volume, group, rate) in enumerate(table, 1)
    ]
    found = drives.with_columns(n=(pl.col("sampled_at") - START).dt.total_seconds() // 10)
    assert found.select("n", "drive", "volflags", "volume", "volgrp", "printed_rate").rows() == expected
    assert not drives["is_ocr"].any()
    assert drives["repairs"].null_count() == drives.height
    assert not parsed.rejects.height


@settings(max_examples=15, deadline=None)
@given(one_screen)
def test_a_sound_screen_forbids_repair(screen: tuple[list[int], list[tuple[str, int, int, int]]]) -> None:
    """In a file with a sound screen a damaged row is rejected, never repaired."""
    spoilt = printed(*screen).replace(" A ", " 4 ").replace("FNODES", "FN0DES")
    parsed = parse(printed([1] * 9, [("A", 1, 1, 1)]) + spoilt)
    for rows in parsed.tables.values():
        assert not rows["is_ocr"].any()
        assert rows["repairs"].null_count() == rows.height
    assert {"bad_syntax"} == set(parsed.rejects["reason"])


@pytest.mark.parametrize(
    "heading", ["JUKE DRIVE SLOT VOLFLAGS VOLUME VOLGRP KBYTES/SEC", "JUKE DRIVE VOLUME VOLGRP KBYTES/SEC"]
)
def test_other_columns_refuse_the_file(heading: str) -> None:
    text = printed([1] * 9, [("A", 1, 1, 1)]).replace(HEADING, heading)
    assert choose(text.split("\n"))[0] is None
    with pytest.raises(UnreadableFile) as refused:
        parse(text)
    assert refused.value.reason == "unknown_header"


@pytest.mark.parametrize(
    ("origin", "n_screens", "basis"),
    [
        ({"start_at": None, "modified_at": START}, 1, "modified_at"),
        ({"start_at": None, "modified_at": START}, 2, None),
        ({"start_at": None}, 1, None),
        ({"interval_s": None}, 1, "start_at"),
        ({"interval_s": None}, 2, None),
        ({"start_at": None, "path": "sysperf-1998.02.01T0800"}, 2, "file name"),
        ({"start_at": None, "path": "sysperf-1998.02.01T2560"}, 1, None),
        ({"start_at": None, "date": START.date()}, 1, "day alone"),
    ],
)
def test_clock_of_the_first_screen(origin: dict[str, object], n_screens: int, basis: str | None) -> None:
    text = printed([1] * 9, [("A", 1, 1, 1)]) * n_screens
    if basis is None:
        with pytest.raises(UnreadableFile) as refused:
            parse(text, **origin)
        assert refused.value.reason == "no_clock"
        return
    rows = parse(text, **origin).tables["amass_sysperf_screen"]
    assert set(rows["at_basis"]) == {basis}
    assert rows["sampled_at"][0].date() == START.date()


@pytest.mark.parametrize(
    ("stamp", "at"),
    [
        ("Mon Jul  6 09:00:00 CDT 1998", "1998-07-06T14:00:00"),
        ("Mon Jul  6 09:00:00 AM CDT 1998", "1998-07-06T14:00:00"),
        ("Mon Jul  6 12:30:00 AM CDT 1998", "1998-07-06T05:30:00"),
        ("Mon Jul  6 09:00:00 1998", "1998-07-06T14:00:00"),
        ("zzz ***Mon Jul 6 09:00:00 UTC 1998", "1998-07-06T09:00:00"),
        ("1998-07-06T09:00:00.25+02:00", "1998-07-06T07:00:00.250000"),
        ("### 1998-07-06 09:00:00 ###", "1998-07-06T14:00:00"),
        ("[1998-07-06 09:00:00]", "1998-07-06T14:00:00"),
    ],
)
def test_stamps(stamp: str, at: str) -> None:
    rows = parse(f"{stamp}\n" + printed([1] * 9, [("A", 1, 1, 1)]), zone="America/Chicago")
    assert rows.tables["amass_sysperf_screen"]["sampled_at"].to_list() == [datetime.fromisoformat(at)]


def test_cache_block_list_is_named() -> None:
    stem, claims = choose(["VOLGRP  Read  Write", "  12     4     9"])
    assert stem is None
    assert "list of cache blocks" in claims["amass_sysperf"].why


def misread(text: str) -> str:
    """Every figure as a bad reader of print takes it; words and the heading stay."""
    table = str.maketrans("0158", "OlSB")
    return "\n".join(
        " ".join(word.translate(table) if word.isdigit() else word for word in line.split())
        for line in text.split("\n")
    )


@settings(max_examples=15, deadline=None)
@given(one_screen)
def test_look_alikes_come_back_and_are_marked(screen: tuple[list[int], list[tuple[str, int, int, int]]]) -> None:
    """0 1 5 8 printed as O l S B: every figure comes back, and every figure that was changed is named."""
    text = printed(*screen)
    parsed = parse(misread(text))
    assert not parsed.rejects.height
    (row,) = parsed.tables["amass_sysperf_screen"].to_dicts()
    assert [row[slot] for slot in SLOTS] == screen[0]
    for slot in SLOTS:
        assert (f"{slot}: " in (row["repairs"] or "")) == any(sign in "0158" for sign in str(row[slot]))
    drives = parsed.tables["amass_sysperf_drive"].to_dicts()
    assert [(d["volflags"], d["volume"], int(d["volgrp"]), d["printed_rate"]) for d in drives] == screen[1]
    for drive in drives:
        assert drive["is_ocr"] and drive["raw"]
        for name in ("juke", "drive", "volume", "volgrp", "printed_rate"):
            assert (f"{name}: " in drive["repairs"]) == any(sign in "0158" for sign in str(drive[name]))
