"""Rules on how many: a share that is too low, an event that repeats."""

from collections.abc import Iterator

import polars as pl

from pipelines.catalog import Rule
from pipelines.config import Site
from pipelines.findings.hits import EVIDENCE_ROWS, Hit, Period, groups, instant, number


def low_share(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A share of counted bins below a limit; what was missed is priced at the rate while active, or the others'."""
    params = rule.params
    total = rows[rule.value].sum() * params["unit_s"]
    common = rows[params["moved_gb"]].sum() * 1e9 / total if total else None
    for entity, group in groups(rule, rows):
        n, n_active = int(group[params["of"]].sum()), int(group[rule.value].sum())
        if n < params["min_coverage"] * params["full"] * period.n_days or n_active >= params["below"] * n:
            continue
        active_s = n_active * params["unit_s"]
        rate = group[params["moved_gb"]].sum() * 1e9 / active_s if n_active else common
        lost_s = (n - n_active) * params["unit_s"]
        facts = {
            "n": n,
            "share": n_active / n,
            "limit": params["below"],
            "first_day": str(period.first),
            "last_day": str(period.last),
        }
        priced = lost_s * rate if rate else None
        yield Hit(entity, *period.bounds, n_active / n, facts, lost_s, priced, group.tail(EVIDENCE_ROWS))


def repeats(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The same kind of event so often that it is no accident."""
    params = rule.params
    for entity, group in groups(rule, rows):
        if group.height < params["min_count"]:
            continue
        detail = group[params["detail"]].drop_nulls().mode().sort()
        facts = {"n": group.height, "detail": detail[0] if detail.len() else "for no reason given"}
        yield Hit(
            entity,
            instant(group[rule.time[0]].min()),
            instant(group[rule.time[1]].max()),
            float(group.height),
            facts,
            number(group[rule.value].sum()),
            None,
            group.head(EVIDENCE_ROWS),
        )
