"""The DAGs in a real Airflow with a home of its own: they load, are thin, run, and fail as they should."""

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from support import REPO
from support.airflow_home import DAGS, POOL, environment
from support.archive import SITE, all_rows, differences, make, make_site, morning, put, query

LONGEST = 60
DAG_FILES = sorted(DAGS.glob("*.py"))
SHARED = ("tapescope_alarm", "tapescope_build", "tapescope_tasks")  # what the DAGs share; no DAGs of their own
NAMES = [path.stem for path in DAG_FILES if path.stem not in SHARED]
WRITERS: dict[str, set[str]] = {
    "collect": set(),
    "diagnose": {"build", "detect", "forecast"},
    "ingest": {"commit"},
    "maintain": {"tidy"},
    "nightly_report": {"ingest", "build", "detect", "forecast"},
}

LOAD = """
import json, sys, time
from pathlib import Path
from airflow.dag_processing.dagbag import BundleDagBag
assets = lambda condition: getattr(condition, "objects", [condition] if condition else [])
begun = time.monotonic()
bag = BundleDagBag(sys.argv[1], bundle_path=Path(sys.argv[1]), bundle_name="dags-folder")
print(json.dumps({
    "seconds": time.monotonic() - begun, "errors": bag.import_errors, "warnings": bag.captured_warnings,
    "dags": {name: {
        "catchup": dag.catchup, "active": dag.max_active_runs, "timeout": str(dag.dagrun_timeout),
        "documented": bool(dag.doc_md), "reports": bool(dag.on_failure_callback), "when": repr(dag.timetable),
        "assets": sorted(asset.name for asset in assets(dag.timetable.asset_condition)),
        "tasks": {task.task_id: {
            "retries": task.retries, "pool": task.pool, "rule": task.trigger_rule,
            "timeout": str(task.execution_timeout), "next": sorted(task.downstream_task_ids),
        } for task in dag.tasks},
    } for name, dag in bag.dags.items()},
}))
"""


def run(home: Path, *arguments: str, site: Path, **more: str) -> str:
    """Run Python in a process of its own, with Airflow's home in `home`; returns what it printed last."""
    assert importlib.util.find_spec("airflow"), (
        "Airflow is not installed here: `make test` installs requirements-airflow.lock"
    )
    variables = environment(home, site, **more)
    done = subprocess.run(
        [sys.executable, *arguments], env=variables, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout.strip().splitlines()[-1]


def run_dags(home: Path, site: Path, *names: str, **more: str) -> dict[str, Any]:
    outcomes: dict[str, Any] = json.loads(
        run(home, str(REPO / "tests" / "support" / "airflow_run.py"), str(DAGS), *names, site=site, **more)
    )
    return outcomes


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("airflow")
    run(folder, "-m", "airflow", "db", "migrate", site=folder)
    return folder


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Airflow makes of the files, without a database."""
    folder = tmp_path_factory.mktemp("unmade")
    contents: dict[str, Any] = json.loads(
        run(folder, "-c", LOAD, str(DAGS), site=REPO / "sample_data", TAPESCOPE_POOL=POOL)
    )
    assert not (folder / "airflow.db").exists()
    return contents


def test_dags_load_without_error_or_warning_in_seconds(loaded: dict[str, Any]) -> None:
    print(f"all DAGs loaded in {loaded['seconds']:.1f} s")
    assert not loaded["errors"] and not loaded["warnings"]
    assert sorted(loaded["dags"]) == NAMES
    assert loaded["seconds"] < 30  # a second or two, on a machine that has nothing else to do


def test_dags_load_without_a_site(tmp_path: Path) -> None:
    """The steps report a site.toml that is missing or wrong: DAGs that do not load could not report it."""
    contents = json.loads(run(tmp_path, "-c", LOAD, str(DAGS), site=tmp_path / "nowhere"))
    assert not contents["errors"] and sorted(contents["dags"]) == NAMES
    assert "UTC" in contents["dags"]["nightly_report"]["when"]


def test_every_dag_has_retries_timeouts_and_one_run_at_a_time(loaded: dict[str, Any]) -> None:
    for name, dag in loaded["dags"].items():
        assert (dag["catchup"], dag["active"]) == (False, 1), name
        assert dag["documented"] and dag["reports"] and dag["timeout"] != "None", name
        assert all(task["retries"] >= 2 and task["timeout"] != "None" for task in dag["tasks"].values()), name


def test_tasks_that_write_share_a_pool(loaded: dict[str, Any]) -> None:
    assert sorted(WRITERS) == NAMES
    for name, writers in WRITERS.items():
        tasks = loaded["dags"][name]["tasks"]
        assert {task for task, facts in tasks.items() if facts["pool"] == POOL} == writers


def test_schedules(loaded: dict[str, Any]) -> None:
    """Reports by the site's clock; a diagnosis of whatever bronze table is announced."""
    zone = steps.site_at(REPO / "sample_data").zone
    assert zone in loaded["dags"]["nightly_report"]["when"] and zone in loaded["dags"]["ingest"]["when"]
    assert "NullTimetable" in loaded["dags"]["collect"]["when"], "the sample archive collects nothing"
    assert loaded["dags"]["ingest"]["assets"] == ["tapescope_inbox"]
    bronze = sorted(relation.full_name for relation in load_catalog().layer("bronze"))
    assert loaded["dags"]["diagnose"]["assets"] == bronze


def test_the_report_waits_for_nothing_to_go_well(loaded: dict[str, Any]) -> None:
    tasks = loaded["dags"]["nightly_report"]["tasks"]
    assert {name: task["rule"] for name, task in tasks.items()} == {
        "ingest": "all_success",
        "build": "all_done",
        "detect": "all_success",
        "forecast": "all_success",
        "report": "all_done",
        "verdict": "all_success",
    }
    order = ["ingest", "build", "detect", "forecast", "report"]
    assert [tasks[name]["next"] for name in order] == [
        ["build", "verdict"],
        ["detect", "verdict"],
        ["forecast", "verdict"],
        ["report", "verdict"],
        ["verdict"],
    ]


@pytest.mark.parametrize("path", DAG_FILES, ids=lambda path: path.name)
def test_dag_file_is_thin(path: Path) -> None:
    """No file of dags/ holds logic, those that the DAGs share no more than the DAGs."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    for node in ast.parse(text).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        known = {"airflow", *SHARED, *sys.stdlib_module_names}
        strangers = [name for name in names if name.split(".")[0] not in known]
        assert not strangers, f"imported whenever Airflow reads the file, not when a task runs: {strangers}"
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    long = [node.name for node in functions if sum(isinstance(inner, ast.stmt) for inner in ast.walk(node)) > 15]
    assert not long, "a task calls a step; what takes so many statements belongs to pipelines/"
    assert not [word for word in ("SELECT ", "duckdb", "polars", "open(", "/var", "Path(") if word in text]


def test_files_that_dags_share_are_no_dags(loaded: dict[str, Any]) -> None:
    assert all((DAGS / f"{name}.py").is_file() for name in SHARED)
    assert (DAGS / ".airflowignore").read_text() == "tapescope_*.py\n"


def test_every_dag_stands_in_the_timetable() -> None:
    timetable = (REPO / "docs" / "guides" / "scheduling.md").read_text(encoding="utf-8")
    assert NAMES and [name for name in NAMES if f"| `{name}` |" in timetable] == NAMES


@pytest.fixture(scope="module")
def sample_run(home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, dict[str, Any]]:
    """The sample archive with something to collect, and what all DAGs made of it: Airflow starts once for them."""
    site = make_sample(tmp_path_factory.mktemp("sample_run"))
    entry = '\n[[collect]]\nname = "{}"\ncommand = ["{}", "[]"]\nevery = "1h"\nsource = "cta_admin"\n'
    with (site.root / "site.toml").open("a") as file:
        file.write(entry.format("a", "echo") + entry.format("b", "false"))
    return site, run_dags(home, site.root, "ingest", "diagnose", "nightly_report", "maintain", "collect")


def test_dags_run_on_the_sample_archive(sample_run: tuple[Site, dict[str, Any]]) -> None:
    site, every = sample_run
    outcomes = {name: one for name, one in every.items() if name != "collect"}
    assert len(outcomes) == 4
    assert {name: one["run"] for name, one in outcomes.items()} == dict.fromkeys(outcomes, "success")
    other = {name: state for one in outcomes.values() for name, state in one["tasks"].items() if state != "success"}
    assert other == {"build_part": "skipped"}, "so small a build has no parts"
    n_files = len([path for path in (site.root / "logs").rglob("*") if path.is_file()])
    assert outcomes["ingest"]["counts"]["commit"]["loaded"] == n_files
    changed = {row[0] for row in query(site, "SELECT DISTINCT 'bronze.link_sample' FROM bronze.link_sample")}
    assert changed <= outcomes["ingest"]["counts"]["announce"].keys(), "a table that was filled is not announced"
    assert outcomes["nightly_report"]["counts"]["ingest"]["loaded"] == 0, "a file was read twice"
    assert all(len(json.dumps(one["counts"])) < 5000 for one in outcomes.values()), "data go through XCom"
    for table in ("silver.transfer", "silver.gap", "gold.mount", "gold.finding", "gold.forecast"):
        assert query(site, f"SELECT count(*) FROM {table}")[0][0] > 0, table
    assert list(site.root.rglob("report-*.html")), "no report was written"
    noted = dict(query(site, "SELECT step, count(*) FROM ops.run WHERE outcome = 'done' GROUP BY step"))
    once = dict.fromkeys(("ingest", "build", "detect", "forecast"), 1)
    assert {step: noted[step] for step in once} == once, "what changed nothing leaves no row"


def test_collecting_keeps_what_answers_and_fails_while_an_entry_fails(sample_run: tuple[Site, dict[str, Any]]) -> None:
    site, outcomes = sample_run
    outcome = outcomes["collect"]
    assert (outcome["tasks"], outcome["tries"]) == ({"ask": "failed"}, {"ask": 1})
    assert [path.parent.name for path in (site.root / "var" / "spool").rglob("20*")] == ["a"]


def make_sample(folder: Path) -> Site:
    folder.mkdir(exist_ok=True)
    shutil.copy(REPO / "sample_data" / "site.toml", folder)
    shutil.copytree(REPO / "sample_data" / "logs", folder / "logs")
    return steps.site_at(folder)


def copied_code(folder: Path) -> Path:
    for name in ("pipelines", "schemas", "sample_data"):
        shutil.copytree(REPO / name, folder / name, ignore=shutil.ignore_patterns("captured", "logs"))
    return folder


def test_a_large_build_is_made_in_parts(home: Path, tmp_path: Path, eager: Path) -> None:
    site, plain = make_sample(tmp_path / "site"), make_sample(tmp_path / "plain")
    make(plain)
    outcome = run_dags(home, site.root, "ingest", "diagnose", PYTHONPATH=str(eager))["diagnose"]
    assert set(outcome["tasks"].values()) == {"success"}
    assert len(outcome["counts"]["plan_build"]) > 1 and outcome["counts"]["build_part"]["rows"]
    assert [*(site.root / "var" / "warehouse" / "data" / "silver").rglob("staged-*.parquet")], "no part was committed"
    assert differences(all_rows(plain), all_rows(site)) == []


@pytest.fixture
def eager(tmp_path: Path) -> Path:
    """The same code, which takes any build for a large one."""
    folder = copied_code(tmp_path / "eager")
    module = folder / "pipelines" / "build" / "apart.py"
    text = module.read_text()
    for name, old, new in (("PART_ROWS", "4_000_000", 3_000), ("PAYING_ROWS", "1_000_000", 0), ("PART_DAYS", "30", 1)):
        assert f"{name} = {old}" in text
        text = text.replace(f"{name} = {old}", f"{name} = {new}")
    module.write_text(text)
    return folder


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    """The same code with a critical check that no day with a mount can meet."""
    folder = copied_code(tmp_path / "strict")
    relation = folder / "schemas" / "silver" / "session.sql"
    check = '\n[[checks]]\nexpectation = "ExpectColumnValuesToBeBetween"\ncolumn = "mount_s"\nmin_value = 0\n'
    text = relation.read_text()
    relation.write_text(text.replace("*/", f'{check}max_value = 1\nseverity = "critical"\n*/', 1))
    return folder


def test_a_failed_check_commits_nothing_and_the_report_says_so(home: Path, tmp_path: Path, strict: Path) -> None:
    site = make_site(tmp_path / "site", SITE + '[deliver]\nfolder = "out"\n')
    add_day(site, date(2010, 3, 9))
    make(site)
    before, readers_see = all_rows(site), query(site, "SELECT day, rule FROM gold.finding ORDER BY ALL")
    add_day(site, date(2010, 3, 10))
    outcome = run_dags(home, site.root, "nightly_report", PYTHONPATH=str(strict))["nightly_report"]
    assert outcome["run"] == "failed"
    assert outcome["tasks"] == {
        "ingest": "success",
        "build": "failed",
        "detect": "upstream_failed",
        "forecast": "upstream_failed",
        "report": "success",
        "verdict": "upstream_failed",
    }
    assert outcome["tries"]["build"] == 1, "a failure that repeats was tried again"
    assert differences(before, all_rows(site)) == []
    assert readers_see == query(site, "SELECT day, rule FROM gold.finding ORDER BY ALL")
    (sent,) = (site.root / "out").glob("*.txt")
    top = sent.read_text().split("What the logs cover")[0]
    assert "build failed: CheckFailed" in top and "silver.session" in top
    (noted,) = query(site, "SELECT step, failure FROM ops.run WHERE outcome = 'failed'")
    assert noted[0] == "build" and "at pipelines/steps/build.py line" in noted[1] and "LOG-2010-03-" in noted[1]
    command = [sys.executable, "-m", "pipelines.cli", "build", "--site", str(site.root)]
    variables = environment(home, site.root, PYTHONPATH=str(strict))
    done = subprocess.run(command, cwd=strict, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "silver.session" in done.stderr, done.stdout + done.stderr


def add_day(site: Site, day: date) -> None:
    for local, text in morning(day).days().items():
        put(site, f"enstore/LOG-{local}", text)
