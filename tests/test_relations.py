"""Every relation that SQL makes, against examples worked by hand.

A case is `tests/<layer>/<relation>/<case>.toml`; expected values are never regenerated. Its keys, all but `title` and
`expected` optional:

    title = "what the case shows"
    through = true                      # first make, from the given rows, what the relation reads
    through = ["gold.tape_traffic"]     # the same, of these alone
    like = "silver/gap/design_12"       # begin with that case's given rows
    date = 2010-06-15                   # day of instants that are written as times alone
    every."bronze.log_coverage" = { ... }       # columns all given rows of a table share
    given."bronze.log_coverage" = [{ ... }]     # columns left out are NULL; see `filled`
    order = ["from_at"]                 # compare in this order; without it, in any
    expected_count = 3                  # the number of rows, where `expected` lists only some
    expected = [{ ... }]                # columns left out are not compared; "NULL" is NULL

Numbers may differ by one part in 10⁹, everything else must be the same.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import Relation
from pipelines.catalog.files import load_catalog
from support.cases import SETTING, Row, compare, empty_tables, given_rows, insert, make_inputs, read

HERE = Path(__file__).parent
MADE_LAYERS = ("silver", "gold", "ops")
CASES = sorted(path for layer in MADE_LAYERS for path in (HERE / layer).glob("*/*.toml"))


def _name(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()


@pytest.mark.parametrize("path", CASES, ids=_name)
def test_case(path: Path) -> None:
    case = read(path)
    relation = load_catalog().relations[f"{path.parent.parent.name}.{path.parent.name}"]
    with empty_tables() as connection:
        given = given_rows(case)
        for table, rows in ({"site.setting": [SETTING]} | given).items():
            insert(connection, load_catalog().relations[table], rows)
        make_inputs(connection, case, relation.inputs, set(given) | {relation.full_name})
        found = _select(connection, relation, case.get("order", []))
    compare(case, relation.column_names, found)


@pytest.mark.parametrize("layer", MADE_LAYERS)
def test_every_relation_has_a_case(layer: str) -> None:
    made = {relation.name for relation in load_catalog().layer(layer) if relation.sql}
    cased = {path.parent.name for path in CASES if path.parent.parent.name == layer}
    assert made, f"no relation in schemas/{layer}: has the folder moved?"
    assert made <= cased, f"write a worked example in tests/{layer}/<name>/ for: {', '.join(sorted(made - cased))}"
    assert cased <= made, f"tests/{layer}/ has cases for what SQL does not make: {', '.join(sorted(cased - made))}"


def test_there_are_cases() -> None:
    assert CASES, "no worked example found: have the folders moved?"


def _select(connection: duckdb.DuckDBPyConnection, relation: Relation, order: list[str]) -> list[Row]:
    result = connection.execute(f"SELECT * FROM ({relation.sql}) ORDER BY {', '.join(order) or 'ALL'}")
    names = [column[0] for column in result.description or []]
    assert names == relation.column_names, f"the SELECT yields {names}, the header promises {relation.column_names}"
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _joined(tree: dict[str, Any]) -> Iterator[str]:
    """The tables of one FROM."""
    if tree.get("type") == "JOIN":
        yield from _joined(tree["left"])
        yield from _joined(tree["right"])
    elif tree.get("type") == "BASE_TABLE":
        yield f"{tree['schema_name']}.{tree['table_name']}"


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a parsed tree."""
    if isinstance(tree, dict):
        yield tree
    for item in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(item)


def test_a_select_joins_transfers_once() -> None:
    """Two joins of them to a gap have its system in common: a plan may join all pairs of files by that alone.

    That took 1 GB and two minutes of the sample archive once its tables had been rewritten.
    """
    catalog = load_catalog()
    texts = {name: relation.sql for name, relation in catalog.relations.items() if relation.sql}
    texts |= {name: question.sql for name, question in catalog.asked.items()}
    twice = {
        name
        for name, sql in texts.items()
        for node in _nodes(sql_inspect.parse(sql))
        if node.get("type") == "SELECT_NODE" and list(_joined(node["from_table"])).count("silver.transfer") > 1
    }
    assert not twice
