"""Rules on who is slower: a drive than its peers or its own past, a tape than what its drives do else."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.analysis.stats import two_way
from pipelines.analysis.stats.bootstrap import LEVEL
from pipelines.analysis.stats.median_ratio import Contrast, ratio_of_medians
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import Estimate, NoEstimate

_FAR = 4.0  # standard deviations that set a tape apart from the others
_DRIVES_OF_A_LEVEL = 3


@detector("slower_than_peers")
def slower_than_peers(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Entities whose rate is below that of their peers; below their own past where they have none to compare with.

    Only rows alike in the columns `alike` are compared, each against the level of its day. Rows of the last
    `recent_days` are judged, those before are the past. It fires where the ratio is at most `max_ratio` and its
    interval ends below `below`; hours are those of all kinds (modes) for which it does, facts those of the dearest.
    """
    rows = _levelled(rule, rows, rule.by[-1])
    begin = period.last - timedelta(days=rule.params["recent_days"] - 1)
    for entity, group in groups(rule, rows):
        hits: list[Hit] = []
        for _, kind in group.group_by(rule.params["alike"], maintain_order=True):
            now = kind.filter(pl.col("day") >= begin)
            if now.height:
                others = _alike(rule, rows, now).filter(pl.col("day") >= begin)
                hits += _judged(rule, entity, now, others, kind.filter(pl.col("day") < begin))
        if hits:
            yield _together(hits)


def _together(hits: list[Hit]) -> Hit:
    """One hit of an entity: its hours in all kinds of work, in the words of the dearest."""
    dearest = max(hits, key=lambda hit: hit.lost_s or 0.0)
    lost_s, lost_bytes = (sum(getattr(hit, name) or 0.0 for hit in hits) for name in ("lost_s", "lost_bytes"))
    bounds = [sum(hit.lost_interval[side] or 0.0 for hit in hits) for side in (0, 1)]
    modes = " and ".join(sorted({f"{hit.facts['mode']}s" for hit in hits}))
    also = f"; {lost_s / 3600:.2f} h lost in total for {modes}" if len(hits) > 1 else ""
    facts = dearest.facts | {"hours": lost_s / 3600, "also": also}
    return replace(
        dearest,
        started_at=min(hit.started_at for hit in hits),
        ended_at=max(hit.ended_at for hit in hits),
        facts=facts,
        lost_s=lost_s,
        lost_bytes=lost_bytes,
        lost_interval=(bounds[0], bounds[1]),
    )


def _alike(rule: Rule, rows: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Rows of other entities that are alike in what decides a rate; what is not known of them is not alike."""
    same = [pl.col(name) == pl.lit(now[name][0], rows[name].dtype) for name in rule.params["alike"]]
    return rows.filter(*same, ~pl.all_horizontal([pl.col(name).eq_missing(now[name][0]) for name in rule.by]))


def _judged(rule: Rule, entity: str, now: pl.DataFrame, peers: pl.DataFrame, past: pl.DataFrame) -> Iterator[Hit]:
    params = rule.params
    if all(_ratio(now, others) > params["max_ratio"] for others in (peers, past)):
        return  # whatever the interval: most drives are well, and a bootstrap against all the others takes its time
    against_peers, against_past = _contrast(rule, now, peers), _contrast(rule, now, past)
    found, than, others = (against_peers, "its peers", peers)
    if isinstance(against_peers.ratio, NoEstimate):
        found, than, others = (against_past, "before", past)
    ratio = found.ratio
    if isinstance(ratio, NoEstimate) or ratio.value > params["max_ratio"] or ratio.high >= params["below"]:
        return
    usual = number(others[rule.value].median())
    taken = now["bytes"] / 1e6 / now[rule.value]
    lost_s = number(taken.sum()) * (1 - ratio.value)
    facts = {
        "n": found.n,
        "n_clusters": found.n_clusters,
        "mode": str(now["mode"][0]),
        "than": than,
        "usual": usual,
        "ratio": ratio.value,
        "slower": 1 - ratio.value,
        "slower_low": 1 - ratio.high,
        "slower_high": 1 - ratio.low,
        "n_peers": others.select(rule.by).n_unique() if others is peers else 0,
        "past": _past(against_past),
    }
    yield Hit(
        entity,
        instant(now[rule.time[0]].min()),
        instant(now[rule.time[1]].max()),
        number(now[rule.value].median()),
        facts,
        lost_s,
        lost_s * usual * 1e6,
        now.sort((pl.col(rule.value) - now[rule.value].median()).abs(), rule.time[0]).head(EVIDENCE_ROWS),
        params["recent_days"],
        (lost_s * (1 - ratio.high) / (1 - ratio.value), lost_s * (1 - ratio.low) / (1 - ratio.value)),
    )


def _ratio(rows: pl.DataFrame, others: pl.DataFrame) -> float:
    """Of the medians; without bound where there is nothing to compare with."""
    return number(rows["levelled"].median()) / number(others["levelled"].median()) if others.height else float("inf")


def _levelled(rule: Rule, rows: pl.DataFrame, drive: str) -> pl.DataFrame:
    """With `levelled`: the value without what all drives of its kind had in common that day, a change of software say.

    The level of a day is the median of its drives' medians; a day with fewer than three drives has none of its own.
    """
    kind = rule.params["alike"]
    each = rows.group_by([*kind, "day", drive]).agg(pl.col(rule.value).median().alias("of_drive"))
    days = each.group_by([*kind, "day"]).agg(pl.col("of_drive").median().alias("level"), pl.len().alias("n"))
    usual = rows.group_by(kind).agg(pl.col(rule.value).median().alias("usual"))
    level = pl.when(pl.col("n") >= _DRIVES_OF_A_LEVEL).then(pl.col("level")).otherwise(pl.col("usual"))
    joined = rows.join(days, on=[*kind, "day"], how="left", nulls_equal=True, maintain_order="left")
    joined = joined.join(usual, on=kind, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(levelled=pl.col(rule.value) * pl.col("usual") / level).drop("n", "level", "usual")


def _contrast(rule: Rule, rows: pl.DataFrame, others: pl.DataFrame) -> Contrast:
    cluster, who = rule.params["cluster"], rule.by[-1]
    is_past = others.height > 0 and rows[who][0] == others[who][0]
    return ratio_of_medians(
        rows["levelled"].to_numpy(),
        rows[cluster].fill_null("").to_numpy().astype(str),
        others["levelled"].to_numpy(),
        others[cluster].fill_null("").to_numpy().astype(str),
        min_values=rule.params["min_values"],
        min_clusters=rule.params["min_clusters"],
        other_groups=None if is_past else others[who].to_numpy().astype(str),
    )


def _past(contrast: Contrast) -> str:
    found = contrast.ratio
    if isinstance(found, NoEstimate):
        return "too few earlier files or tapes to compare the drive with its own past"
    if found.low <= 1 <= found.high:
        return "the drive's rate does not clearly differ from its past rate"
    change = f"{abs(1 - found.value):.0%} {'below' if found.value < 1 else 'above'}"
    return f"the drive's rate is {change} its past rate"


@detector("slow_tapes")
def slow_tapes(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Tapes that are slow in every drive: the effect of the tape where that of the drives and the days was taken out.

    Tapes that ran in one drive only are not judged. It fires where the effect is at most `max_ratio` and differs
    clearly from the other tapes' effects; its interval is how much these differ.
    """
    params = rule.params
    hits: dict[str, Hit] = {}
    for _, kind in rows.group_by(params["alike"], maintain_order=True):
        named = kind.drop_nulls([params["drive"], params["tape"]])
        if named.height < params["min_values"]:
            continue
        labels = (named[name].to_numpy().astype(str) for name in (params["drive"], params["tape"], "day"))
        found = two_way.fit(named[rule.value].to_numpy(), *labels, n_resamples=1)
        tapes = [(effect, effect.ratio.value) for effect in found.tapes if isinstance(effect.ratio, Estimate)]
        log_ratios = np.log([ratio for _, ratio in tapes])
        if log_ratios.size < params["min_tapes"]:
            continue
        spread = 1.4826 * float(np.median(np.abs(log_ratios - np.median(log_ratios))))
        for effect, ratio in tapes:
            if ratio <= params["max_ratio"] and np.log(ratio) <= np.median(log_ratios) - _FAR * spread:
                of_tape = named.filter(pl.col(params["tape"]).cast(pl.String) == effect.name)
                hit = _tape(rule, effect, ratio, _usual_reach(log_ratios, spread), of_tape)
                if hit.facts["n"] >= params["min_files"]:
                    hits[hit.entity] = max(hit, hits.get(hit.entity, hit), key=lambda one: one.lost_s or 0.0)
    yield from hits.values()


def _usual_reach(logs: NDArray[np.float64], spread: float) -> float:
    """By what factor a tape that is well may be off the typical one; those that differ most are left out.

    The typical one is the median of a few tapes, and as uncertain as that: its variance is pi / 2n of a tape's.
    """
    usual = logs[np.abs(logs - np.median(logs)) <= _FAR * spread]
    off = np.std(usual, ddof=1) * np.sqrt(1 + np.pi / (2 * usual.size))
    return float(np.exp(scipy.special.stdtrit(usual.size - 1, (1 + LEVEL) / 2) * off))


def _tape(rule: Rule, effect: two_way.Effect, ratio: float, reach: float, rows: pl.DataFrame) -> Hit:
    taken = rows["bytes"] / 1e6 / rows[rule.value]
    lost_s = number(taken.sum()) * (1 - ratio)
    facts = {
        "n": rows.height,
        "n_drives": effect.n_cells,
        "slower": 1 - ratio,
        "slower_low": max(0.0, 1 - ratio * reach),
        "slower_high": 1 - ratio / reach,
        "mode": str(rows["mode"][0]),
    }
    rate = number(rows["bytes"].sum()) / number(taken.sum())
    return Hit(
        effect.name,
        instant(rows[rule.time[0]].min()),
        instant(rows[rule.time[1]].max()),
        number(rows[rule.value].median()),
        facts,
        lost_s,
        lost_s * rate / ratio,
        rows.sort(rule.time[0]).head(EVIDENCE_ROWS),
    )
