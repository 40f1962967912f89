"""Stamps that a wrapper (`ts`, `logger`, a loop with `date`) puts in front of vmstat's lines.

A file has one form of them or none, which its first lines show; lines without the stamp are read unchanged.
"""

import re
from collections.abc import Iterable

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import GIVE_DATE, MONTH_NUMBERS, offset_s, read_stamp
from pipelines.sources.protocol import Carry, Origin
from pipelines.sources.vmstat.headers import is_group_line, mode_of

_TIME = r"(?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,6})\d*)?"
_REST = r"[,;|]? ?(?P<rest>.*)$"
FORMS = {
    "iso": rf"^\[?(?P<day>\d{{4}}-\d\d-\d\d)[ T_]{_TIME} ?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?\]?[:]?{_REST}",
    "epoch": rf"^\[?(?P<epoch>\d{{10}})(?:\.(?P<fraction>\d{{1,6}})\d*)?\]?[:]?{_REST}",
    "time": rf"^\[?{_TIME}\]?[:]?{_REST}",
    "date": rf"^[A-Z][a-z]{{2}} (?P<month>[A-Z][a-z]{{2}}) (?P<dom>\d\d?) {_TIME} (?P<zone>[A-Z]\S*|[+-]\d+)"
    rf" (?P<year>\d{{4}})[:]?{_REST}",
    "syslog": rf"^(?:[A-Z][a-z]{{2}} )?(?P<month>[A-Z][a-z]{{2}}) (?P<dom>\d\d?) {_TIME}"
    rf"(?: [\w.-]+ [^ \d]\S*:)?{_REST}",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in FORMS.items()}
_ROW = re.compile(r"\S+(?: -?\d\S*){9,}")
_DAY_S = 86_400


def find_form(flats: Iterable[str]) -> str:
    """The form of the stamps before most of these lines, '' if there are none."""
    lines = [flat for flat in flats if flat]
    for name, pattern in _PATTERNS.items():
        rests = [match["rest"] for line in lines if (match := pattern.match(line))]
        fitting = [rest for rest in rests if _ROW.match(rest) or is_group_line(rest) or mode_of(rest)]
        if 2 * len(fitting) > len(lines) or (fitting and len(fitting) == len(rests) > len(lines) // 2 - 1):
            return name
    return ""


def without(flat: str, form: str) -> str:
    """A line without its stamp.

    >>> without("08:00:01 1 0", "time")
    '1 0'
    """
    match = _PATTERNS[form].match(flat) if form else None
    return match["rest"] if match else flat


def strip(lines: pl.DataFrame, form: str, origin: Origin, state: Carry) -> pl.DataFrame:
    """Lines without stamps in `flat`, and these in `prefix_local` and `prefix_word` (null where there is none)."""
    groups = pl.col("flat").str.extract_groups(FORMS[form])
    found = lines.select("flat", groups=groups).unnest("groups")
    found = found.with_columns(_micros(found), rest=pl.coalesce("rest", "flat"))
    word = found["zone"] if "zone" in found.columns else pl.Series([""]).new_from_index(0, found.height)
    match form:
        case "epoch":
            since = pl.col("epoch").cast(pl.Int64) * 1_000_000 + pl.col("micros")
            local = found.select(since.cast(pl.Datetime("us"))).to_series()
            word = pl.Series(["UTC"]).new_from_index(0, found.height)
        case "time":
            local = _times(found, origin, state)
        case "iso":
            local, word = _iso(found)
        case _:
            local = _named_days(found, origin, state)
    stamps = {"prefix_local": local, "prefix_word": word.fill_null("")}
    return lines.with_columns(flat=found["rest"], **stamps)


def preferred(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows without a stamp of their own, `local` and `word`, take the one that a wrapper put in front."""
    if "prefix_local" not in rows.columns:
        return rows
    return rows.with_columns(
        local=pl.coalesce("local", "prefix_local"),
        word=pl.when(pl.col("local").is_null()).then("prefix_word").otherwise("word"),
    )


def _micros(found: pl.DataFrame) -> pl.Expr:
    if "fraction" not in found.columns:
        return pl.lit(0, dtype=pl.Int64).alias("micros")
    return pl.col("fraction").str.pad_end(6, "0").cast(pl.Int64).fill_null(0).alias("micros")


def _local(found: pl.DataFrame, day: pl.Expr) -> pl.Series:
    text = pl.concat_str([day, pl.col("time")], separator=" ")
    return found.select(read_stamp(text) + pl.duration(microseconds="micros")).to_series()


def _iso(found: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """A stamp that names its offset is an instant, whatever the site's zone."""
    words = [word for word in found["zone"].unique().to_list() if word]
    offsets = {word: offset_s(word, "UTC") or 0 for word in words}
    shift = pl.col("zone").replace_strict(offsets, default=None, return_dtype=pl.Int64).fill_null(0)
    local = found.with_columns(local=_local(found, pl.col("day"))).select(
        pl.col("local") - pl.duration(seconds=shift), word=pl.when(pl.col("zone").is_not_null()).then(pl.lit("UTC"))
    )
    return local["local"], local["word"]


def _times(found: pl.DataFrame, origin: Origin, state: Carry) -> pl.Series:
    """Times of day: the first is of the origin's date, one far smaller than the last begins a new day."""
    if origin.date is None:
        raise UnreadableFile("the rows have a time of day but no date", GIVE_DATE, "no_clock")
    clock = read_stamp(pl.lit("2000-01-01 ") + pl.col("time"))
    second = found.select(second=(clock - pl.datetime(2000, 1, 1)).dt.total_seconds()).to_series()
    turns = _turns(second, _DAY_S // 2, state)
    at = pl.lit(origin.date).cast(pl.Datetime("us")) + pl.duration(
        days="turns", seconds="second", microseconds="micros"
    )
    return found.with_columns(turns=turns, second=second).select(at).to_series()


def _named_days(found: pl.DataFrame, origin: Origin, state: Carry) -> pl.Series:
    """`Jun 15 08:00:01`, with its own year, or with years counted on from that of the origin's date."""
    month = pl.col("month").replace_strict(MONTH_NUMBERS, default=None, return_dtype=pl.Int64)
    if "year" in found.columns:
        year = pl.col("year")
    else:
        if origin.date is None:
            raise UnreadableFile("the rows have a day and month but no year", GIVE_DATE, "no_clock")
        numbers = found.select(month).to_series()
        year = pl.lit(_turns(numbers, 6, state) + origin.date.year).cast(pl.String)
    day = pl.concat_str([year, month.cast(pl.String), pl.col("dom").str.zfill(2)], separator="-")
    return _local(found, day)


def _turns(values: pl.Series, half: int, state: Carry) -> pl.Series:
    """How often a cyclic value wrapped around; `state` moves on."""
    before, n_before = state.get("prefix_last"), state.get("prefix_turns", 0)
    last = values.forward_fill() if before is None else values.forward_fill().fill_null(before)
    back = (values < last.shift(1, fill_value=before) - half).fill_null(False).cast(pl.Int64)
    turns: pl.Series = back.cum_sum() + n_before
    state["prefix_last"], state["prefix_turns"] = before, n_before
    if values.len():
        state["prefix_last"], state["prefix_turns"] = last[-1], int(turns[-1])
    return turns
