"""A site that gets a log a day, and what it says in the end: rows, findings and reports."""

import os
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from archive import SITE, Rows, all_rows, make_site, morning, put, query, vmstat_text

from pipelines import steps
from pipelines.catalog import load_catalog
from pipelines.config import Site

FIRST = date(2010, 3, 1)
N_DAYS = 7  # each takes a minute of Airflow's
WEEK = [FIRST + timedelta(days=n) for n in range(N_DAYS)]
SILENT = WEEK[-1]  # the server log ends the day before; the load of a station is still written
_MIDNIGHT = timedelta(hours=6)  # of the site, in UTC
_EXPECT = f"expect = {{ from = {FIRST}T06:00:00, to = {SILENT + timedelta(days=1)}T06:00:00 }}\n"
_DELIVER = '\n[deliver]\nfolder = "out"\n'


def week_site(folder: Path) -> Site:
    """A site that declares its server log for all of the week, and copies its reports into out/."""
    return make_site(folder, SITE + _EXPECT + _DELIVER)


def arrive(site: Site, day: date) -> None:
    """The logs of a day as they lie there the next morning."""
    begin = datetime.combine(day, datetime.min.time()) + _MIDNIGHT
    files = [put(site, f"vmstat/dm8_{day}.txt", vmstat_text(begin + timedelta(hours=8), 60))]
    if day != SILENT:
        story = morning(day)
        story.heartbeat(begin, begin + timedelta(hours=24))
        files.append(put(site, f"enstore/LOG-{day}", story.days()[day]))
    written = (begin + timedelta(hours=29)).replace(tzinfo=UTC).timestamp()
    for file in files:
        os.utime(file, (written, written))


def timely(site: Site, days: list[date]) -> None:
    """What a run each morning does, when only that day's logs have come."""
    for day in days:
        arrive(site, day)
        steps.ingest(site)
        steps.build(site)
        steps.detect(site, day, day)
        steps.forecast(site, day)
        steps.deliver(site, day, day)


def said(site: Site) -> Rows:
    """All rows of bronze, silver and gold, findings and what is withheld; files without their place in time."""
    names = [relation.full_name for relation in load_catalog().layer("bronze")]
    names += [relation.full_name for relation in load_catalog().layer("gold") if not relation.sql]
    rows = {name: Counter(query(site, f"SELECT * FROM {name}")) for name in [*names, "ops.reject"]}
    rows["ops.file"] = Counter(query(site, "SELECT * EXCLUDE modified_ns FROM ops.file"))
    return rows | all_rows(site)


def reports(site: Site) -> dict[str, list[str]]:
    """The reports as text by day, without the lines that say from which build they are."""
    texts = {path.stem: path.read_text().splitlines() for path in (site.root / "out").glob("*.txt")}
    return {name: [line for line in lines if "snapshot" not in line] for name, lines in texts.items()}
