"""The command line as a user meets it: what it prints, its exit codes, its hints."""

import json
import re
import subprocess
import sys
from datetime import date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.primitives.errors import NothingRead, TapescopeError
from pipelines.steps.build import BuildReport
from pipelines.steps.detect import DetectReport, ForecastReport
from support import REPO
from support.archive import Story, make_site, put

LOG = Path(__file__).parent / "sources" / "enstore_log" / "clean.log"
SITE = """name = "test"
zone = "America/Chicago"
[[input]]
glob = "logs/LOG-{date}*"
system = "testen"
"""
NO_CLOCK = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 3078356   2068 407492    0    0    15     2   34   27  0  0 100  0  0
"""


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def shell(*args: str, cwd: Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "pipelines.cli", *args], cwd=cwd, input=stdin, capture_output=True, check=False
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    put(make_site(tmp_path, SITE), "LOG-2010-06-15", LOG.read_bytes())
    return tmp_path


def test_parse_ends_standard_error_with_the_counts(site: Path) -> None:
    done = shell("parse", "logs/LOG-2010-06-15", cwd=site)
    counts = json.loads(done.stderr.splitlines()[-1])
    assert counts["source"] == "enstore_log"
    assert (
        counts["used"] + counts["skipped"] + counts["rejected"] == counts["lines"] == len(LOG.read_text().splitlines())
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(records) == counts["records"] > 0
    assert all(record["table"].startswith("enstore_log_") for record in records)


def test_a_host_that_a_log_names_goes_before_the_name_of_its_file(tmp_path: Path) -> None:
    """No [[input]] applies to the file."""
    head = "Linux 5.14.0 (dm9) \t2026-03-02 \t_x86_64_\t(4 CPU)\n\n08:00:00 DEV tps rd_sec/s wr_sec/s\n"
    (tmp_path / "sar02").write_text(head + "09:00:00 sda 1.00 2.00 3.00\n")
    rows: list[dict[str, Any]] = []
    steps.parse(None, tmp_path / "sar02", None, False, rows.append)
    assert [row["host"] for row in rows] == ["dm9"]


def test_parse_reads_a_pipe(site: Path) -> None:
    done = shell(
        "parse",
        "-",
        cwd=site,
        stdin=b"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n",
    )
    assert done.returncode != 0  # a group line alone is no vmstat file
    assert b"the most similar source is" in done.stderr


def test_parse_of_a_file_without_clock_accounts_for_every_line(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(NO_CLOCK)
    done = shell("parse", "x.txt", cwd=tmp_path)
    assert json.loads(done.stderr.splitlines()[-1]) == {
        "source": "vmstat",
        "lines": 3,
        "used": 0,
        "skipped": 0,
        "rejected": 3,
        "records": 0,
    }
    assert b"start_at" in done.stderr
    assert done.returncode == 5, "refused as a whole"


def test_parse_as_a_step_returns_its_problem_and_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.txt").write_text(NO_CLOCK)
    counts = steps.parse(None, tmp_path / "x.txt", None, False, lambda row: None)
    assert "start_at" in counts["problem"] and counts["rejected"] == 3
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("glob", "content", "reason"),
    [
        ("logs/none-{date}*", "", "no file matches an input of site.toml (logs/none-{date}*)"),
        ("logs/odd*", "not a log\n", "none of 1 files could be read"),
    ],
    ids=["no file", "none readable"],
)
def test_run_that_reads_nothing_says_so(tmp_path: Path, glob: str, content: str, reason: str) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "odd").write_text(content)
    (tmp_path / "site.toml").write_text(f'name = "test"\n[[input]]\nglob = "{glob}"\n')
    done = run("run", "--site", tmp_path)
    assert isinstance(done.exception, NothingRead) and done.exception.exit_code == 5
    assert str(done.exception).startswith(f"nothing was read, because {reason}") and done.exception.hint
    assert "Report: " in done.output, "the report is written all the same"


LAST_RUN = "SELECT outcome, failure FROM ops.run ORDER BY started_at DESC LIMIT 1"
STOPPED = """
import os, signal, sys
from pipelines import cli
from pipelines.build import checks
folder, name = sys.argv[1:]
check = checks.check
def stop(*given):
    os.kill(os.getpid(), getattr(signal, name))
    return check(*given)
checks.check = stop
sys.argv = ["tapescope", "build", "--site", folder]
cli.main()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_step_that_is_stopped_undoes_what_is_open(site: Path, name: str, code: int) -> None:
    """The signal comes when all is made and nothing is committed."""
    run("ingest", "--site", site)
    before = run("sql", "SELECT count(*) FROM ops.dirty_day", "--format", "csv", "--site", site).stdout
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, str(site), name], cwd=REPO, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert done.stderr.splitlines() == ["building", "tapescope: stopped; uncommitted work was rolled back"]
    after = run("sql", "SELECT count(*) FROM ops.dirty_day", "--format", "csv", "--site", site).stdout
    assert after == before != ""
    outcome, failure = run("sql", LAST_RUN, "--format", "csv", "--site", site).stdout.splitlines()[-1].split(",", 1)
    assert outcome == "stopped" and "build was stopped by a signal" in failure
    assert not (site / "var" / "warehouse" / "writer.json").exists(), "no writer is named any more"


def test_an_unexpected_failure_is_one_line(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pipelines import cli, steps\n"
        "def fail(*_):\n    raise ValueError('of a kind\\nunforeseen')\n"
        "steps.site_at = fail\nsys.argv = ['tapescope', 'detect']\ncli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    first, hint = done.stderr.splitlines()
    assert first.startswith("tapescope: the command failed: ValueError: of a kind unforeseen")
    assert "TAPESCOPE_TRACEBACK=1" in hint


def test_recognise_names_the_source_and_why_not_the_others(site: Path) -> None:
    (site / "logs" / "slabs").write_text("Cache                       Num  Total   Size  Pages\n")  # vmstat -m
    shown = run("recognise", site / "logs").output.splitlines()
    assert shown[0].startswith(f"{site}/logs/LOG-2010-06-15: enstore_log: ")
    assert shown[1].startswith(f"{site}/logs/slabs: unknown: the most similar source is vmstat: ")
    assert shown[2].startswith("1 of 2 files are of a known kind") and len(shown) == 3
    lines = run("recognise", "--verbose", site / "logs" / "slabs").output.splitlines()
    assert lines[1].startswith("    vmstat: ") and any(line.startswith("    mrtg_log: ") for line in lines)


def test_an_unknown_file_is_reported_with_the_nearest_source(site: Path) -> None:
    unknown = site / "logs" / "LOG-2010-06-16"
    unknown.write_text("Cache                       Num  Total   Size  Pages\n")  # vmstat -m
    (site / "logs" / "LOG-2010-06-17").write_text("this is not a log\nof anything\n")
    counts = json.loads(run("ingest", "--json", "--site", site).stdout)
    assert counts["loaded"] == 1 and counts["unknown"] == 2
    assert "the most similar source is vmstat" in counts["problems"][0]["reason"]
    assert "the first lines resemble no known kind" in counts["problems"][1]["reason"]


def test_files_with_the_same_trouble_are_listed_together_with_the_way_out(site: Path) -> None:
    for n in range(9):
        (site / "logs" / f"LOG-2010-07-0{n + 1}").write_text("not a log\n")
    vmstat = (
        "procs ---memory--- ---swap-- ---io--- -system-- ---cpu---\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        " 1 0 0 3 2 4 0 0 1 2 3 2 0 0 100 0 0\n"
    )
    (site / "logs" / "LOG-2010-08-01").write_text(vmstat)
    output = run("ingest", "--site", site).output
    assert "unknown: 9 files: no source recognises the file; the first lines resemble" in output
    assert "logs/LOG-2010-07-04 and 5 more (`tapescope ask files --site " in output
    assert output.count("LOG-2010-07") == 4 and "`start_at` and `interval_s`" in output.splitlines()[-1]


def test_run_ask_sql_and_export(site: Path) -> None:
    done = run("run", "--site", site)
    assert done.exit_code == 0, done.output
    assert re.search(r"\d+ findings? for 2010-06-15", done.output)
    answer = json.loads(run("ask", "session_rates", "--format", "json", "--site", site).stdout)
    assert answer and {"volume", "drive_rate_mb_s", "overall_rate_mb_s", "f"} <= answer[0].keys()
    table = run("ask", "gap_cost", "--site", site).stdout
    assert "p50 [s]" in table
    count = run("sql", "SELECT count(*) AS n FROM silver.transfer", "--format", "csv", "--site", site).stdout
    assert count.splitlines()[0] == "n" and int(count.splitlines()[1]) > 0
    (site / "copy.duckdb.part").write_text("of an export that was stopped")
    assert run("export", site / "copy.duckdb", "--site", site).exit_code == 0
    assert not (site / "copy.duckdb.part").exists()
    again = shell("export", "copy.duckdb", cwd=site)
    assert again.returncode == 1 and b"exists already" in again.stderr
    for words, message in (
        ([b"sql", b"select '\xff'"], b"the SQL text is not UTF-8"),
        ([b"ask", b"gap_cost", b"drive=\xff"], b"a word of the command line is not UTF-8"),
    ):
        command = [sys.executable.encode(), b"-m", b"pipelines.cli", *words]
        foreign = subprocess.run(command, cwd=site, capture_output=True, check=False)
        assert foreign.returncode in (1, 2) and message in foreign.stderr


def test_detect_exits_with_4_where_asked_to(site: Path) -> None:
    """A drive is offline for 40 minutes: a critical finding."""
    story, noon = Story(), datetime(2010, 6, 15, 17)
    story.heartbeat(noon, noon + timedelta(hours=1))
    story.down("DRV_1", noon, noon + timedelta(minutes=40))
    (site / "logs" / "LOG-2010-06-15").write_text(story.days()[noon.date()])
    run("ingest", "--site", site)
    run("build", "--site", site)
    found = run("detect", "--json", "--site", site)
    assert (found.exit_code, json.loads(found.stdout)["critical"]) == (0, 1)
    for severity in ("info", "critical"):
        assert run("detect", "--site", site, "--fail-on", severity).exit_code == 4
    assert run("detect", "--site", site, "--day", "2010-06-14", "--fail-on", "info").exit_code == 0
    assert "--each-day needs --from and --to" in run("detect", "--each-day", "--site", site).output
    days = run("detect", "--each-day", "--from", "2010-06-13", "--to", "2010-06-15", "--site", site).stdout
    assert re.findall(r"\d+ findings? for 2010-06-(\d+)", days) == ["15"]
    assert days.startswith("2 days without logs skipped\n"), "neither logs nor findings"
    at = f" --site {site}`"
    file, outdated = site / "site.toml", f"run `tapescope build{at}, then `tapescope detect{at} again"
    assert outdated not in days
    file.write_text(f"expected_gap_s = 3.0\n{file.read_text()}")
    assert outdated in run("detect", "--day", "2010-06-15", "--site", site).stdout
    before_build = f"site.toml changed after the last build: `tapescope run{at} brings the tables up to date."
    assert before_build in run("ask", "findings", "--site", site).output
    run("report", "--day", "2010-06-15", "--out", site / "old", "--site", site)
    (written,) = (site / "old").rglob("*.txt")
    assert before_build.replace(at, "`") in " ".join(written.read_text().split()), "a report has many readers"
    run("build", "--site", site)
    for needs_new_verdict in (True, False):
        assert before_build not in run("ask", "findings", "--site", site).output
        asked = run("ask", "day_state", "first_day=2010-06-15", "last_day=2010-06-15", "--site", site).output
        assert (
            "Since then site.toml changed: run `tapescope detect --day 2010-06-15` again." in asked
        ) == needs_new_verdict
        run("detect", "--day", "2010-06-15", "--site", site)
    judged = "SELECT first_day::VARCHAR, day::VARCHAR FROM ops.detection ORDER BY day"
    rows = json.loads(run("sql", judged, "--format", "json", "--site", site).stdout)
    assert [list(row.values()) for row in rows] == [["2010-06-14"] * 2, ["2010-06-15"] * 2]


def test_forget_takes_a_file_out_again(site: Path) -> None:
    run("ingest", "--site", site)
    run("build", "--site", site)
    assert run("forget", "logs/LOG-2010-06-15", "--site", site).exit_code == 0
    assert json.loads(run("ask", "session_rates", "--format", "json", "--site", site).stdout) == []
    assert json.loads(run("ingest", "--json", "--site", site).stdout)["withdrawn"] == 1
    assert json.loads(run("ingest", "--json", "--again", "--site", site).stdout)["loaded"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\nzone = "Mars"\nduty_threshold_mb_s = -1\n', ["line 2", "zone", "line 3", "duty_threshold_mb_s"]),
        (
            'name = "x"\nduty_threshold_mb_s = inf\nexpected_gap_s = 1e300\n[[campaign]]\nname = "c"\nsize_tb = inf\n'
            "from = 2010-01-01\n",
            ["line 2", "a finite number", "line 3", "less than or equal to 86400", "line 6"],
        ),
        (
            'name = "x"\nlog_silence_s = 1e300\nretention_days = 10000000000\n',
            ["line 2", "less than or equal to 86400", "line 3", "less than or equal to 36500"],
        ),
        ('name = "x"\n[[station]]\nname = "a"\nrolle = "b"\n', ["line 4", "rolle"]),
        ("name = \n", ["not TOML"]),
        ('name = "x"\n[[link]]\nname = "l"\nstation = "nobody"\n', ["nobody"]),
        ('name = "x"\nwarehouse = "."\n', ["`warehouse` must be a folder of its own"]),
        ('name = "x"\n[[input]]\nglob = "a**b"\n', ["line 3", "`**` must be alone between slashes"]),
        ('name = "x"\n[[input]]\nglob = "."\n', ["line 3", "give a pattern of files"]),
        ('name = "x"\n[drive]\nname = "d"\n', ["a table with double brackets"]),
        (
            'name = "x"\n[[input]]\nglob = "a"\nexpect = { from = 0001-01-01T00:00:00, to = 9999-12-31T00:00:00 }\n',
            ["line 4", "in the years 1980 to 2100"],
        ),
    ],
)
def test_a_wrong_site_toml_lists_all_its_mistakes(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "site.toml").write_text(text)
    done = shell("ingest", cwd=tmp_path)
    assert done.returncode == 2
    for word in words:
        assert word in done.stderr.decode()


def test_the_hint_about_a_wrong_site_toml_is_the_last_line(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "x"\nzoone = "UTC"\n')
    done = shell("ask", "files", "--site", str(tmp_path), cwd=REPO)
    assert done.stderr.decode().splitlines()[-1] == "  hint: correct the lines above"


def test_a_site_toml_may_begin_with_a_mark_and_must_be_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_bytes(b'\xef\xbb\xbfname = "x"\n')
    assert steps.site_at(tmp_path).name == "x"
    file.write_bytes('name = "Zürich"\n'.encode("latin-1"))
    assert b"save the file as UTF-8" in shell("ingest", cwd=tmp_path).stderr
    file.write_text('name = "x"\nwarehouse = "a\\u0000"\n')
    assert b"line 2 of site.toml has a null character" in shell("ingest", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("detect", "--day", "9999-12-31"), "9999-12-31 is outside the years 1900 to 9998"),
        (("report", "--day", "0001-01-01"), "0001-01-01 is outside the years 1900 to 9998"),
        (("forecast", "buffer", "--size", "nan"), "'nan' is not a finite number"),
        (("sql", "SELECT 1", "--timeout", "nan"), "'nan' is not a finite number"),
        (("forecast", "whatif", "--gap", "nan"), "a gap must be a number of seconds"),
        (("forecast", "whatif", "--depth", "100000000000"), "at most 1,000,000 requests queued"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(site: Path, words: tuple[str, ...], message: str) -> None:
    done = run(*words, "--site", site)
    assert done.exit_code == 2 and message in " ".join(done.output.split())


def test_without_a_site_the_hint_says_what_to_do(tmp_path: Path) -> None:
    done = shell("ask", "findings", cwd=tmp_path)
    assert done.returncode == 2
    assert b"tapescope demo" in done.stderr


def test_help_is_instant_and_loads_no_guest() -> None:
    code = (
        "import sys, pipelines.cli; "
        "print([m for m in ('great_expectations', 'streamlit', 'airflow', 'polars', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_questions_are_listed_by_topic() -> None:
    catalog = load_catalog()
    listed = run("questions").stdout.splitlines()
    assert [line.partition(":")[0] for line in listed if not line.startswith(" ")] == list(catalog.by_topic())
    assert [line.split()[0] for line in listed if line.startswith(" ")] == list(catalog.questions)
    gaps = [line.split()[0] for line in run("questions", "gaps").stdout.splitlines()[1:]]
    assert gaps == [question.name for question in catalog.questions.values() if question.topic == "gaps"] != []
    refused = run("questions", "weather")
    assert refused.exit_code == 2 and "gaps" in refused.output


def test_a_former_name_leads_to_the_present_one(site: Path) -> None:
    renamed = load_catalog().renamed
    assert renamed["mounts"] == renamed["slow_sessions"] == "session_rates"
    for args in (("ask", "mounts", "--site", site), ("explain", "mounts")):
        refused = run(*args)
        assert isinstance(refused.exception, TapescopeError) and refused.exception.exit_code == 2
        assert "is now called 'session_rates'" in str(refused.exception)


def test_explain_describes_units_of_every_kind() -> None:
    for name in ("gold.drive_ledger", "long_gap", "gap_cost", "mrtg_log"):
        assert run("explain", name).exit_code == 0, name
    assert "MB/s" in run("explain", "session_rates").stdout


def test_one_of_a_kind_is_no_plural() -> None:
    """The sentences of the steps, for a site with one day, one file, one finding."""
    one, two = (BuildReport(1, True, days, *[len(days)] * 3) for days in (["2010-06-15"], ["2010-06-15", "2010-06-16"]))
    assert one.sentence == "Built (everything; 1 day, 2010-06-15): 1 row, 1 check, 1 warning."
    assert two.sentence.startswith("Built (everything; 2 days from 2010-06-15 to 2010-06-16): 2 rows, 2 checks")
    day = date(2010, 6, 15)
    spell = {"finding_id": "f", "severity": "warning"}
    found = DetectReport(day, day, [spell, spell], [], [], [])  # a finding with two spells is one, as on the pages
    assert found.sentence.startswith("1 finding for 2010-06-15 (1 warning).") and found.as_dict()["warning"] == 1
    rows = [{"varied_input": None, "reason_missing": why} for why in (None, "no log")]
    made = ForecastReport(day, rows).sentence
    assert made.startswith("1 forecast from data up to 2010-06-15; 1 other forecast was not possible.")


def test_a_run_that_is_stopped_writes_no_report(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB raises an error of its own when a signal comes during a statement."""

    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(import_module("pipelines.steps.run"), "detect", interrupted)
    done = run("run", "--site", site)
    assert isinstance(done.exception, RuntimeError) and "Report: " not in done.output
