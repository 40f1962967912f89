"""One template for several sites: site.toml says what is its own, the template the rest."""

import re
from pathlib import Path

import pytest

from dashboards.site import read_site
from pipelines.config.site import load_site
from pipelines.primitives.errors import ConfigError

COMMON = """\
name = "a site"
zone = "UTC"
expected_gap_s = 3.0
[limits]
line_kb = 64
expansion = 50
[[drive]]
name = "D1"
generation = "LTO-4"
[[input]]
glob = "logs/vmstat/{host}.txt"
"""
DAACS = ("GSFC", "LaRC", "EDC", "NSIDC", "JPL")


def site_of(folder: Path, own: str, common: str = COMMON) -> Path:
    (folder / "common.toml").write_text(common)
    (folder / "daac").mkdir(exist_ok=True)
    (folder / "daac" / "site.toml").write_text('template = "../common.toml"\n' + own)
    return folder / "daac"


def test_five_sites_of_one_template(tmp_path: Path) -> None:
    """E03: each has its own name and one drive more; paths stay relative to its own folder."""
    for name in DAACS:
        site = load_site(site_of(tmp_path, f'name = "{name}"\n[limits]\nexpansion = 20\n[[drive]]\nname = "{name}1"\n'))
        assert (site.name, site.expected_gap_s, site.root) == (name, 3.0, tmp_path / "daac")
        assert (site.limits.line_kb, site.limits.expansion) == (64, 20)
        assert [drive.name for drive in site.drive] == ["D1", f"{name}1"]
        assert [item.glob for item in site.input] == ["logs/vmstat/{host}.txt"]


@pytest.mark.parametrize(
    ("own", "common", "why"),
    [
        ('[[drive]]\nname = "D2"\nspeed = 1\n', COMMON, "  line 4: drive.2.speed"),
        ("", COMMON + 'sort = "x"\n', "  ../common.toml, line 12: input.1.sort"),
        ("[limits]\nline_kb = 1\n", COMMON, "  line 3: limits.line_kb"),
        ('[[drive]]\nname = "D1"\n', COMMON, "drive 'D1' is declared twice"),
        ("", 'template = "other.toml"\n', "has a key `template`"),
        ("", "name =", "common.toml is not TOML"),
    ],
)
def test_a_mistake_is_named_where_it_stands(own: str, common: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(why)):
        load_site(site_of(tmp_path, own, common))


@pytest.mark.parametrize(
    ("line", "why"), [('template = "nowhere.toml"', "cannot read"), ("template = 7", "must be the name of a file")]
)
def test_a_template_that_is_not_there(line: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(line + "\n")
    with pytest.raises(ConfigError, match=why):
        load_site(tmp_path)


def test_pages_notice_a_change_of_the_template(tmp_path: Path) -> None:
    folder = site_of(tmp_path, "")
    assert read_site(folder).name == "a site" and read_site(folder) is read_site(folder)
    (tmp_path / "common.toml").write_text(COMMON.replace("a site", "another site"))
    assert read_site(folder).name == "another site"
