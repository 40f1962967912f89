"""What the vmstat source refuses, and how it says so."""

from datetime import datetime

import pytest

from pipelines.errors import UnreadableFile
from pipelines.lines import frame_of
from pipelines.records import FILE_REASONS, Origin, Parsed
from pipelines.sources import vmstat

TITLES = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----"
NAMES = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"
ROW = " 1  0      0 803444  49984 124916    0    0    87    17 1006   57 47 23 28  1  1"
FOREIGN = {
    "Solaris": [" kthr      memory            page            disk          faults      cpu"],
    "AIX": ["System configuration: lcpu=8 mem=16384MB"],
    "BSD": [" procs      memory      page                    disks     faults         cpu"],
    "vmstat -d": ["disk- ------------reads------------ ------------writes----------- -----IO------"],
    "vmstat -D": ["           10 disks ", "            2 partitions "],
    "vmstat -s": ["     24684084 K total memory", "      1335884 K used memory"],
    "vmstat -p": ["sda1          reads   read sectors  writes    requested writes"],
    "vmstat -m": ["Cache                       Num  Total   Size  Pages"],
}


def parse(*lines: str, origin: Origin | None = None) -> Parsed:
    frame = frame_of("\n".join(lines).encode())
    return vmstat.parse(frame, origin or Origin(start_at=datetime(2010, 6, 15), interval_s=1), None)


@pytest.mark.parametrize("name", FOREIGN)
def test_other_outputs_are_refused_by_name(name: str) -> None:
    claim = vmstat.recognise(FOREIGN[name])
    assert not claim.is_mine
    assert name in claim.why


@pytest.mark.parametrize(
    "line",
    [
        " kthr      memory            page            disk          faults      cpu",
        " r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa",
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
