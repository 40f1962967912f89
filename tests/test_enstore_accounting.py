"""Exports of Enstore's accounting against independent readings, and compared with the logs of the same days."""

import csv
import io
import re
import shutil
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines import steps
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import choose, enstore_accounting
from pipelines.sources.blocks import frame_of
from pipelines.sources.enstore_accounting import tables
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin
from support.archive import SYSTEM, ZONE, Rows, Story, all_rows, differences, make, make_site, put, query, seconds
from support.parsing import maul, origin_of, parse_chunks, read_lines

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("plain_store")]

CASES = Path(__file__).parent / "sources" / "enstore_accounting"
CHICAGO = {"2010-06-15": 5, "2011-03-08": 6, "2014-08": 5, "2014-11": 6, "2014-12": 6, "2013": 5, "2014-02": 6}
RATES = ("overall", "network", "drive", "disk", "transfer")


def utc(local: str) -> datetime:
    """Local time of the captures' site; its offsets are written down here, not looked up."""
    hours = max((len(start), hours) for start, hours in CHICAGO.items() if local.startswith(start))[1]
    return datetime.fromisoformat(local) + timedelta(hours=hours)


def read(path: Path, zone: str = ZONE, **origin: Any) -> dict[str, list[dict[str, Any]]]:
    """Rows by bronze relation of a whole file, none of whose lines may be rejected."""
    stem, claims = choose(read_head(path))
    assert stem == "enstore_accounting", claims
    file_origin = Origin(path=path.name, system="s", zone=zone, head=tuple(read_head(path)), **origin)
    parsed = enstore_accounting.parse(read_lines(path), file_origin, None)
    assert parsed.rejects.is_empty()
    return {name: rows.to_dicts() for name, rows in parsed.tables.items()}


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# --- real files, field by field ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["enstore/encp_xfer_2014.csv", "enstore-synthetic/encp_xfer.csv"])
def test_transfers_are_those_of_the_file(realdata: Path, name: str) -> None:
    rows = read(realdata / name)["enstore_accounting_transfer"]
    records = csv_rows(realdata / name)
    assert len(rows) == len(records) >= 9
    texts = {
        "node": "host",
        "src": "source_path",
        "dst": "target_path",
        "encp_id": "unique_id",
        "drive_sn": "drive_serial",
    }
    same = ("volume", "mover", "driver", "storage_group", "file_family", "wrapper", "library", "username")
    for row, record in zip(rows, records, strict=True):
        assert row["ended_at"] == utc(record["date"])
        assert (row["file_bytes"], row["pid"]) == (int(record["size"]), int(record["pid"]))
        assert row["mode"] == {"r": "read", "w": "write"}[record["rw"]]
        assert row["elapsed_s"] == float(record["elapsed"])
        assert [row[f"{rate}_bytes_s"] for rate in RATES] == [float(record[f"{rate}_rate"]) for rate in RATES]
        assert {ours: row[ours] for ours in texts.values()} == {ours: record[theirs] for theirs, ours in texts.items()}
        assert {column: row[column] for column in same} == {column: record[column] for column in same}


@pytest.mark.parametrize("name", ["encp_xfer_2014", "tape_mounts_2014"])
def test_psql_says_what_csv_says(realdata: Path, name: str) -> None:
    """The same rows were kept in both forms: the CSV was put together from the wrapped screen by hand."""
    one, other = (read(realdata / "enstore" / f"{name}{end}") for end in (".csv", "_psql.txt"))
    assert one.keys() == other.keys()
    for table, rows in one.items():
        assert [{**row, "line_no": 0} for row in rows] == [{**row, "line_no": 0} for row in other[table]]
        assert len(rows) in (9, 28)


def test_ends_agree_with_the_epochs_in_request_ids(realdata: Path) -> None:
    """The clock read by its zone against a clock that needs none: start in the id + elapsed = end, within a second."""
    for row in read(realdata / "enstore" / "encp_xfer_2014.csv")["enstore_accounting_transfer"]:
        begun = int(row["unique_id"].split("-")[-3])
        ended = (row["ended_at"] - datetime(1970, 1, 1)).total_seconds()
        assert abs(ended - begun - row["elapsed_s"]) < 1.01


@pytest.mark.parametrize("name", ["enstore/tape_mounts_2014.csv", "enstore-synthetic/tape_mounts.csv"])
def test_mounts_are_those_of_the_file(realdata: Path, name: str) -> None:
    rows = read(realdata / name)["enstore_accounting_mount"]
    for row, record in zip(rows, csv_rows(realdata / name), strict=True):
        assert (row["began_at"], row["ended_at"]) == (utc(record["start"]), utc(record["finish"]))
        assert (row["n_reads"], row["n_writes"]) == (int(record["reads"]), int(record["writes"]))
        assert (row["volume"], row["logname"], row["state"]) == (record["volume"], record["logname"], record["state"])
        assert row["action"] == {"M": "mount", "D": "dismount"}[record["state"]]


def test_small_tables_are_those_of_the_files(realdata: Path) -> None:
    """Values read from the files by hand."""
    folder = realdata / "enstore-synthetic"
    use = read(folder / "drive_utilization.csv")["enstore_accounting_drive_use"]
    found = [(row["sampled_at"], row["n_drives"], row["n_busy"], row["storage_group"]) for row in use]
    eight, later = datetime(2010, 6, 15, 13, 0, 1), datetime(2010, 6, 15, 13, 30, 1)
    assert found[0] == (eight, 24, 1, "synexp") and found[-1] == (later, 24, 4, "synvo2") and len(found) == 5
    stat = read(folder / "drivestat_status.csv")["enstore_accounting_drive_stat"][0]
    assert (stat["user_write_bytes"], stat["tape_write_bytes"]) == (4605 * 2**20, 4611 * 2**20)
    assert (stat["n_write_errors"], stat["power_hours"], stat["firmware"]) == (3, 10432, "H44W")
    error = read(folder / "encp_error.csv")["enstore_accounting_error"][0]
    assert (error["error"], error["message"], error["volume"]) == ("READ_ERROR", "FTTError", "SYN002")
    rate = read(folder / "synen.RATES.20100615")["enstore_accounting_rate"]
    assert (len(rate), rate[5]["write_bytes"], rate[5]["from_at"]) == (10, 1808346112, datetime(2010, 6, 15, 13, 1, 0))
    written = [5, 6, 7, 8]  # their sizes on tape, from the generator's truth
    truth = sum(int(row["bytes_on_tape"]) for row in csv_rows(folder / "expected_per_file.csv")[: len(written)])
    assert sum(row["write_bytes"] for row in rate) == pytest.approx(truth, rel=0.02)


def test_records_and_lists_are_those_of_the_files(realdata: Path) -> None:
    folder = realdata / "enstore"
    volume = read(folder / "volume_gvol_2007.txt")["enstore_accounting_volume"][0]
    assert (volume["volume"], volume["end_file_number"], volume["n_writes"]) == ("VO2345", 130, 129)
    assert volume["capacity_bytes"] - volume["remaining_bytes"] == 214748364800 - 134423138304
    assert volume["first_access_at"] == datetime(2007, 8, 28, 12, 9, 39)
    assert (volume["storage_group"], volume["wrapper"]) == ("minos", "cpio_odc")
    file = read(folder / "file_info_bfid.txt")["enstore_accounting_file"][0]
    assert (file["volume"], file["file_number"], file["file_bytes"]) == ("VO3222", 5661, 197354833)
    listed = read(folder / "file_list_lines.txt")["enstore_accounting_file"]
    assert [(row["file_number"], row["state"]) for row in listed] == [(5, "y"), (7, "y"), (10, "n")]
    movers = read(folder / "mover_config_sample.csv")["enstore_accounting_mover"]
    assert [row["drive_address"] for row in movers] == [
        row["mc_device"] for row in csv_rows(folder / "mover_config_sample.csv")
    ]
    kept = read(folder / "storage_by_group_2013_2014.csv")["enstore_accounting_group_storage"]
    assert sum(row["n_files"] for row in kept) == sum(
        int(row["total_files"]) for row in csv_rows(folder / "storage_by_group_2013_2014.csv")
    )
    days = read(folder / "xfer_by_day_2014_psql.txt")["enstore_accounting_daily"]
    assert [(row["read_bytes"], row["n_writes"]) for row in days] == [
        (0, 7377),
        (11535362, 0),
        (94470144, 0),
        (900096000, 0),
    ]


def test_days_are_the_sums_of_their_transfers(realdata: Path) -> None:
    """Two tables of one database: bytes read a day, from rows of files and from the daily sums."""
    files = read(realdata / "enstore" / "encp_xfer_2014.csv")["enstore_accounting_transfer"]
    for day in read(realdata / "enstore" / "xfer_by_day_2014_psql.txt")["enstore_accounting_daily"][1:]:
        inside = [
            row
            for row in files
            if day["from_at"] <= row["ended_at"] < day["to_at"] and row["storage_group"] == day["storage_group"]
        ]
        assert (len(inside), sum(row["file_bytes"] for row in inside)) == (day["n_reads"], day["read_bytes"])


REFUSED = {
    "enstore/volume_history_2008.txt": "it does not name the volume",
    "enstore-synthetic/mover_statistics_file.txt": "without the time of its values",
}


@pytest.mark.parametrize(("name", "why"), REFUSED.items())
def test_known_and_refused(realdata: Path, name: str, why: str) -> None:
    stem, claims = choose(read_head(realdata / name))
    assert stem is None
    assert claims["enstore_accounting"].likeness >= 0.7 and why in claims["enstore_accounting"].why


# --- headers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", tables.TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize("lacking", [False, True])
def test_a_missing_key_column_refuses(table: tables.EnstoreTable, lacking: bool) -> None:
    for key in table.keys:
        names = [name for name in sorted(table.names) if not lacking or name != key] + ["one_more"]
        claim = enstore_accounting.recognise([",".join(names), "x"])
        if not lacking:
            assert claim.is_match and table.name in claim.why
        elif claim.is_match:  # what is left is another table of theirs, and is read as that
            assert table.name not in re.split(r"\s", claim.why)
        else:
            assert 0.6 <= claim.likeness <= 0.8 or len(names) < 5


@pytest.mark.parametrize("name", tables.NOT_READ)
def test_tables_that_are_not_read_are_named(name: str) -> None:
    claim = enstore_accounting.recognise(["|".join(tables.NOT_READ[name][0])])
    assert not claim.is_match and name in claim.why and "not read" in claim.why


def test_an_unknown_header_behind_rows_refuses_the_file() -> None:
    good = (CASES / "clean_encp_xfer.csv").read_text()
    lines = frame_of((good + "date,node,pid,username,src,dst,size,rw\n1,2,3,4,5,6,7,8\n").encode())
    with pytest.raises(UnreadableFile, match="lacks") as caught:
        enstore_accounting.parse(lines, Origin(head=tuple(good.splitlines())), None)
    assert caught.value.reason == "unknown_header"


def test_a_column_named_twice_refuses() -> None:
    claim = enstore_accounting.recognise([(CASES / "clean_encp_xfer.csv").read_text().splitlines()[0] + ",size"])
    assert not claim.is_match and "twice" in claim.why


# --- any values a small writer puts down come back --------------------------------------------------------------------

WORD = st.text(st.sampled_from(string.ascii_letters + string.digits + " ,\"'|\n/:-\u00e9"), max_size=12)
FILES = st.lists(
    st.tuples(
        WORD,
        WORD,
        st.integers(0, 2**50),
        st.integers(-1, 2**40),
        st.datetimes(datetime(2000, 1, 1), datetime(2020, 1, 1)),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, deadline=None)
@given(files=FILES, quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), cut=st.integers(0, 40))
def test_what_is_written_as_csv_comes_back(files: list[Any], quoting: Any, cut: int) -> None:
    names = [column.name for column in tables.find("encp_xfer").columns]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, quoting=quoting, lineterminator="\n")
    writer.writeheader()
    for source, target, size, rate, at in files:
        row = dict.fromkeys(names, "") | {"date": at.isoformat(" ", "seconds"), "src": source, "dst": target}
        writer.writerow(row | {"size": size, "rw": "w", "volume": "V", "drive_rate": rate})
    lines = frame_of(text.getvalue().encode())
    origin = Origin(head=tuple(text.getvalue().split("\n")))
    cut = min(cut, lines.height)
    result = parse_chunks("enstore_accounting", [lines[:cut], lines[cut:]], origin)
    assert result["rejects"] == []
    assert result["used"] + result["skipped"] == lines.height
    found = [(row.get("source_path"), row.get("target_path"), row["file_bytes"]) for row in rows_of(result)]
    nulls = {"", "NULL", "null", "None"}
    assert found == [(None if s in nulls else s, None if t in nulls else t, n) for s, t, n, _, _ in files]
    assert [row.get("drive_bytes_s") for row in rows_of(result)] == [
        rate if rate > 0 else None for *_, rate, _ in files
    ]
    assert [row["ended_at"] for row in rows_of(result)] == [at.isoformat(timespec="seconds") for *_, at in files]


def rows_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = result["tables"]["enstore_accounting_transfer"]
    return rows


PRINTED = st.lists(
    st.tuples(st.text(st.sampled_from("abc|/ .-"), max_size=30), st.integers(0, 2**40)), min_size=1, max_size=6
)


@settings(max_examples=15, deadline=None)
@given(files=PRINTED, width=st.sampled_from([40, 77, 200, 10_000]), trims=st.booleans(), cut=st.integers(0, 60))
def test_what_psql_prints_comes_back(files: list[Any], width: int, trims: bool, cut: int) -> None:
    """A terminal of any width cuts the lines; a copy of the screen may lose the blanks at their ends."""
    names = [column.name for column in tables.find("encp_xfer").columns]
    cells = [
        dict.fromkeys(names, "x") | {"date": "2010-03-01 10:00:00", "src": path, "size": str(size), "rw": "r"}
        for path, size in files
    ]
    numbers = {
        column.name: "5" for column in tables.find("encp_xfer").columns if column.kind in ("int", "rate", "count")
    }
    rows = [[({**row, **{k: v for k, v in numbers.items() if k != "size"}})[name] for name in names] for row in cells]
    widths = [max(len(name), *(len(row[place]) for row in rows)) for place, name in enumerate(names)]

    def drawn(values: list[str]) -> list[str]:
        line = "|".join(f" {value:<{size}} " for value, size in zip(values, widths, strict=True))
        pieces = [line[at : at + width] for at in range(0, len(line), width)]
        return [piece.rstrip() for piece in pieces] if trims else pieces

    rule = "+".join("-" * (size + 2) for size in widths)
    text = [*drawn(names), *(rule[at : at + width] for at in range(0, len(rule), width))]
    for row in rows:
        text += drawn(row)
    lines = frame_of("\n".join([*text, f"({len(rows)} rows)", ""]).encode())
    cut = min(cut, lines.height)
    result = parse_chunks("enstore_accounting", [lines[:cut], lines[cut:]], Origin(head=tuple(text)))
    assert result["rejects"] == []
    found = [(row.get("source_path", ""), row["file_bytes"]) for row in rows_of(result)]
    assert found == [(path.strip(" "), size) for path, size in files]


@settings(max_examples=15, deadline=None)
@given(
    chance=st.randoms(use_true_random=False), name=st.sampled_from(sorted(path.name for path in CASES.glob("*.??[vt]")))
)
def test_mauled_files_account_for_every_line(chance: Any, name: str) -> None:
    origin = origin_of(CASES / name)
    mauled = frame_of("\n".join(maul(read_lines(CASES / name)["text"].to_list(), chance)).encode())
    cut = chance.randrange(mauled.height + 1)
    try:
        whole = parse_chunks("enstore_accounting", [mauled], origin)
    except UnreadableFile:
        return
    assert parse_chunks("enstore_accounting", [mauled[:cut], mauled[cut:]], origin) == whole


# --- compared with the logs of the same days --------------------------------------------------------------------------

CAPTURES = """name = "captures"
zone = "America/Chicago"
[[input]]
glob = "logs/LOG-{date}"
system = "synen"
[[input]]
glob = "logs/*"
system = "synen"
"""
LOGS = ("LOG-2010-06-15", "LOG-2011-03-08")
TABLES = ("encp_xfer.csv", "encp_error.csv", "tape_mounts.csv", "drivestat_status.csv", "drive_utilization.csv")


def archive_of(realdata: Path, folder: Path, names: tuple[str, ...]) -> Site:
    site = make_site(folder, CAPTURES)
    for name in names:
        put(site, name, (realdata / "enstore-synthetic" / name).read_bytes())
    make(site)
    return site


@pytest.fixture(scope="module")
def both(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return archive_of(realdata, tmp_path_factory.mktemp("both"), (*LOGS, *TABLES))


def relation_rows(site: Site, relation: str) -> list[dict[str, Any]]:
    names = [name for (name,) in query(site, f"SELECT column_name FROM (DESCRIBE {relation})")]
    return [dict(zip(names, row, strict=True)) for row in query(site, f"FROM {relation} ORDER BY ALL")]


def epoch(instant: datetime) -> float:
    return instant.replace(tzinfo=UTC).timestamp()


def truth_of(realdata: Path) -> list[dict[str, str]]:
    truth = csv_rows(realdata / "enstore-synthetic" / "expected_per_file.csv")
    assert len(truth) == 10
    return truth


def test_log_and_tables_of_the_same_days_count_once(realdata: Path, both: Site) -> None:
    """Every transfer against the generator's truth, with all three witnesses; nothing counts twice."""
    rows = {
        (row["drive"], row["file_number"]): row
        for row in relation_rows(both, "silver.transfer")
        if row["status"] == "ok"
    }
    truth = truth_of(realdata)
    assert len(rows) == len(truth)
    assert len(relation_rows(both, "silver.transfer")) == len(truth) + 1  # and the read that failed
    for want in truth:
        row = rows[want["mover"].removesuffix(".mover"), int(want["file_no"])]
        assert row["witnesses"] == "mover encp table"
        assert (row["bytes"], row["file_bytes"]) == (int(want["bytes_on_tape"]), int(want["size"]))
        assert (row["volume"], row["mode"][0]) == (want["volume"], want["mode"])
        assert row["drive_rate_basis"] == "call"
        assert row["bytes"] / row["drive_s"] == pytest.approx(float(want["drive_call_rate_Bps"]), rel=1e-6)
        for name, key in (("started_at", "t_start"), ("ended_at", "t_data_end"), ("completed_at", "t_complete")):
            assert abs(epoch(row[name]) - float(want[key])) <= 1, (want, name)
    assert [row["witnesses"] for row in relation_rows(both, "silver.session")] == ["mover"] * 3
    assert [row["kind"] for row in relation_rows(both, "silver.event")].count("transfer_failed") == 1
    requests = query(both, "SELECT count(*), count(DISTINCT request_id), max(n_tries) FROM silver.request")
    assert requests == [(11, 11, 1)]


def test_tables_change_nothing_the_log_says(realdata: Path, both: Site, tmp_path: Path) -> None:
    """The same two days with and without the tables: witnesses grow in number, and a request gets its direction."""
    alone = all_rows(archive_of(realdata, tmp_path / "alone", LOGS))
    changed = {line.split()[1] for line in differences(alone, all_rows(both))}
    assert changed <= {
        "silver.transfer",
        "gold.tape_traffic",
        "silver.log_coverage",
        "silver.request",
        "ops.coverage",
    }, differences(alone, all_rows(both))


def test_without_a_log_the_tables_come_near_the_truth(realdata: Path, tmp_path: Path) -> None:
    """Times from the client's end and rates: later by its last dialogue, 5 s at most; drive time with the file mark."""
    site = archive_of(realdata, tmp_path / "tables", TABLES)
    rows = {row["file_bytes"]: row for row in relation_rows(site, "silver.transfer") if row["drive"] != "LTO4_S03"}
    rows |= {(3, row["ended_at"]): row for row in relation_rows(site, "silver.transfer") if row["drive"] == "LTO4_S03"}
    truth = truth_of(realdata)
    assert len(rows) == len(truth)
    for want, row in zip(
        sorted(truth, key=lambda want: float(want["t_data_end"])),
        sorted(rows.values(), key=lambda row: row["ended_at"]),
        strict=True,
    ):
        assert (row["witnesses"], row["status"], row["drive_rate_basis"]) == ("table", "ok", "encp")
        assert (row["file_bytes"], row["volume"]) == (int(want["size"]), want["volume"])
        assert 0 <= epoch(row["started_at"]) - float(want["t_start"]) <= 6.5
        assert 0 <= epoch(row["ended_at"]) - float(want["t_complete"]) <= 3
        worked = float(want["size"]) / float(want["block_rate_Bps"]) + float(want["fm_s"] or 0)
        assert row["drive_s"] == pytest.approx(worked, abs=0.25)
        assert row["session_id"].split()[:2] == [want["mover"].removesuffix(".mover"), want["volume"]]
    assert query(site, "SELECT count(*) FROM silver.gap") == [(0,)]
    mounts = query(site, "SELECT mount_s, dismount_s, mode FROM silver.session ORDER BY from_at")
    assert mounts == [(41.0, 16.0, "write"), (47.0, 17.0, "read"), (41.0, 16.0, "write")]
    assert query(site, "SELECT sum(n_files) FROM gold.mount WHERE f BETWEEN 0 AND 1") == [(10,)]


HEADER = ",".join(column.name for column in tables.find("encp_xfer").columns)
MOUNTS = "node,volume,type,logname,start,finish,state,storage_group,reads,writes"


def local(at: datetime) -> str:
    from zoneinfo import ZoneInfo

    return f"{at.replace(tzinfo=UTC).astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S}"


def xfer(at: datetime, number: int, drive: str = "DRV_1", volume: str = "VOL001", waited_s: int = 60) -> str:
    """A row of table encp_xfer: a file of 1 GB that took 20 s and waited before."""
    began = int(epoch(at)) - waited_s - 20
    values = {
        "date": local(at), "node": "node7.example.org", "src": f"/a/{number}", "size": 10**9, "rw": "w",
        "overall_rate": 40_000_000, "drive_rate": 50_000_000, "transfer_rate": 50_000_000, "volume": volume,
        "mover": f"{drive}.mover", "elapsed": waited_s + 20, "driver": "FTTDriver",
        "encp_id": f"node7.example.org-{began}-{number}-0", "file_family": "raw",
    }  # fmt: skip
    return ",".join(str(values.get(name, "")) for name in HEADER.split(","))


def mount(start: datetime, finish: datetime, state: str, drive: str = "DRV_1", volume: str = "VOL001") -> str:
    row = f"mvr1.example.org,{volume},LTO4,{drive}MV,{local(start)},{local(finish)},{state},muon,0,1"
    return row


def story() -> Story:
    """One day of DRV_1 that a log covers."""
    log = Story()
    at = datetime(2010, 3, 12, 15)
    log.session("DRV_1", "VOL001", at, 3)
    log.heartbeat(at - seconds(900), at + seconds(1800))
    return log


def pieces() -> Iterator[tuple[str, str]]:
    """A volume that stays mounted over days, requests that wait for days, exports that overlap, a log of one day."""
    noon = datetime(2010, 3, 8, 18)
    early = [xfer(noon + timedelta(hours=9 * n), n) for n in range(6)]
    late = [xfer(noon + timedelta(days=8, hours=3 * n), 10 + n, waited_s=5 * 86_400) for n in range(3)]
    open_end = [xfer(noon + timedelta(days=12, hours=20 * n), 20 + n, "DRV_2", "VOL007") for n in range(4)]
    minute = timedelta(minutes=1)
    in_and_out = [
        mount(noon - 9 * minute, noon - 8 * minute, "M"),
        mount(noon + timedelta(days=2), noon + timedelta(days=2) + minute, "D"),
        mount(noon + timedelta(days=8) - 9 * minute, noon + timedelta(days=8) - 8 * minute, "M"),
        mount(noon + timedelta(days=9), noon + timedelta(days=9) + minute, "D"),
        mount(noon + timedelta(days=12) - 9 * minute, noon + timedelta(days=12) - 8 * minute, "M", "DRV_2", "VOL007"),
    ]
    yield "acc/encp_xfer_a.csv", "\n".join([HEADER, *early, late[0], ""])
    yield "acc/tape_mounts_a.csv", "\n".join([MOUNTS, *in_and_out[:1], ""])
    for day, text in story().days().items():
        yield f"enstore/LOG-{day}", text
    yield "acc/encp_xfer_b.csv", "\n".join([HEADER, early[-1], *late, *open_end, ""])
    yield "acc/tape_mounts_b.csv", "\n".join([MOUNTS, *in_and_out, ""])


SITE_OF_PIECES = f"""
name = "case"
zone = "{ZONE}"
[[input]]
glob = "logs/enstore/*{{date}}*"
system = "{SYSTEM}"
[[input]]
glob = "logs/acc/*"
system = "{SYSTEM}"
"""


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    site = make_site(tmp_path_factory.mktemp("once"), SITE_OF_PIECES)
    for name, text in pieces():
        put(site, name, text)
    make(site)
    assert query(site, "SELECT count(*), count(session_id) FROM silver.transfer WHERE witnesses = 'table'") == [
        (13, 12)
    ]
    assert query(site, "SELECT witnesses, count(*) FROM silver.session GROUP BY ALL ORDER BY ALL") == [
        ("mover", 1),
        ("table", 3),
    ]
    waits = "SELECT count(*) FROM silver.request WHERE assigned_at - queued_at > INTERVAL 4 DAY"
    assert query(site, waits) == [(3,)]
    return all_rows(site)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (2, 4, 1, 3, 0)])
def test_pieces_in_any_order_say_the_same(order: tuple[int, ...], at_once: Rows, tmp_path: Path) -> None:
    """Each piece with a build of its own, which makes only the days it touches."""
    site = make_site(tmp_path / "site", SITE_OF_PIECES)
    files = list(pieces())
    for place in order:
        make(site, put(site, *files[place]))
    assert differences(at_once, all_rows(site)) == []


@pytest.mark.parametrize("order", [1, -1], ids=["as_they_come", "backwards"])
def test_a_tape_that_leaves_its_drive_after_failed_dismounts_is_one_mount(tmp_path: Path, order: int) -> None:
    """Four days are between the attempts, and each is in an export of its own."""
    noon, minute = datetime(2010, 3, 8, 18), timedelta(minutes=1)
    rows = [mount(noon - minute, noon, "M")]
    for n, state in enumerate("FFD"):
        rows.append(mount(noon + timedelta(days=4 * n + 1), noon + timedelta(days=4 * n + 1) + minute, state))
    site = make_site(tmp_path, SITE_OF_PIECES)
    for n, row in list(enumerate(rows))[::order]:
        make(site, put(site, f"acc/tape_mounts_{n}.csv", f"{MOUNTS}\n{row}\n"))
    found = all_rows(site)
    assert query(site, "SELECT status, date_diff('day', from_at, to_at) FROM silver.session") == [("ok", 9)]
    steps.build(site, full=True)
    assert differences(found, all_rows(site)) == []


def test_the_command_line_reads_builds_and_answers(tmp_path: Path) -> None:
    (tmp_path / "logs" / "acc").mkdir(parents=True)
    (tmp_path / "site.toml").write_text(SITE_OF_PIECES)
    for name, text in pieces():
        if name.startswith("acc"):
            (tmp_path / "logs" / name).write_text(text)
    shutil.copy(CASES / "clean_tables.csv", tmp_path / "logs" / "acc")
    site = ["--site", str(tmp_path / "site.toml")]
    for words in (["ingest"], ["build"]):
        done = CliRunner().invoke(cli, [*words, *site])
        assert done.exit_code == 0, done.output
    days = ["--from", "2010-03-08", "--to", "2010-03-22"]
    asked = CliRunner().invoke(cli, ["ask", "session_rates", *days, "--format", "csv", *site])
    assert asked.exit_code == 0, asked.output
    rows = list(csv.DictReader(io.StringIO(asked.stdout)))
    assert {row["drive"] for row in rows} == {"DRV_1", "DRV_2"}
    assert [int(row["n_files"]) for row in rows if row["drive"] == "DRV_2"] == [3]
    assert steps.site_at(tmp_path).name == "case"


def test_a_list_made_for_the_migration_to_cta(realdata: Path, tmp_path: Path) -> None:
    """The first 400 files of a tape, whose label is the name of the file."""
    shutil.copy(realdata / "today" / "enstore" / "VR3025M8-first400.csv", tmp_path)
    (tmp_path / "site.toml").write_text('name = "site"\n[[input]]\nglob = "*.csv"\n')
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    steps.build(site)
    lines = (tmp_path / "VR3025M8-first400.csv").read_text().splitlines()[1:]
    size = sum(int(line.split(",")[2]) for line in lines)
    found = query(site, "SELECT volume, count(*), max(file_number), sum(bytes) FROM silver.volume_file GROUP BY volume")
    assert found == [("VR3025M8", len(lines), len(lines), size)]


def test_a_list_of_no_volume_is_refused(tmp_path: Path) -> None:
    text = "bfid,location_cookie,size,crc,pnfs_path\nA1,0000_000000000_0000001,5,6,/p\n"
    with pytest.raises(UnreadableFile, match="does not name the volume"):
        enstore_accounting.parse(frame_of(text.encode()), Origin(path="files.csv", head=tuple(text.splitlines())), None)
