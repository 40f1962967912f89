"""Sites without a mover's log: TSM, ENDIT or dCache alone. What a new user gets from `init`, `run` and `deliver`."""

import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from dashboards.pages import find_parts, find_views
from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.reporting.report import make_report
from pipelines.reporting.report.model import Section
from support.app import at, drawn
from support.archive import query
from support.served import APP, DEADLINE_S

pytestmark = pytest.mark.usefixtures("plain_store")

OF_OTHERS = ("sql", "about", "finding", "mount")  # they ask nothing of the site's days
# folder of the capture, files of it, and zone
KINDS = {
    "tsm": ("tsm-synthetic", ("summary.csv", "actlog.txt", "dsmaccnt.log"), "UTC"),
    "endit": ("endit-synthetic", ("tsmarchiver.log", "tsmretriever.log", "hints.json", "snapshots"), "UTC"),
    "dcache": ("dcache-synthetic", ("billing-2026.03.11", "billing-2026.03.12"), "Europe/Zurich"),
}
DAYS = {"tsm": "2026-03-10", "endit": "2026-11-21", "dcache": "2026-03-11"}
LAST_DAYS = DAYS | {"dcache": "2026-03-12"}
EXPECTED = {"tsm": "media_wait_share", "endit": "full_share", "dcache": "queue_share"}
Made = Callable[[str], Site]


@pytest.fixture(scope="module")
def made(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The site of a kind, as `init` and `run` leave it."""
    known: dict[str, Site] = {}

    def make(kind: str) -> Site:
        if kind in known:
            return known[kind]
        folder, names, zone = KINDS[kind]
        root = tmp_path_factory.mktemp(kind)
        for name in names:
            path = realdata / folder / name
            copy = shutil.copytree if path.is_dir() else shutil.copy
            (root / "logs").mkdir(exist_ok=True)
            copy(path, root / "logs" / name)
        steps.init(root, root / "site.toml", force=False)
        text = (root / "site.toml").read_text().replace('zone = "UTC"', f'zone = "{zone}"')
        (root / "site.toml").write_text(f'{text}\n[deliver]\nwlcg = {{ file = "wlcg.json" }}\n')
        done = CliRunner().invoke(cli, ["run", "--site", str(root)])
        assert done.exit_code == 0, done.output
        known[kind] = steps.site_at(root)
        return known[kind]

    return make


def sections(site: Site, kind: str) -> dict[str, Section]:
    day = date.fromisoformat(DAYS[kind])
    return {one.id: one for one in make_report(site, load_catalog(), day, day).sections}


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_shows_what_it_can_and_names_what_is_missing(made: Made, kind: str) -> None:
    found = sections(made(kind), kind)
    requests, hours = found["requests"], found["hours"]
    shown = {table.question for table in requests.tables}
    expected = {
        "tsm": {"listed_drives", "tsm_sessions"},
        "endit": {"endit_queue", "endit_drives", "retrieve_streams"},
        "dcache": {"pool_use", "recall_stages"},
    }
    assert shown == expected[kind]
    missing = next(
        sentence for sentence in requests.sentences if sentence.startswith("This section would show more with")
    )
    assert ("dCache's billing" in missing) == (kind != "dcache") and ("ENDIT's statistics files" in missing) == (
        kind != "endit"
    )
    if kind == "tsm":
        assert hours.figures
    else:
        assert "cta-admin's answers about drives, TSM's table SUMMARY" in hours.sentences[0]


def test_the_report_has_the_figures_of_the_captures(made: Made) -> None:
    sentences = " ".join(sections(made("dcache"), "dcache")["requests"].sentences)
    assert "sent to tape" in sentences and "None of" in sentences
    tsm = sections(made("tsm"), "tsm")["summary"].sentences[0]
    assert "estimate: length of the TSM sessions less their waits" in tsm
    assert "overall rate 209.9 MB/s" in tsm  # 6,004 GB in 7.947 h = 28,609 s with a tape in a drive
    summary = sections(made("dcache"), "dcache")["summary"].sentences[0]
    assert "according to the pools' records" in summary and "GB from tape" in summary


@pytest.mark.parametrize("kind", KINDS)
def test_wlcg_gets_what_logs_tell(made: Made, kind: str) -> None:
    site = made(kind)
    day = date.fromisoformat(LAST_DAYS[kind])  # for the present state, older days are not sent
    steps.deliver(site, day, day)
    shares = json.loads((site.root / "wlcg.json").read_text())["storageservice"]["storageshares"]
    read, written = (sum(one.get(name, 0) for one in shares) for name in ("readbytes24h", "writebytes24h"))
    mounts = sum(one.get("totalmounts24h", 0) for one in shares)
    if kind == "tsm":
        assert (read + written, mounts) == (6_004_000_000_000, 16)
    elif kind == "endit":
        done = "SELECT sum(bytes) FROM silver.endit_run WHERE outcome = 'done' AND operation = '{}'"
        assert [[(read,)], [(written,)]] == [query(site, done.format(name)) for name in ("retrieve", "archive")]
        assert written == pytest.approx(147.3e9, rel=1e-3)
    else:
        (moved,) = query(site, "SELECT sum(bytes) FROM silver.pool_request WHERE ended_at >= '2026-03-11 23:00'")
        assert (read, written) == (0, *moved)
    assert all(("totalmounts24h" in one) == (kind == "tsm") for one in shares), "mounts are not known, never 0"


def test_pools_of_a_day(made: Made) -> None:
    """14 restores, all of them on that day: 38,358,142,622 bytes; 30 stores in all."""
    rows = [steps.ask(made("dcache"), "wlcg_tape", {"last_day": f"2026-03-{n}"}).as_dicts() for n in (11, 12)]
    assert sum(row["read_bytes"] for row in rows[0]) == 38_358_142_622
    assert sum(row["write_bytes"] for day in rows for row in day) == 172_911_215_959


def test_recalls_that_nothing_follows_have_no_chart_of_stages(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was an axis from 0 % to 0 % with a legend of six colours."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(made("dcache").root))
    app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), "pools")
    app.query_params |= {"from": DAYS["dcache"], "to": DAYS["dcache"]}
    app.run()
    assert "No recall of this period can be traced" in app.info[0].value and len(drawn(app)) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_and_each_of_its_parts_opens(made: Made, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_SITE", str(made(kind).root))
    for view in find_views():
        columns: set[str] = set()
        for part in find_parts(view.name) or [None]:
            app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), view.name)
            if part:
                app.query_params["part"] = part.name
            if kind == "dcache":  # its last day has no restore
                app.query_params |= {"from": DAYS[kind], "to": LAST_DAYS[kind]}
            app.run()
            assert not app.exception, f"{view.name} {part}"
            assert len(drawn(app)) <= 3 and len(app.dataframe) <= 2, f"{view.name} {part}"
            columns |= set().union(*(frame.value.columns for frame in app.dataframe))
            texts = "\n".join(str(box.value) for box in [*app.error, *app.warning, *app.info, *app.text])
            assert "No log has been read yet" not in texts, view.name
            if view.name not in OF_OTHERS:
                assert DAYS[kind] in texts or LAST_DAYS[kind] in texts, view.name
        if view.name == "pools":
            assert EXPECTED[kind] in columns


def test_statistics_alone_show_the_traffic_of_pools(
    realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of 09:55 to 12:55 local time count from midnight: 12 h 55 min are covered. Five pools moved data."""
    for path in (realdata / "dcache-synthetic").glob("*.raw"):
        shutil.copy(path, tmp_path / path.name)
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    text = (tmp_path / "site.toml").read_text().replace('zone = "UTC"', 'zone = "Europe/Zurich"')
    (tmp_path / "site.toml").write_text(text)
    assert CliRunner().invoke(cli, ["run", "--site", str(tmp_path)]).exit_code == 0
    site, day = steps.site_at(tmp_path), date.fromisoformat(DAYS["dcache"])
    (source, _) = steps.ask(site, "coverage", {"first_day": str(day), "last_day": str(day)}).as_dicts()
    assert source["covered_hours"] == pytest.approx(12 + 55 / 60, abs=0.001)
    requests = next(one for one in make_report(site, load_catalog(), day, day).sections if one.id == "requests")
    assert [table.question for table in requests.tables] == ["pool_traffic"]
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), "pools")
    app.query_params["part"] = "pools"
    app.run()
    assert not app.exception
    (table,) = app.dataframe
    assert len({cell for row in table.value.itertuples() for cell in row if "tape_" in str(cell)}) == 5
