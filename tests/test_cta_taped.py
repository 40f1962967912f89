"""CTA's tape daemon: what bronze shows of known sessions, and that neither dialect nor way of reading changes a row."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import choose, cta_taped
from pipelines.sources._shared.cta_log import alike
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import OTHER_PROGRAM, Origin, Parsed
from support.parsing import account, origin_of, read_lines

CASES = Path(__file__).parent / "sources" / "cta_taped"
DRIVES = ("I1L90513", "I1L90514", "I3J10201")
ORIGIN = Origin(system="EXAMPLE", zone="Europe/Zurich", date=date(2026, 8, 25))
# column of a session: its name among the expected sessions
EXPECTED = {
    "drive": "drive",
    "volume": "vid",
    "vo": "vo",
    "tape_pool": "pool",
    "mount_type": "mountType",
    "status": "status",
    "files": "files",
    "bytes": "bytes",
    "mount_s": "mount",
    "position_s": "position",
    "read_write_s": "readWrite",
    "flush_s": "flush",
    "wait_data_s": "waitData",
    "wait_buffer_s": "waitMem",
    "unload_s": "unload",
    "unmount_s": "unmount",
    "total_s": "total",
}


def parsed(path: Path, origin: Origin = ORIGIN) -> Parsed:
    lines = read_lines(path)
    found = cta_taped.parse(lines, origin, None)
    account(found, lines)
    return found


def rows(found: Parsed, table: str) -> list[dict[str, Any]]:
    return found.tables[table].to_dicts()


def finished(folder: Path, form: str) -> pl.DataFrame:
    """The sessions of all drives that moved something, one per mount."""
    every = pl.concat([parsed(folder / f"cta-taped-{drive}.{form}.log").tables["cta_session"] for drive in DRIVES])
    return every.filter(pl.col("bytes") > 0).unique("mount_id", keep="first", maintain_order=True)


@pytest.mark.parametrize("form", ["kv", "json"])
def test_sessions_are_those_expected(form: str, realdata: Path) -> None:
    folder = realdata / "cta-synthetic"
    sessions = {row["mount_id"]: row for row in finished(folder, form).to_dicts()}
    expected = json.loads((folder / "expected-sessions.json").read_text())
    assert len(expected) == 6
    assert sessions.keys() == {session["mountId"] for session in expected}
    for session in expected:
        row = sessions[session["mountId"]]
        assert {ours: row[ours] for ours in EXPECTED} == pytest.approx(
            {ours: session[theirs] for ours, theirs in EXPECTED.items()}, abs=0.001
        )
        assert row["bytes"] / 1e6 / row["total_s"] == pytest.approx(session["overall_rate"], abs=0.051)
        assert row["bytes"] / 1e6 / row["read_write_s"] == pytest.approx(session["drive_rate"], abs=0.051)


@pytest.mark.parametrize("form", ["kv", "json"])
def test_files_add_up_to_their_sessions(form: str, realdata: Path) -> None:
    """Also the positioning when reading: that of the label, and that before each file."""
    folder = realdata / "cta-synthetic"
    every = [parsed(folder / f"cta-taped-{drive}.{form}.log") for drive in DRIVES]
    files = pl.concat([found.tables["cta_file"] for found in every])
    steps = pl.concat([found.tables["cta_step"] for found in every])
    label = steps.filter(pl.col("kind").is_in(["positioned", "label_positioned"])).select("mount_id", "seconds")
    sums = files.group_by("mount_id").agg(pl.col("bytes", "read_write_s", "position_s").sum(), n=pl.len())
    both = finished(folder, form).join(sums, on="mount_id", suffix="_of_files").join(label, on="mount_id")
    assert both.height == 6
    for row in both.to_dicts():
        assert (row["bytes_of_files"], row["n"]) == (row["bytes"], row["files"])
        assert row["read_write_s_of_files"] == pytest.approx(row["read_write_s"], abs=0.01)
        assert row["position_s_of_files"] + row["seconds"] == pytest.approx(row["position_s"], abs=0.01)


@pytest.mark.parametrize("drive", DRIVES)
def test_text_and_json_give_the_same_rows(drive: str, realdata: Path) -> None:
    text, objects = (parsed(realdata / "cta-synthetic" / f"cta-taped-{drive}.{form}.log") for form in ("kv", "json"))
    for table in cta_taped.TABLES:
        assert rows(text, table) == rows(objects, table)
    assert text.coverage.equals(objects.coverage)
    assert (text.n_used, text.notes) == (objects.n_used, objects.notes)


def test_what_syslog_made_of_it_gives_the_same_files(realdata: Path) -> None:
    """Parameters in another order, no instance, the short name of the host."""
    folder = realdata / "cta-synthetic"
    now, before = (
        parsed(folder / name).tables["cta_file"].drop("line_no", "host", "logged_at")
        for name in ("cta-taped-I1L90514.kv.log", "cta-taped-5.8-rsyslog.log")
    )
    assert before.height == 22
    assert before.equals(now)


@pytest.mark.parametrize("name", ["clean_json.log", "clean_json_strings.log"])
def test_the_cases_say_the_same_in_each_dialect(name: str) -> None:
    text, objects = (parsed(CASES / one, origin_of(CASES / one)) for one in ("clean_text.log", name))
    assert all(rows(text, table) == rows(objects, table) for table in cta_taped.TABLES)


@pytest.mark.parametrize("name", ["clean_text.log", "clean_json.log", "damaged.log", "whole_seconds.log"])
def test_lines_alike_are_read_as_single_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line so often that its shape is learnt, against each line on its own."""
    texts = (CASES / name).read_text().splitlines() * 30
    lines, origin = frame_of("\n".join(texts).encode()), origin_of(CASES / name)
    by_place = cta_taped.parse(lines, origin, None)
    monkeypatch.setattr(alike, "_FEWEST", len(texts) + 1)
    one_by_one = cta_taped.parse(lines, origin, None)
    assert by_place.tables["cta_file"].height
    assert all(rows(by_place, table) == rows(one_by_one, table) for table in cta_taped.TABLES)
    assert by_place.rejects.equals(one_by_one.rejects)


def test_shapes_that_nearly_fit_are_kept_apart() -> None:
    """Objects of as many pieces, with values in quotes, without quotes, or no value at all."""
    common = '"program":"cta-taped","message":"Tape mounted and drive ready","epoch_time":1781503281,"tapeDrive":"D1"'
    ends = ['"mountTime":7,"vo":"8"', '"mountTime":"7","vo":8', '"mountTime":7 1,"vo":"8"', '"mountTime":null,"vo":"8"']
    lines = frame_of("\n".join(f"{{{common},{end}}}" for end in ends * 40).encode())
    found = cta_taped.parse(lines, Origin(), None)
    account(found, lines)
    assert found.rejects["line_no"].to_list() == list(range(3, 161, 4))
    values = found.tables["cta_step"].select("seconds", "vo").rows()
    assert values == [(7.0, "8"), (7.0, "8"), (None, "8")] * 40


# The same 34 lines, as programs between the daemon and the file write them.
WRAPPERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "journalctl": ("clean_text.log", lambda line: f"Jun 15 08:00:00 tps1 cta-taped[7]: {line}"),
    "journalctl -o short-iso": ("clean_text.log", lambda line: f"2026-06-15T08:00:00+0200 tps1 cta-taped[7]: {line}"),
    "journalctl, JSON": ("clean_json.log", lambda line: f"Jun 15 08:00:00 tps1 cta-taped[7]: {line}"),
    "priority of syslog": ("clean_text.log", lambda line: f"<134>{line}"),
    "RFC 5424": ("clean_json.log", lambda line: f"<134>1 2026-06-15T08:00:00Z tps1 cta-taped 7 - - {line}"),
    "container": ("clean_text.log", lambda line: json.dumps({"log": f"{line}\n", "stream": "stdout"})),
    "container, JSON": ("clean_json.log", lambda line: json.dumps({"log": f"{line}\n", "stream": "stdout"})),
    "collector": ("clean_text.log", lambda line: json.dumps({"@timestamp": "2026-06-15T06:00:00Z", "message": line})),
    "escapes in values": (
        "clean_json.log",
        lambda line: (
            line.replace("tpsrv01", r"tps\u0072v01").replace("IBMLIB1-D", r"IBMLIB1\u002dD").replace("/", r"\/")
        ),
    ),
    "escapes in keys": (
        "clean_json.log",
        lambda line: re.sub(r'"(hostname|epoch_time|tapeDrive|message|pid)":', _with_escape, line),
    ),
}


def _with_escape(key: re.Match[str]) -> str:
    return f'"\\u{ord(key[1][0]):04x}{key[1][1:]}":'


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_line_gives_the_rows_of_the_plain_one(name: str) -> None:
    case, wrap = WRAPPERS[name]
    texts, origin = (CASES / case).read_text().splitlines(), origin_of(CASES / case)
    plain = cta_taped.parse(frame_of("\n".join(texts).encode()), origin, None)
    lines = frame_of("\n".join(map(wrap, texts)).encode())
    wrapped = cta_taped.parse(lines, origin, None)
    account(wrapped, lines)
    assert choose(lines["text"].to_list())[0] == "cta_taped"
    assert all(rows(wrapped, table) == rows(plain, table) for table in cta_taped.TABLES)
    assert wrapped.coverage.equals(plain.coverage)


def test_rfc_5424_names_the_daemon_before_its_line() -> None:
    texts = (CASES / "clean_syslog_iso.log").read_text().splitlines()
    head = re.compile(r"^(\S+ \S+ cta-taped): ")
    lines = frame_of("\n".join(head.sub(r"<134>1 \1 7 - - ", text) for text in texts).encode())
    plain = parsed(CASES / "clean_syslog_iso.log", origin_of(CASES / "clean_syslog_iso.log"))
    found = cta_taped.parse(lines, origin_of(CASES / "clean_syslog_iso.log"), None)
    assert all(rows(found, table) == rows(plain, table) for table in cta_taped.TABLES)


def test_a_line_of_the_daemon_in_an_unknown_wrapper_is_rejected() -> None:
    good = (CASES / "clean_json.log").read_text().splitlines()
    lines = frame_of("\n".join([*good, f"[{good[10]}, 1]"]).encode())
    found = cta_taped.parse(lines, origin_of(CASES / "clean_json.log"), None)
    account(found, lines)
    assert found.rejects.select("line_no", "reason").rows() == [(35, "bad_syntax")]


def test_an_instant_of_the_journal_gives_the_year() -> None:
    line = (
        'Jun 15 08:00:00.5 tps1 cta-taped: LVL="INFO" PID="1" TID="1" MSG="Tape mounted and drive ready" tapeDrive="D1"'
    )
    texts = [f"2026-06-15T08:00:00+0200 tps1 cta-taped[1]: {line}"]
    found = cta_taped.parse(frame_of(texts[0].encode()), Origin(head=tuple(texts), zone="Europe/Zurich"), None)
    assert rows(found, "cta_step")[0]["logged_at"] == datetime(2026, 6, 15, 6, 0, 0, 500000)


def test_notes_count_what_is_skipped() -> None:
    killed = parsed(CASES / "killed.log", origin_of(CASES / "killed.log"))
    going_on = parsed(CASES / "in_progress.log", origin_of(CASES / "in_progress.log"))
    assert +Counter(killed.notes) == {cta_taped.NO_MOUNT: 1}
    assert +Counter(going_on.notes) == {cta_taped.IN_PROGRESS: 2}
    syslog = parsed(CASES / "clean_syslog_local.log", origin_of(CASES / "clean_syslog_local.log"))
    assert +Counter(syslog.notes) == {OTHER_PROGRAM: 1}


def test_text_without_any_year_is_refused() -> None:
    line = 'Jun 15 08:00:00.5 tpsrv01 cta-taped: LVL="INFO" PID="1" TID="1" MSG="x" tapeDrive="D1"'
    with pytest.raises(UnreadableFile, match="no year"):
        cta_taped.parse(frame_of(line.encode()), Origin(), None)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('Jun 15 08:00:00.5 tpsrv01 cta-maintd: LVL="INFO" PID="1" TID="1" MSG="x"', "another program of CTA"),
        ('{"epoch_time":1781503281.5,"program":"cta-maintd","message":"x"}', "another program of CTA"),
        ('{"message":"Tape session finished"}', "no line is a log line of CTA's tape daemon"),
    ],
)
def test_lines_near_to_it_are_not_claimed(line: str, why: str) -> None:
    stem, claims = choose([line])
    assert stem is None
    assert why in claims["cta_taped"].why
