"""Files as they are found: damaged archives, endless lines, odd names, patterns that fit nothing."""

import gzip
import os
from pathlib import Path

import pytest

from pipelines import lines, steps
from pipelines.config import load_site
from pipelines.errors import ConfigError, UnreadableFile

LOG = Path(__file__).parent / "sources" / "enstore_log" / "clean.log"
SITE = 'name = "test"\nzone = "America/Chicago"\n'


def site_with(folder: Path, glob: str) -> Path:
    (folder / "site.toml").write_text(f'{SITE}[[input]]\nglob = "{glob}"\n')
    return folder


def text_lines(n: int) -> list[bytes]:
    return [b"line %d %s\n" % (number, os.urandom(20).hex().encode()) for number in range(n)]


def test_of_a_truncated_archive_the_whole_lines_before_the_cut_are_read(tmp_path: Path) -> None:
    whole = text_lines(20_000)
    packed = gzip.compress(b"".join(whole), mtime=0)
    (tmp_path / "log.gz").write_bytes(packed[: len(packed) // 2])
    read: list[str] = []
    with pytest.raises(UnreadableFile):
        for block in lines.read_blocks(tmp_path / "log.gz"):
            if not block.is_torn:
                read += block.lines["text"].to_list()
    assert len(read) > 8_000
    assert read == [line.decode().rstrip("\n") for line in whole[: len(read)]]


def test_a_damaged_archive_is_kept_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    site = site_with(tmp_path, "LOG-{date}*")
    body = LOG.read_bytes()
    packed = gzip.compress(body, mtime=0) + b"junk"
    (site / "LOG-2010-06-15.gz").write_bytes(packed)
    counts = steps.ingest(steps.site_at(site)).as_dict()
    assert counts["loaded"] == 1 and counts["n_lines"] == body.count(b"\n")
    assert "broken_archive" in counts["problems"][0]["reason"]


def test_an_endless_line_is_one_reject_and_never_collected(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"first\n" + b"x" * (20 * 2**20) + b"\nlast\n")
    blocks = list(lines.read_blocks(tmp_path / "log", block_bytes=2**20))
    assert [text for block in blocks for text in block.lines["text"]] == ["first", "last"]
    long = [row for block in blocks for row in block.too_long.iter_rows()]
    assert [line_no for line_no, _ in long] == [2]
    assert len(long[0][1]) <= lines.STUB_CHARS
    assert blocks[-1].end_line == 3


def test_a_name_that_is_not_text_does_not_stop_the_others(tmp_path: Path) -> None:
    site = site_with(tmp_path, "logs/LOG-{name}")
    (site / "logs").mkdir()
    try:
        Path(os.fsdecode(os.fsencode(site / "logs") + b"/LOG-\xff")).write_text("no log\n")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    (site / "logs" / "LOG-x").write_text("no log either\n")
    counts = steps.ingest(steps.site_at(site)).as_dict()
    assert counts["files"] == counts["unknown"] == 2


def test_an_input_that_fits_no_file_is_named(tmp_path: Path) -> None:
    counts = steps.ingest(steps.site_at(site_with(tmp_path, "logs/{host}.txt"))).as_dict()
    assert [problem["path"] for problem in counts["problems"]] == ["logs/{host}.txt"]


def test_absolute_patterns_are_read_too(tmp_path: Path) -> None:
    logs, site = tmp_path / "logs", tmp_path / "site"
    logs.mkdir()
    site.mkdir()
    (logs / "LOG-2010-06-15").write_bytes(LOG.read_bytes())
    counts = steps.ingest(steps.site_at(site_with(site, f"{logs}/LOG-{{date}}"))).as_dict()
    assert counts["loaded"] == 1


def test_the_warehouse_is_no_input_of_itself(tmp_path: Path) -> None:
    site = steps.site_at(site_with(tmp_path, "**/*"))
    steps.ingest(site)
    assert steps.ingest(site).as_dict()["files"] == 0


@pytest.mark.parametrize(("glob", "said"), [("", "a pattern"), ("{bogus}.log", "bogus"), ("{host}{host}", "host")])
def test_a_pattern_that_cannot_be_read_is_a_mistake_of_site_toml(tmp_path: Path, glob: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_site(site_with(tmp_path, glob))
