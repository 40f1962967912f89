"""Telegraf's line protocol: sums worked by hand, and what is written comes back.

The arithmetic of `tests/sources/telegraf/clean.lp`, from 10:00:00 to 10:00:10: 30 reads in 600 ms are 0.02 s a read, 60
writes in 3000 ms 0.05 s a write, 3.6 s / 90 = 0.04 s a request; 20e6 bytes / 10 s = 2e6; io_time 5 s / 10 s = 0.5 busy;
weighted 20 s / 10 s = 2 in the queue; system 4 % and softirq 1 % are 0.05. Then sdb is another disk: its counters fell.
"""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support import TESTS
from support.parsing import parse_chunks, read_lines

START = 1_436_781_600


def parse(text: str) -> dict[str, pl.DataFrame]:
    return all_sources()["telegraf"].parse(frame_of(text.encode()), Origin(), None).tables


def test_figures_are_those_worked_out_by_hand() -> None:
    lines = read_lines(TESTS / "sources" / "telegraf" / "clean.lp")
    tables = all_sources()["telegraf"].parse(lines, Origin(), None).tables
    (disk,) = tables["device_sample"].to_dicts()
    assert [disk[name] for name in ("read_wait_s", "write_wait_s", "wait_s", "busy", "queue")] == pytest.approx(
        [0.6 / 30, 3 / 60, 3.6 / 90, 5 / 10, 20 / 10]
    )
    assert disk["read_bytes_s"] == 20e6 / 10
    assert tables["host_sample"]["cpu_system"][0] == pytest.approx(0.04 + 0.01)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)), min_size=1, max_size=8),
    st.sampled_from([1, 10**3, 10**6, 10**9]),
    st.integers(0, 9),
)
def test_what_is_written_comes_back(rises: list[tuple[int, int]], precision: int, cut: int) -> None:
    received = sent = 5
    texts = []
    for number, (into, out) in enumerate([(0, 0), *rises]):
        received, sent, at = received + into, sent + out, (START + 10 * number) * precision
        texts.append(f"net,dc=a\\ b,host=h:1,interface=eth0 bytes_recv={received}i,bytes_sent={sent}i {at}")
    lines = frame_of("\n".join(texts).encode())
    result = parse_chunks("telegraf", [lines[:cut], lines[cut:]], Origin(host="a"))
    assert not result["rejects"]
    rows = result["tables"]["network_sample"]
    assert [(round(row["in_bytes_s"] * 10), round(row["out_bytes_s"] * 10)) for row in rows] == rises
    assert {row["host"] for row in rows} == {"h"}  # of the tag, whatever site.toml gives


def test_the_name_of_a_disk_gives_its_kind() -> None:
    text = "".join(
        f"diskio,host=h,name={name} read_bytes={count}i,write_bytes=0i {START + at}\n"
        for at, count in ((0, 0), (10, 100))
        for name in ("sda", "sda1", "dm-0")
    )
    rows = parse(text)["device_sample"]
    assert rows.select("device", "kind", "read_bytes_s").rows() == [
        ("sda", "disk", 10.0),
        ("sda1", "partition", 10.0),
        ("dm-0", "mapper", 10.0),
    ]


def test_other_measurements_are_not_claimed() -> None:
    stem, claims = choose([f"weather,place=here temperature=12.5 {START}"])
    assert stem is None
    assert "without Telegraf's measurements" in claims["telegraf"].why
