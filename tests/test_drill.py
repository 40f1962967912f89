"""`tapescope drill`: a bucket of drive time down to the lines of the log, which are those of the file itself."""

import gzip
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines import steps
from pipelines.answers import excerpts
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import QuestionRefused
from pipelines.primitives.text import truncate
from pipelines.warehouse.connection import Warehouse
from support import archive

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = date(2010, 3, 9)
NAME = f"enstore/LOG-{DAY}"
HOSTILE = "\x1b[31mred\u202e<b>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A morning of two drives; one line of the mover wants to steer the terminal, and does not end."""
    site = archive.make_site(tmp_path_factory.mktemp("drill"))
    text = archive.morning(DAY).days()[DAY]
    complete = "transfer complete volume=VOL002 location=1 Thread tape_thread"
    assert complete in text
    text = text.replace(complete, f"{complete}{HOSTILE}{'x' * 2000}")
    archive.put(site, NAME, text)
    archive.make(site)
    yield site


def text_of(site: Site) -> list[str]:
    return (site.root / "logs" / NAME).read_text().split("\n")


def run(site: Site, *args: str) -> Result:
    return CliRunner().invoke(cli, ["drill", *args, "--site", str(site.root)])


def buckets(site: Site) -> list[tuple[str, str, float]]:
    sql = f"SELECT drive, bucket, duration_us / 1e6 FROM gold.drive_ledger WHERE day = DATE '{DAY}' ORDER BY ALL"
    return [(drive, bucket, float(seconds)) for drive, bucket, seconds in archive.query(site, sql)]


def test_every_bucket_adds_up_to_the_ledger_and_its_lines_hold_the_text(site: Site) -> None:
    """D4: the intervals of a bucket are all of it, and each line shown is at that place of that file."""
    lines, rows = text_of(site), buckets(site)
    assert len(rows) >= 20
    n_lines = 0
    for drive, bucket, duration_s in [row for row in rows if row[0] == "DRV_1"]:
        found = steps.drill(site, drive, bucket, DAY, 1000)
        assert sum(row["interval_s"] for row in found.intervals) == pytest.approx(duration_s, abs=1e-3), (drive, bucket)
        assert found.intervals[0]["all_s"] == pytest.approx(found.intervals[0]["ledger_s"], abs=1e-3)
        for (path, number), text in found.texts.items():
            assert path == f"logs/{NAME}" and text == truncate(lines[number - 1], excerpts.LINE_CHARS)
            n_lines += 1
        if bucket not in ("unknown", "idle"):
            assert all(f"{drive}MV" in text for text in found.texts.values())
    assert n_lines > 50


def test_gaps_lead_to_the_files_on_both_sides(site: Site) -> None:
    """VOL002 was written with pauses of 11 s between two files: they are listed first, with the lines at both ends."""
    found = steps.drill(site, "DRV_1", "between_files", DAY, 3)
    first = found.intervals[0]
    assert (first["volume"], first["bucket"], first["interval_s"]) == ("VOL002", "request", 11.0)
    assert "transfer complete" in found.texts[first["path"], first["line_no"]]
    assert first["station"] == "node7" and first["session_n"] > 1
    assert first["n_intervals"] > 3 == len(found.intervals)


def test_what_is_printed_is_bounded_and_never_acts(site: Site) -> None:
    result = run(site, "DRV_1", "--day", str(DAY), "--limit", "2")
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout and "\u202e" not in result.stdout and "\\x1b[31mred\\u202e<b>" in result.stdout
    assert max(map(len, result.stdout.split("\n"))) < excerpts.LINE_CHARS + 100
    assert "mount DRV_1 VOL002" in result.stdout and f"logs/{NAME}:" in result.stdout
    assert "in “between files”, the 2 longest of" in result.stdout
    nobody = run(site, "DRV_1", "--bucket", "unknown", "--day", str(DAY))
    assert "no log covers this time" in nobody.stdout


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        (["DRV_9"], "has no drive 'DRV_9'", "DRV_1"),
        (["DRV_1", "--bucket", "naps"], "has no bucket 'naps'", "between_files, checksums, waiting, moving_data"),
        (["DRV_1", "--day", "2011-01-01"], "no log of a drive covers 2011-01-01", "days with logs of drives: 20"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(site: Site, args: list[str], message: str, hint: str) -> None:
    given = args if "--day" in args else [*args, "--day", str(DAY)]
    refused = run(site, *given).exception
    assert isinstance(refused, QuestionRefused) and message in str(refused) and hint in refused.hint


def test_a_bucket_without_anything_is_an_answer(site: Site) -> None:
    """DRV_2 waited for room nowhere: its reads had it."""
    empty = {bucket for _, bucket, _ in buckets(site)} - {
        bucket for drive, bucket, _ in buckets(site) if drive == "DRV_2"
    }
    assert empty
    assert "no time in" in run(site, "DRV_2", "--bucket", min(empty), "--day", str(DAY)).stdout


def test_a_file_that_is_no_longer_what_was_read(site: Site, tmp_path: Path) -> None:
    """A file that grew still holds its lines; a changed, a lost and an unknown one say so."""
    path, before = site.root / "logs" / NAME, text_of(site)
    whole = path.read_bytes()
    with Warehouse(site).read() as connection:

        def again(name: str = f"logs/{NAME}") -> dict[int, str] | str:
            return excerpts.read_lines(connection, site, name, [3, 5])

        expected = {number: truncate(before[number - 1], excerpts.LINE_CHARS) for number in (3, 5)}
        assert again() == expected
        path.write_bytes(whole + b"one line more\n")
        assert again() == expected
        path.write_bytes(gzip.compress(whole))
        assert again() == expected
        path.write_bytes(b"something else\n" + whole)
        assert again() == "the file has changed since tapescope read it"
        path.unlink()
        assert again() == "the file cannot be read any more (No such file or directory)"
        assert again("logs/other") == "tapescope has not read this file"
        found = run(site, "DRV_1", "--day", str(DAY), "--limit", "1").stdout
        assert "No such file or directory" in found and "transfer complete" in found  # as the warehouse keeps it
        path.write_bytes(whole)
