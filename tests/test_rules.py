"""Every rule against cases worked by hand: rows of its metric, and the findings that must result.

A case is `tests/rules/<rule>/<case>.toml`, its name beginning with `fires` or `quiet`; expected values are never
regenerated. Its keys, all but `title`, `last` and `expected` optional:

    title = "what the case shows"
    last = 2010-03-10                   # site day that is judged
    first = 2010-03-09                  # first site day, where more than one is judged
    site = { zone = "UTC" }             # what site.toml says otherwise
    expected = []                       # nothing is found; or [[expected]] findings
    [[withheld]]                        # what the rule itself does not judge, as in gold.suppressed_verdict
    [[given."silver.gap"]]              # a row; columns left out are NULL, `day` comes from its start
    repeat = 30                         # how many of these rows …
    step_s = 60                         # … each with all its instants that much later (a day's rows: 86400)

Only the keys an expected finding has are compared, of `facts` and of each line of `evidence` too; "NULL" is NULL.
Numbers may differ by one part in 10⁶. The rules run in memory; that they run on a lake as well, every archive shows.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from pipelines.analysis import findings
from pipelines.analysis.findings.hit import groups
from pipelines.catalog.contracts import Relation, Rule
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import ContractError
from pipelines.warehouse.connection import LAKE, Connection
from support.memory_lake import memory_lake

HERE = Path(__file__).parent / "rules"
CASES = sorted(HERE.glob("*/*.toml"))
KEYS = {"title", "first", "last", "site", "given", "expected", "withheld"}
# What gives a row its day; the first that is there.
BEGINS = ("started_at", "from_at", "happened_at", "hour_at", "bin_at", "marked_at")

Row = dict[str, Any]


@pytest.fixture(scope="module")
def lake() -> Iterator[Connection]:
    with memory_lake() as connection:
        yield connection


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(lake: Connection, path: Path) -> None:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(case) <= KEYS and {"title", "last", "expected"} <= set(case), f"{path.name}: its keys are {sorted(case)}"
    site = Site(name="case", **case.get("site", {}))
    lake.execute("BEGIN TRANSACTION")
    try:
        for table, rows in case.get("given", {}).items():
            relation = load_catalog().relations[table]
            _insert(lake, relation, [_filled(relation, row, site) for given in rows for row in _repeated(given)])
        detected = findings.detect(lake, site, load_catalog(), case.get("first", case["last"]), case["last"])
        kept = lake.execute(f"SELECT finding_id FROM {LAKE}.gold.finding WHERE day = ?", [case["last"]]).fetchall()
    finally:
        lake.execute("ROLLBACK")
    found = detected.findings
    assert sorted(row[0] for row in kept) == sorted(finding["finding_id"] for finding in found)
    assert len({(finding["finding_id"], finding["started_at"]) for finding in found}) == len(found)
    fired = {finding["rule"] for finding in found}
    assert fired == ({path.parent.name} if path.stem.startswith("fires") else set())
    _compare(case["expected"], found)
    withheld = [row for row in detected.withheld if row["rule"] == path.parent.name]
    expected = case.get("withheld", [])
    assert len(withheld) == len(expected) and all(map(_fits, expected, withheld)), withheld


def test_every_rule_has_cases_that_fire_and_that_keep_quiet() -> None:
    assert load_catalog().rules, "no rule in schemas/rules: has the folder moved?"
    kinds = {(path.parent.name, path.stem.split("_")[0]) for path in CASES}
    assert kinds == {(rule, kind) for rule in load_catalog().rules for kind in ("fires", "quiet")}


def test_an_unknown_method_or_metric_is_named(lake: Connection) -> None:
    rule = next(iter(load_catalog().rules.values()))
    period = findings.Period(date(2010, 3, 10), date(2010, 3, 10), "UTC")
    invalid = Rule(**vars(rule) | {"method": "guess", "metric": "gold.guess"})
    with pytest.raises(ContractError, match=r"gold\.guess"):
        findings.read_metric(lake, load_catalog(), invalid, period)
    with pytest.raises(ContractError, match="no method guess"):
        list(findings.judge(invalid, pl.DataFrame({"a": [1]}), Site(name="case"), period))


def test_a_full_link_is_joined_to_the_drives_that_waited_for_it(lake: Connection) -> None:
    """Six hours of one drive, half of each waiting, the link full all the while: one cause, one loss, one warning."""
    begin = datetime(2010, 3, 10, 8)
    waiting: Row = {"drive": "D1", "station": "s", "mode": "write", "wait_s": 1800.0, "transfer_s": 3600.0}
    waiting |= {"link": "l", "wait_full_s": 1800.0, "wait_full_most_s": 1800.0, "verdict": "network_bound"}
    full: Row = {"station": "s", "covered_s": 3600.0, "capacity_mb_s": 125.0, "load": 0.97}
    full |= {"full_s": 3600.0, "full_most_s": 3600.0, "full_mb_s": 121.0, "avg_mb_s": 121.0}
    hours: Row = {"repeat": 6, "step_s": 3600, "hour_at": begin}
    rows: dict[str, list[Row]] = {
        "gold.bottleneck": [hours | waiting],
        "gold.link_load": [hours | full | {"link": link, "direction": "out"} for link in "lk"],
    }
    found = _detected(lake, rows)
    by_entity = {(finding["rule"], finding["entity"]): finding for finding in found}
    assert set(by_entity) == {("starved_stream", "s"), ("link_saturated", "l/out"), ("link_saturated", "k/out")}
    starved, link = by_entity["starved_stream", "s"], by_entity["link_saturated", "l/out"]
    assert "link l was full for 3.00 h of the waits" in starved["text"]
    assert (starved["lost_hours"], starved["severity"], starved["joined_to"]) == (3.0, "warning", None)
    assert (link["lost_hours"], link["severity"], link["joined_to"]) == (None, "info", starved["finding_id"])
    assert "A finding of the rule starved_stream has the same cause" in link["text"]
    other = by_entity["link_saturated", "k/out"]
    assert (other["severity"], other["joined_to"]) == ("warning", None), "nobody waited for this one"


def test_every_cause_with_a_price_is_found(lake: Connection) -> None:
    """By its price alone: 200 GB/day more where 500 GB moved, each cause of a station and a drive of its own."""
    doc = next(column.doc for column in load_catalog().relations["gold.lost_time"].columns if column.name == "cause")
    causes = {*re.findall(r"\. (\w+): ", doc), *doc.rpartition(": ")[2].split(", ")}
    assert {"position", "drain", "unknown"} <= causes
    priced = causes - {"no_request", "idle_no_work", "occupied", "unknown"}  # no request, or no log
    row: Row = {"day": date(2010, 3, 10), "lost_hours": 2.0, "duration_us": 7_200_000_000, "moved_gb": 500.0}
    row |= {"gain_gb_day": 200.0, "naive_gb_day": 200.0}
    lost = [row | {"cause": cause, "drive": f"D {cause}", "station": f"s {cause}"} for cause in sorted(priced)]
    found = _detected(lake, {"gold.lost_time": lost, "gold.station_loss": lost})
    rules = load_catalog().rules
    assert {rules[one["rule"]].cause_of(one["entity"]) for one in found} == priced
    assert [one["entity"] for one in found if one["gain_gb_day"] != 200.0] == []


def test_a_cause_that_a_rule_of_its_own_found_is_not_found_twice(lake: Connection) -> None:
    """D1 has a hung session, station s a price of winding; of D2 no rule has enough cases."""
    lost: Row = {"day": date(2010, 3, 10), "lost_hours": 2.0, "duration_us": 7_200_000_000, "moved_gb": 500.0}
    lost |= {"gain_gb_day": 200.0, "naive_gb_day": 200.0, "station": "s"}
    hung = [lost | {"cause": "hung", "drive": "D1"}, lost | {"cause": "hung", "drive": "D2", "station": "t"}]
    killed: Row = {"kind": "session_killed", "drive": "D1", "happened_at": datetime(2010, 3, 10, 8), "lost_s": 7200.0}
    mount: Row = {"site_day": date(2010, 3, 10), "begun_at": datetime(2010, 3, 10, 8), "mode": "read", "station": "s"}
    rows = {
        "gold.station_loss": [*hung, lost | {"cause": "position", "drive": "D3"}],
        "silver.event": [killed],
        "gold.mount": [mount | {"drive": "D3", "position_s": 9000.0, "wall_s": 10_000.0}],
    }
    found = {(one["rule"], one["entity"]) for one in _detected(lake, rows)}
    assert found == {("hung_session", "D1"), ("priced_loss", "hung/t"), ("positioning_loss", "s")}


def test_a_cause_found_at_one_station_is_not_found_at_another_that_shares_its_drives(lake: Connection) -> None:
    """Station a has a price of winding; at station b, with the same drive, winding took 9000 of 10,000 s."""
    lost: Row = {"day": date(2010, 3, 10), "lost_hours": 2.0, "duration_us": 7_200_000_000, "moved_gb": 500.0}
    lost |= {"gain_gb_day": 200.0, "naive_gb_day": 200.0, "cause": "position", "drive": "D1"}
    mount: Row = {"site_day": date(2010, 3, 10), "begun_at": datetime(2010, 3, 10, 8), "mode": "read", "drive": "D1"}
    mount |= {"position_s": 9000.0, "wall_s": 10_000.0, "n_files": 20}
    mounts = [mount | {"station": station} for station in "ab"]
    found = _detected(lake, {"gold.station_loss": [lost | {"station": "a"}], "gold.mount": mounts})
    assert {(one["rule"], one["entity"]) for one in found} == {("positioning_loss", "a"), ("winding_bound", "b")}


# --- given ----------------------------------------------------------------------------------------------------


def _detected(lake: Connection, given: dict[str, list[Row]]) -> list[Row]:
    """What the rules find on 10 March 2010 in these rows, as a case gives them."""
    day, site = date(2010, 3, 10), Site(name="case")
    lake.execute("BEGIN TRANSACTION")
    try:
        for table, rows in given.items():
            relation = load_catalog().relations[table]
            _insert(lake, relation, [_filled(relation, row, site) for one in rows for row in _repeated(one)])
        return findings.detect(lake, site, load_catalog(), day, day).findings
    finally:
        lake.execute("ROLLBACK")


def _repeated(given: Row) -> Iterator[Row]:
    row = dict(given)
    n, step_s = row.pop("repeat", 1), row.pop("step_s", 0)
    for shift in (timedelta(seconds=step_s * i) for i in range(n)):
        yield {name: value + shift if isinstance(value, date) else value for name, value in row.items()}


def _filled(relation: Relation, row: Row, site: Site) -> Row:
    strange = set(row) - set(relation.column_names)
    assert not strange, f"{relation.full_name} has no column {sorted(strange)}"
    if relation.has_day and "day" not in row:
        begin = next(row[name] for name in BEGINS if name in row)
        zone = ZoneInfo(site.zone if relation.layer in ("gold", "ops") else "UTC")
        row["day"] = begin.replace(tzinfo=UTC).astimezone(zone).date()
    return row


def _insert(lake: Connection, relation: Relation, rows: list[Row]) -> None:
    marks = ", ".join(f"({', '.join('?' for _ in relation.columns)})" for _ in rows)
    values = [row.get(name) for row in rows for name in relation.column_names]
    lake.execute(f"INSERT INTO {LAKE}.{relation.full_name} VALUES {marks}", values)


# --- expected -------------------------------------------------------------------------------------------------


def _compare(expected: list[Row], found: list[Row]) -> None:
    opened = [
        finding | {"facts": json.loads(finding["facts"]), "evidence": json.loads(finding["evidence"])}
        for finding in found
    ]
    opened.sort(key=lambda finding: (finding["entity"], finding["started_at"]))
    assert len(expected) == len(opened), [(finding["entity"], finding["text"]) for finding in opened]
    for row, finding in zip(expected, opened, strict=True):
        assert not set(row) - set(finding), "no such key"
        wrong = [
            f"{name} is {finding[name]}, not {value}" for name, value in row.items() if not _fits(value, finding[name])
        ]
        assert not wrong, f"{finding['entity']}: {'; '.join(wrong)}"


def _fits(expected: Any, found: Any) -> bool:
    if isinstance(expected, dict):
        return all(name in found and _fits(value, found[name]) for name, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(_fits, expected, found))
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return math.isclose(expected, found, rel_tol=1e-6, abs_tol=1e-9)
    if expected == "NULL":
        return found is None
    return str(found) == str(expected) if isinstance(expected, datetime) else bool(found == expected)


def test_what_nothing_names_is_unknown() -> None:
    rows = pl.DataFrame({"system": ["stk"], "mode": ["write"], "generation": [None]})
    assert [name for name, _ in groups(load_catalog().rules["changed_rate"], rows)] == ["stk/write/unknown"]
