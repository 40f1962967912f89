"""Rows of iostat: fields into columns, halves and sub-tables of a report into one row per device."""

import re
from collections.abc import Iterator

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import over
from pipelines.sources._shared.contract import shaped
from pipelines.sources._shared.device_kinds import disk_kind
from pipelines.sources._shared.fixed_width import Shape
from pipelines.sources._shared.flat import flatten
from pipelines.sources._shared.sysstat import numbers
from pipelines.sources.iostat.layout import BYTES, COLUMNS, CPU, DEVICE, MS, PERCENT, SKIPPED, Layout, read_header
from pipelines.sources.protocol import Carry

_NUMBER = r"^[-+]?(\d+([.,]\d+)?|nan)[%BkKMGTP]?( |$)"
_NUMERIC = re.compile(r"[-+]?(\d+([.,]\d*)?|nan)[%BkKMGTP]?")
_NAME = r"^[A-Za-z/][\w./:!@+-]*$"
WHOLE, HEAD, TAIL = "whole", "head", "tail"  # a row, or which of its two lines
MEASURES = tuple(dict.fromkeys(column.name for column in COLUMNS.values() if column.name))
CPU_MEASURES = tuple(name for name in MEASURES if name.startswith("cpu_"))
DEVICE_MEASURES = tuple(name for name in MEASURES if not name.startswith("cpu_"))


def split(rows: pl.DataFrame, columns: dict[Shape, pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of processors and of devices by their `section`, with `reason` where one is rejected.

    `columns` are rows whose numbers are read already; those that do not fit their header are read as the others are.
    Raises UnreadableFile where the header above a row is cut or names unknown columns.
    """
    parts: dict[str, list[pl.DataFrame]] = {CPU: [], DEVICE: []}
    misfits = []
    for shape, aligned in columns.items():
        for section, inside in _by_section(aligned):
            layout = read_header(section) if section else None
            if layout and _is_fitting(shape, layout):
                parts[layout.family].append(_take_aligned(inside, layout))
            else:
                misfits.append(inside.select(rows.columns))
    if misfits:
        rows = pl.concat([rows, *misfits]).sort("line_no")
    for section, inside in _by_section(flatten(rows)):
        if not section:
            parts[DEVICE].append(_homeless(inside))
            continue
        layout = read_header(section)
        if layout is None:
            raise UnreadableFile(
                f"line {inside['line_no'][0]}: rows below a header that is cut or has unknown columns: {section[:80]}",
                "keep header lines as iostat prints them",
            )
        if layout.family != SKIPPED:
            parts[layout.family].append(_split(inside, layout))
    return _filled(parts[CPU], CPU_MEASURES), _filled(parts[DEVICE], DEVICE_MEASURES)


def _by_section(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    sections = rows["section"].unique(maintain_order=True).to_list()
    for section in sections:
        yield section, rows if len(sections) == 1 else rows.filter(section=section)


_COLUMNS: dict[str, pl.DataType] = {
    "line_no": pl.Int64(),
    "text": pl.String(),
    "report": pl.Int64(),
    **dict.fromkeys(("device", "part"), pl.String()),
    **dict.fromkeys(("is_closing", "is_group", "is_nan"), pl.Boolean()),
    "reason": pl.String(),
}


def _filled(frames: list[pl.DataFrame], names: tuple[str, ...]) -> pl.DataFrame:
    """All columns, null where no section had them."""
    rows = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame(schema=_COLUMNS)
    return shaped(rows, {**_COLUMNS, **dict.fromkeys(names, pl.Float64())}).sort("line_no")


def _is_fitting(shape: Shape, layout: Layout) -> bool:
    is_named = layout.family == DEVICE and not layout.is_last
    return layout.family != SKIPPED and shape.has_name == is_named and len(shape.are_whole) == len(layout.names)


def _take_aligned(rows: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    units = {name: COLUMNS[name].unit for name in layout.names if COLUMNS[name].kind == BYTES}
    values = rows.select(
        (number * units[name] if units.get(name, 1) != 1 else number).alias(name)
        for name, number in ((name, pl.col(str(i)).cast(pl.Float64)) for i, name in enumerate(layout.names))
    )
    known = rows.select(
        "line_no",
        "text",
        "report",
        device="name",
        part=pl.lit(WHOLE),
        is_closing=pl.lit(layout.family == CPU or layout.is_closing),
        is_nan=pl.lit(False),
        reason=pl.lit(None, pl.String),
    )
    return known.hstack(_measures(values, layout.names))


def _homeless(rows: pl.DataFrame) -> pl.DataFrame:
    """Lines above any header."""
    is_like = pl.col("text").str.count_matches(r"\s[-+]?\d+[.,]\d+") >= 3
    reason = pl.when(is_like).then(pl.lit("no_header")).otherwise(pl.lit("bad_syntax"))
    return rows.select("line_no", "text", "report", reason=reason)


def _split(rows: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    if layout.family == CPU:
        return _take(rows, layout.names, "", WHOLE, True)
    if layout.is_last:
        taken = _take(rows, layout.names, "last", WHOLE, layout.is_closing)
        is_group = rows.select(pl.col("text").str.contains(r"\d%?  [^\s\d]\S*$")).to_series()
        return taken.with_columns(is_group=is_group)
    taken = _take(rows, layout.names, "first", WHOLE, layout.is_closing)
    if rows["text"].str.starts_with(" ").any():
        taken = taken.with_columns(is_group=rows.select(_is_group()).to_series())
    is_misfit = taken["reason"] == "wrong_width"
    if not is_misfit.any():
        return taken
    return pl.concat(
        [taken.filter(~is_misfit.fill_null(False)), *_halves(rows.filter(is_misfit.fill_null(False)), layout)],
        how="diagonal_relaxed",
    )


def _is_group() -> pl.Expr:
    """A group's name is moved in by a blank, unless the whole table is."""
    return pl.col("text").str.starts_with(" ") & ~pl.col("is_indented").fill_null(False)


def _halves(rows: pl.DataFrame, layout: Layout) -> list[pl.DataFrame]:
    """Rows printed in two lines: a name alone and its numbers, or what a mail wrapped; the rest is rejected."""
    n_first = layout.n_first if layout.n_first < len(layout.names) else 0
    width = pl.col("flat").str.count_matches(" ", literal=True) + 1
    is_numbers = pl.col("flat").str.contains(_NUMBER)
    is_head = (width == n_first + 1) & ~is_numbers & (pl.col("flat").str.contains(_NAME) | (n_first > 0))
    is_tail = (width == len(layout.names) - n_first) & is_numbers
    kind = rows.select(pl.when(is_head).then(pl.lit(HEAD)).when(is_tail).then(pl.lit(TAIL))).to_series()
    heads, tails, rest = (rows.filter(kind == HEAD), rows.filter(kind == TAIL), rows.filter(kind.is_null()))
    found = [
        _take(heads, layout.names[:n_first], "first", HEAD, False).with_columns(
            is_group=heads.select(_is_group()).to_series()
        ),
        _take(tails, layout.names[n_first:], "", TAIL, True),
    ]
    has_digit = pl.col("text").str.contains(r"\d")
    reason = pl.when(has_digit).then(pl.lit("wrong_width")).otherwise(pl.lit("bad_syntax"))
    return [*found, rest.select("line_no", "text", "report", reason=reason)]


def _take(rows: pl.DataFrame, names: tuple[str, ...], place: str, part: str, is_closing: bool) -> pl.DataFrame:
    """Fields by name, with the device's `first`, `last` or nowhere."""
    title = {"first": ["device", *names, "rest"], "last": [*names, "device"], "": [*names, "rest"]}[place]
    fields = rows["flat"].str.splitn(" ", len(title)).struct.rename_fields(title).struct.unnest()
    is_misfit = pl.col("device" if place == "last" or not names else names[-1]).is_null()
    if place != "last":
        is_misfit = is_misfit | pl.col("rest").is_not_null()
    misfit = fields.select(is_misfit).to_series()
    units = {name: COLUMNS[name].unit for name in names if COLUMNS[name].kind == BYTES}
    values = numbers(fields.select(names), units)
    has_bad = any(value.null_count() for value in values)
    is_bad = values.select(pl.any_horizontal(pl.all().is_null())).to_series() if has_bad else misfit
    reason = pl.DataFrame({"misfit": misfit, "bad": is_bad}).select(
        reason=pl.when("misfit").then(pl.lit("wrong_width")).when("bad").then(pl.lit("bad_number"))
    )
    # a sum is NaN if any of its parts is
    is_nan = values.select(is_nan=pl.sum_horizontal(pl.all()).is_nan()).to_series() if names else misfit
    device = fields["device"] if place else pl.Series("device", [None] * rows.height, dtype=pl.String)
    return (
        rows.select("line_no", "text", "report")
        .with_columns(device, part=pl.lit(part), is_closing=pl.lit(is_closing), is_nan=is_nan)
        .hstack(reason)
        .hstack(_measures(values, names))
    )


def _measures(values: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """The contract's columns in its units; NaN becomes null."""
    given = {COLUMNS[name].name: name for name in sorted(names, key=_precision) if COLUMNS[name].name}
    by = {MS: 1000, PERCENT: 100}
    picked = []
    for target, name in given.items():
        kind = COLUMNS[name].kind
        value = pl.col(name).fill_nan(None)
        picked.append((over(value, by[kind]) if kind in by else value).alias(target))
    return values.select(picked)


def _precision(name: str) -> int:
    """Old headers give the same rate in sectors and in KiB: the last in this order is taken, the finer."""
    column = COLUMNS[name]
    return -column.unit if column.kind == BYTES else 0


def merge(pieces: pl.DataFrame, open_report: int, state: Carry) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per device from rows that come in parts, at the line of the last; and the parts that fit none.

    Parts of the report that is still open are kept in `state`.
    """
    is_plain = not state["pieces"] and pieces["is_closing"].all() and not (pieces["part"] == TAIL).any()
    if is_plain:
        state["is_head"] = False if pieces.height else state["is_head"]
        return pieces, pieces.clear()
    kept = pl.DataFrame(state["pieces"], schema=_KEPT, orient="row")
    both = pl.concat([kept, pieces], how="diagonal")
    named = (
        (pl.col("part") == TAIL) & (pl.col("part").shift(1) == HEAD) & (pl.col("report") == pl.col("report").shift(1))
    )
    both = both.with_columns(
        device=pl.when(named).then(pl.col("device").shift(1)).otherwise("device"),
        kind=pl.when(named).then(pl.col("kind").shift(1)).otherwise("kind"),
    )
    lost = both.filter(pl.col("device").is_null())
    group = ["report", "device"]
    both = both.filter(pl.col("device").is_not_null())
    both = both.with_columns(turn=pl.col("is_closing").cast(pl.Int64).shift(1, fill_value=0).cum_sum().over(group))
    both = both.with_columns(
        pl.col(*DEVICE_MEASURES).forward_fill().over([*group, "turn"]),
        is_last=(pl.col("turn") == pl.col("turn").max().over(group))
        & (pl.int_range(pl.len()).over(group) == pl.len().over(group) - 1),
    )
    _keep(both, pieces, open_report, state)
    return both.filter("is_closing").select(pieces.columns), lost


_KEPT = pl.Schema({**_COLUMNS, "kind": pl.String(), **dict.fromkeys(DEVICE_MEASURES, pl.Float64())})


def _keep(both: pl.DataFrame, pieces: pl.DataFrame, open_report: int, state: Carry) -> None:
    waiting = both.filter((pl.col("report") == open_report) & ~pl.col("is_closing") & pl.col("is_last"))
    if pieces.height:
        state["is_head"] = pieces["part"][-1] == HEAD
    is_head = (pl.int_range(pl.len()) == pl.len() - 1) & pl.lit(state["is_head"])
    waiting = waiting.select(_KEPT.names()).with_columns(
        line_no=pl.lit(0, dtype=pl.Int64),
        text=pl.lit(""),
        part=pl.when(is_head).then(pl.lit(HEAD)).otherwise(pl.lit("waiting")),
    )
    state["pieces"] = waiting.to_dicts()


def name_devices(rows: pl.DataFrame) -> pl.DataFrame:
    """`device` without /dev/ and its `kind`, null where the word is a number."""
    words = rows["device"].unique(maintain_order=True).drop_nulls().to_list()
    bare = {word: word.removeprefix("/dev/") for word in words}
    kinds = {word: None if _NUMERIC.fullmatch(word) else disk_kind(name, True) for word, name in bare.items()}
    known = pl.col("device").replace_strict(kinds, default=None, return_dtype=pl.String)
    kind = pl.when(pl.col("is_group") & known.is_not_null()).then(pl.lit("group")).otherwise(known)
    rows = rows.with_columns(kind=kind)
    is_bare = all(word == name for word, name in bare.items())
    return rows if is_bare else rows.with_columns(pl.col("device").str.strip_prefix("/dev/"))
