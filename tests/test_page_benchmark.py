"""The pages' benchmark on an archive of a few days: what pages ask is noted by running them, then timed."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import pages, year
from benchmarks.aims import judge_pages
from benchmarks.page_runs import Notebook, asked_by
from benchmarks.page_runs import pages as titles
from benchmarks.pages import PageResult
from pipelines.answers.question import ask
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import Warehouse
from support.screenshots import pages as addressed

REPO = Path(__file__).resolve().parent.parent
SIZE = year.Size(days=8, transfers=3000, fine_days=0)
RELATIONS = ("session", "transfer", "gap", "drive_state", "mover_step", "request", "pool_request", "volume_file")


@pytest.fixture(scope="module")
def few_days(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return year.make(tmp_path_factory.mktemp("year"), SIZE, lambda _: None)


def test_a_few_days_are_consistent_and_kept(few_days: Site) -> None:
    with Warehouse(few_days).read() as connection:
        counts = {
            name: connection.execute(f"SELECT count(*) FROM silver.{name}").fetchall()[0][0] for name in RELATIONS
        }
        overlaps = connection.execute(
            "SELECT count(*) FROM (SELECT to_at > lead(from_at) OVER (PARTITION BY drive ORDER BY from_at) AS o"
            " FROM silver.drive_state) WHERE o"
        ).fetchall()
    assert min(counts.values()) > 0
    assert counts["transfer"] == pytest.approx(SIZE.transfers, rel=0.2)
    assert overlaps == [(0,)], "a drive is in one state at a time"
    made = few_days.root.stat().st_mtime_ns
    assert year.make(few_days.root.parent, SIZE, lambda _: None).root.stat().st_mtime_ns == made
    days = {"first_day": "2025-01-03", "last_day": "2025-01-06"}
    totals = {row["bucket"] for row in ask(few_days, load_catalog(), "ledger_waterfall", days).as_dicts()}
    assert {"transfer", "filemark", "request", "position", "mount", "idle"} <= totals
    assert ask(few_days, load_catalog(), "findings").rows


def test_pages_are_noted_and_timed(few_days: Site) -> None:
    results = pages.measure("few days", few_days, 2, ("plan/sizing", "sql"))
    by_page = {(result.title, result.period): result for result in results}
    assert set(by_page) == {("Plan · Sizing", "default"), ("Plan · Sizing", "week"), ("SQL", "default")}
    assert by_page["SQL", "default"].n_questions == 1, "every page shows the age of its data"
    sizing = by_page["Plan · Sizing", "week"]
    # the head asks for period, freshness and coverage; the part for its mounts, of which the fit learns as well, and
    # for the drives there are
    assert sizing.n_questions == 5
    assert 0 < sizing.slowest_ms <= sizing.p95_ms and sizing.median_ms <= sizing.p95_ms
    assert sizing.slowest in load_catalog().asked


def test_a_page_is_noted_by_its_own_questions(few_days: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part is a page to the benchmark."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(few_days.root))
    notebook = Notebook()
    with notebook.opened():
        asked = {call.question for call in asked_by(notebook, "time/overview", None)}
    assert "ledger_waterfall" in asked and "headline" not in asked


def test_every_page_of_the_app_is_known() -> None:
    views = {path.stem for path in (REPO / "dashboards" / "views").glob("*.py")}
    assert {title.partition("/")[0] for title in titles()} == set(addressed()) == views


def test_pages_above_the_aim_are_listed() -> None:
    def page(title: str, p95_ms: float, period: str = "default") -> PageResult:
        return PageResult("a year", title, period, 3, p95_ms, p95_ms, "gap_cost", p95_ms)

    opened, chosen = judge_pages([page("Gaps", 1234.0), page("Stations", 299.0), page("Gaps", 999.0, "year")])
    assert opened.got == "1 of 2 measurements meet the aim; the slowest page takes 1,234 ms"
    assert opened.verdict == "not reached: Gaps (default: 1,234 ms, gap_cost)"
    assert (chosen.got, chosen.verdict) == (
        "1 of 1 measurements meet the aim; the slowest page takes 999 ms",
        "reached",
    )
    (opened,) = judge_pages([page("Stations", 299.0)])
    assert opened.verdict == "reached"


def test_one_site_is_measured_alone(few_days: Site) -> None:
    words = ["--site", str(few_days.root), "--page", "sql", "--repeat", "1"]
    done = CliRunner().invoke(pages.main, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert re.search(r"\| SQL \| default \| 1 \| \d+ \| \d+ \| freshness \| \d+ \|", done.output)
    assert json.dumps(str(few_days.root))[1:-1] in done.output
