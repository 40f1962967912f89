"""The house rules: what every unit must have, what may read or import what, and that linters and types are clean.

Rules 1 and 2, about sources, are in `test_sources.py`. Adding a unit edits nothing here: a test says what it lacks.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import FLOORS, LAYERS, Column, Question, Relation, load_catalog
from pipelines.config.site import Site
from pipelines.sources import all_sources
from pipelines.warehouse.connection import LAKE, Connection, Warehouse, quote, transaction
from pipelines.warehouse.tables import create_tables

REPO = Path(__file__).resolve().parent.parent
TESTS = REPO / "tests"
CATALOG = load_catalog()
RELATIONS = list(CATALOG.relations.values())
BY_SQL = [relation for relation in RELATIONS if relation.sql]
QUESTIONS = list(CATALOG.questions.values())

# What a name's end says about its unit; the longest end that fits counts.
UNITS = {
    "_bytes_s": "bytes/s",
    "_gb_day": "GB/day",
    "_mb_s": "MB/s",
    "_hours": "h",
    "_bytes": "bytes",
    "_gb": "GB",
    "_s": "s",
}
NUMBERS = ("DOUBLE", "BIGINT")
BIN = Path(sys.executable).parent
TOOLS = {
    "ruff format": [f"{BIN}/ruff", "format", "--check", "."],
    "ruff check": [f"{BIN}/ruff", "check", "."],
    "mypy": [sys.executable, "-m", "mypy", "--strict"],
    "lint-imports": [f"{BIN}/lint-imports", "--no-cache", "--no-logo"],
}
GUESTS = ("great_expectations", "streamlit", "airflow")
# What the folders of scripts may import of the library, and which guests they must not know.
MAY_IMPORT = {
    "dags": ({"steps", "sources", "config"}, {"streamlit", "great_expectations"}),
    "dashboards": (
        {"primitives", "config", "catalog", "answers", "analysis.forecast", "analysis.models", "analysis.studies"},
        {"airflow", "great_expectations", "duckdb"},
    ),
}

each_relation = pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.full_name)
each_made_by_sql = pytest.mark.parametrize("relation", BY_SQL, ids=lambda relation: relation.full_name)
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)


def test_changelog_lists_every_former_name() -> None:
    text = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    renames = [(f"layer `{r.layer}`", name, r.name) for r in RELATIONS for name in r.was]
    renames += [
        (f"`{unit.full_name if isinstance(unit, Relation) else unit.name}`", name, column.name)
        for unit in (*RELATIONS, *QUESTIONS)
        for column in unit.columns
        for name in column.was
    ]
    rows = [f"| {where} | `{old}` | `{new}` |" for where, old, new in renames]
    assert [row for row in rows if row not in text] == []


# Rule 3: every unit has its worked examples.

NEEDS_CASES = [
    *(f"{relation.layer}/{relation.name}/*.toml" for relation in BY_SQL),
    *(f"questions/{question.name}/*.toml" for question in QUESTIONS),
    *(f"rules/{name}/{case}*.toml" for name in CATALOG.rules for case in ("fires", "quiet")),
]


@pytest.mark.parametrize("pattern", NEEDS_CASES)
def test_unit_has_worked_example(pattern: str) -> None:
    assert list(TESTS.glob(pattern)), f"a worked example is missing: tests/{pattern}"


def test_every_worked_example_is_of_a_unit() -> None:
    wanted = {pattern.rsplit("/", 1)[0] for pattern in NEEDS_CASES}
    folders = [path for kind in ("ops", "silver", "gold", "questions", "rules") for path in TESTS.glob(f"{kind}/*/")]
    orphans = [name for path in folders if (name := path.relative_to(TESTS).as_posix()) not in wanted]
    assert not orphans, "examples of units that are gone, or were renamed"


# Rule 4: every column says what it is, in the unit its name promises.


@each_relation
def test_relation_is_documented(relation: Relation) -> None:
    assert relation.title and relation.grain and relation.why, f"{relation.path.name}: title, grain or why is empty"
    assert not list(complaints(relation.columns))


@each_question
def test_question_is_documented(question: Question) -> None:
    assert question.title and question.why
    assert all(str(param.get("doc", "")).strip() for param in question.params.values()), "a param needs a doc"
    assert not list(complaints(question.columns))


def complaints(columns: tuple[Column, ...]) -> Iterator[str]:
    for column in columns:
        if not column.doc.strip():
            yield f"{column.name} has no doc"
        ends = [end for end in UNITS if column.name.endswith(end)]
        if ends and column.type in NUMBERS and column.unit != (unit := UNITS[max(ends, key=len)]):
            yield f"{column.name} must have the unit {unit}, has {column.unit or 'none'}"


# Rule 5: a SELECT reads only the floors below it, and yields what its header promises.


@each_made_by_sql
def test_relation_reads_the_floors_below(relation: Relation) -> None:
    check_floors(relation.inputs, FLOORS[relation.layer])


@each_question
def test_question_reads_the_floors_below(question: Question) -> None:
    check_floors(sql_inspect.tables(question.sql), FLOORS["questions"])


def check_floors(inputs: tuple[str, ...], floors: tuple[str, ...]) -> None:
    assert inputs, "it reads no relation"
    assert not [name for name in inputs if name not in CATALOG.relations], "no such relation"
    assert not [name for name in inputs if name.split(".")[0] not in floors], f"it may read {', '.join(floors)} only"


@pytest.fixture(scope="module")
def empty_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A warehouse with every table of the catalogue and no rows."""
    warehouse = Warehouse(Site(name="house", root=tmp_path_factory.mktemp("house")))
    with warehouse.write("test") as connection:
        with transaction(connection):
            create_tables(connection, CATALOG)
        connection.execute(f"USE {LAKE}")
        yield connection


@pytest.mark.xdist_group("empty_lake")
@each_made_by_sql
def test_relation_yields_its_columns(relation: Relation, empty_lake: Connection) -> None:
    assert described(empty_lake, relation.sql) == [(column.name, column.type) for column in relation.columns]


@pytest.mark.xdist_group("empty_lake")
@each_question
def test_question_yields_its_columns(question: Question, empty_lake: Connection) -> None:
    used = set(re.findall(r"\$([a-z]\w*)", question.sql))
    assert used == set(question.params), "the params of the header and those of the SQL differ"
    sql = question.sql
    for name, param in question.params.items():
        value = f"TRY_CAST({quote(str(param.get('default', '')))} AS {param['type']})"
        sql = re.sub(rf"\${name}\b", value.replace("\\", r"\\"), sql)
    assert described(empty_lake, sql) == [(column.name, column.type) for column in question.columns]


def described(connection: Connection, sql: str) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in connection.execute(f"DESCRIBE {sql}").fetchall()]


# Rule 6: linters, types, import contracts, generated pages.


@pytest.mark.parametrize("name", TOOLS)
def test_tool_has_no_complaint(name: str) -> None:
    done = subprocess.run(TOOLS[name], cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{name} says:\n{done.stdout}{done.stderr}"


def test_generated_pages_are_up_to_date() -> None:
    stale = importlib.import_module("pipelines.reporting.dictionary").write_all(check=True)
    assert not stale, "write these again: make docs"


def test_locks_name_versions_and_hashes_only() -> None:
    """No index address, one version of a package in what is installed together, and every package with its hashes."""
    versions: dict[str, str] = {}
    for name in ("requirements.lock", "requirements-airflow.lock", "requirements-s3.lock"):
        text = (REPO / name).read_text()
        assert "://" not in text and not re.search(r"^-", text, re.MULTILINE), f"{name} holds an address or an option"
        blocks = re.split(r"^(?=[a-z0-9])", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
        assert len(blocks) > 20 and all("--hash=sha256:" in block for block in blocks), f"{name}: a hash is missing"
        for block in blocks:
            package, version = re.split(r"==| ", block)[:2]
            if name != "requirements-s3.lock":  # it goes into an environment of its own
                assert versions.setdefault(package, version) == version, f"two versions of {package}"


# Rule 7: every command can explain itself and stands in the README.


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{path}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")


def all_commands() -> dict[str, click.Command]:
    groups = [
        value for value in vars(importlib.import_module("pipelines.cli")).values() if isinstance(value, click.Group)
    ]
    assert groups, "pipelines.cli has no group of commands"
    return dict(commands(max(groups, key=lambda group: len(list(commands(group))))))


def test_commands_have_help() -> None:
    found = all_commands()
    assert found
    silent = [name for name, command in found.items() if not (command.help or "").strip()]
    silent += [
        f"{name} {param.opts[0]}"
        for name, command in found.items()
        for param in command.params
        if isinstance(param, click.Option) and not param.help
    ]
    assert not silent, "these have no help"


def test_commands_stand_in_the_readme() -> None:
    readme = (REPO / "README.md").read_text(encoding="utf-8")
    found = all_commands()
    lacking = [name for name in found if not re.search(rf"(`|tapescope ){re.escape(name)}(?![\w-])", readme)]
    assert found and not lacking, "README.md does not name these commands"


# Rule 8: the guests stay at their borders.


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pipelines":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_scripts_import_only_what_they_may(folder: str) -> None:
    allowed, strangers = MAY_IMPORT[folder]
    paths = sorted((REPO / folder).rglob("*.py"))
    assert paths, f"{folder}/ is empty"
    for path in paths:
        for name in imports_of(path):
            top, *below = name.split(".")
            place = f"{path.relative_to(REPO)} imports {name}"
            assert top not in strangers, place
            is_allowed = any(".".join(below[:n]) in allowed for n in (1, 2))
            assert top != "pipelines" or is_allowed, f"{place}; it may import {sorted(allowed)}"


def test_command_line_starts_without_guests() -> None:
    code = f"import sys, pipelines.cli; print(*(name for name in {GUESTS!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), "importing pipelines.cli loads these"


# Rule 9: a moved folder must not pass silently.


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_is_not_empty(layer: str) -> None:
    assert CATALOG.layer(layer)


@pytest.mark.parametrize("pattern", ["dags/*.py", "dashboards/*.py", "benchmarks/*.py", "sample_data/logs/**/*.*"])
def test_folder_is_not_empty(pattern: str) -> None:
    assert list(REPO.glob(pattern)), f"nothing fits {pattern}"


def test_collections_are_not_empty() -> None:
    assert all_sources() and CATALOG.rules and CATALOG.questions and BY_SQL and NEEDS_CASES
