"""A site with nothing but a library's history of mounts: sessions, bytes, the ledger; titles that site.toml names."""

from pathlib import Path

import pytest

from pipelines import steps
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import library_mounts
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support.archive import all_rows, differences, make, make_site, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

SITE = 'name = "vault"\nzone = "UTC"\n[[input]]\nglob = "logs/*.csv"\n'
TITLES = "Date and Time,VolSer,Frame,Drive,LogLib,Mount Host Write,Mount Host Read,Mount Drive Residency\n"
DAYS = (
    "2026 03 09 08:00.00,_V00001L9,1,1,CTA1,120000,0,20\n2026 03 09 23:50.00,_V00002L9,1,1,CTA1,0,60000,20\n",
    "2026 03 10 00:30.00,_V00001L9,1,1,CTA1,0,6000,10\n2026 03 10 09:00.00,_V00003L9,1,2,CTA1,600,0,10\n",
)


def test_a_site_of_it(tmp_path: Path) -> None:
    """Drive 1 of frame 1 held tapes for 20, 20 and 10 min; 120, 60 and 6 GB: 186 GB in 3000 s are 62 MB/s."""
    whole = make_site(tmp_path / "whole", SITE)
    for n, rows in enumerate(DAYS):
        put(whole, f"{n}.csv", TITLES + rows)
    make(whole, full=True)
    ledger = (
        "SELECT drive, sum(duration_us) / 60e6 FROM gold.drive_ledger WHERE bucket = 'occupied' GROUP BY ALL ORDER BY 1"
    )
    assert query(whole, ledger) == [("F1D1", 50.0), ("F1D2", 10.0)]
    of = "SELECT mode, sum(bytes) / 1e9 FROM silver.transfer WHERE drive = 'F1D1' GROUP BY mode ORDER BY mode"
    assert query(whole, of) == [("read", 66.0), ("write", 120.0)]
    period = {"first_day": "2026-03-09", "last_day": "2026-03-10"}
    (first, _) = steps.ask(whole, "listed_drives", period).as_dicts()
    assert (first["n_mounts"], first["n_volumes"]) == (3, 2)
    assert (first["moved_gb"], first["overall_mb_s"]) == (pytest.approx(186), pytest.approx(62))
    site = make_site(tmp_path / "site", SITE)
    for n in (1, 0):
        put(site, f"{n}.csv", TITLES + DAYS[n])
        make(site)
    assert differences(all_rows(whole), all_rows(site)) == []


def test_init_finds_the_drives(tmp_path: Path) -> None:
    (tmp_path / "lib_mount_history_20260310.csv").write_text(TITLES + "".join(DAYS))
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    drives = steps.site_at(tmp_path).drive
    assert [(drive.name, drive.slot) for drive in drives] == [("F1D1", "F1D1"), ("F1D2", "F1D2")]


def test_titles_that_site_toml_names(tmp_path: Path) -> None:
    columns = '{ at = "Mounted", volume = "Cartridge", drive = "Bay", residency_min = "Stay", read_mb = "Read (MB)" }'
    site = make_site(tmp_path, f'{SITE}source = "library_mounts"\ndate_order = "dmy"\ncolumns = {columns}\n')
    put(site, "a.csv", "A report\nCartridge;Mounted;Bay;Stay;Read (MB)\nV1;09/03/2026 08:00:00;LTO9-1;20;12000\n")
    make(site)
    found = query(site, "SELECT drive, volume, mounted_at, dismounted_at, read_bytes FROM silver.listed_mount")
    assert [(row[:2], str(row[2]), str(row[3]), row[4]) for row in found] == [
        (("LTO9-1", "V1"), "2026-03-09 08:00:00", "2026-03-09 08:20:00", 12_000_000_000)
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [((("when", "Mounted"),), "not a column of this source"), ((), "no line has column titles for at")],
)
def test_titles_that_nobody_names_are_refused(columns: tuple[tuple[str, str], ...], message: str) -> None:
    lines = ["Cartridge;Mounted;Drive;Stay", "V1;09/03/2026 08:00:00;LTO9-1;20"]
    origin = Origin(head=tuple(lines), columns=columns)
    with pytest.raises(UnreadableFile, match=message):
        library_mounts.parse(frame_of("\n".join(lines).encode()), origin, None)
