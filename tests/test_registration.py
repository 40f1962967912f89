"""Detectors, sections of the report, pages and links from rules to pages: adding one edits no list."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from dashboards import finding_links
from dashboards.pages import VIEWS, find_views
from pipelines.analysis.findings import detectors, judge
from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import FOLDER, load_catalog
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import ContractError
from pipelines.reporting import links
from pipelines.reporting.report import sections

REPO = Path(__file__).resolve().parents[1]
RULES = load_catalog().rules
DAY = date(2010, 3, 10)

DETECTOR = """
from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import Hit

@detector("always")
def always(rule, rows, site, period):
    yield "a hit"
"""
SECTION = """
from pipelines.reporting.report.model import Section
from pipelines.reporting.report.sections import section

@section("weather", order={order}, page="about")
def weather(asker):
    return Section("Weather", sentences=["It rained."])
"""


@pytest.fixture(params=[detectors, sections], ids=["detectors", "sections"])
def package(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package that also looks for modules in a temporary folder, and forgets them afterwards."""
    package = request.param
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    for info in Path(package.__path__[0]).glob("[a-z]*.py"):
        __import__(f"{package.__name__}.{info.stem}")
    monkeypatch.setattr(package, "_MARKED", dict(package._MARKED))
    yield package
    for name in [name for name in sys.modules if name.startswith(f"{package.__name__}.added")]:
        del sys.modules[name]


@pytest.mark.parametrize("package", [detectors], indirect=True)
def test_a_detector_is_found_by_its_rule(package: Any, tmp_path: Path) -> None:
    (tmp_path / "added.py").write_text(DETECTOR)
    rule = Rule(**vars(RULES["long_gap"]) | {"method": "always"})
    hits = list(judge(rule, pl.DataFrame({"a": [1]}), Site(name="s", root=tmp_path), Period(DAY, DAY, "UTC")))
    assert hits == ["a hit"]
    (tmp_path / "added_twice.py").write_text(DETECTOR)
    with pytest.raises(ContractError, match="two detectors are called always"):
        package.all_detectors()


@pytest.mark.parametrize("package", [sections], indirect=True)
def test_a_section_of_the_report_is_found(package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "added.py").write_text(SECTION.format(order=35))
    known = {order: replace(one, make=lambda asker: sections.Section("…")) for order, one in package._MARKED.items()}
    monkeypatch.setattr(package, "_MARKED", known)
    asker = SimpleNamespace(site=SimpleNamespace(deliver=SimpleNamespace(dashboard_url="")), first=None, last=None)
    n_known = len(known)
    made = package.make_sections(asker)
    assert [section.number for section in made] == list(range(n_known + 1)), "numbered without a hole"
    ids = [section.id for section in made]
    assert ids.index("weather") == ids.index("losses") + 1 and ids[0] == "coverage" and ids[-1] == "reproduce"
    (tmp_path / "added_twice.py").write_text(SECTION.format(order=36))
    with pytest.raises(ContractError, match="section weather: another section has the same id"):
        package.make_sections(asker)


def test_a_page_is_found_by_what_it_declares(tmp_path: Path) -> None:
    for name, text in (
        ("second", '{"title": "B", "order": 20}'),
        ("first", '{"title": "A", "order": 1, "address": "a"}'),
    ):
        (tmp_path / f"{name}.py").write_text(f"import nothing_there\n\nPAGE = {text}\nraise SystemExit\n")
    assert [(view.name, view.title, view.address) for view in find_views(tmp_path)] == [
        ("first", "A", "a"),
        ("second", "B", "second"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1", "declares no PAGE"),
        ('PAGE = {"title": "A"}', "must have a title and an order"),
        ('PAGE = {"title": "A", "order": 1, "colour": "red"}', "must have a title and an order"),
        ('PAGE = {"title": "A", "order": 2}', "have the same order"),
    ],
)
def test_a_page_that_declares_too_little_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "known.py").write_text('PAGE = {"title": "K", "order": 2}\n')
    (tmp_path / "added.py").write_text(text)
    with pytest.raises(ContractError, match=complaint):
        find_views(tmp_path)


def test_every_rule_names_a_page() -> None:
    assert all(finding_links.title_of(rule) for rule in RULES.values())


def test_a_rule_without_a_page_or_with_an_unknown_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    text = (FOLDER / "rules" / "long_gap.toml").read_text()
    (tmp_path / "rules" / "long_gap.toml").write_text(text.replace('page = "time/gaps"\n', ""))
    with pytest.raises(ContractError, match=r"long_gap\.toml: a key of the rule is missing .*'page'"):
        load_catalog(tmp_path)
    with pytest.raises(ContractError, match="rule long_gap names a page that does not exist: nowhere"):
        finding_links.title_of(Rule(**vars(RULES["long_gap"]) | {"page": "nowhere"}))
    with pytest.raises(ContractError, match="rule long_gap names a page that does not exist: time/nowhere"):
        finding_links.title_of(Rule(**vars(RULES["long_gap"]) | {"page": "time/nowhere"}))


def test_no_list_names_them() -> None:
    """What finds detectors, sections and pages names none of them."""
    views = {path.stem for path in VIEWS.glob("*.py")}
    for place in ("dashboards/app.py", "dashboards/pages.py", "dashboards/finding_links.py"):
        assert not [
            name for name in views if f'"{name}"' in (text := (REPO / place).read_text()) or f"/{name}." in text
        ]
    for package, place in ((detectors, "analysis/findings/registry.py"), (sections, "reporting/report/__init__.py")):
        folder = Path(package.__path__[0])
        for text in ((REPO / "pipelines" / place).read_text(), (folder / "__init__.py").read_text()):
            assert not [path.stem for path in folder.glob("[a-z]*.py") if f"{folder.name}.{path.stem}" in text]


def test_links_of_the_report_lead_to_pages_there_are() -> None:
    """What is read outside of the dashboard names its pages by address and by title."""
    listed = {view.address: view.title for view in find_views() if view.listed}
    landing = next(iter(listed))
    assert {links.TONIGHT if address == landing else address: title for address, title in listed.items()} == links.PAGES
