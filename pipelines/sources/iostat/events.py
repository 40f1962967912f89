"""The lines of iostat that are no rows of numbers: what each is, and to which run and report the rows below belong.

A report begins at its clock stamp; without one at the first of its headers, which is that of the processor shares
or, where these are left out, that of the (first) table of devices.
"""

import re

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.flat import flatten
from pipelines.sources._shared.sysstat import IS_STAMP, foreign_banner, read_banner
from pipelines.sources.iostat.layout import foreign, is_like_header, is_more
from pipelines.sources.protocol import Carry

# How a line begins that may be no row of numbers; rows of devices with unusual names are among them.
_MAYBE_NO_ROW = (
    r"^[ \t]*([A-Z]|avg-cpu:|tty:|zzz |[0-9]{1,4}[-/年][0-9]|[0-9]{4}년|[0-9]{1,2}[:時时시]"
    r"|[0-9]{1,2}\. ?[0-9]{1,2}\. ?[0-9]|[0-9]{9,10}$|[^\x00-\x7f]|extended|device|disk|cpu|tin|r/s|tps"
    r"|avgrq|avgqu|%|$)"
)
_BARE_ROW = r"^[0-9.,% -]+$"
_CELL = r"(-?\d+([.,]\d+)?|-?nan)[%BkKMGTP]?"
_ROW = re.compile(rf"\S+|\S+( {_CELL}){{2,}}|(?=.*[.,%n])({_CELL} )+(\S+)( \S+)*")
_STAMP_LINE = re.compile(IS_STAMP)
_HOURS = r"(\d\d):(\d\d:\d\d)(?: ([AP])M)?"
_CLOCK = re.compile(rf"(?:zzz \*+ ?)?[A-Z][a-z]{{2}} ([A-Z][a-z]{{2}}) (\d\d?) {_HOURS} (?:(\S+) )?(\d{{4}})(?: (.*))?")
_DAY_FIRST = re.compile(
    rf"(?:zzz \*+ ?)?[A-Z][a-z]{{2}} (\d\d?) ([A-Z][a-z]{{2}}) (\d{{4}}) {_HOURS}(?: (?!Sample )(\S+))?(?: (.*))?"
)
_INTERVAL = re.compile(r"Sample interval: (\d+)\b.*", re.IGNORECASE)

ROW, STAMP, BANNER, HEADER, MORE, CLOCK, SKIP, BLANK, JUNK = (
    "row", "stamp", "banner", "header", "more", "clock", "skip", "blank", "junk",
)  # fmt: skip


def part(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lines that are rows of numbers or junk, and all others with `flat` and `kind`, rows among them too."""
    text = pl.col("text")
    is_other = lines.select(text.str.contains(_MAYBE_NO_ROW) | text.str.contains("Device", literal=True)).to_series()
    others = lines.filter(is_other)
    texts = flatten(others.select(pl.col("text").unique(maintain_order=True)))
    unique = texts.select(pl.col("flat").unique(maintain_order=True))
    flat = pl.col("flat")
    unique = unique.with_columns(
        kind=pl.when(flat == "")
        .then(pl.lit(BLANK))
        .when(flat.str.contains(IS_STAMP))
        .then(pl.lit(STAMP))
        .when(flat.str.contains(_BARE_ROW))
        .then(pl.lit(ROW))
    )
    is_open = unique["kind"].is_null()
    words = unique.filter(is_open)["flat"]
    classified = pl.DataFrame({"flat": words, "kind": pl.Series([_classify(word) for word in words], dtype=pl.String)})
    kinds = pl.concat([unique.filter(~is_open), classified])
    texts = texts.join(kinds, on="flat", how="left", maintain_order="left")
    return lines.filter(~is_other), others.join(texts, on="text", how="left", maintain_order="left")


def is_fitting(flat: str) -> bool:
    """Does a line with single blanks look like one of iostat's?"""
    if _ROW.fullmatch(flat) or _STAMP_LINE.search(flat):
        return True
    return is_like_header(flat) or is_more(flat) or read_clock(flat)[0] != "" or read_banner(flat) is not None


def _classify(flat: str) -> str:
    if is_like_header(flat):
        return HEADER
    if is_more(flat):
        return MORE
    if read_banner(flat):
        return BANNER
    if read_clock(flat)[0]:
        return CLOCK
    if flat.startswith("zzz "):
        return SKIP
    if what := foreign(flat) or foreign_banner(flat):
        raise UnreadableFile(
            f"this file mixes output of {what} with output of Linux's iostat: {flat[:120]}",
            "keep the output of each system in files of its own",
        )
    return ROW


def read_clock(flat: str) -> tuple[str, str, int | None]:
    """Of the date line of a wrapper such as OSWatcher: the local time, the word of its zone, the step it promises.

    >>> read_clock("zzz ***Tue Jun 15 08:00:00 CDT 2010"), read_clock("Tue 15 Jun 2010 08:00:00 PM CDT")
    (('2010 Jun 15 08:00:00', 'CDT', None), ('2010 Jun 15 20:00:00', 'CDT', None))
    """
    if match := _CLOCK.fullmatch(flat):
        month, day, hour, rest, half, word, year, tail = match.groups()
    elif match := _DAY_FIRST.fullmatch(flat):
        day, month, year, hour, rest, half, word, tail = match.groups()
    else:
        return "", "", None
    hours = int(hour) if half is None else int(hour) % 12 + 12 * (half == "P")
    step = _INTERVAL.fullmatch(tail or "")
    return f"{year} {month} {int(day):02d} {hours:02d}:{rest}", word or "", int(step[1]) if step else None


def find_events(others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Banners, stamps and headers, with the `run`, `report` and `section` they open or belong to.

    The first is the one the chunk before ended with, as line 0. A section is the text of its header, both halves of a
    wrapped one, and '' after a banner.
    """
    found = others.filter(pl.col("kind").is_in([BANNER, STAMP, HEADER, MORE])).select(
        "line_no",
        "kind",
        "flat",
        section=pl.lit(None, dtype=pl.String),
        is_indented=pl.when(kind=HEADER).then(pl.col("text").str.contains(r"^\s")),
    )
    before = {name: state[name] for name in ("kind", "flat", "section", "is_indented")}
    found = pl.concat([pl.DataFrame([{"line_no": 0, **before}], schema=found.schema), found])
    kind, flat = pl.col("kind"), pl.col("flat")
    is_old = pl.col("line_no") == 0
    is_second = (kind == MORE) & (kind.shift(1) == HEADER)
    opened_section = (
        pl.when(is_second & flat.shift(1).str.starts_with("disk:"))
        .then(flat)  # of the JSON form: names come with the first device
        .when(is_second)
        .then(flat.shift(1) + "\n" + flat)
        .when(kind == HEADER)
        .then(flat)
        .when(kind == BANNER)
        .then(pl.lit(""))
    )
    begins = (_begins() & ~is_old).fill_null(False)
    found = found.with_columns(
        section=pl.when(is_old).then("section").otherwise(opened_section).forward_fill(),
        is_indented=pl.col("is_indented").forward_fill(),
        begins=begins,
        run=state["run"] + ((kind == BANNER) & ~is_old).cast(pl.Int64).cum_sum(),
        report=state["report"] + begins.cast(pl.Int64).cum_sum(),
    )
    last = found.row(-1, named=True)
    state.update({name: last[name] for name in ("kind", "flat", "section", "is_indented")})
    return found


def _begins() -> pl.Expr:
    """Does an event begin a report?"""
    kind, flat, before = pl.col("kind"), pl.col("flat"), pl.col("kind").shift(1)
    is_cpu = flat.str.contains(r"^(avg-cpu|tty):")
    is_lead = (kind == HEADER) & flat.str.contains(r"(^| )(r/s|tps) ") & ~is_cpu
    has_cpu_before = (before == HEADER) & is_cpu.shift(1)
    return (
        (kind == STAMP)
        | ((kind == HEADER) & is_cpu & (before != STAMP))
        | (is_lead & (before != STAMP) & ~has_cpu_before)
    )
