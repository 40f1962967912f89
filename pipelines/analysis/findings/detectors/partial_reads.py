"""Rules on how tapes are read: picking files where reading all of the tape would have been quicker."""

from collections.abc import Iterator

import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period

_PICKS = ("alternate", "sparse", "random")


@detector("dearer_than_whole")
def dearer_than_whole(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Tapes whose files were picked at a higher cost than reading the whole tape once.

    A mount that skips counts by itself; mounts for single files of one tape and day count together. Reading the whole
    tape would have taken one mount (`mount_s`) and the time of the files alone, less mounts and tape motion, for as
    many bytes as the tape holds.
    """
    params = rule.params
    reads = rows.filter(pl.col("byte_share") > 0, pl.col("wall_s").is_not_null())
    asked = pl.when(pl.col("pattern") == "single").then(pl.col("site_day").cast(pl.String)).otherwise("session_id")
    for entity, group in groups(rule, reads.filter(pl.col("pattern").is_in([*_PICKS, "single"]))):
        sums = (
            group.group_by(asked.alias("asked"), maintain_order=True)
            .agg(
                pl.len().alias("n_mounts"),
                pl.col("wall_s").sum(),
                pl.col("position_s").sum(),
                pl.col("byte_share").sum(),
                pl.col("n_files").sum(),
            )
            .with_columns(files_s=pl.col("wall_s") - pl.col("position_s") - params["mount_s"] * pl.col("n_mounts"))
            .filter(pl.col("files_s") > 0)
            .with_columns(whole_s=params["mount_s"] + pl.col("files_s") / pl.col("byte_share").clip(0, 1))
            .with_columns(lost_s=pl.col("wall_s") - pl.col("whole_s"))
            .filter(pl.col("lost_s") >= params["min_share"] * pl.col("wall_s"))
        )
        lost_s = number(sums["lost_s"].sum())
        if lost_s < params["min_lost_s"]:
            continue
        picked = group.filter(asked.is_in(sums["asked"].to_list()))
        facts = {
            "n_mounts": picked.height,
            "n_files": int(number(sums["n_files"].sum())),
            "share": number(picked["byte_share"].mean()),
            "hours": number(sums["wall_s"].sum()) / 3600,
            "whole_hours": number(sums["whole_s"].sum()) / 3600,
            "pattern": str(picked["pattern"].mode().sort()[0]),
        }
        rate = number(picked["volume_gb"].sum()) * 1e9 / number(sums["files_s"].sum())
        yield Hit(
            entity,
            instant(picked[rule.time[0]].min()),
            instant(picked["dismounted_at"].max()),
            number(picked["byte_share"].mean()),
            facts,
            lost_s,
            lost_s * rate,
            picked.sort("wall_s", rule.time[0], descending=[True, False]).head(EVIDENCE_ROWS),
        )
