"""One recall followed from the pool's request to the file on disk: by CTA, and by ENDIT and TSM."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site
from sample_data.cta.taped import Taped
from support.archive import all_rows, differences, make, make_site, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = datetime(2026, 3, 9)
SITE = 'name = "site"\nzone = "UTC"\n[[input]]\nglob = "logs/**/*"\n'
ASKED = datetime(2026, 3, 9, 8)
PERIOD = {"first_day": "2026-03-09", "last_day": "2026-03-09"}


def at(seconds: float) -> datetime:
    """So long after the pools asked."""
    return ASKED + timedelta(seconds=seconds)


def record(kind: str, pnfsid: str, created: datetime, took_s: float, uri: str = "") -> str:
    """A line of dCache's billing."""
    line = {
        "msgType": kind, "cellName": "pool1", "cellDomain": "d", "cellType": "pool", "version": "1.0", "pnfsid": pnfsid,
        "date": f"{created:%Y-%m-%dT%H:%M:%S.000Z}", "queuingTime": 0, "transferTime": int(took_s * 1000),
        "fileSize": 6_000_000_000, "status": {"code": 0, "msg": ""}, "storageInfo": "muon:raw@cta",
        "locations": [uri] if uri else [],
    }  # fmt: skip
    return json.dumps(line) + "\n"


def texts_of_cta() -> dict[str, str]:
    """Three files requested at 08:00; their mount is asked for 600 s later. They were stored the day before."""
    story = Taped({"D1": "tpsrv01"})
    story.heartbeat("D1", DAY, DAY + timedelta(days=1))
    story.mount("D1", "V1", at(600), 3)
    stored = "".join(
        record("store", f"0000F{n}", DAY - timedelta(hours=9), 60, f"cta://cta/0000F{n}?archiveid={1000 + n}")
        for n in (1, 2, 3)
    )
    restored = "".join(record("restore", f"0000F{n}", ASKED, 600 + 70 + 20 + n * 25.01 + 4) for n in (1, 2, 3))
    return {"cta/taped.log": "".join(story.files().values()), "dcache/stored": stored, "dcache/restored": restored}


def read(folder: Path, texts: dict[str, str]) -> Site:
    site = make_site(folder, SITE)
    for name, text in texts.items():
        put(site, name, text)
        make(site)
    return site


def test_by_cta(tmp_path: Path) -> None:
    """Queue 600 s, mount 70, label 20 and 25 for each file before, winding 5, reading 20, 4 to the pool."""
    site = read(tmp_path / "site", texts_of_cta())
    rows = steps.ask(site, "recall_path", PERIOD).as_dicts()
    assert [row["pnfsid"] for row in rows] == ["0000F3", "0000F2", "0000F1"]
    for row in rows:
        n = int(row["pnfsid"][-1])
        stages = [row[f"{name}_s"] for name in ("queue", "mount", "turn", "position", "read", "deliver")]
        assert stages == pytest.approx([600, 70, 20 + (n - 1) * 25.01, 5, 20, 4], abs=0.05)
        assert (row["via"], row["drive"], row["volume"], row["slowest"]) == ("cta", "D1", "V1", "queue")
    (one,) = steps.ask(site, "recall_stages", PERIOD).as_dicts()
    assert (one["n_recalls"], one["n_followed"], one["slowest"]) == (3, 3, "queue")


def test_logs_in_any_order(tmp_path: Path) -> None:
    texts = texts_of_cta()
    one = read(tmp_path / "one", texts)
    other = read(tmp_path / "other", dict(reversed(texts.items())))
    assert differences(all_rows(one), all_rows(other)) == []


def test_by_endit_and_tsm(tmp_path: Path) -> None:
    """A run begins 300 s after the request, waits 80 s for its tape, and is done 400 s after its start."""
    line = "{:%Y-%m-%d %H:%M:%S} pool1 [1400]{} {}\n"
    run = "on volume A00017L8 (11.18 GiB in 2 files, oldest 2026-03-09 08:00:00 newest 2026-03-09 08:00:01)"
    done = "Retrieve operation from volume A00017L8 successful, 11.18 GiB in 2 files took 400 seconds"
    done += ", average rate 28.62 MiB/s (0.01 files/s)"
    endit = line.format(at(300), "", f"Running worker PID 2001 {run} files: 0000F1 0000F2")
    endit += line.format(at(300), "[2001]", "Trying to retrieve files from volume A00017L8 using file list /x")
    endit += line.format(at(700), "[2001]", done)
    log = "{:%Y-%m-%d %H:%M:%S}     {}\n"
    tsm = log.format(at(380), "ANR8337I LTO volume A00017L8 mounted in drive DRIVE01 (/dev/tape1). (SESSION: 7)")
    tsm += log.format(
        at(900), "ANR8468I LTO volume A00017L8 dismounted from drive DRIVE01 (/dev/tape1) in library LIB1."
    )
    billing = record("restore", "0000F1", ASKED, 702) + record("restore", "0000F2", at(1), 702)
    site = read(tmp_path / "site", {"endit/tsmretriever.log": endit, "tsm/actlog": tsm, "dcache/billing": billing})
    rows = {row["pnfsid"]: row for row in steps.ask(site, "recall_path", PERIOD).as_dicts()}
    first = rows["0000F1"]
    assert (first["via"], first["drive"], first["volume"]) == ("endit", "DRIVE01", "A00017L8")
    stages = ("queue_s", "mount_s", "turn_s", "position_s", "read_s", "deliver_s")
    assert [first[name] for name in stages] == [300, 80, None, None, 320, 2]
    assert first["slowest"] == "read" and rows["0000F2"]["queue_s"] == 299
    served = steps.ask(site, "endit_drives", PERIOD).as_dicts()
    assert [(row["drive"], row["n_runs"], row["median_wait_s"]) for row in served] == [("DRIVE01", 1, 80)]
    assert query(site, "SELECT count(*) FROM ops.reject") == [(0,)]


def test_an_archive_of_endit_by_the_session_of_its_host(tmp_path: Path) -> None:
    """5.588 GiB are 6 GB; the tape comes 80 s after the start of the run, which goes on for 320 s more."""
    line = "{:%Y-%m-%d %H:%M:%S} pool1 [1400][2001] {}\n"
    endit = line.format(at(0), "Spawning worker #1 to archive 5.588 GiB in 1 file from /d/out (files: 0000F1)")
    endit += line.format(
        at(400), "Archive operation successful, duration 400 seconds, average rate 14.31 MiB/s (0.00 files/s)"
    )
    log = "{:%Y-%m-%d %H:%M:%S}     {}\n"
    tsm = log.format(at(1), "ANR0406I Session 7 started for node POOL1 (Linux) (Tcp/Ip stage07). (SESSION: 7)")
    tsm += log.format(at(80), "ANR8337I LTO volume W00001L8 mounted in drive DRIVE01 (/dev/tape1). (SESSION: 7)")
    tsm += log.format(at(81), "ANR0511I Session 7 opened output volume W00001L8. (SESSION: 7)")
    tsm += log.format(at(399), "ANR0403I Session 7 ended for node POOL1 (Linux). (SESSION: 7)")
    tsm += log.format(at(900), "ANR8468I LTO volume W00001L8 dismounted from drive DRIVE01 (/dev/tape1) in library L.")
    cells = [f"{at(1)}.000000", f"{at(399)}.000000", "ARCHIVE", "7", "POOL1", "Tcp/Ip", "stage07.example.org:1500", ""]
    summary = ",".join([*cells, "1", "1", "0", "6000400000", *[""] * 4, "0", "80", "1", "YES", *[""] * 4, "0", ""])
    sources = '[[input]]\nglob = "logs/endit/*"\nhost = "stage07"\n[[input]]\nglob = "logs/tsm/*"\nsystem = "tsm1"\n'
    site = make_site(tmp_path / "site", SITE.split("[[input]]")[0] + sources)
    for name, text in {"endit/tsmarchiver.log": endit, "tsm/actlog": tsm, "tsm/summary": summary + "\n"}.items():
        put(site, name, text)
        make(site)
    (row,) = steps.ask(site, "endit_drives", PERIOD).as_dicts()
    assert [row[name] for name in ("system", "drive", "pool", "operation", "n_runs", "n_volumes", "n_files")] == [
        *("tsm1", "DRIVE01", "pool1", "archive"),
        *(1, 1, 1),
    ]
    assert (row["median_wait_s"], row["shared_hours"]) == (80, pytest.approx(320 / 3600))
    assert row["moved_gb"] == pytest.approx(6, rel=1e-3)
