"""What `tapescope init` reads from a folder of logs about their zone, and what it warns of."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines.cli import cli
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
