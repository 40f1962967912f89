"""Rules on what mounts are for: less work than bringing a tape takes, or picks that cost more than all of a tape."""

from collections.abc import Iterator

import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period


@detector("small_mounts")
def small_mounts(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Mounts in which the tape was ready for less time than it took to bring it and to take it away.

    It fires at `min_a_day` of them, where bringing and taking took at least `min_share` of the time of all mounts. Lost
    is what one mount a day of each tape would have spared.
    """
    params = rule.params
    # a mount over midnight counts once, on the day it begins
    begun = rows.filter(pl.col(rule.time[0]) >= period.bounds[0])
    known = begun.drop_nulls([*rule.by, "mount_s", "dismount_s", "wall_s"]).with_columns(
        handling_s=pl.col("mount_s") + pl.col("dismount_s")
    )
    for entity, group in groups(rule, known):
        small = group.filter(pl.col("wall_s") - pl.col("handling_s") < pl.col("handling_s"))
        handling, wall = number(small["handling_s"].sum()), number(group["wall_s"].sum())
        if small.height < params["min_a_day"] * period.n_days or handling < params["min_share"] * wall:
            continue
        spared = pl.col("handling_s").sum() - pl.col("handling_s").max()
        by_tape = small.group_by("volume", "site_day").agg(spared=spared)
        lost_s = number(by_tape["spared"].sum())
        facts = {
            "n": small.height,
            "n_all": group.height,
            "n_files": int(number(small["n_files"].sum())),
            "n_tapes": small["volume"].n_unique(),
            "gb": number(small["volume_gb"].sum()),
            "handling_hours": handling / 3600,
            "share": handling / wall,
            "hours": lost_s / 3600,
        }
        yield Hit(
            entity,
            instant(small[rule.time[0]].min()),
            instant(small[rule.time[1]].max()),
            float(small.height),
            facts,
            lost_s,
            rows=small.sort(*rule.time, "session_id").head(EVIDENCE_ROWS),
        )


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
