"""Commands that messages suggest can be copied, and mistakes on the command line name the next command."""

import socket
import sys
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines import steps
from pipelines.cli import cli, endings, suggested
from pipelines.primitives.errors import ConfigError, TapescopeError
from pipelines.steps.detect import days_to_run
from support.archive import make_site


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: object) -> str:
    """What the program itself prints to standard error before it exits."""
    monkeypatch.setattr(sys, "argv", ["tapescope", *map(str, args)])
    with pytest.raises(SystemExit):
        endings.run(cli)
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("detect --day 2010-03-10", "detect --day 2010-03-10 --site 'a b'"),
        ("finding list --all", "finding list --all --site 'a b'"),
        ("forecast campaign", "forecast campaign --site 'a b'"),
        ("run --site other", "run --site other"),
        ("init DIR", "init DIR"),
        ("demo", "demo"),
    ],
)
def test_the_site_is_added_where_a_command_takes_it(words: str, expected: str) -> None:
    suggested.name_site(Path("a b"))
    assert suggested.runnable(f"run `tapescope {words}` again") == f"run `tapescope {expected}` again"


def test_the_site_is_as_the_user_gave_it(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample.parent)
    notice = "`tapescope detect --day 2010-03-07"
    asked = ("ask", "findings", "--day", "2010-03-07")
    assert f"{notice} --site {sample.name}`" in run(*asked, "--site", sample.name).stderr
    monkeypatch.setenv("TAPESCOPE_SITE", str(sample))
    assert f"{notice}`" in run(*asked).stderr
    monkeypatch.delenv("TAPESCOPE_SITE")
    monkeypatch.chdir(sample)
    assert f"{notice}`" in run(*asked).stderr


def test_the_program_is_as_the_user_calls_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shell gives the whole path of a program that it finds by its name."""
    program = tmp_path / "tapescope"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert suggested.program() == str(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert suggested.program() == "tapescope"
    monkeypatch.setattr(sys, "argv", ["pipelines/cli/__main__.py"])
    assert suggested.program() == "tapescope"


def test_days_without_a_verdict_are_one_line() -> None:
    """Two days, one day without logs, one day: 3 days with logs."""
    states = [
        {"first_day": date(2010, 6, 1), "last_day": date(2010, 6, 2), "n_days": 2},
        {"first_day": date(2010, 6, 4), "last_day": date(2010, 6, 4), "n_days": 1},
    ]
    rows = [row | {"state": "not_run", "is_outdated": False} for row in states]
    days = "3 days with logs from 2010-06-01 to 2010-06-04"
    command = "run `tapescope detect --each-day --from 2010-06-01 --to 2010-06-04`."
    assert days_to_run(rows) == [f"The rules have not run for {days}: {command}"]
    rows[1]["is_outdated"] = True
    (line,) = days_to_run(rows)
    assert line == f"The rules have not run, or their verdict no longer holds, for {days}: {command}"
    assert days_to_run([rows[0] | {"summary": "as it is"}]) == ["as it is"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (["drive=LTO4_999"], "No log and no site.toml names a drive 'LTO4_999': did you mean LTO4_10"),
        (["drive=lto4_101"], "No log and no site.toml names a drive 'lto4_101': did you mean LTO4_101?"),
        (["station=nowhere"], "No log and no site.toml names a station 'nowhere'."),
        (["drive=LTO2_203", "station=stkendm8a"], ""),  # both exist
    ],
)
def test_a_name_that_nothing_has_is_named(sample: Path, params: list[str], expected: str) -> None:
    done = run("ask", "gap_peaks", *params, "--site", sample)
    assert done.exit_code == 0
    assert expected in done.stderr if expected else "site.toml names" not in done.stderr


def test_a_site_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logs here").mkdir()
    for path, message, hint in (
        (tmp_path / "dmeo", f"there is no file or folder {tmp_path}/dmeo", "give the folder that holds site.toml"),
        (tmp_path / "logs here", f"the folder {tmp_path}/logs here has no site.toml", "`tapescope init '"),
    ):
        with pytest.raises(ConfigError, match=message) as failure:
            steps.site_at(path)
        assert hint in failure.value.hint
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"the current folder has no site\.toml") as failure:
        steps.site_at(Path())
    assert "TAPESCOPE_SITE" in failure.value.hint


def test_a_day_without_logs_is_stated(sample: Path, tmp_path: Path) -> None:
    drilled = run("drill", "LTO4_101", "--day", "2009-01-01", "--site", sample)
    assert isinstance(drilled.exception, TapescopeError)
    assert str(drilled.exception) == "no log of a drive covers 2009-01-01"
    assert drilled.exception.hint == "days with logs of drives: 2010-03-09 to 2010-03-10"
    report = run("report", "--day", "2009-01-01", "--out", tmp_path, "--site", sample)
    assert "No log covers 2009-01-01: nothing can be concluded." in report.stderr
    assert "No log covers" not in run("report", "--out", tmp_path, "--site", sample).stderr


def test_wrong_words_name_the_next_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_site(tmp_path, 'name = "case"\n')
    at = f"--site {tmp_path}`"
    assert f"run `tapescope ask losses {at}." in printed(capsys, monkeypatch, "losses", "--site", tmp_path)
    assert "No such command 'zzz'" in printed(capsys, monkeypatch, "zzz")
    assert f"`tapescope questions {at} lists" in printed(capsys, monkeypatch, "ask", "--site", tmp_path)
    assert f"`tapescope ask drives {at} lists" in printed(capsys, monkeypatch, "drill", "--site", tmp_path)
    far = printed(capsys, monkeypatch, "ask", "losess", "--site", tmp_path)
    assert "did you mean losses" in far and f"`tapescope questions {at} lists all questions" in far


def test_a_used_port_is_named_with_the_way_out(tmp_path: Path) -> None:
    make_site(tmp_path, 'name = "case"\n')
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("dashboard", "--port", port, "--site", tmp_path)
    assert isinstance(done.exception, TapescopeError) and f"port {port} of 127.0.0.1 is in use" in str(done.exception)
    assert f"`tapescope dashboard --port {port + 1}`" in done.exception.hint


def test_findings_are_listed_with_their_day_and_cost(sample: Path) -> None:
    lines = run("finding", "list", "--site", sample).stdout.splitlines()
    assert lines[0].startswith("Findings as of 2010-03-10, the last day with logs of drives")
    assert lines[1].split("  ")[0] == "id" and "lost [h]  gain [GB/day]  finding" in lines[1]
    (silent,) = (line for line in lines if "source_silent: vmstat/stkendm12a" in line)
    assert silent.split()[3:5] == ["–", "–"]
    gap = next(line for line in lines if "long_gap: stkendm8a/LTO4_101" in line)
    shown = run("finding", "show", gap.split()[0], "--site", sample).stdout
    assert f"lost [h]             {gap.split()[3]}\n" in shown and f"gain [GB/day]        {gap.split()[4]}\n" in shown
    assert "\n    expected [s]         2.0\n" in shown and "{" not in shown
    assert "\n    logs/enstore/LOG-2010-03-10.zst:" in shown
    assert run("finding", "list", "--day", "2009-01-01", "--site", sample).stdout == (
        "No open findings as of 2009-01-01.\n"
    )
