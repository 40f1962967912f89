"""What `tapescope init` reads from a folder of logs about their zone, and what it warns of."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines.cli import cli
from pipelines.config.files import find_inputs
from pipelines.config.site import load_site
from pipelines.ingest.survey.zones import guess_zone

CASES = Path(__file__).parent / "sources"
STATISTICS = "#\n# timestamp=1773219300897\n# date=Wed Mar 11 09:55:00 CET 2026\n#\nw1 a:b@osm 7 1 3 0 3 0 7 0 0 7\n"


def init(folder: Path) -> tuple[str, str]:
    """What the command prints, and site.toml."""
    done = CliRunner().invoke(cli, ["init", str(folder)])
    assert done.exit_code == 0, done.output
    return done.stdout, (folder / "site.toml").read_text()


def test_epoch_and_local_time_of_statistics_of_dcache_give_the_zone(tmp_path: Path) -> None:
    """1773219300 is 08:55 UTC, and the clock shows 09:55 CET."""
    (tmp_path / "2026-03-11-09.raw").write_text(STATISTICS)
    printed, site = init(tmp_path)
    assert "zone Europe/Zurich" in printed and 'zone = "Europe/Zurich"' in site
    assert "1 local times have a known offset from UTC: UTC+1 h; time stamps name these zones: CET (1 lines)" in site


def test_the_offset_of_dates_in_billing_of_dcache_gives_the_zone(tmp_path: Path) -> None:
    text = (CASES / "dcache_billing" / "clean_objects.txt").read_text()
    (tmp_path / "billing-2026.03.11.json").write_text(text.replace("+01:00", "+09:00"))
    assert 'zone = "Asia/Tokyo"' in init(tmp_path)[1]


@pytest.mark.parametrize(
    ("words", "zone"),
    [(["CET", "CEST"], "Europe/Zurich"), (["JST"], "Asia/Tokyo"), (["CST"], ""), (["CET", "JST"], "")],
)
def test_words_alone_give_a_zone_where_they_leave_one_clock(words: list[str], zone: str) -> None:
    """CST is the time of Chicago, Shanghai and Taipei."""
    assert next(iter(guess_zone(Counter(), Counter(words)).zones), "") == zone


def test_a_drive_name_of_two_archives_is_reported(tmp_path: Path) -> None:
    text = (CASES / "cta_taped" / "clean_json.log").read_text()
    for folder, instance in (("a", "TESTCTA"), ("b", "OTHER")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cta-taped.log").write_text(text.replace("TESTCTA", instance))
    printed, site = init(tmp_path)
    assert "1 drive name occurs in several archives" in printed
    assert "# The archives OTHER and TESTCTA have a drive of this name." in site


BANNER = "Linux 5.14.0 ({host}) \t{day} \t_x86_64_\t(4 CPU)\n\n"
HEADS = "{at}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
SHARES = "{at}        all      1.00      0.00      2.00      3.00      0.00     94.00\n"


def sar_day(host: str, day: str, n_hours: int) -> str:
    """A log of sar from 00:00 to n_hours:00, every ten minutes."""
    clocks = [f"{minutes // 60:02}:{minutes % 60:02}:00" for minutes in range(0, 60 * n_hours + 1, 10)]
    return (
        BANNER.format(host=host, day=day)
        + HEADS.format(at=clocks[0])
        + "".join(SHARES.format(at=at) for at in clocks[1:])
    )


def test_a_period_is_expected_only_of_a_log_that_goes_on(tmp_path: Path) -> None:
    """Of dm8 the days 1, 2 and 4, each of 23 h: 69 h of the 95 h from the 1st 00:00 to the 4th 23:00 are most of them.

    Of dm9 two days that are four years apart: 46 h of 4 years and 23 h are no log that goes on.
    """
    for folder, host, days in (
        ("on", "dm8", ("2018-12-01", "2018-12-02", "2018-12-04")),
        ("apart", "dm9", ("2014-12-01", "2018-12-01")),
        ("two", "dm10", ("2014-12-01",)),
        ("two", "dm11", ("2018-12-01",)),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        for day in days:
            (tmp_path / folder / f"sar_of_{host}_{day}.txt").write_text(sar_day(host, day, 23))
    _, site = init(tmp_path)
    parts = {part.split('"')[1].split("/")[0]: part.splitlines() for part in site.split("[[input]]\nglob = ")[1:]}
    assert any(line.startswith("# expect = { from = 2018-12-01T00:00:00Z") for line in parts["on"])
    assert not any("No `expect`" in line for line in parts["on"])
    assert any(
        "No `expect` is proposed, because the logs cover only 46.00 h of the 35,087.00 h" in line
        for line in parts["apart"]
    )
    assert any(line.startswith("# expect = ") for line in parts["apart"])
    assert "the logs of 2 hosts or links cover different periods" in "".join(parts["two"])


VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 {zone}\n"
    + " 1  0      0 3078356   2068 407492    0    0    15     2   34   27  0  0 100  0  0 2012-02-29 08:00:01\n"
    * 2
)


def test_a_log_that_names_another_zone_gets_a_zone_of_its_own(tmp_path: Path) -> None:
    """The exports of Enstore show Chicago's clock: 03:00:20 is 09:00:20 UTC, in winter. EST is not Chicago's."""
    (tmp_path / "encp_xfer.csv").write_text((CASES / "enstore_accounting" / "clean_encp_xfer.csv").read_text())
    for name, zone in (("a", "EST"), ("b", "CST"), ("c", "")):
        (tmp_path / f"{name}.txt").write_text(VMSTAT.format(zone=zone))
    _, text = init(tmp_path)
    site = load_site(tmp_path)
    zones = {path.name: item.zone or site.zone for path, item, _ in find_inputs(site)}
    assert zones == {
        "encp_xfer.csv": site.zone, "a.txt": "America/New_York", "b.txt": site.zone, "c.txt": site.zone,
    }  # fmt: skip
    assert site.zone == "America/Chicago" and "EST (" not in text and "Some logs name another zone" in text


def test_exports_of_the_accounting_name_drives(tmp_path: Path) -> None:
    """Here the tables status, mover and tape_mounts. Movers of disks, whose volumes have colons, are no drives."""
    (tmp_path / "tables.csv").write_text((CASES / "enstore_accounting" / "clean_tables.csv").read_text())
    row = "2014-11-21 12:40:24,2014-11-21 12:41:13,M,exp,0,0\n"
    (tmp_path / "tape_mounts.csv").write_text(
        "node,volume,type,logname,start,finish,state,storage_group,reads,writes\n"
        f"mvr02.example.org,VOL001,ULTRIUM-TD3,LTO3_02MV,{row}mvr03.example.org,a:b:c,DiskMover,DISK_03MV,{row}"
    )
    printed, _ = init(tmp_path)
    found = {drive.name: (drive.logname, drive.mover_host, drive.generation) for drive in load_site(tmp_path).drive}
    assert found == {
        "LTO4_01": ("LTO4_01MV", "mvr01", "LTO-4"),
        "LTO4_14": ("LTO4_14MV", "mvr114", ""),
        "LTO3_02": ("LTO3_02MV", "mvr02", "LTO-3"),
    }
    assert "3 drives" in printed


def test_links_without_a_station_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "core.log").write_text(
        "1268222400 1 1\n" + "".join(f"{1268222400 - 300 * n} 20 10 30 20\n" for n in range(9))
    )
    printed, _ = init(tmp_path)
    assert "0 links (1 more as a comment: name the station)" in printed
