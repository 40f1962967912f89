"""Numbers read by their fixed columns are those a parser of each field reads."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources._shared.fixed_width import peel
from pipelines.sources.blocks import frame_of

cells = st.one_of(
    st.decimals(min_value=0, max_value=99_999, places=2, allow_nan=False, allow_infinity=False).map("{:9.2f}".format),
    st.sampled_from(["    -0.00", "      nan", "     3.8M", " 12345678.90", "        7", "     ,.12", "1234567.89"]),
)
rows = st.tuples(st.from_regex(r"[a-z/][a-z0-9:.-]{0,11}", fullmatch=True), st.lists(cells, min_size=4, max_size=4))


@settings(max_examples=60, deadline=None)
@given(st.lists(rows, min_size=1, max_size=12))
def test_what_is_taken_is_read_as_field_by_field(written: list[tuple[str, list[str]]]) -> None:
    texts = [f"{name:<13s}{''.join(row)}" for name, row in written]
    lines = frame_of("\n".join(texts).encode())
    found, rest = peel(lines)
    taken = sorted(line_no for rows in found.values() for line_no in rows["line_no"])
    assert sorted([*taken, *rest["line_no"]]) == list(range(1, len(texts) + 1))
    for shape, part in found.items():
        for row in part.iter_rows(named=True):
            name, *fields = texts[row["line_no"] - 1].split()
            assert (shape.has_name, row["name"], len(fields)) == (True, name, len(shape.are_whole))
            assert [row[str(i)] for i in range(len(fields))] == [float(field) for field in fields]


def test_rows_that_are_alike_are_taken() -> None:
    """Names as long as they like, numbers with a comma, none of what is cut, moved or no number."""
    good = [
        "sda      1,50   12",
        "sdb1     0,07  100",
        "nvme0n1 10,00    0",
        "sdc     12,34   12",
        "dm-1     0,01 9999",
    ]
    others = [
        "sda     1,50    12",
        "SDA      1,50   12",
        "zzz      1,50   12",
        "sda      1.50   12",
        "sda  1   1,50   12",
    ]
    found, rest = peel(frame_of("\n".join([*good, *others]).encode()))
    ((shape, rows),) = found.items()
    assert shape == (True, (False, True))
    assert rows.select("name", "0", "1").rows() == [
        ("sda", 1.5, 12),
        ("sdb1", 0.07, 100),
        ("nvme0n1", 10.0, 0),
        ("sdc", 12.34, 12),
        ("dm-1", 0.01, 9999),
    ]
    assert rest["text"].to_list() == others


def test_rows_without_a_name() -> None:
    found, rest = peel(frame_of(b"   1 22.50\n  10  0.25\n 100  1.00\n9999 99.99\n1 0 22.50\n"))
    ((shape, rows),) = found.items()
    assert shape == (False, (True, False))
    assert rows["0"].dtype == pl.Int64
    assert rest.height == 1
    assert rows.select("0", "1").rows() == [(1, 22.5), (10, 0.25), (100, 1.0), (9999, 99.99)]
