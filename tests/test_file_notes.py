"""Notes for a person about a file that was read: zone words against its zone, and averages since boot."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipelines import sources, steps
from pipelines.cli import cli
from pipelines.ingest.limits import limits_of
from pipelines.ingest.survey import survey
from pipelines.ingest.survey.render import written
from pipelines.warehouse.connection import Warehouse

pytestmark = pytest.mark.usefixtures("plain_store")

HERE = Path(__file__).parent
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 803444  49984 124916    0    0    87    16 1006   57 47 23 28  1  1 2011-04-12 20:49:26 JST
 1  2      0 803444  49984 124940    0    0     0 104960  992   59 75 25  0  0  0 2011-04-12 20:49:27 JST
 1  2      0 803444  49984 124940    0    0     0  90960  992   59 75 25  0  0  0 2011-04-12 20:49:28 JST
"""
AVERAGES = "1 line is averages since boot"
SET_ZONE = (
    'to change this, set zone = "Asia/Tokyo" in the [[input]] with glob = "host1.txt",'
    " or in one above it for this file alone"
)


def read(tmp_path: Path, zone: str) -> tuple[Any, str]:
    (tmp_path / "host1.txt").write_text(VMSTAT)
    (tmp_path / "site.toml").write_text(f'name = "z"\n{zone}[[input]]\nglob = "host1.txt"\nhost = "host1"\n')
    site = steps.site_at(tmp_path)
    report = steps.ingest(site)
    (file,) = steps.ask(site, "files", {}).as_dicts()
    return report, file["note"]


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ("", f"the time stamps name the zone JST, but the rows are read as times in UTC ({SET_ZONE})"),
        (
            'zone = "Europe/Berlin"\n',
            f"the time stamps name the zone JST, but the rows are read as times in Europe/Berlin ({SET_ZONE})",
        ),
        ('zone = "Asia/Tokyo"\n', ""),
        ('zone = "America/Sao_Paulo"\n', ""),  # has no words to compare
    ],
)
def test_zone_words_that_the_zone_has_not_stand_in_the_note(tmp_path: Path, zone: str, reason: str) -> None:
    report, note = read(tmp_path, zone)
    assert note == "; ".join([reason] * bool(reason) + [AVERAGES])
    assert [one["reason"] for one in report.as_dict()["warnings"]] == [reason] * bool(reason)


def test_tables_for_people_have_no_hashes(tmp_path: Path) -> None:
    read(tmp_path, "")
    table = CliRunner().invoke(cli, ["ask", "files", "--site", str(tmp_path)])
    assert "sha256" not in table.stdout and "--all-columns adds file_id, sha256" in table.stderr
    every = CliRunner().invoke(cli, ["ask", "files", "--all-columns", "--site", str(tmp_path)])
    assert "sha256" in every.stdout and "--all-columns" not in every.stderr
    assert "sha256" in CliRunner().invoke(cli, ["ask", "files", "--format", "csv", "--site", str(tmp_path)]).stdout


def test_an_empty_answer_names_the_data_it_needs(tmp_path: Path) -> None:
    read(tmp_path, "")
    steps.build(steps.site_at(tmp_path))
    answer = steps.ask(steps.site_at(tmp_path), "session_rates", {})
    assert not answer.rows and answer.notices[-1].startswith("Only mounts in which files moved are shown.")


def test_parse_reports_the_note(tmp_path: Path) -> None:
    (tmp_path / "host1.txt").write_text(VMSTAT)
    counts = steps.parse(None, tmp_path / "host1.txt", None, False, lambda row: None)
    assert counts["note"].startswith("the time stamps name the zone JST")
    assert (counts["records"], counts["skipped"]) == (2, 1)


def test_a_single_report_since_boot_says_why_it_gives_no_record(tmp_path: Path) -> None:
    text = (HERE / "sources" / "iostat" / "first_tables_of_sysstat_3.txt").read_text()
    (tmp_path / "one.txt").write_text("".join(text.splitlines(keepends=True)[:5]).replace("11/03/01", "11/23/01"))
    counts = steps.parse(None, tmp_path / "one.txt", None, False, lambda row: None)
    assert (counts["records"], counts["note"]) == (0, AVERAGES)


def test_a_single_snapshot_of_disks_says_why_it_gives_no_record(tmp_path: Path) -> None:
    lines = (HERE / "sources" / "vmstat" / "disks_stamped.txt").read_text().splitlines(keepends=True)
    (tmp_path / "one.txt").write_text("".join(lines[:3]))
    counts = steps.parse(None, tmp_path / "one.txt", None, False, lambda row: None)
    assert (counts["records"], counts["note"]) == (
        0,
        "1 line is counters since boot that only mark the start of an interval",
    )


def test_init_quotes_zone_words_as_evidence(tmp_path: Path) -> None:
    (tmp_path / "host1.txt").write_text(VMSTAT)
    assert "time stamps name these zones: JST (3 lines)" in written(survey(tmp_path), tmp_path)


BILLING = """\
10.03 12:13:35 [pool:w1@w1Domain:transfer] [000037A050A2295643708A5C299CE57A5B38,52771] [/p] a:b@osm 16598 82292 false\
 {Xrootd-2.7,n1.example.org:35011} [door:x@d:12987] {0:""}
"""


@pytest.mark.parametrize("name", ["billing-2011.10.03", "billing-2011-10-03", "billing-20111003"])
def test_a_date_in_a_name_may_have_points(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BILLING)
    (tmp_path / "site.toml").write_text('name = "z"\n[[input]]\nglob = "billing-{date}"\nsystem = "dc"\n')
    site = steps.site_at(tmp_path)
    assert [(file.state, file.counts.n_records, file.warning) for file in steps.ingest(site).files] == [
        ("loaded", 1, "")
    ]
    assert 'glob = "billing-{date}*"' in written(survey(tmp_path), tmp_path)


def test_billing_without_a_year_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "billing.txt").write_text(BILLING)
    (tmp_path / "site.toml").write_text('name = "z"\n[[input]]\nglob = "billing.txt"\n')
    (file,) = steps.ingest(steps.site_at(tmp_path)).files
    assert (file.state, file.counts.n_records) == ("loaded", 0)
    assert file.warning.startswith("1 line is without a year")
    assert "the records have no year" in written(survey(tmp_path), tmp_path)


def test_a_number_that_cannot_be_true_is_left_out_and_its_line_counted(tmp_path: Path) -> None:
    text = (HERE / "sources" / "cta_taped" / "clean_journal.log").read_text()
    (tmp_path / "taped.log").write_text(text.replace(r"\"checksumingTime\":1.25,", rf"\"checksumingTime\":{2**63},"))
    (tmp_path / "site.toml").write_text('name = "z"\n[[input]]\nglob = "taped.log"\n')
    site = steps.site_at(tmp_path)
    (file,) = steps.ingest(site).files
    assert (file.state, file.warning) == ("loaded", "1 line is used, except for impossible numbers")
    steps.build(site)
    with Warehouse(site).read() as connection:
        found = connection.execute("SELECT checksum_s, bytes FROM silver.transfer ORDER BY started_at").fetchall()
    assert found[:2] == [(None, 3_000_000_480), (1.0, 2_500_000_480)]  # with labels


def test_sizes_that_no_file_has_do_not_end_the_build(tmp_path: Path) -> None:
    # no file has 2^50 bytes, and a sum of eight times 2^60 would not fit into a BIGINT
    text = (HERE / "sources" / "cta_taped" / "clean_journal.log").read_text()
    line = next(line for line in text.splitlines() if "File successfully" in line)
    line = re.sub(r'(dataVolume\\":)\d+', rf"\g<1>{2**60}", line)
    lines = [re.sub(r'(fSeq\\":)\d+', rf"\g<1>{n}", line) for n in range(101, 111)]
    (tmp_path / "taped.log").write_text(text + "\n".join(lines) + "\n")
    (tmp_path / "site.toml").write_text('name = "z"\n[[input]]\nglob = "taped.log"\n')
    site = steps.site_at(tmp_path)
    (file,) = steps.ingest(site).files
    steps.build(site)
    assert (file.state, file.warning) == ("loaded", "10 lines are used, except for impossible numbers")
    assert limits_of("cta_file")["bytes"] == (0.0, 2.0**50) and limits_of("cta_queue")["bytes"] == (0.0, 2.0**60)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "     memory           page          executable      anonymous      filesystem\n"
            "   swap  free  re  mf  fr  de  sr  epi  epo  epf  api  apo  apf  fpi  fpo  fpf\n"
            " 3706296 3621572 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
            "the most similar source is vmstat: this is vmstat -p of Solaris",
        ),
        (
            "               capacity     operations    bandwidth\n"
            "pool        alloc   free   read  write   read  write\n"
            "tank        1.20T  2.40T     10     20  1.00M  2.00M\n",
            "the most similar source is iostat: this is zpool iostat",
        ),
        (
            "Linux 3.10.0 (dm8) \t11/21/2026 \t_x86_64_\t(8 CPU)\n\n"
            "#      Time   UID       PID    %usr %system  %guest    %CPU   CPU  Command\n"
            " 1385718054     0         1    0.00    0.01    0.00    0.01     3  init\n",
            "the most similar source is sar: this is pidstat",
        ),
    ],
)
def test_what_is_not_read_is_named(text: str, message: str) -> None:
    stem, claims = sources.choose(text.split("\n"))
    assert stem is None
    assert sources.nearest(claims).startswith(message)


def test_one_damaged_date_covers_no_decades(tmp_path: Path) -> None:
    text = (HERE / "sources" / "cta_taped" / "clean_json.log").read_text()
    lines = text.splitlines(keepends=True)
    stamp = re.search(r'"epoch_time":(\d+)', lines[4])
    assert stamp
    later = int(stamp[1]) + 53 * 365 * 86400
    day = datetime.fromtimestamp(later, UTC).date().isoformat()
    lines[4] = re.sub(r'("local_time":")[-0-9]+', rf"\g<1>{day}", lines[4].replace(stamp[1], str(later)))
    (tmp_path / "taped.log").write_text("".join(lines))
    (tmp_path / "site.toml").write_text('name = "z"\n[[input]]\nglob = "taped.log"\n')
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    with Warehouse(site).read() as connection:
        found = connection.execute(
            "SELECT year(from_at), max(to_at - from_at) < INTERVAL 1 DAY FROM bronze.log_coverage GROUP BY 1 ORDER BY 1"
        ).fetchall()
    assert found == [(2026, True), (2079, True)]
