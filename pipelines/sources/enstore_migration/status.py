"""The table of `migrate --status`: which milestones each file of a volume has passed."""

import polars as pl

from pipelines.sources._shared.enstore import BFID

TABLE = "enstore_migration_status"
MILESTONES = ("copied", "swapped", "checked", "closed")

HEADER = r"^\((\S+)\) src_bfid SDB +dst_bfid SDB copied swapped checked closed\s*$"
_MARKS = "[PCOMYNUE ]"
# Kind, deleted and bad are letters of their own, so that it does not matter which blank was left out.
_ROW = (
    rf"^(?P<src_bfid>{BFID})(?: (?P<src_marks>{_MARKS}{{0,3}}))? *"
    rf"(?:(?P<dst_bfid>{BFID}) (?P<dst_marks>{_MARKS}{{1,3}})(?P<flags>[y ]{{0,28}}))?$"
)
ROW = rf"^{BFID} {_MARKS}{{2,3}} *(?:{BFID} {_MARKS}{{3}}[y ]{{0,28}})$"
_WIDTH = 7  # of a milestone's column


def read(rows: pl.DataFrame, volume: str | None) -> tuple[pl.DataFrame, pl.DataFrame, str | None]:
    """Rows of tables, other lines inside a table, and the volume of the last header."""
    text = pl.col("text")
    rows = rows.with_columns(header=text.str.extract(HEADER)).with_columns(
        volume=pl.col("header").forward_fill().fill_null(pl.lit(volume, pl.String))
    )
    after = rows["volume"][-1] if rows.height else volume
    inside = rows.filter(pl.col("volume").is_not_null() & pl.col("header").is_null() & (text.str.strip_chars() != ""))
    inside = inside.with_columns(text.str.strip_chars_end("\r").str.extract_groups(_ROW).struct.unnest())
    is_row = pl.col("src_bfid").is_not_null()
    strange = inside.filter(~is_row).with_columns(reason=pl.lit("bad_syntax"))
    return inside.filter(is_row).with_columns(**_marks("src"), **_marks("dst"), **_flags()), strange, after


def _marks(side: str) -> dict[str, pl.Expr]:
    marks = pl.col(f"{side}_marks").fill_null("")
    return {
        f"{side}_kind": marks.str.extract(r"([PCOM])"),
        f"{side}_deleted": marks.str.extract(r"([YNU])"),
        f"{side}_is_bad": pl.when(pl.col(f"{side}_bfid").is_not_null()).then(marks.str.contains("E")),
    }


def _flags() -> dict[str, pl.Expr]:
    """Without a new file no milestone is passed."""
    flags = pl.col("flags").fill_null("")
    return {
        f"is_{name}": flags.str.slice(number * _WIDTH, _WIDTH).str.contains("y")
        for number, name in enumerate(MILESTONES)
    }
