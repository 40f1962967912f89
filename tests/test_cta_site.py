"""A site of CTA: sessions, rates, the ledger and coverage per drive, and builds of some days as good as one of all."""

import json
import shutil
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site, load_site
from sample_data.cta.taped import INSTANCE, Taped, after, asked
from support.archive import Story, all_rows, copied, differences, make, make_site, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

SERVERS = {"D1": "tpsrv01", "D2": "tpsrv01", "D3": "tpsrv02"}
FIRST = datetime(2026, 3, 9)
SITE = 'name = "cta"\nzone = "Europe/Zurich"\n[[input]]\nglob = "logs/*/*"\n'
SITE += "".join(f'[[drive]]\nname = "{drive}"\n' for drive in SERVERS)
REAL_SITE = """name = "cta"
zone = "Europe/Zurich"
[[drive]]
name = "I1L90513"
[[drive]]
name = "I1L90514"
[[drive]]
name = "I3J10201"
[[input]]
glob = "logs/*"
date = 2026-08-25
"""
# What the ledger's buckets hold of an expected session, in seconds.
PARTS = {
    "mount": ["mount"],
    "position": ["position"],
    "filemark": ["flush"],
    "wait_data": ["waitData"],
    "wait_room": ["waitMem"],
    "dismount": ["unload", "unmount"],
}


def three_days() -> Taped:
    """Mounts, one of them over UTC midnight, one that hangs over midnight at the site, and a drive that is down."""
    story = Taped(SERVERS)
    story.heartbeat("D1", FIRST, after(FIRST, 9 * 3600), 150)  # a log of which a part is more than a head
    for n in range(3):
        day = FIRST + timedelta(days=n)
        for drive in SERVERS:
            story.heartbeat(drive, day, day + timedelta(days=1), 900)
        free = story.mount("D1", f"VA{n}", after(day, 9 * 3600), 5)
        story.mount("D1", "VB", after(free, 600), 3, mode="write", vo="proton")
        # over UTC midnight; no request is logged, but that one file had waited for 12 h, the last time for 36 h
        story.mount("D2", f"VC{n}", after(day, 86_300), 6, file_s=60, oldest_s=43_200 * (3 if n == 2 else 1))
    story.mount("D3", "VD", after(FIRST, 82_500), 2, hangs_s=1800)  # over 23:00 UTC, midnight at the site
    story.status(after(FIRST, 20 * 3600), "D3", "DOWN")
    story.status(after(FIRST, 22 * 3600), "D3", "UP")
    story.status(after(FIRST, 86_400 + 20 * 3600), "D3", "DOWN")
    story.status(after(FIRST, 2 * 86_400 + 3600), "D3", "UP")
    return story


def requests() -> dict[date, str]:
    """A frontend's log by day: files of VA1 and VA2 are asked for on the first day, those of VB five minutes before."""
    texts = {(FIRST + timedelta(days=n)).date(): "" for n in range(3)}
    # mounts are numbered: three a day, VA first
    for mount in (4, 7):
        texts[FIRST.date()] += "".join(asked(after(FIRST, 36_000), 1000 * mount + file) for file in range(1, 6))
    for n, mount in enumerate((2, 5, 8)):
        day = FIRST + timedelta(days=n)
        texts[day.date()] += "".join(
            asked(after(day, 9 * 3600 + 600), 1000 * mount + file, "write", "proton") for file in range(1, 4)
        )
    return texts


FILES = three_days().files()
REQUESTS = requests()


def fill(site: Site, days: list[date]) -> list[Path]:
    paths = [put(site, f"taped/{drive}-{day}.log", text) for (drive, day), text in FILES.items() if day in days]
    return paths + [put(site, f"frontend/{day}.log", text) for day, text in REQUESTS.items() if day in days]


DAYS = sorted({day for _, day in FILES})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(tmp_path_factory.mktemp("whole"), SITE)
    fill(site, DAYS)
    make(site, full=True)
    return site


@pytest.fixture(scope="module")
def without_d3(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The same, but D3's logs are lost."""
    site = make_site(tmp_path_factory.mktemp("without") / "site", SITE)
    for path in fill(site, DAYS):
        if path.name.startswith("D3"):
            path.unlink()
    make(site)
    return site


@pytest.mark.parametrize("order", [[(0,), (1,), (2, 3)], [(3,), (1,), (2,), (0,)]], ids=["as_they_come", "backwards"])
def test_days_arriving_one_by_one(whole: Site, tmp_path: Path, order: list[tuple[int, ...]]) -> None:
    """As they come, a file of the first day ends before D1's second mount: its rest comes last, alone.

    With it comes a copy of another file.
    """
    site, grown = make_site(tmp_path / "site", SITE), ""
    for numbers in order:
        paths = fill(site, [DAYS[number] for number in numbers])
        if numbers == order[0] == (0,):
            part, other, grown = paths[0], paths[1], paths[0].read_text()
            part.write_text(grown[: grown.index("VB")])
        make(site)
    if grown:
        part.write_text(grown)
        shutil.copy(other, other.with_suffix(".copy"))
        make(site)
        assert query(site, "SELECT count(continues) FROM ops.file") == [(1,)], "only the rest was read"
    assert differences(all_rows(whole), all_rows(site)) == []


def test_a_mount_over_midnight_is_one(whole: Site) -> None:
    """70 s of mount, 20 s to the label and 6 files of 5 s winding and 60 s reading; 40 s to dismount."""
    rows = query(
        whole, "SELECT drive, session_id, status, mount_s, dismount_s FROM silver.session WHERE volume = 'VC0'"
    )
    assert [row[2:] for row in rows] == [("ok", 70.0, pytest.approx(40.0, abs=0.01))]
    states = query(
        whole,
        "SELECT state, sum(epoch(to_at - from_at)) FROM silver.drive_state"
        " WHERE session_id LIKE '% VC0 %' GROUP BY state",
    )
    seconds = {state: pytest.approx(s, abs=0.1) for state, s in states}
    assert seconds == {
        "mount": 70,
        "position": 20 + 6 * 5,
        "transfer": 360,
        "dismount": 40,
        "request": 0.06,
        "no_request": 0.2,
    }


def test_an_outage_is_over_once_the_daemon_logs_the_drive_up(whole: Site) -> None:
    """D3: 20:00 to 22:00, and a day later 20:00 to 01:00 UTC, which 23:00 UTC cuts: it is midnight at the site."""
    outages = query(whole, "SELECT drive, down_s, end_line_no IS NOT NULL FROM gold.drive_outage ORDER BY from_at")
    assert outages == [("D3", 7200, True), ("D3", 3 * 3600, True), ("D3", 2 * 3600, True)]


def test_an_outage_of_days_is_made_again_when_its_end_arrives(tmp_path: Path) -> None:
    """From 20:00 on the first day to 01:00 on the fourth, whose logs come last; 23:00 UTC is midnight at the site."""
    story = Taped(SERVERS)
    story.heartbeat("D1", FIRST, after(FIRST, 4 * 86_400), 1800)
    story.status(after(FIRST, 20 * 3600), "D1", "DOWN")
    story.status(after(FIRST, 3 * 86_400 + 3600), "D1", "UP")
    site = make_site(tmp_path, SITE)
    for number, ((_, day), text) in enumerate(story.files().items()):
        put(site, f"taped/D1-{day}.log", text)
        if number > 1:
            make(site)
    outages = query(site, "SELECT down_s / 3600, end_line_no IS NOT NULL FROM gold.drive_outage ORDER BY day")
    assert outages == [(3, True), (24, True), (24, True), (2, True)]


def test_an_outage_without_an_end_lasts_on_when_its_beginning_arrives_last(tmp_path: Path) -> None:
    """From 20:00 on the first day, while the daemon goes on to log for a week: the logs of the first day come last."""
    story = Taped(SERVERS)
    story.heartbeat("D1", FIRST, after(FIRST, 7 * 86_400), 500)
    story.status(after(FIRST, 20 * 3600), "D1", "DOWN")
    site = make_site(tmp_path, SITE)
    files = [(f"taped/D1-{day}.log", text) for (_, day), text in sorted(story.files().items())]
    for later in files[1:]:
        put(site, *later)
    make(site)
    put(site, *files[0])
    assert not make(site).is_full
    found = all_rows(site)
    assert query(site, "SELECT round(sum(down_s) / 3600) FROM gold.drive_outage") == [(6 * 24 + 4,)]
    steps.build(site, full=True)
    assert differences(found, all_rows(site)) == []


def test_every_drives_day_adds_up_and_a_hung_session_is_not_idle(whole: Site) -> None:
    ledger: dict[tuple[str, date], Counter[str]] = {}
    for drive, day, bucket, us, day_us in query(
        whole, "SELECT drive, day, bucket, duration_us, day_us FROM gold.drive_ledger"
    ):
        ledger.setdefault((drive, day), Counter())[bucket] = us
        assert day_us == 86_400_000_000
    assert {total.total() for total in ledger.values()} == {86_400_000_000}
    hung = sum(buckets["hung"] for (drive, _), buckets in ledger.items() if drive == "D3") / 1e6
    assert hung == pytest.approx(1800, abs=1)
    assert query(whole, "SELECT drive, lost_s FROM silver.event WHERE kind = 'session_killed'") == [
        ("D3", pytest.approx(1800, abs=0.1))
    ]


def test_drives_of_a_server_without_log_are_unknown_never_idle(whole: Site, without_d3: Site) -> None:
    day = DAYS[1]
    buckets = query(
        without_d3, f"SELECT bucket, duration_us FROM gold.drive_ledger WHERE drive = 'D3' AND day = DATE '{day}'"
    )
    assert buckets == [("unknown", 86_400_000_000)]
    of_others = "SELECT * FROM gold.drive_ledger WHERE drive <> 'D3' ORDER BY ALL"
    assert query(without_d3, of_others) == query(whole, of_others)


def test_a_drive_whose_name_at_the_site_is_not_that_in_its_logs(whole: Site, tmp_path: Path) -> None:
    """Its logs cover the drive by the name that they use."""
    text = SITE.replace('name = "D3"\n', 'name = "Hall 3"\nlogname = "D3"\n')
    assert text != SITE
    site = make_site(tmp_path / "site", text)
    fill(site, DAYS)
    make(site)
    ledger = "SELECT day, bucket, duration_us FROM gold.drive_ledger WHERE drive = '{}' ORDER BY ALL"
    assert query(site, ledger.format("Hall 3")) == query(whole, ledger.format("D3"))
    assert query(site, ledger.format("D3")) == []


def test_requests_wait_from_the_frontend_to_the_tape(whole: Site) -> None:
    """VA1 and VA2 were asked for at 10:00 on the first day, and begin 90.01 s after their mounts at 09:00."""
    found = query(
        whole,
        "SELECT mode, is_of_mount, count(*), min(epoch(assigned_at - queued_at)), min(epoch(due_at - queued_at)),"
        " count(done_at) FROM silver.request GROUP BY ALL ORDER BY ALL",
    )
    waits = [(*row[:3], pytest.approx(row[3], abs=0.2), *row[4:]) for row in found]
    # 2 x 5 files of VA, 3 mounts of VC, 3 x 3 files of VB; VA0 and VD, for which there is nothing, are no requests
    begun = 9 * 3600 + 90 + 86_400 - 36_000
    assert waits == [
        ("read", False, 10, begun, 600, 10),
        ("read", True, 3, 43_200, 600, 0),
        ("write", False, 9, waits[2][3], 600, 9),
    ]
    answer = query(whole, "SELECT max(epoch(assigned_at - queued_at)) FROM silver.request WHERE is_of_mount")
    assert answer == [(129_600,)]


def test_a_frontends_log_that_comes_late_or_goes(whole: Site, tmp_path: Path) -> None:
    """The requests of the first day wait for the third: what was made without them, and with them, is made again."""
    site = make_site(tmp_path / "site", SITE)
    paths = fill(site, DAYS)
    log = next(path for path in paths if path.parent.name == "frontend" and path.stem == str(FIRST.date()))
    text = log.read_text()
    log.unlink()
    make(site)
    assert query(site, "SELECT count(*) FROM silver.request WHERE NOT is_of_mount") == [(6,)]
    without = all_rows(site)
    log.write_text(text)
    make(site)
    assert differences(all_rows(whole), all_rows(site)) == []
    steps.forget(site, str(log))
    log.unlink()
    steps.build(site)
    assert differences(without, all_rows(site)) == []


# Days for which the requests wait whose files are read on the first day, and the others; in which order logs arrive.
WAITS = [(20, 9, (0, 1, 2, 3, 4)), (9, 20, (3, 1, 0, 2, 4)), (5, 5, (4, 3, 0, 2, 1))]


@pytest.mark.parametrize(("before", "days", "order"), WAITS)
def test_requests_that_wait_over_days_without_work(
    tmp_path: Path, before: int, days: int, order: tuple[int, ...]
) -> None:
    """Requests whose lines are days apart give the same rows in whatever order the logs arrive."""
    story = Taped(SERVERS)
    story.mount("D1", "VA", after(FIRST, 36_000), 2)  # files 1001 and 1002
    story.mount("D1", "VB", after(FIRST, days * 86_400 + 36_000), 2)  # 2001 and 2002
    story.mount("D2", "VC", after(FIRST, days * 86_400 + 36_000), 2, oldest_s=days * 86_400)
    texts = [("taped", f"{drive}-{day}", text) for (drive, day), text in story.files().items()]
    texts += [("frontend", str(n), asked(after(FIRST, n * 86_400), file)) for n, file in ((-before, 1001), (0, 2002))]
    texts.sort(key=lambda one: one[1])
    assert len(texts) == 5
    whole, site = (make_site(tmp_path / name, SITE) for name in ("whole", "site"))
    for folder, name, text in texts:
        put(whole, f"{folder}/{name}.log", text)
    make(whole, full=True)
    for number in order:
        put(site, f"{texts[number][0]}/{texts[number][1]}.log", texts[number][2])
        make(site)
    assert differences(all_rows(whole), all_rows(site)) == []
    waited = query(whole, "SELECT round(epoch(assigned_at - queued_at) / 86400) FROM silver.request ORDER BY queued_at")
    assert waited == [(before,), (days,), (days,)]
    sums = "SELECT mode, n_requests, round(waited_s / 86400), round((waited_s - overdue_s) / 600) FROM gold.queue_wait"
    assert query(whole, f"{sums} ORDER BY day") == [("read", 1, before, 1), ("read", 2, 2 * days, 2)]


def test_a_request_is_served_once(tmp_path: Path) -> None:
    """Asked for on day 0, read on days 9 and 20: the second read had no request, unless the first one is lost."""
    texts = list[tuple[str, str]]()
    for n in (9, 20):
        story = Taped(SERVERS)
        story.mount("D1", "VA", after(FIRST, n * 86_400 + 36_000), 1)
        texts += [(f"taped/D1-{n}.log", text) for text in story.files().values()]
    site, whole = (make_site(tmp_path / name, SITE) for name in ("site", "whole"))
    put(site, "frontend/0.log", asked(FIRST, 1001))
    waited = "SELECT assigned_at - queued_at < INTERVAL 10 DAY, n_tries FROM silver.request WHERE NOT is_of_mount"
    for name, text in reversed(texts):
        path = put(site, name, text)
        make(site)
        assert query(site, waited) == [(name == texts[0][0], 1)]
    path_of_whole = [put(whole, name, text) for name, text in [*texts, ("frontend/0.log", asked(FIRST, 1001))]]
    make(whole, full=True)
    assert differences(all_rows(whole), all_rows(site)) == []
    for one, lost in ((site, path), (whole, path_of_whole[0])):
        steps.forget(one, str(lost))
        lost.unlink()
        steps.build(one, full=one is whole)
    assert query(site, waited) == [(False, 1)]
    assert differences(all_rows(whole), all_rows(site)) == []


def test_requests_of_enstore_that_wait_for_long(tmp_path: Path) -> None:
    """Queued on one day, taken by their movers days later, and nothing between: a row each, whichever log is first."""
    story, begin, waits = Story(), datetime(2010, 3, 1, 15), (9, 20)
    for number, days in enumerate(waits, 1):
        at = after(begin, days * 86_400)
        story.request(f"DRV_{number}", f"VOL00{number}", at, 1_000_000, waited_s=days * 86_400)
    texts = list(story.days().items())
    assert len(texts) == 3
    whole = make_site(tmp_path / "whole")
    for day, text in texts:
        put(whole, f"enstore/LOG-{day}", text)
    make(whole, full=True)
    waited = query(whole, "SELECT epoch(assigned_at - queued_at), n_tries FROM silver.request ORDER BY ALL")
    assert waited == [(days * 86_400, 1) for days in waits]
    for name, order in {"as_they_come": texts, "backwards": texts[::-1]}.items():
        site = make_site(tmp_path / name)
        for day, text in order:
            put(site, f"enstore/LOG-{day}", text)
            make(site)
        assert differences(all_rows(whole), all_rows(site)) == [], name


def polled(n: int, drive: str, status: str, since: datetime, at: datetime) -> str:
    row = {"driveName": drive, "host": SERVERS[drive], "driveStatus": status, "instanceName": INSTANCE}
    row |= {"driveStatusSince": str(int((at - since).total_seconds())), "timeSinceLastUpdate": "3", "sessionId": str(n)}
    return json.dumps({"polled_at": at.replace(tzinfo=UTC).timestamp(), "answer": [row]}) + "\n"


def polls(begin: datetime) -> str:
    """Two hours of D3, asked each minute: free, after 30 min a mount of 60 s, 600 s of files and 45 s, free again."""
    began = [(0, "UP"), (1800, "MOUNTING"), (1860, "TRANSFERRING"), (2460, "UNLOADING"), (2505, "UP")]
    text = ""
    for s in range(0, 7201, 60):
        since, status = [one for one in began if one[0] <= s][-1]
        text += polled(7, "D3", status, after(begin, since), after(begin, s))
    return text


def test_polls_stand_in_for_a_drives_log(whole: Site, without_d3: Site, tmp_path: Path) -> None:
    """D3's log is lost, but not the answers of two hours, over UTC midnight; of the others the log decides."""
    site, later = make_site(tmp_path / "site", SITE), copied(without_d3, tmp_path / "later")
    begin = after(FIRST, 86_400 + 82_800)
    shutil.copytree(without_d3.root / "logs", site.root / "logs")
    for one in (site, later):
        put(one, "polls/D3.jsonl", polls(begin))
        put(one, "polls/D2.jsonl", polls(begin).replace('"D3"', '"D2"'))
        make(one)
    assert differences(all_rows(site), all_rows(later)) == []
    states = query(
        site,
        "SELECT state, epoch(from_at - (SELECT min(from_at) FROM silver.drive_state WHERE drive = 'D3')),"
        " epoch(to_at - from_at), witness FROM silver.drive_state WHERE drive = 'D3' ORDER BY from_at",
    )
    assert states == [("mount", 0, 60, "poll"), ("transfer", 60, 600, "poll"), ("dismount", 660, 45, "poll")]
    sums = dict(
        query(site, "SELECT bucket, sum(duration_us) / 1e6 FROM gold.drive_ledger WHERE drive = 'D3' GROUP BY 1")
    )
    days = query(site, "SELECT sum(day_us) / 1e6 FROM (SELECT DISTINCT day, day_us FROM gold.drive_ledger)")[0][0]
    assert sums == {"mount": 60, "transfer": 600, "dismount": 45, "idle": 7200 - 705, "unknown": days - 7200}
    found = query(site, "SELECT drive, mover_host, system FROM site.drive WHERE drive = 'D3'")
    assert found == [("D3", SERVERS["D3"], INSTANCE)]
    of_d2 = "SELECT * EXCLUDE (file_id, line_no) FROM silver.drive_state WHERE drive = 'D2' ORDER BY ALL"
    assert query(site, of_d2) == query(whole, of_d2)


def test_by_vo_pool_and_tape_server(whole: Site) -> None:
    found = query(
        whole,
        "SELECT storage_group, file_family, mode, count(*), count(DISTINCT mover_host) FROM silver.transfer"
        " GROUP BY ALL ORDER BY ALL",
    )
    # 3 days x 5 files of VA, 3 x 6 of VC and 2 of VD to read; 3 x 3 to write
    assert found == [("muon", "r_muon", "read", 35, 2), ("proton", "r_proton", "write", 9, 1)]
    assert query(whole, "SELECT DISTINCT system FROM silver.session") == [(INSTANCE,)]


def test_init_finds_drives_tape_servers_and_disk_systems(tmp_path: Path) -> None:
    for (drive, day), text in FILES.items():
        if day <= DAYS[1]:
            path = tmp_path / "logs" / f"{drive}-{day}.log"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    site = load_site(tmp_path)
    assert site.zone == "Europe/London"  # the first one on the list that was UTC in March
    assert {drive.name: drive.mover_host for drive in site.drive} == SERVERS
    assert {station.name for station in site.station} == {"eosmuon", "eosproton"}
    steps.ingest(site)
    steps.build(site)
    found = query(site, "SELECT drive, logname, mover_host, system FROM site.drive ORDER BY drive")
    assert found == [(name, name, server, INSTANCE) for name, server in SERVERS.items()]


def test_init_finds_drives_by_polls(tmp_path: Path) -> None:
    (tmp_path / "polls.jsonl").write_text(polls(FIRST))
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    assert {drive.name: drive.mover_host for drive in load_site(tmp_path).drive} == {"D3": SERVERS["D3"]}


# --- generated logs with known sessions -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def captured(realdata: Path) -> Path:
    return realdata / "cta-synthetic"


def read(captured: Path, folder: Path, dialect: str) -> Site:
    site = make_site(folder, REAL_SITE)
    (site.root / "logs").mkdir()
    for path in captured.glob(f"cta-taped-I*.{dialect}.log"):
        shutil.copy(path, site.root / "logs")
    make(site)
    return site


@pytest.fixture(scope="module")
def text(captured: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return read(captured, tmp_path_factory.mktemp("text"), "kv")


def test_text_and_json_give_the_same_rows(text: Site, captured: Path, tmp_path: Path) -> None:
    other = read(captured, tmp_path / "json", "json")
    one, two = all_rows(text), all_rows(other)
    assert one["silver.transfer"].total() == 57
    assert differences(one, two) == []


def test_six_of_six_sessions(text: Site, captured: Path) -> None:
    found = {
        row[0]: row[1:]
        for row in query(
            text,
            "SELECT split_part(s.session_id, ' ', 3), any_value(s.status), count(*), sum(t.file_bytes),"
            " sum(t.bytes) / sum(t.drive_s) / 1e6,"
            " sum(t.file_bytes) / 1e6 / epoch(any_value(coalesce(s.dismounted_at, s.to_at) - s.requested_at))"
            " FROM silver.session s JOIN silver.transfer t USING (session_id) GROUP BY 1",
        )
    }
    expected = json.loads((captured / "expected-sessions.json").read_text())
    assert len(expected) == len(found) == 6
    for one in expected:
        status = "killed" if one["status"] == "failure" else "ok"
        rates = (pytest.approx(one["drive_rate"], abs=0.1), pytest.approx(one["overall_rate"], abs=0.2))
        assert found[one["mountId"]] == (status, one["files"], one["bytes"], *rates)


def test_each_part_of_the_ledger(text: Site, captured: Path) -> None:
    expected: dict[tuple[str, str], float] = {}
    for one in json.loads((captured / "expected-sessions.json").read_text()):
        for bucket, parts in PARTS.items():
            key = (one["drive"], bucket)
            expected[key] = expected.get(key, 0) + sum(one[part] for part in parts)
    rows = query(text, "SELECT drive, bucket, sum(duration_us) / 1e6 FROM gold.drive_ledger GROUP BY ALL")
    ledger = {(drive, bucket): s for drive, bucket, s in rows}
    assert {key: ledger.get(key, 0) for key in expected} == {
        key: pytest.approx(s, abs=0.5) for key, s in expected.items()
    }
    assert query(text, "SELECT count(*) FROM silver.gap") == [
        (51,)
    ]  # 14 + 9 + 16 + 6 + 8 + 4 files in six mounts: 57 - 6


def test_a_day_of_short_mounts_is_not_without_findings(tmp_path: Path) -> None:
    """62 times six mounts on three drives, 1390 s apart: a tape mounted 124 times, files far apart, 62 hung sessions.

    A mount takes 70 s to be ready, 20 s to its label and 40 s to be gone. D2 reads 16 and 6 files of 1 s each and winds
    17 s to each: of 130 + 16 x 18 = 418 and 130 + 6 x 18 = 238 s it winds 20 + 272 and 20 + 102, 63 %.
    """
    story = Taped(SERVERS)
    for n in range(62):
        at = after(FIRST, 1390 * n - 3600)  # of the site's day
        free = story.mount("D1", "VW", at, 14, file_s=26, mode="write", vo="proton")
        story.mount("D1", "VR", after(free, 5), 9, position_s=17, vo="proton")
        free = story.mount("D2", "VM", at, 16, file_s=1, position_s=17, vo="kaon")
        story.mount("D2", "VM", after(free, 5), 6, file_s=1, position_s=17, vo="kaon")
        free = story.mount("D3", "VX", at, 8, file_s=28, mode="write")
        story.mount("D3", "VY", after(free, 5), 4, position_s=15, hangs_s=452)
    site = make_site(tmp_path, SITE)
    for (drive, day), text in story.files().items():
        put(site, f"taped/{drive}-{day}.log", text)
    make(site)
    found = {(one["rule"], one["entity"]): one for one in steps.detect(site, FIRST.date(), FIRST.date()).findings}
    tapes = {("remounts", volume) for volume in ("VW", "VR", "VM", "VX", "VY")}
    picked = {("partial_read", "VM")}  # and the whole tape would have been quicker
    assert set(found) == {("hung_session", "D3"), ("winding_bound", "eoskaon"), *tapes, *picked}
    assert {key for key, one in found.items() if not one["gain_gb_day"]} == picked
    assert found["remounts", "VM"]["value"] == 124
    facts = json.loads(found["winding_bound", "eoskaon"]["facts"])
    assert facts["hours"] == pytest.approx(62 * 414 / 3600, abs=0.02) and facts["share"] == pytest.approx(
        0.63, abs=0.01
    )
    assert facts["f"] == pytest.approx((16 / 418 + 6 / 238) / 2, abs=0.001)
    assert found["hung_session", "D3"]["lost_hours"] == pytest.approx(62 * 452 / 3600, abs=0.1)
