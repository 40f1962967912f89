"""Drive time has one taxonomy: report, page, command line and metrics show the same hours, words and colours.

On the sample archive all its numbers agree, wherever they are shown: `SHOWS` lists what is looked at.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families
from streamlit.testing.v1 import AppTest

from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.contracts import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.format import counted, fixed, price, quantity
from pipelines.reporting import delivery
from pipelines.reporting.delivery import prometheus
from pipelines.reporting.report import Report, make_report, write_report
from pipelines.warehouse.connection import LAKE, Warehouse, transaction
from pipelines.warehouse.tables import create_tables
from support import report_site as stand
from support.app import at
from support.served import APP, DEADLINE_S

DAYS = ("--site", "SITE", f"first_day={stand.DAY}", f"last_day={stand.DAY}")
SITE = 'name = "stand"\nzone = "America/Chicago"\n'
Shown = dict[str, tuple[str, str, float]]  # by bucket: its group in words, the colour, hours


def rows() -> list[dict[str, Any]]:
    """The relation, as its SQL stands."""
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
    assert dict(zip(colours["domain"], colours["range"], strict=True)) == {w: c for w, c, _ in expected.values()}
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


@dataclass(frozen=True)
class Night:
    """The numbers of the sample archive's last day, as its questions have them, and its report."""

    site: Site
    headline: dict[str, Any]
    hours: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    losses: list[dict[str, Any]]
    report: Report
    folder: Path  # a scratch folder with the report's files

    def files(self) -> dict[str, Path]:
        return {path.suffix[1:]: path for path in self.folder.glob("report-*")}


@pytest.fixture(scope="module")
def night(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Night:
    site, catalog = steps.site_at(sample), load_catalog()
    report = make_report(site, catalog, None, None)
    days = {"first_day": str(report.first_day), "last_day": str(report.last_day)}
    asked = {
        name: ask(site, catalog, name, days).as_dicts()
        for name in ("headline", "ledger_waterfall", "findings", "losses")
    }
    folder = tmp_path_factory.mktemp("night")
    write_report(report, folder)
    assert len(asked["ledger_waterfall"]) > 10 and len(asked["findings"]) > 10 and asked["losses"]
    (headline,) = asked["headline"]
    return Night(site, headline, asked["ledger_waterfall"], asked["findings"], asked["losses"], report, folder)


def in_one_sentence(night: Night) -> list[str]:
    """The headline's numbers as people read them."""
    row = night.headline
    return [
        f"{quantity(row['moved_tb'], 'TB')} moved on {counted(row['n_drives'], 'drive')}",
        f"data moved in {fixed(row['moving_data_hours'], 'h')} of {fixed(row['available_hours'], 'h')} drive-hours",
        f"drive rate {quantity(row['drive_rate_mb_s'], 'MB/s')}",
        f"overall rate {quantity(row['overall_rate_mb_s'], 'MB/s')}, f = {fixed(row['f'], '1')}",
        price(night.losses[0]),
    ]


def of_the_report(night: Night) -> None:
    sections = {s["id"]: s for s in json.loads(night.files()["json"].read_text())["sections"]}
    waterfall, stack = sections["hours"]["figures"]
    bars = {bar["name"]: bar["value"] for bar in waterfall["bars"]}
    assert bars == pytest.approx({row["bucket"]: row["bucket_hours"] for row in night.hours})
    by_group: Counter[str] = Counter()
    for row in night.hours:
        by_group[row["time_group"]] += row["bucket_hours"]
    drives = {
        group["name"]: sum(hours[place] for hours in stack["rows"].values())
        for place, group in enumerate(stack["groups"])
    }
    assert {name: hours for name, hours in drives.items() if hours} == pytest.approx(dict(by_group), abs=1e-6)
    assert all(part in sections["summary"]["sentences"][0] for part in in_one_sentence(night))
    cards = {(card["id"], card["severity"], card["price"]) for card in sections["findings"]["findings"]}
    assert cards == {(row["finding_id"], row["severity"], price(row)) for row in night.findings}
    assert [loss["price"] for loss in sections["losses"]["losses"]] == [price(row) for row in night.losses[:3]]


def of_its_page_and_text(night: Night) -> None:
    for form in ("html", "txt"):
        content = night.files()[form].read_text()
        shown = unescape(re.sub(r"<[^>]+>", " ", content)) if form == "html" else content
        text = re.sub(r"\s+", " ", shown)
        parts = [*in_one_sentence(night), *(price(row) for row in night.findings)]
        parts += [quantity(row["bucket_hours"], "h") for row in night.hours]
        assert not [part for part in parts if part not in text], form


def of_the_command_line(night: Night) -> None:
    where = ["--site", str(night.site.root), f"first_day={night.report.first_day}", f"last_day={night.report.last_day}"]

    def printed(name: str, form: str) -> str:
        return CliRunner().invoke(cli, ["ask", name, "--format", form, *where], catch_exceptions=False).stdout

    for name, rows in (("headline", [night.headline]), ("ledger_waterfall", night.hours), ("findings", night.findings)):
        found = json.loads(printed(name, "json"))
        numbers = {key for row in rows for key, value in row.items() if isinstance(value, (int, float))}
        assert len(found) == len(rows) and numbers
        for one, other in zip(found, rows, strict=True):
            assert {key: one[key] for key in numbers} == pytest.approx({key: other[key] for key in numbers})
    table = printed("headline", "table")
    assert all(fixed(night.headline[name], unit) in table for name, unit in (("moved_tb", "TB"), ("f", "1")))


def of_the_prometheus_file(night: Night) -> None:
    file = night.folder / "night.prom"
    prometheus.write(file, delivery.collect(night.site, load_catalog(), night.report, night.files()))
    samples = [one for family in text_string_to_metric_families(file.read_text()) for one in family.samples]

    def by(name: str, label: str) -> dict[str, float]:
        values: Counter[str] = Counter()
        for one in samples:
            if one.name == f"tapescope_{name}":
                values[one.labels[label]] += one.value
        return dict(values)

    assert by("drive_hours", "bucket") == pytest.approx({row["bucket"]: row["bucket_hours"] for row in night.hours})
    for name, column in (
        ("moved_terabytes", "moved_tb"),
        ("drive_rate_megabytes_per_second", "drive_rate_mb_s"),
        ("overall_rate_megabytes_per_second", "overall_rate_mb_s"),
    ):
        assert by(name, "site") == pytest.approx({night.site.name: night.headline[column]})
    assert by("finding", "severity") == Counter(row["severity"] for row in night.findings)
    for name, column in (("lost_hours", "lost_hours"), ("gain_gb_per_day", "gain_gb_day")):
        sums: Counter[str] = Counter()
        for row in night.findings:
            if row[column] is not None:
                sums[row["entity"]] += row[column]
        assert by(f"finding_{name}", "entity") == pytest.approx(dict(sums))


def of_the_pages(night: Night) -> None:
    """Tonight, Time and Drives: the sentence, every bar, every finding's number, every drive's hours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPESCOPE_SITE", str(night.site.root))
        tonight, time, drives = (
            at(AppTest.from_file(APP, default_timeout=DEADLINE_S), page).run() for page in ("tonight", "time", "drives")
        )
    row = night.headline
    moved = f"{quantity(row['moved_tb'], 'TB')} moved on {counted(row['n_drives'], 'drive')}"
    rates = [quantity(row[name], "MB/s") for name in ("overall_rate_mb_s", "drive_rate_mb_s")]
    assert all(part in tonight.error[0].value for part in (moved, *rates))
    by_group: Counter[str] = Counter()
    for one in night.hours:
        by_group[one["group_words"]] += one["bucket_hours"]
    bars = drawn_rows(tonight, "bucket_hours")
    shown: Counter[str] = Counter()
    for bar in bars:
        shown[re.sub(r" [\d.,]+ %$", "", bar["group_words"])] += bar["bucket_hours"]
    assert shown == pytest.approx(by_group)
    gains = Counter(fixed(one["gain_gb_day"], "GB/day") for one in night.findings if one["gain_gb_day"])
    assert Counter(one.value for one in tonight.metric if one.label == "GB/day gain") == gains
    steps_of_time = {bar["bucket"]: bar["bucket_hours"] for bar in drawn_rows(time, "bucket_hours")}
    assert steps_of_time == pytest.approx({one["bucket"]: one["bucket_hours"] for one in night.hours})
    table = next(one.value for one in drives.dataframe if {"drive", "moved_gb"} <= set(one.value.columns))
    assert table["moved_gb"].sum() / 1000 == pytest.approx(row["moved_tb"]) and len(table) == row["n_drives"]


def drawn_rows(app: AppTest, column: str) -> list[dict[str, Any]]:
    """The rows of the first chart that draws a column."""
    for chart in app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart"):
        for dataset in chart.proto.datasets:
            rows = pl.read_ipc_stream(dataset.data.data)
            if column in rows.columns:
                return rows.to_dicts()
    raise AssertionError(f"no chart draws {column}")


# A page joins by a function of its own: it looks at what the page shows of this night.
SHOWS: tuple[Callable[[Night], None], ...] = (
    of_the_report,
    of_its_page_and_text,
    of_the_command_line,
    of_the_prometheus_file,
    of_the_pages,
)


@pytest.mark.parametrize("look", SHOWS, ids=lambda look: look.__name__)
def test_all_numbers_of_the_sample_archive_agree(night: Night, look: Callable[[Night], None]) -> None:
    look(night)


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
