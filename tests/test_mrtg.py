"""MRTG's logs: values against the polls that made them and against a second reading; what rateup made up."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin
from support.archive import all_rows, differences, make, make_site, mrtg_text, put, query
from support.parsing import average, parse_chunks, read_lines
from support.polls import FAILED, LONG_PAUSE, PAUSE, RESTART, epoch, polled, touches

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("plain_store")]

ORIGIN = Origin(path="x.log", link="link")
NAMES = ("in_bytes_s", "out_bytes_s", "in_max_bytes_s", "out_max_bytes_s")


def rows_of(path: Path) -> pl.DataFrame:
    return all_sources()["mrtg_log"].parse(read_lines(path), ORIGIN, None).tables["link_sample"]


def fine(rows: pl.DataFrame) -> list[dict[str, datetime]]:
    """The rows of 300 s that have data: all are newer than the first poll."""
    return rows.filter(pl.col("to_at") - pl.col("from_at") == timedelta(seconds=300)).to_dicts()


@pytest.mark.parametrize(
    ("name", "factor", "error"),
    [("counter64", 1, 2), ("counter32_unknaszero", 1, 2), ("perhour", 3600, 3600)],
)
def test_rates_are_those_of_the_polls(realdata: Path, name: str, factor: int, error: float) -> None:
    folder = realdata / "mrtg" / "generated"
    polls = polled(folder / f"rateup_{name}_input.csv")
    checked = 0
    for row in fine(rows_of(folder / f"rateup_{name}.log")):
        if touches(row, PAUSE, LONG_PAUSE, RESTART, FAILED):
            continue
        for column, value in ((1, "in_bytes_s"), (2, "out_bytes_s")):
            expected = factor * average(polls, column, epoch(row["from_at"]), epoch(row["to_at"]))
            assert row[value] == pytest.approx(expected, abs=error)
        assert row["note"] is None
        checked += 1
    assert checked > 500


@pytest.mark.parametrize("name", ["counter64", "perhour"])
def test_a_pause_is_marked_and_nothing_else(realdata: Path, name: str) -> None:
    rows = rows_of(realdata / "mrtg" / "generated" / f"rateup_{name}.log")
    stale = rows.filter(pl.col("note") == "stale")
    # 3 hours in rows of 1800 s, and the polls that failed: 4 polls repeat the rate, and one more
    assert stale.height == 12
    assert all(touches(row, LONG_PAUSE, FAILED) for row in stale.to_dicts())
    assert rows["note"].drop_nulls().unique().to_list() == ["stale"]


def test_holes_that_are_zeros_are_not_marked(realdata: Path) -> None:
    rows = rows_of(realdata / "mrtg" / "generated" / "rateup_counter32_unknaszero.log")
    assert rows["note"].null_count() == rows.height


def test_every_real_row_is_what_a_second_reading_says(realdata: Path) -> None:
    """Read line by line with nothing but split(); the row below bounds the row above."""
    paths = [path for path in sorted((realdata / "mrtg").rglob("*")) if path.suffix in (".log", ".old")]
    assert len(paths) >= 20
    for path in paths:
        lines = [line.split() for line in path.read_text().splitlines()]
        expected = [
            (line_no, int(below[0]), int(row[0]), *(float(max(row[i], row[i - 2], key=int)) for i in (3, 4)))
            for line_no, (row, below) in enumerate(pairwise(lines[1:]), start=2)
        ]
        found = rows_of(path).select(
            "line_no", pl.col("from_at").dt.epoch("s"), pl.col("to_at").dt.epoch("s"), *NAMES[2:]
        )
        assert found.rows() == expected, path.name
        means = [(float(row[1]), float(row[2])) for row in lines[1:-1]]
        assert rows_of(path).select(NAMES[:2]).rows() == means, path.name


def test_a_failed_last_poll_is_no_measurement(realdata: Path) -> None:
    newest = rows_of(realdata / "mrtg" / "canziani_d_dmz.log").head(1).to_dicts()[0]
    assert (newest["in_counter"], newest["out_counter"]) == ("-1", "-1")
    assert newest["note"] == "stale"  # the polls before had failed as well


def test_a_restarted_host_shows_as_wrap(realdata: Path) -> None:
    rows = rows_of(realdata / "mrtg" / "canziani_localhost_2.log").filter(pl.col("note") == "wrap")
    assert rows["in_max_bytes_s"].to_list() == [14201118.0, 14201118.0]


# --- any log ----------------------------------------------------------------------------------------------------

rates = st.lists(
    st.tuples(st.integers(0, 2**40), st.integers(0, 5000), st.integers(0, 2**40), st.booleans()),
    min_size=1,
    max_size=40,
)


@settings(max_examples=15, deadline=None)
@given(rates, st.lists(st.integers(1, 40), max_size=5))
def test_what_is_written_comes_back(values: list[tuple[int, int, int, bool]], cuts: list[int]) -> None:
    """Rows of any rates, some repeated; however the log is cut, all rows but the oldest come back."""
    at = 1_268_222_400
    rows: list[tuple[int, tuple[int, int, int, int]]] = []
    for i, (mean_in, mean_out, more, again) in enumerate(values):
        rates = rows[-1][1] if again and rows else (mean_in, mean_out, mean_in + more % 7, mean_out)
        rows.append((at - 300 * i, rates))
    text = [f"{at} 17 18", *(f"{t} {' '.join(map(str, rates))}" for t, rates in rows)]
    lines = frame_of("\n".join(text).encode())
    whole = parse_chunks("mrtg_log", [lines], ORIGIN)
    found = whole["tables"]["link_sample"]
    n_last = 2 if len(rows) > 1 and rows[-1][1] == rows[-2][1] else 1  # an unfinished run of two waits in vain
    assert len(found) in (len(rows) - 1, len(rows) - n_last)
    for (t, rates), row in zip(rows, found, strict=False):
        assert row["to_at"] == datetime.fromtimestamp(t, UTC).replace(tzinfo=None).isoformat()
        assert tuple(row[name] for name in NAMES) == rates
    edges = sorted({0, *(min(cut, lines.height) for cut in cuts), lines.height})
    assert parse_chunks("mrtg_log", [lines[a:b] for a, b in pairwise(edges)], ORIGIN) == whole


def test_a_log_out_of_order_is_nobodys() -> None:
    """rateup throws a log away that is not newest first; so do we."""
    rows = [f"{1_268_222_400 + 300 * i} {i} {i} {i} {i}" for i in range(50)]
    stem, claims = choose(rows)
    assert stem is None
    assert "not newest first" in claims["mrtg_log"].why


@pytest.mark.parametrize(
    "page",
    [
        "<html>\n<head>\n<title>port 4</title>\n<!-- maxin d 2310016 -->\n<!-- avout w 81 -->\n</head>",
        '<!DOCTYPE HTML>\n<meta name="generator" content="MRTG 2.17.10">\n<body>',
    ],
)
def test_pages_are_known_and_not_read(page: str) -> None:
    stem, claims = choose(page.split("\n"))
    assert stem is None
    assert claims["mrtg_log"].likeness > 0.5
    assert ".log or .rrd" in claims["mrtg_log"].why


# --- in the warehouse -------------------------------------------------------------------------------------------

CFG_INPUT = '\n[[input]]\nglob = "logs/cfg/*.cfg"\n'


def site_text(link: str) -> str:
    return f"""
name = "case"
[[station]]
name = "stage07"
[[link]]
name = "{link}"
station = "stage07"
polled = "host"
[[input]]
glob = "logs/mrtg/{{link}}.log*"
[[input]]
glob = "logs/mrtg/{{link}}.old"
{CFG_INPUT}"""


@pytest.mark.parametrize("is_log_first", [True, False])
def test_rates_per_hour_become_bytes_per_second(realdata: Path, tmp_path: Path, is_log_first: bool) -> None:
    """A log of rates per hour and its configuration, whichever comes first, against the polls."""
    folder = realdata / "mrtg" / "generated"
    site = make_site(tmp_path, site_text("Hourly"))
    cfg = "WorkDir: /srv/mrtg\nTarget[hourly]: 2:words@stage07\nMaxBytes[hourly]: 1e12\nOptions[hourly]: perhour\n"
    log = (folder / "rateup_perhour.log").read_text()
    for step in ("log", "cfg") if is_log_first else ("cfg", "log"):
        put(site, "mrtg/hourly.log", log) if step == "log" else put(site, "cfg/mrtg.cfg", cfg)
        make(site)
    polls = polled(folder / "rateup_perhour_input.csv")
    found = query(
        site,
        "SELECT from_at, to_at, avg_bytes_s FROM silver.link_sample WHERE link = 'Hourly' AND station = 'stage07'"
        " AND direction = 'in' AND to_at - from_at = INTERVAL 300 SECOND",
    )
    clear = [
        row for row in found if not touches({"from_at": row[0], "to_at": row[1]}, PAUSE, LONG_PAUSE, RESTART, FAILED)
    ]
    assert len(clear) > 500
    for begin, end, value in clear:
        assert value == pytest.approx(average(polls, 1, epoch(begin), epoch(end)), abs=2)
    pauses = [row for row in found if touches({"from_at": row[0], "to_at": row[1]}, LONG_PAUSE)]
    assert len(pauses) <= 6, "what rateup repeated over three hours is no traffic"


def test_gauges_are_no_traffic(realdata: Path, tmp_path: Path) -> None:
    site = make_site(tmp_path, site_text("load"))
    put(site, "cfg/mrtg.cfg", "Target[load]: `/opt/bin/load`\nMaxBytes[load]: 100\nOptions[load]: gauge\n")
    put(site, "mrtg/load.log", (realdata / "mrtg" / "generated" / "rateup_gauge.log").read_text())
    make(site)
    assert query(site, "SELECT count(*) FROM silver.link_sample") == [(0,)]
    assert query(site, "SELECT count(*) > 2000 FROM bronze.link_sample") == [(True,)]


def test_a_log_and_the_one_before_it_are_one_series(realdata: Path, tmp_path: Path) -> None:
    """No second is counted twice, and the pair has the values of the newer one wherever that has any."""
    site = make_site(tmp_path, site_text("localhost_2"))
    for ending in ("log", "old"):
        put(site, f"mrtg/localhost_2.{ending}", (realdata / "mrtg" / f"canziani_localhost_2.{ending}").read_text())
    make(site)
    overlaps = """SELECT count(*) FROM silver.link_sample a JOIN silver.link_sample b
        ON a.link = b.link AND a.direction = b.direction AND a.from_at < b.to_at AND a.to_at > b.from_at
        AND (a.from_at, a.to_at) < (b.from_at, b.to_at)"""
    assert query(site, overlaps) == [(0,)]
    assert query(site, "SELECT DISTINCT link FROM silver.link_sample") == [("localhost_2",)]


def test_a_configuration_that_comes_later_changes_all_days(tmp_path: Path) -> None:
    poll = datetime(2010, 3, 10, 20, 3, 7)
    cfg = "WorkDir: /srv/mrtg\nTarget[dm8-bond0]: -2:words@dm8\nMaxBytes[dm8-bond0]: 125000000\n"
    late, early = (make_site(tmp_path / name, site_text("dm8-bond0")) for name in ("late", "early"))
    put(late, "mrtg/dm8-bond0.log", mrtg_text(poll))
    make(late)
    before = all_rows(late)["silver.link_sample"]
    for site in (late, early):
        put(site, "mrtg/dm8-bond0.log", mrtg_text(poll))
        put(site, "cfg/mrtg.cfg", cfg)
        make(site)
    found = [all_rows(site) for site in (late, early)]
    for rows in found:
        assert rows.pop("silver.link_target").total() == 1  # each written at an instant of its own
    assert differences(*found) == []
    assert all_rows(late)["silver.link_sample"] != before, "the minus sign turned them round"
    assert read_head(late.root / "logs/cfg/mrtg.cfg")
