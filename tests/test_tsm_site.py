"""A site of TSM: its table of mounts fills the ledger; what that leaves open is unknown or occupied, never idle."""

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.reporting.report import make_report
from support.app import at, texts
from support.archive import all_rows, differences, make, make_site, put, query
from support.served import APP, DEADLINE_S

pytestmark = pytest.mark.usefixtures("plain_store")

SITE = 'name = "tsm1"\nzone = "UTC"\n[[input]]\nglob = "logs/tsm/*"\n'
FIRST = datetime(2026, 3, 9)
ZERO = "1900-01-01 00:00:00.000000"


def mount(
    drive: str, volume: str, begin: datetime, length: timedelta | None, library: str = "LIB1"
) -> tuple[datetime, str]:
    """A row of SUMMARY, and when the server adds it: at the dismount."""
    end = begin + length if length is not None else None
    cells = [f"{begin}.000000", f"{end}.000000" if end else ZERO, "TAPE MOUNT", "0", *[""] * 4, *["0"] * 4, *[""] * 4]
    cells += ["0", "0", "0", "YES", volume, f"{drive} (/dev/rmt1)", library, "Data", "0", ""]
    return end or begin, ",".join(cells)


def three_days() -> list[tuple[datetime, str]]:
    """Two drives, mounts over midnight, and one whose end was never written."""
    hour = timedelta(hours=1)
    rows = [mount("D1", f"A{n}", FIRST + n * 24 * hour + 8 * hour, 2 * hour) for n in range(3)]
    rows += [mount("D1", "B1", FIRST + 23 * hour, 2 * hour), mount("D1", "B2", FIRST + 35 * hour, 20 * hour)]
    rows += [mount("D2", "C1", FIRST + 10 * hour, None), mount("D2", "C2", FIRST + 26 * hour, hour)]
    return sorted(rows)


ROWS = three_days()
# D1: 2 h at 8 of each day, 23-25, 35-55; D2: 26-27, and from 10 to 26 it is unknown when the tape left.
HOURS = {("D1", "occupied"): 28.0, ("D1", "idle"): 58 - 8 - 28.0, ("D2", "occupied"): 1.0, ("D2", "unknown"): 71.0}


def export(site: Site, name: str, first: datetime, last: datetime) -> Path:
    """What `select * from summary` gives for the rows added in a time."""
    return put(site, f"tsm/{name}.csv", "".join(f"{row}\n" for at, row in ROWS if first <= at < last))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(tmp_path_factory.mktemp("whole"), SITE)
    export(site, "all", FIRST, datetime.max)
    make(site, full=True)
    return site


def ledger(site: Site) -> Counter[tuple[str, str]]:
    rows = query(site, "SELECT drive, bucket, sum(duration_us) / 3.6e9 FROM gold.drive_ledger GROUP BY ALL")
    return Counter({(drive, bucket): round(hours, 6) for drive, bucket, hours in rows})


def test_occupied_idle_and_unknown(whole: Site) -> None:
    found = ledger(whole)
    assert {key: found[key] for key in HOURS} == HOURS
    assert found["D1", "unknown"] == 72 - 50  # logged from hour 8 to its last dismount, at hour 58
    assert found["D2", "idle"] == 0
    wrong = "SELECT day, drive FROM gold.drive_ledger GROUP BY ALL HAVING sum(duration_us) <> 86400000000"
    assert query(whole, wrong) == []


def test_mounts_are_sessions(whole: Site) -> None:
    found = query(
        whole, "SELECT status, count(*), count(requested_at) FROM silver.session GROUP BY status ORDER BY status"
    )
    assert found == [("cut", 1, 0), ("ok", 6, 0)]
    busiest = query(whole, "SELECT max(max_in_use), sum(busy_hours) FROM gold.movers_in_use")
    assert busiest == [(1, pytest.approx(29.0))]


def test_no_page_and_no_report_claims_hours_that_no_log_shows(whole: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The logs show tapes in drives, not what the drives did: data may have moved in all of these hours."""
    report = make_report(whole, load_catalog(), date(2026, 3, 10), date(2026, 3, 10))
    (hours,) = (section.sentences[0] for section in report.sections if section.id == "hours")
    assert hours.endswith("add up to all drive-hours; no log shows how long data moved in the part “occupied”.")
    monkeypatch.setenv("TAPESCOPE_SITE", str(whole.root))
    app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), "time").run()
    assert "In 48.00 drive-hours, no log shows how long data moved." in texts(app)
    assert [one.value for one in app.info] == ["No log shows a drive at work for at least 10 minutes of any hour."]
    assert "Times in" not in [one.label for one in app.button_group], "the site's clock is UTC: there is no other"
    app.query_params["part"] = "lines"
    app.run()
    assert [one.value for one in app.info] == ["No log shows a drive in this state."]
    app.query_params.clear()
    app.query_params["drive"] = "D1"
    at(app, "drives").run()
    assert "No log shows D1 out of service; no log shows an error." in texts(app)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=["as_they_come", "last_first"])
def test_exports_of_a_day_each_that_overlap(whole: Site, tmp_path: Path, order: tuple[int, ...]) -> None:
    """Each holds what the server keeps: the rows of that day and of all days before it."""
    site = make_site(tmp_path / "site", SITE)
    for n in order:
        last = FIRST + timedelta(days=n + 1) if n < 2 else datetime.max
        export(site, f"day{n}", FIRST, last)
        make(site)
    assert differences(all_rows(whole), all_rows(site)) == []


def test_a_drive_without_rows_of_late_is_unknown(tmp_path: Path) -> None:
    """The server writes a mount when it ends: until then the table looks as if the drive did nothing."""
    site = make_site(tmp_path / "site", SITE)
    export(site, "first", FIRST, FIRST + timedelta(hours=36))
    make(site)
    day = date(2026, 3, 10)
    rows = query(
        site, f"SELECT bucket, duration_us / 3.6e9 FROM gold.drive_ledger WHERE drive = 'D1' AND day = '{day}'"
    )
    assert dict(rows) == {"occupied": 3.0, "idle": 7.0, "unknown": 14.0}  # B1 to 01:00, A1 from 08:00 to 10:00


def test_init_finds_the_drives(whole: Site, tmp_path: Path) -> None:
    (tmp_path / "summary.csv").write_text("".join(f"{row}\n" for _, row in ROWS))
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    assert [drive.name for drive in steps.site_at(tmp_path).drive] == ["D1", "D2"]


def test_one_name_in_two_libraries_is_two_drives(tmp_path: Path) -> None:
    """The second library comes a day later: what was one drive until then gets its library's name.

    Between its mounts such a drive is unknown: no row shows how far the table covers it.
    """
    hour = timedelta(hours=1)
    first = mount("D1", "A1", FIRST + 8 * hour, 2 * hour)[1]
    later = [mount("D1", "B1", FIRST + n * hour, 3 * hour, "LIB2")[1] for n in (9, 26)]
    sites = [make_site(tmp_path / name, SITE) for name in ("whole", "by_days")]
    put(sites[0], "tsm/a.csv", first + "\n")
    put(sites[1], "tsm/a.csv", first + "\n")
    make(sites[1])
    assert {drive for drive, _ in ledger(sites[1])} == {"D1"}
    for site in sites:
        put(site, "tsm/b.csv", "\n".join(later) + "\n")
        make(site, full=site is sites[0])
    assert differences(all_rows(sites[0]), all_rows(sites[1])) == []
    found = ledger(sites[1])
    assert {key: hours for key, hours in found.items() if hours} == {
        ("LIB1:D1", "occupied"): 2.0,
        ("LIB1:D1", "unknown"): 46.0,
        ("LIB2:D1", "occupied"): 6.0,
        ("LIB2:D1", "unknown"): 42.0,
    }
    assert query(sites[1], "SELECT drive, robot FROM site.drive ORDER BY drive") == [
        ("LIB1:D1", "LIB1"),
        ("LIB2:D1", "LIB2"),
    ]
    steps.init(sites[1].root / "logs", tmp_path / "site.toml", force=False)
    declared = steps.site_at(tmp_path).drive
    assert [(drive.name, drive.robot) for drive in declared] == [("LIB1:D1", "LIB1"), ("LIB2:D1", "LIB2")]


def test_a_month_of_a_real_server(realdata: Path, tmp_path: Path) -> None:
    """105.74 h over six drives, as in the capture's notes."""
    site = make_site(tmp_path / "site", SITE)
    put(site, "tsm/summary.csv", (realdata / "tsm" / "summary.csv").read_text())
    make(site)
    found = ledger(site)
    occupied = {drive: hours for (drive, bucket), hours in found.items() if bucket == "occupied"}
    assert len(occupied) == 6 and sum(occupied.values()) == pytest.approx(105.74, abs=0.005)
    assert {bucket for _, bucket in found} == {"occupied", "idle", "unknown"}


def night(site: Site, captured: Path, *names: str) -> Site:
    for name in names:
        put(site, f"tsm/{name}", (captured / name).read_text())
    make(site)
    return site


FILES = ("summary.csv", "actlog.txt", "dsmaccnt.log")
OF_MOUNTS = "SELECT count(*), round(sum(mounted_s) / 3600, 3), count(number) FROM silver.tsm_mount"
OF_BYTES = "SELECT count(*), sum(bytes) FROM silver.transfer WHERE session_id IS NOT NULL AND witnesses = 'server'"


@pytest.fixture(scope="module")
def whole_night(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return night(make_site(tmp_path_factory.mktemp("night"), SITE), realdata / "tsm-synthetic", *FILES)


def test_bytes_of_each_mount(whole_night: Site) -> None:
    """The log names the session of each of 16 mounts, SUMMARY what it moved: 7.947 h and 6,004 GB."""
    site = whole_night
    assert query(site, OF_MOUNTS) == [(16, 7.947, 16)]
    assert query(site, OF_BYTES) == [(16, 6_004_000_000_000)]
    period = {"first_day": "2026-03-10", "last_day": "2026-03-10"}
    (headline,) = steps.ask(site, "headline", period).as_dicts()
    assert (headline["moved_tb"], headline["drive_rate_basis"]) == (pytest.approx(6.004), "estimate")
    assert headline["moving_data_hours"] is None, "no log tells when data moved"
    # all 16 mounts have bytes: 6,004 GB in 7.947 h with a tape in a drive
    assert headline["overall_rate_mb_s"] == pytest.approx(6_004_000 / (7.947 * 3600), rel=1e-3)
    drives = steps.ask(site, "listed_drives", period).as_dicts()
    assert sum(row["moved_gb"] for row in drives) == pytest.approx(6004)
    one = next(row for row in drives if row["drive"] == "DRIVE03")
    assert one["overall_mb_s"] == pytest.approx((881 + 789 + 865) * 1e3 / (4160 + 2904 + 3830))  # GB and s of its three


def test_log_and_accounting_do_without_summary_until_it_comes(
    whole_night: Site, realdata: Path, tmp_path: Path
) -> None:
    """Sessions are counted in whole KB: eleven of them at most 11 KiB short; processes are exact."""
    captured, site = realdata / "tsm-synthetic", make_site(tmp_path / "site", SITE)
    summary, *others = FILES
    for name in reversed(others):
        night(site, captured, name)
    assert query(site, OF_MOUNTS) == [(16, 7.947, 16)]
    ((n, moved),) = query(site, OF_BYTES)
    assert n == 16 and 0 <= 6_004_000_000_000 - moved < 11 * 1024
    night(site, captured, summary)
    assert differences(all_rows(whole_night), all_rows(site)) == []


# Session 7 archives by two tapes over midnight, 8 by one of them: B1 leaves its drive on the third day.
TAPES = {
    "9": "2026-03-09 23:40:00     ANR8337I LTO volume A1 mounted in drive D1 (/dev/a). (SESSION: 7)\n"
    "2026-03-09 23:40:01     ANR0511I Session 7 opened output volume A1. (SESSION: 7)\n"
    "2026-03-09 23:58:00     ANR8468I LTO volume A1 dismounted from drive D1 (/dev/a) in library LIB1. (SESSION: 7)\n",
    "10": "2026-03-10 00:02:00     ANR8337I LTO volume B1 mounted in drive D1 (/dev/a). (SESSION: 7)\n"
    "2026-03-10 00:02:01     ANR0511I Session 7 opened output volume B1. (SESSION: 7)\n"
    "2026-03-10 02:00:01     ANR0511I Session 8 opened output volume B1. (SESSION: 8)\n"
    "2026-03-10 02:30:00     ANR0403I Session 8 ended for node POOL1 (Linux). (SESSION: 8)\n",
    "11": "2026-03-11 01:00:00     ANR8468I LTO volume B1 dismounted from drive D1 (/dev/a) in library LIB1.\n",
}


def archive(number: int, begin: str, end: str, n_bytes: int) -> str:
    """A row of SUMMARY about a session of ENDIT's host."""
    cells = [
        f"{begin}.000000",
        f"{end}.000000",
        "ARCHIVE",
        str(number),
        "POOL1",
        "Tcp/Ip",
        "h1:1500",
        "",
        "9",
        "9",
        "0",
    ]
    return ",".join([*cells, str(n_bytes), *[""] * 4, "0", "60", "1", "YES", "", "", "", "", "0", ""]) + "\n"


SESSIONS = archive(7, "2026-03-09 23:39:00", "2026-03-10 00:30:00", 70) + archive(
    8, "2026-03-10 01:59:00", "2026-03-10 02:30:00", 80
)


def test_what_several_tapes_took_is_put_to_none(tmp_path: Path) -> None:
    """Not even while the second tape is in its drive, or its log is not read; 8's bytes are known once B1 has left."""
    whole = make_site(tmp_path / "whole", SITE)
    texts = TAPES | {"s": SESSIONS}
    for name, text in texts.items():
        put(whole, f"tsm/{name}", text)
    make(whole, full=True)
    used = "SELECT number, volume, n_volumes, bytes FROM silver.tsm_transfer ORDER BY number, volume"
    assert query(whole, used) == [(7, "A1", 2, None), (7, "B1", 2, None), (8, "B1", 1, 80)]
    (row,) = steps.ask(whole, "tsm_sessions", {"first_day": "2026-03-09", "last_day": "2026-03-11"}).as_dicts()
    assert (row["n_sessions"], row["moved_gb"], row["shared_gb"]) == (2, 150e-9, 70e-9)
    for order in ("9 s 10 11", "11 10 s 9", "s 10 9 11"):
        site = make_site(tmp_path / order, SITE)
        for name in order.split():
            put(site, f"tsm/{name}", texts[name])
            make(site)
            moved = query(site, "SELECT volume, bytes FROM silver.transfer")
            assert moved in ([], [("B1", 80)]), order
        assert moved == [("B1", 80)], order
        assert differences(all_rows(whole), all_rows(site)) == [], order


def test_a_session_of_days_goes_with_the_file_that_named_it(tmp_path: Path) -> None:
    """The server writes a session when it ends: no other line names the day on which it began, five days before."""
    site = make_site(tmp_path, SITE)
    for day, took_s in ((4, 700), (10, 5 * 86_400), (12, 700)):
        cells = f"03/{day:02}/2026,10:31:40,POOL{day},,Linux x86-64,1,Tcp/Ip,1,5,9000,0,0,0,0,0,0,9000,{took_s},0,0,0"
        put(site, f"tsm/{day}.log", f"8,1,ADSM,{cells},4,0,0,0,0,8,1\n")
    make(site)
    begun = "SELECT entity, day FROM silver.tsm_session ORDER BY day"
    found = [("POOL4", date(2026, 3, 4)), ("POOL10", date(2026, 3, 5)), ("POOL12", date(2026, 3, 12))]
    assert query(site, begun) == found
    steps.forget(site, "logs/tsm/10.log")
    assert not steps.build(site).is_full
    assert query(site, begun) == [found[0], found[2]]
