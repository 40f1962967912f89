"""For which drive a log speaks, and from when to when.

The daemon writes at each event, so from the first to the latest line of a drive its log was being written. Lines that
name no drive count for the drive whose latest line came from the same process of the same host: before 5.11 a drive's
daemon says so in few of its own lines.
"""

import polars as pl

from pipelines.sources._shared.coverage import so_far
from pipelines.sources.protocol import COVERAGE

Spoken = dict[str, tuple[int, str]]  # of each drive: its latest instant in microseconds, and who wrote of it last

_OWNERS = pl.Schema({"line_no": pl.Int64, "drive": pl.String, "owner": pl.String})


def spoken_for(rows: pl.DataFrame, before: Spoken) -> tuple[pl.DataFrame, Spoken]:
    """Coverage per drive, of lines with `line_no`, `at`, `drive` and `owner`."""
    rows = rows.filter(pl.col("at").is_not_null())
    named = rows.filter(pl.col("drive").is_not_null())
    known = [(0, drive, owner) for drive, (_, owner) in before.items()]
    owners = pl.concat(
        [pl.DataFrame(known, schema=_OWNERS, orient="row"), named.select(_OWNERS.names())], how="vertical"
    )
    silent = _silent(rows.filter(pl.col("drive").is_null() & pl.col("owner").is_not_null()), owners)
    proof = pl.concat([named.select("line_no", "at", "drive"), silent]).sort("line_no")
    parts, after = [pl.DataFrame(schema=COVERAGE)], dict(before)
    latest = owners.group_by("drive", maintain_order=True).agg(pl.col("owner").last())
    by_drive = proof.partition_by("drive", as_dict=True)
    for drive, owner in latest.iter_rows():
        last_us = before[drive][0] if drive in before else None
        if (found := by_drive.get((drive,))) is not None:
            part, last_us = so_far(found, drive, last_us)
            parts.append(part)
        after[drive] = (last_us or 0, owner)
    return pl.concat(parts), after


def _silent(rows: pl.DataFrame, owners: pl.DataFrame) -> pl.DataFrame:
    """Lines without a drive, once for each drive whose latest line before is of the same process."""
    each = rows.select("line_no", "at", "owner").join(owners.select("drive").unique(maintain_order=True), how="cross")
    before = owners.rename({"owner": "latest_owner"}).sort("line_no")
    found = each.sort("line_no").join_asof(before, on="line_no", by="drive", check_sortedness=False)
    return found.filter(pl.col("owner") == pl.col("latest_owner")).select("line_no", "at", "drive")
