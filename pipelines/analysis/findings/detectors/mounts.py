"""Rules on what mounts are for: tapes brought and taken away for less work than that takes."""

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
