"""tapestat: sums worked by hand, and what is written comes back.

The arithmetic of `tests/sources/tapestat/clean_text.txt`, from 10:00:00 to 10:00:10:

    st0: 195312 kB/s * 1024 * 10 s = 1,999,994,880 bytes written by 766 * 10 = 7660 writes
         %Wr 70 of 10 s = 7 s in writes, %Oa 84 = 8.4 s in commands, so 1.4 s in others
    st1: 102400 kB/s * 1024 * 10 s = 1,048,576,000 bytes read; Rs/s 3 * 10 = 30 reads that moved less than asked for

10:00:20 has 999 %, which may be any percentage above. The second run is in MB (-m): 190 * 2^20 * 5 s = 996,147,200.
"""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import AVERAGES, Origin, Parsed
from support import TESTS
from support.parsing import origin_of, parse_chunks, read_lines, real_origin

CASES = TESTS / "sources" / "tapestat"
HEAD = "Tape:     r/s     w/s   kB_read/s   kB_wrtn/s  %Rd  %Wr  %Oa    Rs/s    Ot/s"
RATE = st.integers(0, 400_000)


def parsed(name: str) -> Parsed:
    return all_sources()["tapestat"].parse(read_lines(CASES / name), origin_of(CASES / name), None)


def test_figures_are_those_worked_out_by_hand() -> None:
    found = parsed("clean_text.txt")
    rows = found.tables["drive_counter"].to_dicts()
    assert (rows[0]["write_bytes"], rows[0]["n_write"]) == (195_312 * 1024 * 10, 766 * 10)
    assert (rows[0]["write_s"], rows[0]["io_s"]) == pytest.approx((7, 8.4))
    assert (rows[1]["read_bytes"], rows[1]["n_residual"]) == (102_400 * 1024 * 10, 30)
    assert rows[2]["io_s"] is None
    assert rows[4]["write_bytes"] == 190 * 2**20 * 5
    assert found.notes == {AVERAGES: 4}


def test_text_and_json_give_the_same_totals() -> None:
    totals = pl.exclude("line_no", "from_at", "to_at")
    names = ("clean_text.txt", "clean_json.json", "clean_json_stamped.json")
    text, counted, stamped = (parsed(name).tables["drive_counter"].select(totals).row(0) for name in names)
    assert text == counted == stamped


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(RATE, RATE, RATE, RATE), min_size=1, max_size=8), st.integers(1, 60), st.integers(0, 30))
def test_what_is_written_comes_back(rates: list[tuple[int, ...]], seconds: int, cut: int) -> None:
    texts = ["Linux 6.1.0 (h) \t2015-07-13 \t_x86_64_\t(2 CPU)", ""]
    for number, (reads, writes, read, written) in enumerate([(9, 9, 9, 9), *rates]):
        texts += [f"{1_436_781_600 + seconds * number}", HEAD]
        texts += [f"st0 {reads} {writes} {read} {written} 10 20 35 0 0", ""]
    lines = frame_of("\n".join(texts).encode())
    rows = parse_chunks("tapestat", [lines[:cut], lines[cut:]], Origin())["tables"]["drive_counter"]
    found = [(row["n_read"], row["n_write"], row["read_bytes"], row["write_bytes"], row["io_s"]) for row in rows]
    assert found == [
        (
            reads * seconds,
            writes * seconds,
            read * 1024 * seconds,
            written * 1024 * seconds,
            pytest.approx(seconds * 0.35),
        )
        for reads, writes, read, written in rates
    ]


def test_reports_without_stamps_need_a_clock() -> None:
    with pytest.raises(UnreadableFile, match="no time stamps") as raised:
        all_sources()["tapestat"].parse(read_lines(CASES / "clean_json.json"), Origin(), None)
    assert raised.value.reason == "no_clock"


def test_a_header_of_other_columns_is_refused() -> None:
    head = ["Linux 6.1.0 (h) \t2015-07-13 \t_x86_64_\t(2 CPU)", "Tape: r/s w/s kB_read/s %Rd"]
    stem, claims = choose(head)
    assert (stem, "unknown or cut" in claims["tapestat"].why) == (None, True)
    with pytest.raises(UnreadableFile, match="the header of tapestat is not known"):
        all_sources()["tapestat"].parse(frame_of("\n".join(head).encode()), Origin(), None)


def test_the_outputs_of_its_own_tests_are_read(realdata: Path) -> None:
    """Three seconds of two drives: 26 writes and 6 residuals a second on st0. The JSON has no stamps."""
    found = []
    for name in ("expected.tapestat-t", "expected.tapestat-JSON"):
        path = realdata / "today" / "sysstat" / name
        origin = real_origin(path)
        rows = all_sources()["tapestat"].parse(read_lines(path), origin, None).tables["drive_counter"].to_dicts()
        found.append([(row["host"], row["device"], row["n_read"], row["n_write"], row["n_residual"]) for row in rows])
    assert found[0] == [("host", "st0", 9, 78, 18), ("host", "st1", 0, 0, 0)]
    assert found[1] == [("host", "st0", 3, 26, 6), ("host", "st1", 0, 0, 0)]  # read as one second
