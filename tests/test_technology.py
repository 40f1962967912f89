"""The technology table: published figures, names, and the nameplate the site's drives get from it."""

import re
from pathlib import Path

import pytest

from pipelines.catalog.files import load_catalog
from pipelines.config import technology
from pipelines.config.technology import drive, known, technologies
from pipelines.ingest.survey.drives import DriveFound
from pipelines.reporting.dictionary import explain
from pipelines.reporting.entries import model_names
from support.archive import make, make_site, query

pytestmark = pytest.mark.usefixtures("plain_store")


@pytest.mark.parametrize(
    ("name", "wraps", "wrap_gb"),
    [("LTO-1", 48, 2.08), ("LTO-2", 64, 3.13), ("LTO-3", 44, 9.09), ("LTO-4", 56, 14.29)],
)
def test_wraps_p31(name: str, wraps: int, wrap_gb: float) -> None:
    """P31, PIC slides "General specifications": tracks / tracks per pass; 100 / 48 = 2.083, 200 / 64 = 3.125 GB."""
    sold = drive(name)
    assert sold.wraps == wraps
    assert sold.wrap_gb == pytest.approx(wrap_gb, abs=0.0051)


@pytest.mark.parametrize(
    ("name", "hours"), [("LTO-4", 1.85), ("LTO-5", 2.98), ("LTO-6", 4.34), ("TS1140", 4.44), ("T10000C", 5.56)]
)
def test_fill_time_n05(name: str, hours: float) -> None:
    """N05, NDGF slides "Scalability issues (tape HW)": 800,000 / 120 s = 1.85 h."""
    assert round(drive(name).fill_hours, 2) == hours


def test_roadmap_against_what_was_sold_n05() -> None:
    """Promised 6400 GB at 315 MB/s, 5.64 h; sold 6000 at 300, 5.56 h. LTO-4 to 6: rate x1.33, capacity x3.125."""
    (promised,) = technology.promises()
    assert round(promised.fill_hours, 2) == 5.64
    assert round(drive(promised.name).fill_hours, 2) == 5.56
    old, new = drive("LTO-4"), drive("LTO-6")
    assert (round(new.native_mb_s / old.native_mb_s, 2), new.capacity_gb / old.capacity_gb) == (1.33, 3.125)
    assert new.year - old.year == 5, "sold in 2007 and 2012; the slides' 2006 is the roadmap's year"


def test_stated_rates_c01_and_e05() -> None:
    """C01: LTO-2 20, 9940B 30, 3592A 40 MB/s; E05: eight drives of 11.2 MB/s a silo, 89.6."""
    assert [drive(name).stated_mb_s for name in ("LTO-2", "9940B", "3592A")] == [20.0, 30.0, 40.0]
    assert 8 * drive("SD-3").native_mb_s == pytest.approx(89.6)


def test_an_hour_of_tape_n12() -> None:
    """N12: 3600 s at 120, 160 and 250 MB/s."""
    assert [drive(name).chunk_gb(3600) for name in ("LTO-4", "LTO-6", "TS1140")] == [432.0, 576.0, 900.0]


def test_names_lead_to_one_generation_each() -> None:
    for row in technologies().values():
        assert all(known(name) is row for name in (row.name, *row.names)), f"{row.name}: a name of it is taken"
        assert (row.tracks is None) == (row.tracks_at_once is None) == (row.length_m is None)
    assert [row.name for row in technologies().values()][:2] == ["LTO-1", "LTO-2"]
    with pytest.raises(KeyError, match="known generations: LTO-1"):
        drive("papyrus")
    assert [DriveFound("d", product=p).generation for p in (" ultrium-td4", "T10000B", "VXA")] == [
        "LTO-4",
        "T10000B",
        "",
    ]


SITE = """
name = "case"
zone = "UTC"

[[drive]]
name = "A"
generation = "ult3580-td4"

[[drive]]
name = "B"
generation = "clay tablet"

[[drive]]
name = "C"
"""


def test_the_nameplate_of_a_sites_drives(tmp_path: Path) -> None:
    site = make_site(tmp_path, SITE)
    make(site)
    rows = query(site, "SELECT drive, generation, nameplate_mb_s FROM site.drive ORDER BY drive")
    assert rows == [("A", "LTO-4", 120.0), ("B", "clay tablet", None), ("C", None, None)]


@pytest.mark.parametrize("name", model_names())
def test_a_model_says_what_it_is(name: str) -> None:
    """Inputs, outputs, limits, source and units, in the page that `tapescope explain` prints."""
    page = explain(load_catalog(), name)
    docstring = page.partition("```text\n")[2].partition("```")[0]
    patterns = ("Inputs:", "Outputs?:", "Limits:", "Source:", r"\b[MGT]B = 10\^")
    lacking = [word for word in patterns if not re.search(word, docstring)]
    assert not lacking, f"the docstring of models/{name}.py does not say {lacking}"
    silent = [line for line in page.splitlines() if line.startswith("- `") and line.endswith("`: ")]
    assert not silent, "these public parts of it say nothing"


def test_models_are_explained() -> None:
    page = explain(load_catalog(), "technology")
    assert "model technology" in page and "GB a wrap holds" not in page and "drive(name: str)" in page
