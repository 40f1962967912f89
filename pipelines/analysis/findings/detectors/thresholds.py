"""Rules on how much: a share that is too low, an event that repeats, seconds that add up, sums that do not."""

import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.analysis.findings.detectors import detector
from pipelines.analysis.findings.hit import EVIDENCE_ROWS, Hit, groups, instant, number
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period, day_bounds, site_days
from pipelines.primitives.format import quantity

# The resource of each of `ceilings`, and the words for its share.
RESOURCES = {
    "link_load": ("link", "link"),
    "disk_busy": ("disks", "disks busy"),
    "saturated_share": ("CPU", "CPU full"),
}


@detector("low_share")
def low_share(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """A share of counted bins below a limit; what was missed is priced at the rate while active, or the others'.

    `ceilings` are columns with the share of each resource that was used, and from where on it is near its ceiling.
    """
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
        } | _room(group, params["ceilings"])
        priced = lost_s * rate if rate else None
        yield Hit(entity, *period.bounds, n_active / n, facts, lost_s, priced, group.tail(EVIDENCE_ROWS))


def _room(rows: pl.DataFrame, ceilings: dict[str, float]) -> dict[str, Any]:
    """Facts on how near resources came to their ceilings, `room` in words: more work is advised only if none did."""
    most = {name: number(rows[name].max()) for name in ceilings if rows[name].count()}
    near = {name: value / ceilings[name] for name, value in most.items() if value >= ceilings[name]}
    unknown = [RESOURCES[name][0] for name in ceilings if name not in most]
    # A fact goes into a sentence with at most 80 characters: only the worst of them is named.
    advice = f"relieve the {RESOURCES[max(near, key=near.__getitem__)][0]} first" if near else "queue more jobs"
    room = ", ".join(f"{RESOURCES[name][1]} {value:.0%}" for name, value in most.items())
    lacking = f" (no log of {', '.join(unknown)})" if unknown else ""
    room += f"{lacking}; {advice}"
    if not most:
        room = "unknown, because no log covers the station's link, disks and CPUs"
    return most | {"room": room, "is_near_ceiling": bool(near)}


@detector("repeats")
def repeats(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """The same kind of event so often that it is no accident: `min_count` times, or `min_a_day` times on a day.

    With `min_a_day` only the events of days with as many count. Of what they cost, that of `needed_a_day` is not lost.
    With `different`, a column, not all of them may be of one value of it: alerts of a drive with several tapes are the
    drive's, those of a tape in several drives the tape's. `but_for` leaves out what another column explains as well.
    """
    params = rule.params
    rows = rows.drop_nulls(list(rule.by))
    if "but_for" in params:
        other = pl.col(params["but_for"])
        is_theirs = (pl.len().over(other) >= params["min_count"]) & (pl.col(rule.by[-1]).n_unique().over(other) > 1)
        rows = rows.filter(other.is_null() | ~is_theirs)
    by_day = _site_day(rule, period)
    if "min_a_day" in params:
        rows = rows.filter(pl.len().over(*rule.by, by_day) >= params["min_a_day"])
    for entity, group in groups(rule, rows):
        if group.height < params.get("min_count", 1):
            continue
        n_days = group.select(by_day.n_unique()).item()
        different: dict[str, int] = {}
        if "different" in params:  # an event without a name may be of one that is counted already
            different = {"n_different": group[params["different"]].drop_nulls().n_unique()}
        if different.get("n_different", 2) < 2:
            continue
        detail = group[params["detail"]].drop_nulls().mode().sort()
        n, n_known, lost_s = group.height, group[rule.value].count(), number(group[rule.value].sum())
        facts = {
            "n": n,
            "detail": detail[0] if detail.len() else params.get("no_detail", "for an unknown reason"),
            "hours": lost_s / 3600,
            "took": _took(lost_s, n_known, n),
        } | different
        yield Hit(
            entity,
            instant(group[rule.time[0]].min()),
            instant(group[rule.time[1]].max()),
            float(n),
            facts,
            lost_s * max(0.0, 1 - params.get("needed_a_day", 0) * n_days / n) if n_known else None,
            None,
            group.head(EVIDENCE_ROWS),
        )


def _took(seconds: float, n_known: int, n: int) -> str:
    """Hours of n events, in words: logs may show when some of them ended, but not when they began.

    >>> _took(900.0, 3, 3), _took(900.0, 2, 3), _took(0.0, 0, 3)
    ('0.25 h', 'at least 0.25 h', 'an unknown time')
    """
    if not n_known:
        return "an unknown time"
    return f"{'' if n_known == n else 'at least '}{quantity(seconds / 3600, 'h')}"


@detector("costs")
def costs(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Time lost to one cause, where its price is at least `min_gb_day` and `min_share` of what was moved.

    Rows are those of gold.lost_time or gold.station_loss, whose price is capped by what limits next. With
    `may_move_nothing` a price counts also where nothing moved: idle drives are priced by others of their kind.
    """
    params = rule.params
    for entity, group in groups(rule, rows.drop_nulls(list(rule.by))):
        gain, moved = number(group[rule.value].sum()), number(group["moved_gb"].sum())
        if not moved and not params.get("may_move_nothing"):
            continue
        if gain < params["min_gb_day"] * period.n_days or gain < params["min_share"] * moved:
            continue
        lost_s = number(group["lost_hours"].sum()) * 3600
        facts = {
            "hours": lost_s / 3600,
            "spent_hours": number(group["duration_us"].sum()) / 3.6e9,
            "n_drives": group["drive"].n_unique(),
            "moved_gb": moved,
            "gain_gb_day": gain / period.n_days,
        } | ({"share": gain / moved} if moved else {})
        dearest = group.sort(rule.value, "drive", descending=[True, False], nulls_last=True).head(EVIDENCE_ROWS)
        yield Hit(entity, *period.bounds, gain, facts, lost_s, None, dearest)


@detector("accumulates")
def accumulates(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Seconds of a state, summed over a day's rows: at least `min_total` and a share of `min_share` of those covered.

    Only days for which this holds count, however many are judged at once.

    `weight` is the column of seconds, `of` that of the seconds that logs cover, and `most` that of the most seconds it
    may have been where samples are coarse. A row without one of the first two cannot be judged: its time is no part of
    the share. A row lasts `length_s`, without it until its site day ends: 23 to 25 hours.
    """
    params, day = rule.params, _site_day(rule, period)
    total = pl.col(params["of"]).sum().over(day)
    weight = pl.col(params["weight"]).clip(0).sum().over(day)
    is_struck = (total > 0) & (weight >= params["min_total"]) & (weight >= params["min_share"] * total)
    for entity, whole in groups(rule, rows.drop_nulls([params["weight"], params["of"]])):
        group = whole.filter(is_struck)
        struck = group.filter(pl.col(params["weight"]) > 0)
        struck_s, total_s = number(struck[params["weight"]].sum()), number(group[params["of"]].sum())
        if not total_s:
            continue
        facts: dict[str, Any] = {
            name: number(struck[name].mean()) for name in params.get("facts", ()) if struck[name].count()
        }
        most_s = max(struck_s, number(group[params["most"]].sum())) if "most" in params else struck_s
        hours, hours_most = struck_s / 3600, most_s / 3600
        facts |= {"hours": hours, "share": struck_s / total_s, "total_hours": total_s / 3600, "hours_most": hours_most}
        facts["reach"] = _reach(hours, hours_most)
        latest = instant(struck[rule.time[1]].max())
        if "length_s" in params:
            end = latest + timedelta(seconds=params["length_s"])
        else:
            end = day_bounds(site_days(latest, latest, period.zone)[0], period.zone)[1]
        yield Hit(
            entity,
            instant(struck[rule.time[0]].min()),
            end,
            hours,
            facts,
            rows=struck.sort(params["weight"], rule.time[0], descending=[True, False]).head(EVIDENCE_ROWS),
        )


def _site_day(rule: Rule, period: Period) -> pl.Expr:
    """The site day on which a row begins."""
    begin = pl.col(rule.time[0]).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    return begin.dt.convert_time_zone(period.zone).dt.date()


def _reach(hours: float, most: float) -> str:
    """Hours, or from what to what where that differs by as much as is shown.

    >>> _reach(1.5, 1.52), _reach(3.5, 4.7)
    ('1.5', '3.5 to 4.7')
    """
    least, largest = f"{hours:.1f}", f"{most:.1f}"
    return least if least == largest else f"{least} to {largest}"


@detector("unbalanced")
def unbalanced(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """What came in over the period and neither went out nor, in such amounts, can have stayed; or the reverse.

    `came_in` and `went_out` are columns of GB a day, `out_duty` the duty with which it went out. It fires where the
    difference is at least `min_share` of the larger side and `min_gb_day` a day, over at least `min_days` days.
    """
    params = rule.params
    for entity, group in groups(rule, rows):
        came_in, went_out = (number(group[params[side]].sum()) / group.height for side in ("came_in", "went_out"))
        difference = abs(came_in - went_out)
        if group.height < params["min_days"] or difference < params["min_gb_day"]:
            continue
        share = difference / max(came_in, went_out)
        if share < params["min_share"]:
            continue
        duty = number(group[params["out_duty"]].mean())
        facts = {
            "in_gb_day": came_in,
            "out_gb_day": went_out,
            "difference_gb_day": difference,
            "share": share,
            "out_duty": duty,
            "needed_duty": duty * came_in / went_out if went_out else None,
            "what": "was discarded, or left the station without being counted"
            if came_in > went_out
            else "left the station, but was not counted when it came in",
            "n_days": group.height,
        }
        yield Hit(entity, *period.bounds, share, facts)


@detector("turned_over")
def turned_over(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Counters that went round between two polls: less was counted than passed, and no rate is above what a turn holds.

    A row is short where it counted less than `least` of what is known to have passed. `witnesses` are the columns that
    know. It fires at `min_rows` such rows, if from the first to the last of them no poll exceeds a turn (by more than
    `slack`) but the largest comes within `near` of it: remainders of a turn come as near as there are many.
    """
    params = rule.params
    known = pl.max_horizontal(params["witnesses"])
    for entity, group in groups(rule, rows.filter(pl.col("capacity_mb_s").fill_null(math.inf) > pl.col("turn_mb_s"))):
        short = group.filter(pl.col(rule.value) < params["least"] * known).with_columns(known_gb=known)
        if short.height < params["min_rows"]:
            continue
        begin, end = instant(short[rule.time[0]].min()), instant(short[rule.time[1]].max())
        seen = group.filter(pl.col(rule.time[0]).is_between(begin, end))
        most, turn = number(seen["max_mb_s"].max()), number(seen["turn_mb_s"].min())
        if not params["near"] <= most / turn <= 1 + params["slack"]:
            continue
        facts = {
            "n": short.height,
            "n_known": seen.filter(known > 0).height,
            "counted_gb": number(short[rule.value].sum()),
            "known_gb": number(short["known_gb"].sum()),
            "max_mb_s": most,
            "turn_mb_s": turn,
        }
        missing = (pl.col(rule.value) / pl.col("known_gb"), rule.time[0])
        yield Hit(
            entity,
            begin,
            end + timedelta(seconds=params["length_s"]),
            facts["counted_gb"] / facts["known_gb"],
            facts,
            rows=short.sort(*missing).head(EVIDENCE_ROWS),
        )


@detector("contradicts")
def contradicts(rule: Rule, rows: pl.DataFrame, site: Site, period: Period) -> Iterator[Hit]:
    """Values that cannot be, `min_count` of one kind or more: a single one may be a slip of a line.

    Those with a hint are left to the rule on the cause that it names.
    """
    newest = rows.filter(
        pl.col("day") == period.last, pl.col("n") >= rule.params["min_count"], pl.col("hint").is_null()
    )
    for entity, group in groups(rule, newest):
        row = group.row(0, named=True)
        facts = {name: row[name] for name in ("n", "n_compared", "bound", "what", "why")}
        yield Hit(entity, row[rule.time[0]], row[rule.time[1]], row[rule.value], facts, rows=group)
