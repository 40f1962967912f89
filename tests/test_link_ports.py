"""Links whose ports monitors count: the same traffic says the same as MRTG's log of it, in whatever files it comes."""

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.inputs import ask_input
from support.archive import all_rows, make, make_site, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = datetime(2026, 3, 2, tzinfo=UTC)
FROM_S, TO_S = int(DAY.timestamp()) - 3600, int(DAY.timestamp()) + 25 * 3600
SITE = """
name = "case"
zone = "UTC"
[[station]]
name = "dm8"
aliases = ["192.0.2.8"]
role = "migration"
[[link]]
name = "dm8-bond0"
station = "dm8"
capacity_mb_s = 50.0
polled = "switch"
"""
PORT = 'port = { host = "sw1", interface = "xe-0/0/1" }\n'
OWN = 'port = [{ host = "dm8", interface = "bond0" }]\n'
INPUT = '[[input]]\nglob = "logs/**/*"\nexpect = { from = 2026-03-02T00:00:00Z, to = 2026-03-03T00:00:00Z }\n'
MEASURES = {
    "gold.duty_factor": "day, station, direction, n_bins, n_active, n_active_half, round(moved_gb, 9)",
    "gold.link_load": "hour_at, link, station, direction, covered_s, round(avg_mb_s, 9), round(load, 9), full_s",
    "gold.link_reconciliation": "bin_at, station, direction, round(counted_gb, 9)",
}


def rates(at: int) -> tuple[int, int]:
    """Bytes/s that the switch received and sent in the five minutes that end then: a busy day and a quiet night."""
    wave = math.sin(math.pi * ((at - FROM_S) % 86_400) / 86_400)
    into = 600 + round(max(0.0, 60e6 * wave - 12e6))
    return into, into // 3


def mrtg() -> str:
    """What `rateup` would have written of it, 300 s a row."""
    rows = [f"{at} {into} {out} {into} {out}" for at in range(TO_S, FROM_S, -300) for into, out in [rates(at)]]
    return "\n".join([f"{TO_S} 1 1", *rows, f"{FROM_S} 0 0 0 0"]) + "\n"


def counted(step_s: int = 60) -> list[tuple[int, int, int]]:
    """Instants and both counters of 64 bits."""
    found, received, sent = [(FROM_S, 2**40, 2**41)], 2**40, 2**41
    for at in range(FROM_S + step_s, TO_S + 1, step_s):
        into, out = rates(-(-at // 300) * 300)
        received, sent = received + into * step_s, sent + out * step_s
        found.append((at, received, sent))
    return found


def of_prometheus(site: Site, first_hour: int = 0, last_hour: int = 26) -> None:
    """An answer an hour, each five minutes longer than that; other ports of the switch are in them as well."""
    samples = counted()
    for hour in range(first_hour, last_hour):
        begin = FROM_S + 3600 * hour
        some = [row for row in samples if begin - 300 <= row[0] <= begin + 3600]
        result = []
        for number, scale in ((1, 1), (2, 7)):
            labels = {"instance": "sw1.example.org:9116", "ifName": f"xe-0/0/{number}", "ifAlias": f"port {number}"}
            for place, name in ((1, "ifHCInOctets"), (2, "ifHCOutOctets")):
                values = [[row[0], str(scale * row[place])] for row in some]
                result.append({"metric": {"__name__": name, **labels}, "values": values})
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        put(site, f"prometheus/{hour:02}.json", json.dumps(answer))


def of_speed(site: Site, mbit: int) -> None:
    """The switch's values for its ports, an answer a day: 400 Mbit/s are the 50 MB/s of `SITE`."""
    labels = {"instance": "sw1.example.org:9116", "ifName": "xe-0/0/1", "ifAlias": "port 1"}
    for day in range(-1, 2):
        ats = range(FROM_S + 3600 + 86_400 * day, FROM_S + 3600 + 86_400 * (day + 1), 3600)
        result = [
            {"metric": {"__name__": name, **labels}, "values": [[at, value] for at in ats]}
            for name, value in (("ifHighSpeed", str(mbit)), ("ifSpeed", "4294967295"))
        ]
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        put(site, f"prometheus/speed{day}.json", json.dumps(answer))


def of_telegraf(site: Site) -> None:
    """The station's own interface, by its address: what the switch received the station sent."""
    put(
        site,
        "telegraf.lp",
        "".join(
            f"net,host=192.0.2.8,interface=bond0 bytes_recv={sent}i,bytes_sent={received}i {at}\n"
            for at, received, sent in counted(30)
        ),
    )


def of_collectd(site: Site) -> None:
    for day in range(-1, 2):
        at = DAY + timedelta(days=day)
        begin, end = at.timestamp(), at.timestamp() + 86_400
        rows = [f"{when}.004,{sent},{received}\n" for when, received, sent in counted(60) if begin <= when < end]
        put(site, f"collectd/dm8/interface-bond0/if_octets-{at:%Y-%m-%d}", "epoch,rx,tx\n" + "".join(rows))


def measures(site: Site) -> dict[str, list[tuple[Any, ...]]]:
    of_day = "WHERE day = '2026-03-02' ORDER BY ALL"
    return {name: query(site, f"SELECT {columns} FROM {name} {of_day}") for name, columns in MEASURES.items()}


@pytest.fixture(scope="module")
def by_mrtg(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    site = make_site(tmp_path_factory.mktemp("mrtg"), SITE + '[[input]]\nglob = "logs/{link}.log"\n')
    put(site, "dm8-bond0.log", mrtg())
    make(site)
    found = measures(site)
    # In is a third of 60 sin x - 12 MB/s, so above 5 where sin x > 0.45, 0.703 of the day: 33.7 half-hours, which hold
    # the middles of 34; out is above 5 where sin x > 0.283, 0.817 of it: 39.2 half-hours, with the middles of 40.
    assert [row[3:5] for row in found["gold.duty_factor"]] == [(48, 34), (48, 40)]
    return found


@pytest.mark.parametrize(
    ("write", "port"),
    [(of_prometheus, PORT), (of_telegraf, OWN)],
)
def test_every_monitor_says_what_mrtg_says(
    tmp_path: Path, by_mrtg: dict[str, list[tuple[Any, ...]]], write: Callable[[Site], None], port: str
) -> None:
    site = make_site(tmp_path, SITE + port + INPUT)
    write(site)
    make(site)
    assert measures(site) == by_mrtg


def test_the_speed_of_its_ports_is_the_capacity_where_site_toml_says_none(
    tmp_path: Path, by_mrtg: dict[str, list[tuple[Any, ...]]]
) -> None:
    """Which comes first is all one; what site.toml says goes before."""
    unsaid = SITE.replace("capacity_mb_s = 50.0\n", "")
    site = make_site(tmp_path / "later", unsaid + PORT + INPUT)
    of_prometheus(site)
    make(site)
    assert {row[-2] for row in measures(site)["gold.link_load"]} == {None}
    of_speed(site, 400)
    make(site)
    assert measures(site) == by_mrtg
    rows = all_rows(site)
    make(site, full=True)
    assert all_rows(site) == rows
    site = make_site(tmp_path / "said", SITE + PORT + INPUT)
    of_prometheus(site)
    of_speed(site, 10_000)
    make(site)
    assert measures(site) == by_mrtg


def test_a_link_known_by_its_description_is_expected_for_the_declared_hours(tmp_path: Path) -> None:
    site = make_site(tmp_path, SITE + 'port = { description = "port 1" }\n' + INPUT)
    of_prometheus(site, 0, 20)
    make(site)
    begin, end = datetime(2026, 3, 2), datetime(2026, 3, 3)
    assert ("prometheus_range", "dm8-bond0", begin, end) in query(site, "SELECT * FROM site.expected")


def test_collectd_says_it_but_for_midnight(tmp_path: Path, by_mrtg: dict[str, list[tuple[Any, ...]]]) -> None:
    """A day's file begins without the sample before it: the first and last half-hour, both quiet, are incomplete."""
    site = make_site(tmp_path, SITE + OWN + INPUT)
    of_collectd(site)
    make(site)
    found = measures(site)
    assert [row[3] for row in found["gold.duty_factor"]] == [46, 46]
    assert [row[4:6] for row in found["gold.duty_factor"]] == [row[4:6] for row in by_mrtg["gold.duty_factor"]]
    counted_gb = {row[:3]: row[3] for row in by_mrtg["gold.link_reconciliation"]}
    assert len(found["gold.link_reconciliation"]) == 92
    for row in found["gold.link_reconciliation"]:
        assert row[3] == pytest.approx(counted_gb[row[:3]], rel=0.001), row


def test_files_of_the_same_text_are_series_of_their_own(tmp_path: Path) -> None:
    """Two idle interfaces write the same lines."""
    site = make_site(tmp_path, SITE + INPUT)
    for name in ("eth0", "eth1"):
        put(site, f"dm8/interface-{name}/if_octets-2026-03-02", "epoch,rx,tx\n1772409600.004,5,5\n1772409610.004,5,5\n")
    put(site, "dm8/interface-eth0/if_errors-2026-03-02", "epoch,rx,tx\n1772409600.004,5,5\n1772409610.004,5,5\n")
    make(site)
    assert query(site, "SELECT interface FROM silver.network_sample ORDER BY ALL") == [("eth0",), ("eth1",)]
    notes = query(site, "SELECT note FROM ops.file WHERE note IS NOT NULL")
    assert notes == [("2 lines are of a series that is not read",)]
    assert steps.ingest(site).as_dict()["loaded"] == 0


def test_answers_as_they_come_are_what_all_at_once_are(tmp_path: Path) -> None:
    """The link's coverage too, which rules ask for before they judge: all of the day, under the link's name."""
    site = make_site(tmp_path, SITE + PORT + INPUT)
    for first, last in ((0, 9), (20, 26), (9, 20)):
        of_prometheus(site, first, last)
        make(site)
    put(site, "dm8-bond0.log", mrtg())  # a second witness of the same seconds
    make(site)
    rows = all_rows(site)
    make(site, full=True)
    assert all_rows(site) == rows
    assert query(
        site,
        "SELECT DISTINCT f.source FROM silver.link_sample s JOIN ops.file f USING (file_id) WHERE s.day = '2026-03-02'",
    ) == [("prometheus_range",)]
    begin, end = datetime(2026, 3, 2), datetime(2026, 3, 3)
    with Warehouse(site).read() as lake:
        found = ask_input(lake, "coverage_by_host", begin=begin, end=end).rows()
    assert ("prometheus_range", "links", "dm8-bond0", 86_400.0, 86_400.0) in found


def test_a_port_declared_later_needs_no_log_again(tmp_path: Path) -> None:
    site = make_site(tmp_path, SITE + INPUT)
    of_prometheus(site)
    make(site)
    assert query(site, "SELECT count(*) FROM silver.link_sample") == [(0,)]
    (site.root / "site.toml").write_text(SITE + 'port = { description = "port 1" }\n' + INPUT)
    site = steps.site_at(site.root)
    assert steps.ingest(site).as_dict()["loaded"] == 0
    steps.build(site)
    assert query(site, "SELECT n_bins FROM gold.duty_factor WHERE day = '2026-03-02'") == [(48,), (48,)]


@pytest.mark.parametrize(
    ("port", "why"),
    [
        ('{ host = "sw1" }', "give a port by 'host' and 'interface'"),
        ('{ interface = "1/1" }', "give a port by 'host' and 'interface'"),
        ('{ host = "sw1", interface = "1/1", description = "x" }', "give a port by 'host' and 'interface'"),
        ('[{ host = "sw1", interface = "1" }, { host = "sw1", interface = "1" }]', "declared twice"),
    ],
)
def test_a_port_is_named_one_way(tmp_path: Path, port: str, why: str) -> None:
    (tmp_path / "site.toml").write_text(f"{SITE}port = {port}\n")
    with pytest.raises(ConfigError, match=why):
        steps.site_at(tmp_path)
