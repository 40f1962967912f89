"""Lines of vmstat made plain: single blanks, no stamps in front, and what kind of file they begin."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from pipelines.sources._shared import flat as flat_lines
from pipelines.sources.protocol import Carry, Origin
from pipelines.sources.vmstat.headers import foreign, is_like_header, mode_of
from pipelines.sources.vmstat.prefixes import find_form, strip, without

ROW_START = r"^-?\d+ [^A-Za-z]|^-?\d{1,9}$"
_RAW_ROW = r"^ *-?\d+ +[^A-Za-z ]|^ *-?\d{1,9} *$"  # the same in a line that still has all its blanks
_BLANK, _DIGIT = 32, ord("0")
_STAMP = np.frombuffer(b"0000-00-00 00:00:00", dtype=np.uint8)
_EARLIEST, _LATEST = 1980_00_00, 2100_00_00
_SLICE_BYTES = 2**18


class Look(NamedTuple):
    """What the first lines show of a file."""

    flats: list[str]  # without blank lines and stamps in front
    form: str  # of the stamps in front, see `prefixes`
    mode: str  # see `headers.mode_of`; '' if no header is among them
    what: str  # what else it is, if it is known and not read


def look(head: Sequence[str]) -> Look:
    """The first header decides; later lines must belong to it, or are refused where they are."""
    flats = [flat for line in head if (flat := " ".join(line.split()))]
    form = find_form(flats)
    flats = [rest for flat in flats if (rest := without(flat, form))]
    for flat in flats:
        if what := foreign(flat):
            return Look(flats, form, "", what)
        if re.match(ROW_START, flat) and not flat[-1].isalpha():
            continue
        if mode := mode_of(flat):
            return Look(flats, form, mode, "")
        if is_like_header(flat):
            break
    return Look(flats, form, "", "")


def sort_out(lines: pl.DataFrame, origin: Origin, state: Carry) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of numbers, and the other lines that are not blank. Rows that need nothing but blanks taken out of them
    have no `flat` yet: to make it is half the work, and where all is well nothing but `rows` needs it.
    """
    text = lines["text"]
    if state["form"] or text.str.contains_any(["\t", "\r"]).any():
        flat = flatten(lines, origin, state)
        is_row = flat["flat"].str.contains(ROW_START)
        return flat.filter(is_row), flat.filter(~is_row & (flat["flat"] != ""))
    is_row = text.str.contains(_RAW_ROW)
    others = lines.filter(~is_row)
    known = flat_lines.flatten(others.select("text").unique())  # headers: a few texts, thousands of times
    others = others.join(known, on="text", how="left", maintain_order="left")
    return lines.filter(is_row), others.filter(pl.col("flat") != "")


def squeezed(texts: pl.Series) -> bytes:
    """Lines joined by line breaks, with single blanks inside and none at their beginning."""
    raw = np.frombuffer(texts.str.join("\n").cast(pl.Binary).item(), dtype=np.uint8)
    parts: list[bytes] = []
    for begin in range(0, raw.size, _SLICE_BYTES):  # small enough for a processor's cache
        part = raw[begin : begin + _SLICE_BYTES]
        keep = part != _BLANK
        keep[1:] |= part[:-1] > _BLANK
        keep[0] |= begin > 0 and raw[begin - 1] > _BLANK
        # twice as fast as `part[keep]`; `blocks` leaves no NUL in a line
        parts.append((part * keep).tobytes().translate(None, b"\x00"))
    return b"".join(parts)


def plain_stamps(texts: pl.Series) -> pl.Series | None:
    """Local times of texts that are all such as `2010-06-15 08:00:01`, in half the time of a date parser; else None.

    >>> plain_stamps(pl.Series(["2010-06-15 08:00:01"])).to_list()
    [datetime.datetime(2010, 6, 15, 8, 0, 1)]
    """
    if not texts.len() or not (texts.str.len_bytes() == len(_STAMP)).all():
        return None
    raw = np.frombuffer(texts.str.join("").cast(pl.Binary).item(), dtype=np.uint8).reshape(-1, len(_STAMP))
    # a row for each place of the stamp: digits, and 0 for the right separator
    signs = (raw - _STAMP).T.astype(np.int32, order="C")
    if (signs > np.where(_STAMP == _DIGIT, 9, 0)[:, None]).any():
        return None
    day = _number(signs[:4]) * 10_000 + _number(signs[5:7]) * 100 + _number(signs[8:10])
    hour, minute, second = (_number(signs[place : place + 2]) for place in (11, 14, 17))
    days = np.unique(day)
    try:
        dates = [date(each // 10_000, each // 100 % 100, each % 100) for each in days.tolist()]
    except ValueError:
        return None
    if days[0] < _EARLIEST or days[-1] >= _LATEST or max(hour.max() - 23, minute.max() - 59, second.max() - 59) > 0:
        return None
    since = np.array([(each - date(1970, 1, 1)).days for each in dates])
    seconds = since[np.searchsorted(days, day)] * 86_400 + hour * 3600 + minute * 60 + second
    return pl.Series("local", seconds * 1_000_000).cast(pl.Datetime("us"))


def _number(digits: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The numbers of which each row holds one digit."""
    number: npt.NDArray[np.int32] = digits[0]
    for digit in digits[1:]:
        number = number * 10 + digit
    return number


def flatten(lines: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Every line without outer blanks and with single blanks inside; see `prefixes` for stamps in front."""
    lines = flat_lines.flatten(lines)
    return strip(lines, state["form"], origin, state) if state["form"] else lines
