"""deploy/ as far as it goes without an engine: what the files name exists, and what they set is read."""

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
CELERY = DEPLOY / "celery"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
WORKER = CELERY / "systemd" / "tapescope-worker.service"
OURS = re.compile(r"\bTAPESCOPE_[A-Z_]+\b")
BOTH = ("TAPESCOPE_", "AWS_", "PGPASSWORD")  # what containers and units set alike

KNOWN = """
import json
from airflow.cli.cli_parser import airflow_commands
from airflow.configuration import conf
options = {f"AIRFLOW__{section.upper()}__{name.upper()}"
           for section, facts in conf.configuration_description.items() for name in facts["options"]}
print(json.dumps({"commands": [command.name for command in airflow_commands], "options": sorted(options)}))
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


@pytest.fixture(scope="module")
def over_hosts(compose: dict[str, Any]) -> dict[str, Any]:
    """The services of a head, with a worker of its own, as the engine merges the three files."""
    merged = {name: dict(service) for name, service in compose["services"].items()}
    for path in (CELERY / "docker-compose.yaml", CELERY / "worker.yaml"):
        for name, service in YAML(typ="safe").load(path.read_text())["services"].items():
            before = merged.setdefault(name, {})
            environment = before.get("environment", {}) | service.get("environment", {})
            ports = [*before.get("ports", ()), *service.get("ports", ())]
            merged[name] = before | service | {"environment": environment, "ports": ports}
    return merged


def variables(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def read_by_us() -> set[str]:
    files = [path for folder in ("pipelines", "dags", "dashboards") for path in (REPO / folder).rglob("*.py")]
    files.append(DEPLOY / "prepare-airflow.sh")
    return {name for path in files for name in OURS.findall(path.read_text())}


def need_celery(airflow: dict[str, Any]) -> None:
    if "celery" not in airflow["commands"]:
        pytest.skip("Celery is not installed here: make .venv/done-celery")


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


def environment_of_units(units: list[Path] = UNITS) -> dict[str, dict[str, str]]:
    """By unit, what its files of variables set."""
    found = {}
    for path in units:
        files = re.findall(r"^EnvironmentFile=/etc/tapescope/(.+)$", path.read_text(), re.MULTILINE)
        found[path.stem.removeprefix("tapescope-")] = {
            name: value for file in files for name, value in variables(next(DEPLOY.glob(f"**/systemd/{file}"))).items()
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
        ours = {variable for variable in settings if variable.startswith(BOTH)}
        assert ours == {variable for variable in units[name] if variable.startswith(BOTH)}, name
        assert {"PGPASSWORD", "AWS_REGION"} <= ours, name


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


@pytest.mark.parametrize("path", [*UNITS, WORKER], ids=lambda path: path.name)
def test_a_unit_runs_what_there_is(path: Path, airflow: dict[str, Any]) -> None:
    if path == WORKER:
        need_celery(airflow)
    (command,) = re.findall(r"^ExecStart=(.+)$", path.read_text(), re.MULTILINE)
    check_command(command.split(), airflow)
    if path != WORKER and path.stem != "tapescope-prepare":
        assert path.name in (DEPLOY / "systemd" / "tapescope.target").read_text()


# Many hosts


def test_a_worker_has_what_its_tasks_need_and_no_key_of_the_head(over_hosts: dict[str, Any]) -> None:
    """The same by containers and units: neither Airflow's database nor what its tokens are signed with."""
    unit, container = environment_of_units([WORKER])["worker"], over_hosts["worker"]["environment"]
    paths = {"AIRFLOW_HOME", "AIRFLOW__CORE__DAGS_FOLDER", "AIRFLOW__CORE__LOAD_EXAMPLES", "PATH"}  # the image's own
    assert set(unit) - paths == set(container)
    head = {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API_AUTH__JWT_SECRET"}
    assert not head & set(container) and head <= set(over_hosts["scheduler"]["environment"])
    receivers = {name for name in SECRETS if name.startswith("TAPESCOPE_")}
    assert receivers <= set(container) and not any(over_hosts["scheduler"]["environment"][name] for name in receivers)
    queue = {name: value for name, value in container.items() if "CELERY" in name and "WORKER" not in name}
    for part in ("scheduler", "api-server", "dag-processor", "triggerer"):
        assert queue.items() <= over_hosts[part]["environment"].items(), part


def test_what_hosts_share_listens_on_the_heads_address_alone(over_hosts: dict[str, Any]) -> None:
    shared = {name: one["ports"] for name, one in over_hosts.items() if one.get("ports")}
    assert {"redis", "catalogue", "api-server", "storage"} <= set(shared)
    assert all(port.startswith(("127.0.0.1:", "${TAPESCOPE_HEAD:?")) for ports in shared.values() for port in ports)
    texts = [(CELERY / name).read_text() for name in ("docker-compose.yaml", "worker.yaml")]
    asked = {name for text in texts for name in re.findall(r"\$\{(\w+)", text)}
    known = set(variables(CELERY / ".env.example")) | set(variables(DEPLOY / ".env.example"))
    assert set(variables(CELERY / ".env.example")) <= asked <= known


def test_many_hosts_set_what_is_read(over_hosts: dict[str, Any], airflow: dict[str, Any]) -> None:
    need_celery(airflow)
    settings = environment_of_units([WORKER])["worker"]
    for service in over_hosts.values():
        settings = settings | service["environment"]
        if service.get("image") == "tapescope":
            check_command(service["command"], airflow)
    assert {name for name in settings if name.startswith("AIRFLOW__")} <= set(airflow["options"])
    assert {name for name in settings if name.startswith("TAPESCOPE_")} <= read_by_us()


def test_pods_are_set_up_with_what_is_there(airflow: dict[str, Any]) -> None:
    values = YAML(typ="safe").load((DEPLOY / "kubernetes" / "values.yaml").read_text())
    assert values["executor"] == "KubernetesExecutor" and not values["redis"]["enabled"]
    options = {f"AIRFLOW__{part.upper()}__{name.upper()}" for part, some in values["config"].items() for name in some}
    assert options <= set(airflow["options"])
    check_command(values["migrateDatabaseJob"]["args"], airflow)
    assert {one["name"] for one in values["env"]} <= read_by_us()
    assert {one["name"] for one in values["volumes"]} == {one["name"] for one in values["volumeMounts"]}
    home = re.search(r"AIRFLOW_HOME=(\S+)", (DEPLOY / "Dockerfile").read_text())
    assert home and values["airflowHome"] == home[1], "the chart lays its airflow.cfg there"
    lock = (REPO / "requirements-airflow.lock").read_text()
    assert f"\napache-airflow=={values['airflowVersion']} " in lock


def test_the_image_takes_one_lock_more() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    for name in ("celery", "kubernetes"):
        assert f"requirements-{name}.lock" in re.findall(r"^COPY (.+) \./$", text, re.MULTILINE)[0]
        assert (REPO / f"requirements-{name}.lock").is_file() and is_sent(f"requirements-{name}.lock")


def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze here")
    for path in (*UNITS, WORKER, DEPLOY / "systemd" / "tapescope.target"):
        # the programs are where the tests run
        text = path.read_text().replace("/opt/tapescope/.venv/bin", str(Path(sys.executable).parent))
        (tmp_path / path.name).write_text(text.replace("/opt/tapescope", str(REPO)))
    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run([analyze, "verify", "--man=no", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
