"""The sample archive is what its generator writes, and its truth agrees with its logs.

The logs are read here by a few lines of their own, so that neither the generator nor the parsers vouch for themselves.
"""

import ast
import gzip
import hashlib
import re
import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sample_data.generate import generate, write
from sample_data.scenario import named

HERE = Path(__file__).parent.parent / "sample_data"
LIMIT_BYTES = 8_000_000
DAY_FROM, DAY_TO = 1268200800, 1268287200  # of 2010-03-10 in Chicago
WEEK_FROM = DAY_TO - 7 * 86400
PUBLISHED = {1: (766e9, 83.4, 72.6), 2: (766e9, 80.4, 66.5), 3: (382e9, 81.9, 40.8), 4: (119e9, 80.0, 29.2)}


def content(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    return zstandard.ZstdDecompressor().decompress(data) if path.suffix == ".zst" else data


def written(folder: Path) -> list[Path]:
    files = [path for path in (folder / "logs").rglob("*") if path.is_file()]
    return sorted([*files, folder / "site.toml", folder / "truth.toml"])


def digests(folder: Path) -> dict[str, str]:
    """By name; of what is in a file, since another zlib may pack the same text otherwise."""
    return {str(path.relative_to(folder)): hashlib.sha256(content(path)).hexdigest() for path in written(folder)}


def truth(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "truth.toml").read_text())


def faults(folder: Path, rule: str = "") -> list[dict[str, Any]]:
    return [fault for fault in truth(folder).get("fault", []) if not rule or fault["rule"] == rule]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seed_2")
    generate(folder, seed=2)
    return folder


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("no_faults")
    generate(folder, faults=False)
    return folder


@pytest.fixture(scope="module")
def log() -> list[str]:
    return content(HERE / "logs/enstore/LOG-2010-03-10.zst").decode().splitlines()


def test_committed_archive_is_what_the_generator_writes(tmp_path: Path) -> None:
    write(named("migration"), tmp_path)
    assert digests(tmp_path) == digests(HERE)
    assert len(digests(HERE)) == 13


def test_archive_is_small_and_has_all_three_kinds_of_file() -> None:
    assert sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file()) <= LIMIT_BYTES
    assert {path.suffix for path in written(HERE)} >= {".gz", ".zst", ".log"}


def test_generator_does_not_know_the_programs_it_tests() -> None:
    modules = list(HERE.glob("*.py"))
    assert len(modules) > 5
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "pipelines"], module


def test_another_seed_strikes_others(other: Path) -> None:
    rules = {fault["rule"] for fault in faults(HERE)}
    assert rules == {fault["rule"] for fault in faults(other)}
    assert len(rules) == 8
    for rule in rules - {"duty_low", "unbalanced_station"}:
        own, theirs = ({fault["entity"] for fault in faults(folder, rule)} for folder in (HERE, other))
        assert own.isdisjoint(theirs), rule


def test_nothing_is_wrong_without_faults(quiet: Path) -> None:
    assert not faults(quiet)
    facts = truth(quiet)["facts"]
    assert facts["failed_transfers"] == facts["failed_mounts"] == 0
    assert min(duty["in"] for duty in facts["duty"].values() if duty["role"] == "migration") >= 0.8
    assert duty_of(quiet, "dm12-bond0") >= 0.8


def test_a_setting_changes_what_it_names(tmp_path: Path) -> None:
    generate(tmp_path, overrides={"pic.test4.drive_mb_s": "70"})
    own, theirs = truth(HERE)["facts"]["pic"], truth(tmp_path)["facts"]["pic"]
    assert theirs["test4"]["drive_mb_s"] == pytest.approx(70, rel=0.003)
    assert theirs["test4"]["overall_mb_s"] == own["test4"]["overall_mb_s"]
    assert theirs["test1"] == own["test1"]


@pytest.mark.parametrize("key", ["pic.test9.gb", "nothing", "fault", "fault.nothing"])
def test_an_unknown_setting_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match=key):
        generate(tmp_path, overrides={key: "1"})


def test_tape_read_tests_come_out_as_published(log: list[str]) -> None:
    """From the log's own lines: bytes and call seconds per mount, and mount request to dismounted."""
    found = []
    state: dict[str, list[float]] = {}
    for line in log:
        if " STKL40" not in line[:60]:
            continue
        clock = _seconds(line)
        drive = line.split()[5]
        if "MC_LOAD_REQ" in line:
            state[drive] = [clock, 0.0, 0.0, 0]
        elif size := re.search(r"drive stats after read\..* bytes (\d+) ", line):
            state[drive][1] += int(size[1])
            state[drive][3] += 1
        elif call := re.search(r"read_tape timing:get_space \S+ read (\S+) ", line):
            state[drive][2] += float(call[1])
        elif re.search(r"  dismounted G03243 ", line):
            begin, total, calls, n_files = state[drive]
            found.append((n_files, total, total / calls / 1e6, total / (clock - begin) / 1e6))
    assert [n_files for n_files, *_ in found] == [278, 278, 139, 44]
    for test, (_, *figures) in enumerate(found, start=1):
        assert figures == pytest.approx(PUBLISHED[test], rel=0.003)


def test_long_gaps_of_the_log_are_those_of_the_truth(log: list[str]) -> None:
    """Within one client command on a written tape: next start less end of data less file mark."""
    judged: dict[str, list[int]] = {}
    state: dict[str, dict[str, Any]] = {}
    for line in log:
        if not (mover := re.match(r"\d\d:\d\d:\d\d \S+ \d+ root I (LTO4_\d+)MV  (.*)", line)):
            continue
        now, drive, message = _seconds(line), mover[1], mover[2]
        last = state.setdefault(drive, {})
        if "MC_LOAD_REQ" in message:
            last.pop("mark", None)
        elif message.startswith("SENDING") and (name := re.search(r"'unique_id': '(\S+)-\d+-(\d+)-\d+'", message)):
            last["was"], last["is"] = last.get("is"), name.groups()
        elif message.startswith("write_tape starting") and "mark" in last and last["was"] == last["is"]:
            judged.setdefault(drive, []).append(now - last["mark"])
        elif message.startswith("filemarks written"):
            last["mark"] = now
    planted = {fault["entity"].split("/")[1]: fault for fault in faults(HERE, "long_gap")}
    long = {drive: [gap for gap in gaps if gap > 5] for drive, gaps in judged.items()}
    assert {drive for drive, gaps in long.items() if gaps} == set(planted)
    for drive, fault in planted.items():
        assert len(long[drive]) == fault["n_gaps"]
        assert sum(gap - 2 for gap in long[drive]) / 3600 == pytest.approx(fault["lost_hours"], rel=0.02)


def test_the_log_never_sleeps_and_is_in_order(log: list[str]) -> None:
    times = [_seconds(line) for line in log if re.match(r"\d\d:\d\d:\d\d ", line)]
    late = [time for time in times[:5] if time > 86000]
    steps = [after - before for before, after in pairwise(times[len(late) :])]
    assert late
    assert min(steps) >= 0
    assert max(steps) <= 60
    assert times[-1] > 86400 - 60


def test_the_log_has_its_oddities(log: list[str]) -> None:
    text = "\n".join(log)
    assert re.search(r"^1\d:\d\d:\d\d stkensm8a\.example\.org ", text, re.MULTILINE)
    assert re.search(r"^\d\d:\d\d:\d\d last message repeated \d+ times$", text, re.MULTILINE)
    assert "\n Thread MainThread\n" in text
    assert Counter(re.findall(r" (\S+)MV  transfer failed ", text)) == {"LTO2_201": 1, "LTO2_203": 7}
    assert truth(HERE)["facts"]["transfers"] == text.count("  transfer complete volume=")


def _seconds(line: str) -> int:
    return int(line[:2]) * 3600 + int(line[3:5]) * 60 + int(line[6:8])


def duty_of(folder: Path, link: str) -> float:
    """Share of the week's half-hours above 5 MB/s into the station: the switch's out, each row over its own span."""
    (path,) = (folder / "logs/mrtg").glob(f"{link}.log*")
    rows = [[int(field) for field in line.split()] for line in content(path).decode().splitlines()[1:]]
    moved = [0.0] * 336
    for row, older in pairwise(rows):
        for place in range(max(0, (older[0] - WEEK_FROM) // 1800), min(336, (row[0] - 1 - WEEK_FROM) // 1800 + 1)):
            begin = WEEK_FROM + place * 1800
            moved[place] += row[2] * max(0, min(row[0], begin + 1800) - max(older[0], begin))
    return sum(total / 1800 > 5e6 for total in moved) / 336


@pytest.mark.parametrize(
    ("number", "published"), [(5, 0.0), (6, 0.6), (7, 0.6), (8, 0.8), (10, 0.0), (11, 0.0), (12, 0.4)]
)
def test_duty_factors_come_out_as_published(number: int, published: float) -> None:
    duty = duty_of(HERE, f"dm{number}-bond0")
    assert duty == pytest.approx(published, abs=0.02)
    assert duty == pytest.approx(truth(HERE)["facts"]["duty"][f"stkendm{number}a"]["in"], abs=1e-4)


def test_duty_factors_add_up_as_published() -> None:
    shares = truth(HERE)["facts"]["duty"].values()
    assert sum(share["in"] for share in shares if share["role"] == "migration") == pytest.approx(2.4, abs=0.02)


def test_one_station_writes_in_bursts_and_the_other_falls_silent() -> None:
    (burst,), (silent,) = faults(HERE, "flush_burst"), faults(HERE, "source_silent")
    lines = content(HERE / f"logs/vmstat/{burst['entity']}_2010-03-10.txt.gz").decode().splitlines()
    rows = [line.split() for line in lines if line[:2].strip().isdigit()]
    written_mb = [int(row[9]) * 1024 / 1e6 for row in rows[1:]]
    full = [place for place, value in enumerate(written_mb) if value > 95]
    steps = Counter(after - before for before, after in pairwise(full))
    assert len(rows) == 3 * 3600 + 1
    assert steps[burst["period_s"]] > 0.8 * len(full)
    assert max(written_mb) == pytest.approx(burst["amplitude_mb"], rel=0.03)
    lines = content(HERE / "logs" / f"{silent['entity']}_2010-03-10.txt.gz").decode().splitlines()
    assert lines[-1].endswith("2010-03-10 11:15:00")


def test_times_of_the_truth_lie_in_the_week() -> None:
    for fault in faults(HERE):
        assert WEEK_FROM <= fault["started_at"].timestamp() < fault["ended_at"].timestamp() <= DAY_TO
