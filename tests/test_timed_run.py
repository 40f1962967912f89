"""Runs of dd and time: written figures come back, wherever the file is cut and however long it is."""

import random
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import head_of
from pipelines.sources.protocol import Origin
from pipelines.sources.timed_run.lines import read_line, seconds
from support.parsing import parse_chunks, read_lines

RUN = st.tuples(
    st.integers(1, 4096),  # blocks
    st.sampled_from([512, 65536, 1_000_000, 2**20]),
    st.integers(1, 5_000_000).map(lambda value: value / 1000),  # dd's own seconds
    st.sampled_from(["dd", "timex", "bash", "gnu"]),
)


def write(blocks: int, size: int, spent: float, timer: str) -> list[str]:
    """The lines of a run; time counts half a second more than dd, and a fixed share of processor time."""
    moved = blocks * size
    texts = [f"{blocks}+0 records in", f"{blocks}+0 records out", f"{moved} bytes copied, {spent} s, 1 MB/s"]
    whole = round(spent + 0.5, 3)
    if timer == "timex":
        texts += ["", f"real        {whole}", "user 0.25", "sys 0.5"]
    if timer == "bash":
        texts += ["", f"real\t{int(whole // 60)}m{whole % 60:.3f}s", "user\t0m0.250s", "sys\t0m0.500s"]
    if timer == "gnu":
        hours, rest = divmod(whole, 3600)
        texts += [f"0.25user 0.5system {int(hours)}:{int(rest // 60):02d}:{rest % 60:06.3f}elapsed 9%CPU (0avgtext)k"]
    return texts


@settings(max_examples=15, deadline=None)
@given(st.lists(RUN, min_size=1, max_size=60))
def test_what_is_written_comes_back(runs: list[tuple[int, int, float, str]]) -> None:
    """Each run once, also beyond the lines that the head shows, if the file's habit shows in its head."""
    runs = [(100, 512, 1.5, "timex"), *runs, (100, 512, 1.5, "timex")]
    data = "\n".join(text for run in runs for text in write(*run)).encode() + b"\n"
    lines = frame_of(data)
    origin = Origin(host="h", head=tuple(head_of(data, "")))
    cut = random.Random(len(data)).randrange(lines.height)
    result = parse_chunks("timed_run", [lines[:cut], lines[cut:]], origin)
    assert result == parse_chunks("timed_run", [lines], origin)
    rows = result["tables"]["benchmark_run"]
    assert not result["rejects"]
    assert len(rows) == len(runs)
    for row, (blocks, size, spent, timer) in zip(rows, runs, strict=True):
        elapsed = spent if timer == "dd" else spent + 0.5
        assert (row["bytes"], row["block_bytes"], row["n_full_in"]) == (blocks * size, size, blocks)
        assert row["elapsed_s"] == pytest.approx(elapsed, abs=1e-9)
        assert row["rate_bytes_s"] == pytest.approx(blocks * size / elapsed)
        assert (row.get("user_s"), row.get("system_s")) == ((None, None) if timer == "dd" else (0.25, 0.5))


def test_a_last_dd_without_times_is_not_lost_where_none_has_any() -> None:
    texts = [text for _ in range(120) for text in write(10, 512, 2.5, "dd")]
    lines = frame_of(("\n".join(texts) + "\n").encode())
    rows = parse_chunks("timed_run", [lines], Origin(head=tuple(texts[:200])))["tables"]["benchmark_run"]
    assert len(rows) == 120


def test_times_are_read_in_all_clock_readings() -> None:
    assert seconds("0m01.05s") == 1.05
    assert seconds("1:00:00.5") == 3600.5
    assert seconds("real") is None
    assert (
        read_line("104857600\u00a0octets (105 MB, 100 MiB) copi\u00e9s, 2,4e-05 s, 28,8 GB/s").what["seconds"]
        == 2.4e-05
    )


def test_start_at_dates_the_first_run() -> None:
    lines = frame_of(b"1+0 records in\n1+0 records out\n512 bytes copied, 2.5 s, 205 B/s\n")
    origin = Origin(start_at=datetime(2010, 6, 15, 13), head=(*lines["text"], ""))
    rows = all_sources()["timed_run"].parse(lines, origin, None).tables["benchmark_run"]
    assert rows["ended_at"].to_list() == [datetime(2010, 6, 15, 13, 0, 2, 500_000)]


REAL = [  # file, line, bytes, elapsed, user, system, computed from the file by hand
    ("dd_coreutils_9.1.txt", 4, 104857600, 0.0301412, None, None),
    ("dd_coreutils_9.1.txt", 12, 300, 0.000111246, None, None),
    ("dd_coreutils_9.1.txt", 15, 1024000, None, None, None),
    ("dd_coreutils_9.1.txt", 23, 1500000, 0.00110645, None, None),
    ("dd_coreutils_9.1.txt", 27, 104857600, 0.00364246, None, None),
    ("dd_coreutils_9.1.txt", 31, 104857600, 0.00397728, None, None),
    ("dd_coreutils_9.1_progress.raw", 3, 419430400, 0.354565, None, None),
    ("time_bash.txt", 12, None, 0.102, 0.001, 0.0),
    ("time_ksh.txt", 4, None, 1.05, 0.0, 0.0),
    ("time_zsh.txt", 2, None, 1.052, 0.0, 0.0),
    ("time_tcsh.txt", 1, None, 1.05, 0.0, 0.001),
    ("time_gnu_v.txt", 23, None, 0.1, 0.0, 0.0),
    ("time_dash.txt", 1, None, 1.05, 0.0, 0.0),
]


@pytest.mark.parametrize(("name", "line_no", "moved", "elapsed", "user", "system"), REAL)
def test_real_runs(
    name: str,
    line_no: int,
    moved: int | None,
    elapsed: float | None,
    user: float | None,
    system: float | None,
    realdata: Path,
) -> None:
    path = realdata / "misc" / "generated" / name
    lines = read_lines(path)
    head = lines["text"].to_list()
    assert choose(head)[0] == "timed_run"
    rows = all_sources()["timed_run"].parse(lines, Origin(head=(*head, "")), None).tables["benchmark_run"]
    row = rows.filter(pl.col("line_no") == line_no).row(0, named=True)
    assert (row["bytes"], row["elapsed_s"], row["user_s"], row["system_s"]) == (moved, elapsed, user, system)
    assert row["rate_bytes_s"] == (moved / elapsed if moved and elapsed else None)


def test_all_real_runs_are_counted(realdata: Path) -> None:
    counts = {}
    for path in sorted((realdata / "misc").rglob("*")):
        if path.name.startswith(("dd_", "time_")) or "_time" in path.name:
            lines = read_lines(path)
            parsed = all_sources()["timed_run"].parse(lines, Origin(head=(*lines["text"], "")), None)
            counts[path.name] = (parsed.n_records, parsed.rejects.height)
    assert len(counts) == 17
    assert sum(records for records, _ in counts.values()) == 29
    # what a format of the user's own printed
    assert {name for name, (_, rejects) in counts.items() if rejects} == {"time_bash.txt", "time_gnu.txt"}
