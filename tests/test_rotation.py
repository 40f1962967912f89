"""Rotation keeps every line that was ever read, each once; a log written again replaces what was read of it.

The rule is in `pipelines/ingest/succession.py`.
"""

import gzip
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from polars.exceptions import PanicException

from pipelines import steps
from pipelines.cli.endings import Stopped
from pipelines.config.site import Site, load_site
from pipelines.ingest import parse_file
from pipelines.ingest.reading import Reader
from pipelines.ingest.succession import Succession
from pipelines.primitives.errors import ConfigError
from pipelines.sources import all_sources
from pipelines.warehouse.connection import LAKE, Warehouse
from support.archive import make_site, morning, mrtg_text, put, query, vmstat_text

pytestmark = pytest.mark.usefixtures("mostly_plain_store")

SITE_TEXT = """
name = "case"
zone = "UTC"
[[input]]
glob = "logs/{host}.log*"
[[input]]
glob = "logs/alone/{host}.log"
[[input]]
glob = "logs/mrtg/{link}.log*"
[[input]]
glob = "logs/dated/{host}_{date}*"
"""
BEGIN = datetime(2024, 3, 5, 10)
N_DAYS = 8
SEED = 15


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path / "site", SITE_TEXT)


def endit(at: datetime, volume: str) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} pool1 [1400][2001] Trying to retrieve files from volume {volume}\n"


def events(site: Site, host: str = "%") -> Counter[str]:
    rows = query(site, f"SELECT volume FROM bronze.endit_event WHERE host LIKE '{host}'")
    return Counter(row[0] for row in rows)


def states(site: Site) -> dict[str, str]:
    return {file.path.removeprefix("logs/"): file.state for file in steps.ingest(site).files}


def assert_adds_up(site: Site) -> None:
    assert query(site, "SELECT path FROM ops.file WHERE n_used + n_skipped + n_rejected <> n_lines") == []
    counted = query(site, "SELECT coalesce(sum(n_rejected), 0) FROM ops.file WHERE state = 'loaded'")
    assert counted == query(site, "SELECT count(*) FROM ops.reject")


# --- any history ------------------------------------------------------------------------------------------------


@dataclass
class Log:
    """A log that grows and is rotated in one way; `n_kept` old files of it are left, those packed that are older."""

    path: Path
    rotate: Callable[["Log", date], None]
    n_kept: int
    random: Random
    at: datetime = BEGIN
    n_lines: int = 0
    held: str = ""  # the start of a line whose end is still to be written
    read: set[str] = field(default_factory=set)  # lines that were there at an ingest

    def grow(self) -> None:
        text = self.held
        for _ in range(self.random.choice([0, 1, 3, 40, 150, 260])):
            text += endit(self.at, f"{self.path.stem}N{self.n_lines}")
            self.n_lines += 1
            self.at += timedelta(seconds=self.random.choice([0, 1, 7]))
        self.held = ""
        with self.path.open("a") as file:
            file.write(text)

    def tear(self) -> None:
        """Half of the next line is there already."""
        whole = endit(self.at, f"{self.path.stem}N{self.n_lines}")
        self.n_lines += 1
        half = self.random.randrange(1, len(whole))
        self.held = whole[half:]
        with self.path.open("a") as file:
            file.write(whole[:half])

    def note_read(self) -> None:
        for path in self.path.parent.glob(f"{self.path.name}*"):
            text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            self.read |= {line.split()[-1] for line in text.decode().splitlines(keepends=True) if line.endswith("\n")}


def by_number(log: Log, day: date) -> None:
    """logrotate: .1, .2 and so on, packed from .2 on."""
    older = lambda n: log.path.with_name(f"{log.path.name}.{n}")  # noqa: E731
    for n in range(log.n_kept, 0, -1):
        for old in (older(n), older(f"{n}.gz")):
            if old.exists() and n == log.n_kept:
                old.unlink()
            elif old.exists():
                pack(old, older(f"{n + 1}.gz"))
    if log.n_kept:
        log.path.rename(older(1))
    log.path.write_text("")


def by_date(log: Log, day: date) -> None:
    """logrotate with dateext: the old name never changes again."""
    if log.n_kept:
        log.path.rename(log.path.with_name(f"{log.path.name}-{day:%Y%m%d}"))
    log.path.unlink(missing_ok=True)
    for old in sorted(log.path.parent.glob(f"{log.path.name}-*"))[: -log.n_kept]:
        old.unlink()


def by_copy(log: Log, day: date) -> None:
    """copytruncate: the old content is copied, the file stays."""
    if log.n_kept:
        shutil.copy2(log.path, log.path.with_name(f"{log.path.name}.1"))
    os.truncate(log.path, 0)


def pack(old: Path, new: Path) -> None:
    content = old.read_bytes() if old.suffix == ".gz" else gzip.compress(old.read_bytes(), mtime=0)
    old.unlink()
    new.write_bytes(content)


@pytest.mark.lake
def test_random_rotations_give_the_union_of_all_lines(site: Site) -> None:
    """Hosts with a way of rotation each; on some days nothing is ingested, on some nothing is rotated."""
    random, folder = Random(SEED), site.root / "logs"
    (folder / "alone").mkdir(parents=True)
    ways = [(by_number, 2), (by_number, 4), (by_date, 3), (by_date, 1), (by_copy, 1)]
    logs = [Log(folder / f"p{n}.log", way, kept, random) for n, (way, kept) in enumerate(ways)]
    logs += [Log(folder / "alone" / f"q{n}.log", way, 0, random) for n, way in enumerate((by_number, by_copy))]
    for number in range(N_DAYS):
        day = (BEGIN + timedelta(days=number)).date()
        for log in logs:
            log.at = max(log.at, datetime(day.year, day.month, day.day, 10))
            log.grow()
        for log in logs:
            if random.random() < 0.2:
                log.tear()
        if random.random() < 0.7 or number == N_DAYS - 1:
            steps.ingest(site)
            for log in logs:
                log.note_read()
        for log in logs:
            if random.random() < 0.7 and log.path.exists() and number < N_DAYS - 1:
                log.grow()
                log.rotate(log, day)
    for log in logs:
        assert len(log.read) > 100, "or nothing is shown"
        assert events(site, log.path.stem) == Counter(log.read)
    assert_adds_up(site)
    assert query(site, "SELECT path FROM ops.file WHERE state NOT IN ('loaded', 'unknown')") == []
    # looked at again, nothing is read and nothing changes
    before = query(site, "SELECT max(snapshot_id) FROM lake.snapshots()")
    assert set(states(site).values()) <= {"unchanged", "unknown"}
    assert query(site, "SELECT max(snapshot_id) FROM lake.snapshots()") == before


# --- single histories -------------------------------------------------------------------------------------------


def lines_of(name: str, n: int, at: datetime = BEGIN, first: int = 0) -> str:
    return "".join(endit(at + timedelta(seconds=i), f"{name}{first + i}") for i in range(n))


def test_rotated_by_rename_with_two_kept_five_days_stay(site: Site) -> None:
    """vmstat, whose logs all begin with the same two lines."""
    for n in range(5):
        for old in (1, 0):
            path = site.root / "logs" / (f"h.log.{old}" if old else "h.log")
            if path.exists():
                path.rename(path.with_name(f"h.log.{old + 1}"))
        put(site, "h.log", vmstat_text(datetime(2010, 3, 9 + n, 20, 3, 7), 30))
        assert list(states(site).values()) == ["loaded", *["unchanged"] * min(n, 2)]
    assert query(site, "SELECT count(DISTINCT day), count(*) FROM bronze.host_sample") == [(5, 5 * 29)]


@pytest.mark.parametrize(("n", "n_next"), [(30, 3), (300, 3), (300, 0)], ids=["short", "long", "next_is_empty"])
def test_a_log_that_grew_before_it_was_rotated_is_read_on(site: Site, n: int, n_next: int) -> None:
    """A long log by its tail, and both under their present path."""
    put(site, "h.log", lines_of("A", n))
    steps.ingest(site)
    put(site, "h.log.1.gz", gzip.compress(lines_of("A", n + 5).encode()))
    put(site, "h.log", lines_of("B", n_next, BEGIN + timedelta(days=1)))
    assert states(site) == {"h.log": "loaded" if n_next else "unknown", "h.log.1.gz": "loaded"}
    assert events(site) == Counter([f"A{i}" for i in range(n + 5)] + [f"B{i}" for i in range(n_next)])
    parts = query(site, "SELECT path, n_lines FROM ops.file ORDER BY path, from_offset")
    grown = [("logs/h.log.1.gz", n), ("logs/h.log.1.gz", 5)] if n > 200 else [("logs/h.log.1.gz", n + 5)]
    assert parts == [("logs/h.log", n_next or None), *grown]


def test_a_log_written_again_replaces_its_rows(site: Site) -> None:
    """The same first lines, or most of the same period; a few lines at its end, or another day's, do not."""
    put(site, "h.log", lines_of("A", 250))
    steps.ingest(site)
    for name, text, left in [
        ("cut", lines_of("A", 230), {"A": 230}),
        ("corrected", lines_of("B", 240), {"B": 240}),
        ("moved_by_a_minute", lines_of("C", 240, BEGIN + timedelta(seconds=60)), {"C": 240}),
        ("next", lines_of("D", 5, BEGIN + timedelta(seconds=299)), {"C": 240, "D": 5}),
        ("older", lines_of("E", 7, BEGIN - timedelta(days=9)), {"C": 240, "D": 5, "E": 7}),
        ("empty", "", {"C": 240, "D": 5, "E": 7}),
        ("both_again", lines_of("F", 400), {"E": 7, "F": 400}),
        ("grown", lines_of("F", 500), {"E": 7, "F": 500}),
        ("cut_to_what_was_read_first", lines_of("F", 400), {"E": 7, "F": 400}),
    ]:
        put(site, "h.log", text)
        warnings = steps.ingest(site).as_dict()["warnings"]
        assert ["is shorter" in one["reason"] for one in warnings] == [True] * name.startswith("cut"), name
        assert Counter(volume[0] for volume in events(site)) == Counter(left), name
        assert_adds_up(site)


def test_another_host_at_the_same_path_replaces_nothing(tmp_path: Path) -> None:
    for host in ("one", "two"):
        site = make_site(tmp_path, f'name = "x"\n[[input]]\nglob = "logs/*"\nhost = "{host}"\n')
        put(site, "a.log", lines_of(host, 30))
        assert states(site) == {"a.log": "loaded"}
    assert query(site, "SELECT host, count(*) FROM bronze.endit_event GROUP BY host ORDER BY host") == [
        ("one", 30),
        ("two", 30),
    ]


def test_versions_of_a_log_that_forgets_all_stay(site: Site) -> None:
    """MRTG's .old is the log of yesterday; a version that is gone is known still."""
    poll = datetime(2010, 3, 10, 20, 3, 7)
    for n in range(3):
        path = site.root / "logs" / "mrtg" / "dm8.log"
        if n:
            path.replace(path.with_name("dm8.log.old"))
        put(site, "mrtg/dm8.log", mrtg_text(poll + timedelta(hours=9 * n)))
        assert list(states(site).values()) == ["loaded", *["unchanged"] * min(n, 1)]
    assert query(site, "SELECT count(*) FROM ops.file WHERE state = 'loaded'") == [(3,)]


def test_a_corrected_zone_reads_a_rotated_log_again(site: Site) -> None:
    put(site, "h.log", lines_of("A", 250))
    steps.ingest(site)
    put(site, "h.log.1", lines_of("A", 260))
    put(site, "h.log", lines_of("B", 3, BEGIN + timedelta(days=1)))
    right = make_site(site.root, SITE_TEXT.replace("UTC", "America/Chicago"))
    assert set(states(right).values()) == {"loaded"}
    assert events(right) == Counter([f"A{i}" for i in range(260)] + [f"B{i}" for i in range(3)])
    assert query(right, "SELECT min(logged_at) FROM bronze.endit_event") == [(BEGIN + timedelta(hours=6),)]


def test_a_new_column_of_bronze_loses_no_log_that_is_gone(site: Site) -> None:
    """Lines that are still there are read again for it, and count once in each table."""
    for name, day in (("A", 0), ("B", 1)):
        put(site, "h.log", lines_of(name, 250, BEGIN + timedelta(days=day)))
        steps.ingest(site)
    with Warehouse(site).write("test") as connection:  # as a version left it that did not know the column
        connection.execute(f"ALTER TABLE {LAKE}.bronze.endit_event DROP COLUMN operation")
    assert steps.pending_files(site).n_new == 0, "nothing is known yet of the new contract"
    assert states(site) == {"h.log": "loaded"}
    assert query(
        site, "SELECT operation, left(volume, 1), count(*) FROM bronze.endit_event GROUP BY ALL ORDER BY 2"
    ) == [
        (None, "A", 250),
        ("retrieve", "B", 250),
    ]
    assert query(site, "SELECT count(*) FROM bronze.log_coverage") == [(2,)]
    assert states(site) == {"h.log": "unchanged"}
    assert_adds_up(site)


def test_a_copy_whose_log_is_rotated_away_stands_for_it(site: Site) -> None:
    put(site, "h.log", lines_of("A", 250))
    put(site, "h.log.bak", lines_of("A", 250))
    assert states(site) == {"h.log": "loaded", "h.log.bak": "unchanged"}
    put(site, "h.log", lines_of("B", 240))  # of the same seconds: written again, but the copy still says A
    assert states(site) == {"h.log": "loaded", "h.log.bak": "unchanged"}
    assert Counter(volume[0] for volume in events(site)) == {"A": 250, "B": 240}
    assert [file.path for file in steps.ingest(site).files if file.state == "unchanged"] == [
        "logs/h.log",
        "logs/h.log.bak",
    ]
    assert steps.forget(site, str(site.root / "logs" / "h.log.bak"))
    assert Counter(volume[0] for volume in events(site)) == {"B": 240}


def test_lines_that_begin_two_logs_stay_with_the_second(site: Site) -> None:
    """A log and its copy were both written on after it was read; then the log is written again."""
    put(site, "h.log.b", lines_of("A", 250))
    steps.ingest(site)
    for name in ("a", "b"):
        put(site, f"h.log.{name}", lines_of("A", 250) + lines_of(name, 5, BEGIN + timedelta(days=1)))
    steps.ingest(site)
    assert query(site, "SELECT count(*), count(DISTINCT continues) FROM ops.file") == [(3, 1)]
    put(site, "h.log.b", lines_of("C", 240))
    steps.ingest(site)
    assert Counter(volume[0] for volume in events(site)) == {"A": 250, "a": 5, "C": 240}
    assert_adds_up(site)


# --- files that change while they are read ----------------------------------------------------------------------


@pytest.mark.parametrize("way", ["appended", "replaced"])
def test_what_changes_while_it_is_read_is_read_next_time(site: Site, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """After the last byte was read, and before the file is noted."""
    path = put(site, "h.log", lines_of("A", 300))
    chunks = parse_file.FileParse.chunks

    def changing(self: parse_file.FileParse) -> object:
        yield from chunks(self)
        more = lines_of("A", 100, BEGIN + timedelta(seconds=300), 300)
        if way == "appended":
            path.write_text(path.read_text() + more)
        else:
            path.with_suffix(".new").write_text(lines_of("A", 300) + more)
            path.with_suffix(".new").replace(path)

    with monkeypatch.context() as patched:
        patched.setattr(parse_file.FileParse, "chunks", changing)
        assert states(site) == {"h.log": "loaded"}
    assert steps.pending_files(site).n_new == 1
    assert states(site) == {"h.log": "loaded"}
    assert events(site) == Counter(f"A{i}" for i in range(400))
    assert states(site) == {"h.log": "unchanged"}


# --- one file never stops the others ----------------------------------------------------------------------------


@pytest.mark.parametrize(("owner", "name"), [(Succession, "beginnings"), (Reader, "read")])
@pytest.mark.lake
def test_a_log_that_is_gone_when_its_turn_comes(
    site: Site, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    """Its first three lines were read before; it has grown, and is rotated away after it was recognised."""
    path = put(site, "h.log", lines_of("A", 3))
    assert states(site) == {"h.log": "loaded"}
    path.write_text(lines_of("A", 30))
    put(site, "i.log", lines_of("B", 3))
    go_on = getattr(owner, name)

    def late(self: object, *given: object) -> object:
        path.unlink(missing_ok=True)
        return go_on(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, late)
        assert states(site) == {"h.log": "failed", "i.log": "loaded"}
    assert query(site, "SELECT reason FROM ops.file WHERE state = 'failed'") == [
        ("not_readable: No such file or directory",)
    ]
    assert events(site) == Counter(["A0", "A1", "A2", "B0", "B1", "B2"])
    path.write_text(lines_of("A", 30))
    assert states(site) == {"h.log": "loaded", "i.log": "unchanged"}
    assert events(site) == Counter([*(f"A{i}" for i in range(30)), "B0", "B1", "B2"])


@pytest.mark.parametrize("function", ["parse", "recognise"])
@pytest.mark.lake
def test_a_panic_refuses_the_file_and_not_the_batch(site: Site, monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    put(site, "a.log", vmstat_text(BEGIN, 5))
    put(site, "h.log", lines_of("A", 3))

    def panics(*_: object) -> None:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(all_sources()["vmstat"], function, panics)
    files = {file.path: file for file in steps.ingest(site).files}
    assert files["logs/h.log"].state == "loaded" and len(events(site)) == 3
    assert (
        "tapescope's reader for vmstat failed on this file: PanicException: index out of bounds"
        in files["logs/a.log"].reason
    )
    assert files["logs/a.log"].state == {"parse": "failed", "recognise": "unknown"}[function]
    (counts,) = query(site, "SELECT counts FROM ops.run WHERE step = 'ingest'")
    assert f'"{files["logs/a.log"].state}": 1' in counts[0]


class TimeLimit(BaseException):
    """As Airflow's AirflowTaskTimeout."""


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, Stopped, TimeLimit])
@pytest.mark.parametrize("function", ["parse", "recognise"])
def test_an_interrupt_is_no_fault_of_a_file(
    site: Site, monkeypatch: pytest.MonkeyPatch, function: str, interrupt: type[BaseException]
) -> None:
    """Ctrl-C, SIGTERM, and the time limit of a task in Airflow."""
    put(site, "a.log", vmstat_text(BEGIN, 5))

    def stopped(*_: object) -> None:
        raise interrupt

    monkeypatch.setattr(all_sources()["vmstat"], function, stopped)
    with pytest.raises(interrupt):
        steps.ingest(site)
    assert query(site, "SELECT count(*) FROM ops.file") == [(0,)]


# --- one content, two dates -------------------------------------------------------------------------------------


def test_a_log_copied_under_another_date_is_refused_with_both_names(site: Site) -> None:
    text = morning(date(2010, 3, 10)).days()[date(2010, 3, 10)]
    put(site, "dated/e_2010-03-10", text)
    put(site, "dated/e_2009-03-10.copy", text)
    files = steps.ingest(site).files
    assert [file.state for file in files] == ["loaded", "failed"]
    assert files[1].reason == (
        "other_date: logs/dated/e_2009-03-10.copy has the same lines, but was read with the date 2009-03-10;"
        " one of the two files has a wrong date: remove that file"
    )
    (site.root / "logs/dated/e_2009-03-10.copy").unlink()
    assert states(site) == {"dated/e_2010-03-10": "loaded"}
    assert query(site, "SELECT DISTINCT CAST(from_at AS DATE) FROM bronze.log_coverage") == [(date(2010, 3, 10),)]


def test_two_days_with_the_same_few_lines_are_two(site: Site) -> None:
    text = "".join(morning(date(2010, 3, 10)).days()[date(2010, 3, 10)].splitlines(keepends=True)[:9])
    put(site, "dated/e_2010-03-10", text)
    put(site, "dated/e_2010-03-11", text)
    assert set(states(site).values()) == {"loaded"}


# --- the source is given ----------------------------------------------------------------------------------------


def test_an_input_chooses_the_source(tmp_path: Path) -> None:
    """As `parse --source` does; what it refuses is refused in its words, and a look counts by it."""
    text = '[[input]]\nglob = "logs/*"\n'
    site = make_site(tmp_path, f'name = "x"\n{text}')
    put(site, "a", lines_of("A", 3))
    assert dict(steps.pending_files(site).by_source) == {"endit": 1}
    assert states(site) == {"a": "loaded"}
    site = make_site(tmp_path, f'name = "x"\n{text}source = "sar"\n')
    assert dict(steps.pending_files(site).by_source) == {"sar": 1}
    (file,) = steps.ingest(site).files
    assert (file.state, file.source, file.counts.n_rejected) == ("loaded", "sar", 3)
    assert events(site) == Counter(), "the same file, read otherwise"
    counts = steps.parse(site, tmp_path / "logs/a", None, False, lambda _: None)
    assert (counts["source"], counts["rejected"]) == ("sar", 3)
    site = make_site(tmp_path, f'name = "x"\n{text}source = "enstore_accounting"\n')
    (file,) = steps.ingest(site).files
    assert file.state == "failed" and file.reason.startswith("unknown_header: the file has no header of a table")
    (tmp_path / "site.toml").write_text(f'name = "x"\n{text}source = "sarr"\n')
    with pytest.raises(ConfigError, match="there is no source 'sarr'; known sources: amass_sysperf, "):
        load_site(tmp_path)
