"""Every question and every input of a model, against examples worked by hand.

A case is `tests/questions/<question>/<case>.toml`, or the same below `tests/inputs/`, in the words of
`test_relations.py`, with `[params]` in addition.
What it does not give has the header's default; days that it does not give are the case's `date`.
"""

import re
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import Question, Relation
from pipelines.catalog.files import load_catalog
from support import cases as harness

HERE = Path(__file__).parent
CASES = sorted(path for kind in ("questions", "inputs") for path in (HERE / kind).glob("*/*.toml"))
PARAMS = frozenset({"params"})


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path) -> None:
    case = harness.read(path, PARAMS)
    catalog = load_catalog()
    question = catalog.asked[path.parent.name]
    with harness.empty_tables() as connection:
        for table, rows in ({"site.setting": [harness.SETTING]} | harness.given_rows(case)).items():
            harness.insert(connection, catalog.relations[table], rows)
            fill_day(connection, catalog.relations[table])
        harness.make_inputs(connection, case, sql_inspect.tables(question.sql), set(case.get("given", {})))
        result = connection.execute(question.sql, values(question, case))
        names = [column[0] for column in result.description or []]
        found = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    assert names == [column.name for column in question.columns], "the SELECT's columns are not those of the header"
    harness.compare(case, names, found)


def fill_day(connection: duckdb.DuckDBPyConnection, relation: Relation) -> None:
    """The UTC day that a case leaves out, which follows from an instant as its doc says."""
    for column in relation.columns:
        instant = re.fullmatch(r"UTC day of (\w+)", column.doc) if column.name == "day" else None
        if instant:
            connection.execute(f"UPDATE {relation.full_name} SET day = CAST({instant[1]} AS DATE) WHERE day IS NULL")


def values(question: Question, case: dict[str, Any]) -> dict[str, Any]:
    given = case.get("params", {})
    strange = set(given) - set(question.params)
    assert not strange, f"{question.name} has no parameter {sorted(strange)}"
    return {
        name: given[name] if name in given else default(name, param, case) for name, param in question.params.items()
    }


def default(name: str, param: dict[str, Any], case: dict[str, Any]) -> Any:
    if param["type"] == "DATE" and "default" not in param:
        assert isinstance(case.get("date"), date), f"the case needs `date`, or `params` with {name}"
        return case["date"]
    kinds = {"BIGINT": int, "DOUBLE": float, "DATE": date.fromisoformat}
    return kinds.get(param["type"], str)(param["default"])


@pytest.mark.parametrize("kind", ["questions", "inputs"])
def test_every_question_has_a_case(kind: str) -> None:
    asked = set(getattr(load_catalog(), kind))
    cased = {path.parent.name for path in CASES if path.parent.parent.name == kind}
    assert asked, f"nothing in schemas/{kind}: has the folder moved?"
    assert asked <= cased, f"write a worked example in tests/{kind}/<name>/ for: {', '.join(sorted(asked - cased))}"
    assert cased <= asked, f"tests/{kind}/ has cases of nothing there: {', '.join(sorted(cased - asked))}"
