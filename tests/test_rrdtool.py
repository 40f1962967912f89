"""rrdtool's outputs against each other and against the polls they were made of; databases opened through rrdtool."""

import gzip
import json
import shutil
import subprocess
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines import steps
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose, rrd
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import open_bytes, read_head
from pipelines.sources.protocol import Origin, Parsed
from pipelines.sources.rrdtool.heads import columns_of
from support.archive import make, make_site, put, query
from support.parsing import average, parse_chunks, read_lines
from support.polls import FAILED, LONG_PAUSE, PAUSE, RESTART, epoch, polled, touches

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("plain_store")]
needs_rrdtool = pytest.mark.skipif(shutil.which("rrdtool") is None, reason="rrdtool is not installed")

DUMP = Path(__file__).parent / "sources" / "rrdtool" / "clean_dump.xml"
ORIGIN = Origin(path="dm7.xml", link="dm7", host="dm7")
Bins = dict[tuple[datetime, datetime], tuple[float | None, float | None]]


def parsed(path: Path, name: str = "") -> Parsed:
    origin = Origin(path=name or path.name, link="dm7", host="dm7", head=tuple(read_head(path)))
    stem, claims = choose(read_head(path))
    assert stem == "rrdtool", claims
    return all_sources()["rrdtool"].parse(read_lines(path), origin, None)


def bins(path: Path, column: str = "bytes_s") -> Bins:
    rows = parsed(path).tables["link_sample"].rows(named=True)
    pairs = {(row["from_at"], row["to_at"]): (row[f"in_{column}"], row[f"out_{column}"]) for row in rows}
    return {bin_: pair for bin_, pair in pairs.items() if pair != (None, None)}


def averages(path: Path) -> Bins:
    rows = parsed(path).tables["link_sample"].filter(pl.col("in_bytes_s").is_not_null()).rows(named=True)
    return {(row["from_at"], row["to_at"]): (row["in_bytes_s"], row["out_bytes_s"]) for row in rows}


# --- one output against another ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "rrd_mrtg_fetch_average.txt",
        "rrd_mrtg_xport_1800.json",
        "rrd_mrtg_xport_1800.xml",
        "rrd_mrtg_xport_showtime.xml",
        "rrd_mrtg_xport_t.json",
    ],
)
def test_every_output_says_what_the_dump_says(realdata: Path, name: str) -> None:
    folder = realdata / "mrtg" / "generated"
    dump, found = averages(folder / "rrd_mrtg_dump.xml.gz"), averages(folder / name)
    assert len(found) >= 24
    assert found == {bin_: dump[bin_] for bin_ in found}


@pytest.mark.parametrize("name", ["rrd_mrtg_xport_1800.json", "rrd_mrtg_xport_1800.xml"])
def test_maxima_of_an_export_are_those_of_the_dump(realdata: Path, name: str) -> None:
    folder = realdata / "mrtg" / "generated"
    rows = parsed(folder / "rrd_mrtg_dump.xml.gz").tables["link_sample"]
    maxima = {
        (row["from_at"], row["to_at"]): row["in_max_bytes_s"]
        for row in rows.filter(pl.col("in_bytes_s").is_null()).rows(named=True)
    }
    found = bins(folder / name, "max_bytes_s")
    assert len(found) == 50
    assert {bin_: pair[0] for bin_, pair in found.items()} == {bin_: maxima[bin_] for bin_ in found}


def test_a_dump_by_counting_back_from_its_last_update(realdata: Path) -> None:
    """Read as XML, where the comments with the times are gone: the last bin ends at the last whole step."""
    path = realdata / "mrtg" / "generated" / "rrd_mrtg_dump.xml.gz"
    root = ElementTree.fromstring(gzip.decompress(path.read_bytes()))
    step, last = (int(root.findtext(name, "0")) for name in ("step", "lastupdate"))
    expected: Bins = {}
    for archive in root.iter("rra"):
        if archive.findtext("cf", "").strip() != "AVERAGE":
            continue
        span = step * int(archive.findtext("pdp_per_row", "0"))
        rows = archive.findall("./database/row")
        for i, row in enumerate(rows):
            end = last - last % span - span * (len(rows) - 1 - i)
            values = [float(value.text or "nan") for value in row.findall("v")]
            if values[0] == values[0]:
                at = datetime(1970, 1, 1) + timedelta(seconds=end)
                expected[at - timedelta(seconds=span), at] = (values[0], values[1])
    assert len(expected) > 900
    assert averages(path) == expected


def test_a_dump_against_the_polls(realdata: Path) -> None:
    folder = realdata / "mrtg" / "generated"
    polls = polled(folder / "rateup_counter64_input.csv")
    checked = 0
    for (begin, end), (mean_in, mean_out) in averages(folder / "rrd_mrtg_dump.xml.gz").items():
        row = {"from_at": begin, "to_at": end}
        if end - begin > timedelta(minutes=30) or touches(row, PAUSE, LONG_PAUSE, RESTART, FAILED):
            continue
        assert mean_in == pytest.approx(average(polls, 1, epoch(begin), epoch(end)), rel=1e-6)
        assert mean_out == pytest.approx(average(polls, 2, epoch(begin), epoch(end)), rel=1e-6)
        checked += 1
    assert checked > 700


def test_holes_stay_holes(realdata: Path) -> None:
    """Where rateup repeats a rate for three hours, the database has no rows."""
    folder = realdata / "mrtg" / "generated"
    found = averages(folder / "rrd_mrtg_dump.xml.gz")
    begin = datetime(1970, 1, 1) + timedelta(seconds=1_040_000_100 + 300 * 502)
    end = begin + timedelta(seconds=300 * 32)
    assert not [bin_ for bin_ in found if begin < bin_[0] and bin_[1] < end]


@needs_rrdtool
@pytest.mark.parametrize("metric", ["bytes_in", "bytes_out", "cpu_wio"])
def test_a_database_says_what_its_dump_says(realdata: Path, metric: str) -> None:
    texts = parsed(realdata / "misc" / f"ganglia_{metric}.rrd.xml")
    files = parsed(realdata / "misc" / f"ganglia64_{metric}.rrd")
    (table,) = texts.tables
    assert texts.tables[table].height == 35
    assert texts.tables[table].drop("line_no").equals(files.tables[table].drop("line_no"))


def test_real_values_of_ganglia(realdata: Path) -> None:
    """By hand: the newest of bytes_in, and cpu_wio as a share."""
    rows = parsed(realdata / "misc" / "ganglia_bytes_in.rrd.xml").tables["network_sample"]
    newest = rows.filter(pl.col("to_at") == datetime(2015, 2, 11, 17, 20, 30)).row(0, named=True)
    assert (newest["in_bytes_s"], newest["out_bytes_s"], newest["interface"], newest["kind"]) == (
        1497.11,
        None,
        "all",
        "all",
    )
    shares = parsed(realdata / "misc" / "ganglia_cpu_wio.rrd.xml").tables["host_sample"]["cpu_wait"]
    assert shares.is_between(0, 1).all()


def test_no_second_of_a_host_is_covered_twice(realdata: Path) -> None:
    rows = parsed(realdata / "misc" / "ganglia_bytes_in.rrd.xml").tables["network_sample"].sort("from_at")
    assert (rows["from_at"].shift(-1) >= rows["to_at"]).drop_nulls().all()


# --- what is not read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DUMP.read_text().replace("ds0", "sum").replace("ds1", "num"), "summary of a cluster"),
        (DUMP.read_text().replace("ds0", "temperature"), "temperature, ds1"),
        (DUMP.read_text().replace("<step>300</step>", "<step>?</step>"), "the length of a bin"),
        ('filename = "a.rrd"\nrrd_version = "0003"\nstep = 300\n', "`rrdtool info`"),
    ],
)
def test_others_are_known_and_refused(text: str, why: str) -> None:
    stem, claims = choose(text.split("\n"))
    assert stem is None
    assert why in claims["rrdtool"].why
    assert claims["rrdtool"].likeness > 0.5
    with pytest.raises(UnreadableFile):
        all_sources()["rrdtool"].parse(frame_of(text.encode()), ORIGIN, None)


def test_a_metric_that_is_not_read_is_refused() -> None:
    lines = frame_of(b"   sum\n\n1268215215: 1.0e+00\n1268215230: 2.0e+00\n")
    with pytest.raises(UnreadableFile, match="disk_free"):
        all_sources()["rrdtool"].parse(lines, Origin(path="stage07/disk_free.rrd"), None)


def test_archives_from_coarse_to_fine_are_refused() -> None:
    head, *archives = DUMP.read_text().replace("ds1", "sum").split("<rra>")
    head = head[: head.index("<ds>")] + head[head.rindex("<ds>") :]  # one column is left
    texts = [f"<rra>{archive}".replace("</v><v>", "</v></row>\n<row><v>") for archive in archives[:2]]
    one = [line for text in texts for line in text.split("\n") if not line.startswith("<row>")]
    half = one.index("<rra>", 1) if "<rra>" in one[1:] else next(i for i, x in enumerate(one) if i and "<rra>" in x)
    swapped = "\n".join([head, *one[half:], *one[:half], "</rrd>\n"])
    with pytest.raises(UnreadableFile, match="fine to coarse"):
        all_sources()["rrdtool"].parse(frame_of(swapped.encode()), Origin(path="bytes_in.xml"), None)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (("in", "out", "in max"), ("in", "out", "in_max")),
        (("traffic_in", "traffic_out"), ("in", "out")),
        (("Inbound", "MaxInbound"), ("in", "in_max")),
        (("in", "in"), None),
        (("inmax",), None),
        (("in", "errors"), None),
        (("INOCTETS", "OUTOCTETS", "INERRORS", "OUTUCASTPKTS"), ("in", "out", "", "")),
        (("INERRORS", "OUTERRORS"), None),
        (("INOCTETS", "INTEMPERATURE"), None),
    ],
)
def test_columns_by_their_names(names: tuple[str, ...], columns: tuple[str, ...] | None) -> None:
    assert columns_of(names) == columns


# --- databases opened through the program -----------------------------------------------------------------------


@needs_rrdtool
def test_a_database_that_is_cut_is_refused(realdata: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut.rrd"
    file.write_bytes((realdata / "misc" / "ganglia64_bytes_in.rrd").read_bytes()[:700])
    with pytest.raises(UnreadableFile, match="rrdtool cannot dump the file") as raised:
        read_head(file)
    assert raised.value.reason == "not_converted"
    assert "rrdtool dump FILE" in raised.value.hint


def test_without_the_program_the_refusal_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.rrd"
    file.write_bytes(rrd.MAGIC + b"0003\x00" + bytes(200))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnreadableFile, match="the program rrdtool") as raised:
        read_head(file)
    assert raised.value.reason == "not_converted"
    assert "install rrdtool" in raised.value.hint


def test_the_program_has_little_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rrdtool").write_text("#!/bin/sh\necho '<rrd>'\nexec /bin/sleep 60\n")
    (tmp_path / "rrdtool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    begin = time.monotonic()
    with (
        rrd.DumpStream(tmp_path / "a.rrd", longest_s=0.5) as stream,
        pytest.raises(UnreadableFile, match="did not end in time"),
    ):
        while stream.read1():
            pass
    assert time.monotonic() - begin < 20


def test_a_stream_that_is_left_ends_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rrdtool").write_text("#!/bin/sh\nwhile true; do echo '<!-- -->'; done\n")
    (tmp_path / "rrdtool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    stream = rrd.DumpStream(tmp_path / "a.rrd")
    assert stream.read(4) == b"<!--"
    stream.close()
    assert stream.process.returncode is not None


@needs_rrdtool
def test_strange_names_are_only_names(tmp_path: Path) -> None:
    """A name that looks like an option, or like a command to a shell, is a name."""
    for name in ("--help.rrd", "a; touch b.rrd", "$(touch c).rrd", "d'e\".rrd"):
        file = tmp_path / name
        shape = ["--start", "1268215200", "--step", "300", "DS:ds0:GAUGE:600:0:U", "RRA:AVERAGE:0.5:1:5"]
        subprocess.run(["rrdtool", "create", str(file), *shape], check=True)
        with open_bytes(file) as stream:
            assert stream.read(5) == b"<?xml"
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        ["--help.rrd", "a; touch b.rrd", "$(touch c).rrd", "d'e\".rrd"]
    )


SITE = """
name = "case"
[[station]]
name = "stage07"
[[link]]
name = "stage07-bond0"
station = "stage07"
polled = "host"
[[input]]
glob = "logs/{link}.rrd"
"""


@needs_rrdtool
def test_a_database_in_the_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restored from the fixture's dump, read as link traffic; without the program a failed file with its reason."""
    site = make_site(tmp_path, SITE)
    (site.root / "logs").mkdir()
    file = site.root / "logs" / "stage07-bond0.rrd"
    subprocess.run(["rrdtool", "restore", str(DUMP), str(file)], check=True)
    make(site)
    rows = query(
        site,
        "SELECT direction, epoch(to_at - from_at)::INT, round(avg_bytes_s), round(max_bytes_s) FROM silver.link_sample"
        " ORDER BY direction, from_at LIMIT 2",
    )
    assert rows == [("in", 1800, 2549644.0, 2824466.0), ("in", 300, 2961877.0, 2961877.0)]
    file.rename(site.root / "logs" / "other.rrd")
    monkeypatch.setenv("PATH", "")
    steps.ingest(site, None)
    assert query(site, "SELECT path, state, split_part(reason, ':', 1) FROM ops.file WHERE state <> 'loaded'") == [
        ("logs/other.rrd", "failed", "not_converted")
    ]


def test_idle_metrics_of_equal_text_are_series_of_their_own(tmp_path: Path) -> None:
    """Two idle hosts write the same bins, and so do two metrics of one host: only the paths distinguish the files."""
    text = DUMP.with_name("clean_ganglia_cpu_wio.txt").read_text()
    site = make_site(tmp_path, 'name = "case"\nzone = "UTC"\n[[input]]\nglob = "logs/{host}/*"\n')
    for name in ("node7/cpu_wio.txt", "node7/cpu_user.txt", "node8/cpu_wio.txt"):
        put(site, name, text)
    make(site)
    found = query(
        site,
        "SELECT host, count(cpu_wait) > 0, count(cpu_user) > 0 FROM silver.host_sample GROUP BY host ORDER BY host",
    )
    assert found == [("node7", True, True), ("node8", True, False)]
    assert steps.ingest(site).as_dict()["loaded"] == 0


# --- any values -------------------------------------------------------------------------------------------------

values = st.one_of(st.none(), st.floats(0, 1e12, allow_nan=False))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(values, values), min_size=2, max_size=20), st.sampled_from(["fetch", "comma", "xml", "json"]))
def test_what_is_written_comes_back(rows: list[tuple[float | None, float | None]], layout: str) -> None:
    start = 1_268_222_400
    text = _written(rows, layout, start)
    lines = frame_of(text.encode())
    origin = Origin(path="dm7.txt", link="dm7", head=tuple(text.split("\n")))
    found = parse_chunks("rrdtool", [lines], origin)["tables"].get("link_sample", [])
    expected = [
        (datetime(1970, 1, 1) + timedelta(seconds=start + 300 * i), *pair)
        for i, pair in enumerate(rows)
        if pair != (None, None)
    ]
    assert [
        (datetime.fromisoformat(row["to_at"]), row.get("in_bytes_s"), row.get("out_bytes_s")) for row in found
    ] == expected


def _written(rows: list[tuple[float | None, float | None]], layout: str, start: int) -> str:
    def shown(value: Any, unknown: str) -> str:
        return unknown if value is None else repr(value)

    if layout == "json":
        meta = {"start": start, "end": start, "step": 300, "legend": ["in", "out"]}
        data = ",\n".join(f"[ {shown(a, 'null')}, {shown(b, 'null')} ]" for a, b in rows)
        return f'{{ "about": "RRDtool graph JSON output",\n"meta": {json.dumps(meta)},\n"data": [\n{data}\n]\n}}\n'
    if layout == "xml":
        data = "\n".join(f"<row><v>{shown(a, 'NaN')}</v><v>{shown(b, 'NaN')}</v></row>" for a, b in rows)
        legend = "<legend><entry>in</entry><entry>out</entry></legend>"
        meta_xml = f"<meta>\n<start>{start}</start>\n<step>300</step>\n{legend}\n</meta>"
        return f"<xport>\n{meta_xml}\n<data>\n{data}\n</data>\n</xport>\n"
    text = "\n".join(f"{start + 300 * i}: {shown(a, '-nan')} {shown(b, 'nan')}" for i, (a, b) in enumerate(rows))
    return f"   ds0   ds1\n\n{text.replace('.', ',') if layout == 'comma' else text}\n"
