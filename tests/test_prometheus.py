"""Raw samples of exporters: sums worked by hand, and what is written comes back wherever the file is cut.

The arithmetic of `tests/sources/prometheus_range/clean.json`, first step, 15 s:

    cpu 0: idle 12, user 1.5, system 0.75, iowait 0.75 s;   cpu 1: idle 9, user 3, system 2.25, iowait 0.75 s
    idle (12 + 9) / 30 = 0.7    user 4.5 / 30 = 0.15    system 3 / 30 = 0.1    iowait 1.5 / 30 = 0.05
    30 reads in 0.6 s: 0.02 s a read    60 writes in 3 s: 0.05 s a write    3.6 s / 90 requests = 0.04 s
    30e6 bytes read / 15 s = 2e6    60e6 / 15 = 4e6    io_time 7.5 / 15 = 0.5 busy    weighted 30 / 15 = 2 in the queue

of `clean_switch.json`: polls a minute apart, 6000 bytes a minute are 100 bytes/s. Line 2 repeats minute 4; 5 to 8
are a hole of five steps; between 10 and 11 the counters fell; minute 13 failed, and one poll of two covers both;

of `clean_tape.json`, st0, first minute: 5.012e12 - 5e12 = 12e9 bytes written in 42.5 s, 46,000 writes, 50.5 s of
commands, so 8 s for two others. Second minute: 95 s of commands end in 60 s, for a long one counts when it completes;

and of `prometheus_text/clean.prom`, 60 s: idle 45, iowait 3, system 6, user 6 of 60 s; 6e8 bytes are 1e7 bytes/s.
"""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines import steps
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import COUNTERS, Origin
from pipelines.warehouse.connection import Warehouse
from support import TESTS
from support.parsing import parse_chunks, read_lines

pytestmark = pytest.mark.usefixtures("plain_store")

CASES = TESTS / "sources" / "prometheus_range"
START = 1_436_781_600


def series(name: str, samples: list[tuple[float, Any]], **labels: str) -> dict[str, Any]:
    values = [[at, str(value)] for at, value in samples]
    return {"metric": {"__name__": name, "instance": "a:9100", **labels}, "values": values}


def answer(*found: dict[str, Any]) -> str:
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": list(found)}})


def parse(*texts: str, origin: Origin | None = None) -> dict[str, pl.DataFrame]:
    lines = frame_of(("\n".join(texts) + "\n").encode())
    return all_sources()["prometheus_range"].parse(lines, origin or Origin(), None).tables


def test_figures_are_those_worked_out_by_hand() -> None:
    tables = all_sources()["prometheus_range"].parse(read_lines(CASES / "clean.json"), Origin(), None).tables
    host, disk = tables["host_sample"].row(0, named=True), tables["device_sample"].row(0, named=True)
    shares = [host[f"cpu_{share}"] for share in ("idle", "user", "system", "wait")]
    assert shares == pytest.approx([21 / 30, 4.5 / 30, 3 / 30, 1.5 / 30])
    assert (host["n_cpus"], host["load_1"], host["swapped_bytes"]) == (2, 0.75, 4096 - 3072)
    assert [disk[name] for name in ("read_wait_s", "write_wait_s", "wait_s", "busy", "queue")] == pytest.approx(
        [0.6 / 30, 3 / 60, 3.6 / 90, 7.5 / 15, 30 / 15]
    )
    second = tables["device_sample"].row(1, named=True)
    assert second["read_wait_s"] is None  # no read completed
    assert second["wait_s"] == pytest.approx(0.75 / 30)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), min_size=1, max_size=5),
    st.integers(0, 5),
    st.sampled_from([True, False]),
)
def test_what_is_written_comes_back(hours: list[list[int]], cut: int, is_export: bool) -> None:
    """Bytes between any two scrapes, in one line or over several, are those that were counted."""
    texts, count, number = [], 0, 0
    for rises in hours:
        samples = []
        for rise in rises:
            count, number = count + rise, number + 1
            samples.append((START + 15 * number, count))
        pair = [series(f"node_network_{way}_bytes_total", samples, device="eth0") for way in ("receive", "transmit")]
        texts.append(json.dumps([exported(one) for one in pair]) if is_export else answer(*pair))
    lines = frame_of(("\n".join(texts) + "\n").encode())
    result = parse_chunks("prometheus_range", [lines[:cut], lines[cut:]], Origin())
    assert not result["rejects"]
    found = result["tables"]["network_sample"]
    flat = [rise for rises in hours for rise in rises]
    assert [round(row["in_bytes_s"] * 15) for row in found] == flat[1:]
    assert [row["in_bytes_s"] for row in found] == [row["out_bytes_s"] for row in found]


def exported(one: dict[str, Any]) -> dict[str, Any]:
    """A series as VictoriaMetrics exports it."""
    at = [round(1000 * at) for at, _ in one["values"]]
    return {"metric": one["metric"], "values": [int(value) for _, value in one["values"]], "timestamps": at}


def test_a_hole_is_measured_in_usual_steps() -> None:
    """30 s are no hole where 15 s are usual, for one scrape may fail; 45 s are, also twice in a row."""
    at = [0, 15, 30, 60, 75, 120, 165, 180]
    rows = parse(answer(series("node_load1", [(START + second, second) for second in at])))["host_sample"]
    assert [int(value) for value in rows["load_1"]] == [15, 30, 60, 75, 180]


def test_the_step_of_the_line_before_tells_a_hole_between_two_lines() -> None:
    one, two = ([(START + begin + 15 * i, i) for i in range(n)] for begin, n in ((0, 4), (3600, 2)))
    rows = parse(answer(series("node_load1", one)), answer(series("node_load1", two)))["host_sample"]
    assert [(row["line_no"], row["load_1"]) for row in rows.to_dicts()] == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_a_disk_that_began_again_has_no_row_though_its_other_counters_rose() -> None:
    read, written = ((0, 500), (15, 100), (30, 250)), ((0, 0), (15, 20), (30, 50))
    rows = parse(
        answer(
            series("node_disk_read_bytes_total", [(START + at, value) for at, value in read], device="sda"),
            series("node_disk_written_bytes_total", [(START + at, value) for at, value in written], device="sda"),
        )
    )["device_sample"]
    assert rows.select("from_at", "read_bytes_s", "write_bytes_s").rows() == [(datetime(2015, 7, 13, 10, 0, 15), 10, 2)]


def test_processors_without_accounting_of_waits_have_shares() -> None:
    """FreeBSD and macOS have no iowait: 3 of 15 s are user, 1.5 interrupt and system, none nice, 10.5 idle."""
    modes = {"user": 3, "nice": 0, "system": 1, "interrupt": 0.5, "idle": 10.5}
    parts = [
        series("node_cpu_seconds_total", [(START, 7), (START + 15, 7 + rise)], cpu="0", mode=mode)
        for mode, rise in modes.items()
    ]
    row = parse(answer(*parts))["host_sample"].row(0, named=True)
    shares = [row[f"cpu_{share}"] for share in ("user", "nice", "system", "idle")]
    assert shares == pytest.approx([3 / 15, 0, 1.5 / 15, 10.5 / 15])
    assert row["cpu_wait"] is None


@pytest.mark.parametrize(
    ("name", "labels", "what"),
    [
        ("node_disk_io_time_seconds_total", {"device": "sda"}, "a disk"),
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "idle"}, "a host's processors"),
    ],
)
def test_a_row_in_pieces_is_refused(name: str, labels: dict[str, str], what: str) -> None:
    """No later step would join the lines of a disk: rates without waits, or waits without rates, would be lost."""
    with pytest.raises(UnreadableFile, match=f"line 1 lacks some of the metrics that are needed for {what}") as raised:
        parse(answer(series(name, [(START, 1), (START + 15, 2)], **labels)))
    assert "jq -cs" in raised.value.hint


def test_the_label_names_the_host() -> None:
    """What site.toml gives counts where there is no label, or one that is the same on every host."""
    samples = [(START, 1), (START + 15, 2)]
    names = ["a.example.org:9100", "192.0.2.7:9100", "[2001:db8::7]:9100", "localhost:9100", "127.0.0.1:9100", ""]
    both = [answer(series("node_load1", samples, instance=name)) for name in names]
    found = parse(*both, origin=Origin(host="station"))["host_sample"]["host"].to_list()
    assert found == ["a.example.org", "192.0.2.7", "2001:db8::7", "station", "station", "station"]
    assert parse(both[3], origin=Origin(path="tpsrv01.json"))["host_sample"]["host"].to_list() == ["tpsrv01.json"]


def polls(*values: tuple[str, list[int]]) -> list[dict[str, Any]]:
    """Series of a port, polled once a minute."""
    return [series(name, [(START + 60 * i, value) for i, value in enumerate(of)], ifName="1/1") for name, of in values]


def rates(*found: dict[str, Any]) -> list[tuple[int, float, float | None]]:
    """Minute at the end of each row, and what was received and sent in bytes/s."""
    rows = parse(answer(*found))["network_sample"]
    at = ((row["to_at"] - datetime(2015, 7, 13, 10)).seconds // 60 for row in rows.to_dicts())
    return [(minute, row["in_bytes_s"], row["out_bytes_s"]) for minute, row in zip(at, rows.to_dicts(), strict=True)]


def test_a_counter_of_32_bits_goes_round_while_the_switch_stays_up() -> None:
    """Minute 1: from 2^32 - 2400 to 3600 are 6000 bytes, 100 bytes/s. Minute 2 another 6000. Minute 3: the switch began
    again, so a fall shows nothing; nor does that of minute 4, without an uptime; a wide counter never wraps."""
    up = series("sysUpTime", [(START + 60 * i, at) for i, at in enumerate([500, 6500, 12500, 300])])
    narrow = polls(("ifInOctets", [2**32 - 2400, 3600, 9600, 10]), ("ifOutOctets", [0, 60, 120, 60]))
    assert rates(up, *narrow) == [(1, 100, 1), (2, 100, 1)]
    assert rates(*narrow) == [(2, 100, 1)]
    wide = polls(("ifHCInOctets", [2**32 - 2400, 3600, 9600]), ("ifHCOutOctets", [0, 60, 120]))
    assert rates(up, *wide) == [(2, 100, 1)]
    assert rates(up, *wide, *polls(("ifInOctets", [0, 60, 120]))) == [(2, 100, 1)]


def test_a_port_without_a_name_is_its_number() -> None:
    one = series("ifHCInOctets", [(START, 0), (START + 60, 60)], ifIndex="17", ifName="", ifAlias="dm8 bond0")
    row = parse(answer(one))["network_sample"].row(0, named=True)
    assert (row["interface"], row["description"], row["in_bytes_s"]) == ("17", "dm8 bond0", 1)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (['{"status":"success","data":{"resultType":"vector","result":[]}}'], "of one moment only"),
        (['{"status":"error","errorType":"bad_data"}'], "failed"),
        (["{", '  "status": "success",', '  "data": {'], "jq -c"),
        (['{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"cpu":"0"}'], "rates or sums"),
        (['{"metric":{"__name__":"go_threads"},"values":[8],"timestamps":[1]}'], "not of node_exporter"),
    ],
)
def test_what_is_not_read_is_named(head: list[str], why: str) -> None:
    stem, claims = choose(head)
    assert stem is None
    assert why in claims["prometheus_range"].why


def test_an_answer_is_known_by_its_first_characters(tmp_path: Path) -> None:
    """One line of an hour may be longer than what recognition reads; it has no line end, and is no torn line."""
    many = [series("node_load1", [(START + 15 * i, i) for i in range(240)]) for _ in range(60)]
    (tmp_path / "a.json").write_text(answer(*many))
    assert choose(read_head(tmp_path / "a.json"))[0] == "prometheus_range"
    (tmp_path / "site.toml").write_text('name = "t"\nzone = "America/Chicago"\n[[input]]\nglob = "*.json"\n')
    counts = steps.ingest(steps.site_at(tmp_path)).as_dict()
    assert (counts["loaded"], counts["n_lines"], counts["n_rejected"]) == (1, 1, 0)


def test_a_line_that_is_too_long_is_a_reject(tmp_path: Path) -> None:
    many = [series("node_load1", [(START + 15 * i, i) for i in range(100)]) for _ in range(10)]
    (tmp_path / "a.json").write_text(answer(*many[:1]) + "\n" + answer(*many) + "\n")
    site = 'name = "t"\nzone = "America/Chicago"\n[limits]\nline_kb = 16\n[[input]]\nglob = "*.json"\n'
    (tmp_path / "site.toml").write_text(site)
    counts = steps.ingest(steps.site_at(tmp_path)).as_dict()
    assert (counts["n_lines"], counts["n_rejected"]) == (2, 1)


def scrape(*samples: str, clock: str = "") -> str:
    return "\n".join([*([f"# {clock}"] if clock else []), "# TYPE node_load1 gauge", *samples]) + "\n"


def parse_text(text: str, origin: Origin | None = None) -> dict[str, Any]:
    return parse_chunks("prometheus_text", [frame_of(text.encode())], origin or Origin(host="h"))


def test_counters_of_a_single_scrape_are_counted_and_skipped() -> None:
    text = scrape("node_load1 2", 'node_network_receive_bytes_total{device="eth0"} 5', "node_intr_total 7")
    origin = Origin(host="h", modified_at=datetime(2015, 7, 13, 10))
    parsed = all_sources()["prometheus_text"].parse(frame_of(text.encode()), origin, None)
    assert parsed.tables["host_sample"].select("from_at", "to_at", "load_1").rows() == [
        (datetime(2015, 7, 13, 9, 59, 59), datetime(2015, 7, 13, 10), 2.0)
    ]
    assert parsed.tables["network_sample"].is_empty()
    assert parsed.notes == {COUNTERS: 2}
    assert (parsed.n_used, parsed.n_skipped) == (1, 3)


def test_statistics_of_endit_among_a_hosts_samples_go_where_their_files_do() -> None:
    """By the daemon's own clock, though the scrape has none; another metric ends them, a label more leaves them out."""
    text = scrape(
        'endit_archiver_busyworkers{hsm="pool1"} 1',
        'endit_archiver_time{hsm="pool1"} 1.710003601e+09',
        'endit_retriever_busyworkers{hsm="pool1"} many',
        'endit_retriever_staged_bytes{hsm="pool1"} 5.9682060417e+10',
        'endit_retriever_time{hsm="pool1"} 1.7100036e+09',
        'endit_retriever_info{hsm="pool1",version="1"} 1',
        "node_load1 2",
        'endit_archiver_time{hsm="pool2"} 1710003602',
    )
    origin = Origin(host="h", system="s", modified_at=datetime(2024, 3, 9, 17))
    parsed = all_sources()["prometheus_text"].parse(frame_of(text.encode()), origin, None)
    columns = ("line_no", "host", "operation", "pool", "sampled_at", "n_busy", "done_bytes")
    assert parsed.tables["endit_stat"].select(columns).rows() == [
        (2, "h", "archive", "pool1", datetime(2024, 3, 9, 17, 0, 1), 1, None),
        (5, "h", "retrieve", "pool1", datetime(2024, 3, 9, 17), None, 59_682_060_417),
    ]
    assert (parsed.n_used, parsed.n_skipped, parsed.rejects["reason"].to_list()) == (6, 2, ["bad_number"])


def test_scrapes_without_a_time_are_refused() -> None:
    origin = Origin(host="h", modified_at=datetime(2015, 7, 13, 10))
    with pytest.raises(UnreadableFile, match="no time") as raised:
        parse_text(scrape("node_load1 2") * 2, origin)
    assert raised.value.reason == "no_clock"
    with pytest.raises(UnreadableFile, match="no time"):
        parse_text(scrape("node_load1 2"))


def test_a_scrape_waits_for_its_end() -> None:
    """Torn in the middle it would give half a row; the next scrape, or EOF, shows that it is complete."""
    text = scrape("node_load1 1", clock="2015-07-13T10:00:00Z") + scrape("node_load1 2", clock="2015-07-13T10:01:00Z")
    loads = [
        [row["load_1"] for row in parse_text(text + end)["tables"]["host_sample"]]
        for end in ("", "# EOF\n", scrape("node_load1 3", clock="2015-07-13T10:02:00Z"))
    ]
    assert loads == [[1], [1, 2], [1, 2]]


def test_a_growing_file_of_scrapes_goes_on_where_it_ended(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "t"\nzone = "America/Chicago"\n[[input]]\nglob = "{host}.prom"\n')
    text = [scrape(f"node_load1 {i}", clock=str(START + 60 * i)) + "# EOF\n" for i in range(4)]
    (tmp_path / "tpsrv01.prom").write_text("".join(text[:2]))
    steps.ingest(steps.site_at(tmp_path))
    with (tmp_path / "tpsrv01.prom").open("a") as file:
        file.write("".join(text[2:]))
    steps.ingest(steps.site_at(tmp_path))
    with Warehouse(steps.site_at(tmp_path)).read() as lake:
        rows = lake.execute("SELECT host, load_1 FROM bronze.host_sample ORDER BY from_at").fetchall()
    assert rows == [("tpsrv01", 0.0), ("tpsrv01", 1.0), ("tpsrv01", 2.0), ("tpsrv01", 3.0)]


def test_the_exporters_own_output_is_read(realdata: Path) -> None:
    """The project's fixture is one scrape: of its samples the gauges of the host are rows."""
    path = realdata / "today" / "prometheus" / "node_exporter-e2e-tape-disk-net.prom"
    rows = parse_text(path.read_text(), Origin(host="h", modified_at=datetime(2026, 11, 21)))["tables"]["host_sample"]
    found = {key: row[key] for row in rows for key in row if key not in ("line_no", "host", "tool", "from_at", "to_at")}
    printed = {name: float(value) for name, value in re.findall(r"^(node_\w+) (\S+)$", path.read_text(), re.MULTILINE)}
    assert found == {
        "load_1": printed["node_load1"],
        "load_5": printed["node_load5"],
        "load_15": printed["node_load15"],
        "run_queue": printed["node_procs_running"],
        "blocked": printed["node_procs_blocked"],
        "free_bytes": printed["node_memory_MemFree_bytes"],
        "cache_bytes": printed["node_memory_Cached_bytes"],
    }
