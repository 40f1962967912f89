"""The DAGs in a real Airflow with a home of its own: they load, are thin, run, and fail as they should."""

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from support import REPO
from support.airflow_home import DAGS, POOL, environment
from support.archive import SITE, all_rows, differences, make, make_site, morning, put, query
from support.changed_code import copied_code, eager_code
from support.receivers import web_server
from support.two_days import FIRST, SECOND, arrive

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


def run(home: Path, *arguments: str, **more: str) -> str:
    """Run Python in a process of its own, with Airflow's home in `home`; returns what it printed last."""
    assert importlib.util.find_spec("airflow"), (
        "Airflow is not installed here: `make test` installs requirements-airflow.lock"
    )
    variables = environment(home, home, **more)
    done = subprocess.run(
        [sys.executable, *arguments], env=variables, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout.strip().splitlines()[-1]


def job(
    site: Path,
    *dags: str,
    code: Path = REPO,
    command: tuple[str, ...] = (),
    conf: dict[str, str] | None = None,
    limit_s: float | None = None,
) -> dict[str, Any]:
    """What support/airflow_run.py does on a site: run DAGs, then a command, of some folder's code."""
    todo = {"run": dags, "command": command, "conf": conf or {}, "limit_s": limit_s}
    return {"site": str(site), "code": str(code)} | todo


def run_jobs(home: Path, jobs: dict[str, Any], **more: str) -> dict[str, Any]:
    script = str(REPO / "tests" / "support" / "airflow_run.py")
    done: dict[str, Any] = json.loads(run(home, script, str(DAGS), json.dumps(jobs), **more))
    return done


@pytest.fixture(scope="module")
def loads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Airflow makes of the files, without a database; also where there is no site."""
    folder = tmp_path_factory.mktemp("unmade")
    jobs = {"sample": job(REPO / "sample_data"), "nowhere": job(folder / "nowhere")}
    contents = {name: one["loaded"] for name, one in run_jobs(folder, jobs, TAPESCOPE_POOL=POOL).items()}
    assert not (folder / "airflow.db").exists()
    return contents


@pytest.fixture(scope="module")
def loaded(loads: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = loads["sample"]
    return found


def test_dags_load_without_error_or_warning_in_seconds(loaded: dict[str, Any]) -> None:
    print(f"all DAGs loaded in {loaded['seconds']:.1f} s")
    assert not loaded["errors"] and not loaded["warnings"]
    assert sorted(loaded["dags"]) == NAMES
    assert loaded["seconds"] < 30  # a second or two, on a machine that has nothing else to do


def test_dags_load_without_a_site(loads: dict[str, Any]) -> None:
    """The steps report a site.toml that is missing or wrong: DAGs that do not load could not report it."""
    contents = loads["nowhere"]
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


def test_the_backfill_of_the_guide_reports_the_days_it_names(tmp_path: Path) -> None:
    """A date alone is midnight UTC for Airflow: the run of the last morning was left out."""
    guide = (REPO / "docs" / "guides" / "scheduling.md").read_text(encoding="utf-8")
    _, _, after = guide.partition("airflow backfill create ")
    words = after.partition("```")[0].replace("\\", "").split()
    site = {"TAPESCOPE_SITE": str(REPO / "sample_data")}
    for command in (("db", "migrate"), ("dags", "reserialize")):
        run(tmp_path, "-m", "airflow", *command, **site)
    (tmp_path / "days.py").write_text(LISTED)
    days = json.loads(run(tmp_path, str(tmp_path / "days.py"), *words, **site))
    assert days == [str(date(2010, 2, 28) + timedelta(days=n)) for n in range(7)]
    assert "these runs cover the days from 28 February to 6 March" in guide


LISTED = """
import json, subprocess, sys
command = [sys.executable, "-m", "airflow", "backfill", "create", *sys.argv[1:], "--dry-run"]
lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
print(json.dumps([line.lstrip("| ")[:10] for line in lines if line.lstrip("| ").startswith("2010")]))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the DAGs made of three sites, by one process: Airflow starts once for all of them."""
    folder = tmp_path_factory.mktemp("runs")
    run(folder, "-m", "airflow", "db", "migrate")
    whole, small, faulty = (make(folder / name) for name, make in SITES.items())
    before, readers_see = all_rows(faulty), query(faulty, FINDINGS)
    add_day(faulty, SECOND)
    put(faulty, f"enstore/LOG-{SECOND + timedelta(days=9)}", "a letter\n")
    build = ("build", "--site", str(faulty.root))
    jobs = {
        "whole": job(whole.root, *EACH, code=eager_code(folder / "eager", part_rows=100_000)),
        "small": job(small.root, "diagnose"),
        "faulty": job(faulty.root, "nightly_report", code=strict(folder / "strict"), command=build),
    }
    with web_server() as web:
        root = mistaken(folder / "mistaken", web.url)
        others = {name: job(root, "ingest") for name in ("mistaken", "mistaken again")}
        late = recipients(folder / "late", web.url)
        others["late"] = job(late, "collect", code=hanging(folder / "hanging"), limit_s=8)
        others["misspelt"] = job(late, "nightly_report", conf={"first_day": "2010-03-10"})
        others["reversed"] = job(late, "nightly_report", conf={"first": "2010-03-10", "last": "2010-03-09"})
        others["mended"] = job(mended(folder / "mended", web.url), "ingest")
        made = run_jobs(folder, jobs) | run_jobs(folder, others)
    made["faulty"] |= {"before": before, "readers_see": readers_see}
    made["messages"] = {"posts": [content for _, _, content in web.posts]}
    sites = dict(zip(SITES, (whole, small, faulty), strict=True))
    return {name: one | {"site": sites.get(name)} for name, one in made.items()}


def collecting(folder: Path) -> Site:
    """The sample archive with something to collect."""
    site = make_sample(folder)
    entry = '\n[[collect]]\nname = "{}"\ncommand = ["{}", "[]"]\nevery = "1h"\nsource = "cta_admin"\n'
    with (site.root / "site.toml").open("a") as file:
        file.write(entry.format("a", "echo") + entry.format("b", "false"))
    return site


def unbuilt(folder: Path) -> Site:
    """Two days of three sources, read and not built."""
    site = make_site(folder)
    for day in (FIRST, SECOND):
        arrive(site, day)
    steps.ingest(site)
    return site


def one_day(folder: Path) -> Site:
    site = make_site(folder, SITE + '[[input]]\nglob = "none/*"\n[deliver]\nfolder = "out"\n')
    add_day(site, FIRST)
    make(site)
    return site


def recipients(folder: Path, url: str) -> Path:
    """The folder of a site with recipients."""
    return make_site(folder, SITE + f'[deliver]\nwebhook = {{ url = "{url}" }}\n').root


def mistaken(folder: Path, url: str) -> Path:
    """Also with a key that is wrong."""
    with (recipients(folder, url) / "site.toml").open("a") as file:
        file.write('[[drive]]\nname = "D1"\nslott = "1"\n')
    return folder


def mended(folder: Path, url: str) -> Path:
    """A site whose recipients had a failure of `ingest` three hours ago."""
    then = (datetime.now(UTC) - timedelta(hours=3)).isoformat()
    failure = {"first": then, "last": then, "times": 2, "sent": {"webhook": then}}
    book = recipients(folder, url) / "var" / "known_failures.json"
    book.parent.mkdir(exist_ok=True)
    book.write_text(json.dumps({"ingest": {"1": failure}}))
    return folder


def hanging(folder: Path) -> Path:
    """The same code, in which DuckDB takes very long to collect."""
    module = copied_code(folder) / "pipelines" / "steps" / "collect.py"
    module.write_text(
        "import duckdb\n\ndef collect(*_, **__):\n"
        f"    duckdb.sql('SELECT sum(sqrt(range)) FROM range({10**13})').fetchall()\n"
        "\ndef seconds_to_next(*_): ...\n"
    )
    return folder


SITES = {"whole": collecting, "small": unbuilt, "faulty": one_day}
EACH = ("ingest", "diagnose", "nightly_report", "maintain", "collect")
BOOK = "__ducklake_metadata_lake.ducklake"
FILES = f"SELECT path FROM {BOOK}_data_file UNION ALL SELECT path FROM {BOOK}_files_scheduled_for_deletion"
FINDINGS = "SELECT day, rule FROM gold.finding ORDER BY ALL"


def make_sample(folder: Path) -> Site:
    folder.mkdir(exist_ok=True)
    shutil.copy(REPO / "sample_data" / "site.toml", folder)
    shutil.copytree(REPO / "sample_data" / "logs", folder / "logs")
    return steps.site_at(folder)


def add_day(site: Site, day: date) -> None:
    for local, text in morning(day).days().items():
        put(site, f"enstore/LOG-{local}", text)


def strict(folder: Path) -> Path:
    """The same code with a critical check that no day with a mount can meet."""
    relation = copied_code(folder) / "schemas" / "silver" / "session.sql"
    check = '\n[[checks]]\nexpectation = "ExpectColumnValuesToBeBetween"\ncolumn = "mount_s"\nmin_value = 0\n'
    text = relation.read_text()
    relation.write_text(text.replace("*/", f'{check}max_value = 1\nseverity = "critical"\n*/', 1))
    return folder


def test_dags_run_on_the_sample_archive(runs: dict[str, Any]) -> None:
    site, every = runs["whole"]["site"], runs["whole"]["ran"]
    outcomes = {name: one for name, one in every.items() if name != "collect"}
    assert len(outcomes) == 4
    assert {name: one["run"] for name, one in outcomes.items()} == dict.fromkeys(outcomes, "success")
    assert {state for one in outcomes.values() for state in one["tasks"].values()} == {"success"}
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


def test_collecting_keeps_what_answers_and_fails_while_an_entry_fails(runs: dict[str, Any]) -> None:
    site, outcome = runs["whole"]["site"], runs["whole"]["ran"]["collect"]
    assert (outcome["tasks"], outcome["tries"]) == ({"ask": "failed"}, {"ask": 1})
    assert [path.parent.name for path in (site.root / "var" / "spool").rglob("20*")] == ["a"]


def test_the_sample_archive_is_built_in_parts(runs: dict[str, Any], sample: Path) -> None:
    """Each by a task of its own: the rows of one process. A small build has no parts."""
    site, outcome = runs["whole"]["site"], runs["whole"]["ran"]["diagnose"]
    assert outcome["counts"]["plan_build"] == [{"number": 0}, {"number": 1}]
    assert outcome["counts"]["build_part"]["rows"]
    left = (site.root / "var" / "warehouse" / "data" / "silver").rglob("staged-*.parquet")
    assert {path.name for path in left} & {Path(path).name for (path,) in query(site, FILES)}, "no part was committed"
    assert differences(all_rows(steps.site_at(sample), "gold"), all_rows(site, "gold")) == []
    small = runs["small"]["ran"]["diagnose"]["tasks"]
    assert {name: state for name, state in small.items() if state != "success"} == {"build_part": "skipped"}
    assert query(runs["small"]["site"], "SELECT count(*) FROM silver.transfer")[0][0]


def test_recipients_hear_of_a_mistake_in_site_toml(runs: dict[str, Any]) -> None:
    """Once: `ingest` fails each quarter of an hour, and sent a message each time."""
    for run in ("mistaken", "mistaken again"):
        assert runs[run]["ran"]["ingest"]["tasks"]["recognise"] == "failed"
    [message] = messages(runs, "task recognise of ingest")
    assert "site.toml has 1 mistake" in message


def messages(runs: dict[str, Any], begin: str) -> list[str]:
    """The texts of this beginning that recipients got."""
    texts = [text for content in runs["messages"]["posts"] for text in content["problems"] or [content["text"]]]
    return [text for text in texts if text.startswith(begin)]


def test_recipients_hear_that_a_dag_works_again(runs: dict[str, Any]) -> None:
    assert runs["mended"]["ran"]["ingest"]["run"] == "success"
    [message] = messages(runs, "case: ingest works again")
    assert "it failed 2 times since" in message


def test_a_task_out_of_time_says_so_and_is_not_tried_again(runs: dict[str, Any]) -> None:
    """DuckDB makes `Query interrupted` of it, as of any signal."""
    assert runs["late"]["ran"]["collect"]["tries"] == {"ask": 1}
    [message] = messages(runs, "task ask of collect")
    assert "collect failed: RuntimeError: Query interrupted; " in message
    assert "; Airflow stopped the task after 3 hours" in message


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ("misspelt", "param first_day is refused"),
        ("reversed", "the param first (2010-03-10) is after the param last (2010-03-09)"),
    ],
)
def test_params_that_cannot_be_meant_are_refused(runs: dict[str, Any], run: str, reason: str) -> None:
    """A misspelt one gave the report on another day, and days in the wrong order the receipt of the last of them."""
    outcome = runs[run]["ran"]["nightly_report"]
    assert (outcome["tasks"]["ingest"], outcome["tasks"]["report"]) == ("failed", "failed")
    assert set(outcome["tries"].values()) <= {0, 1}, "a mistake of the user was tried again"
    assert [text for text in messages(runs, "task report of nightly_report") if reason in text]


def test_a_failed_check_commits_nothing_and_the_report_says_so(runs: dict[str, Any]) -> None:
    site, outcome = runs["faulty"]["site"], runs["faulty"]["ran"]["nightly_report"]
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
    assert differences(runs["faulty"]["before"], all_rows(site)) == []
    assert runs["faulty"]["readers_see"] == query(site, FINDINGS)
    (sent,) = (site.root / "out").glob("*.txt")
    top = sent.read_text().split("What the logs cover")[0]
    assert "build failed: CheckFailed" in top and "silver.session" in top
    problems = json.loads(sent.with_suffix(".json").read_text())["problems"]
    named = [problem.split(":")[0] for problem in problems]
    assert named[0] == "build failed" and {"unknown", "empty input"} <= set(named), "as `tapescope run` lists them"
    noted = query(site, "SELECT step, failure FROM ops.run WHERE outcome = 'failed'")
    assert [step for step, _ in noted] == ["build", "build"], "once by the DAG, once by the command"
    assert all("at pipelines/steps/build.py line" in failure and "LOG-2010-03-" in failure for _, failure in noted)
    command = runs["faulty"]["command"]
    assert command["exit"] == 3 and "silver.session" in command["output"], command
