"""Checks as Great Expectations runs them on a build's connection: none is skipped, none fails unseen."""

import dataclasses
import json
from pathlib import Path

import pytest

from pipelines.build import checks
from pipelines.build.days import ChangedRelations
from pipelines.catalog.contracts import Check, load_catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.tables import prepare_tables

NAME = "ops.reject"
POSITIVE = Check("ExpectColumnValuesToBeBetween", "critical", {"column": "line_no", "min_value": 1})
KNOWN = Check("ExpectColumnValuesToBeInSet", "warning", {"column": "reason", "value_set": ["torn"]})
CHECKS = (
    POSITIVE,
    KNOWN,
    POSITIVE,  # Great Expectations runs equal ones once: the second has no answer
    Check("ExpectColumnValuesToNotBeNull", "critical", {"column": "nowhere"}),
    Check("ExpectTheUnheardOf", "warning", {"column": "line_no"}),
)


@pytest.mark.xdist_group("quality")
@pytest.mark.parametrize("most_copied", [checks.MOST_COPIED, 0], ids=["copied", "in_place"])
def test_every_check_has_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_copied: int) -> None:
    monkeypatch.setattr(checks, "MOST_COPIED", most_copied)
    catalog = load_catalog()
    relation = dataclasses.replace(catalog.relations[NAME], checks=CHECKS)
    catalog = dataclasses.replace(catalog, relations=catalog.relations | {NAME: relation})
    with Warehouse(Site(name="checks", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, catalog)
        connection.execute("BEGIN")  # what is not yet committed is what must be checked
        connection.execute(f"INSERT INTO {LAKE}.ops.file (file_id, path) VALUES ('a', 'logs/a'), ('b', 'logs/b')")
        connection.execute(f"INSERT INTO {LAKE}.ops.reject VALUES ('a', 1, 'torn', ''), ('b', 7, 'odd', '')")
        results = checks.check(connection, catalog, ChangedRelations(whole={NAME}))
        connection.execute("ROLLBACK")
    assert [(one.expectation, one.severity) for one in results] == [(one.expectation, one.severity) for one in CHECKS]
    assert [one.outcome for one in results] == ["passed", "failed", "error", "error", "error"]
    assert [one.stops_build for one in results] == [False, False, True, True, True], "a check that did not run stops it"
    assert "skipped" in results[2].detail
    assert results[1].n_failing == 1 and "logs/b" in results[1].detail and "logs/a" not in results[1].detail
    assert "nowhere" in results[3].detail and "ExpectTheUnheardOf" in results[4].detail


@pytest.mark.xdist_group("quality")
def test_a_check_of_several_columns_names_the_files_as_well(tmp_path: Path) -> None:
    catalog = load_catalog()
    unique = Check("ExpectCompoundColumnsToBeUnique", "critical", {"column_list": ["line_no", "reason"]})
    relation = dataclasses.replace(catalog.relations[NAME], checks=(unique,))
    catalog = dataclasses.replace(catalog, relations=catalog.relations | {NAME: relation})
    with Warehouse(Site(name="checks", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, catalog)
        connection.execute("BEGIN")
        connection.execute(
            f"INSERT INTO {LAKE}.ops.file (file_id, path) SELECT x, 'logs/' || x FROM unnest(['a', 'b', 'c']) u(x)"
        )
        connection.execute(
            f"INSERT INTO {LAKE}.ops.reject VALUES ('a', 7, 'torn', ''), ('b', 7, 'torn', ''), ('c', 8, 'torn', '')"
        )
        (result,) = checks.check(connection, catalog, ChangedRelations(whole={NAME}))
        connection.execute("ROLLBACK")
    assert result.stops_build and json.loads(result.detail)["files"] == ["logs/a", "logs/b"]
