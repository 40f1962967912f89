"""The house rules: what every unit must have, what may read or import what, and that linters and types are clean.

Rules 1 and 2, about sources, are in `test_sources.py`. Adding a unit edits nothing here: a test says what it lacks.
"""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import LAYERS, Column, Question
from pipelines.catalog.files import load_catalog
from pipelines.catalog.sql_inspect import quote
from pipelines.config.site import Site
from pipelines.sources import all_sources
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import create_tables
from support import REPO, TESTS

CATALOG = load_catalog()
RELATIONS = list(CATALOG.relations.values())
BY_SQL = [relation for relation in RELATIONS if relation.sql]
QUESTIONS = list(CATALOG.asked.values())

# The unit that a name's end means; the longest end that fits counts.
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
# Which layers a layer's SQL may read (design: data has floors as imports have).
FLOORS = {
    "ops": ("bronze", "site", "silver", "ops"),
    "silver": ("bronze", "site", "silver"),
    "gold": ("silver", "site", "gold", "ops"),
    "questions": ("gold", "silver", "site", "ops"),
    "inputs": ("gold", "silver", "site", "ops"),
}
GUESTS = ("great_expectations", "streamlit", "airflow")
# What the folders of scripts may import of the library, and which guests they must not know.
MAY_IMPORT = {
    "dags": ({"steps", "sources", "config"}, {"streamlit", "great_expectations"}),
    "dashboards": (
        {"primitives", "config", "catalog", "answers", "analysis.findings", "analysis.forecast", "analysis.models"}
        | {"analysis.studies", "reporting.finding_words", "steps"},
        {"airflow", "great_expectations", "duckdb"},
    ),
}


def assert_none(complaints: Iterable[str]) -> None:
    """All complaints at once, so that one run shows all that is to do."""
    found = list(complaints)
    assert not found, "\n" + "\n".join(found)


def test_changelog_lists_every_former_name() -> None:
    text = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    renames = [(f"layer `{r.layer}`", name, r.name) for r in RELATIONS for name in r.was]
    renames += [
        (f"`{unit.full_name if hasattr(unit, 'full_name') else unit.name}`", name, column.name)
        for unit in (*RELATIONS, *QUESTIONS)
        for column in unit.columns
        for name in column.was
    ]
    rows = [f"| {where} | `{old}` | `{new}` |" for where, old, new in renames]
    assert [row for row in rows if row not in text] == []


# Rule 3: every unit has its worked examples.

NEEDS_CASES = [
    *(f"{relation.layer}/{relation.name}/*.toml" for relation in BY_SQL),
    *(f"questions/{name}/*.toml" for name in CATALOG.questions),
    *(f"inputs/{name}/*.toml" for name in CATALOG.inputs),
    *(f"rules/{name}/{case}*.toml" for name in CATALOG.rules for case in ("fires", "quiet")),
]


def test_every_unit_has_worked_examples() -> None:
    lacking = [f"tests/{pattern}" for pattern in NEEDS_CASES if not list(TESTS.glob(pattern))]
    assert not lacking, "worked examples are missing"


def test_every_worked_example_is_of_a_unit() -> None:
    needed = {pattern.rsplit("/", 1)[0] for pattern in NEEDS_CASES}
    folders = [
        path for kind in ("ops", "silver", "gold", "questions", "inputs", "rules") for path in TESTS.glob(f"{kind}/*/")
    ]
    orphans = [name for path in folders if (name := path.relative_to(TESTS).as_posix()) not in needed]
    assert not orphans, "examples of units that are gone, or were renamed"


# Rule 4: every column says what it is, in the unit its name promises.


def test_relations_are_documented() -> None:
    assert_none(
        f"{relation.full_name}: {complaint}"
        for relation in RELATIONS
        for complaint in [
            *(f"{name} is empty" for name in ("title", "grain", "why") if not getattr(relation, name)),
            *of_columns(relation.columns),
        ]
    )


def test_questions_are_documented() -> None:
    assert_none(
        f"{question.name}: {complaint}"
        for question in QUESTIONS
        for complaint in [
            *(f"{name} is empty" for name in ("title", "why") if not getattr(question, name)),
            *(f"{name} needs a doc" for name, one in question.params.items() if not str(one.get("doc", "")).strip()),
            *of_columns(question.columns),
        ]
    )


def of_columns(columns: tuple[Column, ...]) -> Iterator[str]:
    for column in columns:
        if not column.doc.strip():
            yield f"{column.name} has no doc"
        ends = [end for end in UNITS if column.name.endswith(end)]
        if ends and column.type in NUMBERS and column.unit != (unit := UNITS[max(ends, key=len)]):
            yield f"{column.name} must have the unit {unit}, has {column.unit or 'none'}"


# Rule 5: a SELECT reads only the floors below it, and yields what its header promises.


def test_sql_reads_the_floors_below() -> None:
    read = [relation for relation in BY_SQL if not relation.is_constant]
    units = [(relation.full_name, relation.inputs, FLOORS[relation.layer]) for relation in read]
    units += [(question.name, sql_inspect.tables(question.sql), FLOORS["questions"]) for question in QUESTIONS]
    assert_none(f"{unit} {complaint}" for unit, inputs, floors in units for complaint in of_inputs(inputs, floors))


def of_inputs(inputs: tuple[str, ...], floors: tuple[str, ...]) -> Iterator[str]:
    if not inputs:
        yield "reads no relation"
    for name in inputs:
        if name not in CATALOG.relations:
            yield f"reads {name}, which is not there"
        elif name.split(".")[0] not in floors:
            yield f"reads {name}, and may read {', '.join(floors)} only"


@pytest.fixture(scope="module")
def empty_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A warehouse with every table of the catalogue and no rows."""
    warehouse = Warehouse(Site(name="house", root=tmp_path_factory.mktemp("house")))
    with warehouse.write("test") as connection:
        with transaction(connection):
            create_tables(connection, CATALOG)
        connection.execute(f"USE {LAKE}")
        yield connection


def test_relations_yield_their_columns(empty_lake: Connection) -> None:
    assert_none(
        f"{relation.full_name}: the SELECT and the header differ in {differing}"
        for relation in BY_SQL
        if (differing := described(empty_lake, relation.sql) ^ promised(relation.columns))
    )


def test_questions_yield_their_columns(empty_lake: Connection) -> None:
    assert_none(
        f"{question.name}: the SELECT and the header differ in {differing}"
        for question in QUESTIONS
        if (differing := described(empty_lake, asked(question)) ^ promised(question.columns))
    )


def test_pages_show_columns_that_their_questions_have() -> None:
    """A column that was renamed is found here, and not by the first site that has rows of it."""
    asked, n_shown, complaints = load_catalog().asked, 0, []
    for path in sorted([*(REPO / "dashboards").glob("views/*.py"), *(REPO / "dashboards").glob("parts/*/*.py")]):
        for question, names in columns_shown(ast.parse(path.read_text(encoding="utf-8"))):
            n_shown += 1
            strange = set(names) - {column.name for column in asked[question].columns}
            complaints += [f"{path.name}: {question} has no column {', '.join(strange)}"] if strange else []
    assert not complaints and n_shown > 50, complaints


def columns_shown(view: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Questions with the columns that a page shows of them: `show_…(asked, COLUMNS)` and `("question", COLUMNS)`."""
    lists: dict[str, list[str]] = {}
    questions: dict[str, str] = {}

    def texts(node: ast.expr) -> list[str]:
        if isinstance(node, ast.Name):
            return lists.get(node.id, [])
        items = node.elts if isinstance(node, ast.List) else []
        return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]

    nodes = list(ast.walk(view))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=ast.Call(args=[ast.Constant(str(question)), *_])):
                questions[name] = question
            case ast.Assign(targets=[ast.Name(name)], value=value):
                lists[name] = texts(value)
    for node in nodes:
        match node:
            case ast.Tuple(elts=[ast.Constant(str(question)), columns, *_]) if question in load_catalog().asked:
                yield question, texts(columns)
            case ast.Call(func=ast.Attribute(attr=called), args=[ast.Name(name), columns, *_]) if (
                called.startswith("show_") and questions.get(name) in load_catalog().asked
            ):
                yield questions[name], texts(columns)


def test_questions_use_their_parameters() -> None:
    assert_none(
        f"{question.name}: the params of the header and those of the SQL differ"
        for question in QUESTIONS
        if set(re.findall(r"\$([a-z]\w*)", question.sql)) != set(question.params)
    )


def asked(question: Question) -> str:
    """Its SQL with the defaults in place of the parameters."""
    sql = question.sql
    for name, param in question.params.items():
        value = f"TRY_CAST({quote(str(param.get('default', '')))} AS {param['type']})"
        sql = re.sub(rf"\${name}\b", value.replace("\\", r"\\"), sql)
    return sql


def described(connection: Connection, sql: str) -> set[tuple[int, str, str]]:
    """Place, name and type of each column that a SELECT yields."""
    rows = connection.execute(f"DESCRIBE {sql}").fetchall()
    return {(place, row[0], row[1]) for place, row in enumerate(rows)}


def promised(columns: tuple[Column, ...]) -> set[tuple[int, str, str]]:
    return {(place, column.name, column.type) for place, column in enumerate(columns)}


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
    together = ("requirements.lock", *(f"requirements-{name}.lock" for name in ("airflow", "celery", "kubernetes")))
    for name in (*together, "requirements-s3.lock", "requirements-docs.lock"):  # the last two each by itself
        text = (REPO / name).read_text()
        assert "://" not in text and not re.search(r"^-", text, re.MULTILINE), f"{name} holds an address or an option"
        blocks = re.split(r"^(?=[a-z0-9])", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
        assert len(blocks) > 8 and all("--hash=sha256:" in block for block in blocks), f"{name}: a hash is missing"
        for block in blocks:
            package, version = re.split(r"==| ", block)[:2]
            if name in together:
                assert versions.setdefault(package, version) == version, f"two versions of {package}"


# Rule 7: every command can explain itself; that it has a page is test_docs.py's.


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
    cut = [name for name, command in found.items() if command.get_short_help_str(limit=60).endswith("...")]
    assert not cut, "their first sentence is cut in the list of commands: at most 60 characters"


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


def test_no_test_imports_another() -> None:
    """What two test modules share is in tests/support; `conftest` is pytest's own."""
    modules = {path.stem for path in TESTS.glob("*.py")}
    assert_none(
        f"{path.name} imports {name}: move what they share to tests/support"
        for path in [*TESTS.glob("*.py"), *TESTS.glob("support/*.py")]
        for name in sorted(imported(path) & modules)
    )


def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it, by the last part of `tests.x` too."""
    found = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    names = [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in found if isinstance(node, ast.ImportFrom) and node.module]
    return {name.removeprefix("tests.").split(".")[0] for name in names}


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
    assert all_sources() and CATALOG.rules and CATALOG.questions and CATALOG.inputs and BY_SQL and NEEDS_CASES


# Rule 10: the design page is the tree.


def test_architecture_page_lists_the_rooms() -> None:
    """The tables of docs/architecture.md name each package of the library and each folder around it, and no other."""
    page = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    rooms = [path.parent.name for path in sorted((REPO / "pipelines").glob("*/__init__.py"))]
    listed = subprocess.run(["git", "ls-files"], cwd=REPO, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    around = {path.split("/")[0] for path in listed if "/" in path and not path.startswith(".")} - {"pipelines"}
    assert rooms and len(rooms) <= 12 and sorted(named) == sorted([*rooms, *around])
    lost = [path for path in re.findall(r"`((?:pipelines|tests)/[\w/.]+)`", page) if not (REPO / path).exists()]
    assert not lost, "docs/architecture.md names these, and they are not there"


def test_floors_are_the_rooms_in_order() -> None:
    """The import contract names the packages of the architecture page, in its order."""
    contracts = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (floors,) = (one["layers"] for one in contracts if one.get("containers") == ["pipelines"])
    page = (REPO / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("Around the library")[0]
    ordered = [room for floor in floors for room in re.split(r" [|:] ", floor)]
    rows = re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE)
    assert sorted(rows) == sorted(ordered)
    place = {room: number for number, floor in enumerate(floors) for room in re.split(r" [|:] ", floor)}
    assert [place[room] for room in rows] == sorted(place[room] for room in rows)


# Rule 11: names say what a value is.

NAMES_OF_NOTHING = {"told", "said", "odd", "mine", "wanted"}


def test_no_identifier_is_a_word_that_can_mean_anything() -> None:
    folders = ("pipelines", "dags", "dashboards", "benchmarks", "sample_data", "schemas", "tests")
    paths = [path for folder in folders for path in (REPO / folder).rglob("*.py")]
    assert len(paths) > 300
    assert_none(
        f"{path.relative_to(REPO)}:{line}: {name}"
        for path in paths
        for line, name in identifiers(ast.parse(path.read_text(encoding="utf-8")))
        if NAMES_OF_NOTHING & set(name.lower().split("_"))
    )


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name
