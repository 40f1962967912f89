"""dstat's and dool's CSV: written figures come back, and real files agree with another reading of them."""

import csv
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.parsing import parse_chunks, read_lines

PREAMBLE = """"{program} CSV output"
"Author:","somebody",,,,"URL:","http://example.org/"
"Host:","stage07",,,,"User:","root"
"Cmdline:","{command}",,,,"Date:","{date}"
{groups}
{columns}
"""
VALUE = st.integers(0, 10**11).map(lambda value: value / 1000)


def preamble(program: str = "Dstat 0.7.3", command: str = "dstat -td", date: str = "15 Jun 2010 08:00:00 UTC") -> str:
    groups, columns = '"system","dsk/total",,"dsk/sda",', '"time","read","writ","read","writ"'
    return PREAMBLE.format(program=program, command=command, date=date, groups=groups, columns=columns)


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(
        [
            ("Dstat 0.7.3", "dstat -td", 1),
            ("Dstat 0.7.4", "dstat -td --bits", 1),
            ("dool 1.3.8", "dool --bits", 8),
            ("dool 1.3.8", "dool", 8),
        ]
    ),
    st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=20),
    st.integers(0, 40),
)
def test_what_is_written_comes_back(called: tuple[str, str, int], values: list[tuple[float, float]], cut: int) -> None:
    """Two appended runs; of each the first row is that since boot."""
    program, command, divisor = called
    text, expected = "", []
    for run in range(2):
        begin = datetime(2010, 6, 15, 8 + run)
        text += preamble(program, command, begin.strftime("%d %b %Y %H:%M:%S UTC")) + begin.strftime(
            "%d-%m %H:%M:%S,9,9,9,9\n"
        )
        for number, (read, written) in enumerate(values, 1):
            at = begin + timedelta(seconds=10 * number)
            text += f"{at.strftime('%d-%m %H:%M:%S')},1,1,{read:.3f},{written:.3f}\n"
            expected.append((at.isoformat(), read / divisor, written / divisor))
    lines = frame_of(text.encode())
    result = parse_chunks("dool", [lines[:cut], lines[cut:]], Origin())
    assert not result["rejects"]
    rows = result["tables"]["device_sample"]
    assert [(row["to_at"], row["read_bytes_s"], row["write_bytes_s"]) for row in rows] == expected
    assert {row["host"] for row in rows} == {"stage07"}


def test_rows_without_year_need_the_date() -> None:
    lines = frame_of((preamble(date="yesterday") + "15-06 08:00:00,1,1,1,1\n").encode())
    with pytest.raises(UnreadableFile, match="no readable date"):
        all_sources()["dool"].parse(lines, Origin(), None)


def test_an_unknown_program_is_refused() -> None:
    stem, claims = choose(['"pcp-dstat 5.3 CSV output"'])
    assert stem is None
    assert "not known" in claims["dool"].why
    lines = frame_of((preamble() + preamble(program="pcp-dstat 5.3")).encode())
    with pytest.raises(UnreadableFile, match="line 7"):
        all_sources()["dool"].parse(lines, Origin(), None)


@pytest.mark.parametrize(("name", "divisor"), [("dool_1.3.8.csv", 8), ("dool_1.3.8_epoch_disks.csv", 1)])
def test_real_files(name: str, divisor: int, realdata: Path) -> None:
    """Every sample against the standard library's reader: disk and processor by their place in the row."""
    path = realdata / "misc" / "generated" / name
    lines = list(csv.reader(path.read_text().splitlines()))
    read = 6  # epoch or time, five shares of processor time, then the disks' total
    expected = [
        (number, float(row[1]) / 100, float(row[3]) / 100, float(row[read]) / divisor, float(row[read + 1]) / divisor)
        for number, row in enumerate(lines, 1)
        if number > 7
    ]
    parsed = all_sources()["dool"].parse(read_lines(path), Origin(), None)
    rows = parsed.tables["host_sample"]
    found = rows.select("line_no", "cpu_user", "cpu_idle", "read_bytes_s", "write_bytes_s").rows()
    assert found == [pytest.approx(row) for row in expected]
    # a burst of 40 MiB within a second
    assert rows["write_bytes_s"].max() == 40 * 2**20
    assert parsed.rejects.is_empty()


def test_real_epochs_are_what_the_preamble_says(realdata: Path) -> None:
    lines = read_lines(realdata / "misc" / "generated" / "dool_1.3.8_epoch_disks.csv")
    rows = all_sources()["dool"].parse(lines, Origin(zone="America/Chicago"), None).tables["device_sample"]
    first = rows["from_at"].min()
    assert isinstance(first, datetime)
    assert abs(first - datetime(2026, 11, 21, 10, 45, 48)) < timedelta(seconds=1)  # Date: in the preamble, UTC


def test_real_header_without_rows(realdata: Path) -> None:
    lines = read_lines(realdata / "misc" / "generated" / "dstat_0.8.0_header_only.csv")
    parsed = all_sources()["dool"].parse(lines, Origin(), None)
    assert (parsed.n_records, parsed.n_used, parsed.rejects.height) == (0, 6, 0)
