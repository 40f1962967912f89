"""Forecasts on a recorded week of the library story, through its logs; the generator shares no code with the models.

The week is recorded once. The generator also makes the other weeks, and the answers are compared with these.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dashboards.parts.plan import campaigns as campaign_page
from pipelines import steps
from pipelines.analysis import forecast
from pipelines.analysis.forecast import Fitted, campaigns, drives_needed, nightly, whatif
from pipelines.analysis.models import calibration
from pipelines.analysis.models.eta import Eta
from pipelines.analysis.models.service_time import Mounts, Service
from pipelines.analysis.models.simulation import Changes, File, Mount, Outage, Use, Uses, Work, simulate
from pipelines.analysis.models.sizing import Needed
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.cli.forecast import common
from pipelines.cli.forecast import fit as fit_command
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from sample_data.generate import write
from sample_data.library import run_library
from sample_data.scenario import LibraryScenario
from support.archive import query

pytestmark = pytest.mark.usefixtures("plain_store")

STORY = LibraryScenario(
    seed=3, days=4, drives=3, stations=2, tapes=8, files_per_session=10, sessions_per_day=4, pools=0, network_days=()
)
CAMPAIGN = """
[[campaign]]
name = "new tapes"
size_tb = 3.0
from = 2010-02-01
mode = "write"

[[campaign]]
name = "of another group"
size_tb = 1.0
from = 2010-01-30
storage_group = "nobody"

[[campaign]]
name = "to come"
size_tb = 1.0
from = 2030-01-01
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("forecast")
    write(STORY, folder)
    with (folder / "site.toml").open("a") as text:
        text.write(CAMPAIGN)
    made = steps.site_at(folder)
    steps.ingest(made, sorted((folder / "logs" / "enstore").iterdir()))
    steps.build(made)
    yield made


def past(site: Site) -> forecast.History:
    return forecast.History(site, load_catalog())


def run(site: Site, *words: str) -> Result:
    return CliRunner().invoke(cli, ["forecast", *words, "--site", str(site.root)])


def output_of(site: Site, *words: str) -> str:
    done = CliRunner().invoke(cli, ["forecast", *words, "--site", str(site.root)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def happened(**other: float) -> Uses:
    """The generator's record of its drives, in microseconds, in a week that differs from the recorded one."""
    uses: Uses = defaultdict(Use)
    library = run_library(STORY.model_copy(update=other))
    for session in library.day.sessions:
        moved = [moved for moved in session.transfers if not moved.failed]
        mode = moved[0].ticket.mode
        use = uses["LTO-4", mode]
        use.n_mounts += 1
        use.busy_s += (session.dismounted - session.load_requested) / 1e6
        use.moved_mb += sum(one.tape_bytes for one in moved) / 1e6
    return uses


def test_the_replay_is_what_was_recorded(site: Site) -> None:
    record = whatif.recorded(past(site))
    answer = whatif.judge(record, Changes())
    assert (answer.error < 0.01, answer.is_withheld, record.share) == (True, False, 1.0)
    for key, use in happened().items():
        again = answer.replayed.uses[key]
        assert again.n_mounts == use.n_mounts
        assert (again.busy_s, again.moved_mb) == pytest.approx((use.busy_s, use.moved_mb), rel=0.005), key


@pytest.mark.parametrize(
    ("changes", "other"), [(Changes(speed=1.5), {"drive_mb_s": 120.0}), (Changes(speed=0.625), {"drive_mb_s": 50.0})]
)
def test_a_change_is_foretold_within_ten_per_cent(site: Site, changes: Changes, other: dict[str, float]) -> None:
    """The same week generated with faster, and with slower drives: drive-hours and rates."""
    answer = whatif.judge(whatif.recorded(past(site)), changes)
    assert answer.changed
    before = happened()
    for key, use in happened(**other).items():
        simulated = answer.changed.uses[key]
        assert (simulated.busy_s, simulated.rate_mb_s) == pytest.approx((use.busy_s, use.rate_mb_s), rel=0.10), key
        assert abs(use.busy_s / before[key].busy_s - 1) > 0.10, "else no change would do as well"


def test_a_replay_that_is_off_withholds_the_answer(site: Site) -> None:
    record = whatif.recorded(past(site))
    wrong: Uses = {
        key: Use(u.n_mounts, u.moved_mb, 1.3 * u.busy_s, u.waited_s, u.ended_s) for key, u in record.uses.items()
    }
    off = whatif.judge(whatif.Record(record.work, wrong, 1.0), Changes(speed=2))
    assert off.is_withheld and off.error == pytest.approx(0.3, abs=0.02) and "mounts" in off.what
    thin = whatif.judge(whatif.Record(record.work, record.uses, 0.8), Changes(speed=2))
    assert thin.is_withheld and thin.error == pytest.approx(0.2) and "without a logged request" in thin.what


def test_waits_that_the_replay_lacks_are_explained() -> None:
    """A drive is free when a mount is requested, and takes it 36 s later: the replay has no such delay."""
    files = (File(100.0, 1.0),)
    mounts = tuple(Mount("LTO-9", "read", files, asked_s, "", "", 60.0, 60.0) for asked_s in (0.0, 1000.0))
    uses: Uses = {("LTO-9", "read"): Use()}
    for mount in mounts:
        uses["LTO-9", "read"].add(mount, mount.asked_s + 36.0, mount.asked_s + 157.0)
    answer = whatif.judge(whatif.Record(Work(mounts, {"LTO-9": 1}), uses, 1.0), Changes())
    assert answer.replayed.uses["LTO-9", "read"].waited_s == 0
    assert answer.shorter_waits.endswith("without delay by a scheduler: mounts wait 36.0 s less on average.")
    assert whatif.judge(whatif.Record(answer.record.work, answer.replayed.uses, 1.0), Changes()).shorter_waits == ""


def test_whatif_commands(site: Site) -> None:
    output = output_of(site, "whatif", "--faster", "1.5")
    assert re.search("changed +LTO-4 read ", output) and "withheld" not in output
    assert "Compared with the replay without changes: better; mounts end" in output
    fewer = output_of(site, "whatif", "--drives", "LTO-4=1")
    assert output_of(site, "whatif", "--drives", "lto4=1") == fewer
    assert fewer.index("\nnone: the replay ") < fewer.index("\n1 LTO-4 drive "), "what makes work wait stands last"
    assert re.search(r"mounts wait [\d.]+ h more in total", fewer)
    assert run(site, "whatif", "--faster", "0").exit_code == 2
    assert run(site, "whatif", "--drives", "LTO-4").exit_code == 2
    assert "there is no work for drives of kind 'LTO-9'" in run(site, "whatif", "--drives", "LTO-9=2").output
    empty = run(site, "whatif", "--day", "2001-01-01")
    assert isinstance(empty.exception, TapescopeError) and "no mount was logged" in str(empty.exception)


@pytest.mark.parametrize(("n_files", "of_speed"), [(1, 0.211), (10, 0.670), (100, 0.857)])
def test_efficiency_by_size_is_the_sizing_notes_c14(n_files: int, of_speed: float) -> None:
    """1000 MB at 30 MB/s with 120 s a mount and 4.4 s a file: rows of C13's table; always more with larger files."""
    costs = {"speed_mb_s": 30.0, "mount_s": 120.0, "file_s": 4.4, "seek_s": 0.0}
    known = calibration.Calibration(9, {name: Estimate(cost, cost, cost) for name, cost in costs.items()})  # type: ignore[misc]
    like = Fitted("9940B", "read", Mounts(np.ones(1), np.ones(1), np.ones(1)), known)
    curve = [row for row in forecast.efficiency_by_size(like) if row["n_files"] == n_files]
    (at,) = [row["efficiency"] for row in curve if row["file_mb"] == pytest.approx(1000)]
    assert at == pytest.approx(of_speed, abs=0.001)
    assert [row["efficiency"] for row in curve] == sorted(row["efficiency"] for row in curve)
    assert (curve[0]["file_mb"], round(curve[-1]["file_mb"], -2)) == (pytest.approx(10), 20000)


def test_fit_finds_what_the_generator_was_given(site: Site) -> None:
    """80 MB/s a drive, in calls; the way of the files through the buffer makes it a little less. Every mount has as
    many files as the others, so no line through mounts parts what a mount costs from what a file costs: the logs do,
    which have the time between files."""
    fitted = {f"{one.generation} {one.mode}": one for one in forecast.fit_site(past(site))}
    assert set(fitted) == {"LTO-4 read", "LTO-4 write"}
    for one in fitted.values():
        speed = one.found.parameters["speed_mb_s"]
        assert isinstance(speed, Estimate) and speed.value == pytest.approx(80, rel=0.05)
        assert not one.found.unknown and one.found.fits
        line = calibration.fit(replace(one.mounts, between_s=None))
        assert line.unknown.keys() == {"mount_s", "file_s"}, "every mount of the story has ten files"
        assert "mounts of few files as well as of many" in line.unknown["mount_s"].data_needed
        assert one.mounts.n_files.max() <= 10 and one.mounts.n_files.min() >= 9
    output = output_of(site, "fit")
    assert "120 s per mount and 4.4 s per file, as in CERN's sizing note, the formula fits" in output
    few = ("--days", "1", "--day", "2010-02-01")
    refused = run(site, "drives", "--traffic", "a=1,1,0.5", "--drives-like", "LTO-4 read", *few)
    assert isinstance(refused.exception, TapescopeError) and "cannot estimate costs of LTO-4 read: " in str(
        refused.exception
    )
    twice = run(site, "drives", "--traffic", "a=1,1,0.5", "--traffic", "a=2,1,0.5", "--speed", "80")
    assert twice.exit_code == 2 and "the same name" in twice.output
    assert "1 drive: " in output_of(site, "drives", "--traffic", "a=1,1,0.5", "--speed", "80")
    strange = run(site, "sizes", "--drives-like", "LTO-9 read")
    assert isinstance(strange.exception, TapescopeError) and "LTO-4 read" in strange.exception.hint


def test_buffer_command(site: Site) -> None:
    """The story reads its eight tapes in turn: 240 reads of 80 files, so 160 of them are read again."""
    output = output_of(site, "buffer", "--size", "0.05", "--family", "beams.raw")
    assert "Reads logged by the drives on 4 days:" in output and "One buffer for beams.raw:" in output
    (row,) = (line.split() for line in output.splitlines() if line.startswith("all "))
    assert row[:2] == ["all", "240"] and row[4] == "66.7" and "the share of data in the buffer" in output
    empty = run(site, "buffer", "--day", "2001-01-01")
    assert isinstance(empty.exception, TapescopeError) and "no log shows a file read" in str(empty.exception)
    nobody = run(site, "buffer", "--group", "nobody")
    assert isinstance(nobody.exception, TapescopeError) and "ask members" in nobody.exception.hint
    strange = run(site, "buffer", "--family", "nobody's")
    assert isinstance(strange.exception, TapescopeError) and "beams.raw" in strange.exception.hint


def test_recall_commands(site: Site) -> None:
    """Tape VR0001 has ten files."""
    output = output_of(site, "recall", "VR0001", "9,2-3", "--speed", "80")
    assert "30 % of the tape's files are requested" in output and "`optimised`: 2,3,9" in output
    for files, why in (
        ("99", "no known file 99"),
        ("1,1", "names a file twice"),
        ("4-2", "write file numbers such as 3,17,20-40, not '4-2'"),
        ("x", "write file numbers such as 3,17,20-40, not 'x'"),
    ):
        bad = run(site, "recall", "VR0001", files, "--speed", "80")
        assert bad.exit_code and why in bad.output + str(bad.exception), files
    for options in (["--speed", "80"], []):
        lost = run(site, "recall", "NIX001", "1", *options)
        assert "no file of tape 'NIX001'" in str(lost.exception)
    assert output_of(site, "recall", "VR0001", "1").startswith("Costs are those of LTO-4 read mounts at this site, ")
    spelled = [output_of(site, "recall", "VR0001", "1", "--generation", name) for name in ("LTO-4", "lto4")]
    assert spelled[0] == spelled[1]
    other = run(site, "recall", "VR0001", "1", "--generation", "LTO-2")
    assert other.exit_code == 2 and "no log shows the speed of LTO-2 read mounts: give --speed" in other.output
    few = run(site, "recall", "VR0001", "1", "--days", "1", "--day", "2010-02-01")
    assert few.exit_code == 2 and "give --speed" in few.output, "no speed is stated, and too few mounts have it"
    assert run(site, "recall", "VR0001", "1", "--speed", "80", "--mount-s", "-1").exit_code == 2
    for options in (
        "--speed=0",
        "--speed=inf",
        "--speed=80:90:99",
        "--speed=80 --files=0",
        "--speed=80 --file-mb=0",
        "--speed=8 --efficiency=0",
    ):
        assert run(site, "sizes", *options.split()).exit_code == 2, options
    assert run(site, "fit", "--days", "0").exit_code == 2
    helical = run(site, "recall", "VR0001", "1", "--speed", "80", "--generation", "SD-3")
    assert "lacks tracks or tape length of SD-3" in str(helical.exception)


def test_a_tape_is_read_at_the_speed_of_its_own_drives(capsys: pytest.CaptureFixture[str]) -> None:
    """Nine mounts show all costs of LTO-2 at 30 MB/s; four of LTO-4 are too few, but show that these move 80 MB/s."""

    def fitted(generation: str, mb_s: float, n: int) -> Fitted:
        n_files = np.arange(1.0, n + 1)
        moving_s = 1000 * n_files / mb_s
        mounts = Mounts(n_files, 1000 * n_files, moving_s + 100 + 2 * n_files, moving_s)
        return Fitted(generation, "read", mounts, calibration.fit(mounts))

    known, few = fitted("LTO-2", 30.0, 9), fitted("LTO-4", 80.0, 4)
    assert not known.found.unknown and few.found.unknown
    found = common._at_speed_of("LTO-4", "read", known.found, [known, few])
    assert (found.service.speed_mb_s, found.service.mount_s) == pytest.approx((80, 100))
    assert capsys.readouterr().err == "The speed is that of LTO-4 read mounts, fitted to 4 mounts.\n"
    common._warn_of_misfit(known.found)
    assert not capsys.readouterr().err
    common._warn_of_misfit(replace(known.found, median_error=0.2))
    assert "does not fit these mounts" in capsys.readouterr().err


def test_a_tape_holds_more_than_it_is_sold_for() -> None:
    """120 files of 10 GB on an LTO-4 of 800 GB: 56 wraps of 21.4 GB. No way takes more than the longest of any LTO-4.

    The longest by the published model: 4.29 + 6.69 + 3.2 + 11.32 s, and 820 m at 0.086 s a metre, 96 s in all.
    """
    rows = [
        {"system": "s", "file_number": n, "begin_gb": 10.0 * n, "end_gb": 10.0 * (n + 1), "n_lacking": 0}
        | {"generation": "LTO-4"}
        for n in range(120)
    ]
    answers = {"tape_contents": rows, "tape_moves": []}
    history = cast(forecast.History, SimpleNamespace(rows=lambda name, **_: answers[name]))
    found = forecast.estimate_recall(history, "V", [10, 85, 119], Service(80))
    assert found.orders["listed"].seek_s < 3 * 96
    places = forecast.laid_out(rows)
    assert places is not None and max(place["wrap"] for place in places) == 55


def test_campaigns(site: Site) -> None:
    """What the generator wrote is what is counted; four days are too few for an end, five days are asked for."""
    new, other = forecast.progress(past(site))
    written = happened()["LTO-4", "write"].moved_mb / 1000
    assert (new.name, new.done_gb) == ("new tapes", pytest.approx(written, rel=1e-6))
    assert new.left_gb == pytest.approx(3000 - written) and new.n_days_lacking == 0
    assert new.rate_mb_s and 20 < new.rate_mb_s < 80
    assert isinstance(new.end, NoEstimate) and new.end.reason == "only 4 days have logs"
    assert (other.done_gb, other.rate_mb_s, other.n_days_lacking) == (0, None, 2)
    output = output_of(site, "campaign")
    assert "only 4 days have logs; data needed: logs of at least 5 days" in output
    assert "days without logs since the start of the campaign: 2;" in output
    assert "to come: no log covers any day since the campaign started on 2030-01-01." in output
    renamed = site.model_copy(update={"campaign": site.campaign[1:]})
    with pytest.raises(TapescopeError, match=r"a campaign 'new tapes' that site.toml does not name"):
        forecast.progress(past(renamed))
    days = query(site, "SELECT day, campaign, moved_gb FROM gold.campaign ORDER BY ALL")
    assert len(days) == 8 and sum(row[2] for row in days) == pytest.approx(written)


def test_a_night_is_kept(site: Site) -> None:
    """Drives needed by the generator's record: twice the hours at work, by the hours that logs cover.

    Efficiency is MB over (wall-clock x nameplate), so nameplate and MB cancel: 2 x busy / covered / share not down;
    less the few minutes in which a tape was mounted without a request.
    """
    day = date(2010, 2, 4)
    night = steps.forecast(site)
    counts = night.as_dict()
    assert (night.day, counts["forecasts"] + counts["no_estimate"]) == (
        day,
        sum(row["varied_input"] is None for row in night.rows),
    )
    rows = steps.ask(site, "forecasts").as_dicts()
    by_quantity = {(row["entity"], row["quantity"]): row for row in rows if row["varied_input"] is None}
    assert len(rows) == len(night.rows) and len(by_quantity) == counts["forecasts"] + counts["no_estimate"]
    known = steps.ask(site, "drive_days").as_dicts()
    seen, down = (sum(row[key] for row in known) for key in ("known_hours", "down_hours"))
    busy = sum(use.busy_s for use in happened().values()) / 3600
    drives = by_quantity["LTO-4", "drives"]
    assert drives["value"] == pytest.approx(2 * busy / (seen / 3) / (1 - down / seen), rel=0.05)
    assert drives["value_low"] < drives["value"] < drives["value_high"] and drives["n_samples"] == 4
    alone = {row["varied_input"]: row for row in rows if row["quantity"] == "drives" and row["varied_input"]}
    assert set(alone) == {"read: efficiency", "write: efficiency"}, "four days do not tell how traffic scatters"
    assert all(row["value_low"] < drives["value"] < row["value_high"] for row in alone.values())
    assert by_quantity["LTO-4 read", "speed_mb_s"]["value"] == pytest.approx(80, rel=0.05)
    # between files by the logs: every mount has ten files, so that nothing else parts a file's cost from a mount's
    ((between_s,),) = query(
        site,
        "SELECT sum(gap_s - no_request_s - position_s) / count(*) FROM silver.gap g JOIN silver.transfer t"
        " ON t.transfer_id = g.gap_id WHERE t.mode = 'read'",
    )
    assert by_quantity["LTO-4 read", "file_s"]["reason_missing"] is None
    assert by_quantity["LTO-4 read", "file_s"]["value"] == pytest.approx(between_s, rel=0.05)
    for name, why in (
        ("new tapes", "only 4 days have logs"),
        ("to come", "no log covers any day since the campaign started"),
    ):
        assert by_quantity[name, "days_left"]["reason_missing"].startswith(why)
    assert by_quantity["new tapes", "week_gb"]["until_day"] == date(2010, 2, 11)
    assert ("LTO-4", "seek_factor") not in by_quantity, (
        "no way among files was logged, and the published word is not the site's"
    )
    # made again it is the same, and no new snapshot; one for an earlier day is added to it
    snapshot = steps.ask(site, "forecasts").snapshot
    assert steps.forecast(site, day).rows == night.rows and steps.ask(site, "forecasts").snapshot == snapshot
    assert steps.forecast(site, date(2010, 2, 3)).day != day
    assert steps.ask(site, "forecasts").rows == [tuple(row.values()) for row in rows]
    printed = CliRunner().invoke(cli, ["forecast", "--site", str(site.root), "--day", "2010-02-03", "--json"])
    assert json.loads(printed.output)["day"] == "2010-02-03"
    assert "forecasts from data up to 2010-02-04" in output_of(site)
    astray = CliRunner().invoke(cli, ["forecast", "--day", "2010-02-03", "fit", "--site", str(site.root)])
    assert astray.exit_code == 2 and "write the options after `fit`" in astray.output


def test_a_night_of_which_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "none"\n[[campaign]]\nname = "c"\nsize_tb = 1.0\nfrom = 2010-02-01\n')
    night = steps.forecast(steps.site_at(tmp_path))
    assert [(row["entity"], row["reason_missing"]) for row in night.rows] == [
        ("c", "no log covers any day since the campaign started on 2010-02-01")
    ]
    assert night.sentence == "No day has data yet, so no forecast was made."


def test_spools_are_those_of_all_days_and_an_idle_one_has_a_reason() -> None:
    """Every row is labelled with the 28 days up to the last: these are asked about, not the last day alone."""

    def rows(name: str, **params: str) -> list[dict[str, Any]]:
        assert (name, params) == ("spool_headroom", {"first_day": "2010-02-11"})
        return [{"station": "dm8", "outage_hours": 6.0}, {"station": "dm9", "outage_hours": None}]

    busy, idle = nightly._spools(cast(forecast.History, SimpleNamespace(rows=rows)), date(2010, 2, 11))
    assert (busy["value"], "reason_missing" in busy) == (6.0, False)
    assert (
        "value" not in idle
        and idle["reason_missing"] == "no half-hour with logs has an input rate above duty_threshold_mb_s"
    )


def test_drives_that_cannot_be_estimated() -> None:
    """Rows by hand: one drive, one day, 6 of 24 h known: less than half of a day is no day."""
    row = {
        "drive": "A",
        "day": date(2010, 2, 1),
        "read_gb": 100.0,
        "write_gb": 0.0,
        "known_hours": 24.0,
        "down_hours": 0.0,
    }
    mounts = Mounts(*(np.full(4, number) for number in (10.0, 10_000.0, 200.0)))
    read = {"read": Fitted("LTO-4", "read", mounts, calibration.fit(mounts))}
    for generation, days, fitted, why in (
        ("LTO-4", [row], {}, "read traffic: only 0 mounts were logged completely, from request to dismount"),
        (None, [row], read, "no native rate is known for these drives"),
        ("LTO-4", [row | {"read_gb": 0.0}], read, "no data moved"),
        ("LTO-4", [row | {"down_hours": 24.0}], read, "down on all days with logs"),
    ):
        found = drives_needed._needed(generation, days, fitted)
        assert isinstance(found, NoEstimate) and why in found.reason
    assert drives_needed._well_seen([row | {"known_hours": 6.0}]) == []
    # 100 GB a day, doubled, of mounts that move 50 MB/s: 2 x 100,000 / 86,400 / 50 = 0.0463 drives
    needed = drives_needed._needed("LTO-4", [row], read)
    assert isinstance(needed, Needed) and needed.drives.value == pytest.approx(0.046296, rel=1e-4)
    # the same on one day of twenty: a twentieth of the drives, and perhaps hardly any
    days = [row | {"day": date(2010, 2, 1 + n), "read_gb": 100.0 * (n == 7)} for n in range(20)]
    needed = drives_needed._needed("LTO-4", days, read)
    assert isinstance(needed, Needed) and needed.drives.value == pytest.approx(0.046296 / 20, rel=1e-4)
    assert 0 < needed.drives.low < 1e-4 < needed.drives.value < needed.drives.high


def test_a_replay_of_mounts_without_length_is_compared() -> None:
    """A mount whose drive was free in the second of its request: no hours to divide by."""
    mount = Mount("LTO-4", "read", (File(1.0, 1.0, 0.0),), 0.0, "s")
    record = whatif.Record(Work((mount,), {"LTO-4": 1}), {("LTO-4", "read"): Use(1, 1.0, 0.0)}, 1.0)
    error, what = whatif.replay_error(record, simulate(record.work))
    assert (error, what) == (1.0, "end of the last LTO-4 read mount")
    assert whatif._off(3.0, 2.0) == 0.5


def test_a_campaigns_end_is_forecast(site: Site) -> None:
    """Its days are put together by hand: 400, 500, 600, 400, 600 GB with two drives, 5 TB left: ten days."""
    moved = [400.0, 500.0, 600.0, 400.0, 600.0]
    days = [
        {
            "day": date(2010, 2, 1 + n),
            "moved_gb": gb,
            "n_drives": 2,
            "busy_hours": 10.0,
            "covered_hours": 48.0,
            "done_gb": sum(moved[: n + 1]),
            "left_gb": 7500 - sum(moved[: n + 1]),
            "n_days_lacking": 0,
        }
        for n, gb in enumerate(moved)
    ]
    levers = [{"day": row["day"], "cause": "long_gap", "gain_gb_day": 125.0} for row in days]
    one = campaigns._progress("c", 7500, days, levers, 28)
    assert campaigns._progress("c", 7500, days, levers, 800_000) == one  # longer than the calendar
    assert isinstance(one.end, Eta) and one.end.days.value == 10 and one.end.days.low < 10 < one.end.days.high
    assert [lever.name for lever in one.end.levers] == ["a drive more", "without long_gap"]
    assert one.rate_mb_s == pytest.approx(2_500_000 / 50 / 3600)
    assert one.day_after(10) == date(2010, 2, 15) and one.day_after(1e9) is None


def test_a_complete_campaign_has_no_end_to_come() -> None:
    """All was moved on the first of two days: it did not end on the last one, and two days are not too few to know."""
    row = {
        "n_drives": 1,
        "busy_hours": 1.0,
        "covered_hours": 24.0,
        "done_gb": 500.0,
        "left_gb": 0.0,
        "n_days_lacking": 0,
    }
    one = campaigns._progress(
        "c", 500, [row | {"day": date(2010, 2, 1 + n), "moved_gb": 500.0 - 500 * n} for n in (0, 1)], [], 28
    )
    assert list(fit_command._campaign_notes(one)) == ["the campaign is complete"]
    night = {forecast["quantity"]: forecast for forecast in nightly._campaign(one)}
    assert night["days_left"]["value"] == fit_command._campaign(one)["left_days"] == 0.0
    assert "reason_missing" not in night["days_left"] and night["week_gb"]["reason_missing"] is not None
    steady = campaigns._progress(
        "c", 500, [row | {"day": date(2010, 2, 1 + n), "moved_gb": 100.0} for n in range(6)], [], 28
    )
    assert isinstance(steady.end, Eta) and fit_command._campaign(steady)["done_day"] is None
    assert (campaign_page._end(one), campaign_page._end(steady)) == ("The campaign is complete.",) * 2


def test_the_first_hour_of_a_day_is_no_day_of_a_campaign() -> None:
    """Logs reach an hour into the sixth day, in which 20 GB moved: five days of 500 GB remain, and 4980 GB to move.

    4980 / 500 = 9.96 days, and not 4980 / (2520 / 6) = 11.9. Without the gaps, which cost 500 GB on each of the
    five days and 60 in the hour, 4980 / 1000 = 4.98 days; the hour does not count as a sixth day here either.
    """
    moved = [500.0] * 5 + [20.0]
    days = [
        {
            "day": date(2010, 2, 1 + n),
            "moved_gb": gb,
            "n_drives": 2,
            "busy_hours": gb / 50,
            "covered_hours": 48.0 if n < 5 else 2.0,
            "done_gb": sum(moved[: n + 1]),
            "left_gb": 7500 - sum(moved[: n + 1]),
            "n_days_lacking": 0,
        }
        for n, gb in enumerate(moved)
    ]
    gains = [500.0] * 5 + [60.0]
    levers = [{"day": row["day"], "cause": "long_gap", "gain_gb_day": gb} for row, gb in zip(days, gains, strict=True)]
    one = campaigns._progress("c", 7500, days, levers, 28)
    assert isinstance(one.end, Eta) and one.end.days.value == pytest.approx(9.96)
    assert {lever.name: lever.days for lever in one.end.levers}["without long_gap"] == pytest.approx(4.98)
    assert (one.done_gb, one.left_gb, one.n_days, one.last_day) == (2520, 4980, 5, date(2010, 2, 6))


def test_a_drive_that_served_nothing_takes_no_other_out_of_use() -> None:
    """D2 was down all day, and had no mount: the replay has D1 alone, which was down for an hour."""
    at = datetime(2010, 2, 1)
    row = {"kind": "LTO-4", "from_at": at}
    down = [row | {"drive": "D1", "to_at": at.replace(hour=1)}, row | {"drive": "D2", "to_at": at.replace(hour=18)}]
    history = cast(forecast.History, SimpleNamespace(rows=lambda _: down))
    found = whatif.drives_of(history, [[{"kind": "LTO-4", "drive": "D1"}]], at)
    assert found == ({"LTO-4": 1}, (Outage("LTO-4", 0, 3600),))


def test_bytes_of_a_mount_whose_request_was_not_logged_are_not_replayed() -> None:
    """100 GB of a mount that was logged completely, and 300 GB of one of which a hole in the log hides the request."""
    at = datetime(2010, 2, 1)
    row = {
        "kind": "LTO-4",
        "drive": "D1",
        "mode": "read",
        "station": None,
        "system": "s",
        "volume": None,
        "wait_s": None,
    }
    row |= dict.fromkeys(("think_s", "avoidable_s", "before_s", "after_s"), 0.0) | {"moving_s": 9.0, "asked_at": at}
    row |= {"dismounted_at": at.replace(hour=1)}
    work = [
        row | {"session_id": "a", "requested_at": at, "file_bytes": 10**11},
        row | {"session_id": "b", "requested_at": None, "file_bytes": 3 * 10**11},
    ]
    answers = {"recorded_work": work, "drives_down": []}
    history = cast(forecast.History, SimpleNamespace(rows=lambda name: answers[name]))
    record = whatif.recorded(history)
    assert (record.share, len(record.work.mounts)) == (0.25, 1)


def test_a_clock_that_jumped_back_stops_no_replay() -> None:
    at = datetime(2010, 11, 7, 6)
    row = {"kind": "LTO-4", "mode": "read", "asked_at": at, "station": None, "system": "s", "volume": None}
    row |= {
        "before_s": -3570.0,
        "think_s": 0.0,
        "avoidable_s": -3.0,
        "moving_s": -1.0,
        "wait_s": None,
        "after_s": 9.0,
        "file_bytes": 10**9,
    }
    mount = whatif.mount_of([row, row], at)
    assert simulate(Work((mount,), {"LTO-4": 1})).ended_s == 9


def test_a_site_without_a_campaign_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "none"\n')
    with pytest.raises(TapescopeError, match="declares no campaign"):
        forecast.progress(past(steps.site_at(tmp_path)))


def test_roadmap_command() -> None:
    done = CliRunner().invoke(cli, ["forecast", "roadmap"])
    assert "LTO-7 was announced with 6400 GB" in done.output and re.search(r"56 +14\.29", done.output)
