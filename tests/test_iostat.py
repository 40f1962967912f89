"""What iostat refuses, how it reads dates and numbers of any locale, and its values against another way of reading."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import iostat
from pipelines.sources._shared.sysstat import date_order, foreign_banner, numbers, read_banner, read_date, read_stamps
from pipelines.sources.blocks import frame_of
from pipelines.sources.iostat.layout import read_header
from pipelines.sources.iostat.rows import name_devices
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin, Parsed
from support import parsing

BANNER = "Linux 3.10.0 (node1) \t07/27/2015 \t_x86_64_\t(8 CPU)"
DEVICE = "Device:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn"
ROW = "sda               4.00        64.00        32.00        640        320"
CLOCKED = Origin(start_at=datetime(2015, 7, 27), interval_s=1)
FOREIGN = {
    "Solaris": [
        "                 extended device statistics",
        "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b",
    ],
    "BSD": ["       tty             ada0              cpu", " tin  tout  KB/t   tps  MB/s  us ni sy in id"],
    "AIX": ["System configuration: lcpu=8 drives=3 paths=2 vdisks=0"],
    "HP-UX": ["  device    bps     sps    msps ", "  c1t2d0      0     0.0     1.0 "],
    "macOS": ["              disk0       cpu    load average", "    KB/t  tps  MB/s  us sy id   1m   5m   15m"],
    "network file systems": [BANNER, "Filesystem:       rBlk_nor/s   wBlk_nor/s", "nas:/home 1.00 2.00"],
    "unknown or cut": [BANNER, "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB"],
}


def parse(*lines: str, origin: Origin = CLOCKED) -> Parsed:
    return iostat.parse(frame_of("\n".join(lines).encode()), origin, None)


def devices(parsed: Parsed) -> list[dict[str, Any]]:
    return parsed.tables["device_sample"].to_dicts()


@pytest.mark.parametrize("name", FOREIGN)
def test_other_outputs_are_refused_by_name(name: str) -> None:
    claim = iostat.recognise(FOREIGN[name])
    assert not claim.is_match
    assert name in claim.why


@pytest.mark.parametrize(
    "header",
    [
        "Device:         rrqm/s   wrqm/s     r/s     w/s",
        "Device:         rrqm/s   wrqm/s     r/s     w/s   newcol/s %util",
        "Device:            tps    tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn",
        "avg-cpu:  %user   %nice %system %iowait",
    ],
)
def test_rows_below_an_unknown_header_are_loud(header: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        parse(BANNER, DEVICE, ROW, header, ROW)
    assert caught.value.reason == "unknown_header"
    assert "line 5" in str(caught.value)


def test_output_of_another_system_inside_is_loud() -> None:
    with pytest.raises(UnreadableFile, match="Solaris"):
        parse(BANNER, DEVICE, ROW, *FOREIGN["Solaris"])


def test_rows_without_a_clock_need_one_from_the_site() -> None:
    for origin in (Origin(), Origin(start_at=datetime(2015, 7, 27)), Origin(interval_s=1)):
        with pytest.raises(UnreadableFile) as caught:
            parse(BANNER, DEVICE, ROW, DEVICE, ROW, origin=origin)
        assert caught.value.reason == "no_clock"
        assert "interval_s" in caught.value.hint
    assert parse(BANNER, DEVICE, ROW, origin=Origin()).n_records == 0, "averages since boot need no clock"


def test_a_date_that_can_be_read_two_ways_is_refused() -> None:
    lines = ["Linux 3.10.0 (node1) 04/05/15", "04/05/15 08:00:00", DEVICE, ROW, "04/05/15 08:00:01", DEVICE, ROW]
    with pytest.raises(UnreadableFile) as caught:
        parse(*lines, origin=Origin(head=tuple(lines)))
    assert caught.value.reason == "no_clock"
    assert "date_order" in caught.value.hint
    for order, day in (("dmy", datetime(2015, 5, 4)), ("mdy", datetime(2015, 4, 5))):
        found = devices(parse(*lines, origin=Origin(head=tuple(lines), date_order=order)))
        assert [row["from_at"] for row in found] == [day.replace(hour=8)]


@pytest.mark.parametrize(
    ("head", "order"),
    [
        (["Linux 3.10.0 (a) 13/05/15"], "dmy"),
        (["Linux 3.10.0 (a) 05/13/15"], "mdy"),
        (["Linux 3.10.0 (a) 05/06/15", "05/06/15 23:59:59", "06/06/15 00:00:00", "01/07/15 00:00:00"], "dmy"),
        (["Linux 3.10.0 (a) 05/06/2015", "05/06/2015 11:00:00 AM"], "mdy"),
        (["Linux 2.6.18 (a) 10/07/2014", "Time: 03:49:57 PM"], "mdy"),
        (["Linux 3.10.0 (a) 05/06/2015", "05/06/2015 11:00:00"], ""),
        (["Linux 3.10.0 (a) 13/05/15", "05/13/15 00:00:00"], ""),
        (['"date": "05/13/15"'], "mdy"),
        (["a comment of 13/05/15"], ""),
    ],
)
def test_what_tells_the_order_of_dates(head: list[str], order: str) -> None:
    assert date_order(head, Origin()) == order
    assert date_order(head, Origin(date_order="dmy")) in ("dmy", order)


def test_dates_and_times_of_locales() -> None:
    day = date(2026, 11, 2)
    assert {read_date(text, "") for text in ("2026-11-02", "02.11.2026", "02.11.26", "2026年11月02日", "02-11-26")} == {
        day
    }
    assert read_date("2026-02-30", "") is None
    assert read_date("Tuesday", "") is None
    texts = ["00:00:01", "12:00:01 AM", "12:00:01 PM", "下午 01:00:01", "01時00分01秒", "24:00:00", "13:00:00 PM"]
    at, _ = read_stamps(pl.DataFrame({"flat": texts}).with_columns(run=0, day=day), Origin(), "", None)
    since = [found and (found - datetime(2026, 11, 2)).total_seconds() for found in at]
    assert since == [1, 1, 43_201, 46_801, 3_601, None, None]


def test_banners() -> None:
    assert read_banner("Linux 2.6.18-92 (a.b.c) 06/05/2010") is not None
    assert read_banner("Linux 2.6.18-92 () 06/05/2010 _i686_ (1 CPU)") == ("", "06/05/2010", 1)
    assert read_banner("Linux is a kernel") is None
    assert [foreign_banner(f"{word} host 1") for word in ("SunOS", "AIX", "HP-UX", "Linux")] == [
        "Solaris",
        "AIX",
        "HP-UX",
        "",
    ]


def test_cells_of_any_locale() -> None:
    cells = ["1.5", "1,5", "7.8%", "3.5M", "2k", "nan", "-nan", "x", "1,234.5", "-1.0"]
    found = numbers(pl.DataFrame({"a": cells, "b": cells}), {"b": 512})
    assert found["a"][:3].to_list() == [1.5, 1.5, 7.8]
    assert found["b"][:5].to_list() == [768.0, 768.0, 7.8 * 512, 3.5 * 2**20, 2048.0]
    assert found["a"].is_nan().to_list() == [False] * 5 + [True, True, None, None, False]


def test_kinds_of_devices() -> None:
    """A number is no name, and dev8-1 is the second disk of Linux 2.4."""
    names = ["sda1", "dev8-1", "1.25", "/dev/sdb", "12k"]
    rows = name_devices(pl.DataFrame({"device": names, "is_group": [False] * len(names)}))
    assert rows["kind"].to_list() == ["partition", "disk", None, "disk", None]
    assert rows["device"].to_list() == ["sda1", "dev8-1", "1.25", "sdb", "12k"]


def test_impossible_values_are_named_and_left_out() -> None:
    head = "Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util"
    good = "sda 1.00 1.00 1.00 1.00 8.00 8.00 8.00 1.00 5.00 5.00 10.00"
    queue = "sdb 1.00 1.00 1.00 1.00 8.00 8.00 8.00 42949592.96 5.00 5.00 10.00"
    busy = "sdc 1.00 1.00 1.00 1.00 8.00 8.00 8.00 1.00 5.00 5.00 111.00"
    rate = "sdd 1.00 1.00 1.00 1.00 36028797018963968.00 8.00 8.00 1.00 5.00 5.00 10.00"
    found = {row["device"]: row for row in devices(parse(BANNER, head, good, head, good, queue, busy, rate))}
    assert found["sda"]["note"] is None
    assert found["sdb"] | {"queue": None, "busy": None, "wait_s": None, "service_s": None} == found["sdb"]
    assert "queue" in found["sdb"]["note"]
    assert (found["sdc"]["busy"], found["sdc"]["queue"]) == (None, 1.0)
    assert (found["sdd"]["read_bytes_s"], found["sdd"]["write_bytes_s"]) == (None, 4096.0)


# Another way of reading: word by word, with a state machine.


def by_hand(path: Path) -> Iterator[dict[str, Any]]:
    """Device rows after the first report, as header name -> number; for files with the name before the numbers."""
    names: list[str] = []
    n_reports = 0
    for line_no, line in enumerate(path.read_text().split("\n"), 1):
        words = line.split()
        if not words or words[0] == "avg-cpu:" or ":" in words[0][1:-1]:
            names = [] if words and words[0] == "avg-cpu:" else names
        elif words[0] in ("Linux", "zzz"):
            n_reports = 0 if words[0] == "Linux" else n_reports
        elif words[0].rstrip(":") == "Device":
            names = words[1:]
            n_reports += 1
        elif names and len(words) == len(names) + 1 and n_reports > 1:
            yield {"line_no": line_no, "device": words[0], **dict(zip(names, map(float, words[1:]), strict=True))}


UNITS = {"rsec/s": 512, "rkB/s": 1024, "rMB/s": 2**20, "kB_read/s": 1024, "MB_read/s": 2**20, "Blk_read/s": 512}
WRITES = {"wsec/s": 512, "wkB/s": 1024, "wMB/s": 2**20, "kB_wrtn/s": 1024, "MB_wrtn/s": 2**20, "Blk_wrtn/s": 512}
REAL = [
    "t2y_sample_iostat.output",
    "t2y_sample_iostat_11.7.3.output",
    "t2y_sample_iostat_killo.output",
    "t2y_sample_iostat_sector.output",
    "oswatcher_exadata_cell.dat",
    "honghe_demo.iostat",
    "pcp_sadist_iostat-t.ISO.txt",
    "pcp_sadist_iostat-t-x-bud.txt",
    "jc_ubuntu-18.04_iostat-1.out",
    "sysstat_expected.iostat-x-ALL-flush.txt",
    "sysstat_expected.iostat-sigint.txt",
    "generated/iostat_12.7.9_xt_burst.txt",
]


@pytest.mark.parametrize("name", REAL)
def test_values_of_real_files(name: str, realdata: Path) -> None:
    path = realdata / "iostat" / name
    expected = {row["line_no"]: row for row in by_hand(path)}
    origin = Origin(start_at=datetime(2020, 1, 1), interval_s=1, head=tuple(read_head(path)))
    found = {row["line_no"]: row for row in devices(iostat.parse(frame_of(path.read_bytes()), origin, None))}
    assert expected.keys() == found.keys()
    for line_no, row in expected.items():
        parsed = found[line_no]
        assert parsed["device"] == row["device"]
        assert parsed["read_bytes_s"] == next(row[key] * unit for key, unit in UNITS.items() if key in row)
        assert parsed["write_bytes_s"] == next(row[key] * unit for key, unit in WRITES.items() if key in row)
        for key, column, divisor in (
            ("tps", "request_rate", 1),
            ("r/s", "read_request_rate", 1),
            ("w/s", "write_request_rate", 1),
            ("d/s", "discard_request_rate", 1),
            ("f/s", "flush_request_rate", 1),
            ("rrqm/s", "read_merge_rate", 1),
            ("avgqu-sz", "queue", 1),
            ("aqu-sz", "queue", 1),
            ("%util", "busy", 100),
            ("await", "wait_s", 1000),
            ("r_await", "read_wait_s", 1000),
            ("w_await", "write_wait_s", 1000),
        ):
            if key in row and not (key.endswith("await") and row[key] == 0) and row.get("%util", 0) <= 110:
                assert parsed[column] == row[key] / divisor, (line_no, key)


def test_stamps_of_real_files(realdata: Path) -> None:
    """First and last instants, read by eye."""
    for name, zone, first, last in (
        ("t2y_sample_iostat.output", "Asia/Tokyo", "2018-06-13T05:10:50", "2018-06-13T05:12:23"),
        ("honghe_demo.iostat", "America/Chicago", "2018-04-19T08:39:39", "2018-04-19T08:39:53"),
        ("pcp_sadist_iostat-t.txt", "Australia/Melbourne", "2010-07-27T02:47:34", "2010-07-27T02:47:40"),
        ("pcp_sadist_iostat-t-x-bud.txt", "America/New_York", "2014-10-07T19:49:57", "2014-10-07T19:51:01"),
        ("oswatcher_exadata_cell.dat", "America/New_York", "2012-02-29T16:01:52", "2012-02-29T16:04:37"),
        ("generated/iostat_12.7.9_xt_en_GB.txt", "UTC", "2026-11-21T10:30:49", "2026-11-21T10:30:50"),
        ("generated/iostat_12.7.9_xt_fr_FR.txt", "UTC", "2026-11-21T10:30:49", "2026-11-21T10:30:50"),
        ("generated/iostat_12.7.9_xt.json", "UTC", "2026-11-21T10:29:52", "2026-11-21T10:29:53"),
    ):
        path = realdata / "iostat" / name
        seen = iostat.parse(frame_of(path.read_bytes()), Origin(zone=zone, head=tuple(read_head(path))), None).coverage
        assert seen["from_at"].min() == datetime.fromisoformat(first), name
        assert seen["to_at"].max() == datetime.fromisoformat(last), name


REFUSED = {"README.md", "freebsd_iostat-x.txt", "solaris_iostat-rx_csv.txt", "solaris_iostat-xM.txt"}


def test_every_real_file(realdata: Path) -> None:
    """All are read without a reject but those of other systems, and in pieces of seven lines give the same."""
    paths = [path for path in sorted((realdata / "iostat").rglob("*")) if path.is_file()]
    assert len(paths) > 100
    for path in paths:
        head = read_head(path)
        assert iostat.recognise(head).is_match == (path.name not in REFUSED), path.name
        if path.name in REFUSED:
            continue
        frame = frame_of(path.read_bytes())[:350]
        origin = Origin(start_at=datetime(2020, 1, 1), interval_s=1, head=tuple(head))
        whole = parsing.parse_chunks("iostat", [frame], origin)
        assert not whole["rejects"], path.name
        cut = sorted({*range(7, frame.height, 7), 15} & set(range(frame.height)))
        assert parsing.parse_chunks("iostat", parsing.pieces(frame, cut), origin) == whole, path.name


# Any numbers written come back.

cell = st.integers(0, 99_999_999).map(lambda hundredths: hundredths / 100)
table = st.lists(st.lists(cell, min_size=3, max_size=3), min_size=1, max_size=4)


@settings(max_examples=15, deadline=None)
@given(st.lists(table, min_size=2, max_size=5), st.sampled_from([".", ","]), st.integers(0, 40))
def test_what_is_written_comes_back(reports: list[list[list[float]]], point: str, cut: int) -> None:
    start = datetime(2015, 7, 27, 8)
    lines = [BANNER, ""]
    for at, rows in enumerate(reports):
        lines += [(start + timedelta(seconds=10 * at)).strftime("%m/%d/%Y %H:%M:%S"), DEVICE]
        lines += [
            f"sd{chr(97 + i)} {a:12.2f} {b:12.2f} {c:12.2f} 0 0".replace(".", point) for i, (a, b, c) in enumerate(rows)
        ]
        lines.append("")
    frame = frame_of("\n".join(lines).encode())
    origin = Origin(head=tuple(lines))
    first = iostat.parse(frame[:cut], origin, None)
    second = iostat.parse(frame[cut:], origin, json.loads(json.dumps(first.carry)))
    found = [*devices(first), *devices(second)]
    expected = [(start + timedelta(seconds=10 * at), row) for at, rows in enumerate(reports) for row in rows if at]
    assert [(row["to_at"], row["request_rate"], row["read_bytes_s"], row["write_bytes_s"]) for row in found] == [
        (at, a, b * 1024, c * 1024) for at, (a, b, c) in expected
    ]


CPU = "avg-cpu:  %user   %nice    %sys   %idle"
pieces = st.sampled_from(
    (
        *(BANNER, DEVICE, ROW, "", "sda", "1.00 2.00 3.00 4 5", CPU, "1 2 3 94", "nan nan nan nan"),
        *("07/27/2015 08:00:00", "07/27/2015 08:00:01", "Time: 11:00:00 PM", "zzz ***Wed Feb 10 11:01:50 CET 2010"),
        *("  aqu-sz  %util Device", "0.1 2.0 sda", "r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device"),
        *("avgrq-sz avgqu-sz   await  svctm  %util", "é€", "Filesystem: ops/s", "Device or resource busy"),
    )
)


@settings(max_examples=15, deadline=None)
@given(st.lists(pieces, max_size=25), st.integers(0, 25))
def test_any_mixture_of_lines_is_accounted_for_however_cut(lines: list[str], cut: int) -> None:
    frame = frame_of("\n".join(lines).encode())
    outcomes: list[Any] = []
    for chunks in ([frame], [frame[:cut], frame[cut:]]):
        carry = None
        rows: list[Any] = []
        counts = [0, 0, 0]
        with suppress(UnreadableFile):
            for chunk in chunks:
                parsed = iostat.parse(chunk, CLOCKED, carry)
                carry = json.loads(json.dumps(parsed.carry))
                assert parsed.n_used + parsed.n_skipped + parsed.rejects.height == chunk.height
                rows += [*devices(parsed), *parsed.tables["host_sample"].to_dicts()]
                counts = [
                    a + b for a, b in zip(counts, (parsed.n_used, parsed.n_skipped, parsed.rejects.height), strict=True)
                ]
            outcomes.append((sorted(rows, key=str), counts, carry))
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_headers_of_all_versions_are_known() -> None:
    assert read_header("Device: tps Blk_read/s Blk_wrtn/s Blk_read Blk_wrtn") is not None
    assert read_header(
        "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz aqu-sz %util"
    )
    assert read_header("Device or resource busy") is None
