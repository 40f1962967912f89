"""nicstat's lines: written figures come back, however many interfaces and wherever the file is cut."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.parsing import parse_chunks, read_lines

VALUE = st.integers(0, 10**8).map(lambda value: value / 1000)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 3), st.lists(VALUE, min_size=2, max_size=30), st.integers(0, 40))
def test_what_is_written_comes_back(n_interfaces: int, values: list[float], cut: int) -> None:
    texts, expected = [], []
    for number, value in enumerate(values):
        for port in range(n_interfaces):
            texts.append(f"{1276606800 + 10 * number}:eth{port}:{value:.3f}:1.000:2.000:3.000:50.00:0.00")
            if number:
                expected.append((len(texts), f"eth{port}", value * 1024))
    lines = frame_of(("\n".join(texts) + "\n").encode())
    rows = parse_chunks("nicstat", [lines[:cut], lines[cut:]], Origin(host="h"))["tables"]["network_sample"]
    assert [(row["line_no"], row["interface"], row["in_bytes_s"]) for row in rows] == expected
    assert all(row["busy"] == 0.5 for row in rows)


def test_real_file(realdata: Path) -> None:
    """The last sample of the real file by hand: nothing moved in the second before 10:45:57."""
    folder = realdata / "misc" / "generated"
    parsed = all_sources()["nicstat"].parse(read_lines(folder / "nicstat_p.txt"), Origin(), None)
    rows = parsed.tables["network_sample"]
    assert rows.select("interface", "in_bytes_s", "out_bytes_s").rows() == [("lo", 0, 0), ("eth0", 0, 0)] * 2
    assert [at.isoformat() for at in rows["to_at"].unique().sort()] == ["2026-11-21T10:45:56", "2026-11-21T10:45:57"]
    stem, claims = choose(read_lines(folder / "nicstat.txt")["text"].to_list())
    assert stem is None
    assert "no date" in claims["nicstat"].why


@pytest.mark.parametrize("line", [">>> 1276606800.002 <<<", "# Collectl: V3.6.0-1 HiRes: 1 Options: -f x"])
def test_collectl_is_named(line: str) -> None:
    stem, claims = choose([line, "cpu  1 2 3 4"])
    assert stem is None
    assert "collectl" in claims["nicstat"].why
