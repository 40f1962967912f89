"""A site with nothing but what sg_logs printed of its drives: from `init` to findings, report and pages."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pipelines import steps
from pipelines.config.site import Site
from pipelines.sources import sg_logs
from support.app import at
from support.archive import query
from support.served import APP, DEADLINE_S

LAST = date(2026, 3, 10)
PERIOD = {"first_day": "2026-03-10", "last_day": "2026-03-10"}


def reading(when: str, device: str, tape: str, n_corrected: int, megabytes: int, *alerts: str) -> str:
    """An answer to `sg_logs --all`, shortened to the pages that say something."""
    errors = (
        f"  Read error counter page  [0x3]\n  Total errors corrected = {n_corrected}\n  Total uncorrected errors = 0\n"
    )
    volume = f"  Volume statistics page (ssc-4), subpage=0\n  Last mount megabytes read: {megabytes}\n"
    volume += f"  Volume barcode: {tape}\n"
    flags = "".join(f"  {name}: {int(name in alerts)}\n" for name in ("Read warning", "Media", "Cleaning requested"))
    head = f"# {datetime.fromisoformat(when):%Y-%m-%dT%H:%M:%SZ} /dev/{device}\nIBM       ULTRIUM-HH9       Q3F5\n\n"
    return f"{head}{errors}\n{volume}\n  Tape alert page (ssc-3) [0x2e]\n{flags}\n"


# The drive's past: a TB a day with 100 errors each. Then 500 with one tape, 400 with another; and a tape that alerts.
LINES = [reading(f"2026-02-{10 + n} 10:00", "nst0", f"T0000{n}L9", 100, 1_000_000) for n in range(1, 6)]
LINES += [
    reading("2026-03-09 10:00", "nst0", "T00006L9", 500, 1_000_000),
    reading("2026-03-10 01:00", "nst0", "A00001L9", 0, 0, "Read warning", "Media"),
    reading("2026-03-10 02:00", "nst1", "A00001L9", 3, 500_000, "Media"),
    reading("2026-03-10 02:05", "nst1", "A00001L9", 3, 500_000, "Media"),
    reading("2026-03-10 10:00", "nst0", "T00007L9", 400, 1_000_000),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("vault")
    (folder / "tps1.sg_logs").write_text("".join(LINES))
    steps.init(folder, folder / "site.toml", force=False)
    site = steps.site_at(folder)
    steps.ingest(site)
    steps.build(site)
    steps.detect(site)
    yield site


@pytest.fixture
def app(site: Site, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAPESCOPE_SITE", str(site.root))
    return AppTest.from_file(APP, default_timeout=DEADLINE_S)


def test_init_declares_the_drives(site: Site) -> None:
    drives = [(drive.name, drive.mover_host, drive.device) for drive in site.drive]
    assert drives == [("tps1:st0", "tps1", "st0"), ("tps1:st1", "tps1", "st1")]
    assert query(site, "SELECT drive, is_declared FROM site.drive ORDER BY drive") == [
        ("tps1:st0", True),
        ("tps1:st1", True),
    ]


def test_init_names_drives_as_their_pages_do(tmp_path: Path) -> None:
    (tmp_path / "tps1.sg_logs").write_text(
        reading("2026-03-10 01:00", "nst0", "A1", 1, 1).replace("/dev/nst0", "LTO9-1")
    )
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    assert [(drive.name, drive.device) for drive in steps.site_at(tmp_path).drive] == [("LTO9-1", "")]


def test_json_of_sg_logs_is_refused_with_a_way_out() -> None:
    text = (
        '{\n    "utility_invoked": {\n        "name": "sg_logs",\n        "version_date": "2.29 20231123"\n    }\n}\n'
    )
    claim = sg_logs.recognise(text.splitlines())
    assert not claim.is_match and "without --json" in claim.why


def test_errors_and_alerts_become_findings(site: Site) -> None:
    """st0: 900 in 2 TB, 450 per TB, 100 before, and 400 without the worst tape.

    The tape raised three alerts in two drives; one that stays set is one a day, drive and tape.
    """
    texts = dict(query(site, "SELECT rule, text FROM gold.finding WHERE rule <> 'source_silent'"))
    assert texts == {
        "drive_errors": "tps1:st0: 450.0 corrected errors per TB in the last 7 days, 4.5 times the usual 100.0"
        ", with 2 tapes; without tape T00006L9, 400.0 per TB.",
        "tape_alerts": "A00001L9: 3 tape alerts or uncorrected errors in 2 drives; most often Media.",
    }


def test_questions_have_the_counters_of_the_day(site: Site) -> None:
    """st0: 0 + 400 errors and two alerts. st1: the second reading of its mount rose by none: 3 errors, one alert."""
    rows = {row["drive"]: row for row in steps.ask(site, "drive_health", PERIOD).as_dicts()}
    counted = {
        name: (row["drive_read_errors"], row["uncorrected_errors"], row["n_alerts"]) for name, row in rows.items()
    }
    assert counted == {"tps1:st0": (400, 0, 2), "tps1:st1": (3, 0, 1)}
    read = query(
        site, "SELECT drive, volume, bytes FROM gold.mount_error WHERE day = '2026-03-10' ORDER BY drive, volume"
    )
    assert read == [
        ("tps1:st0", "A00001L9", 0.0),
        ("tps1:st0", "T00007L9", 1e12),
        ("tps1:st1", "A00001L9", 5e11),
    ]


def test_the_report_names_them(site: Site) -> None:
    written = steps.report(site, LAST, LAST)
    text = " ".join(written["txt"].read_text().split())
    assert "450.0 corrected errors per TB" in text and "A00001L9: 3 tape alerts or uncorrected errors" in text


def test_the_page_of_drives_shows_errors_and_alerts(app: AppTest) -> None:
    app.query_params["part"] = "health"
    at(app, "drives").run()
    assert not app.exception
    health = next(one.value for one in app.dataframe if "n_alerts" in one.value.columns)
    drives = [parse_qs(urlsplit(link).query)["drive"][0] for link in health["drive"]]
    assert dict(zip(drives, health["n_alerts"], strict=True)) == {"tps1:st0": 2, "tps1:st1": 1}
