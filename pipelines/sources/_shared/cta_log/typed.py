"""Parameters of lines, all text, as typed columns: shared by the relations of CTA's logs."""

from functools import cache
from typing import NamedTuple

import polars as pl

from pipelines.sources.protocol import first_of

MAX_WHOLE = 2**62
_TRUE, _FALSE = ["1", "true"], ["0", "false"]
_IS_WHOLE = r"^-?\d+$"
_URL = r"^([A-Za-z][\w+.-]*)://(?:[^@/]*@)?(\[[^\]]*\]|[^/:]*)"


class Field(NamedTuple):
    """A column: its kind (text, whole number, seconds or flag), and its parameters; the first one given counts."""

    kind: str
    keys: tuple[str, ...]


Fields = dict[str, Field]

# The same in every relation of the daemon. `drive` and `host` are looked up in every line, for its coverage.
COMMON: Fields = {
    "system": Field("text", ("instance",)),
    "volume": Field("text", ("tapeVid",)),
    "mount_id": Field("text", ("mountId",)),
    "vo": Field("text", ("vo",)),
    "tape_pool": Field("text", ("tapePool",)),
}
LINE = ("line_no", "host", "drive", "logged_at")


def fields(kind: str, **columns: str) -> Fields:
    """Fields of one kind: column = parameter, or several with blanks between."""
    return {name: Field(kind, tuple(keys.split())) for name, keys in columns.items()}


def keys_of(given: Fields) -> set[str]:
    """All parameters that the fields may come from."""
    return {key for field in given.values() for key in field.keys}


def typed(rows: pl.DataFrame, given: Fields, system: str, *more: str) -> pl.DataFrame:
    """The columns of every line, the fields, `is_whole_seconds`, more by name; `reject` is why a line is not a row."""
    columns = rows.select(*LINE, "text", *more, *_columns(tuple(given.items())))
    return columns.with_columns(system=pl.col("system").fill_null(system))


def torn(rows: pl.DataFrame, is_torn: pl.Expr) -> pl.DataFrame:
    """Rows with another reason for `reject`: what they must have is not there."""
    return rows.with_columns(reject=pl.coalesce("reject", pl.when(is_torn).then(pl.lit("bad_syntax"))))


@cache
def _columns(given: tuple[tuple[str, Field], ...]) -> list[pl.Expr]:
    """Made once: for a small block they would take longer to make than to compute."""
    made = {name: value_of(field) for name, field in given}
    is_bad = [
        pl.coalesce(pl.col(key) for key in field.keys).is_not_null() & made[name].is_null()
        for name, field in given
        if field.kind != "text"
    ]
    reject = first_of(
        bad_syntax=~pl.col("is_read"),
        bad_time=pl.col("logged_at").is_null(),
        bad_number=pl.any_horizontal(pl.lit(False), *is_bad),
    )
    values = [value.alias(name) for name, value in made.items()]
    return [*values, _are_whole(dict(given)).alias("is_whole_seconds"), reject.alias("reject")]


def value_of(field: Field) -> pl.Expr:
    """A field by its kind, from the text columns of its parameters; null where it is no such thing."""
    text = pl.coalesce(pl.col(key) for key in field.keys)
    match field.kind:
        case "whole":
            number = text.cast(pl.Int64, strict=False)
            return pl.when(number.is_between(0, MAX_WHOLE)).then(number)
        case "seconds":
            number = text.cast(pl.Float64, strict=False)
            return pl.when(number.is_finite() & (number >= 0)).then(number)
        case "flag":
            return pl.when(text.is_in(_TRUE)).then(True).when(text.is_in(_FALSE)).then(False)
        case _:
            return text


def _are_whole(given: Fields) -> pl.Expr:
    """No time of the line has a point: a program on the way cast them to whole seconds. CTA always prints one."""
    times = [
        pl.coalesce(pl.col(key) for key in field.keys).str.contains(_IS_WHOLE)
        for field in given.values()
        if field.kind == "seconds"
    ]
    return pl.all_horizontal(pl.lit(True), *(time.fill_null(True) for time in times)) & pl.any_horizontal(
        pl.lit(False), *(time.is_not_null() for time in times)
    )


def disk_host() -> pl.Expr:
    """The host of `disk_url`; null for a file that is only verified, because its URL is file://dummy."""
    url = pl.col("disk_url").str.extract_groups(_URL).struct
    return pl.when((url.field("1") != "file") & (url.field("2") != "")).then(url.field("2"))
