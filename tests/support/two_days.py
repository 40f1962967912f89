"""Two days of three sources, which arrive one after the other, and all rows that are kept of them."""

from collections import Counter
from datetime import date, datetime, timedelta

from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from support.archive import Rows, all_rows, morning, mrtg_text, put, queries, vmstat_text

FIRST, SECOND = date(2010, 3, 9), date(2010, 3, 10)


def arrive(site: Site, day: date) -> None:
    evening = datetime.combine(day, datetime.min.time()) + timedelta(hours=20, minutes=3, seconds=7)
    put(site, f"enstore/LOG-{day}", morning(day).days()[day])
    put(site, "mrtg/dm8-bond0.log", mrtg_text(evening))
    put(site, f"vmstat/dm8_{day}.txt", vmstat_text(evening, 60))


def kept(site: Site) -> Rows:
    """All rows of bronze, the files and rejects, and the findings, lineage and all."""
    names = [relation.full_name for relation in load_catalog().layer("bronze")]
    asked = {name: f"SELECT * FROM {name}" for name in [*names, "ops.reject", "gold.finding"]}
    rows = queries(site, asked | {"ops.file": "SELECT * EXCLUDE modified_ns FROM ops.file"})
    return {name: Counter(found) for name, found in rows.items()} | all_rows(site)
