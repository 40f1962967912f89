"""Drive time has one taxonomy: report, page, command line and metrics show the same hours, words and colours."""

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families
from streamlit.testing.v1 import AppTest

from dashboards.charts.looks import on_page
from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.reporting.report import make_report, write_report
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import create_tables
from support import report_site as stand
from support.app import at, drawn_rows
from support.served import APP, DEADLINE_S

pytestmark = pytest.mark.usefixtures("plain_store")

DAYS = ("--site", "SITE", f"first_day={stand.DAY}", f"last_day={stand.DAY}")
SITE = 'name = "stand"\nzone = "America/Chicago"\n'
Shown = dict[str, tuple[str, str, float]]  # by bucket: its group in words, the colour, hours


def rows() -> list[dict[str, Any]]:
    """The relation, from its SQL."""
    result = duckdb.connect().execute(load_catalog().relations["gold.drive_time_bucket"].sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


ROWS = rows()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A drive that spends 12 minutes on the first bucket, 24 on the second, and so on: a day in all of them."""
    folder = tmp_path_factory.mktemp("taxonomy")
    (folder / "site.toml").write_text(SITE)
    made = steps.site_at(folder)
    stand.make_tables(made)
    with Warehouse(made).write("test") as connection, transaction(connection):
        stand.insert(connection, "site.setting", {"name": made.name, "zone": made.zone, "expected_gap_s": 2.0})
        stand.insert(connection, "site.drive", {"drive": "D1", "generation": "LTO-4"})
        for row in ROWS:
            hours = {"day": stand.DAY, "drive": "D1", "bucket": row["bucket"], "day_us": stand.US_DAY}
            stand.insert(connection, "gold.drive_ledger", hours | {"duration_us": row["number"] * 720_000_000})
    return made


@pytest.fixture(scope="module")
def expected() -> Shown:
    return {row["bucket"]: (row["group_words"], row["colour"], round(0.2 * row["number"], 6)) for row in ROWS}


def shown(found: list[dict[str, Any]]) -> Shown:
    return {row["bucket"]: (row["group_words"], row["colour"], round(row["bucket_hours"], 6)) for row in found}


def test_the_report(site: Site, expected: Shown, tmp_path: Path) -> None:
    paths = write_report(make_report(site, load_catalog(), stand.DAY, stand.DAY), tmp_path)
    section = next(s for s in json.loads(paths["json"].read_text())["sections"] if s["id"] == "hours")
    waterfall, stack = section["figures"]
    bars = {bar["name"]: (bar["group"]["words"], bar["group"]["colour"], bar["value"]) for bar in waterfall["bars"]}
    assert bars == expected
    by_group: dict[str, float] = {}
    for words, _, hours in expected.values():
        by_group[words] = round(by_group.get(words, 0.0) + hours, 6)
    drive = dict(zip([group["words"] for group in stack["groups"]], stack["rows"]["D1"], strict=True))
    assert drive == pytest.approx(by_group)
    page = paths["html"].read_text()
    figures = page[page.index('id="section-hours"') : page.index('id="section-losses"')]
    text = paths["txt"].read_text()
    for row in ROWS:
        assert f"{row['bucket']}: {row['bucket_words']}" in figures and row["bucket_words"] in text
        assert row["colour"].lower() in figures.lower() and f">{row['group_words']}<" in figures
        assert f"{row['symbol']} {row['group_words']}" in text
    headings = re.sub(r"<[^>]+>", " ", page)
    assert all(f"{row['group_words']} h" in re.sub(r"\s+", " ", headings) for row in ROWS), (
        "columns have the same words"
    )


def test_the_page(site: Site, expected: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_SITE", str(site.root))
    app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), "time").run()
    assert not app.exception
    assert shown(drawn_rows(app, "bucket_hours")) == expected
    charts = app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")
    colours = json.loads(charts[0].proto.spec)["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(colours["domain"], colours["range"], strict=True)) == {
        w: on_page(c) for w, c, _ in expected.values()
    }
    app.query_params["part"] = "lines"
    app.run()
    choices = next(box for box in app.selectbox if box.label == "State").options
    assert set(choices) == {row["group_words"] for row in ROWS}


def test_the_command_line(site: Site, expected: Shown) -> None:
    args = [str(site.root) if word == "SITE" else word for word in DAYS]
    result = CliRunner().invoke(cli, ["ask", "ledger_waterfall", "--format", "json", *args])
    found = json.loads(result.stdout)
    assert shown(found["rows"] if isinstance(found, dict) else found) == expected
    unknown = CliRunner().invoke(cli, ["drill", "D1", "--bucket", "naps", "--day", str(stand.DAY), *args[:2]])
    hint = getattr(unknown.exception, "hint", "")
    assert all(row["bucket"] in hint and row["time_group"] in hint for row in ROWS)


def test_the_prometheus_file(site: Site, expected: Shown) -> None:
    (site.root / "site.toml").write_text(f'{SITE}[deliver]\nprometheus = "night.prom"\n')
    steps.deliver(steps.site_at(site.root), stand.DAY, stand.DAY)
    families = {f.name: f for f in text_string_to_metric_families((site.root / "night.prom").read_text())}
    found = {
        s.labels["bucket"]: (s.labels["group"], round(s.value, 6)) for s in families["tapescope_drive_hours"].samples
    }
    assert found == {bucket: (words, hours) for bucket, (words, _, hours) in expected.items()}


def test_every_column_of_hours_is_a_group() -> None:
    """Relations with the hours of groups side by side name their columns after them."""
    groups = {f"{row['time_group']}_hours" for row in ROWS}
    catalog = load_catalog()
    assert groups <= {column.name for column in catalog.questions["drives"].columns}
    unused = {"unknown_hours", "down_hours", "idle_hours"}
    assert groups - unused <= set(catalog.relations["gold.family_rate"].column_names)


def test_states_of_drives_are_buckets() -> None:
    checks = load_catalog().relations["silver.drive_state"].checks
    states = next(check.kwargs["value_set"] for check in checks if check.kwargs.get("column") == "state")
    assert set(states) <= {row["bucket"] for row in ROWS}


def test_colours_tell_groups_apart_and_none_is_red() -> None:
    colours = {row["time_group"]: row["colour"] for row in ROWS}
    assert len(set(colours.values())) == len(colours) == len({row["symbol"] for row in ROWS})
    for colour in colours.values():
        red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
        assert not (red > 150 and green < 110 and blue < 110), "red is kept for findings"


def test_a_table_whose_rows_differ_from_the_contract_is_filled_again(tmp_path: Path) -> None:
    site = Site(name="constants", root=tmp_path)
    with Warehouse(site).write("test") as connection:
        for _ in range(2):
            with transaction(connection):
                assert create_tables(connection, load_catalog()) == []
                found = connection.execute(
                    f"SELECT count(*), max(colour) FROM {LAKE}.gold.drive_time_bucket"
                ).fetchone()
                assert found == (len(ROWS), max(row["colour"] for row in ROWS))
                connection.execute(f"UPDATE {LAKE}.gold.drive_time_bucket SET colour = 'x' WHERE number = 3")
