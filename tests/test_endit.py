"""ENDIT's logs and hints from a folder of unknown files to what its workers cost, and lines near to its own."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.cli import cli
from pipelines.sources import choose, endit, endit_hints
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.archive import query

pytestmark = pytest.mark.usefixtures("plain_store")

SOURCES = Path(__file__).parent / "sources"
SITE = 'name = "pool"\nzone = "Europe/Stockholm"\n[[input]]\nglob = "tsm*"\n[[input]]\nglob = "*.json"\n'
SILVER = ("silver.endit_run", "silver.endit_recall")
STAMP = "2024-03-05 10:20:00"
BEGIN = f"{STAMP} p1 [1400] Running worker PID 2001 on volume A00017 (12.50 GiB in 2 files)"


def test_a_folder_of_its_logs_is_surveyed_read_and_asked(tmp_path: Path) -> None:
    """The retriever's log and the hint file of the source's cases.

    A00017 was read 10:20:00-10:22:05 by the log's clock, A00018 10:20:30-10:23:00 in vain, files of no volume
    10:30:00-10:31:00: 240 s with a worker, of 125 + 150 + 60 = 335 s of workers.
    """
    for kind, name, place in (
        ("endit", "clean_retriever.log", "tsmretriever.log"),
        ("endit", "clean_archiver.log", "tsmarchiver.log"),
        ("endit_hints", "clean_server.json", "SITE.json"),
    ):
        shutil.copy(SOURCES / kind / name, tmp_path / place)
    done = CliRunner().invoke(cli, ["init", str(tmp_path)])
    assert done.exit_code == 0, done.output
    site = steps.site_at(tmp_path)
    report = steps.ingest(site)
    assert {(file.path, file.source, file.state) for file in report.files} == {
        ("tsmretriever.log", "endit", "loaded"),
        ("tsmarchiver.log", "endit", "loaded"),
        ("SITE.json", "endit_hints", "loaded"),
    }
    steps.build(site)
    (day,) = steps.ask(site, "retrieve_streams", {}).as_dicts()
    assert (day["pool"], day["n_runs"], day["n_not_done"], day["most_workers"]) == ("pool_tape1", 3, 2, 2)
    assert day["reading_hours"] == pytest.approx(240 / 3600)
    assert day["mean_workers"] == pytest.approx(335 / 240)
    rows = steps.ask(site, "recalls_by_volume", {}).as_dicts()
    assert [(row["volume"], row["n_files"], row["n_mounts"]) for row in rows] == [
        (None, 3, 2),
        ("A00017", 2, 1),
        ("A00018", 1, 1),
    ]


def test_what_the_daemons_wrote(realdata: Path, tmp_path: Path) -> None:
    """Eight minutes of the unmodified retriever and archiver before a substitute for TSM's client, with their counts.

    Seconds after 10:24, of the retrieves: A00124L8 70-107, A00777L8 70-136, A00123L8 107-175, A00124L8 166-271,
    A00777L8 195-258, A00123L8 259-299, and A00777L8 369-403 in vain. Requests gathered 10 s, 30 s at most, and a volume
    rested 60 s: those of 70 were ready at 69, that of 107 at 82, that of 259 at 235 and that of 369 at 362; the other
    two began a second before their rest was over. So volumes waited for 1 + 25 + 24 + 7 s, with nothing read in the
    first and the last 7, with one worker from 258 to 259, else with two. Reads ran from 70 to 299 and from 369 to 403.
    """
    for path in (realdata / "endit-synthetic").iterdir():
        if path.name in ("tsmretriever.log", "tsmarchiver.log", "hints.json"):
            shutil.copy(path, tmp_path / path.name)
    (tmp_path / "site.toml").write_text(SITE.replace("Europe/Stockholm", "UTC"))
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    steps.build(site)
    assert query(site, "SELECT count(*) FROM ops.reject") == [(0,)]
    counts = "SELECT operation, outcome, count(*), sum(n_done) FROM silver.endit_run GROUP BY ALL ORDER BY ALL"
    assert query(site, counts) == [
        ("archive", "done", 7, 47),
        ("retrieve", "done", 6, 14),
        ("retrieve", "failed", 1, None),
    ]
    (archived,) = query(site, "SELECT sum(bytes) FROM silver.endit_run WHERE operation = 'archive'")
    assert archived[0] == pytest.approx(147_300_000_000, abs=7 * 2**30 / 2000)  # printed to a thousandth of a GiB
    staged = "SELECT sum(bytes) FROM bronze.endit_hint WHERE pnfsid IN (SELECT f.pnfsid FROM bronze.endit_file f"
    staged += " JOIN silver.endit_run r USING (file_id, line_no) WHERE r.operation = 'retrieve' AND r.outcome = 'done')"
    assert query(site, staged) == [(59_682_060_417,)]
    limits = {"fill_wait_s": "10", "fill_most_s": "30", "remount_delay_s": "60"}
    (day,) = steps.ask(site, "retrieve_streams", limits).as_dicts()
    hours = {"reading_hours": 229 + 34, "waiting_hours": 57, "lone_hours": 1, "unread_hours": 8}
    assert {name: day[name] * 3600 for name in hours} == pytest.approx(hours)
    assert (day["most_workers"], day["most_waiting"]) == (2, 2)
    assert day["mean_workers"] == pytest.approx((37 + 66 + 68 + 105 + 63 + 40 + 34) / 263)


def test_what_is_read_in_pieces_is_what_is_read_at_once(tmp_path: Path) -> None:
    """A log that grows between begin and end of a worker, and hints that come when files have been asked for."""
    log = (SOURCES / "endit" / "clean_retriever.log").read_text().splitlines(keepends=True)
    hints = (SOURCES / "endit_hints" / "clean_server.json").read_text()
    found = []
    for name, pieces in (("once", [len(log)]), ("pieces", [7, 13, len(log)])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "site.toml").write_text(SITE)
        site = steps.site_at(tmp_path / name)
        for n in pieces:
            (site.root / "tsmretriever.log").write_text("".join(log[:n]))
            if n == len(log):
                (site.root / "SITE.json").write_text(hints)
            steps.ingest(site)
            steps.build(site)
        found.append([query(site, f"SELECT * EXCLUDE (file_id) FROM {table} ORDER BY ALL") for table in SILVER])
    assert found[0] == found[1]
    assert [len(rows) for rows in found[0]] == [3, 2]


@pytest.mark.parametrize(
    "line",
    [
        BEGIN,
        BEGIN.replace("p1 [1400] ", ""),
        BEGIN.replace("p1 ", "a pool of ours "),
        f"{STAMP} p1 [1500][1502] dsmc archive failure: dsmc exited with value 12",
        f"{STAMP} [1600] /opt/endit/tsmdeleter.pl: Starting...",
    ],
)
def test_one_line_is_enough_to_know_the_log(line: str) -> None:
    assert choose([line])[0] == "endit"


@pytest.mark.parametrize(
    "line",
    [
        "Running worker PID 2001 on volume A00017 (12.50 GiB in 2 files)",
        f"{STAMP} p1 [1400] Starting",
        f"{STAMP} hello",
    ],
)
def test_what_only_looks_like_it_is_not_claimed(line: str) -> None:
    assert choose([line])[0] is None


def test_other_logs_of_this_stamp_are_not_claimed_for_one_line_of_its_own() -> None:
    assert not endit.recognise([f"{STAMP} another program: request {n}" for n in range(30)] + [BEGIN]).is_match


def test_what_a_log_says_of_an_error_is_bounded() -> None:
    line = f"{STAMP} p1 [1500][1502] dsmc archive failure: {'x' * 100_000}"
    events = endit.parse(frame_of(line.encode()), Origin(), None).tables["endit_event"]
    assert events["error"].str.len_chars().to_list() == [300]


def test_half_a_hint_file_is_none() -> None:
    """A list that looks complete and lacks its end would mean that files are on no volume."""
    text = (SOURCES / "endit_hints" / "clean_server.json").read_bytes().rstrip()
    for cut in (text[: len(text) // 2], text[:-20], b"[" + text):
        parsed = endit_hints.parse(frame_of(cut), Origin(), None)
        assert (parsed.tables["endit_hint"].height, parsed.rejects["reason"].to_list()) == (0, ["bad_syntax"])


def test_hints_need_no_order() -> None:
    parsed = endit_hints.parse(frame_of(b'{ "00AB" : { "volid" : 7 } }'), Origin(), None)
    (row,) = parsed.tables["endit_hint"].select("pnfsid", "volume", "place").rows()
    assert row == ("00AB", "7", None)


def test_statistics_and_their_copies(realdata: Path, tmp_path: Path) -> None:
    """The final totals flushed and staged, however many copies of the counters there are: 147.3 GB and 59.7 GB."""
    shutil.copytree(realdata / "endit-synthetic", tmp_path / "logs")
    (tmp_path / "site.toml").write_text('name = "site"\n[[input]]\nglob = "logs/**/*"\n')
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    steps.build(site)
    n_files = len(list((tmp_path / "logs").rglob("*-stats.*")))
    assert query(site, "SELECT count(*), count(DISTINCT file_id) FROM bronze.endit_stat") == [(n_files, n_files)]
    rows = steps.ask(site, "endit_queue", {"first_day": "2026-11-21", "last_day": "2026-11-21"}).as_dicts()
    found = {row["operation"]: (row["done_gb"], row["done_files"], row["max_workers"]) for row in rows}
    assert found == {"archive": (147.3, 47, 2), "retrieve": (pytest.approx(59.682060417), 14, 2)}
