"""The change log: entries of site.toml and of the file it names, whatever they contain."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.cli import cli
from pipelines.config import changes as change_log
from pipelines.config.site import Site, load_site
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.connection import Warehouse

HOSTILE = "<script>alert(1)</script>\x1b[31m{entity}\u202e' OR 1=1 --"


def log_of(tmp_path: Path, text: str, zone: str = "America/Chicago") -> list[change_log.Row]:
    (tmp_path / "changes.csv").write_text(text, encoding="utf-8")
    return change_log.rows(Site(name="case", zone=zone, root=tmp_path, change_log="changes.csv"))


def test_entries_of_site_toml(tmp_path: Path) -> None:
    """An instant with an offset is taken as it is, one without is on the site's clock; a day is its midnight."""
    (tmp_path / "site.toml").write_text(
        'name = "case"\nzone = "America/Chicago"\n'
        '[[change]]\nat = 2010-03-10T11:00:00\nwhat = "blocksize"\nentities = ["DRV_2", "DRV_1"]\nnote = "as asked"\n'
        '[[change]]\nat = 2010-03-10T11:00:00Z\nwhat = "firmware"\n'
        '[[change]]\nat = 2010-07-01\nwhat = "move"\n'
    )
    found = change_log.rows(load_site(tmp_path))
    assert [tuple(row[1:6]) for row in found] == [
        (datetime(2010, 3, 10, 17), "blocksize", "DRV_1", "as asked", "site.toml"),
        (datetime(2010, 3, 10, 17), "blocksize", "DRV_2", "as asked", "site.toml"),
        (datetime(2010, 3, 10, 11), "firmware", None, None, "site.toml"),
        (datetime(2010, 7, 1, 5), "move", None, None, "site.toml"),
    ]
    assert len({row[0] for row in found}) == 3 and {row[6] for row in found} == {None}


def test_a_mistake_in_site_toml_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "case"\n[[change]]\nat = "soon"\nwhat = "x"\nwho = "me"\n')
    with pytest.raises(ConfigError) as refused:
        load_site(tmp_path)
    assert "line 3: change.1.at" in str(refused.value) and "line 5: change.1.who" in str(refused.value)


def test_entries_of_a_file(tmp_path: Path) -> None:
    found = log_of(
        tmp_path,
        "\ufeffAt,What,Entities,Note,Ticket\n"
        '2010-03-10 11:00,"blocksize 512, then 1024",DRV_1;DRV_2 DRV_1,,77\n'
        "\n"
        "2010-03-11T11:00+01:00,firmware\n",
    )
    assert [tuple(row[1:]) for row in found] == [
        (datetime(2010, 3, 10, 17), "blocksize 512, then 1024", "DRV_1", None, "changes.csv:2", None),
        (datetime(2010, 3, 10, 17), "blocksize 512, then 1024", "DRV_2", None, "changes.csv:2", None),
        (datetime(2010, 3, 11, 10), "firmware", None, None, "changes.csv:4", None),
    ]


def test_what_cannot_be_read_stays_with_its_place_and_reason(tmp_path: Path) -> None:
    found = log_of(tmp_path, 'at,what\nyesterday,new disks\n2010-03-10,\n9999-12-31T23:59,never\n2010-03-10,"open\n')
    problems = {row[5]: str(row[6]) for row in found}
    assert problems["changes.csv:2"].startswith("`at` is not a time") and problems["changes.csv:3"] == "`what` is empty"
    assert problems["changes.csv:4"].startswith("`at` is not a time")  # beyond the calendar in UTC
    assert problems["changes.csv:5"].startswith("not CSV")
    assert {(row[0], row[1]) for row in found} == {(None, None)}


def test_a_file_without_header_or_not_there(tmp_path: Path) -> None:
    (row,) = log_of(tmp_path, "2010-03-10,new disks\n")
    assert "the first line must name the columns of the file: at, what" in str(row[6])
    (row,) = change_log.rows(Site(name="case", root=tmp_path, change_log="gone.csv"))
    assert row[5:] == ("gone.csv", "the file cannot be read: No such file or directory")
    assert log_of(tmp_path, "") == []


def test_text_is_bounded(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    found = log_of(
        tmp_path, f"at,what,entities,note\n2010-03-10,{'w' * 900}\x00,{'n ' * 900},{'o' * 3000}\n{long}\nnever,x\n"
    )
    assert [row[5] for row in found if row[6]] == ["changes.csv:3", "changes.csv:4"]
    changes = [row for row in found if row[6] is None]
    assert len(changes) == 1  # of 900 names there is one
    assert changes[0][2:5] == ("w" * change_log.WHAT_CHARS, "n", "o" * change_log.NOTE_CHARS)
    assert all(len(str(row[2])) <= change_log.WHAT_CHARS for row in found if row[6])
    many = log_of(tmp_path, "at,what\n" + "2010-03-10,x\n" * (change_log.MOST_ENTRIES + 5))
    assert len(many) == change_log.MOST_ENTRIES + 1 and "more than 10,000 entries" in str(many[-1][6])


def test_hostile_text_is_shown_and_never_acts(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "case"\nchange_log = "changes.csv"\n')
    (tmp_path / "changes.csv").write_text(f"at,what\n2010-03-10,{HOSTILE}\nnever,{HOSTILE}\n", encoding="utf-8")
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    first = steps.build(site).number
    answer = steps.ask(site, "changes", {"last_day": "2010-03-10"}).as_dicts()
    assert [row["what"] for row in answer] == [" ".join(f"never,{HOSTILE}".split()), " ".join(HOSTILE.split())]
    shown = CliRunner().invoke(cli, ["ask", "changes", "last_day=2010-03-10", "--site", str(tmp_path)]).stdout
    assert "\x1b" not in shown and "\u202e" not in shown and "\\x1b[31m{entity}" in shown

    # the next build reports the additional line, and makes nothing else again
    with (tmp_path / "changes.csv").open("a") as file:
        file.write("2010-03-11,new disks\n")
    again = steps.build(site)
    assert (again.number, again.is_full) == (first + 1, False)
    with Warehouse(site).read() as connection:
        assert connection.execute("SELECT count(*) FROM site.change").fetchall() == [(3,)]
    result = CliRunner().invoke(
        cli, ["ask", "changes", "last_day=2010-03-11", "--site", str(tmp_path), "--format", "json"]
    )
    assert [row["summary"][:16] for row in json.loads(result.stdout)] == [
        "not read: `at` i",
        "cannot estimate:",
        "cannot estimate:",
    ]
