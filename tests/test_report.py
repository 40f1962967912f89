"""The nightly report: three forms that say the same, of hostile logs, of nothing, and after a failure."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pipelines.catalog import Column, load_catalog
from pipelines.config import Drive, Site, Station
from pipelines.hostile import visible
from pipelines.report import Report, make_report, write_report
from pipelines.report.cells import label, number, percent, show
from pipelines.report.tree import Stack, Table, Waterfall
from pipelines.tables import create_tables
from pipelines.warehouse import Warehouse, transaction

# These share one warehouse: one process makes it.
pytestmark = pytest.mark.xdist_group("report")

DAY = date(2010, 6, 15)
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202egnp.exe & \"'`{{ 7 * 7 }}\n</style></svg></pre>"
FORMS = ("html", "txt", "json")
US_DAY = 86_400_000_000


def insert(connection: Any, table: str, *rows: dict[str, Any]) -> None:
    for row in rows:
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO lake.{table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def finding(rule: str, entity: str, **more: Any) -> dict[str, Any]:
    usual = {
        "day": DAY,
        "first_day": DAY,
        "finding_id": f"{rule}-{entity}",
        "severity": "warning",
        "state": "new",
        "started_at": datetime(2010, 6, 15, 13),
        "ended_at": datetime(2010, 6, 15, 15),
        "lost_hours": 2.0,
        "lost_gb_day": 300.0,
        "confidence": "high",
        "text": f"{entity}: it happened.",
        "means": "It means this.",
        "look_at": "Look there.",
        "evidence": "[]",
    }
    return {"rule": rule, "entity": entity} | usual | more


def lines(*numbers: int, text: str = "a line of the log") -> str:
    return json.dumps(
        [{"path": f"logs/{text}", "line_no": n, "at": "2010-06-15 13:00:00", "text": text} for n in numbers]
    )


def make_site(folder: Path) -> Site:
    return Site(
        name="test stand",
        zone="America/Chicago",
        root=folder,
        station=(Station(name="s1", aliases=("s-1",)), Station(name="s2", role="scanning")),
        drive=(Drive(name="D1"), Drive(name="D2")),
    )


def make_tables(site: Site) -> None:
    with Warehouse(site).write("test") as connection, transaction(connection):
        create_tables(connection, load_catalog())


def fill(site: Site, drive: str = "D1", station: str = "s1", text: str = "a line of the log") -> None:
    """A day of two drives: 6 h moved data, 1.5 h nobody knows of, 6 h down; a station of two is kept busy by half."""
    parts = {
        drive: {"transfer": 6, "request": 2, "mount": 1, "unknown": 1.5, "idle": 13.5},
        "D2": {"down": 6, "idle": 18},
    }
    hour = US_DAY // 24
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"zone": site.zone, "duty_threshold_mb_s": 5.0, "expected_gap_s": 2.0})
        insert(connection, "site.drive", {"drive": drive, "generation": text}, {"drive": "D2", "generation": "LTO-4"})
        insert(
            connection, "site.station", {"station": station, "role": "migration"}, {"station": "s2", "role": "scanning"}
        )
        for name, buckets in parts.items():
            for bucket, hours in buckets.items():
                row = {"day": DAY, "drive": name, "bucket": bucket, "duration_us": int(hours * hour), "day_us": US_DAY}
                insert(connection, "gold.drive_ledger", row)
        insert(
            connection,
            "gold.session_rate",
            {"day": DAY, "session_id": "1", "station": station, "drive": drive, "volume": "V1", "mode": "read"}
            | {"requested_at": datetime(2010, 6, 15, 13), "n_files": 1234, "volume_gb": 1600.0, "drive_s": 20000.0}
            | {"drive_rate_basis": "call", "wall_s": 32000.0, "drive_rate_mb_s": 80.0, "overall_rate_mb_s": 50.0}
            | {"f": 0.625},
        )
        for name in (station, "s2"):
            row = {"day": DAY, "station": name, "direction": "in", "n_bins": 48, "n_active": 24}
            insert(
                connection, "gold.duty_factor", row | {"n_active_half": 24, "n_active_twice": 12, "active_gb": 4320.0}
            )
        insert(
            connection,
            "ops.coverage",
            {
                "source": "enstore_log",
                "host": "stk",
                "hour_at": datetime(2010, 6, 15, 6),
                "expected_s": 3600.0,
                "seen_s": 900.0,
            },
        )
        insert(connection, "ops.build", {"build_id": "1-abc", "number": 1, "is_committed": True})
        insert(
            connection,
            "ops.file",
            {
                "file_id": "f1",
                "path": f"logs/{text}",
                "source": "enstore_log",
                "state": "loaded",
                "sha256": "5ha",
                "from_offset": 0,
            }
            | {"n_lines": 3, "n_used": 2, "n_skipped": 0, "n_rejected": 1, "n_records": 2},
        )
        insert(connection, "ops.reject", {"file_id": "f1", "line_no": 3, "reason": "bad_value", "text": text})
        insert(
            connection,
            "gold.finding",
            finding("long_gap", f"{station}/{drive}", text=text, evidence=lines(1, 2, 3, 4, text=text)),
            finding("long_gap", "s1/D2", state="open", lost_gb_day=100.0),
            finding("drive_down", "D2", severity="critical", lost_hours=6.0, lost_gb_day=777.0, evidence="no JSON"),
            finding("source_silent", "vmstat/s1", lost_gb_day=None),
            finding(
                "a rule of old", "D2", lost_hours=None, lost_gb_day=None, means=None, look_at=None, confidence=None
            ),
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = make_site(tmp_path_factory.mktemp("report"))
    make_tables(site)
    fill(site)
    yield site


@pytest.fixture(scope="module")
def report(site: Site) -> Report:
    return make_report(site, load_catalog(), None, None)


@pytest.fixture(scope="module")
def written(report: Report, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("written")
    paths = write_report(report, folder)
    assert {suffix: path.name for suffix, path in paths.items()} == {f: f"report-2010-06-15.{f}" for f in FORMS}
    assert len(list(folder.iterdir())) == len(FORMS), "half-written files are left"
    return {suffix: path.read_text(encoding="utf-8") for suffix, path in paths.items()}


def words_of(html: str) -> str:
    """What a reader of the page sees, without what draws it."""
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", body))


def squeezed(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def test_every_section_is_in_every_form(report: Report, written: dict[str, str]) -> None:
    assert [section.number for section in report.sections] == [0, 1, 2, 3, 5, 6, 12, 13, 14]
    assert [section["number"] for section in json.loads(written["json"])["sections"]] == [0, 1, 2, 3, 5, 6, 12, 13, 14]
    for section in report.sections:
        assert f"\n{section.number}. {section.title} ---" in written["txt"]
        if section.number:
            assert f'id="section-{section.number}"' in written["html"]


def test_same_input_gives_same_bytes(site: Site, report: Report, written: dict[str, str], tmp_path: Path) -> None:
    again = make_report(site, load_catalog(), None, None)
    assert again == report
    for suffix, path in write_report(again, tmp_path).items():
        assert path.read_text(encoding="utf-8") == written[suffix]


def test_page_stands_alone(written: dict[str, str]) -> None:
    html = written["html"]
    assert not re.search(r"https?:|<script|<link|<img|@import|javascript:|\bon\w+=", html, re.IGNORECASE)
    assert not re.search(r"(?:src|href)=\"(?!#)|url\((?!#)", html), "an address outside of the page"
    assert html.count("<svg") == 2
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', html)) | set(re.findall(r"url\(#([^)]*)\)", html)) <= set(ids)


def tables(report: Report) -> list[Table]:
    return [table for section in report.sections for table in section.tables]


def test_numbers_agree(report: Report, written: dict[str, str]) -> None:
    """Every cell of every table, as the tree has it: shown in text and page, and plain in the JSON."""
    page, text = squeezed(words_of(written["html"])), squeezed(written["txt"])
    plain = [table for section in json.loads(written["json"])["sections"] for table in section["tables"]]
    shown = [table for table in tables(report) if table.rows]
    assert len(shown) >= 8
    for table, held in zip(tables(report), plain, strict=True):
        assert [column["name"] for column in held["columns"]] == [column.name for column in table.columns]
        assert held["rows"] == json.loads(
            json.dumps(table.rows, default=lambda v: v.isoformat() + "Z" * isinstance(v, datetime))
        )
        for row in table.rows:
            cells = "".join(squeezed(show(v, c, report.zone)) for v, c in zip(row, table.columns, strict=True))
            assert cells in page, (table.title, row)
            assert cells in text, (table.title, row)


def test_sentences_figures_and_cards_agree(report: Report, written: dict[str, str]) -> None:
    page, text = squeezed(words_of(written["html"])), squeezed(written["txt"])
    whole = squeezed(unescape(written["html"]))
    for section in report.sections:
        said = [*section.sentences, *section.notes, *(value for _, value in section.facts)]
        said += [
            part for loss in section.losses for part in (loss.title, loss.price, loss.period, loss.where, loss.action)
        ]
        for card in section.findings:
            said += [card.title, card.price, card.text, card.confidence, card.period]
            said += [part for line in card.evidence for part in (line.place, line.at, line.text)]
        for part in said:
            assert squeezed(visible(part)) in page, part
            assert squeezed(visible(part)) in text, part
        for figure in section.figures:
            names = [bar.name for bar in figure.bars] if isinstance(figure, Waterfall) else list(figure.rows)
            if isinstance(figure, Waterfall):
                names += [f"{number(bar.value)}h{squeezed(percent(bar.share))}" for bar in figure.bars]
            assert names and all(name in whole and name in text for name in names)


def test_what_was_seen_comes_first(report: Report) -> None:
    header, sentence, ledger, losses = report.sections[:4]
    facts = dict(header.facts)
    # 3600 s were declared and 900 seen: a quarter; 1.5 h of two drives' 48 are unknown
    assert facts["seen: enstore_log"] == "0.25 of 1.00 h (25.00 %); 0.75 h missing"
    assert facts["verdict"] == "given; 1.50 of 48.00 drive-hours have no log"
    assert sentence.sentences == [
        "1.60 TB moved on 2 drives, 15 June 2010 (1,234 files, 1 mount): data moved in 6.00 of 48.00 drive-hours"
        " (12 %), drive rate 80.00 MB/s (basis call), overall rate 50.00 MB/s, f = 0.62; worst: drive is down (D2),"
        " at most 777.0 GB/day."
    ]
    waterfall, stack = ledger.figures
    assert isinstance(waterfall, Waterfall) and isinstance(stack, Stack)
    assert [bar.name for bar in waterfall.bars] == ["unknown", "down", "idle", "mount", "request", "transfer"]
    assert sum(bar.value for bar in waterfall.bars) == pytest.approx(48)
    assert {name: sum(row) for name, row in stack.rows.items()} == {"D1": pytest.approx(24), "D2": pytest.approx(24)}
    # a rule's findings are one cause: 300 + 100
    assert [loss.price for loss in losses.losses] == [
        "at most 777.0 GB/day, 6.00 h lost",
        "at most 400.0 GB/day, 4.00 h lost",
    ]
    assert losses.losses[1].where == "s1/D1, s1/D2"


def test_scanning_is_no_zero(report: Report, written: dict[str, str]) -> None:
    duty = next(table for table in tables(report) if table.question == "duty_table")
    assert [row[:3] for row in duty.rows] == [("s1", "migration", 0.5), ("s2", "scanning", "scanning")]
    # 24 active half-hours with 4320 GB: 4320e3 / (24 x 1800) = 100 MB/s
    assert [row[6] for row in duty.rows] == [100.0, 100.0]


def test_red_has_an_action(report: Report, written: dict[str, str]) -> None:
    cards = report.sections[6].findings
    assert [(card.severity, card.state) for card in cards][-1] == ("warning", "open")
    assert written["html"].count('class="finding critical"') == 1
    assert all(card.look_at for card in cards if card.severity == "critical")
    assert [card.is_repeat for card in cards].count(True) == 0  # the two long_gap cards do not stand together


def test_every_number_can_show_its_sql(report: Report, written: dict[str, str]) -> None:
    queries = {query.name: query for query in report.sections[-1].queries}
    asked = {table.question for table in tables(report)} | {f.question for s in report.sections for f in s.figures}
    assert asked <= queries.keys()
    for query in queries.values():
        assert query.params.get("last_day", str(DAY)) == str(DAY)
        for form in (words_of(written["html"]), written["txt"]):
            assert squeezed(query.sql) in squeezed(form)
    assert dict(report.sections[-1].facts)["build"] == "1-abc"


def test_units_are_printed(report: Report, written: dict[str, str]) -> None:
    for table in tables(report):
        for column in table.columns:
            if column.unit and column.unit != "1" and table.rows:
                assert f">{label(column)}<small>{column.unit}</small>" in written["html"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A report on a site whose logs, files and names were all written by somebody who means harm."""
    site = make_site(tmp_path_factory.mktemp("hostile"))
    make_tables(site)
    fill(site, drive=f"D1{HOSTILE}", station=f"s1{HOSTILE}", text=HOSTILE)
    made = make_report(site, load_catalog(), None, None, [HOSTILE])
    return {suffix: path.read_text(encoding="utf-8") for suffix, path in write_report(made, site.root / "out").items()}


def test_hostile_text_does_nothing(hostile: dict[str, str]) -> None:
    for form in FORMS:
        for character in "\x1b\u202e":
            assert character not in hostile[form], form
    assert "<script" not in hostile["html"] and "&lt;script&gt;alert(1)" in hostile["html"]
    assert hostile["html"].count("</style>") == 1 and hostile["html"].count("</svg>") == 2
    assert hostile["html"].count("<pre>") == hostile["html"].count("</pre>")
    assert "{{ 7 * 7 }}" in hostile["html"]
    shown = visible(HOSTILE)
    assert "\\x1b[31m\\u202egnp" in shown and "\\n</style>" in shown
    assert squeezed(shown) in squeezed(hostile["txt"])
    assert squeezed(shown) in squeezed(words_of(hostile["html"]))
    assert json.loads(hostile["json"])["problems"] == [HOSTILE]
    assert hostile["json"].isascii()


def test_lines_of_text_are_not_wider_than_promised(written: dict[str, str]) -> None:
    report_part = written["txt"].split("\n14. ")[0]
    assert max(len(line) for line in report_part.splitlines()) <= 100


def test_nothing_seen_is_said(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    make_tables(site)
    made = make_report(site, load_catalog(), None, None)
    paths = write_report(made, tmp_path / "out")
    assert paths["html"].name == "report-no-data.html"
    text = paths["txt"].read_text(encoding="utf-8")
    for said in ("no log covers any drive", "Nothing was seen: no day has data", "nothing was built yet"):
        assert said in text
    assert not made.problems
    day = write_report(make_report(site, load_catalog(), DAY, DAY), tmp_path / "out")
    assert "Nothing was seen of 15 June 2010" in day["txt"].read_text(encoding="utf-8")


def test_report_is_sent_after_a_failure(tmp_path: Path) -> None:
    """No warehouse at all, for the first ingest failed: the report says both."""
    made = make_report(make_site(tmp_path), load_catalog(), None, DAY, ["ingest failed: no space left"])
    paths = write_report(made, tmp_path / "out")
    for form in FORMS:
        text = paths[form].read_text(encoding="utf-8")
        assert "ingest failed: no space left" in text and "there is no warehouse" in text
    assert not list(tmp_path.rglob("*.sqlite"))


def test_days_without_any_log_are_named(site: Site) -> None:
    facts = dict(make_report(site, load_catalog(), date(2010, 6, 14), DAY).sections[0].facts)
    assert facts["not seen"] == "1 of 2 days have no server log at all, and are in no sum: 14 June 2010"


def test_hours_without_a_log_are_not_judged(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    make_tables(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        for bucket, hours in (("unknown", 20), ("idle", 4)):
            row = {"day": DAY, "drive": "D1", "bucket": bucket, "duration_us": hours * US_DAY // 24, "day_us": US_DAY}
            insert(connection, "gold.drive_ledger", row)
        insert(connection, "gold.finding", finding("drive_down", "D1"))
    header, sentence, _, losses = make_report(site, load_catalog(), None, None).sections[:4]
    assert dict(header.facts)["verdict"] == "withheld: 20.00 of 24.00 drive-hours have no log"
    assert "not judged" in sentence.sentences[0] and "worst" not in sentence.sentences[0]
    assert losses.sentences[0].startswith("Most drive-hours have no log")


def test_a_failed_write_leaves_the_old_report(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write_report(report, tmp_path)
    before = paths["html"].read_bytes()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("pipelines.whole.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(report, tmp_path)
    assert paths["html"].read_bytes() == before
    assert len(list(tmp_path.iterdir())) == len(FORMS)


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        (None, Column("f", "DOUBLE", "", "1"), "–"),
        (0.625, Column("f", "DOUBLE", "", "1"), "0.62"),
        (0.625, Column("share_over_5s", "DOUBLE", "", "1"), "62.5"),
        (1234567, Column("n_lines", "BIGINT", ""), "1,234,567"),
        (0.0004, Column("idle_hours", "DOUBLE", "", "h"), "<0.01"),
        (0.0, Column("idle_hours", "DOUBLE", "", "h"), "0.00"),
        (True, Column("is_committed", "BOOLEAN", ""), "yes"),
        (DAY, Column("day", "DATE", ""), "2010-06-15"),
        (datetime(2010, 6, 15, 5), Column("requested_at", "TIMESTAMP", ""), "2010-06-15 00:00:00 CDT"),
    ],
)
def test_cells(value: Any, column: Column, expected: str) -> None:
    assert show(value, column, "America/Chicago") == expected
