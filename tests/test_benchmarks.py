"""The benchmarks run, count the same messages as their peers, and print what they came to; no clock decides."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import aims, inputs, peer_errors, peers, tasks, week
from benchmarks.__main__ import main
from benchmarks.inputs import ENSTORE, IOSTAT, VMSTAT
from benchmarks.measure import Result, Task
from benchmarks.texts import all_texts
from benchmarks.week import WEEK
from pipelines.analysis.forecast.whatif import Record, WhatIf
from pipelines.analysis.models.simulation import Outcome, Work
from pipelines.sources import all_sources
from sample_data.scenario import FOLDER

MB = 1
TEXT_MB = 0.3
# A kind of the loop, and what we call it; the loop has one for mount requested and mounted.
SAME = {
    "mount": ("load_requested", "loaded"),
    **{kind: (kind,) for kind in ("dismounting", "dismounted", "position", "skipped", "started", "data_ended")},
    **{kind: (kind,) for kind in ("filemark", "timing", "drive_stats", "completed")},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("benchmarks")


@pytest.mark.parametrize("stem", all_sources())
def test_every_source_has_a_text_it_reads_whole(stem: str, tmp_path: Path) -> None:
    assert stem in all_texts(), f"source {stem} cannot be measured: write benchmarks/texts/{stem}.py (see its folder)"
    path = inputs.make(tmp_path, stem, TEXT_MB)
    found = tasks.parse(path)
    assert (found["source"], found["rejected"]) == (stem, 0)
    assert found["rows"] > 0
    assert inputs.make(tmp_path / "again", stem, TEXT_MB).read_bytes() == path.read_bytes()


def test_no_text_is_left_of_a_source_that_is_gone() -> None:
    assert not all_texts().keys() - all_sources().keys()


def test_reason_of_a_slow_source_stands_beside_its_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_REALDATA", str(tmp_path / "none"))  # what peers make of captures takes a minute
    sizes = ["--small-mb", "0.01", "--big-mb", "0", "--repeat", "1", "--dir", str(tmp_path)]
    done = CliRunner().invoke(main, [*sizes, "--only", "mrtg_cfg"], catch_exceptions=False)
    assert f"not reached: {aims.reason_of('mrtg_cfg')} |" in done.output
    assert not aims.reason_of(ENSTORE)


def test_loop_over_lines_finds_what_we_find(folder: Path) -> None:
    path = inputs.make(folder, ENSTORE, MB)
    ours, loop = tasks.parse(path), tasks.re_loop(path)
    movers = {kind: sum(ours["kinds"].get(f"enstore_log_mover.{name}", 0) for name in SAME[kind]) for kind in SAME}
    expected = movers | {"encp": ours["kinds"]["enstore_log_encp."]}
    assert loop["kinds"] == {kind: count for kind, count in expected.items() if count}
    assert len(loop["kinds"]) > 8


@pytest.mark.parametrize(("name", "loop"), [("cta_taped", "cta_re_loop"), ("cta_taped-json", "cta_json_loop")])
def test_loops_over_ctas_log_find_what_we_find(folder: Path, name: str, loop: str) -> None:
    path = inputs.make(folder, name, MB)
    ours, peer = tasks.parse(path), tasks.TASKS[loop](path)
    kinds = {name.split(".")[1] or "final": count for name, count in ours["kinds"].items()}
    assert peer["kinds"] == kinds
    assert len(kinds) > 8
    assert ours["used"] / ours["lines"] == pytest.approx(0.36, abs=0.04)


def test_one_line_in_five_of_the_log_is_of_use(folder: Path) -> None:
    counts = tasks.parse(inputs.make(folder, ENSTORE, MB))
    assert counts["used"] / counts["lines"] == pytest.approx(0.2, abs=0.01)


def test_every_sample_of_vmstat_is_read_as_jc_reads_it(folder: Path) -> None:
    pytest.importorskip("jc")
    path = inputs.make(folder, VMSTAT, MB)
    ours, peer = tasks.parse(path), tasks.jc(path)
    assert peer["rows"] == ours["rows"] + 1  # averages since boot, which are no sample


def test_ingest_commits_what_parsing_finds(folder: Path) -> None:
    for stem in (ENSTORE, VMSTAT):
        path = inputs.make(folder, stem, MB)
        committed, parsed = tasks.ingest(path), tasks.parse(path)
        assert committed["loaded"] == 1
        assert (committed["rows"], committed["lines"]) == (parsed["rows"], parsed["lines"])


def test_iostat_is_read_as_jc_reads_it_but_for_the_clock(folder: Path) -> None:
    pytest.importorskip("jc")
    path = inputs.make(folder, IOSTAT, MB)
    ours = tasks.parse(path)
    numbered = [
        row for row in peers.jc("iostat", path.read_text()) if "/" not in row.get("device", "")
    ]  # it makes devices of stamps too
    assert len(numbered) == ours["rows"] + 13  # averages since boot: twelve disks and the processors


def test_a_peer_that_reads_a_comma_as_nothing_is_noticed() -> None:
    pytest.importorskip("jc")
    text = "Linux 6.1.0 (h) \t21.11.2026 \t_x86_64_\t(2 CPU)\n\n21.11.2026 10:30:49\n" + (
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           1,25    0,00    0,50    0,25    0,00   98,00\n"
    )
    faults = peer_errors.faults_of(lambda: peers.jc("iostat", text), peer_errors.judge_iostat, text)
    assert {"reads 23,05 as 2305", "drops the timestamps"} <= faults
    point = text.replace(",", ".").replace("21.11.2026 10:30:49\n", "")
    assert not peer_errors.faults_of(lambda: peers.jc("iostat", point), peer_errors.judge_iostat, point)


def test_table_is_printed_and_only_own_files_are_removed(tmp_path: Path) -> None:
    other = tmp_path / "kept.txt"
    other.touch()
    sizes = ["--mb", "0.2", "--big-mb", "0.3", "--repeat", "1", "--dir", str(tmp_path)]
    done = CliRunner().invoke(main, [*sizes, "--only", ENSTORE, "--only", "big"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "| reading a file and committing its rows | DEBUGLOG-2010-03-10 |" in done.output
    aim = "reading DEBUGLOG and committing its rows: at most 4× the time in which Polars reads the lines"
    assert f"| {aim} |" in done.output
    assert list(tmp_path.iterdir()) == [other]


def test_a_recorded_week_is_asked_what_if(tmp_path: Path) -> None:
    """One day of two drives: 2 mounts each of 4 files."""
    story = tmp_path / "day.toml"
    story.write_text(
        'story = "library"\ndays = 1\ndrives = 2\nstations = 1\ntapes = 4\nfiles_per_session = 4\npools = 0\n'
        "network_days = []\n"
    )
    scratch = tmp_path / "scratch"
    words = ["--only", "week", "--week", str(story), "--repeat", "1", "--dir", str(scratch), "--keep"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert "| what-if of a recorded week | site.toml |" in done.output
    assert "| a what-if of a recorded week: at most 10 s |" in done.output
    (place,) = scratch.iterdir()
    site = place / "site.toml"
    logs = {path: path.stat().st_mtime_ns for path in place.glob("logs/**/*") if path.is_file()}
    assert week.make(scratch, story) == site
    assert {path: path.stat().st_mtime_ns for path in logs} == logs, "a kept week is not written again"
    found = tasks.whatif(site)
    assert (found["mounts"], found["rows"]) == (4, 16)
    assert found["bytes"] == sum(path.stat().st_size for path in logs)


def test_only_a_librarys_week_is_recorded(tmp_path: Path) -> None:
    words = ["--only", "week", "--week", str(FOLDER / "quiet_migration.toml"), "--dir", str(tmp_path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2 and "only the week of a library scenario" in done.output


def test_a_slow_what_if_misses_its_aim() -> None:
    def answered(seconds: float) -> aims.Aim:
        task = Task("whatif", "", Path("site.toml"), 1)
        result = Result(task, seconds, seconds, seconds, seconds, 1, 1680, 1, {"mounts": 84})
        (aim,) = aims.judge({(WEEK, "whatif"): result})
        return aim

    assert answered(9.9).is_reached and answered(9.9).got == "9.9 s (84 mounts, 1,680 files)"
    assert answered(10.1).verdict == "not reached"


def test_a_replay_that_is_off_is_no_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site.toml").write_text('name = "none"\n')
    off = WhatIf(Record(Work((), {}), {}, 0.5), Outcome({}), 0.5, "bytes", None)
    monkeypatch.setattr(tasks, "what_if", lambda *_: off)
    with pytest.raises(ValueError, match="differs from the logs by 50% \\(bytes\\)"):
        tasks.whatif(tmp_path / "site.toml")
