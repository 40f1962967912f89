"""deploy/ as far as it goes without an engine: what the files name exists, and what they set is read by somebody."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pipelines.reporting.delivery import SECRETS
from support import REPO
from support.airflow_home import environment

DEPLOY = REPO / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
OURS = re.compile(r"\bTAPESCOPE_[A-Z_]+\b")

KNOWN = """
import json
from airflow.cli.cli_config import core_commands
from airflow.configuration import conf
options = {f"AIRFLOW__{section.upper()}__{name.upper()}"
           for section, facts in conf.configuration_description.items() for name in facts["options"]}
print(json.dumps({"commands": [command.name for command in core_commands], "options": sorted(options)}))
"""


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Airflow's commands, and the variables it reads."""
    home = tmp_path_factory.mktemp("known")
    done = subprocess.run(
        [sys.executable, "-c", KNOWN], env=environment(home, home), capture_output=True, text=True, check=True
    )
    known: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return known


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    content: dict[str, Any] = YAML(typ="safe").load((DEPLOY / "docker-compose.yaml").read_text())
    return content


def variables(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def read_by_us() -> set[str]:
    files = [path for folder in ("pipelines", "dags", "dashboards") for path in (REPO / folder).rglob("*.py")]
    files.append(DEPLOY / "prepare-airflow.sh")
    return {name for path in files for name in OURS.findall(path.read_text())}


def check_command(words: list[str], airflow: dict[str, Any]) -> None:
    program, *rest = words
    program = program.removeprefix("/opt/tapescope/").removeprefix(".venv/bin/")
    if program == "airflow":
        assert rest[0] in airflow["commands"], words
    elif program == "tapescope":
        from pipelines.cli import cli

        cli.commands[rest[0]].make_context(rest[0], rest[1:])  # refuses options that are not there
    else:
        assert (REPO / program).is_file() and (REPO / program).stat().st_mode & 0o100, words


def test_the_containers_run_what_there_is(compose: dict[str, Any], airflow: dict[str, Any]) -> None:
    services = compose["services"]
    assert {"postgres", "prepare", "api-server", "scheduler", "dag-processor", "triggerer", "dashboard"} <= set(
        services
    )
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), name
        named = [str(volume).split(":")[0] for volume in service.get("volumes", ()) if not str(volume).startswith("$")]
        assert set(named) <= set(compose["volumes"]), name
        published = service.get("ports", ())
        assert all(port.startswith("127.0.0.1:") for port in published), f"{name} would be open to everybody"
        if service.get("image") == "tapescope":
            check_command(service["command"], airflow)
            build = service["build"]
            assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_image_is_made_of_what_there_is() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert copied and not [name for line in copied for name in line.split() if not (REPO / name).exists()]


def environment_of_units() -> dict[str, dict[str, str]]:
    """By unit, what its files of variables set."""
    found = {}
    for path in UNITS:
        files = re.findall(r"^EnvironmentFile=/etc/tapescope/(.+)$", path.read_text(), re.MULTILINE)
        found[path.stem.removeprefix("tapescope-")] = {
            name: value for file in files for name, value in variables(DEPLOY / "systemd" / file).items()
        }
    return found


def environment_of_containers(compose: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {name: one["environment"] for name, one in compose["services"].items() if one.get("image") == "tapescope"}


def test_what_is_set_is_read(compose: dict[str, Any], airflow: dict[str, Any]) -> None:
    settings: dict[str, str] = {}
    for each in (*environment_of_containers(compose).values(), *environment_of_units().values()):
        settings |= each
    settings |= dict.fromkeys(re.findall(r"\b(AIRFLOW__\w+)=", (DEPLOY / "Dockerfile").read_text()), "")
    theirs = {name for name in settings if name.startswith("AIRFLOW__")}
    assert theirs and theirs <= set(airflow["options"]), theirs - set(airflow["options"])
    ours = {name for name in settings if name.startswith("TAPESCOPE_")}
    assert ours and ours <= read_by_us(), ours - read_by_us()
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "docker-compose.yaml").read_text()))
    assert asked == set(variables(DEPLOY / ".env.example"))
    secret = {name: value for name, value in settings.items() if re.search("PASSWORD$|TOKEN$|KEY$|JWT", name)}
    assert all(not value or value.startswith("${") for value in secret.values()), "a secret stands in a file"


def test_containers_and_units_have_the_same_settings(compose: dict[str, Any]) -> None:
    units = environment_of_units()
    for name, settings in environment_of_containers(compose).items():
        ours = {variable for variable in settings if variable.startswith(("TAPESCOPE_", "AWS_"))}
        assert ours == {variable for variable in units[name] if variable.startswith(("TAPESCOPE_", "AWS_"))}, name


def test_each_part_gets_the_secrets_it_needs_alone(compose: dict[str, Any]) -> None:
    receivers = {name for name in SECRETS if name.startswith("TAPESCOPE_")}
    for parts in (environment_of_containers(compose), environment_of_units()):
        assert not {name for name in parts["dashboard"] if name.startswith("AIRFLOW")} | (
            receivers & set(parts["dashboard"])
        )
        have = {name for name, settings in parts.items() if receivers <= set(settings)}
        assert (
            have
            == {"scheduler", "dag-processor"}
            == {name for name, settings in parts.items() if receivers & set(settings)}
        )
    dashboard = compose["services"]["dashboard"]
    assert [volume.split(":")[-1] for volume in dashboard["volumes"]] == ["/srv/tapescope"], (
        "Airflow's passwords are not its"
    )


SECRET_FILES = ["deploy/.env", "deploy/.env.site", ".env", "sample_data/secrets.toml"]


@pytest.mark.parametrize("name", SECRET_FILES)
def test_git_ignores_secrets(name: str) -> None:
    """As git itself reads .gitignore."""
    done = subprocess.run(["git", "check-ignore", "--no-index", "--quiet", name], cwd=REPO, check=False)
    assert done.returncode == 0, f"`git add` would take {name}"


def test_git_does_not_ignore_what_is_to_be_kept() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=REPO, capture_output=True, text=True, check=True).stdout
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"],
        cwd=REPO,
        input=tracked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "deploy/.env.example" in tracked and not done.stdout, "it is in the repository and ignored"


def is_sent(path: str) -> bool:
    """Whether docker sends a file to the builder: the last line of .dockerignore that fits it or a folder above it."""
    sent = True
    for line in (REPO / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!").strip("/")
        parts = [
            {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part) or re.escape(part)
            for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
        ]
        if re.fullmatch("".join(parts) + "(?:/.*)?", path):
            sent = line.startswith("!")
    return sent


def test_the_image_holds_no_secret_and_all_it_is_made_of() -> None:
    assert not [name for name in (*SECRET_FILES, ".git/config", "var/demo/site.toml", ".venv/x") if is_sent(name)]
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert not [name for line in copied for name in line.split() if (REPO / name).is_file() and not is_sent(name)]
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=REPO, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    folders = tuple(f"{name}/" for line in copied for name in line.split() if (REPO / name).is_dir())
    assert not [name for name in tracked if name.startswith(folders) and not is_sent(name)]


def test_make_runs_the_same_preparation() -> None:
    assert "deploy/prepare-airflow.sh" in (REPO / "Makefile").read_text()


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_what_there_is(path: Path, airflow: dict[str, Any]) -> None:
    (command,) = re.findall(r"^ExecStart=(.+)$", path.read_text(), re.MULTILINE)
    check_command(command.split(), airflow)
    if path.stem != "tapescope-prepare":
        assert path.name in (DEPLOY / "systemd" / "tapescope.target").read_text()


def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze here")
    for path in (*UNITS, DEPLOY / "systemd" / "tapescope.target"):
        # the programs are where the tests run
        text = path.read_text().replace("/opt/tapescope/.venv/bin", str(Path(sys.executable).parent))
        (tmp_path / path.name).write_text(text.replace("/opt/tapescope", str(REPO)))
    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run([analyze, "verify", "--man=no", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
