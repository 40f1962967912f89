"""Findings from night to night: one identity, states that follow the days that were judged, and people's marks."""

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines import steps
from pipelines.analysis import findings
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import create_tables, prepare_tables

pytestmark = pytest.mark.usefixtures("plain_store")

DAYS = [date(2010, 3, 8) + timedelta(days=n) for n in range(5)]
DOWN = (DAYS[0], DAYS[1], DAYS[3], DAYS[4])  # the third night it works


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Five nights of one drive that is down for an hour a day, twice on the first one, but not on the third."""
    folder = tmp_path_factory.mktemp("life")
    (folder / "site.toml").write_text('name = "life"\n')
    site = steps.site_at(folder)
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        for day in DOWN:
            for hour in (8, 12) if day == DAYS[0] else (8,):
                down(connection, day, hour)
    for day in DAYS:
        steps.detect(site, day, day)
    return site


def down(connection: Connection, day: date, hour: int) -> None:
    relation = load_catalog().relations["gold.drive_outage"]
    begin = datetime(day.year, day.month, day.day, hour)
    values = {"day": day, "drive": "D1", "from_at": begin, "to_at": begin + timedelta(hours=1), "down_s": 3600.0}
    row = [values.get(name) for name in relation.column_names]
    connection.execute(f"INSERT INTO {LAKE}.{relation.full_name} VALUES ({', '.join('?' * len(row))})", row)


def rows(site: Site) -> list[tuple[date, str, str]]:
    with Warehouse(site).read() as connection:
        return connection.execute("SELECT day, finding_id, state FROM gold.finding ORDER BY day, started_at").fetchall()


def states(site: Site) -> list[str]:
    return [state for _, _, state in rows(site)]


def run(site: Site, *args: str) -> Result:
    return CliRunner().invoke(cli, ["finding", *args, "--site", str(site.root)])


def run_detect(site: Site, day: date) -> Result:
    return CliRunner().invoke(cli, ["detect", "--day", str(day), "--site", str(site.root)])


def test_a_cause_keeps_its_identity_and_the_states_follow_the_nights(judged: Site) -> None:
    assert len({finding_id for _, finding_id, _ in rows(judged)}) == 1
    # two spells on the first day; the fourth day it is back
    assert states(judged) == ["new", "new", "open", "returned", "open"]


def test_looking_again_changes_nothing(judged: Site) -> None:
    before = rows(judged)
    for day in reversed(DAYS):
        steps.detect(judged, day, day)
    assert rows(judged) == before


def short_third_day(tmp_path: Path) -> Site:
    """The same drive, but of the third day the log covers 1200 of 7200 s, too little for a verdict."""
    (tmp_path / "site.toml").write_text('name = "life"\nmin_coverage = { drive_down = 0.5 }\n')
    site = steps.site_at(tmp_path)
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        for day in DOWN:
            down(connection, day, 8)
        connection.execute(f"INSERT INTO {LAKE}.site.drive (drive, system) VALUES ('D1', 'stken')")
        for hour, covered_s in ((0, 0.0), (1, 1200.0)):
            connection.execute(
                f"INSERT INTO {LAKE}.ops.coverage VALUES ('enstore_log', 'stken', ?, 3600, ?)",
                [datetime(DAYS[2].year, DAYS[2].month, DAYS[2].day, hour), covered_s],
            )
    return site


def test_a_finding_is_not_gone_on_a_day_of_which_too_little_was_seen(tmp_path: Path) -> None:
    """I13: a finding without logs is neither there nor gone; after that it is open, not returned."""
    site = short_third_day(tmp_path)
    for day in DAYS:
        found = steps.detect(site, day, day)
        unsaid = [(row["rule"], row["entity"]) for row in found.withheld if row["rule"] == "drive_down"]
        assert unsaid == ([("drive_down", None), ("drive_down", "D1")] if day == DAYS[2] else [])
    assert states(site) == ["new", "open", "open", "open"]
    third = steps.ask(site, "finding_life", {"last_day": str(DAYS[2])}).as_dicts()
    assert [(row["state"], row["gone_day"], row["last_day"]) for row in third] == [("open", None, DAYS[1])]
    assert steps.ask(site, "withheld", {"last_day": str(DAYS[2])}).as_dicts()[0]["missing_hours"] == 100 / 60
    assert "Too few logs were read" in run_detect(site, DAYS[2]).stdout
    with Warehouse(site).read() as connection:
        kept = connection.execute("SELECT logs FROM ops.detection ORDER BY day").fetchall()
    assert kept[1:3] == [("{}",), ('{"enstore_log": 0.333}',)], "1200 s"


def test_a_finding_that_the_newest_day_cannot_judge_can_be_marked(tmp_path: Path) -> None:
    site = short_third_day(tmp_path)
    for day in DAYS[:3]:
        steps.detect(site, day, day)
    finding_id, third = rows(site)[0][1], {"last_day": str(DAYS[2])}
    for command, state in (("acknowledge", "acknowledged"), ("reopen", "open"), ("mute", "muted")):
        assert run(site, command, finding_id).exit_code == 0
        assert [row["state"] for row in steps.ask(site, "finding_life", third).as_dicts()] == [state]
    assert run(site, "acknowledge", finding_id).exit_code == 0
    steps.detect(site, DAYS[3], DAYS[3])
    assert states(site) == ["new", "acknowledged", "acknowledged"], "not gone in between"


def test_a_finding_is_gone_when_somebody_looked_and_it_was_not_there(judged: Site) -> None:
    def life(day: date) -> list[tuple[str, date | None]]:
        answer = steps.ask(judged, "finding_life", {"last_day": str(day)}).as_dicts()
        return [(row["state"], row["gone_day"]) for row in answer]

    assert life(DAYS[1]) == [("open", None)]
    assert life(DAYS[2]) == [("gone", DAYS[2])]
    assert life(DAYS[4]) == [("open", None)]


def test_acknowledge_mute_and_reopen(judged: Site) -> None:
    finding_id = rows(judged)[0][1]
    assert run(judged, "acknowledge", finding_id[:6], "--note", "part ordered").exit_code == 0
    # marked on the fifth day of a spell that began on the fourth: nights before it stay unchanged
    assert states(judged) == ["new", "new", "open", "returned", "acknowledged"]
    listed = run(judged, "list", "--day", str(DAYS[4])).output
    assert finding_id in listed and "acknowledged" in listed and "part ordered" in listed
    shown = run(judged, "show", finding_id, "--day", str(DAYS[4])).output
    assert "drive_down" in shown and "offline, in error or cleaning" in shown

    with Warehouse(judged).write("test") as connection, transaction(connection):
        down(connection, DAYS[4] + timedelta(days=1), 8)
        down(connection, DAYS[4] + timedelta(days=3), 8)
    found = [steps.detect(judged, *[DAYS[4] + timedelta(days=n)] * 2).findings for n in (1, 2, 3)]
    assert [[one["state"] for one in night] for night in found] == [["acknowledged"], [], ["returned"]]

    last = DAYS[4] + timedelta(days=3)
    assert run(judged, "mute", finding_id, "--until", str(last)).exit_code == 0
    assert states(judged)[-1] == "muted"
    ended = run(judged, "mute", finding_id, "--until", str(last - timedelta(days=1)))
    assert isinstance(ended.exception, TapescopeError) and "would have no effect" in str(ended.exception)
    assert states(judged)[-1] == "muted", "a mute that has ended already changes nothing"
    assert run(judged, "reopen", finding_id).exit_code == 0
    assert states(judged)[-1] == "returned"
    assert "until" not in run(judged, "list", "--day", str(last)).output
    assert run(judged, "mute", finding_id).exit_code == 0
    assert states(judged)[-1] == "muted"
    done = CliRunner().invoke(cli, ["detect", "--site", str(judged.root), "--day", str(last), "--fail-on", "info"])
    assert done.exit_code == 0, "what is muted does not fail a run"
    assert run(judged, "reopen", finding_id).exit_code == 0
    assert states(judged)[-1] == "returned"
    done = CliRunner().invoke(cli, ["detect", "--site", str(judged.root), "--day", str(last), "--fail-on", "info"])
    assert done.exit_code == 4


def test_an_unknown_id_is_named(judged: Site) -> None:
    for command in ("acknowledge", "show"):
        assert isinstance(run(judged, command, "zzz").exception, TapescopeError)
    with pytest.raises(TapescopeError, match="an id that starts with"):
        steps.mark_finding(judged, "", findings.MUTE)


def test_what_people_marked_outlives_a_change_of_its_contract(tmp_path: Path) -> None:
    site = Site(name="kept", root=tmp_path)
    table = f"{LAKE}.ops.finding_mark"
    with Warehouse(site).write("test") as connection, transaction(connection):
        create_tables(connection, load_catalog())
        connection.execute(f"ALTER TABLE {table} DROP COLUMN note")
        connection.execute(f"INSERT INTO {table} VALUES (1, 'x', 'mute', DATE '2010-03-10', NULL, 'ada', NULL)")
        assert create_tables(connection, load_catalog()) == []
        assert connection.execute(f"SELECT finding_id, note FROM {table}").fetchall() == [("x", None)]
