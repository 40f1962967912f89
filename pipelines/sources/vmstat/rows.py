"""The rows of vmstat's table: fields into columns, and why a row is rejected."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from pipelines.primitives.units import KIB
from pipelines.sources._shared.columns import over
from pipelines.sources._shared.stamps import read_stamp
from pipelines.sources.protocol import Carry, Origin, first_of
from pipelines.sources.vmstat.headers import LAYOUTS, UNREAD, WIDEST
from pipelines.sources.vmstat.prefixes import preferred
from pipelines.sources.vmstat.text import flatten, plain_stamps, squeezed

_SHAPE = r"^\d+-\d+-\d+ \d+:\d+:\d+( \S+)?$"
_STAMP = 20  # characters of a stamp and the blank before it
_NARROWEST = min(len(names) for names in LAYOUTS)
_LARGEST = 2**52  # KiB: larger ones are no memory of any host, and would not fit once in bytes
_COUNT, _SIZE, _RATE, _SHARE = "count", "size", "rate", "share"
_TYPES = {_COUNT: pl.Int32, _SIZE: pl.Int64, _RATE: pl.Float64, _SHARE: pl.Float64}
_FIELDS = {
    "run_queue": (("r",), _COUNT, 1),
    "blocked": (("b",), _COUNT, 1),
    "swapped_bytes": (("swpd",), _SIZE, KIB),
    "free_bytes": (("free", "free_scaled", "free_4k"), _SIZE, KIB),
    "buffer_bytes": (("buff",), _SIZE, KIB),
    "cache_bytes": (("cache",), _SIZE, KIB),
    "inactive_bytes": (("inact",), _SIZE, KIB),
    "active_bytes": (("active",), _SIZE, KIB),
    "swap_in_bytes_s": (("si",), _RATE, KIB),
    "swap_out_bytes_s": (("so",), _RATE, KIB),
    "read_bytes_s": (("bi",), _RATE, KIB),
    "write_bytes_s": (("bo",), _RATE, KIB),
    "interrupt_rate": (("in",), _RATE, 1),
    "switch_rate": (("cs",), _RATE, 1),
    "cpu_user": (("us",), _SHARE, 1),
    "cpu_system": (("sy",), _SHARE, 1),
    "cpu_idle": (("id",), _SHARE, 1),
    "cpu_wait": (("wa",), _SHARE, 1),
    "cpu_stolen": (("st",), _SHARE, 1),
    "cpu_guest": (("gu",), _SHARE, 1),
}
_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active")
_LEAST_KIB = 8 * KIB  # free and cached together: no host with Linux 2.6 has less than 8 MiB of both
_SUFFIXES = "KMGTP"
_ANNOUNCED = ["names", "zone", "announces", "era"]  # columns of headers, in the order of `Announced`


class Announced(NamedTuple):
    """The contents of the header above a row: column names parted by blanks ('' for none), zone, stamps, version.

    `era` is the program's version as far as the group titles show it: see `doubts`.
    """

    names: str
    zone: str
    is_stamped: bool
    era: int


def announce(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> list[tuple[Announced, pl.DataFrame]]:
    """The rows under equal headers."""
    before = Announced(*state["header"])
    announced = headers.select(_ANNOUNCED).unique(maintain_order=True)
    above = [Announced(*row) for row in announced.iter_rows()]
    is_above = headers.height > 0 and (rows.height == 0 or headers["line_no"][0] < rows["line_no"][0])
    kinds = list(dict.fromkeys(above if is_above else [before, *above]))
    if len(kinds) == 1:
        return [(kinds[0], rows)]
    places = pl.Series([kinds.index(one) for one in above], dtype=pl.Int64)
    known = announced.with_columns(kind=places)
    marks = headers.select("line_no", *_ANNOUNCED).join(known, on=_ANNOUNCED, maintain_order="left")
    placed = (
        rows.set_sorted("line_no")
        .join_asof(marks.select("line_no", "kind").set_sorted("line_no"), on="line_no")
        .with_columns(pl.col("kind").fill_null(0 if kinds[0] == before else -1))
    )
    return [(one, placed.filter(kind=i).drop("kind")) for i, one in enumerate(kinds)]


def split(parts: list[tuple[Announced, pl.DataFrame]], origin: Origin, state: Carry) -> pl.DataFrame:
    """Fields by the header of each row, its stamp (`local`, `word`), and why it is rejected."""
    done = []
    for header, rows in parts:
        names = header.names.split(" ")
        sound = _split_sound(rows, header, names) if header.names else None
        if not sound and "flat" not in rows.columns:
            rows = flatten(rows, origin, state)
        done.append(
            _complete(rows, header, sound or _split_any(rows, header, names)) if header.names else _headless(rows)
        )
    return done[0] if len(done) == 1 else pl.concat(done).sort("line_no")


def _complete(rows: pl.DataFrame, header: Announced, fields: tuple[pl.DataFrame, pl.DataFrame]) -> pl.DataFrame:
    """Rows with the contract's columns and the values that their stamps and shape give."""
    numbers, stamps = fields
    return (
        preferred(rows.hstack(stamps))
        .with_columns(is_stamped=pl.lit(header.is_stamped))
        .select("line_no", "text", "rank", "is_stamped", "reason", "local", "word")
        .hstack(_columns(numbers))
        .with_columns(is_suspicious=_is_suspicious(numbers), era=pl.lit(header.era, dtype=pl.Int64))
    )


def _split_sound(rows: pl.DataFrame, header: Announced, names: list[str]) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Rows of which every one is sound, at twice the speed; None if one is not."""
    if not rows.height:
        return None
    text = rows["flat" if "flat" in rows.columns else "text"]
    local = pl.Series("local", [None], dtype=pl.Datetime("us")).new_from_index(0, rows.height)
    if header.is_stamped:
        stamps = plain_stamps(text.str.tail(_STAMP - 1))
        if stamps is None or not text.str.slice(-_STAMP, 1).eq(" ").all():
            return None
        local, text = stamps, text.str.head(-_STAMP)
    read_names = [(str(i), name) for i, name in enumerate(names) if name != UNREAD]
    try:
        fields = pl.read_csv(
            squeezed(text),
            separator=" ",
            has_header=False,
            quote_char=None,
            schema={str(i): pl.String if name == UNREAD else pl.Int64 for i, name in enumerate(names)},
        )
    except pl.exceptions.PolarsError:  # a row too long, or a field that is no number
        return None
    if fields.height != rows.height or any(fields[place].null_count() for place in fields.columns):  # a row too short
        return None
    numbers = fields.select(pl.col(place).alias(name) for place, name in read_names)
    if not numbers.select(_are_believed(name for _, name in read_names)).item():
        return None
    return numbers, rows.select(reason=pl.lit(None, dtype=pl.String), local=local, word=pl.lit(header.zone))


def _are_believed(names: Iterable[str]) -> pl.Expr:
    return pl.all_horizontal(pl.col(name).is_between(0, _largest(name)).all() for name in names)


def _largest(name: str) -> int:
    return 2**31 - 1 if name in ("r", "b", "w") else _LARGEST


def _split_any(rows: pl.DataFrame, header: Announced, names: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    places = [str(i) for i in range(len(names))]
    fields = rows["flat"].str.splitn(" ", len(names) + 1).struct.rename_fields([*places, "rest"]).struct.unnest()
    numbers = fields.select(
        _number(place, name).alias(name) for place, name in zip(places, names, strict=True) if name != UNREAD
    )
    rest = pl.col("rest")
    tail = fields.select(
        "rest",
        is_narrow=pl.col(places[-1]).is_null(),
        is_bad=numbers.select(pl.any_horizontal(pl.all().is_null())).to_series(),
        local=read_stamp(rest.str.head(_STAMP - 1)),
        behind=rest.str.slice(_STAMP - 1),
    ).with_columns(local=pl.when(pl.col("behind").str.contains(r"^( \S+)?$")).then("local"))
    is_stamp_bad = rest.is_not_null() & pl.col("local").is_null()
    is_narrow = pl.col("is_narrow") | (rest.is_null() & pl.lit(header.is_stamped))
    reason = first_of(
        wrong_width=is_narrow | (is_stamp_bad & ~rest.str.contains(_SHAPE)),
        bad_time=is_stamp_bad,
        bad_number=pl.col("is_bad"),
    )
    word = (
        pl.when(pl.col("behind").str.len_bytes() > 1).then(pl.col("behind").str.slice(1)).otherwise(pl.lit(header.zone))
    )
    stamps = tail.select(reason=reason, local="local", word=word)
    if (stamps["reason"] == "wrong_width").any():  # its stamp still bounds the next row
        at_end = rows.select(at_end=read_stamp(pl.col("flat").str.tail(_STAMP - 1))).to_series()
        stamps = stamps.with_columns(local=pl.when(reason="wrong_width").then(at_end).otherwise("local"))
    return numbers, stamps


def _number(place: str, name: str) -> pl.Expr:
    """A field's number if the warehouse can hold it."""
    number = pl.col(place).cast(pl.Int64, strict=False)
    if name == "free_scaled":  # FreeBSD: 512M
        parts = pl.col(place).str.extract_groups(rf"^(\d+(?:\.\d+)?)([{_SUFFIXES}])$").struct
        power = pl.lit(_SUFFIXES).str.find(parts[1], literal=True).cast(pl.Int64)
        scaled = parts[0].cast(pl.Float64) * pl.lit(KIB).pow(power)
        number = pl.coalesce(number, scaled.cast(pl.Int64, strict=False))
    return pl.when(number.is_between(0, _largest(name))).then(number)


def _columns(numbers: pl.DataFrame) -> pl.DataFrame:
    """The contract's columns that the layout has."""
    columns = []
    for column, (fields, kind, factor) in _FIELDS.items():
        field = next((field for field in fields if field in numbers.columns), None)
        value = pl.lit(None) if field is None else _scaled(field, kind, factor)
        columns.append(value.cast(_TYPES[kind]).alias(column))
    return numbers.select(columns)


def _scaled(field: str, kind: str, factor: int) -> pl.Expr:
    if kind == _SHARE:
        return over(pl.col(field), 100)
    factor = 4 * factor if field == "free_4k" else factor
    return pl.col(field) * factor if factor != 1 else pl.col(field)


def _is_suspicious(numbers: pl.DataFrame) -> pl.Series:
    """Rows whose memory is no number of whole pages of 4 KiB, or too little for a kernel: it is in another unit."""
    present = [pl.col(name) for name in _MEMORY if name in numbers.columns]
    if "swpd" not in numbers.columns:  # another system: its units are known
        return pl.Series("is_suspicious", [False]).new_from_index(0, numbers.height)
    together = present[0]
    for column in present[1:]:
        together = together | column
    is_suspicious = (together & 3) != 0
    if "w" not in numbers.columns and len(present) > 2:
        is_suspicious = is_suspicious | (pl.sum_horizontal(present[1:]) < _LEAST_KIB)
    return numbers.select(is_suspicious=is_suspicious.fill_null(False)).to_series()


def _headless(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows above any header: rejected, though they count as steps of the clock."""
    width = pl.col("flat").str.count_matches(" ") + 1
    is_like = width.is_between(_NARROWEST, WIDEST + 3)  # with date, time and zone
    return rows.select(
        "line_no",
        "text",
        "rank",
        is_stamped=pl.lit(False),
        reason=pl.when(is_like).then(pl.lit("no_header")).otherwise(pl.lit("bad_syntax")),
        local=pl.lit(None, dtype=pl.Datetime("us")),
        word=pl.lit(""),
        **{column: pl.lit(None, dtype=_TYPES[kind]) for column, (_, kind, _) in _FIELDS.items()},
        is_suspicious=pl.lit(False),
        era=pl.lit(0, dtype=pl.Int64),
    )
