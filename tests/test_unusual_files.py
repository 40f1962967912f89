"""Files as they are found: damaged archives, endless lines, unusual names, patterns that fit nothing."""

import bz2
import contextlib
import gzip
import lzma
import os
import socket
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from pipelines import sources, steps
from pipelines.config.inputs import Input
from pipelines.config.site import load_site
from pipelines.ingest.survey import survey
from pipelines.primitives.errors import ConfigError, UnreadableFile
from pipelines.sources import all_sources, packing
from pipelines.sources import blocks as lines

pytestmark = pytest.mark.usefixtures("mostly_plain_store")

LOG = Path(__file__).parent / "sources" / "enstore_log" / "clean.log"
SITE = 'name = "test"\nzone = "America/Chicago"\n'


def site_with(folder: Path, glob: str) -> Path:
    (folder / "site.toml").write_text(f'{SITE}[[input]]\nglob = "{glob}"\n')
    return folder


def text_lines(n: int) -> list[bytes]:
    return [b"line %d %s\n" % (number, os.urandom(20).hex().encode()) for number in range(n)]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_of_a_truncated_archive_the_whole_lines_before_the_cut_are_read(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    whole = text_lines(60_000)
    packed = pack(b"".join(whole))
    (tmp_path / "log.gz").write_bytes(packed[: len(packed) // 2])
    read: list[str] = []
    with pytest.raises(UnreadableFile):
        for block in lines.read_blocks(tmp_path / "log.gz"):
            if not block.is_torn:
                read += block.lines["text"].to_list()
    assert len(read) > 12_000
    assert read == [line.decode().rstrip("\n") for line in whole[: len(read)]]


def test_zstandard_in_several_frames_is_read_to_its_end(tmp_path: Path) -> None:
    """As pzstd writes it: before each frame one to be skipped, with the size of the next."""
    body = text_lines(1000)
    frames = [zstandard.compress(b"".join(part)) for part in (body[:300], body[300:])]
    sizes = [b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + len(frame).to_bytes(4, "little") for frame in frames]
    (tmp_path / "log").write_bytes(b"".join(part for pair in zip(sizes, frames, strict=True) for part in pair))
    assert packing.read_head(tmp_path / "log")[0] == body[0].decode().rstrip("\n")
    assert sum(block.lines.height for block in lines.read_blocks(tmp_path / "log")) == len(body)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_archive_is_not_read_as_one_log(tmp_path: Path, mode: str) -> None:
    """The second log in it would get the day of the first."""
    (tmp_path / "LOG-2010-06-15").write_bytes(LOG.read_bytes() * 8)
    with tarfile.open(tmp_path / "log", mode) as archive:  # type: ignore[call-overload]
        archive.add(tmp_path / "LOG-2010-06-15", "LOG-2010-06-15")
    with pytest.raises(UnreadableFile, match="tar archive"):
        packing.read_head(tmp_path / "log")


@pytest.mark.parametrize(
    ("first_bytes", "command"),
    [
        (b"\x96\xd5\x75\x21", "sadf -d"),  # sysstat, as x86 writes it
        (b"\x00\x00\x00\x84\x50\x05\x26\x02", "pmrep -a"),
        (b"LPKSHHRH", "journalctl --file"),
    ],
)
def test_a_binary_log_is_refused_with_the_command_that_converts_it(
    tmp_path: Path, first_bytes: bytes, command: str
) -> None:
    (tmp_path / "log").write_bytes(first_bytes + bytes(4096))
    with pytest.raises(UnreadableFile) as refused:
        packing.read_head(tmp_path / "log")
    assert command in refused.value.hint


def test_a_damaged_archive_is_kept_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    site = site_with(tmp_path, "LOG-{date}*")
    body = LOG.read_bytes()
    packed = gzip.compress(body, mtime=0) + b"junk"
    (site / "LOG-2010-06-15.gz").write_bytes(packed)
    counts = steps.ingest(steps.site_at(site)).as_dict()
    assert counts["loaded"] == 1 and counts["n_lines"] == body.count(b"\n")
    assert "broken_archive" in counts["problems"][0]["reason"]


def test_damage_right_after_a_block_is_found_by_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = LOG.read_bytes()
    (tmp_path / "log.gz").write_bytes(gzip.compress(body, mtime=0) + b"junk")
    monkeypatch.setattr(lines, "BLOCK_BYTES", len(body))
    assert lines.scan(tmp_path / "log.gz", lines.Limits())[1] == float("inf")


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


@pytest.mark.parametrize(("glob", "messages"), [("", "a pattern"), ("{bogus}.log", "bogus"), ("{host}{host}", "host")])
def test_a_pattern_that_cannot_be_read_is_a_mistake_of_site_toml(tmp_path: Path, glob: str, messages: str) -> None:
    with pytest.raises(ConfigError, match=messages):
        load_site(site_with(tmp_path, glob))


@pytest.mark.lake
def test_each_refused_file_keeps_its_own_reason(tmp_path: Path) -> None:
    """They are refused before a byte is hashed, so their digests are alike."""
    site = site_with(tmp_path, "*.txt")
    head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    names = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    for name in ("a", "b"):
        (site / f"{name}.txt").write_text(
            head + names + f" 1  0  0  {ord(name)}  1  1  0  0  0  0  1  1  1  1 98  0  0\n"
        )
    for _ in range(2):
        files = steps.ingest(steps.site_at(site)).files
        assert [(file.state, file.reason.startswith("no_clock: ")) for file in files] == [("failed", True)] * 2
        assert file_names(site) == [("a.txt", "failed"), ("b.txt", "failed")]


def file_names(site: Path) -> list[tuple[str, str]]:
    answer = steps.ask_sql(steps.site_at(site), "SELECT path, state FROM ops.file ORDER BY path")
    return [(row[0], row[1]) for row in answer.rows]


def test_a_folder_given_by_hand_does_not_bring_in_its_own_warehouse(tmp_path: Path) -> None:
    site = site_with(tmp_path, "LOG-{date}*")
    (site / "LOG-2010-06-15").write_bytes(LOG.read_bytes())
    (site / "notes").write_text("call the vendor\n")
    (site / "empty").touch()
    for _ in range(2):
        files = steps.ingest(steps.site_at(site), [site]).files
        assert [file.path for file in files] == ["LOG-2010-06-15", "empty", "notes"]
    assert files[1].reason == "no source recognises the file; the file is empty"
    assert files[2].reason.endswith("the first lines resemble no known kind of log")


def test_a_file_of_two_formats_or_without_rights_does_not_stop_recognise(tmp_path: Path) -> None:
    sources = LOG.parent.parent
    texts = [(sources / name).read_text() for name in ("vmstat/clean_t_steady.txt", "iostat/clean_xmt_us.txt")]
    both = "".join(texts)
    (tmp_path / "both").write_text(both)
    (tmp_path / "log").write_bytes(LOG.read_bytes())
    messages = {one.path.name: one.source for one in steps.recognise([tmp_path, tmp_path / "gone"])}
    assert messages["log"] == "enstore_log" and messages["gone"] is None


@pytest.mark.parametrize(
    ("glob", "name", "link"),
    [("{link}*", "dm8-bond0.log", "dm8-bond0"), ("{link}*", "plain", "plain"), ("{link}.log*", "a.b.log.1", "a.b")],
)
def test_a_placeholder_before_a_star_takes_more_than_one_letter(glob: str, name: str, link: str) -> None:
    assert Input(glob=glob).match(name) == {"link": link}


@pytest.mark.parametrize(
    "name", ["enstore_log/clean.log", "dool/*clean*.csv", "sar/*clean*.txt", "encp_console/*clean*.txt"]
)
def test_a_byte_order_mark_changes_nothing(tmp_path: Path, name: str) -> None:
    path = sorted((LOG.parent.parent).glob(name))[0]
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    plain, marked = (pl.concat([b.lines for b in lines.read_blocks(at)]) for at in (path, tmp_path / "marked"))
    assert marked.equals(plain)
    assert packing.read_head(tmp_path / "marked") == packing.read_head(path)


def test_an_archive_in_an_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.gz").write_bytes(gzip.compress(gzip.compress(LOG.read_bytes())))
    with pytest.raises(UnreadableFile, match="contains another gz file"):
        packing.read_head(tmp_path / "log.gz")


@pytest.mark.parametrize("unit", ["a", "1", '{"a": 1, ', "1 "])
def test_one_endless_line_is_refused_at_once(unit: str) -> None:
    begun = time.process_time()
    stem, _ = sources.choose([(unit * packing.HEAD_BYTES)[: packing.HEAD_BYTES]])
    assert stem is None and time.process_time() - begun < 5


def test_a_source_that_fails_names_the_file_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_with(tmp_path, "logs/*")
    (site / "logs").mkdir()
    (site / "logs" / "LOG-2010-06-15").write_bytes(LOG.read_bytes())
    (site / "logs" / "vmstat.txt").write_bytes((LOG.parent.parent / "vmstat" / "clean_t_steady.txt").read_bytes())

    def failing(*_: object) -> None:
        raise ZeroDivisionError("no such thing")

    monkeypatch.setattr(all_sources()["vmstat"], "parse", failing)
    files = {file.path: file for file in steps.ingest(steps.site_at(site)).files}
    assert files["logs/LOG-2010-06-15"].state in ("loaded", "failed")
    assert files["logs/vmstat.txt"].state == "failed"
    assert files["logs/vmstat.txt"].reason.startswith(
        "internal_error: tapescope's reader for vmstat failed on this file: ZeroDivisionError"
    )


NO_FILES = {
    "pipe": "a named pipe",
    "socket": "a socket",
    "gone": "a symbolic link whose target cannot be reached",
    "loop": "a symbolic link whose target cannot be reached",
    "elsewhere": "a symbolic link to a folder, which is not followed",
}


def unusual_folder(folder: Path) -> Path:
    """Entries of a folder that are no files; opening the pipe would wait for ever."""
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(folder):
        server.bind("socket")
    (folder / "gone").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "elsewhere").symlink_to("/")
    return folder


@pytest.mark.lake
def test_what_is_no_file_is_reported_and_never_opened(tmp_path: Path) -> None:
    logs = unusual_folder(tmp_path / "logs")
    site = steps.site_at(site_with(tmp_path, "logs/{name}"))
    expected = {f"logs/{name}": ("failed", f"not_a_file: {what}") for name, what in NO_FILES.items()}
    named = steps.ingest(site, [logs])
    assert {file.path: (file.state, file.reason) for file in named.files} == expected
    assert {row[0] for row in steps.ask_sql(site, "SELECT path FROM ops.file WHERE state = 'failed'").rows} == set(
        expected
    )
    del expected["logs/elsewhere"]  # a pattern of files takes no folder, linked or not
    assert {file.path: (file.state, file.reason) for file in steps.ingest(site).files} == expected
    assert {one.path.name: one.why for one in steps.recognise([logs])} == {
        name: f"not_a_file: {what}" for name, what in NO_FILES.items()
    }
    assert {file.path: file.why for file in survey(logs).files} == NO_FILES


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    """One below a path longer than the system takes: no right to read helps there."""
    with contextlib.chdir(tmp_path):
        for _ in range(20):
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
    site = steps.site_at(site_with(tmp_path, "none"))
    (file,) = steps.ingest(site, [tmp_path]).files
    assert file.state == "failed" and file.reason.startswith("not_a_file: ")


def test_files_that_no_input_names_are_counted_with_what_would_read_them(tmp_path: Path) -> None:
    site = site_with(tmp_path, "logs/enstore/LOG-{date}*")
    (site / "logs" / "enstore" / "old").mkdir(parents=True)
    (site / "logs" / "other").mkdir()
    (site / "logs" / "enstore" / "LOG-2010-06-15").write_bytes(LOG.read_bytes())
    assert steps.ingest(steps.site_at(site)).unnamed == ""
    (site / "logs" / "other" / "beyond").write_text("in no folder of an input\n")
    (site / "logs" / "enstore" / ".hidden").write_text("left out\n")
    (site / "logs" / "enstore" / "DEBUGLOG-2010-06-15").write_bytes(LOG.read_bytes())
    os.mkfifo(site / "logs" / "enstore" / "old" / "pipe")
    for n in range(30):
        (site / "logs" / "enstore" / "old" / f"{n:02}.txt").write_text("call the vendor\n")
    messages = steps.ingest(steps.site_at(site)).unnamed
    assert messages.startswith(
        "32 files below the folders of the inputs are not read, because no [[input]] matches:"
        " logs/enstore/DEBUGLOG-2010-06-15 (enstore_log), logs/enstore/old/00.txt (unknown kind of log),"
    )
    assert " and 27 more. " in messages and 'glob = "logs/enstore/DEBUGLOG-{date}*"' in messages and len(messages) < 600
    assert steps.ingest(steps.site_at(site), [site / "logs"]).unnamed == ""


@pytest.mark.parametrize("glob", ["wrong/LOG-{date}*", None])
def test_files_are_named_where_no_folder_of_an_input_exists(tmp_path: Path, glob: str | None) -> None:
    site = site_with(tmp_path, glob) if glob else tmp_path
    (site / "site.toml").write_text((site / "site.toml").read_text() if glob else 'name = "x"\nzone = "UTC"\n')
    (site / "logs").mkdir(exist_ok=True)
    (site / "logs" / "night").write_text("call the vendor\n")
    messages = steps.ingest(steps.site_at(site)).unnamed
    assert "below the folder of site.toml" in messages and "logs/night (unknown kind of log)" in messages
