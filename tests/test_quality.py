"""Checks as Great Expectations runs them on a build's connection: none is skipped, none fails unseen."""

import dataclasses
import json
import math
import re
from pathlib import Path
from random import Random

import duckdb
import pytest

from pipelines import steps
from pipelines.build import checks
from pipelines.build.changed import ChangedRelations
from pipelines.build.clean_rows import are_clean
from pipelines.catalog import contracts
from pipelines.catalog.contracts import Check
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import CheckFailed
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
    assert results[1].sentence == (
        "ops.reject: reason must be one of torn; 1 row failed: line_no=7 reason=odd in logs/b"
    )
    assert results[4].sentence.startswith("ops.reject: a check could not run: ExpectTheUnheardOf was not run")
    assert "nowhere" in results[3].detail and "ExpectTheUnheardOf" in results[4].detail


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


A, B, KIND = (
    contracts.Column(name, kind, "") for name, kind in (("a", "DOUBLE"), ("b", "DOUBLE"), ("kind", "VARCHAR"))
)
PAIR = {"column_A": "a", "column_B": "b"}
EACH_KIND = tuple(
    Check(expectation, "critical", kwargs)
    for expectation, kwargs in (
        ("ExpectColumnValuesToNotBeNull", {"column": "a"}),
        ("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 0}),
        ("ExpectColumnValuesToBeBetween", {"column": "a", "max_value": 1}),
        ("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 0, "max_value": 1.5}),
        ("ExpectColumnValuesToBeInSet", {"column": "kind", "value_set": ["it's", "y"]}),
        ("ExpectColumnValuesToBeUnique", {"column": "a"}),
        ("ExpectCompoundColumnsToBeUnique", {"column_list": ["a", "kind"]}),
        ("ExpectColumnPairValuesAToBeGreaterThanB", PAIR),
        ("ExpectColumnPairValuesAToBeGreaterThanB", PAIR | {"or_equal": True}),
        ("ExpectColumnPairValuesAToBeGreaterThanB", PAIR | {"ignore_row_if": "either_value_is_missing"}),
        (
            "ExpectColumnPairValuesAToBeGreaterThanB",
            PAIR | {"or_equal": True, "ignore_row_if": "either_value_is_missing"},
        ),
        ("UnexpectedRowsExpectation", {"unexpected_rows_query": "SELECT a FROM {batch} GROUP BY a HAVING sum(b) > 1"}),
    )
)
VALUES = (None, -1.0, 0.0, 1.0, 1.5, 2.0, math.nan, math.inf)


def test_rows_that_plain_sql_clears_pass_in_great_expectations(monkeypatch: pytest.MonkeyPatch) -> None:
    """And those that it does not clear fail there, or the guest would be asked for nothing."""
    relation = contracts.Relation("ops", "any", "", "", "", (A, B, KIND), EACH_KIND)
    catalog = dataclasses.replace(load_catalog(), relations={relation.full_name: relation})
    monkeypatch.setattr(checks, "are_clean", lambda *_: False)
    asked = {(item.expectation, json.dumps(item.kwargs, sort_keys=True)): item for item in EACH_KIND}
    random, seen = Random(1), set()
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH ':memory:' AS {LAKE}; CREATE SCHEMA {LAKE}.ops")
        connection.execute(f"CREATE TABLE {LAKE}.ops.any (a DOUBLE, b DOUBLE, kind VARCHAR)")
        connection.execute(f"CREATE TABLE {LAKE}.ops.file (file_id VARCHAR, path VARCHAR)")
        for number in range(20):
            rows = [
                (*random.choices(VALUES, k=2), random.choice((None, "it's", "y", "z")))
                for _ in range(random.randrange(4))
            ]
            rows += rows[: number % 2]
            connection.execute(f"DELETE FROM {LAKE}.ops.any")
            for row in rows:
                connection.execute(f"INSERT INTO {LAKE}.ops.any VALUES (?, ?, ?)", row)
            for found in checks.check(connection, catalog, ChangedRelations(whole={relation.full_name})):
                one = asked[found.expectation, found.arguments]
                alone = dataclasses.replace(relation, checks=(one,))
                is_clean = are_clean(connection, alone, f"SELECT * FROM {LAKE}.ops.any")
                assert found.outcome == ("passed" if is_clean else "failed"), (one, rows)
                seen.add((one.expectation, found.outcome))
    assert len(seen) == 2 * len({one.expectation for one in EACH_KIND}), "every kind of check passed and failed"


def test_a_log_that_was_read_for_two_systems_is_refused_with_the_reason(tmp_path: Path) -> None:
    """Each drive would have twice its hours."""
    text = (Path(__file__).parent / "sources" / "cta_taped" / "clean_journal.log").read_text()
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "b.log").write_text(text.replace("TESTCTA", "OTHER"))
    (tmp_path / "site.toml").write_text('name = "two"\n[[input]]\nglob = "*.log"\n')
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    with pytest.raises(CheckFailed, match=r"silver\.session: a drive must not .* system=OTHER .* in a\.log, b\.log"):
        steps.build(site)
    steps.forget(site, "b.log")
    steps.build(site)


def test_drives_of_two_archives_with_one_name_are_warned_of(tmp_path: Path) -> None:
    """The other archive's mounts come three hours later, so no two overlap."""
    text = (Path(__file__).parent / "sources" / "cta_taped" / "clean_text.log").read_text()
    later = re.sub(r"^Jun 15 (\d\d)", lambda match: f"Jun 15 {int(match[1]) + 3:02d}", text, flags=re.MULTILINE)
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "b.log").write_text(later.replace("TESTCTA", "OTHER"))
    (tmp_path / "site.toml").write_text('name = "two"\n[[input]]\nglob = "*.log"\ndate = 2026-06-15\n')
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    assert steps.build(site).n_warnings == 1
    with Warehouse(site).read() as lake:
        failed = "SELECT relation, arguments, detail FROM ops.check_result WHERE outcome = 'failed'"
        (warned,) = lake.execute(failed).fetchall()
    assert warned[0] == "silver.session" and "must be of one archive system" in warned[1]
    assert '"one_system": "OTHER", "other_system": "TESTCTA"' in warned[2]


def test_no_check_of_ours_is_left_to_the_guest_alone(tmp_path: Path) -> None:
    """On a night on which nothing fails the guest is not loaded: it takes longer than a small build."""
    catalog = load_catalog()
    with Warehouse(Site(name="checks", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, catalog)
        for relation in catalog.relations.values():
            if relation.checks:
                assert are_clean(connection, relation, f"SELECT * FROM {LAKE}.{relation.full_name}"), relation.full_name


@pytest.mark.parametrize(
    "check",
    [
        Check("ExpectColumnValuesToBeBetween", "critical", {"column": "a", "min_value": 0, "mostly": 0.9}),
        Check("ExpectColumnValuesToBeBetween", "critical", {"column": "kind", "min_value": "a"}),
        Check("ExpectColumnValuesToNotBeNull", "critical", {"column": "a", "mostly": 0.9}),
        Check("ExpectColumnPairValuesAToBeGreaterThanB", "critical", {"column_A": "a", "column_B": "kind"}),
        Check("ExpectColumnPairValuesAToBeGreaterThanB", "critical", PAIR | {"ignore_row_if": "never"}),
        Check("ExpectCompoundColumnsToBeUnique", "critical", {"column_list": ["a", "nowhere"]}),
    ],
)
def test_plain_sql_clears_nothing_that_it_does_not_know(check: Check) -> None:
    relation = contracts.Relation("ops", "any", "", "", "", (A, B, KIND), (check,))
    with duckdb.connect() as connection:
        rows = "SELECT 1.0::DOUBLE AS a, 0.0::DOUBLE AS b, 'y' AS kind"
        assert not are_clean(connection, relation, rows)
        assert are_clean(connection, dataclasses.replace(relation, checks=EACH_KIND[:1]), rows)
