"""Planted truth of a site of CTA: on its sample archive every planted fault is found, and nothing else is."""

import json
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.matching import judge
from pipelines import steps
from pipelines.cli import cli
from pipelines.config.site import Site
from sample_data.scenario import KINDS, CtaScenario, named
from support.archive import copied, query


def test_the_demo_of_cta_has_every_fault_and_all_of_them_are_found(cta: Path, tmp_path: Path) -> None:
    site = copied(steps.site_at(cta), tmp_path / "site")
    assert query(site, "SELECT count(*) FROM ops.reject") == [(0,)]
    assert query(site, "SELECT count(*) FROM ops.file WHERE state <> 'loaded'") == [(0,)]
    scenario = named("cta")
    assert isinstance(scenario, CtaScenario)
    last = scenario.first_day + timedelta(days=scenario.days - 1)
    truth = tomllib.loads((site.root / "truth.toml").read_text())
    result = judge(truth, steps.detect(site, last, last).findings)
    assert {fault["kind"] for fault in truth["fault"]} == set(KINDS["cta"])
    assert [fault for fault in result["faults"] if not fault["rules"]] == []
    assert [finding for finding in result["findings"] if finding["role"] == "false"] == []
    sizes = {fault["kind"]: fault["sizes"] for fault in truth["fault"]}
    events = dict(query(site, "SELECT kind, sum(lost_s) / 3600 FROM silver.event GROUP BY kind"))
    for event, kind in (("session_killed", "hung_session"), ("mount_failed", "mount_failures")):
        assert events[event] == pytest.approx(sizes[kind]["lost_hours"], rel=0.01), kind
    # of all disk systems only one drained at all
    drained = query(site, "SELECT station, sum(lost_hours) FROM gold.station_loss WHERE cause = 'drain' GROUP BY 1")
    assert drained == [("eospion", pytest.approx(sizes["slow_drain"]["lost_hours"], abs=0.02))]
    _requests_are_as_planted(site, truth["requests"])
    _recalls_are_as_planted(site, truth, {"first_day": str(scenario.first_day), "last_day": str(last)})


def _requests_are_as_planted(site: Site, truth: dict[str, Any]) -> None:
    """All requests are there, and the site's own policy, found in its log, gives its mounts again."""
    sql = "SELECT mode, count(*), min(epoch(due_at - queued_at)) FROM silver.request GROUP BY mode ORDER BY mode"
    modes = query(site, sql)
    assert modes == [(mode, truth[f"n_{mode}"], truth["min_age_s"]) for mode in ("read", "write")]
    answer = CliRunner().invoke(cli, ["forecast", "mounts", "--site", str(site.root), "--format", "json"])
    assert answer.exit_code == 0, answer.output
    rows = {row["run"]: row for row in json.loads(answer.stdout)["policies"]}
    assert rows["recorded"]["policy"].startswith("oldest request at least 1 min old")
    assert rows["replayed"]["n_mounts"] == rows["recorded"]["n_mounts"]
    assert rows["other"]["saved_hours_low"] > 0


def _recalls_are_as_planted(site: Site, truth: dict[str, Any], period: dict[str, str]) -> None:
    """Every restore of the pools is followed; each stage of the sums per pool, and of the longest request, is right."""
    stages = ("queue", "mount", "turn", "position", "read", "deliver")
    found = {row["pool"]: row for row in steps.ask(site, "recall_stages", period).as_dicts()}
    assert set(found) == {one["pool"] for one in truth["recall"]} and len(found) == 8
    for one in truth["recall"]:
        row, hours = found[one["pool"]], sum(one[f"{stage}_hours"] for stage in stages)
        assert row["n_recalls"] == row["n_followed"] == one["n_followed"] > 40
        assert (row["slowest"], row["latency_hours"]) == (one["slowest"], pytest.approx(hours, rel=1e-3))
        shares = [row[f"{stage}_share"] for stage in stages]
        assert shares == pytest.approx([one[f"{stage}_hours"] / hours for stage in stages], abs=1e-3)
    longest = truth["longest_recall"]
    (row,) = steps.ask(site, "recall_path", period | {"n": "1"}).as_dicts()
    assert [row[name] for name in ("pnfsid", "pool", "slowest", "via")] == [
        *(longest[name] for name in ("pnfsid", "pool", "slowest")),
        "cta",
    ]
    assert [row[f"{stage}_s"] for stage in stages] == pytest.approx([longest[f"{s}_s"] for s in stages], abs=0.05)
