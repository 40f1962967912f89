"""sar and sadf: the same samples in every form, real files against other ways to read them, and what is refused."""

import csv
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import sar
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import FILE_REASONS, Origin, Parsed
from support.parsing import parse_chunks, pieces, read_lines, real_rows

pytestmark = pytest.mark.filterwarnings("error")

BANNER = "Linux 5.14.0 (stage07) \t2026-03-02 \t_x86_64_\t(8 CPU)"
DISKS = ["tps", "rkB/s", "wkB/s", "dkB/s", "areq-sz", "aqu-sz", "await", "%util"]
Row = dict[str, Any]


def read(path: Path, **origin: Any) -> dict[str, list[Row]]:
    """Rows of a real file by table."""
    lines = read_lines(path)
    parsed = sar.parse(lines, Origin(path=path.name, head=tuple(read_head(path)), **origin), None)
    assert not parsed.rejects.height
    return {name: rows.to_dicts() for name, rows in parsed.tables.items() if rows.height}


def parse(*lines: str, **origin: Any) -> Parsed:
    return sar.parse(frame_of("\n".join(lines).encode()), Origin(head=tuple(lines), **origin), None)


def refused(*lines: str, **origin: Any) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        parse(*lines, **origin)
    assert caught.value.reason in FILE_REASONS
    return caught.value


def test_real_files(realdata: Path) -> None:
    """Each is read as sar's by `test_realdata_table.py`; some only if the order of day and month is given."""
    paths = [path for path in sorted((realdata / "sar").rglob("*")) if path.is_file() and path.name != "README.md"]
    rows = real_rows("sar")
    assert len(paths) > 75 and {path.relative_to(realdata).as_posix() for path in paths} == set(rows)
    assert {source for source, *_ in rows.values()} == {"sar"}
    refusals = {name: remark.partition(":")[0] for name, (*_, remark) in rows.items() if remark.startswith("refused")}
    assert refusals == {"sar/sysstat_expected.sadf-dh.txt": "refused, unknown_header"}
    ambiguous = {"ksar_sar-11.6.1-full-output.txt"} | {
        f"sysstat_expected.sar-q{x}.txt" for x in ("ALL", "IO", "PSI", "u")
    }
    for name in ambiguous:
        with pytest.raises(UnreadableFile, match="with the day or with the month") as caught:
            read(realdata / "sar" / name)
        assert caught.value.reason == "no_clock"


# The same samples, printed by one version in all its forms.


@pytest.mark.parametrize("option", ["u", "b", "q", "d", "nDEV"])
def test_text_and_fields_say_the_same(realdata: Path, option: str) -> None:
    folder = realdata / "sar" / "generated"
    text, fields = read(folder / f"sar_12.7.9_{option}.txt"), read(folder / f"sadf_12.7.9_d_{option}.csv")
    assert text.keys() == fields.keys()
    for table, rows in text.items():
        assert len(rows) >= 7
        assert without(rows, "line_no", "n_cpus") == without(fields[table], "line_no", "n_cpus")


def test_pairs_and_tree_say_the_same_as_fields(realdata: Path) -> None:
    folder = realdata / "sar" / "generated"
    tree, pairs = read(folder / "sadf_12.7.9_j_bdqun.json"), read(folder / "sadf_12.7.9_p_ud.txt")
    disks, cpus = (read(folder / f"sadf_12.7.9_d_{option}.csv") for option in "du")
    assert without(pairs["device_sample"]) == without(tree["device_sample"]) == without(disks["device_sample"])
    assert without(pairs["host_sample"]) == without(cpus["host_sample"])
    shares = [row for row in tree["host_sample"] if row["cpu_idle"] is not None]
    assert without(shares, "line_no", "n_cpus") == without(cpus["host_sample"], "line_no", "n_cpus")
    assert {row["n_cpus"] for row in tree["host_sample"]} == {2}


def test_expected_tree_says_the_same_as_expected_fields(realdata: Path) -> None:
    """All activities of sysstat's own regression test, with restarts and disks that come and go."""
    folder = realdata / "sar"
    tree, fields = read(folder / "sysstat_expected.sadf-j.json"), read(folder / "sysstat_expected.sadf-d.txt")
    for table in ("device_sample", "network_sample"):
        assert sorted(map(str, without(tree[table]))) == sorted(map(str, without(fields[table])))
    for column in ("cpu_user", "cpu_nice", "read_bytes_s", "load_5", "free_bytes", "switch_rate"):
        assert values_of(tree["host_sample"], column) == values_of(fields["host_sample"], column)
        assert len(values_of(tree["host_sample"], column)) == 5


def test_suffixes_say_the_same_within_their_digits(realdata: Path) -> None:
    folder = realdata / "sar" / "generated"
    human, plain = (read(folder / f"sar_12.7.9_{form}.txt")["device_sample"] for form in ("dh", "d"))
    for rounded, exact in zip(human, plain, strict=True):
        assert rounded["write_bytes_s"] == pytest.approx(exact["write_bytes_s"], rel=0.005, abs=0.05 * 1024)
        assert rounded["busy"] == pytest.approx(exact["busy"], abs=0.0005)


def without(rows: list[Row], *columns: str) -> list[Row]:
    left_out = columns or ("line_no",)
    return [{key: value for key, value in row.items() if key not in left_out} for row in rows]


def values_of(rows: list[Row], column: str) -> list[tuple[datetime, float]]:
    return sorted((row["to_at"], row[column]) for row in rows if row[column] is not None)


# Real files against plain loops over their lines.

SECTORS = {"rd_sec/s": 512, "wr_sec/s": 512, "rkB/s": 1024, "wkB/s": 1024, "bread/s": 512, "bwrtn/s": 512}


@pytest.mark.parametrize(
    "name",
    ["sadf_9.1.5_d_d.csv", "sadf_10.2.1_d_d.csv", "sadf_11.6.6_d_d.csv", "sadf_12.2.3_d_d.csv", "sadf_12.7.9_dh_d.csv"],
)
def test_disks_of_every_version(realdata: Path, name: str) -> None:
    path = realdata / "sar" / "generated" / name
    header, *lines = path.read_text().splitlines()
    names = header.removesuffix("[...]").split(";")
    rows = read(path)["device_sample"]
    assert len(rows) == len(lines) == 7
    for row, line in zip(rows, lines, strict=True):
        cells = dict(zip(names, line.split(";"), strict=True))
        reads = next(name for name in ("rkB/s", "rd_sec/s") if name in cells)
        writes = next(name for name in ("wkB/s", "wr_sec/s") if name in cells)
        assert row["read_bytes_s"] == float(cells[reads]) * SECTORS[reads]
        assert row["write_bytes_s"] == float(cells[writes]) * SECTORS[writes]
        assert (row["device"], row["request_rate"]) == (cells["DEV"], float(cells["tps"]))
        assert row["wait_s"] == pytest.approx(float(cells["await"]) / 1000)
        assert row["busy"] == pytest.approx(float(cells["%util"]) / 100)
        assert (row["service_s"] is None) == ("svctm" not in cells)
        at = datetime.strptime(cells["timestamp"], "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)
        assert row["to_at"].replace(tzinfo=UTC) == at
        assert row["to_at"] - row["from_at"] == timedelta(seconds=int(cells["interval"]))


def test_interfaces_of_the_expected_fields(realdata: Path) -> None:
    path = realdata / "sar" / "sysstat_expected.sadf-d.txt"
    found = {(row["interface"], row["to_at"]): row for row in read(path)["network_sample"]}
    expected: list[Row] = []
    names: list[str] = []
    for cells in csv.reader(path.read_text().splitlines(), delimiter=";"):
        if cells[0].startswith("#"):
            names = cells
        elif "rxpck/s" in names and not cells[3].startswith(("LINUX", "COM")):
            expected.append(dict(zip(names, cells, strict=True)))
    assert len(expected) == len(found) == 35
    for cells_by_name in expected:
        at = datetime.strptime(cells_by_name["timestamp"], "%Y-%m-%d %H:%M:%S UTC")
        row = found[cells_by_name["IFACE"], at]
        assert row["in_bytes_s"] == float(cells_by_name["rxkB/s"]) * 1024
        assert row["out_packet_rate"] == float(cells_by_name["txpck/s"])


def test_processors_of_a_whole_day(realdata: Path) -> None:
    """The rows over all processors among those of 14, below headers that come again."""
    path = realdata / "sar" / "ksar_sar-12.0.2-historical.txt"
    lines = [line.split() for line in path.read_text().splitlines()]
    expected = [words for words in lines if len(words) == 12 and words[1] == "all" and words[0] != "Average:"]
    rows = read(path)["host_sample"]
    assert len(rows) == len(expected) == 60
    for row, words in zip(rows, expected, strict=True):
        assert row["to_at"] == datetime.fromisoformat(f"2018-12-18 {words[0]}")
        usr, _, system, iowait, _, irq, soft, guest, _, idle = (float(word) / 100 for word in words[2:])
        assert row["cpu_user"] == pytest.approx(usr + guest)
        assert row["cpu_system"] == pytest.approx(system + irq + soft)
        assert (row["cpu_wait"], row["cpu_idle"]) == (pytest.approx(iowait), pytest.approx(idle))
    assert all(row["from_at"] < row["to_at"] for row in rows)
    assert sum((row["to_at"] - row["from_at"] for row in rows), timedelta()) == timedelta(hours=10)


def test_first_sample_behind_a_restart_begins_at_the_header(realdata: Path) -> None:
    first = read(realdata / "sar" / "ksar_sar-10.1.5.txt")["host_sample"][0]
    assert (first["from_at"], first["to_at"]) == (datetime(2016, 3, 28, 9, 0, 1), datetime(2016, 3, 28, 9, 10, 1))


@pytest.mark.parametrize(
    ("name", "day", "n_disks"), [("ksar_Solaris.txt", "2010-08-19", 445), ("ksar_hpux-sar.txt", "2018-03-21", 161)]
)
def test_disks_of_other_systems(realdata: Path, name: str, day: str, n_disks: int) -> None:
    """Eight words with the time, seven without; the time stays until another comes."""
    path = realdata / "sar" / name
    expected: list[tuple[str, list[str]]] = []
    time = ""
    is_disk = False
    for words in map(str.split, path.read_text().splitlines()):
        is_disk = "device" in words if "%usr" in words or "device" in words else is_disk
        if not is_disk or "device" in words or len(words) < 7:
            continue
        time, *rest = words if len(words) == 8 else [time, *words]
        expected.append((time, rest))
    rows = read(path)["device_sample"]
    assert len(rows) == len(expected) == n_disks
    for row, (time, words) in zip(rows, expected, strict=True):
        assert row["to_at"] == datetime.fromisoformat(f"{day} {time}")
        assert row["device"] == words[0]
        busy, queue, requests, blocks, waited, served = map(float, words[1:])
        assert (row["queue"], row["request_rate"], row["moved_bytes_s"]) == (queue, requests, blocks * 512)
        assert row["busy"] == pytest.approx(busy / 100)
        assert row["wait_s"] == pytest.approx((waited + served) / 1000)


def test_an_activity_each_of_a_full_report(realdata: Path) -> None:
    """`sar -A` live: one table for each activity and sample; the figures read off the file."""
    tables = read(realdata / "sar" / "ksar_sar-11.6.1-full-output.txt", date_order="mdy")
    assert [(row["interface"], row["in_bytes_s"]) for row in tables["network_sample"]] == [
        ("eth0", 3.66 * 1024),
        ("lo", 0.0),
    ]
    assert [row["write_bytes_s"] for row in tables["device_sample"]] == [496.8 * 1024, 0.0, 496.8 * 1024]
    (memory,) = [row for row in tables["host_sample"] if row["free_bytes"] is not None]
    assert (memory["free_bytes"], memory["cache_bytes"]) == (11436444 * 1024, 1988684 * 1024)
    assert {row["to_at"] - row["from_at"] for row in tables["host_sample"]} == {timedelta(seconds=10)}


# Any samples come back, however they are printed.

numbers = st.integers(0, 99_999_999).map(lambda hundredths: f"{hundredths / 100:.2f}")
samples = st.lists(st.lists(numbers, min_size=8, max_size=8), min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(samples)
def test_written_disks_come_back(rows: list[list[str]]) -> None:
    rows = [[*row[:-1], f"{float(row[-1]) % 100:.2f}"] for row in rows]  # a busy share is no million
    start = datetime(2026, 3, 2, 23, 50)
    times = [start + timedelta(minutes=10 * number) for number in range(len(rows) + 1)]
    fields = [f"# hostname;interval;timestamp;DEV;{';'.join(DISKS)}"]
    text = [BANNER, "", f"{start:%H:%M:%S} DEV {' '.join(DISKS)}"]
    pairs: list[str] = []
    tree = ['{"sysstat": {', '"nodename": "stage07",', '"file-date": "2026-03-02",']
    keys = [{"%util": "util-percent"}.get(name, name.removesuffix("/s")) for name in DISKS]
    for at, row in zip(times[1:], rows, strict=True):
        fields.append(f"stage07;600;{at} UTC;sdb;{';'.join(row)}")
        text.append(f"{at:%H:%M:%S} sdb {'   '.join(row)}")
        pairs += [f"stage07\t600\t{at} UTC\tsdb\t{name}\t{cell}" for name, cell in zip(DISKS, row, strict=True)]
        stamp = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M:%S}", "utc": 1, "interval": 600}
        values = ", ".join(f'"{key}": {cell}' for key, cell in zip(keys, row, strict=True))
        tree += [f'"timestamp": {json.dumps(stamp)},', f'{{"disk-device": "sdb", {values}}},']
    expected = [
        (at, at + timedelta(minutes=10), float(row[0]), float(row[1]) * 1024, float(row[2]) * 1024, float(row[5]))
        for at, row in zip(times, rows, strict=False)
    ]
    columns = ["from_at", "to_at", "request_rate", "read_bytes_s", "write_bytes_s", "queue"]
    for lines in (fields, text, pairs, tree):
        parsed = parse(*lines)
        assert parsed.tables["device_sample"].select(columns).rows() == expected
        assert not parsed.rejects.height
        chunks = pieces(frame_of("\n".join(lines).encode()), [n for n in (1, 2, 3, 4, 6, 9, 14, 22) if n < len(lines)])
        assert len(parse_chunks("sar", chunks, Origin(head=tuple(lines)))["tables"]["device_sample"]) == len(rows)


# What is refused, and what is skipped.


@pytest.mark.parametrize(
    "header",
    [
        "DEV tps rMB/s wMB/s areq-sz aqu-sz await %util",  # another unit
        "DEV tps rkB/s wkB/s",  # cut
        "DEV tps rkB/s wkB/s new/s areq-sz aqu-sz await %util",
        "DEV tps tps rkB/s wkB/s areq-sz aqu-sz await %util",
        "CPU %user %nice %system %iowait",
        "IFACE rxpck/s txpck/s rxMB/s txMB/s",
        "runq-sz plist-sz",
        "tps rtps wtps bread/s",
    ],
)
def test_header_that_pretends_is_loud(header: str) -> None:
    error = refused(BANNER, "", f"10:00:01 {header}", "10:10:01 sda 1.00")
    assert error.reason == "unknown_header"
    assert refused(f"# hostname;interval;timestamp;{header.replace(' ', ';')}").reason == "unknown_header"


def test_activities_that_are_not_read_are_skipped() -> None:
    parsed = parse(
        BANNER,
        "",
        "10:00:01 CPU total/s dropd/s squeezd/s rx_rps/s flw_lim/s",
        "10:10:01 all 1.00 2.00 3.00 4.00 5.00",
        "",
        "10:00:01 FCHOST fch_rxf/s fch_txf/s fch_rxw/s fch_txw/s",
        "10:10:01 host0 1.00 2.00 3.00 4.00",
    )
    assert (parsed.n_records, parsed.n_used, parsed.n_skipped) == (0, 1, 6)


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        ("CPU %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle", "mpstat"),
        ("CPU %user %nice %system %iowait %irq %soft %idle intr/s", "mpstat"),
        ("UID PID %usr %system %guest %CPU CPU Command", "pidstat"),
    ],
)
def test_neighbours_are_named(names: str, tool: str) -> None:
    claim = sar.recognise([BANNER, "", f"10:00:01 {names}"])
    assert not claim.is_match
    assert tool in claim.why


def test_tree_formatted_anew_is_named() -> None:
    claim = sar.recognise(['{"sysstat":{"hosts":[{"nodename":"stage07","file-date":"2026-03-02"', "}]}}"])
    assert not claim.is_match
    assert "reformatted by another program" in claim.why
    others = ['{"sysstat": {', '"hosts": [', "{", '"nodename": "stage07",', '"date": "2026-03-02",']
    assert not sar.recognise(others).is_match  # iostat's


def test_dates_must_be_given() -> None:
    lines = ["Linux 4.18.0 (stage04) \t04/05/26", "", "10:00:01 proc/s cswch/s", "10:10:01 1.00 2.00"]
    assert refused(*lines).reason == "no_clock"
    day = [parse(*lines, date_order=order).tables["host_sample"]["to_at"][0].date() for order in ("dmy", "mdy")]
    assert day == [date(2026, 5, 4), date(2026, 4, 5)]
    assert refused(*lines[1:]).reason == "no_clock"  # no banner at all
    assert parse(*lines[1:], date=date(2026, 3, 2), host="stage04").n_records == 1


def test_activities_in_turn_are_refused() -> None:
    error = refused(
        "SunOS spool2 5.10 Generic sun4v    08/19/2010",
        "",
        "00:00:05    %usr    %sys    %wio   %idle",
        "         device        %busy   avque   r+w/s  blks/s  avwait  avserv",
        "00:20:03       3       5       2      90",
    )
    assert error.reason == "unknown_header"
    assert "one activity at a time" in error.hint


def test_rows_without_a_length_are_skipped() -> None:
    parsed = parse(BANNER, "", "10:00:01 proc/s cswch/s", "10:00:01 1.00 2.00", "10:00:11 1.00 2.00")
    assert parsed.tables["host_sample"].select("from_at", "to_at").rows() == [
        (datetime(2026, 3, 2, 10, 0, 1), datetime(2026, 3, 2, 10, 0, 11))
    ]


def test_the_site_knows_the_host_better() -> None:
    row = "vm;60;2026-03-02 09:10:01 UTC;1.00;2.00"
    parsed = parse("# hostname;interval;timestamp;proc/s;cswch/s", row, host="stage07")
    assert parsed.tables["host_sample"]["host"].to_list() == ["stage07"]
    assert isinstance(parsed.tables["host_sample"], pl.DataFrame)
