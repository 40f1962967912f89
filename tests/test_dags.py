"""The nightly DAG in a real Airflow with a home of its own: it loads, is thin, runs, and fails as it should."""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipelines.config import load_site
from pipelines.warehouse import Warehouse

REPO = Path(__file__).resolve().parent.parent
DAGS = REPO / "dags"
LONGEST = 60
TASKS = {"ingest", "build", "detect", "report", "verdict"}
# One process for all: Airflow is slow to start, and its home is made once.
pytestmark = pytest.mark.xdist_group("airflow")

LOAD = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(sys.argv[1])
dag = bag.dags["nightly"]
print(json.dumps({
    "errors": bag.import_errors, "dags": list(bag.dags), "catchup": dag.catchup, "active": dag.max_active_runs,
    "rules": {task.task_id: task.trigger_rule for task in dag.tasks},
    "next": {task.task_id: sorted(task.downstream_task_ids) for task in dag.tasks},
    "retries": {task.task_id: task.retries for task in dag.tasks},
    "pools": sorted({task.pool for task in dag.tasks}), "documented": bool(dag.doc_md),
}))
"""


def run(home: Path, *arguments: str, site: Path | None = None) -> str:
    """Run Python in a process of its own, with Airflow's home in `home`; returns what it printed last."""
    assert importlib.util.find_spec("airflow"), (
        "Airflow is not installed here: `make test` installs requirements-airflow.lock"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "TAPESCOPE"))}
    environment |= {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PYTHONPATH": str(REPO),
        "TAPESCOPE_SITE": str(site or ""),
    }
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("airflow")
    run(folder, "-m", "airflow", "db", "migrate")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(REPO / "sample_data" / "site.toml", folder)
    shutil.copytree(REPO / "sample_data" / "logs", folder / "logs")
    return folder


@pytest.fixture(scope="module")
def good_run(home: Path, site: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(run(home, str(REPO / "tests" / "airflow_run.py"), str(DAGS), site=site))
    return said


def test_dags_load_without_a_database(tmp_path: Path) -> None:
    said = json.loads(run(tmp_path, "-c", LOAD, str(DAGS)))
    assert not said["errors"]
    assert said["dags"] == ["nightly"] and said["documented"]
    assert (said["catchup"], said["active"], said["pools"]) == (False, 1, ["default_pool"])
    assert said["rules"] == dict.fromkeys(TASKS, "all_success") | {"report": "all_done"}
    assert said["retries"] == dict.fromkeys(TASKS, 2) | {"verdict": 0}
    order = ["ingest", "build", "detect", "report"]
    assert [said["next"][name] for name in order] == [
        ["build", "verdict"],
        ["detect", "verdict"],
        ["report", "verdict"],
        ["verdict"],
    ]
    assert not (tmp_path / "airflow.db").exists()


@pytest.mark.parametrize("path", sorted(DAGS.glob("*.py")), ids=lambda path: path.name)
def test_dag_file_is_thin(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    for node in ast.parse(text).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        strangers = [name for name in names if name.split(".")[0] not in {"airflow", *sys.stdlib_module_names}]
        assert not strangers, f"imported whenever Airflow reads the file, not when a task runs: {strangers}"
    assert not [word for word in ("SELECT ", "duckdb", "polars", "open(", "/var", "Path(") if word in text]


def test_every_dag_stands_in_the_timetable() -> None:
    timetable = (DAGS / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in DAGS.glob("*.py") if f"| `{path.stem}` |" in timetable] == ["nightly"]


def test_nightly_runs_on_the_sample_archive(good_run: dict[str, Any], site: Path) -> None:
    assert good_run["tasks"] == dict.fromkeys(TASKS, "success")
    assert good_run["run"] == "success"
    assert good_run["counts"]["ingest"]["loaded"] == len(
        [path for path in (site / "logs").rglob("*") if path.is_file()]
    )
    assert all(len(json.dumps(counts)) < 2000 for counts in good_run["counts"].values()), "data go through XCom"
    with Warehouse(load_site(site)).read() as connection:
        for table in ("silver.transfer", "silver.gap", "gold.session_rate", "gold.finding"):
            row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert row and row[0] > 0, table
    assert list(site.rglob("*.html")), "no report was written"


def test_a_failed_check_fails_the_run_and_the_report_says_so(home: Path, site: Path, good_run: dict[str, Any]) -> None:
    said = json.loads(run(home, str(REPO / "tests" / "airflow_run.py"), str(DAGS), "build", site=site))
    assert said["run"] == "failed"
    assert said["tasks"] == {
        "ingest": "success",
        "build": "failed",
        "detect": "upstream_failed",
        "report": "success",
        "verdict": "upstream_failed",
    }
    assert said["tries"]["build"] == 1, "what a second try cannot mend was tried again"
    reports = [path.read_text(encoding="utf-8") for path in site.rglob("*.json") if "reports" in path.parts]
    assert any("task build: failed" in text for text in reports)
