"""`tapescope init`: a site.toml from a folder of logs, with its evidence, that loads and serves."""

import re
import shutil
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.cli import cli
from pipelines.config.files import find_inputs
from pipelines.config.inputs import Input
from pipelines.config.site import load_site
from pipelines.ingest.survey.hosts import HostsFound
from pipelines.ingest.survey.patterns import generalise
from pipelines.ingest.survey.zones import guess_zone
from pipelines.primitives.errors import TapescopeError

pytestmark = pytest.mark.usefixtures("plain_store")

SOURCES = Path(__file__).parent / "sources"
STAMPS = ("-----timestamp-----", "                CST", "2010-03-10 08:00:01")
SAMPLE = Path(__file__).parent.parent / "sample_data"
EPOCH = date(1970, 1, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample archive's logs without its site.toml, a file of no known kind, and a name that needs TOML quotes."""
    made = tmp_path_factory.mktemp("archive")
    shutil.copytree(SAMPLE / "logs", made / "logs")
    (made / "notes.txt").write_text("call the vendor\n")
    hostile_name = '"]\nname = "owned".txt'
    (made / hostile_name).write_text("\x1b[31mnothing\x1b[0m\n")
    done = CliRunner().invoke(cli, ["init", str(made)])
    assert done.exit_code == 0, done.output
    assert "2 files are of an unknown kind" in done.output
    return made


def test_what_was_declared_by_hand_is_found_again(folder: Path) -> None:
    found, declared = load_site(folder), load_site(SAMPLE)
    assert found.zone == declared.zone == "America/Chicago"
    assert {drive.name: drive.logname for drive in found.drive} == {d.name: d.logname for d in declared.drive}
    assert {drive.name: drive.generation for drive in found.drive} == {d.name: d.generation for d in declared.drive}
    stations = {station.name for station in found.station}
    assert {"stkendm8a", "pic-stager", "stkendm12a"} <= stations <= {station.name for station in declared.station}
    links = {link.name: link.station for link in found.link}
    assert links["dm8-bond0"] == "stkendm8a" and links["dm12-bond0"] == "stkendm12a"


def test_every_readable_file_is_an_input(folder: Path) -> None:
    counts = steps.ingest(steps.site_at(folder)).as_dict()
    logs = [path for path in (folder / "logs").rglob("*") if path.is_file()]
    assert counts["loaded"] == counts["files"] == len(logs)
    assert not counts["problems"]


def test_files_nobody_knows_are_named_with_their_reason_and_cannot_write_toml(folder: Path) -> None:
    text = (folder / "site.toml").read_text()
    assert "#   notes.txt: the first lines resemble no known kind of log" in text
    assert "\x1b" not in text
    assert load_site(folder).name == folder.name


def test_a_file_that_is_there_is_kept(folder: Path) -> None:
    before = (folder / "site.toml").read_text()
    with pytest.raises(TapescopeError, match="exists already"):
        steps.init(folder, folder / "site.toml", force=False)
    assert (folder / "site.toml").read_text() == before


@pytest.mark.parametrize(
    ("path", "source", "hosts", "glob"),
    [
        ("a/LOG-2010-03-10", "enstore_log", [], "a/LOG-{date}*"),
        ("dm8_20100310.txt.gz", "vmstat", [], "{host}_{date}.txt*"),
        ("x/iostat.dm8.3", "iostat", ["dm8.example.org"], "x/iostat.{host}.*"),
        ("x/gw.example.org_2.log", "mrtg_log", [], "x/{link}.log*"),
        ("x/eth0.json", "rrdtool", [], "x/{link}.json*"),
        ("vmstat_full.txt", "vmstat", [], "vmstat_full.txt*"),
        ("vmstat_procps-ng-4_a.txt", "vmstat", [], "vmstat_procps-ng-4_a.txt*"),
        ("iostat_dm8_20100310", "iostat", [], "iostat_{host}_{date}*"),
    ],
)
def test_names_become_patterns_that_match_them(path: str, source: str, hosts: list[str], glob: str) -> None:
    assert generalise(path, source, hosts) == glob
    assert Input(glob=glob).match(path) is not None


def test_summer_and_winter_together_leave_one_zone() -> None:
    summer, winter = (date(2010, 6, 15) - EPOCH).days, (date(2011, 3, 8) - EPOCH).days
    both = guess_zone(Counter({(summer, -5 * 3600): 40, (winter, -6 * 3600): 60}), Counter())
    assert both.zones == ["America/Chicago"]
    # by summer alone, central Europe's zones are alike: all are named
    assert {"Europe/Zurich", "Europe/Madrid"} <= set(guess_zone(Counter({(summer, 7200): 9}), Counter()).zones)
    # a request that waited over night does not outvote the others
    assert guess_zone(Counter({(winter, -6 * 3600): 95, (winter, 0): 5}), Counter()).zones == ["America/Chicago"]
    assert not guess_zone(Counter(), Counter()).zones


def test_a_rare_name_like_a_frequent_one_is_asked_about() -> None:
    hosts = HostsFound(clients=Counter({"stkendm8a": 90, "stkendm9a": 40, "stkensm8a": 2}))
    assert hosts.misspelt == {"stkensm8a": "stkendm8a"}


def test_a_host_named_in_the_text_goes_before_words_of_the_file_name(tmp_path: Path) -> None:
    banner = "Linux 5.14.0 (dm8.example.org) \t03/10/2010 \t_x86_64_\t(4 CPU)\n\n"
    rows = "08:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n" + "".join(
        f"08:{minute}:01 AM     all      1.00      0.00      2.00      3.00      0.00     94.00\n"
        for minute in ("10", "20", "30")
    )
    (tmp_path / "week_sar.txt").write_text(banner + rows)
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    site = load_site(tmp_path)
    assert [station.name for station in site.station] == ["dm8"]
    assert [item.glob for item in site.input] == ["week_sar.txt*"]


VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    " 1  0      0 3078356   2068 407492    0    0    15     2   34   27  0  0 100  0  0\n"
)


def guessed(folder: Path) -> str:
    steps.init(folder, folder / "site.toml", force=True)
    load_site(folder)
    return (folder / "site.toml").read_text()


def test_files_without_a_clock_get_a_stub_that_reads_them(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(VMSTAT)
    text = guessed(tmp_path)
    assert "2 of 2 files cannot be read yet: the rows have no date" in text and "# and also: two.txt" in text
    stub = text[text.index("# [[input]]") : text.index("# and also:")]
    assert [line.split("=")[0].strip() for line in stub.splitlines()[1:]] == ["# glob", "# start_at", "# interval_s"]
    (tmp_path / "site.toml").write_text(text.replace(stub, re.sub("^# ", "", stub, flags=re.M)))
    files = {file.path: file.state for file in steps.ingest(steps.site_at(tmp_path)).files}
    assert files == {"one.txt": "loaded", "two.txt": "failed"}


def test_dates_that_may_be_read_two_ways_are_asked_about(tmp_path: Path) -> None:
    banner = "Linux 5.14.0 (dm8.example.org) \t03/10/10 \t_x86_64_\t(4 CPU)\n\n"
    rows = "08:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    (tmp_path / "sar.txt").write_text(
        banner + rows + rows[:8].replace("00", "10", 1) + "  all 1.00 0.00 2.00 3.00 0.00 94.00\n"
    )
    assert '# date_order = "dmy"' in guessed(tmp_path)


def test_a_name_of_a_file_the_source_can_date_is_no_stub(tmp_path: Path) -> None:
    log = sorted((SOURCES / "dcache_billing").glob("clean*"))[0]
    (tmp_path / "billing-2026.03.11").write_bytes(log.read_bytes())
    assert "refused" not in guessed(tmp_path)


def test_words_of_file_names_are_stations_only_where_a_regular_pattern_of_several_says_so(tmp_path: Path) -> None:
    stamped = "".join(f"{line} {end}\n" for line, end in zip(VMSTAT.splitlines(), STAMPS, strict=True))
    irregular = ("jc_centos-7.7.txt", "percona_Linux_001.txt", "percona_Linux_002.txt", "alone_2010-03-10.txt")
    regular = ("vmstat_dm8_2010-03-10.log", "vmstat_dm8_2010-03-11.log")
    for name in (*irregular, *regular):
        (tmp_path / name).write_text(stamped)
    text = guessed(tmp_path)
    assert [station.name for station in load_site(tmp_path).station] == ["dm8"]
    assert (
        "no log line names this host; 2 file names contain its name, first vmstat_dm8_2010-03-10.log,"
        " from the pattern" in text
    )


def test_the_role_of_a_station_is_left_to_who_knows_it(tmp_path: Path) -> None:
    shutil.copy(sorted((SOURCES / "enstore_log").glob("clean*.log"))[0], tmp_path / "LOG-2010-06-15")
    text = guessed(tmp_path)
    assert load_site(tmp_path).station and "\nrole" not in text
    assert "files from tape and wrote" in text


def test_files_of_a_folder_and_source_become_one_input_that_takes_no_other(tmp_path: Path) -> None:
    for n in range(12):
        (tmp_path / f"procps-{n}.{n}_w{n}.txt").write_text(VMSTAT)
    (tmp_path / "README.md").write_text("what is here\n")
    (tmp_path / "eth0.log").write_text("1268222400 0 0 0 0\n1268222400 1 2 3 4\n1268222100 1 2 3 4\n")
    guessed(tmp_path)
    assert [item.glob for item in load_site(tmp_path).input] == ["procps-*", "{link}.log*"]


def test_every_file_meets_the_input_that_was_written_for_it(tmp_path: Path) -> None:
    """A wider pattern would take the files of a narrower one, and with them the names of their links."""
    log = "1268222400 0 0 0 0\n1268222400 1 2 3 4\n1268222100 1 2 3 4\n"
    names = ("eth0.log", "eth0.log.old.log", "plain", "eth1.rrd.log", "eth1.rrd.7")
    for name in names:
        (tmp_path / name).write_text(log)
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    site = load_site(tmp_path)
    report = steps.ingest(steps.site_at(tmp_path))
    assert not report.unmatched and {file.path for file in report.files} == set(names)
    links = {path.name: values["link"] for path, _, values in find_inputs(site)}
    assert links["eth0.log"] == "eth0" and links["plain"] == "plain"
    assert all(len(link) > 1 for link in links.values()), links


def test_a_plain_pattern_takes_no_file_of_one_with_dates(tmp_path: Path) -> None:
    """`actlog-2010-03.txt` alone would become `actlog-*-*.txt*`, which comes first and fits the other as well."""
    text = (SOURCES / "tsm_actlog" / "clean.txt").read_bytes()
    for name in ("actlog-2010-03.txt", "actlog-mounts-2010-03-10.txt"):
        (tmp_path / name).write_bytes(text)
    guessed(tmp_path)
    assert [item.glob for item in load_site(tmp_path).input] == ["actlog-2010-03.txt", "actlog-mounts-{date}.txt*"]


def test_cta_logs_name_drives_by_their_media_and_the_instance(tmp_path: Path) -> None:
    """3592JE is written by TS1160 and later; the line of the session names instance and library."""
    line = (
        '{"epoch_time":1268222400.5,"local_time":"2010-03-10T13:00:00+0100","hostname":"tpsrv1","program":"cta-taped",'
        '"log_level":"INFO","pid":1,"tid":1,"message":"Tape session finished","instance":"CTAX","tapeDrive":"D1",'
        '"tapeVid":"V1","mountId":"7","mountType":"Retrieve","mediaType":"3592JE20T","logicalLibrary":"LIB1",'
        '"totalTime":"10.0","dataVolume":"5","filesCount":"1","status":"success"}'
    )
    (tmp_path / "cta-taped.log").write_text(line + "\n")
    text = guessed(tmp_path)
    assert [(drive.name, drive.generation) for drive in load_site(tmp_path).drive] == [("D1", "TS1160")]
    assert "mounted 3592JE20T" in text and "# archive systems found in the lines that were read: CTAX" in text


def mrtg_text(last: int) -> str:
    """Rows of five minutes; traffic in the newest two hours, zeros before it, as a fresh log is filled with."""
    rows = [f"{last - 300 * n} " + ("20 10 30 20" if n < 24 else "0 0 0 0") for n in range(48)]
    return "\n".join([f"{last} 1 1", *rows]) + "\n"


def test_the_period_of_several_hosts_is_what_the_logs_of_all_cover(tmp_path: Path) -> None:
    """dm8 has rows from 08:00 to 08:03, dm9 from 08:00 to 08:02."""
    *head, sample = VMSTAT.splitlines()
    head = [f"{line} {end}" for line, end in zip(head, STAMPS, strict=False)]
    for host, n in (("dm8", 4), ("dm9", 3)):
        rows = [f"{sample} 2010-03-10 08:0{minute}:00" for minute in range(n)]
        (tmp_path / f"vmstat_{host}.log").write_text("\n".join((*head, *rows, "")))
    above, line = [line for line in guessed(tmp_path).splitlines() if "Z" in line and line.startswith("# ")]
    # no evidence shows the zone: the period would be that of another one
    assert above.startswith("# This period is valid only if the zone is UTC.") and line.startswith("# expect = ")
    assert "to = 2010-03-10T08:02:00Z" in line and line.endswith("# period that each of these logs covers")


def test_the_period_of_local_and_of_utc_stamps_of_one_source(tmp_path: Path) -> None:
    """Both cover 2026-03-02 from 07:00 to 08:00 UTC, and the site's zone is that of the rows of vmstat."""
    names = "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n"
    row = "dm8;3600;2026-03-02 {} UTC;sda;1.00;0.00;4.00;0.00;4.00;0.00;1.00;0.10\n"
    (tmp_path / "a_sadf.csv").write_text(names + row.format("08:00:00"))
    head = "Linux 5.14.0 (dm9) \t2026-03-02 \t_x86_64_\t(4 CPU)\n\n08:00:00 DEV tps rd_sec/s wr_sec/s\n"
    (tmp_path / "b_sar.txt").write_text(head + "09:00:00 sda 1.00 2.00 3.00\n")
    *titles, sample = VMSTAT.splitlines()
    titles = [f"{line} {end}" for line, end in zip(titles, ("----timestamp----", "CET"), strict=True)]
    rows = [f"{sample} 2026-03-02 08:0{minute}:00" for minute in range(3)]
    (tmp_path / "c_vmstat.txt").write_text("\n".join((*titles, *rows, "")))
    declared = [line for line in guessed(tmp_path).splitlines() if line.startswith("expect = ")]
    assert any("from = 2026-03-02T07:00:00Z, to = 2026-03-02T08:00:00Z" in line for line in declared)
    assert any("from = 2026-03-02T08:00:00+01:00, to = 2026-03-02T09:00:00+01:00" in line for line in declared)


def test_impossible_dates_declare_no_period(tmp_path: Path) -> None:
    """A clock that was not set, then rows at 08:00 and 08:01, then a clock that runs years ahead of the file."""
    *head, sample = VMSTAT.splitlines()
    head = [f"{line} {end}" for line, end in zip(head, STAMPS, strict=False)]
    stamps = ("1980-01-02 00:01", "1980-01-02 00:02", "2010-03-10 08:00", "2010-03-10 08:01", "2099-05-05 00:00")
    rows = [f"{sample} {stamp}:00" for stamp in stamps]
    (tmp_path / "vmstat_dm8.log").write_text("\n".join((*head, *rows, "")))
    (line,) = [line for line in guessed(tmp_path).splitlines() if line.startswith("# expect = ")]
    assert "from = 2010-03-10T08:00:00Z, to = 2010-03-10T08:01:00Z" in line


def test_readings_that_are_far_apart_declare_no_period(tmp_path: Path) -> None:
    """Half an hour is more than log_silence_s (600 s): all of the period would count as silence."""
    page = "IBM  ULTRIUM-HH9  Q3F5\n\nRead error counter page  [0x3]\n  Total errors corrected = 1\n\n"
    for name, minutes in (("tps1", (0, 30)), ("tps2", (0, 5))):
        readings = [f"# 2026-03-10T08:{minute:02}:00Z /dev/nst0\n{page}" for minute in minutes]
        (tmp_path / name).mkdir()
        (tmp_path / name / "drive.sg_logs").write_text("".join(readings))
        found = guessed(tmp_path / name)
        assert ("expect = { from" in found) == (name == "tps2")


def test_a_link_that_was_rotated_is_one_and_its_configuration_says_what_it_carries(tmp_path: Path) -> None:
    """125,000,000 bytes/s by MaxBytes are 125 MB/s: `bits` is how MRTG draws. Two hours from 10:00 UTC are expected."""
    (tmp_path / "dm8-bond0.log").write_text(mrtg_text(1268222400))  # 2010-03-10 12:00 UTC
    (tmp_path / "dm8-bond0.log.0").write_text(mrtg_text(1268222100))
    (tmp_path / "mrtg.cfg").write_text(
        "WorkDir: /var/www/mrtg\nOptions[_]: growright, bits\nTarget[dm8-bond0]: 14:public@switch1.example.net:::::2\n"
        "MaxBytes[dm8-bond0]: 125000000\nTitle[dm8-bond0]: port 14\n"
    )
    stamped = "".join(f"{line} {end}\n" for line, end in zip(VMSTAT.splitlines(), STAMPS, strict=True))
    for day in ("10", "11"):
        (tmp_path / f"vmstat_dm8_2010-03-{day}.log").write_text(stamped)
    text = guessed(tmp_path)
    (link,) = load_site(tmp_path).link
    assert (link.name, link.station, link.capacity_mb_s, link.polled) == ("dm8-bond0", "dm8", 125.0, "switch")
    assert (
        "capacity (MaxBytes) 125000000 bytes/s in mrtg.cfg, line 3" in text
        and "MRTG polled switch1.example.net" in text
    )
    assert "public" not in text
    expected = {item.glob: item.expect for item in load_site(tmp_path).input}
    begin, end = datetime(2010, 3, 10, 10, tzinfo=UTC), datetime(2010, 3, 10, 12, tzinfo=UTC)
    found = expected["{link}.log*"]
    assert found is not None and (found.begin.replace(tzinfo=UTC), found.end.replace(tzinfo=UTC)) == (begin, end)
    roles = {station.name: station.role for station in load_site(tmp_path).station}
    assert roles == {"dm8": "unknown"}, "no rule on migration stations judges it"


def test_copies_of_a_log_are_counted_once(tmp_path: Path) -> None:
    log = sorted((SOURCES / "enstore_log").glob("clean*.log"))[0].read_text()
    (tmp_path / "LOG-2010-06-15").write_text(log)
    counts = r"\d+ (?:of the rows|log lines)"
    alone = re.findall(counts, guessed(tmp_path))
    (tmp_path / "LOG-2010-06-15.copy").write_text(log)
    (tmp_path / "MOUNTS-2010-06-15").write_text("".join(log.splitlines(keepends=True)[::2]))
    assert alone and re.findall(counts, guessed(tmp_path)) == alone


def test_a_site_that_lies_elsewhere_finds_its_logs(tmp_path: Path) -> None:
    """Patterns are read from the folder of site.toml, not from that of the logs."""
    logs = tmp_path / "some" / "logs"
    shutil.copytree(Path(__file__).resolve().parent.parent / "sample_data" / "captured", logs)
    for place in (tmp_path, logs, tmp_path / "other"):
        place.mkdir(exist_ok=True)
        steps.init(logs, place / "site.toml", force=True)
        assert {path.name for path, _, _ in find_inputs(steps.site_at(place))} >= {"vmstat.txt", "iostat.txt"}, place


def test_ports_that_a_switch_describes_are_links(tmp_path: Path) -> None:
    """Two members of one description are one link; a station's is found by the words of it."""
    lines = []
    for port, text in (("1/1", "dm8 bond0"), ("1/2", "dm8 bond0"), ("1/3", "")):
        for at in (1436781600, 1436781660):
            tags = (
                f"agent_host=sw1,host=dm8{f',ifAlias={text}'.replace(' ', chr(92) + ' ') if text else ''},ifName={port}"
            )
            lines.append(f"interface,{tags} ifHCInOctets={at}u,ifHCOutOctets=0u {at}")
    lines += [f"system,host=dm8 load1=1 {at}" for at in (1436781600, 1436781660)]
    (tmp_path / "telegraf.lp").write_text("\n".join(lines) + "\n")
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    text = (tmp_path / "site.toml").read_text()
    assert "named in the description of switch port sw1 1/1, sw1 1/2" in text
    site = steps.site_at(tmp_path)
    assert [(one.name, one.station) for one in site.link] == [("dm8 bond0", "dm8")]
    assert [(one.host, one.interface) for one in site.link[0].port] == [("sw1", "1/1"), ("sw1", "1/2")]


@pytest.mark.parametrize("name", ["d_{x}_2010-03-10.txt", "dm8[1]_2010-03-10.txt", "a\nb_2010-03-10.txt", "sp ace.txt"])
def test_files_with_unusual_names_are_inputs_that_are_found(tmp_path: Path, name: str) -> None:
    text = (SOURCES / "vmstat" / "disks_stamped.txt").read_text()
    (tmp_path / name).write_text(text)
    done = CliRunner().invoke(cli, ["init", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert [path.name for path, _, _ in find_inputs(load_site(tmp_path / "site.toml"))] == [name]


def test_a_pattern_of_all_files_leaves_out_what_tapescope_made(tmp_path: Path) -> None:
    """The nightly reports too; logs that a site keeps below var are not its own."""
    made = ("site.toml", "var/warehouse/a.parquet", "var/reports/report-2026-06-15.txt")
    for name in (*made, "logs/dm8_vmstat.txt", "var/log/dm8_iostat.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n")
    (tmp_path / "site.toml").write_text('name = "archive"\nzone = "UTC"\n[[input]]\nglob = "**/*"\n')
    found = {path.relative_to(tmp_path).as_posix() for path, _, _ in find_inputs(load_site(tmp_path / "site.toml"))}
    assert found == {"logs/dm8_vmstat.txt", "var/log/dm8_iostat.txt"}
