"""A site that gets a log a day, and its contents in the end: rows, findings and reports."""

import os
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from support.archive import SITE, Rows, all_rows, make_site, morning, put, queries, vmstat_text

FIRST = date(2010, 3, 1)
N_DAYS = 7  # each takes a minute of Airflow's
WEEK = [FIRST + timedelta(days=n) for n in range(N_DAYS)]
SILENT = WEEK[-1]  # the server log ends the day before; the load of a station is still written
_MIDNIGHT = timedelta(hours=6)  # of the site, in UTC
_EXPECT = f"expect = {{ from = {FIRST}T06:00:00, to = {SILENT + timedelta(days=1)}T06:00:00 }}\n"
_LIFE = re.compile(
    r"(?<=[sgme]): \d+ (new|open|returned|acknowledged|muted).*\.$"
    r"|^Findings that were open before .*$|(?<=^[■▲●] ).*$|^  [?·▁-█]+  .*$",
    re.MULTILINE,
)
_DELIVER = '\n[deliver]\nfolder = "out"\n'


def week_site(folder: Path) -> Site:
    """A site that declares its server log for all of the week, and copies its reports into out/."""
    return make_site(folder, SITE + _EXPECT + _DELIVER)


def arrive(site: Site, day: date) -> None:
    """The logs of a day as they are the next morning: that morning's server log has begun."""
    begin = datetime.combine(day, datetime.min.time()) + _MIDNIGHT
    files = [put(site, f"vmstat/dm8_{day}.txt", vmstat_text(begin + timedelta(hours=8), 60))]
    if day != SILENT:
        files.append(put(site, _log(day), _server_log(day)))
    next_day = day + timedelta(days=1)
    if day != SILENT and next_day != SILENT and not (site.root / "logs" / _log(next_day)).exists():
        files.append(put(site, _log(next_day), "".join(_server_log(next_day).splitlines(keepends=True)[:3])))
    written = (begin + timedelta(hours=29)).replace(tzinfo=UTC).timestamp()
    for file in files:
        os.utime(file, (written, written))


def _log(day: date) -> str:
    return f"enstore/LOG-{day}"


def _server_log(day: date) -> str:
    begin = datetime.combine(day, datetime.min.time()) + _MIDNIGHT
    story = morning(day)
    story.heartbeat(begin, begin + timedelta(hours=24))
    return story.days()[day]


def timely(site: Site, days: list[date]) -> None:
    """What a run each morning does, when only that day's logs have come."""
    for day in days:
        arrive(site, day)
        steps.ingest(site)
        steps.build(site)
        steps.detect(site, day, day)
        steps.forecast(site, day)
        steps.deliver(site, day, day)


def site_rows(site: Site) -> Rows:
    """All rows of bronze, silver and gold, findings and what is withheld; not from which piece of a file they are."""
    bronze = [relation.full_name for relation in load_catalog().layer("bronze")]
    asked = {name: f"SELECT COLUMNS(* EXCLUDE file_id) FROM {name}" for name in bronze}
    gold = [relation.full_name for relation in load_catalog().layer("gold") if not relation.sql]
    asked |= {name: f"SELECT * FROM {name}" for name in gold}
    rows = queries(site, asked | {"ops.reject": "SELECT reason, text FROM ops.reject"})
    return {name: Counter(found) for name, found in rows.items()} | all_rows(site)


def reports(site: Site, life: bool = True) -> dict[str, list[str]]:
    """The reports as text by day, without the lines on the state of the warehouse when each was made.

    Without `life`, the parts that separate a new finding from an open one are left out too: they depend on the days
    before that were known when the report was made.
    """
    texts = {path.stem: path.read_text() for path in (site.root / "out").glob("*.txt")}
    if not life:
        texts = {name: _LIFE.sub("", text) for name, text in texts.items()}
    ours = ("build ", "data read ", "last run ")  # the state of the warehouse when it was made
    return {
        name: [line for line in text.splitlines() if line and "snapshot" not in line and not line.startswith(ours)]
        for name, text in texts.items()
    }
