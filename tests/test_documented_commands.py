"""Every command line that a document prints, run against the sample archive.

A block `text` after a block `sh` of one command is what the command prints, up to a `| head`; `--regen` writes it.
Placeholders (FILE, D, ID) are replaced; optional arguments are given. Commands that cannot run here are listed with the
reason, and those that would take minutes with the test that runs them.
"""

import importlib
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.cli import cli
from pipelines.cli.detect import FINDINGS_FOUND

REPO = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    REPO / "README.md",
    *(REPO / f"{n}/README.md" for n in ["dags", "dashboards", "deploy", "schemas", "sample_data", "benchmarks"]),
    *sorted((REPO / "docs").rglob("*.md")),
]
# First words of lines that cannot run in a test, and why.
NOT_HERE = {
    "make": "installs, or runs all of the tests or benchmarks",
    "docker": "needs containers",
    "helm": "needs a cluster",
    "systemctl": "needs systemd and root",
    "journalctl": "needs systemd",
    "useradd": "needs root",
    "sudo": "needs root",
    "install": "needs root",
    "git": "needs the network",
    "airflow": "needs Airflow and its database; tests/test_dags.py runs what it schedules",
    "cp": "puts files where a deployment looks for them",
    "export": "sets a variable of a shell",
    "pg_dump": "needs a PostgreSQL server",
    "pg_restore": "needs a PostgreSQL server",
    "duckdb": "needs DuckDB's own program; tests/test_clients.py runs these statements",
}
# Commands that take long or never end, and the test that runs them.
ELSEWHERE = {
    "demo": "test_installed.py::test_a_wheel_has_all_the_command_needs",
    "run": "test_cli.py::test_run_ask_sql_and_export",
    "collect": "test_collect.py::test_the_command_line_says_what_was_collected",
    "dashboard": "test_dashboard_browser.py::",
    "restore": "test_store.py::test_a_lost_catalogue_is_an_error_and_comes_back",
}
# Programs that take minutes: their options are parsed, their work has tests of its own.
PROGRAMS = {"sample_data.generate", "benchmarks", "benchmarks.tasks", "benchmarks.pages", "benchmarks.score"}
PROGRAMS |= {"benchmarks.coverage", "benchmarks.peer_errors"}
SHOWN = re.compile(r"^(```sh\n(tapescope [^\n]+)\n```\n\n```text\n).*?^```\n", re.MULTILINE | re.DOTALL)
WORDS = {
    "[PATH…]": "{folder}/logs",
    "PATH…": "{folder}/logs",
    "DIR": "{folder}/logs",
    "FILE.duckdb": "{scratch}/copy.duckdb",
    "FILE": "{folder}/logs/vmstat/stkendm12a_2010-03-10.txt.gz",
    "[PARAM=VALUE…]": "first_day=2010-03-10",
    "VOLUME": "G03243",
    "DRIVE": "LTO4_101",
    "RULE": "long_gap",
    "MODEL": "sizing",
    "TOPIC": "gaps",
    "ID": "{finding}",
    "N": "1",
    "D": "2010-03-10",
    "FOLDER": "{folder}",
    "[--full]": "",  # so the archive was made
}


def commands() -> list[tuple[str, str, bool]]:
    """Document, command line and whether it only names a command, in the order of the text, each once."""
    found: dict[tuple[str, bool], str] = {}
    for path in DOCUMENTS:
        for line, is_name in lines_of(path.read_text(encoding="utf-8")):
            found.setdefault((line, is_name), path.relative_to(REPO).as_posix())
    return [(where, line, is_name) for (line, is_name), where in found.items()]


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    prose: list[str] = []
    fence = None  # language of the current block
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
        elif fence in ("sh", "") or (fence is None and line.startswith("    ")):
            if command := line.split("  #")[0].split(" > ")[0].split(" | ")[0].strip():
                yield command, False
        elif fence is None and line.startswith("| `tapescope "):
            # the further commands of a row of the table go without the program's name
            for one in re.findall(r"`([^`]+)`", line.split(" | ")[0]):
                yield "tapescope " + one.removeprefix("tapescope "), False
        elif fence is None:
            prose.append(line)
    for quoted in re.findall(r"`(tapescope\s[^`|]+)`", "\n".join(prose)):
        line = " ".join(quoted.split())
        yield line, re.fullmatch(r"[a-z ]+", line) is not None


def test_documents_print_commands() -> None:
    lines = [line for _, line, _ in commands()]
    assert "tapescope forecast sizes" in lines and "tapescope study pic" in lines and "make demo" in lines
    assert "tapescope forecast recall VOLUME 3,17,20-40" in lines and "tapescope finding show ID" in lines
    assert sum(line.startswith("python -m ") for line in lines) > 10
    for where in ELSEWHERE.values():
        name, _, function = where.partition("::")
        assert f"def {function}" in (REPO / "tests" / name).read_text(encoding="utf-8")


def filled(line: str, names: dict[str, str]) -> list[str]:
    """The words of a command line, with placeholders replaced."""
    if "ask NAME" in line:
        line = line.replace("NAME", "session_rates")
    line = (
        line.replace("explain NAME", "explain long_gap").replace("[NAME]", "nasa").replace('"SELECT …"', '"SELECT 1"')
    )
    words = shlex.split(line.replace("--site DIR", "--site FOLDER"))
    optional = [word if word in WORDS else word.strip("[]") for word in words]
    filled_in = [WORDS.get(word) if word in WORDS else of_param(word) for word in optional]
    return [word.format(**names) for word in filled_in if word]


def of_param(word: str) -> str:
    """`drive=DRIVE` with a drive in place of the word."""
    name, sign, value = word.partition("=")
    return f"{name}{sign}{WORDS.get(value, value)}"


@pytest.fixture
def names(sample: Path, tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "site"
    shutil.copytree(sample, folder)
    finding = steps.ask(steps.site_at(folder), "findings").as_dicts()[0]["finding_id"]
    return {"folder": str(folder), "scratch": str(tmp_path), "finding": finding}


def test_every_command_line_of_a_document_runs(names: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(names["scratch"])
    monkeypatch.setenv("TAPESCOPE_SITE", names["folder"])
    failed = [
        f"{where}: {line}: {why}" for where, line, is_name in commands() if (why := trouble(line, is_name, names))
    ]
    assert not failed, "\n".join(failed)


def test_documents_show_what_commands_print(
    names: dict[str, str], monkeypatch: pytest.MonkeyPatch, regen: bool
) -> None:
    monkeypatch.chdir(names["scratch"])
    monkeypatch.setenv("TAPESCOPE_SITE", names["folder"])
    n_shown, stale = 0, []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        found, n = SHOWN.subn(lambda block: f"{block[1]}{printed(block[2], names)}```\n", text)
        n_shown += n
        if regen and found != text:
            path.write_text(found, encoding="utf-8")
        stale += [path.relative_to(REPO).as_posix()] if found != text else []
    assert n_shown > 5 and (regen or not stale), "what commands print has changed: write it again with --regen"


def printed(line: str, names: dict[str, str]) -> str:
    """What a command prints on standard output, the folder of the site as the documents call it."""
    line, _, first = line.partition(" | head -")
    done = CliRunner().invoke(cli, filled(line, names)[1:])
    assert done.exit_code == 0, f"{line}: {done.output}"
    rows = [row.rstrip() for row in done.stdout.replace(names["folder"], "var/demo").splitlines()]
    return "".join(f"{row}\n" for row in rows[: int(first or len(rows))])


def trouble(line: str, is_name: bool, names: dict[str, str]) -> str:
    """Why a command line of a document does not run, or nothing; of one that is only named, why it is not there."""
    line = line.replace(".venv/bin/tapescope", "tapescope").replace("--site var/demo", "")
    program, *rest = line.split()
    if program in NOT_HERE:
        return ""
    if program == "python" and rest[0] == "-m":
        return parsed(rest[1], rest[2:])
    if program != "tapescope":
        return f"{program} is not known here"
    if rest[0] in ELSEWHERE:
        return ""
    done = CliRunner().invoke(cli, [*rest, "--help"] if is_name else filled(line, names)[1:])
    expected = (0, FINDINGS_FOUND) if "--fail-on" in line else (0,)
    if done.exit_code in expected:
        return ""
    return f"exit {done.exit_code}: {(done.output.strip().splitlines() or [''])[-1]} {done.exception or ''}"


def parsed(module: str, words: list[str]) -> str:
    """Whether a program takes these words."""
    if module not in PROGRAMS:
        return f"python -m {module} is not known here"
    found = importlib.import_module(module if "." in module else f"{module}.__main__")
    command = found.main
    if isinstance(command, click.Command):
        try:
            command.make_context(module, list(words))
        except click.ClickException as error:
            return error.format_message()
        return ""
    source = Path(str(found.__file__)).read_text(encoding="utf-8")
    unknown = [word for word in words if word.startswith("--") and f'"{word}"' not in source]
    return f"no option {', '.join(unknown)}" if unknown else ""
