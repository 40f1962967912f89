"""Values in Enstore's text logs: real captures against the truth of their generator or another way of reading them."""

import ast
import csv
import json
import re
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.config.site import Site
from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.units import MIB
from pipelines.sources import all_sources
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin, Parsed
from support.archive import SYSTEM, Rows, all_rows, differences, make, make_site, morning, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

ZONE = "America/Chicago"
Row = dict[str, Any]


def read(path: Path, day: date = date(2010, 6, 15)) -> Parsed:
    dated = re.search(r"\d{4}-\d\d-\d\d", path.name)
    origin = Origin(
        path=path.name,
        system="synen",
        host="syncl01",
        zone=ZONE,
        date=date.fromisoformat(dated.group()) if dated else day,
        head=tuple(read_head(path)),
    )
    stems = [stem for stem, source in all_sources().items() if source.recognise(list(origin.head)).is_match]
    assert len(stems) == 1, path.name
    return all_sources()[stems[0]].parse(frame_of(path.read_bytes()), origin, None)


def rows(parsed: Parsed, table: str, **values: Any) -> list[Row]:
    found = parsed.tables[table].to_dicts()
    return [row for row in found if all(row[name] == value for name, value in values.items())]


def epoch(instant: datetime | None) -> float:
    assert instant is not None
    return instant.replace(tzinfo=UTC).timestamp()


@pytest.fixture
def folder(realdata: Path) -> Path:
    return realdata / "enstore-synthetic"


# --- the log against the truth of its generator, field by field --------------------------------------------------


def truths(folder: Path) -> list[dict[str, str]]:
    with (folder / "expected_per_file.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["LOG-2010-06-15", "DEBUGLOG-2010-06-15", "LOG-2011-03-08"])
def test_every_file_of_a_log_is_as_its_generator_meant_it(folder: Path, name: str) -> None:
    parsed = read(folder / name)
    expected = [truth for truth in truths(folder) if truth["day"] in name]
    assert expected
    for truth in expected:
        mover = truth["mover"].replace(".mover", "MV")
        stats = rows(parsed, "enstore_log_mover", kind="drive_stats", name=mover, file_number=int(truth["file_no"]))
        assert len(stats) == 1
        check_file(truth, stats[0], parsed.tables["enstore_log_mover"].filter(name=mover))


def check_file(truth: dict[str, str], stats: Row, lines: pl.DataFrame) -> None:
    """The lines around the drive statistics of a file."""
    at = stats["line_no"]
    before, after = lines.filter(pl.col("line_no") <= at), lines.filter(pl.col("line_no") >= at)

    def last(kind: str) -> Row:
        return before.filter(kind=kind).tail(1).to_dicts()[0]

    started, data_ended = last("started"), last("data_ended")
    timing = lines.filter(kind="timing").with_columns(far=(pl.col("line_no") - at).abs()).sort("far").to_dicts()[0]
    done = after.filter(kind="done_ticket").head(1).to_dicts()[0]
    completed = after.filter(kind="completed").head(1).to_dicts()[0]
    on_tape = int(truth["bytes_on_tape"])
    assert stats["volume"] == completed["volume"] == done["volume"] == truth["volume"]
    assert started["mode"] == {"w": "write", "r": "read"}[truth["mode"]]
    assert (data_ended["bytes"], data_ended["n_blocks"], stats["bytes"]) == (on_tape, int(truth["blocks"]), on_tape)
    assert done["file_bytes"] == int(truth["size"])
    assert abs(epoch(started["logged_at"]) - float(truth["t_start"])) <= 1
    assert abs(epoch(data_ended["logged_at"]) - float(truth["t_data_end"])) <= 1
    assert abs(epoch(completed["logged_at"]) - float(truth["t_complete"])) <= 1
    if truth["t_fm_end"]:
        assert abs(epoch(last("filemark")["logged_at"]) - float(truth["t_fm_end"])) <= 1
    call, block = float(truth["drive_call_rate_Bps"]), float(truth["block_rate_Bps"])
    assert on_tape / timing["call_s"] == pytest.approx(call, rel=1e-6)
    assert on_tape / timing["block_s"] == pytest.approx(block, rel=1e-6)
    assert timing["block_s"] == stats["block_s"]
    assert timing["block_s"] + timing["idle_s"] == pytest.approx(float(truth["data_s"]), abs=0.2)
    # the meaning of tape_rate changed between the two days
    is_old = truth["day"] < "2010-07-20"
    assert stats["rate_basis"] == ("block" if is_old else "call")
    assert stats["tape_rate_bytes_s"] == pytest.approx(block if is_old else call, rel=1e-6)


def test_the_debug_log_holds_the_log(folder: Path) -> None:
    """The same lines have the same hash and number, whichever file they are in."""
    log, debug = read(folder / "LOG-2010-06-15"), read(folder / "DEBUGLOG-2010-06-15")
    same = ["logged_at", "host", "pid", "name", "message_hash", "nth"]
    for table, found in log.tables.items():
        assert found.join(debug.tables[table], on=same, how="anti", nulls_equal=True).is_empty(), table
    more = {table: debug.tables[table].height - found.height for table, found in log.tables.items()}
    assert {table: n for table, n in more.items() if n} == {"enstore_log_changer": 2}


def test_tickets_are_what_pythons_own_reader_makes_of_them(folder: Path) -> None:
    """Keys found by pattern against the whole dictionary, of which every one is checked."""
    checked = 0
    for name in ("LOG-2010-06-15", "LOG-2011-03-08"):
        texts = (folder / name).read_text().splitlines()
        for row in rows(read(folder / name), "enstore_log_mover"):
            if row["kind"] in ("ticket", "done_ticket"):
                text = texts[row["line_no"] - 1]
                check_ticket(row, literal(text[text.index("{") : text.rindex("}") + 1]))
                checked += 1
    assert checked > 15


def literal(text: str) -> dict[str, Any]:
    found = ast.literal_eval(re.sub(r"(?<=\d)L\b", "", text))
    assert isinstance(found, dict)
    return found


def check_ticket(row: Row, ticket: dict[str, Any]) -> None:
    times, file, volume = ticket["times"], ticket["fc"], ticket.get("vc", {})
    expected = {
        "unique_id": ticket["unique_id"],
        "mode": {"write_to_hsm": "write", "read_from_hsm": "read"}[ticket["work"]],
        "volume": file["external_label"],
        "file_bytes": file["size"],
        "file_number": int(file["location_cookie"][-7:]) if file["location_cookie"] else None,
        "bfid": file.get("bfid"),
        "volume_family": volume.get("volume_family"),
        "seek_s": times.get("seek_time"),
        "transfer_s": times.get("transfer_time"),
        "media_s": times.get("drive_transfer_time", times.get("media_transfer_time")),
        "drive_call_s": times.get("drive_call_time"),
        "mount_s": times.get("mount_time"),
        "queue_s": times.get("in_queue"),
    }
    assert {name: row[name] for name in expected} == expected
    for name, key in (
        ("client_started_at", "encp_start_time"),
        ("queued_at", "job_queued"),
        ("dequeued_at", "lm_dequeued"),
    ):
        assert epoch(row[name]) == pytest.approx(times[key], abs=2e-6)


def test_the_file_marks_of_tickets_and_lines_agree(folder: Path) -> None:
    """drive_transfer_time less the block loop is about the time of the file mark, as the truth gives it."""
    for truth in truths(folder):
        if truth["mode"] == "w":
            parsed = read(folder / f"LOG-{truth['day']}")
            number = int(truth["file_no"])
            done = rows(parsed, "enstore_log_mover", kind="done_ticket", file_number=number, volume=truth["volume"])[0]
            stats = rows(parsed, "enstore_log_mover", kind="drive_stats", file_number=number)[0]
            assert done["media_s"] - stats["block_s"] == pytest.approx(float(truth["fm_s"]), abs=0.5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "mover_drive_stats_2010.log",
            {
                "volume": "VOY318",
                "file_number": 180,
                "bytes": 2119911936,
                "block_s": 19.2541582584,
                "rate_basis": "block",
            },
        ),
    ],
)
def test_real_lines(realdata: Path, name: str, expected: Row) -> None:
    found = rows(read(realdata / "enstore" / name), "enstore_log_mover")
    assert [{key: row[key] for key in expected} for row in found] == [expected]


# --- copies of a day --------------------------------------------------------------------------------------------

DAY = date(2010, 3, 10)
# what some sites keep of a day in addition to the log, by the type its messages give themselves
COPIES = {"MOUNTS": "MC_LOAD_", "ENCPS": "ENCP_XFER", "ALARM": "ALARM", "LMQADDS": "ADD_TO_LMQ"}


def log_text() -> str:
    text = morning(DAY).days()[DAY]
    lines = text.splitlines()
    lines.insert(4, f"{lines[3][:8]} srv01.example.org 006201 root I TESTLM  MSG_TYPE=ADD_TO_LMQ  request added to"
                    " pending queue for storage group : muon")  # fmt: skip
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    site = make_site(tmp_path_factory.mktemp("log"))
    put(site, f"enstore/LOG-{DAY}", log_text())
    make(site)
    return all_rows(site)


@pytest.mark.parametrize("first", ["MOUNTS", "LOG"])
def test_copies_of_a_day_count_once(tmp_path: Path, plain: Rows, first: str) -> None:
    """LOG, DEBUGLOG and the copies by message type give the same rows as LOG alone, in whatever order they come in."""
    site = make_site(tmp_path / "site")
    texts = copies()
    names = sorted(texts, key=lambda name: name != first)
    paths = [put(site, f"enstore/{name}-{DAY}", texts[name]) for name in names]
    make(site, *paths[:2])
    make(site, *paths[2:])
    assert query(site, "SELECT count(*) FROM ops.file WHERE state = 'loaded'") == [(len(texts),)]
    assert not differences(plain, all_rows(site))


def copies() -> dict[str, str]:
    text = log_text()
    noise = f"{text[:8]} srv02.example.org 006201 root M TESTMC  88 REQUESTED mount VOL001 0,1\n{text}"
    found = {"LOG": text, "DEBUGLOG": noise}
    for name, kind in COPIES.items():
        lines = [line for line in text.splitlines(keepends=True) if f"MSG_TYPE={kind}" in line]
        if lines:
            found[name] = "".join(lines)
    assert {"MOUNTS", "ENCPS", "LMQADDS"} <= set(found)
    return found


# --- event relay ------------------------------------------------------------------------------------------------


def test_relay_against_the_lines_read_by_hand_and_the_truth(folder: Path) -> None:
    path = folder / "entv_messages_2010-06-15.txt"
    parsed = read(path)
    records = [line.split() for line in path.read_text().splitlines()]
    found = rows(parsed, "enstore_relay")
    assert len(found) == len(records) > 80
    for row, words in zip(found, records, strict=True):
        local = datetime.strptime(" ".join(words[1:5]), "%b %d %H:%M:%S %Y")
        assert epoch(row["logged_at"]) == local.replace(tzinfo=UTC).timestamp() + 5 * 3600
        assert (row["kind"], f"{row['mover']}@{row['network']}") == (words[5], words[6])
        if words[5] == "transfer":
            assert row["bytes"] == abs(int(words[7]))
            assert (row["total_bytes"], row["side"], row["buffered_bytes"]) == (int(words[8]), words[9], int(words[10]))
            assert epoch(row["sent_at"]) == pytest.approx(float(words[11]), abs=1e-6)
        else:
            assert words[7] in (row["state"], row["volume"], row["client"])


def test_rate_curves_add_up_to_the_files(folder: Path) -> None:
    """Begin and end of each file to the millisecond of the truth, and all its bytes in between."""
    found = pl.DataFrame(rows(read(folder / "entv_messages_2010-06-15.txt"), "enstore_relay_rate"))
    checked = 0
    for truth in truths(folder):
        if truth["day"] != "2010-06-15":
            continue
        total = int(truth["bytes_on_tape"] if truth["mode"] == "w" else truth["size"])
        curve = found.filter(mover=truth["mover"].removesuffix(".mover"), total_bytes=total, volume=truth["volume"])
        assert curve["bytes"].sum() == total
        assert set(curve["mode"]) == {"write" if truth["mode"] == "w" else "read"}
        assert epoch(curve["from_at"].min()) == pytest.approx(float(truth["t_start"]), abs=0.02)  # type: ignore[arg-type]
        assert epoch(curve["to_at"].max()) == pytest.approx(float(truth["t_data_end"]), abs=0.02)  # type: ignore[arg-type]
        checked += 1
    assert checked == 7


def test_states_of_the_relay_agree_with_those_of_the_log(folder: Path, tmp_path: Path) -> None:
    """What silver makes of the log alone and of the relay alone, at every instant that both cover."""
    states = {}
    for name in ("LOG-2010-06-15", "entv_messages_2010-06-15.txt"):
        site = make_site(tmp_path / name)
        make(site, put(site, f"enstore/{name}", (folder / name).read_bytes()))
        states[name] = query(site, "SELECT drive, state, from_at, to_at, witness FROM silver.drive_state")
    log, relay = states.values()
    assert {row[4] for row in log} == {"log"}
    assert {row[4] for row in relay} == {"relay"}
    # the relay knows neither file marks nor who waited for whom
    coarse = {"filemark": "transfer", "request": "no_request"}
    n_same = n_seconds = 0
    for drive, state, begin, end, _ in relay:
        for second in range(int(epoch(begin)), int(epoch(end))):
            logged = [s for d, s, b, e, _ in log if d == drive and epoch(b) <= second < epoch(e)]
            n_seconds += 1
            n_same += coarse.get(logged[0], logged[0]) == state if logged else 0
    assert n_seconds > 380
    assert n_same / n_seconds > 0.85


@given(
    moved=st.lists(st.integers(1, 10**9), min_size=1, max_size=12),
    steps=st.lists(st.integers(1, 9000), min_size=12, max_size=12),
    is_read=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_any_curve_comes_back(moved: list[int], steps: list[int], is_read: bool) -> None:
    """A small writer of transfer lines; the pieces read are the pieces written."""
    sums = [sum(moved[:n]) for n in range(len(moved) + 1)]
    millis = [1_276_606_871_800 + sum(steps[:n]) for n in range(len(moved) + 1)]
    lines = [
        f"Tue Jun 15 08:01:11 2010 transfer D_1@tst {-done if is_read else done} {sums[-1]} media 0 {ms / 1000:.3f}"
        for done, ms in zip(sums, millis, strict=True)
    ]
    frame = frame_of("\n".join(lines).encode())
    parsed = all_sources()["enstore_relay"].parse(frame, Origin(system="s", zone=ZONE), None)
    found = rows(parsed, "enstore_relay_rate")
    assert [row["bytes"] for row in found] == moved
    assert {row["mode"] for row in found} == {"read" if is_read else "write"}
    assert [round((row["to_at"] - row["from_at"]).total_seconds() * 1000) for row in found] == steps[: len(moved)]


# --- migration --------------------------------------------------------------------------------------------------


def test_migration_against_a_reading_by_hand(folder: Path) -> None:
    parsed = read(folder / "MigrationLog_2010-06-15.083000_12345.log")
    names = ("bfid", "dst_bfid", "volume", "file_number", "read_s", "write_s", "n_retries", "result")
    found = [
        row
        | {
            "read_s": epoch(row["read_to_at"]) - epoch(row["read_from_at"]),
            "write_s": epoch(row["write_to_at"]) - epoch(row["write_from_at"]),
        }
        for row in rows(parsed, "enstore_migration_file")
    ]
    # 08:30:06 to 08:32:41, 08:32:41 to 08:34:36; 08:32:41 to 08:33:21, 08:34:37 to 08:35:20 with one retry
    assert [tuple(row[name] for name in names) for row in found] == [
        ("SYNX110000000100000", "SYNX127660887600000", "SYNL21", 1, 155, 115, 0, "ok"),
        ("SYNX110000000200000", "SYNX127660892000000", "SYNL21", 2, 40, 43, 1, "ok"),
    ]


def test_status_table_against_a_reading_by_columns(realdata: Path) -> None:
    """The real table has fixed columns; here they are cut out by position."""
    path = realdata / "enstore" / "migrate_status_2008.txt"
    found = rows(read(path), "enstore_migration_status")
    lines = path.read_text().splitlines()[1:]
    assert len(found) == len(lines) == 15
    for row, line in zip(found[:-1], lines[:-1], strict=True):
        assert row["volume"] == "TST397L1"
        assert (row["src_bfid"], row["dst_bfid"]) == (line[:19], line[24:43])
        assert (row["src_kind"], row["src_deleted"], row["dst_kind"], row["dst_deleted"]) == (
            line[20],
            line[21],
            line[44],
            line[45],
        )
        flags = tuple(line.ljust(76)[end] == "y" for end in (53, 60, 67, 74))
        assert (row["is_copied"], row["is_swapped"], row["is_checked"], row["is_closed"]) == flags
    assert (found[-1]["dst_bfid"], found[-1]["src_is_bad"], found[-1]["is_copied"]) == (None, True, False)


def test_a_status_table_without_a_date_is_refused(realdata: Path) -> None:
    text = (realdata / "enstore" / "migrate_status_2008.txt").read_bytes()
    with pytest.raises(UnreadableFile) as caught:
        all_sources()["enstore_migration"].parse(frame_of(text), Origin(), None)
    assert caught.value.reason == "no_clock"


# --- console ----------------------------------------------------------------------------------------------------


def test_console_against_a_reading_by_hand(realdata: Path, folder: Path) -> None:
    parsed = read(folder / "encp_stdout.txt")
    transfer, total = rows(parsed, "encp_console_transfer")[0], rows(parsed, "encp_console_summary")[0]
    assert (transfer["file_bytes"], transfer["volume"], transfer["mover"]) == (2119773184, "SYN001", "LTO4_S01.mover")
    rates = {"overall": 20.4, "transfer": 91.8, "network": 91.8, "drive": 83.8, "disk": 91.8}
    for row in (transfer, total):
        assert {name: row[f"{name}_bytes_s"] / MIB for name in rates} == pytest.approx(rates)
    assert (total["elapsed_s"], total["n_files"], total["exit_status"]) == (102.460285, 1, 0)
    access = rows(parsed, "encp_console_access")[0]
    assert (access["file_number"], access["seek_s"], access["total_s"], access["status"]) == (5, 70.9, 102.46, "ok")
    guide = read(realdata / "enstore" / "encp_stdout_guide.txt")
    assert [(row["volume"], row["drive_bytes_s"] / MIB) for row in rows(guide, "encp_console_transfer")] == [
        ("TEST01", pytest.approx(2.87)),
        ("TEST01", pytest.approx(9.36)),
    ]
    assert [row["elapsed_s"] for row in rows(guide, "encp_console_summary")] == [14.2875500917, 14.9129179716]
    old = rows(read(realdata / "enstore" / "encp_data_access_layer_1999.txt"), "encp_console_access")
    assert [(row["transfer_s"], row["mount_s"], row["queue_s"]) for row in old] == [(384.365273, 24.688773, 1.581097)]


@pytest.mark.parametrize("name", ["redwoodfiber", "redwoodlocal"])
def test_steps_of_1998_add_up(realdata: Path, name: str) -> None:
    """Steps follow one another without overlap; the rate is bytes over seconds, to the digits printed."""
    parsed = read(realdata / "enstore" / f"encp_verbose_1998_{name}.log")
    found = rows(parsed, "encp_console_step")
    assert len(found) == 11
    ends = [row["ended_s"] for row in found]
    assert ends == sorted(ends)
    assert all(before["ended_s"] <= row["begun_s"] for before, row in pairwise(found))
    sending = next(row for row in found if row["step"] == "Sending data")
    assert sending["rate_bytes_s"] == pytest.approx(sending["bytes"] / sending["duration_s"], rel=1e-3)
    transfer = rows(parsed, "encp_console_transfer")[0]
    assert transfer["overall_bytes_s"] == pytest.approx(transfer["file_bytes"] / transfer["elapsed_s"], rel=1e-3)


def test_the_carry_is_json(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name.startswith(("LOG", "entv", "Mig", "encp_stdout")):
            json.dumps(read(path).carry)


def test_system_is_that_of_the_site(tmp_path: Path) -> None:
    site: Site = make_site(tmp_path)
    text = "Tue Jun 15 08:00:00 2010 state DRV_1@tst ACTIVE\nTue Jun 15 08:00:09 2010 state DRV_1@tst IDLE\n"
    make(site, put(site, "enstore/entv-2010-06-15", text))
    assert query(site, "SELECT system, drive, state FROM silver.drive_state") == [(SYSTEM, "DRV_1", "transfer")]


def test_mover_status_against_a_reading_by_hand(realdata: Path) -> None:
    found = rows(read(realdata / "enstore" / "mover_status_2008.txt"), "enstore_mover_status")
    expected = {
        "logged_at": datetime(2008, 2, 7, 16, 55, 1, 760975),
        "state": "ACTIVE",
        "mode": "WRITE",
        "volume": "VOI177",
        "file_number": 6,
        "total_bytes": 2440004730,
        "read_bytes": 347280136,
        "written_bytes": 267386880,
        "buffered_bytes": 79691776,
        "tape_bytes_s": 71208384.297553152,
        "n_completed": 189,
        "drive_serial": "1210116666",
    }
    assert [{name: row[name] for name in expected} for row in found] == [expected]


def test_captures_in_pieces_make_the_same_states(tmp_path: Path) -> None:
    """Days of the relay read one by one, with states over midnight, against all of them at once."""
    states = ["SETUP", "MOUNT_WAIT", "SEEK", "ACTIVE", "FINISH_WRITE", "HAVE_BOUND", "DISMOUNT_WAIT", "OFFLINE"]
    texts = []
    for day in range(1, 6):
        lines = [f"Mon Mar  {day} {hour:02}:{minute:02}:00 2010 alive x" for hour in range(24) for minute in (0, 9, 18)]
        lines += [f"Mon Mar  {day} {hour:02}:{m:02}:00 2010 alive x" for hour in range(24) for m in (27, 36, 45, 54)]
        if day != 3:  # off all of the third day
            lines += [f"Mon Mar  {day} {3 + n:02}:30:00 2010 state DRV_1@tst {s}" for n, s in enumerate(states)]
            lines.append(f"Mon Mar  {day} 23:59:30 2010 state DRV_2@tst {states[day]}")
        texts.append("\n".join(sorted(lines, key=lambda line: line[11:19])) + "\n")
    one, many = make_site(tmp_path / "one"), make_site(tmp_path / "many")
    make(one, *(put(one, f"enstore/entv-2010-03-0{n}", text) for n, text in enumerate(texts, 1)))
    for n, text in enumerate(texts, 1):
        make(many, put(many, f"enstore/entv-2010-03-0{n}", text))
    found = query(one, "SELECT drive, state, from_at, to_at FROM silver.drive_state ORDER BY ALL")
    assert found == query(many, "SELECT drive, state, from_at, to_at FROM silver.drive_state ORDER BY ALL")
    assert max(row[3] - row[2] for row in found).days >= 1
