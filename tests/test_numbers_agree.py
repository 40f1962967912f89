"""All numbers of a sample archive agree, wherever they are shown: pages, report, command line and Prometheus file.

`SHOWS` lists what is looked at, for the archive of Enstore and for that of CTA. What a page shows is compared with the
answers of `ask` to the questions it asked: each row of a table, each row of a chart. Sums of what it shows are
compared with the night's totals, which report, command line and Prometheus file have, and the report's tables with
pages.
"""

import json
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families
from streamlit.testing.v1 import AppTest

from dashboards import data, tables
from dashboards.pages import find_parts, find_views
from pipelines import steps
from pipelines.answers import question as questions
from pipelines.answers.question import Answer, ask
from pipelines.catalog.contracts import Column
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives import format
from pipelines.primitives.format import counted, fixed, percent, price, quantity
from pipelines.reporting import delivery
from pipelines.reporting.delivery import prometheus
from pipelines.reporting.report import Report, make_report, write_report
from pipelines.warehouse.connection import Warehouse
from support.app import at, drawn, drawn_rows
from support.served import APP, DEADLINE_S

PAGES = tuple(view.name for view in find_views() if find_parts(view.name))
# Tables of these parts are no question's rows: models make them, or documents print them.
MADE = {("plan", "sizing"), ("plan", "whatif"), ("plan", "campaigns"), ("plan", "growth"), ("plan", "buffers")}
MADE |= {("about", "studies"), ("about", "missing")}
# Sums over what a page shows of a night, by question and column: the night's total that they are.
TOTALS = {
    ("drives", "moved_gb"): "moved_gb",
    ("drives", "n_sessions"): "n_sessions",
    ("drives", "n_files"): "n_files",
    ("drives", "moving_data_hours"): "moving_data_hours",
    ("data_set_costs", "volume_gb"): "moved_gb",
    ("data_set_costs", "n_mounts"): "n_sessions",
    ("data_set_costs", "n_files"): "n_files",
    ("remount_cost", "n_mounts"): "n_sessions",
    ("drive_health", "volume_gb"): "moved_gb",
    ("topology", "moved_gb"): "moved_gb",
    ("ledger_waterfall", "bucket_hours"): "available_hours",
}
Rows = list[dict[str, Any]]
Key = tuple[tuple[str, str], ...]  # a question and what it was asked with


@dataclass(frozen=True)
class Shown:
    """A part of a page as it opens: its tables and charts, and the answers of `ask` to what it asked."""

    name: tuple[str, str]
    tables: list[Rows]
    charts: list[Rows]
    answers: dict[tuple[str, Key], Answer]
    app: AppTest


@dataclass(frozen=True)
class Night:
    """The numbers of a sample archive's last day, as its questions have them, its report and its pages."""

    site: Site
    headline: dict[str, Any]
    hours: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    losses: list[dict[str, Any]]
    report: Report
    folder: Path  # a scratch folder with the report's files

    def files(self) -> dict[str, Path]:
        return {path.suffix[1:]: path for path in self.folder.glob("report-*")}

    @cached_property
    def parts(self) -> list[Shown]:
        """Every part of every page that this archive has."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TAPESCOPE_SITE", str(self.site.root))
            answers: dict[tuple[str, Key], Answer] = {}
            found = [look(self.site, page, part.name, answers) for page in PAGES for part in find_parts(page)]
        return [one for one in found if one is not None]


@pytest.fixture(scope="module", params=["sample", "cta"])
def night(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Night:
    site, catalog = steps.site_at(request.getfixturevalue(request.param)), load_catalog()
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


def look(site: Site, page: str, part: str, known: dict[tuple[str, Key], Answer]) -> Shown | None:
    """A part as it opens, or None where the archive does not have it and another is shown.

    What it asked is answered once more, by `ask` itself; what another part has asked alike is known.
    """
    with asking() as asked:
        app = AppTest.from_file(APP, default_timeout=DEADLINE_S)
        app.query_params["part"] = part
        at(app, page).run()
    assert not app.exception, (page, part)
    if any("Part “" in one.value for one in app.warning):
        return None
    catalog = load_catalog()
    with Warehouse(site).read() as connection:
        for name, params in asked - known.keys():
            known[name, params] = questions.answer(connection, catalog, name, dict(params))
    answers = {question: known[question] for question in asked}
    charts = [pl.read_ipc_stream(one.data.data).to_dicts() for chart in drawn(app) for one in chart.proto.datasets]
    shown = [one.value.to_dict("records") for one in app.dataframe]
    return Shown((page, part), list(filter(None, shown)), list(filter(None, charts)), answers, app)


@contextmanager
def asking() -> Iterator[set[tuple[str, Key]]]:
    """The questions that pages ask meanwhile, and with what; they get their answers as ever."""
    asked: set[tuple[str, Key]] = set()
    from_pages = data.ask

    def noted(name: str, snapshot: int, params: dict[str, str]) -> data.Asked:
        asked.add((name, tuple(sorted(params.items()))))
        return from_pages(name, snapshot, params)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "ask", noted)
        yield asked


def in_one_sentence(night: Night) -> list[str]:
    """The headline's numbers as people read them."""
    row = night.headline
    return [
        f"{quantity(row['moved_tb'], 'TB')} moved on {counted(row['n_drives'], 'drive')}",
        f"data moved in {fixed(row['moving_data_hours'], 'h')} of {fixed(row['available_hours'], 'h')} drive-hours",
        f"drive rate {quantity(row['drive_rate_mb_s'], 'MB/s')}",
        f"overall rate {quantity(row['overall_rate_mb_s'], 'MB/s')}, efficiency {percent(row['f'])}",
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
    verdict = [one.value for one in (*tonight.error, *tonight.warning) if moved in one.value]
    assert len(verdict) == 1 and all(rate in verdict[0] for rate in rates)
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


def of_a_page(night: Night, page: str) -> None:
    """Every row of every table is one of the answer that `ask` gives, and so is every row of a chart."""
    parts = [one for one in night.parts if one.name[0] == page]
    assert parts
    for one in parts:
        for rows in one.tables:
            fits = [answer for answer in one.answers.values() if set(rows[0]) <= names_of(answer)]
            assert fits or one.name in MADE, f"{one.name}: no question has {list(rows[0])}"
            assert not fits or any(holds(answer, rows) for answer in fits), f"{one.name}: {rows[:3]}"
        for rows in one.charts:
            fits = [answer for answer in one.answers.values() if measures(answer, rows)]
            assert not fits or any(holds(answer, rows) for answer in fits), f"{one.name}: {rows[:3]}"


def names_of(answer: Answer) -> set[str]:
    return {column.name for column in answer.columns}


def measures(answer: Answer, rows: Rows) -> bool:
    """Whether a chart draws a question's numbers under the question's names: of things, and of numbers."""
    return (
        len({format.is_number(column) for column in answer.columns if column.name in rows[0] and is_plain(column)}) == 2
    )


def is_plain(column: Column) -> bool:
    """Whether tables and charts show its values as they are, or in percent: no link, no instant, no word for a code."""
    return column.type in (*format.NUMBERS, "VARCHAR") and column.name not in (*tables.LINKS, "drive_rate_basis")


def holds(answer: Answer, shown: Rows) -> bool:
    """Whether each row that is shown is a row of the answer; shares may be in percent, all of them or none."""
    columns = [column for column in answer.columns if column.name in shown[0] and is_plain(column)]
    known = deque(answer.as_dicts())
    return any(all(is_among(known, row, columns, percent) for row in shown) for percent in (1, 100))


def is_among(known: deque[dict[str, Any]], row: dict[str, Any], columns: list[Column], percent: int) -> bool:
    """Whether one of the known rows is this one. Most are shown in their order: the search goes on at the last one."""
    for _ in range(len(known)):
        if is_row(row, known[0], columns, percent):
            return True
        known.rotate(-1)
    return False


def is_row(row: dict[str, Any], known: dict[str, Any], columns: list[Column], percent: int) -> bool:
    """Whether a row that is shown has the numbers and the names of a known one.

    A page may write more than the name ("LTO-4 forwards"), or a word where the answer has none ("all groups").
    """
    for column in columns:
        here, there = row[column.name], known[column.name]
        if not format.is_number(column):
            if there and not str(here).startswith(there):
                return False
        elif is_nothing(here) or is_nothing(there):
            if not (is_nothing(here) and is_nothing(there)):
                return False
        elif not math.isclose(here, there * (percent if format.is_share(column) else 1), rel_tol=1e-8, abs_tol=1e-12):
            return False
    return True


def is_nothing(value: Any) -> bool:
    """None, or what a frame has in place of it."""
    return value is None or math.isnan(value)


def of_totals(night: Night) -> None:
    """Sums over the rows of pages are the totals of the headline, which report and Prometheus file have."""
    totals = night.headline | {"moved_gb": 1000 * night.headline["moved_tb"]}
    days = {"first_day": str(night.report.first_day), "last_day": str(night.report.last_day)}
    summed = set()
    for one in night.parts:
        for (name, params), answer in one.answers.items():
            for question, column in TOTALS:
                if question == name and dict(params) == days | dict(params) and not dict(params).get("n_days"):
                    place = [found.name for found in answer.columns].index(column)
                    total = sum(row[place] or 0 for row in answer.rows)
                    assert total == pytest.approx(totals[TOTALS[question, column]]), (one.name, question, column)
                    summed.add((question, column))
    assert summed == set(TOTALS)


def of_the_reports_tables(night: Night) -> None:
    """Where report and pages ask the same question of the same days, they have the same rows."""
    asked: dict[str, list[Answer]] = defaultdict(list)
    days = {"first_day": str(night.report.first_day), "last_day": str(night.report.last_day)}
    for one in night.parts:
        for (name, params), answer in one.answers.items():
            if dict(params) == days:
                asked[name].append(answer)
    compared = 0
    for section in night.report.sections:
        for table in section.tables:
            if asked[table.question] and table.rows:
                names = [column.name for column in table.columns]
                shown = [dict(zip(names, row, strict=True)) for row in table.rows]
                assert all(holds(answer, shown) for answer in asked[table.question]), table.title
                compared += 1
    assert compared >= 3


def of_the_models(night: Night) -> None:
    """Plan: the drives needed, what is on tape and what buffers would have served are what the commands compute."""
    plan = {one.name[1]: one for one in night.parts if one.name[0] == "plan"}
    sizing = plan["sizing"].app
    like = next(box for box in sizing.selectbox if box.label == "Drives like").value
    traffic = ("--traffic", "all=400,2,10x1000", "--drives-like", like, "--availability", "0.9")
    needed = forecast(night, "drives", *traffic)["drives"][0]
    value, low, high = map(
        float, re.findall(r"[\d.]+", next(a.value for a in sizing.text if "Estimate: " in a.value))[:3]
    )
    assert needed["needed_drives"] == pytest.approx(value, rel=0.01)
    assert (needed["needed_drives_low"], needed["needed_drives_high"]) == pytest.approx((low, high), rel=0.02)
    assert any(a.value.startswith(f"{needed['n_whole']:,} drives needed") for a in sizing.header)
    held = next(a.value for a in plan["growth"].app.text if " on tape at the end of " in a.value)
    args = ["forecast", "growth", "--site", str(night.site.root)]
    assert held.split(" on tape")[0] in CliRunner().invoke(cli, args, catch_exceptions=False).output
    (families,) = (rows for rows in plan["buffers"].tables if "file family" in rows[0])
    printed = {row["family"]: row for row in forecast(night, "buffer")["drives_families"]}
    assert {row["file family"] for row in families} == set(printed)
    for row in families:
        same = printed[row["file family"]]
        assert (row["reads"], row["read [TB]"]) == (same["n_reads"], round(same["read_tb"], 3))
        if same["flat_from_tb"] is not None:
            label = "buffer size beyond which each doubling would serve less than a further 1 % of the bytes [TB]"
            assert row[label] == same["flat_from_tb"]
            assert row["share of bytes read again"] == format.percent(same["again_share"])


def forecast(night: Night, *command: str) -> dict[str, list[dict[str, Any]]]:
    """The tables that a command of `forecast` prints as JSON, by name."""
    args = ["forecast", *command, "--format", "json", "--site", str(night.site.root)]
    found: dict[str, list[dict[str, Any]]] = json.loads(CliRunner().invoke(cli, args, catch_exceptions=False).stdout)
    return found


# A place joins by a function of its own: it looks at what is shown there of this night.
SHOWS: tuple[Callable[[Night], None], ...] = (
    of_the_report,
    of_its_page_and_text,
    of_the_command_line,
    of_the_prometheus_file,
    of_the_pages,
    of_totals,
    of_the_reports_tables,
    of_the_models,
)


@pytest.mark.parametrize("look", SHOWS, ids=lambda look: look.__name__)
def test_all_numbers_of_a_sample_archive_agree(night: Night, look: Callable[[Night], None]) -> None:
    look(night)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_ask_answers(night: Night, page: str) -> None:
    of_a_page(night, page)
