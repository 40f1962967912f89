"""PCP's delimited text: written figures come back, and real files agree with another reading of them."""

import csv
from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose, pcp_csv
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.parsing import parse_chunks, read_lines

CELL = st.one_of(st.none(), st.integers(0, 10**9).map(lambda value: value / 1000))


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from([",", ";", "|", "\t", " "]),
    st.sampled_from(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"]),
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=20),
    st.integers(0, 20),
)
def test_what_is_written_comes_back(delimiter: str, form: str, rows: list[tuple[float | None, ...]], cut: int) -> None:
    names = ["disk.dev.write_bytes-sda", "network.interface.in.packets-eth0", "kernel.all.pswitch"]
    begin = datetime(2010, 6, 15, 8)
    texts = [
        delimiter.join(["Time", *(f'"{name}"' for name in names)]),
        delimiter.join([begin.strftime(form), "", "", ""]),
    ]
    for number, row in enumerate(rows, 1):
        stamp = (begin + timedelta(seconds=10 * number)).strftime(form)
        texts.append(delimiter.join([stamp, *("" if cell is None else f"{cell:.3f}" for cell in row)]))
    lines = frame_of(("\n".join(texts) + "\n").encode())
    result = parse_chunks("pcp_csv", [lines[:cut], lines[cut:]], Origin(host="h"))
    assert not result["rejects"]
    for table, column, place, factor in (
        ("device_sample", "write_bytes_s", 0, 1024),
        ("network_sample", "in_packet_rate", 1, 1),
        ("host_sample", "switch_rate", 2, 1),
    ):
        found = [(row["line_no"], row[column], row["to_at"]) for row in result["tables"][table]]
        assert found == [
            (number + 2, row[place] * factor, (begin + timedelta(seconds=10 * number)).isoformat())  # type: ignore[operator]
            for number, row in enumerate(rows, 1)
            if row[place] is not None
        ]


def test_yearless_stamps_need_a_date() -> None:
    lines = frame_of(b'Time\ta/kernel.all.load["1 minute"]\nFri Dec 31 23:59:50\t0.5\nSat Jan  1 00:00:00\t0.25\n')
    parse = all_sources()["pcp_csv"].parse
    with pytest.raises(UnreadableFile, match="no year"):
        parse(lines, Origin(), None)
    rows = parse(lines, Origin(date=datetime(2010, 12, 31).date()), None).tables["host_sample"]
    assert rows.select("to_at", "load_1").rows() == [(datetime(2011, 1, 1), 0.25)]


def test_no_metric_of_ours_is_reported() -> None:
    stem, claims = choose(['Time,"filesys.used-/dev/sda1"', "2010-06-15 08:00:00,1024"])
    assert stem is None
    assert "without any metric that tapescope uses" in claims["pcp_csv"].why


def test_a_later_header_that_is_none_refuses_the_file() -> None:
    lines = frame_of(b'Time,"kernel.all.blocked"\n2010-06-15 08:00:00,1\nTime,blocked\n')
    with pytest.raises(UnreadableFile, match="line 3"):
        all_sources()["pcp_csv"].parse(lines, Origin(), None)


@pytest.mark.parametrize("name", ["pmrep_disks.csv", "pmrep_disks_semicolon_raw.csv"])
def test_real_disks(name: str, realdata: Path) -> None:
    """Every cell of the file, by the standard library's reader, is a value of the rows and the other way round."""
    path = realdata / "misc" / "generated" / name
    delimiter = ";" if "semicolon" in name else ","
    header, *rows = csv.reader(path.read_text().splitlines(), delimiter=delimiter)
    expected = {
        (line_no, *column.removeprefix("disk.dev.").split("_bytes-")): float(cell) * 1024
        for line_no, row in enumerate(rows, 2)
        for column, cell in list(zip(header, row, strict=True))[1:]
        if cell
    }
    parsed = all_sources()["pcp_csv"].parse(read_lines(path), Origin(zone="UTC"), None)
    samples = parsed.tables["device_sample"]
    found = {
        (row["line_no"], side, row["device"]): row[f"{side}_bytes_s"]
        for row in samples.iter_rows(named=True)
        for side in ("read", "write")
        if row[f"{side}_bytes_s"] is not None
    }
    assert found == expected
    assert samples["to_at"].max() == datetime(2019, 12, 6, 11, 1, 23)
    assert parsed.rejects.is_empty()


def test_real_vmstat_report(realdata: Path) -> None:
    """The CSV of the vmstat report against its table, the last row figure by figure: free, buff, bo, in, cs, id."""
    path = realdata / "misc" / "generated" / "pmrep_vmstat_csv.txt"
    rows = all_sources()["pcp_csv"].parse(read_lines(path), Origin(), None).tables["host_sample"]
    last = rows.row(-1, named=True)
    assert rows["run_queue"].to_list() == [1, 1, 2, 1]
    assert rows["write_bytes_s"].to_list() == [None, 31 * 1024, 1 * 1024, 0]
    assert (last["free_bytes"], last["buffer_bytes"], last["cache_bytes"]) == (
        3060268 * 1024,
        84 * 1024,
        10021328 * 1024,
    )
    assert (last["interrupt_rate"], last["switch_rate"], last["cpu_idle"]) == (1230, 2656, 0.99)
    assert rows["swapped_bytes"].null_count() == 4  # KB in this report, bytes in a plain one


def test_real_pmdumptext(realdata: Path) -> None:
    folder = realdata / "misc" / "generated"
    parsed = all_sources()["pcp_csv"].parse(read_lines(folder / "pmdumptext_disks.csv"), Origin(), None)
    samples = parsed.tables["device_sample"].select("device", "read_bytes_s", "write_bytes_s", "note")
    assert samples.rows() == [("sda", 0.0, 0.0, None), ("sdb", 0.0, 0.0, None)]
    assert choose(read_lines(folder / "pmdumptext_default.txt")["text"].to_list())[0] is None


def test_a_row_drawn_out_beyond_all_columns_is_one_reject() -> None:
    """A stamp cut out of a long line: Polars' own formatting of such texts panics."""
    row = "Tue Jun 15 08:00:00\t?\t0.250"
    text = "\n".join(['Time\ta/kernel.all.load["1 minute"]\ta/mem.freemem', row * 2000, row.replace("00\t", "10\t", 1)])
    lines = frame_of(text.encode()).filter(pl.col("line_no") > 0)
    parsed = pcp_csv.parse(lines, Origin(date=date(2010, 6, 15)), None)
    assert parsed.rejects.select("line_no", "reason").rows() == [(2, "wrong_width")]
