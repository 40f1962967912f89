"""Small archives for tests: logs of our own making, their site.toml, and all rows that silver and gold make of them.

A `Story` has UTC times and is written as the log server would, one file for each calendar day of the site. It has
events that reach over midnight: mounts, drives that are down, requests that wait.
"""

import math
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import prepare_tables

ZONE = "America/Chicago"
SYSTEM = "teststand"
Rows = dict[str, Counter[tuple[Any, ...]]]


def seconds(n: float) -> timedelta:
    return timedelta(seconds=n)


@dataclass
class Story:
    """Lines of an Enstore log in the making."""

    lines: list[tuple[datetime, int, str]] = field(default_factory=list)
    n_requests: int = 0

    def say(self, at: datetime, host: str, name: str, message: str, severity: str = "I") -> None:
        self.lines.append((at, len(self.lines), f"{host}.example.org 006201 root {severity} {name}  {message}"))

    def mover(self, at: datetime, drive: str, message: str, severity: str = "I") -> None:
        self.say(at, f"mvr{drive[-1]}", f"{drive}MV", f"{message} Thread tape_thread", severity)

    def session(
        self, drive: str, volume: str, at: datetime, n_files: int, file_s: int = 20, pause_s: int = 4, ends: bool = True
    ) -> datetime:
        """Files written to one volume, 50 MB/s each; returns when the drive is free, or when the log ends."""
        for number in range(1, n_files + 1):
            at = self.write(drive, volume, at, number, file_s) + seconds(pause_s)
        if ends:
            self.mover(at, drive, f"dismount_volume {volume}")
            self.mover(at + seconds(20), drive, f"dismounting {volume}")
            self.mover(at + seconds(45), drive, f"dismounted {volume}")
            at += seconds(45)
        return at

    def write(self, drive: str, volume: str, at: datetime, number: int, file_s: int) -> datetime:
        """One file, with the mount before the first; returns when it was complete."""
        size = 50_000_000 * file_s
        request = self.request(drive, volume, at, size)
        if number == 1:
            self.mover(at + seconds(1), drive, f"MSG_TYPE=MC_LOAD_REQ  mounting {volume}")
            self.mover(at + seconds(31), drive, f"MSG_TYPE=MC_LOAD_DONE  mounted {volume}")
            at += seconds(40)
        self.mover(at, drive, f"tape position: target {number} current {number} 0")
        at += seconds(1)
        self.mover(at, drive, f"write_tape starting, bytes_to_write={size}")
        at += seconds(file_s)
        self.mover(at, drive, f"written bytes {size}/{size}, blocks 7630 header 110 trailer 402")
        at += seconds(2)
        call_s = file_s - 1
        timing = f"pull 0.25 write {call_s} crc_check 0.5 freespace 0.0625 block_write {call_s + 0.25} idle 0.0"
        self.mover(at, drive, f"filemarks written. Tape {volume} absolute location in blocks {27632 * number}")
        self.mover(at, drive, f"write_tape timing:{timing}")
        self.mover(at, drive, f"transfer complete volume={volume} location={number}")
        copied = (
            f"MSG_TYPE=ENCP_XFER    write_to_hsm /data/f{number} -> /pnfs/f{number}: {size} bytes copied to {volume} at"
            f" 40.5 MB/S (41.25 MB/S network) (45.2 MB/S drive) (1.2e+03 MB/S disk) mover={drive}.mover drive_id=X"
            f" drive_sn=T1 drive_vendor=ACME elapsed=75.5 {{'storage_group': 'muon', 'transfer_rate': 40.5,"
            f" 'unique_id': '{request}'}}"
        )
        self.say(at + seconds(1), "node7", "ENCP", copied)
        return at

    def read(self, drive: str, volume: str, at: datetime, numbers: list[int], file_s: int = 20) -> datetime:
        """Files read in one mount, 50 MB/s each, 5 s for each file passed over; returns when the drive is free."""
        size, current = 50_000_000 * file_s, 0
        for number in numbers:
            self.request(drive, volume, at, size, number=number)
            if not current:
                self.mover(at + seconds(1), drive, f"MSG_TYPE=MC_LOAD_REQ  mounting {volume}")
                self.mover(at + seconds(31), drive, f"MSG_TYPE=MC_LOAD_DONE  mounted {volume}")
                at += seconds(40)
            self.mover(at, drive, f"tape position: target {number} current {current} 0")
            at += seconds(1 + 5 * abs(number - current - 1))
            self.mover(at, drive, f"skip_fm {number - current}")
            self.mover(at, drive, f"read_tape starting, bytes_to_read={size}")
            at += seconds(file_s)
            self.mover(at, drive, f"read bytes {size}/{size}, blocks 7630 header 106")
            timing = f"get_space 0.125 read {file_s - 1} crc_check 0.5 push 0.0625 block_read {file_s - 0.75} idle 0.0"
            self.mover(at, drive, f"read_tape timing:{timing}")
            at += seconds(1)
            self.mover(at, drive, f"transfer complete volume={volume} location={number}")
            at, current = at + seconds(2), number
        self.mover(at, drive, f"dismount_volume {volume}")
        self.mover(at + seconds(20), drive, f"dismounting {volume}")
        self.mover(at + seconds(45), drive, f"dismounted {volume}")
        return at + seconds(45)

    def request(
        self, drive: str, volume: str, at: datetime, size: int, waited_s: float = 2, number: int | None = None
    ) -> str:
        """A request in the queue and its ticket at the mover: to write a file, or to read the one of that number."""
        direction, command = ("write", "WRITE_TO_HSM") if number is None else ("read", "READ FROM HSM")
        work, cookie = ("write_to_hsm", "") if number is None else ("read_from_hsm", f"0000_000000000_{number:07}")
        self.n_requests += 1
        queued = (at - datetime(1970, 1, 1)).total_seconds() - waited_s
        unique = f"node7.example.org-{int(queued)}-4321-{self.n_requests}"
        message = f"{direction} Q'd /data/f ({unique}) -> /pnfs/f : library=TEST-1 family=raw requester:prod"
        self.say(at - seconds(waited_s), "srv01", "TESTLM", message)
        self.mover(at, drive, f"{command}. Mover state IDLE")
        ticket = (
            f"SENDING {{'unique_id': '{unique}', 'work': '{work}', 'times': {{'t0': {queued},"
            f" 'job_queued': {queued}, 'lm_dequeued': {queued + waited_s}}}, 'fc': {{'external_label': '{volume}',"
            f" 'location_cookie': '{cookie}', 'size': {size}L}},"
            " 'vc': {'volume_family': 'muon.raw.cpio', 'library': 'TEST-1'}}"
        )
        self.mover(at, drive, ticket)
        return unique

    def down(self, drive: str, at: datetime, until: datetime | None) -> None:
        self.mover(at, drive, "mover is set OFFLINE")
        if until:
            self.mover(until, drive, f"starting mover {drive}.mover. MAX_BUFFER=2000 MB")

    def heartbeat(self, begin: datetime, end: datetime, step_s: int = 300) -> None:
        """Lines at all times, so that the log has no holes."""
        while begin < end:
            self.say(begin, "srv03", "INQSRV", "updated server status page")
            begin += seconds(step_s)

    def days(self, zone: str = ZONE) -> dict[date, str]:
        """The text of each day's file, by the site's calendar."""
        texts: dict[date, str] = {}
        for at, _, text in sorted(self.lines):
            local = at.replace(tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(zone))
            texts[local.date()] = texts.get(local.date(), "") + f"{local:%H:%M:%S} {text}\n"
        return texts


def morning(day: date) -> Story:
    """A quiet morning of two drives: mounts to write, one with long pauses, two to read, an outage, a failed mount."""
    story, at = Story(), datetime.combine(day, datetime.min.time()) + timedelta(hours=14)
    free = story.session("DRV_1", "VOL001", at, 5)
    story.session("DRV_1", "VOL002", free + seconds(120), 3, pause_s=11)
    free = story.read("DRV_1", "VOL001", at + seconds(900), [1, 2, 3, 4, 5])
    story.read("DRV_1", "VOL001", free + seconds(60), [1, 3, 5])
    story.session("DRV_2", "VOL003", at + seconds(15), 6, file_s=31)
    story.down("DRV_2", at + seconds(600), at + seconds(2500))
    story.mover(at + seconds(2510), "DRV_2", "MSG_TYPE=MC_LOAD_REQ  mounting VOL004")
    story.mover(at + seconds(2600), "DRV_2", "mount VOL004: ('DRIVE_BUSY', 5, None, 'no answer')", "E")
    story.heartbeat(at - seconds(900), at + seconds(3000))
    return story


def mrtg_text(last_poll: datetime, hours: int = 30, scale: float = 1.0) -> str:
    """An MRTG log after a poll: 300 s rows of the last hours, 1800 s rows of as long before."""
    end = int((last_poll - datetime(1970, 1, 1)).total_seconds())
    poll = end - 297
    rows = [f"{end} {end * 3} {end * 5}", f"{end} {_rates(end // 300 * 300, scale)}"]
    rows.append(f"{poll} {_rates(poll // 300 * 300, scale)}")
    at = poll // 300 * 300
    oldest_fine = end // 1800 * 1800 - hours // 2 * 3600
    while at > oldest_fine:
        rows.append(f"{at} {_rates(at, scale)}")
        at -= 300
    for n in range(hours + 1):
        rows.append(f"{oldest_fine - 1800 * n} {_rates(oldest_fine - 1800 * n, scale, 6)}")
    return "\n".join(rows) + "\n"


def _rates(at: int, scale: float, n: int = 1) -> str:
    """Averages and maxima of the n five-minute rates that end with an instant."""
    ins = [round(scale * (20e6 + 15e6 * math.sin(t / 5000))) for t in range(at - 300 * (n - 1), at + 1, 300)]
    outs = [round(value * 0.4) for value in ins]
    return f"{sum(ins) // n} {sum(outs) // n} {max(ins)} {max(outs)}"


def vmstat_text(begin: datetime, n: int = 120) -> str:
    """`vmstat -t 1` of a spool flushed every third second; the stamps are local."""
    head = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 CST\n"
    )
    local = begin.replace(tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(ZONE))
    rows = [
        f" 1  0      0 803444  49984 124916    0    0     8 {97_656 if i % 3 == 0 else 0:5}  900   50 20  5 73  2  0"
        f" {local + seconds(i):%Y-%m-%d %H:%M:%S}\n"
        for i in range(n)
    ]
    return head + "".join(rows)


SITE = f"""
name = "case"
zone = "{ZONE}"

[[station]]
name = "node7"

[[station]]
name = "dm8"

[[drive]]
name = "DRV_1"
generation = "LTO-4"

[[link]]
name = "dm8-bond0"
station = "dm8"

[[campaign]]
name = "to new tapes"
size_tb = 10.0
from = 2010-01-01

[[input]]
glob = "logs/mrtg/{{link}}.log*"

[[input]]
glob = "logs/vmstat/{{host}}_*"

[[input]]
glob = "logs/enstore/*{{date}}*"
system = "{SYSTEM}"
"""


def make_site(folder: Path, text: str = SITE) -> Site:
    """A site without logs; one whose warehouse is its own folder has that already, with all tables and no row."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "site.toml").write_text(text)
    site = steps.site_at(folder)
    place = Warehouse(site)
    if not (place.exists() or site.catalogue or site.data_path):
        shutil.copytree(empty_warehouse(), place.folder, dirs_exist_ok=True)
    return site


@cache
def empty_warehouse() -> Path:
    """A warehouse with every table: made once a process, as making a hundred tables takes a second of each site."""
    folder = Path(tempfile.mkdtemp(prefix="tapescope-empty-"))
    warehouse = Warehouse(Site(name="empty", root=folder))
    with warehouse.write("test") as connection:
        prepare_tables(connection, load_catalog())
    return warehouse.folder


def copied(site: Site, folder: Path) -> Site:
    """The same logs and the same warehouse elsewhere."""
    shutil.copytree(site.root, folder)
    return steps.site_at(folder)


def put(site: Site, name: str, content: str | bytes) -> Path:
    """A file below the site's logs/."""
    path = site.root / "logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def make(site: Site, *paths: Path, full: bool = False) -> steps.BuildReport:
    """Ingest (all inputs, or some files) and build."""
    steps.ingest(site, list(paths) or None)
    return steps.build(site, full=full)


def all_rows(site: Site, layer: str = "") -> Rows:
    """The rows of every relation that SQL makes, or of a layer's, without lineage, as multisets.

    How sources flow (ops.source_flow) is left out: it counts lines of files, and the order in which they came.
    """
    rows: Rows = {}
    with Warehouse(site).read() as connection, transaction(connection):  # else each read looks for a new snapshot
        for relation in load_catalog().made_by_sql():
            if relation.full_name == "ops.source_flow" or layer not in ("", relation.layer):
                continue
            columns = ", ".join(f'"{name}"' for name in relation.column_names if name not in relation.lineage)
            found = connection.execute(f"SELECT {columns} FROM {relation.full_name}").fetchall()
            rows[relation.full_name] = Counter(tuple(map(_plain, row)) for row in found)
    return rows


def bronze(site: Site) -> Rows:
    """All that an ingest writes, file_ids too; only when a file was last written is left out."""
    names = [*(relation.full_name for relation in load_catalog().layer("bronze")), "ops.reject"]
    asked = {name: f"SELECT * FROM {name}" for name in names}
    asked |= {"ops.file": "SELECT * EXCLUDE modified_ns FROM ops.file"}
    asked |= {"ops.place": "SELECT path, file_id, size_bytes FROM ops.place"}
    asked |= {"ops.dirty_day": "SELECT DISTINCT * FROM ops.dirty_day"}
    return {name: Counter(tuple(map(repr, row)) for row in found) for name, found in queries(site, asked).items()}


def _plain(value: Any) -> Any:
    """Sums of doubles depend on the order of threads in their last digits."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def differences(one: Rows, other: Rows) -> list[str]:
    """Rows that only one of two archives has, for people to read; at most three for each relation."""
    lines = []
    for name in sorted(one | other):
        for sign, left, right in (("-", one, other), ("+", other, one)):
            surplus = left.get(name, Counter()) - right.get(name, Counter())
            lines += [f"{sign} {name} ({surplus.total()} rows): {row}" for row in list(surplus)[:3]]
    return lines


def query(site: Site, sql: str) -> list[tuple[Any, ...]]:
    return queries(site, {"": sql})[""]


def queries(site: Site, asked: Mapping[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows by name: to open a warehouse takes longer than most questions."""
    with Warehouse(site).read() as connection, transaction(connection):
        return {name: connection.execute(sql).fetchall() for name, sql in asked.items()}
