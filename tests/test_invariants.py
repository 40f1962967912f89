"""What is known does not depend on how it arrived: how often, in which order, in how many pieces, in which wrapping.

Each test reads the same small archive in two ways and compares every row that SQL makes, lineage left out.
"""

import gzip
import os
import random
import re
import shutil
import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from pipelines import cli, steps
from pipelines.build import inputs, run
from pipelines.catalog.contracts import Relation
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import CheckFailed
from pipelines.warehouse import connection as store
from pipelines.warehouse.connection import LAKE, Warehouse
from support.archive import (
    SITE,
    SYSTEM,
    ZONE,
    Rows,
    Story,
    all_rows,
    copied,
    differences,
    make,
    make_site,
    morning,
    mrtg_text,
    put,
    queries,
    query,
    seconds,
    vmstat_text,
)
from support.stories import week, week_with_hole

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = date(2010, 3, 10)
LOG = f"enstore/LOG-{DAY}"
MRTG = "mrtg/dm8-bond0.log"
VMSTAT = f"vmstat/dm8_{DAY}.txt"
POLL = datetime(2010, 3, 10, 20, 3, 7)


def busy_morning() -> Story:
    """Enough lines that a third of them is more than a head: a shorter log is read again when it grows."""
    story, at = morning(DAY), datetime(2010, 3, 10, 14)
    story.heartbeat(at - seconds(899), at + seconds(3000), step_s=5)
    return story


TEXTS = {
    LOG: busy_morning().days()[DAY],
    MRTG: mrtg_text(POLL),
    VMSTAT: vmstat_text(datetime(2010, 3, 10, 15)),
}


def fill(site: Site, texts: dict[str, str] = TEXTS) -> dict[str, Path]:
    return {name: put(site, name, text) for name, text in texts.items()}


@pytest.fixture(scope="module")
def plain_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The small archive, each file read once, completely, and built; a test that changes it takes `built`, a copy."""
    site = make_site(tmp_path_factory.mktemp("plain"))
    fill(site)
    make(site)
    return site


@pytest.fixture
def built(plain_site: Site, tmp_path: Path) -> Site:
    return copied(plain_site, tmp_path / "built")


@pytest.fixture(scope="module")
def plain(plain_site: Site) -> Rows:
    """The rows of the small archive when each file is read once, completely."""
    rows = all_rows(plain_site)
    silent = {name for name in fed_relations(plain_site) if not rows[name]}
    may_be_empty = {"silver.coverage_gap", "silver.relay_state", "gold.source_silence", "gold.queue_wait"}
    may_be_empty |= {
        "silver.cta_state",
        "silver.cta_poll_state",
        "silver.counter_state",
        "silver.counter_use",
        "silver.drive_counter",
        "silver.listed_mount",
        "silver.tsm_transfer",
        "silver.scsi_counter",
        "silver.endit_mount",
        "silver.recall",
        # fed by collectd's files of a figure each
        "silver.series_instant",
        "silver.device_sample",
        "gold.disk_concurrency",
        "gold.pool_share",
    }  # fed by other archives
    assert silent <= may_be_empty, "a comparison of empty relations would prove nothing"
    return rows


def fed_relations(site: Site) -> set[str]:
    """What SQL makes, directly or not, of a bronze relation that has rows."""
    catalog = load_catalog()
    bronze = [relation.full_name for relation in catalog.layer("bronze")]
    rows = queries(site, {name: f"SELECT 1 FROM {name} LIMIT 1" for name in bronze})
    fed = {name for name, found in rows.items() if found}
    assert fed >= {"bronze.enstore_log_mover", "bronze.link_sample", "bronze.host_sample"}
    for relation in catalog.made_by_sql():
        if fed.intersection(relation.inputs):
            fed.add(relation.full_name)
    return fed.difference(bronze)


def log_of(site: Site, name: str) -> Path:
    return site.root / "logs" / name


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path / "site")


def assert_adds_up(site: Site) -> None:
    """Every line of every file read is used, skipped or rejected, and a reject is kept for each one rejected."""
    assert query(site, "SELECT path FROM ops.file WHERE n_used + n_skipped + n_rejected <> n_lines") == []
    counted = query(site, "SELECT coalesce(sum(n_rejected), 0) FROM ops.file WHERE state = 'loaded'")
    assert counted == query(site, "SELECT count(*) FROM ops.reject")


def assert_files_are_known(site: Site) -> None:
    """Every row that SQL makes names files that were read."""
    made = [(one.full_name, name) for one in load_catalog().made_by_sql() for name in one.lineage]
    named = " UNION ".join(f"SELECT {name} FROM {table}" for table, name in made if name.endswith("file_id"))
    assert query(site, f"SELECT id FROM ({named}) AS t(id) ANTI JOIN ops.file ON file_id = id WHERE id <> ''") == []


# --- once is as good as twice ---------------------------------------------------------------------------------


def test_the_same_files_twice(built: Site, plain: Rows) -> None:
    again = steps.ingest(built).as_dict()
    assert (again["unchanged"], again["loaded"]) == (3, 0)
    for name in TEXTS:
        os.utime(log_of(built, name), ns=(1, 1))
    log = log_of(built, LOG)
    shutil.copy(log, log.with_name(f"copy-of-{log.name}"))
    touched = steps.ingest(built).as_dict()
    assert (touched["unchanged"], touched["loaded"]) == (4, 0)
    assert steps.build(built).days == []
    assert differences(plain, all_rows(built)) == []
    assert_adds_up(built)


@pytest.mark.parametrize("order", [(MRTG, VMSTAT, LOG), (VMSTAT, LOG, MRTG)], ids=["log_last", "log_between"])
def test_files_in_any_order(site: Site, plain: Rows, order: tuple[str, ...]) -> None:
    paths = fill(site)
    for name in order:
        make(site, paths[name])
    assert differences(plain, all_rows(site)) == []


# --- files that grow, move and are packed ---------------------------------------------------------------------


def test_a_file_that_grows_in_three_steps(site: Site, plain: Rows) -> None:
    """With its rest another file comes with other bytes and the rows that it had: these name the new file."""
    fill(site, TEXTS | {VMSTAT: TEXTS[VMSTAT].replace("procs -", "procs --")})
    lines = TEXTS[LOG].splitlines(keepends=True)
    torn_at = len(lines) * 2 // 3
    path = put(site, LOG, "".join(lines[: len(lines) // 3]))
    make(site)
    path.write_text("".join(lines[:torn_at]) + lines[torn_at][:37])
    make(site)
    assert query(site, "SELECT reason FROM ops.reject") == [("torn",)]
    assert_adds_up(site)
    fill(site)
    make(site)
    assert differences(plain, all_rows(site)) == []
    assert_files_are_known(site)
    assert query(site, "SELECT reason FROM ops.reject") == [], "the torn line is whole now"
    assert_adds_up(site)
    parts = query(site, f"SELECT sum(n_lines), count(*), count(continues) FROM ops.file WHERE path = 'logs/{LOG}'")
    assert parts == [(len(lines), 3, 2)], "only the tails were read"


def test_a_torn_line_that_stays_torn_is_counted_once(site: Site) -> None:
    path = put(site, LOG, TEXTS[LOG] + "08:59:59 mvr1.exam")
    steps.ingest(site)
    os.utime(path, ns=(1, 1))
    assert steps.ingest(site).as_dict()["unchanged"] == 1
    assert query(site, "SELECT reason FROM ops.reject") == [("torn",)]
    path.write_text(TEXTS[LOG] + "08:59:59 mvr1.example.or")
    steps.ingest(site)
    assert query(site, "SELECT reason, text FROM ops.reject") == [("torn", "08:59:59 mvr1.example.or")]
    assert_adds_up(site)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gzip", "zstd"])
def test_packing_a_file_changes_nothing(built: Site, plain: Rows, pack: object) -> None:
    assert callable(pack)
    for path in [log_of(built, name) for name in TEXTS]:
        path.with_name(path.name + ".packed").write_bytes(pack(path.read_bytes()))
        path.unlink()
    moved = steps.ingest(built).as_dict()
    assert (moved["loaded"], moved["unchanged"]) == (0, 3)
    assert steps.build(built).days == []
    assert differences(plain, all_rows(built)) == []


def test_a_packed_file_that_had_grown_before_counts_once(site: Site, plain: Rows) -> None:
    paths = fill(site, TEXTS | {LOG: TEXTS[LOG][: len(TEXTS[LOG]) // 2]})
    make(site)
    paths[LOG].with_name(paths[LOG].name + ".gz").write_bytes(gzip.compress(TEXTS[LOG].encode()))
    paths[LOG].unlink()
    make(site)
    assert differences(plain, all_rows(site)) == []


def test_a_file_rewritten_in_place_replaces_its_rows(site: Site, plain: Rows) -> None:
    fill(site, TEXTS | {LOG: morning(DAY).days("UTC")[DAY].replace("DRV_2", "DRV_7"), VMSTAT: vmstat_text(POLL, 30)})
    make(site)
    assert query(site, "SELECT count(*) FROM silver.transfer WHERE drive = 'DRV_7'") != [(0,)]
    fill(site)
    make(site)
    assert differences(plain, all_rows(site)) == []
    assert_adds_up(site)


def test_log_and_debuglog_and_a_packed_copy_count_once(site: Site, plain: Rows) -> None:
    fill(site)
    lines = TEXTS[LOG].splitlines(keepends=True)
    trace = [f"{line[:9]}srv09.example.org 000017 root D DBGSRV  trace {n}\n" for n, line in enumerate(lines)]
    both = "".join(part for pair in zip(lines, trace, strict=True) for part in pair)
    put(site, f"enstore/DEBUGLOG-{DAY}", both)
    put(site, f"enstore/LOG-{DAY}.gz", gzip.compress(TEXTS[LOG].encode()))
    make(site)
    assert query(site, "SELECT count(*) FROM ops.file") == [(4,)]
    assert differences(plain, all_rows(site)) == []


# --- MRTG: a log that forgets ---------------------------------------------------------------------------------


def test_snapshots_of_one_mrtg_log_in_any_order(site: Site, tmp_path: Path) -> None:
    older, newer = mrtg_text(POLL - timedelta(hours=9)), mrtg_text(POLL)
    put(site, MRTG, older)
    make(site)
    put(site, MRTG, newer)
    make(site)
    other = make_site(tmp_path / "other")
    put(other, MRTG, newer)
    put(other, f"{MRTG}.old", older)
    make(other)
    assert differences(all_rows(other), all_rows(site)) == []
    fine = "SELECT min(from_at) FROM silver.link_sample WHERE to_at - from_at = INTERVAL 300 SECOND"
    assert query(site, fine)[0][0] < POLL - timedelta(hours=20), "what the newer log forgot is still known"


def test_an_older_snapshot_that_knows_no_more_adds_nothing(site: Site, tmp_path: Path) -> None:
    """Its two newest rows end with its polls, not with five minutes: the newer log shows that time better."""
    older, newer = (mrtg_text(POLL + timedelta(minutes=minutes)) for minutes in (10, 20))
    put(site, MRTG, newer)
    put(site, f"{MRTG}.old", older)
    make(site)
    alone = make_site(tmp_path / "alone")
    put(alone, MRTG, newer)
    make(alone)
    found, expected = all_rows(site), all_rows(alone)
    assert found.pop("silver.link_file").total() == 2 * expected.pop("silver.link_file").total()
    assert differences(expected, found) == []


def test_idle_ports_with_the_same_log_are_two(site: Site) -> None:
    idle = mrtg_text(POLL, scale=0.01)
    put(site, "mrtg/dm8-bond0.log", idle)
    put(site, "mrtg/dm8-bond1.log", idle)
    make(site)
    counts = query(site, "SELECT link, count(*) FROM silver.link_sample GROUP BY link ORDER BY link")
    assert [link for link, _ in counts] == ["dm8-bond0", "dm8-bond1"]
    assert len({n for _, n in counts}) == 1


# --- what site.toml says --------------------------------------------------------------------------------------


def test_a_corrected_zone_reads_again(site: Site, plain: Rows) -> None:
    fill(site)
    wrong = make_site(site.root, SITE.replace(ZONE, "UTC"))
    make(wrong)
    right = make_site(site.root)
    assert steps.ingest(right).as_dict()["loaded"] == 3, "the clock of each file hangs on the site's zone"
    steps.build(right)
    assert differences(plain, all_rows(right)) == []
    assert_adds_up(right)


# --- a build of some days is as good as one of all ------------------------------------------------------------


WEEK = week()
LATE = 2  # the day that comes after all others


@pytest.fixture(scope="module")
def week_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(tmp_path_factory.mktemp("week"))
    arrive(site, WEEK, full=True)
    return site


@pytest.fixture(scope="module")
def whole_week(week_site: Site) -> Rows:
    return all_rows(week_site)


@pytest.fixture(scope="module")
def without_one_day(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The week while the logs of a day in its middle are missing."""
    site, days = make_site(tmp_path_factory.mktemp("without")), list(WEEK)
    arrive(site, {day: WEEK[day] for day in days if day != days[LATE]}, full=True)
    return site


def arrive(site: Site, texts: dict[date, str], full: bool = False) -> None:
    """Logs of some days come, and are built."""
    for day, text in texts.items():
        put(site, f"enstore/LOG-{day}", text)
    make(site, full=full)


def arrive_late(without_one_day: Site, folder: Path) -> Site:
    site, day = copied(without_one_day, folder), list(WEEK)[LATE]
    arrive(site, {day: WEEK[day]})
    return site


@pytest.mark.parametrize("order", [1, -1], ids=["as_they_come", "backwards"])
def test_days_arriving_one_by_one(site: Site, whole_week: Rows, order: int) -> None:
    for day in list(WEEK)[::order]:
        arrive(site, {day: WEEK[day]})
    assert differences(whole_week, all_rows(site)) == []


@pytest.mark.parametrize(("n", "seed"), [(2, 0), (6, 36)])
def test_days_of_a_log_that_lost_lines(site: Site, n: int, seed: int) -> None:
    """One line of `n` is lost: attempts lack their requests, and mounts their ends. No check fails for that."""
    draw = random.Random(seed)
    kept = {
        day: "".join(line for line in text.splitlines(keepends=True) if draw.randrange(n)) for day, text in WEEK.items()
    }
    for day in reversed(kept):
        arrive(site, {day: kept[day]})
    found = all_rows(site)
    steps.build(site, full=True)
    assert differences(found, all_rows(site)) == []


def test_a_drive_that_logs_name_on_another_host(site: Site) -> None:
    """Its host is by name the first that any log gives it: a log of a later day can change hours long before."""
    put(site, LOG, morning(DAY).days()[DAY].replace("mvr1.", "mvr9."))
    put(site, f"vmstat/mvr9_{DAY}.txt", vmstat_text(datetime(2010, 3, 10, 14), 3000))
    make(site)
    later = DAY + timedelta(days=10)
    arrive(site, {later: morning(later).days()[later]})
    found = all_rows(site)
    steps.build(site, full=True)
    assert differences(found, all_rows(site)) == []


def test_a_drive_that_is_down_while_messages_of_a_day_come_late(tmp_path: Path) -> None:
    """Only its mover's broadcast shows that it is down: no line of a later day is about it."""
    site = make_site(tmp_path, f'{SITE}[[input]]\nglob = "logs/relay/*"\nsystem = "{SYSTEM}"\n')
    days = [DAY + timedelta(days=n) for n in range(9)]
    for day in [*days[:2], *days[3:], days[2]]:
        ticks = [datetime.combine(day, datetime.min.time()) + seconds(n) for n in range(0, 86_400, 500)]
        lines = [f"{at:%a %b %d %H:%M:%S %Y} state DRV_2@stk IDLE\n" for at in ticks]
        lines[100:100] = [f"{ticks[100]:%a %b %d %H:%M:%S %Y} state DRV_1@stk OFFLINE\n"] if day == DAY else []
        put(site, f"relay/{day}.txt", "".join(lines))
        if day not in days[1:8]:
            make(site)
    make(site)
    found = all_rows(site)
    assert query(site, "SELECT to_at - from_at > INTERVAL 8 DAY FROM silver.relay_state WHERE drive = 'DRV_1'") == [
        (True,)
    ]
    steps.build(site, full=True)
    assert differences(found, all_rows(site)) == []


def test_a_day_arriving_late_in_the_middle(without_one_day: Site, whole_week: Rows, tmp_path: Path) -> None:
    site = arrive_late(without_one_day, tmp_path / "site")
    assert differences(whole_week, all_rows(site)) == []
    # a full build looks at bronze alone, and that is the same in any order
    steps.build(site, full=True)
    assert differences(whole_week, all_rows(site)) == []


# Both long holes in both orders, of the short ones one order each: their days are made in one go.
HOLES = [(2, True, [1]), (3, False, [-1]), (8, True, [1, -1]), (8, False, [1, -1])]


@pytest.mark.parametrize(("n_days", "in_use", "orders"), HOLES)
def test_days_arriving_around_a_hole(tmp_path: Path, n_days: int, in_use: bool, orders: list[int]) -> None:
    """The days on one side of it come first, then one by one those on the other side."""
    at_once = make_site(tmp_path / "at_once")
    texts = week_with_hole(n_days)
    if not in_use:
        texts = {day: re.sub(r"(?m)^.*DRV_[3-6].*\n", "", text) for day, text in texts.items()}
    arrive(at_once, texts, full=True)
    lengths = "SELECT date_diff('day', from_at, to_at) FROM silver.coverage_gap"
    assert query(at_once, lengths) == [(n_days,)]
    sides = list(texts)[:2], list(texts)[2:]
    assert sides[1][0] - sides[0][1] == timedelta(days=n_days + 1)
    for order in orders:
        site, (together, others) = make_site(tmp_path / f"site{order}"), sides[::order]
        for days in (together, *([day] for day in others[::order])):
            arrive(site, {day: texts[day] for day in days})
        assert differences(all_rows(at_once), all_rows(site)) == [], order


@pytest.mark.parametrize("n", [4, 9], ids=["between", "last"])
def test_a_hole_grows_where_a_log_is_withdrawn(site: Site, n: int) -> None:
    story, first = Story(), datetime(2010, 3, 1, 6)
    for days in (0, 4, 9):
        begin = first + timedelta(days=days)
        story.heartbeat(begin, begin + timedelta(days=1), 540)
        story.session("DRV_1", f"VA{days}", begin + timedelta(hours=3), 1)
    arrive(site, story.days())
    holes = "SELECT date_diff('day', from_at, to_at) FROM silver.coverage_gap ORDER BY from_at"
    assert query(site, holes) == [(3,), (4,)]
    steps.forget(site, f"logs/enstore/LOG-{first.date() + timedelta(days=n)}")
    assert not steps.build(site).is_full
    assert query(site, holes) == ([(8,)] if n == 4 else [(3,)])


@pytest.mark.parametrize(
    ("dismounted", "loaded"),
    [(timedelta(minutes=-1), timedelta(days=4, hours=7)), (timedelta(days=1), timedelta(days=2, seconds=30))],
    ids=["before midnight", "the day after"],
)
def test_a_tape_exchanged_for_a_request_over_midnight(tmp_path: Path, dismounted: timedelta, loaded: timedelta) -> None:
    """The request comes before midnight (UTC), the tape it needs days after: the days of both are made together."""
    story, midnight = Story(), datetime(2010, 3, 10)
    story.heartbeat(midnight - timedelta(hours=12), midnight + timedelta(days=5), 540)
    story.session("DRV_1", "VA", midnight - seconds(1200), 2, ends=False)
    story.request("DRV_1", "VB", midnight - seconds(300), 50_000_000, 60)
    story.mover(midnight - seconds(290), "DRV_1", "dismount_volume VA")
    story.mover(midnight - seconds(200), "DRV_1", "dismount VA: ('DRIVE_BUSY', 5, None, 'no answer')", "E")
    story.mover(midnight + dismounted, "DRV_1", "dismounted VA")
    load = midnight + loaded
    story.mover(load, "DRV_1", "MSG_TYPE=MC_LOAD_REQ  mounting VB")
    story.mover(load + seconds(30), "DRV_1", "MSG_TYPE=MC_LOAD_DONE  mounted VB")
    story.mover(load + seconds(60), "DRV_1", "write_tape starting, bytes_to_write=50000000")
    story.mover(load + seconds(70), "DRV_1", "written bytes 50000000/50000000, blocks 7630 header 110 trailer 402")
    story.mover(load + seconds(72), "DRV_1", "transfer complete volume=VB location=1")
    texts = story.days()
    at_once = make_site(tmp_path / "at_once")
    arrive(at_once, texts, full=True)
    asked = "SELECT started_at > requested_at, requested_at - queued_at FROM silver.transfer WHERE volume = 'VB'"
    assert query(at_once, asked) == [(True, timedelta(seconds=60))]
    for order in (1, -1):
        site = make_site(tmp_path / f"site{order}")
        for day in list(texts)[::order]:
            arrive(site, {day: texts[day]})
        assert differences(all_rows(at_once), all_rows(site)) == [], order


def test_a_request_queued_days_before_the_log(tmp_path: Path) -> None:
    story, first = Story(), datetime(2010, 3, 8, 6)
    story.heartbeat(first, first + timedelta(days=2), 540)
    for n, waited_s in enumerate([2, 9 * 86400, 40 * 86400]):
        story.request("DRV_1", "VA", first + timedelta(hours=3 + 12 * n), 50_000_000, waited_s)
    texts = {day: text for day, text in story.days().items() if day >= DAY - timedelta(days=2)}
    assert len(texts) == 2 and [text.count(" Q'd ") for text in texts.values()] == [1, 0]
    at_once = make_site(tmp_path / "at_once")
    arrive(at_once, texts, full=True)
    waits = "SELECT date_diff('day', day, CAST(assigned_at AS DATE)) FROM silver.request ORDER BY 1"
    assert query(at_once, waits) == [(0,), (9,), (40,)]
    for order in (1, -1):
        site = make_site(tmp_path / f"site{order}")
        for day in list(texts)[::order]:
            arrive(site, {day: texts[day]})
        assert differences(all_rows(at_once), all_rows(site)) == [], order
    steps.forget(at_once, f"logs/enstore/LOG-{max(texts)}")
    assert not steps.build(at_once).is_full
    found = all_rows(at_once)
    assert query(at_once, waits) == [(0,), (9,)], "no line that stays names the day on which the other was queued"
    steps.build(at_once, full=True)
    assert differences(found, all_rows(at_once)) == []


@pytest.mark.parametrize(("few", "fresh"), [(10_000, 200_000), (20, 200_000), (20, 60)])
def test_a_day_arriving_in_a_large_warehouse(
    without_one_day: Site, whole_week: Rows, few: int, fresh: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last commit is read apart, tables are too large to copy, and days just made fit into memory or do not."""
    monkeypatch.setattr(store, "MANY_FILES", 0)
    monkeypatch.setattr(inputs, "MOST_FRESH", fresh)
    for module in (inputs, run):
        monkeypatch.setattr(module, "FEW", few)
    keep, kept = inputs.Inputs.keep_fresh, list[int]()

    def noted(own: inputs.Inputs, relation: Relation, *given: Any) -> None:
        keep(own, relation, *given)
        if relation.full_name in own._fresh:
            table = f"temp.fresh_{relation.full_name.replace('.', '_')}"
            kept.extend(n for (n,) in own._connection.execute(f"SELECT count(*) FROM {table}").fetchall())

    monkeypatch.setattr(inputs.Inputs, "keep_fresh", noted)
    site = arrive_late(without_one_day, tmp_path / "site")
    assert 0 < max(kept) <= fresh
    assert differences(whole_week, all_rows(site)) == []
    steps.build(site, full=True)
    assert differences(whole_week, all_rows(site)) == []


def test_a_full_build_fills_a_relation_that_is_newer_than_the_rows_below(built: Site, plain: Rows) -> None:
    with Warehouse(built).write("test") as connection:
        connection.execute(f"DELETE FROM {LAKE}.gold.file_rate; DELETE FROM {LAKE}.silver.gap")
    steps.build(built, full=True)
    assert differences(plain, all_rows(built)) == []


def test_a_day_withdrawn_and_read_again(
    week_site: Site, without_one_day: Site, whole_week: Rows, tmp_path: Path
) -> None:
    site = copied(week_site, tmp_path / "week")
    steps.forget(site, str(site.root / "logs" / f"enstore/LOG-{list(WEEK)[LATE]}"))
    assert not steps.build(site).is_full
    assert differences(all_rows(without_one_day), all_rows(site)) == []
    assert steps.ingest(site).as_dict()["withdrawn"] == 1, "it stays withdrawn"
    assert steps.ingest(site, again=True).as_dict()["loaded"] == 1
    assert not steps.build(site).is_full
    assert differences(whole_week, all_rows(site)) == []


def test_a_day_withdrawn_while_what_has_no_days_changes(tmp_path: Path) -> None:
    """A configuration of MRTG may change any day, and with the log all days of its link go."""
    site = make_site(tmp_path, f'{SITE}[[input]]\nglob = "logs/cfg/*.cfg"\n')
    put(site, MRTG, mrtg_text(POLL))
    make(site)
    assert query(site, "SELECT count(*) > 0 FROM gold.link_stretch") == [(True,)]
    steps.forget(site, f"logs/{MRTG}")
    put(site, "cfg/mrtg.cfg", "Target[dm8-bond0]: 2:public@switch\nMaxBytes[dm8-bond0]: 125000000\n")
    assert not make(site).is_full
    assert query(site, "SELECT count(*) FROM silver.link_target") == [(1,)]
    assert query(site, "SELECT count(*) FROM gold.link_stretch") == [(0,)]


# --- a build that is refused ----------------------------------------------------------------------------------


def with_another_archive(site: Site) -> Site:
    """The site with a second archive, in whose logs the drives of the first have the same names."""
    path = site.root / "site.toml"
    path.write_text(path.read_text() + '[[input]]\nglob = "logs/other/LOG-{date}*"\nsystem = "other"\n')
    return steps.site_at(site.root)


def test_a_failed_check_leaves_the_last_build(
    built: Site, plain: Rows, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site, before = built, plain
    later = DAY + timedelta(days=1)
    for name in (f"enstore/LOG-{later}", f"other/LOG-{later}"):
        put(site, name, morning(later).days()[later])
    site = with_another_archive(site)
    steps.ingest(site)
    with pytest.raises(CheckFailed, match=r"silver\.session"):
        steps.build(site)
    assert differences(before, all_rows(site)) == []
    monkeypatch.setattr(sys, "argv", ["tapescope", "build", "--site", str(site.root)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 3
    assert "forget" in capsys.readouterr().err
    assert differences(before, all_rows(site)) == []
    recorded = steps.ask(site, "checks").as_dicts()
    assert not any(row["is_committed"] for row in recorded)
    details = {
        row["relation"]: row["detail"]
        for row in recorded
        if row["severity"] == "critical" and row["outcome"] != "passed"
    }
    assert f"other/LOG-{later}" in details["silver.session"]
    for name in ("enstore", "other"):
        steps.forget(site, f"logs/{name}/LOG-{later}")
    steps.build(site)
    assert differences(before, all_rows(site)) == []
    assert query(site, "SELECT is_committed FROM ops.build ORDER BY number") == [(True,), (False,), (False,), (True,)]


def test_a_failed_first_build_commits_nothing(site: Site) -> None:
    for name in (LOG, f"other/LOG-{DAY}"):
        put(site, name, TEXTS[LOG])
    site = with_another_archive(site)
    steps.ingest(site)
    with pytest.raises(CheckFailed):
        steps.build(site)
    constant = {relation.full_name for relation in load_catalog().made_by_sql() if relation.is_constant}
    assert [name for name, rows in all_rows(site).items() if rows and name not in constant] == []
    log_of(site, f"other/LOG-{DAY}").unlink()
    steps.forget(site, f"logs/other/LOG-{DAY}")
    assert make(site).is_full
    assert all_rows(site)["silver.transfer"]
    assert SYSTEM in {row[0] for row in query(site, "SELECT DISTINCT system FROM silver.transfer")}
