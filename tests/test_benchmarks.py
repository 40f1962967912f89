"""The benchmarks run, count the same messages as their peers, and print what they came to; no clock decides."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import inputs, tasks
from benchmarks.__main__ import main
from benchmarks.inputs import ENSTORE, VMSTAT

MB = 1
# A kind of the loop, and what we call it; the loop has one for mount requested and mounted.
SAME = {
    "mount": ("load_requested", "loaded"),
    **{kind: (kind,) for kind in ("dismounting", "dismounted", "position", "skipped", "started", "data_ended")},
    **{kind: (kind,) for kind in ("filemark", "timing", "drive_stats", "completed")},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("benchmarks")


def test_same_seed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for stem in (ENSTORE, VMSTAT):
        assert inputs.make(folder, stem, MB).read_bytes() == inputs.make(tmp_path, stem, MB).read_bytes()


def test_loop_over_lines_finds_what_we_find(folder: Path) -> None:
    path = inputs.make(folder, ENSTORE, MB)
    ours, loop = tasks.parse(path), tasks.re_loop(path)
    movers = {kind: sum(ours["kinds"].get(f"enstore_log_mover.{name}", 0) for name in SAME[kind]) for kind in SAME}
    wanted = movers | {"encp": ours["kinds"]["enstore_log_encp."]}
    assert loop["kinds"] == {kind: count for kind, count in wanted.items() if count}
    assert len(loop["kinds"]) > 8
    assert ours["rejected"] == 0


def test_one_line_in_five_of_the_log_is_of_use(folder: Path) -> None:
    counts = tasks.parse(inputs.make(folder, ENSTORE, MB))
    assert counts["used"] / counts["lines"] == pytest.approx(0.2, abs=0.01)


def test_every_sample_of_vmstat_is_read_as_jc_reads_it(folder: Path) -> None:
    pytest.importorskip("jc")
    path = inputs.make(folder, VMSTAT, MB)
    ours, peer = tasks.parse(path), tasks.jc(path)
    assert ours["rejected"] == 0
    assert peer["rows"] == ours["rows"] + 1  # averages since boot, which are no sample


def test_ingest_commits_what_parsing_finds(folder: Path) -> None:
    for stem in (ENSTORE, VMSTAT):
        path = inputs.make(folder, stem, MB)
        committed, parsed = tasks.ingest(path), tasks.parse(path)
        assert committed["loaded"] == 1
        assert (committed["rows"], committed["lines"]) == (parsed["rows"], parsed["lines"])


def test_table_is_printed_and_only_own_files_are_removed(tmp_path: Path) -> None:
    other = tmp_path / "kept.txt"
    other.touch()
    sizes = ["--mb", "0.2", "--big-mb", "0.3", "--repeat", "1", "--dir", str(tmp_path)]
    done = CliRunner().invoke(main, [*sizes, "--only", ENSTORE, "--only", "big"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "| file to committed rows | DEBUGLOG-2010-03-10 |" in done.output
    assert "| log to committed rows: at least 3× the re loop |" in done.output
    assert list(tmp_path.iterdir()) == [other]
