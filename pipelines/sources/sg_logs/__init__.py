"""Log pages of SCSI tape drives, as `sg_logs` of sg3_utils prints them: errors, retries, alerts, megabytes of a mount.

    # 2026-03-11T10:00:00Z /dev/st0
        HP        Ultrium 6-SCSI    331U

    Write error counter page  [0x2]
      Total rewrites or rereads = 0

The source keeps the pages 0x02 and 0x03 (errors of writing and reading, since the mount), 0x0c (sequential access
device), 0x11 (status of the drive), 0x14 (statistics of the drive), 0x16 (diagnostics), 0x17 (statistics of the volume)
and 0x2e (alerts, those that are set). Each number is a row of `bronze.scsi_counter`. Names are those that CTA's tape
daemon gives the same counters; others are made from the words of the line. Other pages, and those in hex, are skipped.

**Clock and drive.** The answer has neither. A line above it that is a time, or the output of `date`, begins a reading;
a word after the time names the drive. Otherwise the first reading is at `start_at` or at the start of `date`, and each
further one `interval_s` later; the drive is `{drive}` of the path, `drive` of its [[input]], or the file's name.
Readings are best kept so:

    (date -u +'# %FT%TZ /dev/st0'; sg_logs --all /dev/st0) >> tps1.sg_logs

or collected (`tapescope collect`), which keeps when each answer was given:

    [[collect]]
    name = "st0"
    command = ["sg_logs", "--all", "/dev/st0"]
    host = "tps1"
    drive = "st0"
    every = "5m"
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.clock import day_bounds
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import MONTH_NUMBERS, from_microseconds, iso_us, microseconds, offset_s
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, Reject
from pipelines.sources.sg_logs.pages import LONGEST, PAGE, counters, page_of

TITLE = "sg_logs: log pages of SCSI tape drives"
VERSION = 3
TABLE = "scsi_counter"
TABLES = (TABLE,)
SPEAKS_FOR = "hosts"

_INQUIRY = re.compile(r"^(?: {4})?(?=[A-Za-z])[^:=]{8}  [^:=]{16}  [^:=\s]{1,4}\s*$")  # maker, product, revision
_ISO = re.compile(r"^#?\s*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)(?:\s+(\S+))?\s*$")
_DATE = re.compile(
    r"^#?\s*[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: ([AP]M))?"
    r"(?: ([A-Z]{1,5}|[+-]\d{2,4}))? (\d{4})(?:\s+(\S+))?\s*$"
)
_JSON = re.compile(r'"name" ?: ?"sg_logs"')
_DEVICE = re.compile(r"(?:/dev/)?n?(st\d+)[alm]?")
_START: Carry = {
    "page": None,  # the kind of the current page, None if it is skipped
    "at": None,  # microseconds: the instant of the reading
    "is_ahead": False,  # a time precedes an answer that has not begun
    "is_bad": False,  # that time cannot be read
    "reading": 0,  # answers so far
    "drive": "",
    "volume": None,
    "serial": None,
    "code": None,  # of an entry of the diagnostics
}
_ROWS = pl.Schema(
    {
        **{"line_no": pl.Int64, "drive": pl.String, "logged_us": pl.Int64},
        **dict.fromkeys(("volume", "serial", "scope", "counter"), pl.String),
        "value": pl.Float64,
    }
)


def recognise(head: list[str]) -> Claim:
    """The title of a log page of tape drives."""
    titles = [page for line in head if (page := page_of(line))]
    if titles:
        return Claim(True, 1.0, f"{len(titles)} log pages of a tape drive as sg_logs prints them")
    if any(line.strip().startswith("Supported log pages") for line in head):
        return Claim(True, 0.9, "the list of log pages that sg_logs prints")
    if any(_JSON.search(line) for line in head):
        return Claim(False, 0.9, "this is output of sg_logs --json, which is not read; run sg_logs without --json")
    return Claim(False, 0.0, "no title of a tape drive's log page")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """A row per counter; raises UnreadableFile where nothing gives a reading its time."""
    state: Carry = {**_START, **(carry or {})}
    rows: list[tuple[Any, ...]] = []
    bad: list[Reject] = []
    readings: dict[int, int] = {}
    n_used = 0
    for line_no, text in lines.filter(pl.col("text").str.len_bytes() <= LONGEST).select("line_no", "text").rows():
        kind = _turn(text, origin, state)
        found = [] if kind else counters(text, state)
        if kind == "bad_time" or found is None:
            bad.append((line_no, text, kind or "bad_number"))
        elif found:
            at = _known_at(origin, state)
            if at is None:
                bad.append((line_no, text, "bad_time"))
                continue
            readings.setdefault(at, line_no)
            drive = state["drive"] or origin.drive or stem_of(origin.path)
            rows += [(line_no, drive, at, state["volume"], state["serial"], *one) for one in found]
            n_used += 1
        elif kind:
            n_used += 1
    host = origin.host or stem_of(origin.path)
    table = pl.DataFrame(rows, schema=_ROWS, orient="row").with_columns(
        system=pl.lit(origin.system), host=pl.lit(host), logged_at=pl.col("logged_us").cast(pl.Datetime("us"))
    )
    instants = [(line_no, host, from_microseconds(at), from_microseconds(at)) for at, line_no in readings.items()]
    return Parsed.of(
        lines,
        n_used,
        bad,
        tables={TABLE: complete(table, TABLE)},
        coverage=pl.DataFrame(instants, schema=COVERAGE, orient="row"),
        carry=state,
    )


def _turn(text: str, origin: Origin, state: Carry) -> str:
    """The kind of a line that sets the state for the lines below it; "" for a line that sets nothing."""
    if found := _ISO.match(text) or _DATE.match(text):
        at = _instant(found, origin.zone)
        state.update(_START, reading=state["reading"], at=at, is_ahead=True, is_bad=at is None)
        state["drive"] = _device(found[found.re.groups] or "")
        return "bad_time" if at is None else "clock"
    if _INQUIRY.match(text):
        known = {name: state[name] for name in ("at", "is_bad", "drive")} if state["is_ahead"] else {}
        state.update({**_START, **known, "reading": state["reading"] + 1})
        return "answer"
    if PAGE.match(text) or page_of(text):
        state.update(page=page_of(text), code=None)
        return "page" if state["page"] else ""
    return ""


def _device(word: str) -> str:
    """A drive as its line names it.

    >>> _device("/dev/nst0"), _device("LTO9-1")
    ('st0', 'LTO9-1')
    """
    found = _DEVICE.fullmatch(word)
    return found[1] if found else word[:100]


def _known_at(origin: Origin, state: Carry) -> int | None:
    """The instant of a reading, None where its clock cannot be read."""
    if state["at"] is None and not state["is_bad"]:
        n_before = max(0, state["reading"] - 1)
        start = origin.start_at
        if start is None and origin.date is not None:
            start = day_bounds(origin.date, origin.zone)[0]
        if start is None or (n_before and origin.interval_s is None):
            raise UnreadableFile(
                "the output of sg_logs in this file has no time",
                "write the time above each output: date -u +'# %FT%TZ'. Or give `start_at` or `date` in the file's"
                " [[input]] of site.toml, and `interval_s` if the file has more than one output",
                reason="no_clock",
            )
        state["at"] = microseconds(start + timedelta(seconds=n_before * (origin.interval_s or 0)))
    at: int | None = state["at"]
    return at


def _instant(found: re.Match[str], zone: str) -> int | None:
    """Microseconds since 1970 of a time above an answer."""
    if found.re is _ISO:
        return iso_us(found[1], zone)
    try:
        month, day, hour, minute, second, half, word, year = found.groups()[:8]
        hours = int(hour) if half is None else int(hour) % 12 + 12 * (half == "PM")
        local = datetime(int(year), MONTH_NUMBERS[month], int(day), hours, int(minute), int(second))
        offset = offset_s(word or "", zone)
        if offset is None or (word is None):
            return microseconds(local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))
        return microseconds(local - timedelta(seconds=offset))
    except (KeyError, ValueError, OverflowError):
        return None
