"""The change log: what people changed on purpose, from site.toml and the CSV file it names.

An entry that cannot be read is kept with its place and the reason, as a bad line of a log is; its text is bounded,
and whoever shows it escapes it.
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import TextIO
from zoneinfo import ZoneInfo

from pipelines.config.site import Change, Site
from pipelines.primitives.clock import naive_utc

WHAT_CHARS, NOTE_CHARS, NAME_CHARS = 200, 500, 100
MOST_ENTRIES, MOST_NAMES = 10_000, 100
LINE_CHARS = 10_000
COLUMNS = ("at", "what", "entities", "note")
_NO_INSTANT = "`at` is not a time such as 2010-03-10T17:00"

# change_id, changed_at, what, entity, note, place, problem
Row = Sequence[str | datetime | None]


def rows(site: Site) -> list[Row]:
    """The rows of site.change."""
    found = [row for change in site.change for row in _declared(change, site.zone)]
    return [*found, *_of_file(site)] if site.change_log else found


def _declared(change: Change, zone: str) -> Iterator[Row]:
    try:
        at = _utc(change.at, zone)
    except OverflowError:  # the first or last day there is, in a zone where it is another
        yield _trouble("site.toml", change.what, _NO_INSTANT)
        return
    yield from _of_change(at, change.what, change.entities, change.note, "site.toml")


def _of_change(at: datetime, what: str, entities: Iterable[str], note: str, place: str) -> Iterator[Row]:
    """A row for each entity; one without for all of the site."""
    text = _bounded(what, WHAT_CHARS)
    names: Sequence[str] = sorted({_bounded(name, NAME_CHARS) for name in entities} - {""})[:MOST_NAMES]
    change_id = hashlib.sha256("\n".join((at.isoformat(), text, *names)).encode()).hexdigest()[:12]
    for name in names or [""]:
        yield change_id, at, text, name or None, _bounded(note, NOTE_CHARS) or None, place, None


def _of_file(site: Site) -> Iterator[Row]:
    path = site.root / site.change_log
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            yield from _entries(file, site)
    except OSError as error:
        yield _trouble(site.change_log, "", f"the file cannot be read: {error.strerror}")


def _entries(file: TextIO, site: Site) -> Iterator[Row]:
    reader = csv.reader(_short_lines(file), strict=True)
    names: list[str] | None = None
    for number in range(MOST_ENTRIES + 2):
        place = f"{site.change_log}:{reader.line_num + 1}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield _trouble(place, "", f"not CSV: {error}")
            continue
        if cells is None:
            return
        if number > MOST_ENTRIES:
            yield _trouble(place, "", f"the change log has more than {MOST_ENTRIES:,} entries; the rest is left out")
            return
        if names is None:
            names = [cell.strip().lower() for cell in cells]
            if not {"at", "what"} <= set(names):
                yield _trouble(
                    place, ",".join(cells), f"the first line must name the columns of the file: {', '.join(COLUMNS)}"
                )
                return
        elif any(cell.strip() for cell in cells):
            yield from _entry(dict(zip(names, cells, strict=False)), ",".join(cells), place, site.zone)


def _short_lines(file: TextIO) -> Iterator[str]:
    """Lines of bounded length: of an endless one the beginning, and its end is passed over."""
    while line := file.readline(LINE_CHARS):
        rest = line
        while rest and not rest.endswith("\n"):
            rest = file.readline(LINE_CHARS)
        yield line.replace("\0", "")


def _entry(entry: dict[str, str], text: str, place: str, zone: str) -> Iterator[Row]:
    try:
        at = _utc(datetime.fromisoformat(entry.get("at", "").strip()), zone)
    except (ValueError, OverflowError):
        yield _trouble(place, text, _NO_INSTANT)
        return
    if not entry.get("what", "").strip():
        yield _trouble(place, text, "`what` is empty")
        return
    names = re.split(r"[\s;,|]+", entry.get("entities", "")[: NAME_CHARS * MOST_NAMES])
    yield from _of_change(at, entry["what"], names, entry.get("note", ""), place)


def _trouble(place: str, text: str, problem: str) -> Row:
    return None, None, _bounded(text, WHAT_CHARS) or None, None, None, place, problem


def _bounded(text: str, most: int) -> str:
    """On one line, and no longer than `most`."""
    return " ".join(text[: 4 * most].split())[:most]


def _utc(at: datetime | date, zone: str) -> datetime:
    """Naive UTC; an instant without a zone is on the site's clock.

    >>> _utc(datetime(2010, 3, 10, 11), "America/Chicago"), _utc(date(2010, 3, 10), "UTC")
    (datetime.datetime(2010, 3, 10, 17, 0), datetime.datetime(2010, 3, 10, 0, 0))
    """
    full = at if isinstance(at, datetime) else datetime.combine(at, time())
    return naive_utc(full if full.tzinfo else full.replace(tzinfo=ZoneInfo(zone)))
