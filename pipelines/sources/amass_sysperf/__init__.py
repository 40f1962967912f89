"""sysperf of AMASS (EMASS, ADIC, Quantum): requests, disk cache and drives of a tape file system, screen by screen.

    Mon Nov  3 14:05:00 CST 1997
    WRITE REQUESTS 4   # OF VOL GROUPS 3
    READ REQUESTS 0    # OF VOL GROUPS 0
    CACHE BLOCKS 240 Total  200 Free  40 Dirty
    FNODES       50 Total   44 Free
    JUKE DRIVE VOLFLAGS VOLUME VOLGRP KBYTES/SEC
       1     1        A     61     14       7340

Known from one screen in a paper (Lake, "Performance Tuning of a High Capacity/High Performance Archive for the Earth
Observing Systems Project", 1997, figure 4) and the manual "Managing the AMASS File System" (ADIC, 5.3): the words are
certain, spacing and order are not. So labels decide, whether their numbers are next to, before or below them.
KBYTES/SEC counts the freeing of cache segments, not bytes at the drive. What a K is remains open: the figure is kept as
printed and given under 1000 and under 1024. Drives do not show their direction.

**Clock.** The screen has none. Its time comes from the first of these:

- a stamp before the screen (`date`, OSWatcher's `zzz ***`, ISO): it dates the screen after it, others follow at
  `interval_s`;
- `start_at`;
- a date and time in the file's name;
- the origin's date, taken as that local midnight (`at_basis` is "day alone": the time of day is not known);
- `modified_at`, only where the file's first lines are the complete file and hold exactly one screen.

All but the first give the time of the first screen, and the others follow at `interval_s`. A file is refused if it has
none of these, or a second screen without stamp and interval. A stamp that cannot be read costs the screens up to the
next one (bad_time).

**A screen** begins at a label that it already had, or after its table. Its figures become a row at the table's heading,
or with their last label, where the table comes first. Another heading of columns refuses the file.

**Damaged screens.** Readers of print confuse O and 0, l and 1, S and 5, B and 8, take A for 4, cut words, and repeat a
drive number in a row of 1, 2, 3 …. If no screen among the first lines can be read as printed, but repairs of this kind
make them readable, all of the file is repaired. Every row then has `is_ocr`, `repairs` lists every repaired or
unreadable cell with its text, and unreadable values are NULL. A file with one sound screen is never repaired.
"""

from datetime import datetime, timedelta

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import from_microseconds
from pipelines.sources.amass_sysperf import clock
from pipelines.sources.amass_sysperf.cells import WORDS
from pipelines.sources.amass_sysperf.grammar import FOREIGN
from pipelines.sources.amass_sysperf.screens import START, Reader, Values
from pipelines.sources.packing import HEAD_LINES
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed

TITLE = "AMASS sysperf"
VERSION = 2
SCREENS, DRIVES = TABLES = ("amass_sysperf_screen", "amass_sysperf_drive")
SPEAKS_FOR = "hosts"
IS_WHOLE = True

_HEAD_CHARS = 20_000  # a screen drawn without line breaks is shorter; other texts cost the square of their length
_FEWEST_WORDS = 5  # of a screen's labels, sound; the worst print known keeps twelve. Reading by letters is slow.
_NOTHING = "the lines have too few of sysperf's labels, such as WRITE REQUESTS, CACHE BLOCKS and JUKE DRIVE"
_ANY = datetime(2000, 1, 1)  # an instant to try the first lines with


def recognise(head: list[str]) -> Claim:
    """A screen of requests or cache with a table of drives, as printed or damaged, making up most of the lines."""
    texts = [line for line in head if line.strip()]
    if any(FOREIGN.search(text) for text in texts):
        return Claim(False, 0.7, "this is AMASS's list of cache blocks by volume group; only sysperf's screen is read")
    known = set(WORDS).intersection(" ".join(texts).upper().split())
    if len(known) < _FEWEST_WORDS:
        return Claim(False, 0.0, _NOTHING)
    for is_ocr in (False, True):
        reader, refusal = _try(head, is_ocr)
        if refusal and "heading" in str(refusal):
            continue
        if reader.screens and reader.drives:
            n_fitting = len(texts) - len(reader.rejects)
            if 2 * n_fitting < len(texts):
                return Claim(False, 0.5, "a sysperf screen within other text: copy the screen into a file of its own")
            return Claim(True, 0.9 if is_ocr else 1.0, "a sysperf screen" + (", damaged" if is_ocr else ""))
    found = sum(word in " ".join(texts).upper() for word in ("WRITE REQUESTS", "CACHE BLOCKS", "FNODES", "VOLGRP"))
    if found >= 2:
        return Claim(False, 0.6, "labels of a sysperf screen, but without its figures and its table of drives")
    return Claim(False, 0.0, _NOTHING)


def _try(head: list[str], is_ocr: bool) -> tuple[Reader, UnreadableFile | None]:
    """The first lines read with made-up times."""
    origin = Origin(start_at=_ANY, interval_s=1.0)
    reader = Reader({**START, "is_ocr": is_ocr, "clock": clock.begin(origin, False)}, origin)
    try:
        reader.feed(enumerate((line[:_HEAD_CHARS] for line in head), 1))
    except UnreadableFile as refusal:
        return reader, refusal
    return reader, None


def _begin(origin: Origin) -> Values:
    """Whether to repair, and the clock of the first screen, both from the file's first lines."""
    sound, refusal = _try(list(origin.head), False)
    is_sound = refusal is None and any(
        screen["line_no"] not in sound.faults and screen["line_no"] in {drive["screen_line"] for drive in sound.drives}
        for screen in sound.screens
    )
    is_ocr = False
    reader = sound
    if not is_sound and origin.head:
        damaged, refusal = _try(list(origin.head), True)
        is_ocr = refusal is None and bool(damaged.screens and damaged.drives)
        reader = damaged if is_ocr else sound
    n_screens = len({row["at_us"] for row in (*reader.screens, *reader.drives)})
    is_single = n_screens == 1 and len(origin.head) < HEAD_LINES
    return {**START, "is_ocr": is_ocr, "clock": clock.begin(origin, is_single)}


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Screens and drives; raises UnreadableFile for an unknown heading or screens without a clock."""
    reader = Reader(carry or _begin(origin), origin)
    reader.feed(lines.select("line_no", "text").iter_rows())
    host = origin.host or stem_of(origin.path)
    screens = [_screen(screen, host, origin.interval_s) for screen in reader.screens]
    return Parsed.of(
        lines,
        reader.n_used,
        reader.rejects,
        tables={
            SCREENS: pl.DataFrame(screens, schema=schema_of(SCREENS)),
            DRIVES: pl.DataFrame([_drive(drive, host) for drive in reader.drives], schema=schema_of(DRIVES)),
        },
        coverage=_coverage(screens, origin.interval_s),
        carry=reader.state,
    )


def _screen(screen: Values, host: str, interval_s: float | None) -> Values:
    values = screen["values"]
    notes = [f"{name}: no number" for name in values if values[name] is None and not screen["is_ocr"]]
    if screen["basis"] == "day alone":
        notes.append("the time of day is not known")
    for subject, parts in (("cache", ("free", "dirty")), ("fnodes", ("free",))):
        total, sizes = values.get(f"{subject}_total"), [values.get(f"{subject}_{part}") for part in parts]
        if total is not None and sum(size for size in sizes if size is not None) > total:
            notes.append(f"{subject}: the parts add up to more than the total")
    return {
        **screen,
        **values,
        "host": host,
        "sampled_at": from_microseconds(screen["at_us"]),
        "at_basis": screen["basis"],
        "interval_s": interval_s,
        "repairs": "; ".join(screen["repairs"]) or None,
        "note": "; ".join(notes) or None,
    }


def _drive(drive: Values, host: str) -> Values:
    rate = drive["printed_rate"]
    return {
        **drive,
        "host": host,
        "sampled_at": from_microseconds(drive["at_us"]),
        "at_basis": drive["basis"],
        "rate_k1000_bytes_s": None if rate is None else rate * 1000.0,
        "rate_k1024_bytes_s": None if rate is None else rate * 1024.0,
    }


def _coverage(screens: list[Values], interval_s: float | None) -> pl.DataFrame:
    """Each screen proves its instant, and the sampling interval before it where that is known."""
    back = timedelta(seconds=interval_s or 0)
    rows = [(row["line_no"], row["host"], row["sampled_at"] - back, row["sampled_at"]) for row in screens]
    return pl.DataFrame(rows, schema=COVERAGE, orient="row")
