"""nmon's files: written figures come back in either order of lines, and real files agree with another reading."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.parsing import parse_chunks, read_lines

VALUE = st.integers(0, 10**6).map(lambda value: value / 10)


def write(values: list[list[float]], interval: int) -> list[str]:
    """A file of one group of tags; disks beyond the first two go on in numbered tags, two in each."""
    n_disks = len(values[0])
    groups = [list(range(begin, min(begin + 2, n_disks))) for begin in range(0, n_disks, 2)]
    begin = datetime(2010, 6, 15, 8)
    texts = ["AAA,progname,nmon", "AAA,host,stage07", f"AAA,interval,{interval}", "AAA,time,08:00.00"]
    texts += ["AAA,date,15-JUN-2010", "PROC,Processes stage07,Runnable,Blocked"]
    for tag in ("DISKBUSY", "DISKREAD", "DISKWRITE", "DISKXFER"):
        for number, group in enumerate(groups):
            texts.append(
                ",".join([f"{tag}{number or ''}", f"{tag} stage07", *(f"sd{chr(97 + disk)}" for disk in group)])
            )
    for shot, row in enumerate(values, 1):
        at = begin + timedelta(seconds=interval * shot)
        texts += [f"ZZZZ,T{shot:04d},{at:%H:%M:%S},15-JUN-2010", f"PROC,T{shot:04d},{shot},0"]
        for tag, factor in (("DISKBUSY", 0), ("DISKREAD", 1), ("DISKWRITE", 2), ("DISKXFER", 3)):
            for number, group in enumerate(groups):
                cells = [f"{factor * row[disk]:.1f}" for disk in group]
                texts.append(",".join([f"{tag}{number or ''}", f"T{shot:04d}", *cells]))
    return texts


def rows_of(texts: list[str], cut: int) -> dict[str, Any]:
    lines = frame_of(("\n".join(texts) + "\n").encode())
    result = parse_chunks("nmon", [lines[:cut], lines[cut:]], Origin())
    assert not result["rejects"]
    tables: dict[str, Any] = result["tables"]
    return tables


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(VALUE, min_size=n, max_size=n), min_size=1, max_size=6)),
    st.sampled_from([1, 300]),
    st.integers(0, 60),
)
def test_what_is_written_comes_back(values: list[list[float]], interval: int, cut: int) -> None:
    """As nmon writes it, and as sort leaves it: the same rows, but for their lines and a note."""
    texts = write(values, interval)
    begin = datetime(2010, 6, 15, 8)
    expected = {
        (f"sd{chr(97 + disk)}", (begin + timedelta(seconds=interval * shot)).isoformat()): (value, shot)
        for shot, row in enumerate(values, 1)
        for disk, value in enumerate(row)
    }
    for order in (texts, sorted(texts)):
        tables = rows_of(order, cut)
        rows = tables["device_sample"]
        assert len(rows) == len(expected)
        for row in rows:
            value, _ = expected[row["device"], row["to_at"]]
            assert row["read_bytes_s"] == pytest.approx(value * 1024)
            assert row["write_bytes_s"] == pytest.approx(2 * value * 1024)
            assert (row["request_rate"], row["busy"]) == (pytest.approx(3 * value, abs=0.06), 0)
            assert ("note" in row) == (order is not texts)
        assert [row["run_queue"] for row in tables["host_sample"]] == list(range(1, len(values) + 1))


def test_a_sorted_file_needs_its_begin() -> None:
    texts = sorted(text for text in write([[1.0]], 1) if not text.startswith("AAA,date"))
    with pytest.raises(UnreadableFile, match="sorted"):
        rows_of(texts, 0)


def test_a_file_without_its_about_lines_is_named() -> None:
    stem, claims = choose(["CPU_ALL,CPU Total a,User%", "ZZZZ,T0001,08:00:00,15-JUN-2010"])
    assert stem is None
    assert "AAA" in claims["nmon"].why


@pytest.mark.parametrize("name", ["nmon_13g_linux.nmon", "generated/nmon_debian12.nmon"])
def test_real_files(name: str, realdata: Path) -> None:
    """Every figure of DISKREAD, DISKWRITE, NET and CPU_ALL against a reading line by line."""
    path = realdata / "misc" / name
    headers: dict[str, list[str]] = {}
    expected: dict[tuple[str, ...], float] = {}
    at = ""
    for text in path.read_text().splitlines():
        tag, second, *cells = text.rstrip(",").split(",")
        if tag == "ZZZZ":
            at = datetime.strptime(f"{cells[1].title()} {cells[0]}", "%d-%b-%Y %H:%M:%S").isoformat()
        elif tag in ("DISKREAD", "DISKWRITE", "NET", "CPU_ALL"):
            if not second.startswith("T"):
                headers[tag] = cells
                continue
            expected |= {
                (tag, at, column): float(cell) for column, cell in zip(headers[tag], cells, strict=True) if cell
            }
    parsed = all_sources()["nmon"].parse(read_lines(path), Origin(), None)
    found: dict[tuple[str, ...], float] = {}
    for row in parsed.tables["device_sample"].iter_rows(named=True):
        stamp = row["to_at"].isoformat()
        found["DISKREAD", stamp, row["device"]] = row["read_bytes_s"] / 1024
        found["DISKWRITE", stamp, row["device"]] = row["write_bytes_s"] / 1024
    for row in parsed.tables["network_sample"].iter_rows(named=True):
        stamp = row["to_at"].isoformat()
        found["NET", stamp, f"{row['interface']}-read-KB/s"] = row["in_bytes_s"] / 1024
        found["NET", stamp, f"{row['interface']}-write-KB/s"] = row["out_bytes_s"] / 1024
    for row in parsed.tables["host_sample"].iter_rows(named=True):
        shares = {"User%": "cpu_user", "Sys%": "cpu_system", "Wait%": "cpu_wait", "Idle%": "cpu_idle"}
        shares |= {"Steal%": "cpu_stolen"} if row["cpu_stolen"] is not None else {}
        found |= {("CPU_ALL", row["to_at"].isoformat(), name): 100 * row[key] for name, key in shares.items()}
        found["CPU_ALL", row["to_at"].isoformat(), "CPUs"] = row["n_cpus"]
    assert len(expected) > 90
    assert found == pytest.approx(expected)
    assert parsed.rejects.is_empty()
