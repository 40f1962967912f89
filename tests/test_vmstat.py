"""What the vmstat source refuses and how it reports that, and its rows against another reading of the same text."""

from datetime import datetime
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import vmstat
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import FILE_REASONS, Origin, Parsed

TITLES = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----"
NAMES = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"
ROW = " 1  0      0 803444  49984 124916    0    0    87    17 1006   57 47 23 28  1  1"
FOREIGN = {
    "vmstat -m": ["Cache                       Num  Total   Size  Pages"],
    "vmstat -f": ["       106461 forks"],
    "/proc/vmstat": ["nr_free_pages 81234", "nr_inactive_anon 12"],
}


def parse(*lines: str, origin: Origin | None = None) -> Parsed:
    frame = frame_of("\n".join(lines).encode())
    return vmstat.parse(frame, origin or Origin(start_at=datetime(2010, 6, 15), interval_s=1), None)


@pytest.mark.parametrize("name", FOREIGN)
def test_other_outputs_are_refused_by_name(name: str) -> None:
    claim = vmstat.recognise(FOREIGN[name])
    assert not claim.is_match
    assert name in claim.why


@pytest.mark.parametrize(
    "line",
    [
        " r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa hr mi se",
        "disk- ------------reads------------ ------------writes----------- -----IO------",
        "     24684084 K total memory",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu xx yy",
        " r  b   swpd   free   buff  cache   si",
    ],
)
def test_unknown_header_inside_a_file_is_loud(line: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        parse(TITLES, NAMES, ROW, line, ROW)
    assert caught.value.reason == "unknown_header"
    assert caught.value.reason in FILE_REASONS


def test_unknown_names_behind_group_titles_are_loud() -> None:
    with pytest.raises(UnreadableFile, match="line 5"):
        parse(TITLES, NAMES, ROW, TITLES, "alpha beta gamma", ROW)


@pytest.mark.parametrize("origin", [Origin(), Origin(start_at=datetime(2010, 6, 15)), Origin(interval_s=1)])
def test_rows_without_a_clock_need_one_from_the_site(origin: Origin) -> None:
    with pytest.raises(UnreadableFile) as caught:
        parse(TITLES, NAMES, ROW, ROW, origin=origin)
    assert caught.value.reason == "no_clock"
    assert "start_at" in caught.value.hint
    assert "interval_s" in caught.value.hint


def test_titles_alone_are_an_empty_file() -> None:
    parsed = parse(NAMES, origin=Origin())
    assert (parsed.n_used, parsed.n_skipped, parsed.n_records) == (1, 0, 0)


def test_header_due_after_21_rows_begins_no_run() -> None:
    steady = parse(TITLES, NAMES, *[ROW] * 21, TITLES, NAMES, *[ROW] * 5)
    early = parse(TITLES, NAMES, *[ROW] * 20, TITLES, NAMES, *[ROW] * 5)
    assert (steady.n_records, early.n_records) == (25, 23)


MEMORY = ("swapped_bytes", "free_bytes", "buffer_bytes", "cache_bytes", "inactive_bytes", "active_bytes")
SCALES: dict[str, tuple[str, float]] = {
    "r": ("run_queue", 1),
    "b": ("blocked", 1),
    "swpd": ("swapped_bytes", 1024),
    "free": ("free_bytes", 1024),
    "buff": ("buffer_bytes", 1024),
    "cache": ("cache_bytes", 1024),
    "inact": ("inactive_bytes", 1024),
    "active": ("active_bytes", 1024),
    "si": ("swap_in_bytes_s", 1024),
    "so": ("swap_out_bytes_s", 1024),
    "bi": ("read_bytes_s", 1024),
    "bo": ("write_bytes_s", 1024),
    "in": ("interrupt_rate", 1),
    "cs": ("switch_rate", 1),
    "us": ("cpu_user", 0.01),
    "sy": ("cpu_system", 0.01),
    "id": ("cpu_idle", 0.01),
    "wa": ("cpu_wait", 0.01),
    "st": ("cpu_stolen", 0.01),
    "gu": ("cpu_guest", 0.01),
}
# Real captures: first line of data, column names, and what the source must not pass on as data.
WHOLE = {
    "generated/vmstat_procps-ng-4.0.4_1_6.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa st gu",
    "generated/vmstat_procps-3.2.8+git201012_1_6.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa",
    "generated/vmstat_procps-ng-4.0.4_a.txt": "r b swpd free inact active si so bi bo in cs us sy id wa st gu",
    "generated/vmstat_procps-ng-3.3.12_wt.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa st",
    "generated/vmstat_procps-ng-4.0.2_de_DE.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa st",
    "archived_text/lkml2002_vmstat_w_column.txt": "r b w swpd free buff cache si so bi bo in cs us sy id",
    "archived_text/el6_vmstat_n_write_saturated.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa st",
    "percona_Linux_001.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa",
    "batmat_ok_test5-ci-2cores-4jobsrunning.txt": "r b swpd free buff cache si so bi bo in cs us sy id wa st",
    "jc_centos-7.7_vmstat-at-5-10.out": "r b swpd free inact active si so bi bo in cs us sy id wa st",
}


@pytest.mark.parametrize("name", WHOLE)
def test_real_rows_come_back_field_by_field(name: str, realdata: Path) -> None:
    """Every sample of a real file against its line read word by word."""
    text = (realdata / "vmstat" / name).read_text()
    origin = Origin(head=tuple(text.splitlines()), start_at=datetime(2010, 6, 15), interval_s=1)
    rows = vmstat.parse(frame_of(text.encode()), origin, None).tables["host_sample"].to_dicts()
    lines = dict(enumerate(text.splitlines(), start=1))
    data = [number for number, line in lines.items() if line.strip()[:1].isdigit()]
    assert [row["line_no"] for row in rows] == data[1:]
    for row in rows:
        words = lines[row["line_no"]].split()
        for field, word in zip(WHOLE[name].split(), words, strict=False):
            if field != "w":
                column, scale = SCALES[field]
                assert row[column] == pytest.approx(int(word) * scale), (field, row)
        assert row["note"] is None
        columns = {SCALES[field][0] for field in WHOLE[name].split() if field != "w"}
        assert all(row[column] is None for column, _ in SCALES.values() if column not in columns)


@pytest.mark.parametrize("unit", ["Sk", "SM", "Sm"])
def test_real_figures_in_another_unit_are_not_passed_on(unit: str, realdata: Path) -> None:
    text = (realdata / "vmstat" / "generated" / f"vmstat_procps-ng-4.0.2_{unit}.txt").read_text()
    origin = Origin(head=tuple(text.splitlines()), start_at=datetime(2010, 6, 15), interval_s=1)
    rows = vmstat.parse(frame_of(text.encode()), origin, None).tables["host_sample"]
    assert rows.height == 2
    assert rows.select(*MEMORY, "swap_in_bytes_s").null_count().row(0) == (2,) * 7
    assert rows["note"].str.contains("unit").all()
    assert rows["write_bytes_s"][-1] == 292 * 1024


def test_real_frozen_memory_and_lost_counters_are_named(realdata: Path) -> None:
    folder = realdata / "vmstat" / "generated"
    frozen = (folder / "vmstat_procps-ng-4.0.2_t_1_65_burst.txt").read_text()
    rows = vmstat.parse(frame_of(frozen.encode()), Origin(head=tuple(frozen.splitlines())), None).tables["host_sample"]
    assert rows.height == 64
    assert rows["free_bytes"].null_count() == 64
    assert rows.filter(pl.col("write_bytes_s") > 40e6).height > 10
    lost = (folder / "vmstat_procps-3.1.x-git200309_1_6.txt").read_text()
    origin = Origin(head=tuple(lost.splitlines()), start_at=datetime(2010, 6, 15), interval_s=1)
    rows = vmstat.parse(frame_of(lost.encode()), origin, None).tables["host_sample"]
    assert rows["write_bytes_s"].null_count() == rows.height == 5
    assert rows["free_bytes"].null_count() == 0


def test_real_partition_counters_are_differenced(realdata: Path) -> None:
    text = (realdata / "vmstat" / "generated" / "vmstat_procps-ng-4.0.2_p.txt").read_text()
    origin = Origin(head=tuple(text.splitlines()), start_at=datetime(2010, 6, 15), interval_s=1)
    rows = vmstat.parse(frame_of(text.encode()), origin, None).tables["device_sample"]
    counters = [[int(word) for word in line.split()] for line in text.splitlines()[1:]]
    expected = [(after[3] - before[3]) * 512 for before, after in pairwise(counters)]
    assert rows["write_bytes_s"].to_list() == expected
    assert rows["device"].unique().to_list() == ["vda"]


@pytest.mark.parametrize("name", ["solaris10_vmstat", "../percona_BSD_freebsd_001"])
def test_real_rows_of_other_systems(name: str, realdata: Path) -> None:
    """The last columns are processor shares, those before interrupts and switches, on every system."""
    text = (realdata / "vmstat" / "archived_text" / f"{name}.txt").read_text()
    origin = Origin(head=tuple(text.splitlines()), start_at=datetime(2010, 6, 15), interval_s=1)
    rows = vmstat.parse(frame_of(text.encode()), origin, None).tables["host_sample"]
    lines = [line.split() for line in text.splitlines()]
    assert rows.height == len(lines) - 3
    for row, words in zip(rows.to_dicts(), lines[3:], strict=True):
        interrupts, _, switches, user, system, idle = map(int, words[-6:])
        assert (row["interrupt_rate"], row["switch_rate"]) == (interrupts, switches)
        assert (row["cpu_user"], row["cpu_system"], row["cpu_idle"]) == pytest.approx(
            (user / 100, system / 100, idle / 100)
        )
        assert row["free_bytes"] == int(words[4]) * 1024
        assert row["write_bytes_s"] is None


PAGES = st.integers(0, 2**29).map(lambda pages: 4 * pages + 8192)
ROW_OF_FIGURES = st.tuples(
    *[st.integers(0, 2**31 - 1)] * 2, *[PAGES] * 4, *[st.integers(0, 10**7)] * 6, *[st.integers(0, 100)] * 5
)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(ROW_OF_FIGURES, min_size=2, max_size=12), st.sampled_from(["", "  ", "\t"]), st.booleans())
def test_any_figures_written_come_back(rows: list[tuple[int, ...]], gap: str, is_wide: bool) -> None:
    """Whatever the numbers and the blanks between, in the order of the header; by the fast way and the slow one."""
    width = 12 if is_wide else 1
    text = [f"{gap} ".join(f"{number:{width}d}" for number in row) for row in rows]
    parsed = parse(TITLES, NAMES, *text)
    back = parsed.tables["host_sample"].to_dicts()
    assert (parsed.n_used, parsed.n_skipped, parsed.rejects.height) == (len(rows) + 1, 1, 0)
    names = NAMES.split()
    for row, sample in zip(rows[1:], back, strict=True):
        for field, number in zip(names, row, strict=True):
            column, scale = SCALES[field]
            if sample[column] is None:
                assert sample["note"], column
            else:
                assert sample[column] == pytest.approx(number * scale)


def test_rows_without_a_header_are_read_only_where_their_figures_settle_the_layout() -> None:
    """Fewer rows, other figures, or AIX's 17 columns after a clock time: refused, with the reason."""
    body = ROW.replace("    17 ", "    16 ")
    assert vmstat.recognise([body] * 12).is_match
    for rows in ([body] * 5, [ROW.replace("803444", "803445")] * 12, [body.replace(" 47 ", " 87 ")] * 12):
        claim = vmstat.recognise(rows)
        assert not claim.is_match
        assert "no header line" in claim.why
    aix = "08:00:05 11  0 602748 16792   0   0   0   0    0   0 627 3124 2417 72  7 21  0"
    assert not vmstat.recognise([aix] * 20).is_match
