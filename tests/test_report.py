"""The nightly report: three forms with the same content, of hostile logs, of no logs, and after a failure."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any, get_args

import pytest

from pipelines.catalog.contracts import Column
from pipelines.catalog.files import load_catalog
from pipelines.config.recipients import Deliver
from pipelines.config.site import Site, Station
from pipelines.primitives.format import cell, fixed, label, percent
from pipelines.primitives.format import table as format_table
from pipelines.primitives.text import escape_control
from pipelines.reporting.report import Report, figures, make_report, text, write_checks, write_report
from pipelines.reporting.report.html import print_mail
from pipelines.reporting.report.model import Burndown, Figure, Section, Stack, Table, Tornado, Waterfall
from pipelines.reporting.report.queries import Asker
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
from support.browsing import opened
from support.report_site import DAY, US_DAY, fill, finding, insert, make_site, make_tables
from support.served import chromium

pytestmark = pytest.mark.usefixtures("plain_store")

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202egnp.exe & \"'`{{ 7 * 7 }}\n</style></svg></pre>"
FORMS = ("html", "txt", "json")


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
    # numbers follow the order without a hole; ids stay what they are where a section comes or goes
    ids = ["coverage", "summary", "hours", "losses", "stations", "drives", "requests"]
    ids += ["campaigns", "model", "findings", "quality", "reproduce"]
    assert [(section.number, section.id) for section in report.sections] == list(enumerate(ids))
    plain = json.loads(written["json"])["sections"]
    assert [(section["number"], section["id"]) for section in plain] == list(enumerate(ids))
    for section in report.sections:
        assert f"\n{section.number}. {section.title} ---" in written["txt"]
        if section.number:
            assert f'id="section-{section.id}"' in written["html"]


def test_same_input_gives_same_bytes(site: Site, report: Report, written: dict[str, str], tmp_path: Path) -> None:
    again = make_report(site, load_catalog(), None, None)
    assert again == report
    for suffix, path in write_report(again, tmp_path).items():
        assert path.read_text(encoding="utf-8") == written[suffix]


def test_page_stands_alone(written: dict[str, str]) -> None:
    html = written["html"]
    assert not re.search(r"https?:|<script|<link|<img|@import|javascript:|\bon\w+=", html, re.IGNORECASE)
    assert not re.search(r"(?:src|href)=\"(?!#)|url\((?!#)", html), "an address outside of the page"
    assert html.count("<svg") == 4
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', html)) | set(re.findall(r"url\(#([^)]*)\)", html)) <= set(ids)


def test_a_long_fact_stays_next_to_its_name() -> None:
    *first, last = text._facts([("period", "word " * 40), ("last run", "done")])
    assert len(first) > 1 and last == "last run  done"
    assert all(line.startswith(" " * 10 if place else "period    word") for place, line in enumerate(first))


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
            cells = "".join(map(squeezed, format_table(table.columns, [row], report.zone)[1][0]))
            assert cells in page, (table.title, row)
            assert cells in text, (table.title, row)


def test_sentences_figures_and_cards_agree(report: Report, written: dict[str, str]) -> None:
    page, text = squeezed(words_of(written["html"])), squeezed(written["txt"])
    whole = squeezed(unescape(written["html"]))
    for section in report.sections:
        parts = [*section.sentences, *section.notes, *(value for _, value in section.facts)]
        parts += [
            part for loss in section.losses for part in (loss.title, loss.price, loss.period, loss.where, loss.action)
        ]
        for card in section.findings:
            parts += [card.title, card.price, card.text, card.confidence, card.period]
            parts += [part for line in card.evidence for part in (line.place, line.at, line.text)]
        for part in parts:
            # a page shows text between backticks as code
            assert squeezed(escape_control(part)).replace("`", "") in page.replace("`", ""), part
            assert squeezed(escape_control(part)) in text, part
        for figure in section.figures:
            names = [squeezed(escape_control(name)) for name in named(figure)]
            assert names and all(name in whole and name in text for name in names), names


def named(figure: Figure) -> list[str]:
    """The words that must go with a figure, in both forms."""
    match figure:
        case Waterfall():
            return [
                part
                for bar in figure.bars
                for part in (bar.name, f"{fixed(bar.value, figure.unit)}h{percent(bar.share)}")
            ]
        case Stack():
            return list(figure.rows)
        case Burndown():
            return [figure.title]
        case Tornado():
            return [
                part
                for name, low, high in figure.bars
                for part in (name, fixed(low, figure.unit), fixed(high, figure.unit))
            ]


def test_what_is_ahead(report: Report, written: dict[str, str]) -> None:
    """7.5 of 10 TB moved; ten days after 15 June is the 25th; 6 days with a drive more are 4 sooner."""
    ahead, card = report.sections[7:9]
    assert ahead.sentences == [
        "new tapes: 7.50 of 10.00 TB moved until 15 June 2010 (75 %); ends about 25 June 2010 (90 % interval 22 June"
        " 2010 to 30 June 2010), estimated from 7 days; in the next seven days 1.75"
        " TB (1.50 to 2.00) will move; a drive more: 4.0 d sooner.",
        "to come: no log covers any day since the campaign started on 1 January 2030;"
        " the end of the campaign was not estimated.",
        "Of 1 forecast with a known outcome, 0 had the outcome inside the 90 % interval. The expected share is 90 %.",
    ]
    (burn,) = ahead.figures
    assert isinstance(burn, Burndown)
    assert [left for _, left in burn.left] == [4.0, 3.0, 2.5] and (burn.low, burn.days, burn.high) == (7.0, 10.0, 15.0)
    (room,) = ahead.tables
    # M46: 1070 GB at 57 MB/s are 5.2 h; it drains
    assert [round(row[4], 1) for row in room.rows] == [5.2] and room.rows[0][5] is None
    (tornado,) = card.figures
    assert isinstance(tornado, Tornado) and [bar[1:] for bar in tornado.bars] == [(5.0, 8.5), (6.0, 7.0)]
    assert tornado.bars[1][0] == "write: traffic"
    assert card.sentences[0] == (
        "LTO-4 drives needed: 6.5 drives (5.0 to 9.0) for twice the average traffic of 7 days, at the efficiency of the"
        " site's mounts; the site has 1 of these drives."
    )
    assert card.sentences[2] == (
        "a line of the log: cannot estimate costs: 4 mounts for 2 costs; data needed: at least 5 mounts."
    )
    assert card.tables[0].rows == [("a line of the log", 7, None, 80.25, 79.0, 81.5, *[None] * 12)]


def test_what_was_seen_comes_first(report: Report) -> None:
    header, sentence, ledger, losses = report.sections[:4]
    facts = dict(header.facts)
    # 3600 s were declared and 900 covered: a quarter; 1.5 h of two drives' 48 are unknown
    assert facts["covered: enstore_log"] == "0.25 of 1.00 h (25.00 %); 0.75 h missing"
    assert facts["verdict"] == "given; 1.50 of 48.00 drive-hours have no log"
    assert sentence.sentences == [
        "1.60 TB moved on 2 drives, 15 June 2010 (1,234 files, 1 mount): data moved in 6.00 of 48.00 drive-hours"
        " (12 %), drive rate 80.0 MB/s (measured in drive calls), overall rate 50.0 MB/s, efficiency 62 %; worst:"
        " drive out of service (D2), at most 777 GB/day, 6.00 h lost."
    ]
    waterfall, stack = ledger.figures
    assert isinstance(waterfall, Waterfall) and isinstance(stack, Stack)
    assert [bar.name for bar in waterfall.bars] == ["unknown", "down", "idle", "mount", "request", "transfer"]
    assert sum(bar.value for bar in waterfall.bars) == pytest.approx(48)
    assert {name: sum(row) for name, row in stack.rows.items()} == {"D1": pytest.approx(24), "D2": pytest.approx(24)}
    # a rule's findings are one cause: 300 + 100
    assert [loss.price for loss in losses.losses] == [
        "at most 777 GB/day, 6.00 h lost",
        "at most 400 GB/day, 4.00 h lost",
    ]
    assert losses.losses[1].where == "s1/D1, s1/D2"


def test_scanning_is_no_zero(report: Report, written: dict[str, str]) -> None:
    duty = next(table for table in tables(report) if table.question == "duty_table")
    assert [row[:3] for row in duty.rows] == [("s1", "migration", 0.5), ("s2", "scanning", None)]
    sentences = next(section.sentences for section in report.sections if section.id == "stations")
    assert (
        "The duty factor is not computed for scanning stations, which only read tapes to check them: s2." in sentences
    ), "left out is not unseen"
    # 24 active half-hours with 4320 GB: 4320e3 / (24 x 1800) = 100 MB/s
    assert [row[6] for row in duty.rows] == [100.0, 100.0]


def test_red_has_an_action(report: Report, written: dict[str, str]) -> None:
    cards = report.sections[9].findings
    # as on the page Tonight: by severity, then by what they bring: 777; 300, 100, none for 2 h, none at all
    assert [(card.severity, card.id) for card in cards] == [
        ("critical", "drive_down-D2"),
        ("warning", "long_gap-s1/D1"),
        ("warning", "long_gap-s1/D2"),
        ("warning", "source_silent-vmstat/s1"),
        ("warning", "a rule of old-D2"),
    ]
    assert report.sections[9].sentences[0] == "1 critical problem and 4 warnings: 4 new, 1 open."
    assert written["html"].count('class="finding critical"') == 1
    assert all(card.look_at for card in cards if card.severity == "critical")
    assert [card.is_repeat for card in cards] == [False, False, True, False, False]  # the two long_gap cards


def test_findings_and_sections_link_to_their_pages(site: Site, written: dict[str, str], tmp_path: Path) -> None:
    base = "https://tape.example.org/ts/"
    named = site.model_copy(update={"deliver": Deliver(dashboard_url=base)})
    report = make_report(named, load_catalog(), None, None)
    cards = report.sections[9].findings
    # the contents of an id are no part of the address
    assert [card.link for card in cards][1] == f"{base}finding?id=long_gap-s1%2FD1"
    days = "?from=2010-06-15&to=2010-06-15"
    pages = {section.id: section.link for section in report.sections}
    assert pages["summary"] == pages["losses"] == pages["findings"] == base + days
    assert (pages["hours"], pages["requests"]) == (f"{base}time{days}", f"{base}pools{days}")
    forms = {suffix: path.read_text(encoding="utf-8") for suffix, path in write_report(report, tmp_path).items()}
    for card in cards:
        assert f'<a href="{card.link}">' in forms["html"]
        assert f"  page: {card.link}\n" in forms["txt"], "an address is not wrapped"
        assert f'"link": "{card.link}"' in forms["json"]
    for link in pages.values():
        assert f'class="page" href="{link.replace("&", "&amp;")}"' in forms["html"] and link in forms["txt"]
    assert not any(section.link for section in make_report(site, load_catalog(), None, None).sections)
    assert " on the dashboard" not in written["html"] + written["txt"], "without the key there are no links"


def test_a_finding_is_one_card_with_its_nights(tmp_path: Path) -> None:
    """Three nights of a week, the last with two spells; of one night the logs were too thin, of others nothing ran."""
    site = make_site(tmp_path)
    make_tables(site)
    nights = [DAY - timedelta(days=back) for back in (4, 2, 0)]
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"name": "x", "zone": site.zone})
        for day, gain in zip(nights, (10.0, 40.0, 20.0), strict=True):
            more = {"day": day, "first_day": day, "finding_id": "f", "gain_gb_day": gain, "state": "open"}
            insert(connection, "gold.finding", finding("long_gap", "s1/D1", **more))
        later = {"started_at": datetime(2010, 6, 15, 20), "ended_at": datetime(2010, 6, 15, 21), "text": "And again."}
        more = {"finding_id": "f", "gain_gb_day": 5.0, "state": "open"} | later
        insert(connection, "gold.finding", finding("long_gap", "s1/D1", **more))
        for day in (DAY - timedelta(days=1), *nights):
            insert(connection, "ops.detection", {"day": day, "n_findings": 1})
    report = make_report(site, load_catalog(), DAY, DAY)
    section = next(section for section in report.sections if section.id == "findings")
    [card] = section.findings
    assert section.sentences[0] == "1 warning: 1 open."
    assert card.since == "open for 3 nights, first on 11 June 2010"
    # 20:00 UTC is 15:00 in Chicago in June
    assert card.others == [
        "2010-06-15 15:00:00 CDT to 2010-06-15 16:00:00 CDT: And again. (5 GB/day to gain; 2.00 h lost)"
    ]
    # the last night's spells add up: 20 + 5 = 25
    assert len(card.trend) == 30
    assert [(night.outcome, night.size) for night in card.trend[-5:]] == [
        ("fired", 10.0),
        ("not_run", 0.0),
        ("fired", 40.0),
        ("quiet", 0.0),
        ("fired", 25.0),
    ]
    words = "last 30 nights: 3 with the finding, 1 without, 26 not judged"
    forms = {suffix: path.read_text(encoding="utf-8") for suffix, path in write_report(report, tmp_path).items()}
    assert f"{'?' * 25}▂?█·▅  {words}" in forms["txt"]  # eighths of 40: 10 is 2, 25 is 5
    assert f'aria-label="{words}"' in forms["html"]
    assert f"{'?' * 25}▂?█·▅" in print_mail(report)[0], "mail readers leave drawings out"


def test_no_table_is_cut_on_paper_or_a_phone(written: dict[str, str]) -> None:
    """A4 less its margins is 703 px wide; a phone scrolls a wide table, not the page."""
    ends = (
        "() => Math.max(...[...document.querySelectorAll('td, th, p, svg')].map(e => e.getBoundingClientRect().right))"
    )
    with opened(chromium()) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.set_content(written["html"])
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1000})
        assert page.evaluate("() => document.querySelectorAll('td').length") > 100
        assert page.evaluate(ends) <= 703


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
            is_end = column.name.endswith(("_low", "_high"))  # of an interval, in the cell of its value
            if column.unit and column.unit != "1" and table.rows and not is_end:
                assert f">{label(column)}<small>{column.unit}</small>" in written["html"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A report on a site whose logs, files and names were all written with bad intent."""
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
    assert hostile["html"].count("</style>") == 1 and hostile["html"].count("</svg>") == 4
    assert hostile["html"].count("<pre>") == hostile["html"].count("</pre>")
    assert "{{ 7 * 7 }}" in hostile["html"]
    shown = escape_control(HOSTILE)
    assert "\\x1b[31m\\u202egnp" in shown and "\\n</style>" in shown
    assert squeezed(shown) in squeezed(hostile["txt"])
    assert squeezed(shown) in squeezed(words_of(hostile["html"]))
    assert json.loads(hostile["json"])["problems"] == [HOSTILE]
    assert hostile["json"].isascii()


def test_lines_of_text_are_not_wider_than_promised(written: dict[str, str]) -> None:
    report_part = written["txt"].split("\n11. Reproduce")[0]
    assert max(len(line) for line in report_part.splitlines()) <= 100


def test_text_is_the_same_on_any_terminal(
    report: Report, written: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "30", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    assert text.print_report(report) == written["txt"]


def test_every_kind_of_figure_is_printed_and_drawn() -> None:
    for printer in (text.print_figure, figures.chart_of):
        default = printer.dispatch(object)
        assert all(printer.dispatch(kind) is not default for kind in get_args(Figure))


def test_nothing_seen_is_reported(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    make_tables(site)
    made = make_report(site, load_catalog(), None, None)
    paths = write_report(made, tmp_path / "out")
    assert paths["html"].name == "report-no-data.html"
    text = paths["txt"].read_text(encoding="utf-8")
    for sentence in ("no log covers any drive", "No day has data", "nothing has been built yet"):
        assert sentence in text
    assert not made.problems
    day = write_report(make_report(site, load_catalog(), DAY, DAY), tmp_path / "out")
    assert "No log covers 15 June 2010" in day["txt"].read_text(encoding="utf-8")


def test_a_page_has_no_raw_backticks(written: dict[str, str]) -> None:
    shown = re.sub(r"<pre>.*?</pre>", "", written["html"], flags=re.DOTALL)  # SQL and log lines stay as they are
    assert "`" not in shown and "<code>out</code> marks traffic away from the station" in shown
    assert "`out` marks traffic away from the station" in re.sub(r"\s+", " ", written["txt"])


@pytest.fixture(scope="module")
def links_alone(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with MRTG logs alone: all of 15 June, judged with one finding; half of the 14th, which no rule judged."""
    site = make_site(tmp_path_factory.mktemp("links"))
    make_tables(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"name": "x", "zone": site.zone})
        for hour in range(36):
            at = datetime(2010, 6, 14, 17) + timedelta(hours=hour)  # noon in Chicago
            insert(connection, "ops.coverage", {"source": "mrtg_log", "host": "l", "hour_at": at, "covered_s": 3600.0})
        insert(connection, "ops.detection", {"day": DAY, "n_findings": 1})
        insert(connection, "gold.finding", finding("duty_low", "s1"))
        insert(connection, "ops.build", {"build_id": "1-abc", "number": 1, "is_committed": True})
        for relation, outcome in (("gold.gap", "passed"), ("gold.load", "failed")):
            check = {"build_id": "1-abc", "relation": relation, "severity": "warning", "outcome": outcome}
            insert(connection, "ops.check_result", check)
        load = {"day": DAY, "direction": "in", "covered_s": 3600.0, "max_mb_s": 90.0}
        for link, station, rates in (("l10", None, (10.0, 30.0)), ("l9", None, (1.0,)), ("l1", "s1", (5.0,))):
            for hour, rate in enumerate(rates, start=10):
                row = load | {
                    "link": link,
                    "station": station,
                    "hour_at": datetime(2010, 6, 15, hour),
                    "avg_mb_s": rate,
                }
                insert(connection, "gold.link_load", row)
    return site


def test_a_site_with_links_alone_is_not_unseen(links_alone: Site) -> None:
    sections = {section.id: section for section in make_report(links_alone, load_catalog(), DAY, DAY).sections}
    assert sections["summary"].sentences == [
        "No drive log covers 15 June 2010; logs read: mrtg_log 24.00 h; 1 finding; worst: station was not kept busy"
        " (s1), at most 300 GB/day, 2.00 h lost."
    ]
    assert len(sections["losses"].losses) == 1 and "have no log" not in sections["losses"].sentences[0]
    assert "nothing" not in sections["findings"].sentences[0]


def test_links_of_no_station_have_their_traffic_in_the_report(links_alone: Site) -> None:
    """10 and 30 MB/s for an hour each are 144 GB; the link of a station is in the duty factors. Nothing is empty."""
    sections = {section.id: section for section in make_report(links_alone, load_catalog(), DAY, DAY).sections}
    (links,) = sections["stations"].tables
    assert [(row[0], *row[2:7]) for row in links.rows] == [
        ("l9", 1.0, 3.6, 1.0, datetime(2010, 6, 15, 10), 1.0),
        ("l10", 2.0, 144.0, 20.0, datetime(2010, 6, 15, 11), 30.0),
    ]
    assert not sections["drives"].tables


def test_a_site_of_disk_systems_is_not_without_stations(links_alone: Site) -> None:
    disks = links_alone.model_copy(update={"station": (Station(name="eos", role="stager"),)})
    sections = {section.id: section for section in make_report(disks, load_catalog(), DAY, DAY).sections}
    assert sections["stations"].sentences == ["Duty factors are not computed for disk systems (role stager): eos."]


def test_the_page_of_checks_counts_those_not_met(links_alone: Site, tmp_path: Path) -> None:
    made = make_report(links_alone, load_catalog(), DAY, DAY)
    page = write_checks(links_alone, load_catalog(), made, tmp_path).read_text(encoding="utf-8")
    assert "2 checks of the rows that this build computed, 1 not met" in page
    assert "<td>gold.load</td>" in page and "<td>True</td>" not in page, "columns of the build are left out"


def test_an_interval_goes_below_its_value_where_lines_are_too_long() -> None:
    columns = [Column(name, "VARCHAR", "") for name in ("kind", "a", "b", "c", "d", "e")]
    shown = Table("Costs", "forecasts", columns, [("LTO-9", *["112.7 (110.0 to 115.3)"] * 5)])
    lines = list(text._table(shown, "UTC"))[-2:]
    assert lines[0].split() == ["LTO-9", *["112.7"] * 5] and lines[1].split() == ["(110.0", "to", "115.3)"] * 5


def test_a_day_the_rules_never_saw_is_not_clean(links_alone: Site) -> None:
    day = DAY - timedelta(days=1)
    sections = {section.id: section for section in make_report(links_alone, load_catalog(), day, day).sections}
    expected = "The rules have not run for 2010-06-14: run `tapescope detect --day 2010-06-14`."
    assert ("rules", expected) in sections["coverage"].facts
    assert sections["findings"].sentences == ["None.", expected]
    before = day - timedelta(days=1)
    sections = {section.id: section for section in make_report(links_alone, load_catalog(), before, before).sections}
    assert sections["findings"].sentences == ["None.", "No log covers 2010-06-13: nothing can be concluded."]


def test_the_head_says_how_old_its_data_are(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    make_tables(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"name": "x", "zone": site.zone})
        seen = {"day": DAY, "source": "vmstat", "host": "a", "from_at": datetime(2010, 6, 15, 10)}
        insert(connection, "silver.log_coverage", seen | {"to_at": datetime(2010, 6, 15, 17, 30)})
        run = {"step": "build", "started_at": datetime(2010, 6, 16, 6), "elapsed_s": 60.0, "counts": "{}"}
        insert(connection, "ops.run", run | {"outcome": "failed", "failure": "build failed: disk full"})
    facts = dict(make_report(site, load_catalog(), DAY, DAY).sections[0].facts)
    assert facts["data read"] == "until 2010-06-15 12:30:00 CDT"
    assert facts["last run"] == "build, ended 2010-06-16 01:01:00 CDT, failed: build failed: disk full"


def test_dead_time_stands_in_the_report(tmp_path: Path) -> None:
    """Of the question `dead_time` the rows of the whole period, not those of its hours."""
    site = make_site(tmp_path)
    make_tables(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"name": "x", "zone": site.zone})
        for hour in (13, 14):
            row = {"day": DAY, "hour_at": datetime(2010, 6, 15, hour), "drive": "D1", "part": "request", "n_gaps": 1}
            insert(connection, "gold.dead_time", row | {"dead_s": 1800.0})
    table = next(one for one in tables(make_report(site, load_catalog(), DAY, DAY)) if one.question == "dead_time")
    assert [row[:2] for row in table.rows] == [("D1", 1.0)]


def test_a_cut_answer_is_reported_as_cut(site: Site) -> None:
    question = load_catalog().questions["session_rates"]
    sql = re.sub(r"LIMIT \$n$", "LIMIT 0", question.sql)
    params = {name: param for name, param in question.params.items() if name != "n"}
    short = replace(question, sql=sql, params=params)
    catalog = replace(load_catalog(), questions=load_catalog().questions | {"session_rates": short})
    with Asker(site, catalog, DAY, DAY) as asker:
        assert (
            "session_rates is cut off at 0 rows; choose fewer days, or one station"
            in asker.table("session_rates", "Mounts", ["session_id"]).note
        )


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
    assert (
        facts["not covered"] == "1 of 2 days has no log of the tape system and is left out of all totals: 14 June 2010"
    )


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

    monkeypatch.setattr("pipelines.primitives.files.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(report, tmp_path)
    assert paths["html"].read_bytes() == before
    assert len(list(tmp_path.iterdir())) == len(FORMS)


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        (None, Column("f", "DOUBLE", "", "1"), "–"),
        (0.625, Column("f", "DOUBLE", "", "1"), "0.625"),
        (0.625, Column("share_long", "DOUBLE", "", "1"), "62.5"),
        (1234567, Column("n_lines", "BIGINT", ""), "1,234,567"),
        (0.0004, Column("idle_hours", "DOUBLE", "", "h"), "<0.01"),
        (0.0, Column("idle_hours", "DOUBLE", "", "h"), "0.00"),
        (True, Column("is_committed", "BOOLEAN", ""), "yes"),
        (DAY, Column("day", "DATE", ""), "2010-06-15"),
        (datetime(2010, 6, 15, 5), Column("requested_at", "TIMESTAMP", ""), "2010-06-15 00:00:00 CDT"),
    ],
)
def test_cells(value: Any, column: Column, expected: str) -> None:
    assert cell(value, column, "America/Chicago") == expected


def test_a_long_text_of_a_table_goes_on_in_its_column() -> None:
    """The words of an estimate made rows break in the middle, and numbers lose their columns."""
    columns = [Column("drive", "VARCHAR", ""), Column("basis", "VARCHAR", ""), Column("f", "DOUBLE", "", "1")]
    words = " ".join(f"word{n}" for n in range(20))
    rows = [(f"D{n}", words, 0.5) for n in (1, 2)]
    section = Section("one", "One", tables=[Table("one", "one", columns, rows)])
    page = text.print_report(Report("one", "UTC", None, None, [], [section]))
    lines = [line for line in page.splitlines() if line.startswith("  ")]
    assert max(map(len, lines)) <= text.WIDTH
    assert {line.index("0.500") for line in lines if "0.500" in line} == {len(lines[0]) - 5}
    assert " ".join(line[5:].replace("0.500", "") for line in lines[1:]).split() == words.split() * 2


def test_labels_of_a_waterfalls_axis_stay_below_their_ticks(report: Report) -> None:
    """Moved to the left, the label of the last tick covered the one before."""
    (drawn,) = (one for section in report.sections for one in section.figures if isinstance(one, Waterfall))
    assert figures.chart_of(drawn)["layer"][0]["encoding"]["x"]["axis"]["labelFlush"] is False


def test_drives_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """As on the pages: D2 comes before D10."""
    site = make_site(tmp_path)
    make_tables(site)
    fill(site, drive="D10")
    sections = {section.id: section for section in make_report(site, load_catalog(), DAY, DAY).sections}
    (stack,) = (one for one in sections["hours"].figures if isinstance(one, Stack))
    assert list(stack.rows) == ["D2", "D10"]
    assert [[row[0] for row in table.rows] for table in sections["drives"].tables[:2]] == [["D2", "D10"]] * 2


def test_without_rules_no_loss_is_claimed_to_be_absent(tmp_path: Path) -> None:
    """“No finding has a loss” sounds as if the rules had looked."""
    site = make_site(tmp_path)
    make_tables(site)
    fill(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        connection.execute("DELETE FROM lake.gold.finding")
        connection.execute("DELETE FROM lake.ops.detection")
    sections = {section.id: section for section in make_report(site, load_catalog(), DAY, DAY).sections}
    assert sections["losses"].sentences == ["The rules have not run for the period, so no loss can be named."]
    assert sections["summary"].sentences[0].endswith("; the rules have not run.")


def test_a_drive_with_a_long_name_keeps_its_numbers_in_a_row(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    make_tables(site)
    fill(site, drive="asterix_ts1160_04")
    page = text.print_report(make_report(site, load_catalog(), DAY, DAY))
    table = page[page.index("Hours of drives") :].split("\n\n")[0].splitlines()
    (row,) = (line for line in table if "asterix_" in line)
    assert len(row.split()) == 12 and row.split()[-1] == "6.00", "the hours of moving data end the row"
