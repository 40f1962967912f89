"""Scenarios with known answers, and the score that compares findings with them.

One small library with every kind of fault and one with none are read as any archive is; what the rules of today find
there is asserted, so that a rule that is added or lost shows. Figures over hundreds of seeds: `make score`.
"""

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.matching import judge
from benchmarks.score import BASES, kept, planned, run, score
from benchmarks.score_table import tables
from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from sample_data import scenario as scenarios
from sample_data.generate import main as generate_main
from sample_data.generate import write
from sample_data.library import run_library
from sample_data.planted import KINDS
from sample_data.scenario import FOLDER, CtaScenario, LibraryScenario, Scenario, drawn, load, named
from support.archive import query

pytestmark = pytest.mark.usefixtures("plain_store")

TODAY = set(KINDS) - {"clock_skew"}


@dataclass
class Scored:
    """An archive of a scenario, and its score."""

    site: Site
    result: dict[str, Any]
    truth: dict[str, Any]


def scored(scenario: Scenario, folder: Path) -> Scored:
    assert isinstance(scenario, LibraryScenario | CtaScenario)
    result = score(scenario, folder)
    return Scored(steps.site_at(folder), result, tomllib.loads((folder / "truth.toml").read_text()))


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return scored(named("one_of_each"), tmp_path_factory.mktemp("everything"))


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return scored(LibraryScenario(days=2), tmp_path_factory.mktemp("quiet"))


# --- scenarios ------------------------------------------------------------------------------------------------


def test_every_scenario_kept_here_can_be_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} >= {"migration", "one_of_each", "quiet_library"}
    for path in FOLDER.glob("*.toml"):
        assert load(path).title, path


def test_mistakes_in_a_scenario_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('story = "library"\n[[fault]]\nkind = "slow_drive"\nslower = 2\n')
    with pytest.raises(ValueError, match=r"slower[\s\S]*less than 1"):
        load(path)
    path.write_text('story = "library"\nfirst_day = 2010-03-10\n')
    with pytest.raises(ValueError, match="2010-03-13"):
        load(path)
    path.write_text('story = "library"\n[[fault]]\nkind = "slow_drive"\nentity = "DRV_99"\n')
    with pytest.raises(SystemExit):
        generate_main(["--out", str(tmp_path), "--scenario", str(path)])
    assert "cannot affect 'DRV_99'" in capsys.readouterr().err


def test_the_same_seed_draws_the_same_and_scoring_seeds_are_no_tuning_seeds() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7).fault != drawn(8).fault
    assert drawn(7, 0).fault == ()
    runs = [planned(100, 8, LibraryScenario(), is_tuning) for is_tuning in (False, True)]
    seeds = [{scenario.seed for scenario in plan.values()} for plan in runs]
    assert len(seeds[0]) == len(seeds[1]) == 200
    assert seeds[0].isdisjoint(seeds[1])


def test_drawn_faults_have_the_least_strengths_and_every_kind_is_drawn() -> None:
    kinds = Counter(fault.kind for seed in range(1, 60) for fault in drawn(seed).fault)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10
    least = {kind: planted(from_day=1).model_dump() for kind, planted in KINDS.items()}
    assert least["slow_drive"]["slower"] == 0.15
    assert (least["long_gap"]["share"], least["long_gap"]["longer_s"]) == (0.2, 5.0)
    assert least["clock_skew"]["skew_s"] == 10.0
    assert least["silent_source"]["hours"] == 2.0
    assert least["pool_skew"]["times"] == 2.0
    assert least["tuning_change"]["faster"] == 0.10


def test_a_slow_drive_has_200_large_files_and_shares_its_tapes() -> None:
    library = run_library(drawn(1, 0))
    tapes: dict[str, set[str]] = {}
    for drive in library.drives:
        sessions = [session for session in library.day.sessions if session.drive == drive]
        assert sum(t.tape_bytes >= 500e6 for session in sessions for t in session.transfers) >= 200
        for session in sessions:
            tapes.setdefault(session.volume.label, set()).add(drive.name)
    assert min(len(drives) for drives in tapes.values()) >= 2


# --- the logs -------------------------------------------------------------------------------------------------


def test_logs_are_understood_to_the_last_line(everything: Scored) -> None:
    assert query(everything.site, "SELECT count(*) FROM ops.reject") == [(0,)]
    assert query(everything.site, "SELECT count(*) FROM ops.file WHERE state <> 'loaded'") == [(0,)]
    sources = {row[0] for row in query(everything.site, "SELECT DISTINCT source FROM ops.file")}
    assert sources == {"enstore_log", "vmstat", "nicstat", "mrtg_log", "dcache_billing"}


def test_planted_strengths_are_in_the_logs(everything: Scored) -> None:
    site = everything.site
    rate = "sum(bytes) / sum(drive_s)"
    slow, others = (
        query(site, f"SELECT {rate} FROM silver.transfer WHERE status = 'ok' AND drive {which} 'DRV_2'")[0][0]
        for which in ("=", "<>")
    )
    assert slow / others == pytest.approx(0.85, abs=0.05)  # drives and tapes differ by a per cent or two of their own
    waited = dict(query(site, "SELECT station, avg(wait_data_s) FROM silver.transfer WHERE mode = 'write' GROUP BY 1"))
    assert waited["node1"] > 10 > 1 > max(waited["node2"], waited["node3"])
    used = dict(query(site, "SELECT pool, count(*) FROM silver.pool_request GROUP BY 1"))
    assert used["pool_3"] / (sum(used.values()) - used["pool_3"]) * 7 == pytest.approx(2.0, rel=0.1)
    skewed = dict(query(site, "SELECT host, second(min(from_at)) FROM silver.network_sample GROUP BY 1"))
    assert (skewed["node2"] - skewed["node1"]) % 60 == 10
    wrapped = "day BETWEEN '2010-02-02' AND '2010-02-07'"  # the days begin and end within those of UTC
    top = f"SELECT station, max(avg_bytes_s) / 1e6 FROM silver.link_sample WHERE {wrapped} GROUP BY 1"
    links = dict(query(site, top))
    assert 240 < links["node1"] <= 250
    assert links["node3"] < 2**32 / 299 / 1e6 < links["node2"]


def test_truth_counts_what_was_struck(everything: Scored) -> None:
    faults = {fault["kind"]: fault for fault in everything.truth["fault"]}
    assert set(faults) == set(KINDS)
    assert faults["transfer_failures"]["sizes"]["n"] == faults["mount_failures"]["sizes"]["n"] == 5
    assert faults["slow_drive"]["sizes"]["n_large"] >= 200
    longest = query(everything.site, "SELECT count(*) FROM silver.gap WHERE drive = 'DRV_1' AND avoidable_s > 5")
    assert longest[0][0] == pytest.approx(faults["long_gap"]["sizes"]["n"], abs=3)


# --- what is found --------------------------------------------------------------------------------------------


def test_faults_name_rules_that_exist() -> None:
    assert {rule for planted in KINDS.values() for rule in planted.rules + planted.follows} <= set(load_catalog().rules)


def test_what_a_rule_exists_for_is_found(everything: Scored) -> None:
    found = {fault["kind"] for fault in everything.result["faults"] if fault["rules"]}
    assert found >= TODAY, "one fault of each kind at its least strength"


def test_nothing_else_is_found(everything: Scored, quiet: Scored) -> None:
    rules = {rule for kind in TODAY for rule in KINDS[kind].rules}
    false = [finding for finding in everything.result["findings"] if finding["role"] == "false"]
    assert [finding for finding in false if finding["rule"] in rules] == []
    assert quiet.truth.get("fault", []) == []
    assert quiet.result["findings"] == []


# --- a site of CTA ----------------------------------------------------------------------------------------------


def test_drawn_sites_of_cta_have_every_kind_of_fault() -> None:
    base = BASES["cta"]
    kinds = Counter(fault.kind for seed in range(1, 60) for fault in drawn(seed, base=base).fault)
    assert set(kinds) == set(scenarios.KINDS["cta"])
    assert min(kinds.values()) >= 10
    without = {fault.kind for seed in range(1, 60) for fault in drawn(seed, base=CtaScenario()).fault}
    assert set(kinds) - without == {"pool_skew", "saturated_host", "drive_errors", "tape_errors"}


# --- the comparison -------------------------------------------------------------------------------------------

BEGIN = datetime(2010, 2, 1)


def finding(rule: str, entity: str, day: int = 0, **facts: float) -> dict[str, Any]:
    begin = BEGIN + timedelta(days=day)
    return {
        "rule": rule,
        "entity": entity,
        "started_at": begin,
        "ended_at": begin + timedelta(hours=5),
        "facts": json.dumps(facts),
    }


def planted_truth(kind: str, name: str, **sizes: float) -> dict[str, Any]:
    fault = {
        "kind": kind,
        "rules": list(KINDS[kind].rules),
        "follows": list(KINDS[kind].follows),
        "entity": name,
        "names": [name],
        "started_at": datetime.fromisoformat("2010-02-01T00:00:00Z"),
        "ended_at": datetime.fromisoformat("2010-02-03T00:00:00Z"),
        "sizes": sizes,
    }
    return {"fault": [fault]}


def test_rule_entity_and_time_make_a_hit() -> None:
    truth = planted_truth("long_gap", "DRV_1")
    findings = [
        finding("long_gap", "node1/DRV_1"),
        finding("long_gap", "node1/DRV_11"),
        finding("long_gap", "node1/DRV_1", day=9),
        finding("changed_rate", "DRV_1"),
        finding("drive_down", "DRV_1"),
    ]
    found = judge(truth, findings)
    assert [one["role"] for one in found["findings"]] == ["hit", "false", "false", "follows", "false"]
    assert found["faults"] == [{"kind": "long_gap", "entity": "DRV_1", "rules": ["long_gap"]}]


def test_intervals_are_compared_by_name() -> None:
    truth = planted_truth("slow_drive", "DRV_1", ratio=0.85)
    facts = {"ratio_low": 0.83, "ratio_high": 0.86, "odd_low": 1, "odd_high": 2}
    intervals = judge(truth, [finding("slow_drive", "DRV_1", **facts)])["intervals"]
    assert [(one["name"], one["planted"], one["covered"]) for one in intervals] == [
        ("ratio", 0.85, True),
        ("odd", None, None),
    ]
    missed = judge(truth, [finding("slow_drive", "DRV_1", ratio_low=0.86, ratio_high=0.9)])["intervals"]
    assert [one["covered"] for one in missed] == [False]
    nameless = judge(
        planted_truth("slow_drive", "DRV_1", slower=0.15),
        [finding("slow_drive", "DRV_1", slower_low=0.1, slower_high=0.2)],
    )
    assert [(one["name"], one["covered"]) for one in nameless["intervals"]] == [("slower", True)]


def test_table_says_what_was_reached() -> None:
    truth = planted_truth("long_gap", "DRV_1", lost_hours=2.0)
    good = judge(truth, [finding("long_gap", "DRV_1", lost_hours_low=1, lost_hours_high=3)])
    bad = judge(truth, [finding("long_gap", "DRV_2")])
    results = [
        {"run": "faults-1", "drive_weeks": 6, "seconds": {"build": 1.0}} | good,
        {"run": "faults-2", "drive_weeks": 6, "seconds": {"build": 3.0}} | bad,
        {"run": "null-1", "error": "CheckFailed: odd"},
    ]
    lines = tables(results, {"long_gap"}, KINDS).splitlines()
    # 2 planted, 1 found; 1 right of 2 findings; 1 false alarm in 12 drive-weeks
    assert "long_gap                 2      1   0.500      0.500   long_gap" in lines
    assert any(line.startswith("slow_drive ") and line.endswith("no rule yet") for line in lines)
    assert "false alarms in runs with faults: 8.33 per 100 drive-weeks, in 12 drive-weeks (long_gap 1)" in lines
    assert "long_gap: in 100.0% of 1 findings, the interval of lost_hours contains the true value" in lines
    assert "mean time of each step of a run, in seconds: build 2.0" in lines
    assert lines[-1] == "null-1 broke: CheckFailed: odd"


def test_results_of_other_code_and_broken_ones_are_made_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [{"run": "a", "state": "now"}, {"run": "b", "state": "then"}, {"run": "c", "state": "now", "error": "odd"}]
    path.write_text("\n".join(map(json.dumps, rows)) + '\n{"run": "d", "sta')
    assert set(kept(path, "now")) == {"a"}
    assert kept(tmp_path / "none.jsonl", "now") == {}


def test_a_run_that_breaks_is_a_result_and_leaves_nothing(tmp_path: Path) -> None:
    crowded = LibraryScenario(drives=30, tapes=2, days=1)
    assert "give the scenario more tapes" in run(crowded, tmp_path)["error"]
    assert list(tmp_path.iterdir()) == []


def test_writing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    small = LibraryScenario(days=1, drives=2, tapes=4, network_days=(0,), network_hours=(10, 11))
    for name in ("one", "two"):
        write(small, tmp_path / name)
    texts = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    ]
    assert texts[0] == texts[1]
