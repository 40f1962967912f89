"""Forecasts and what they rest on: campaigns, plans, room, costs of drives, drives needed.

The forecasts are those that were kept for the report's last day; none is made here.
"""

from collections import Counter
from datetime import date, timedelta
from itertools import groupby

from pipelines.analysis.models.calibration import UNITS
from pipelines.catalog.contracts import Column
from pipelines.config.site import Campaign
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import counted, fixed, interval, no_estimate, percent, quantity
from pipelines.primitives.times import day_text
from pipelines.reporting.report.model import Burndown, Figure, Section, Table, Tornado
from pipelines.reporting.report.queries import Asker, Row
from pipelines.reporting.report.sections import section

_MOST = 12  # campaigns, or kinds of drive, that are listed
_LEVERS = 2
_NOT_KEPT = "No forecast is stored for this day. `tapescope forecast` makes the forecasts that the logs allow."
_TORNADOS = 3
_COST_DOCS = {
    "": "fitted value",
    "_low": "low end of the 90 % interval",
    "_high": "high end of the 90 % interval",
}
_DRIFT = "change per week of the ratio (measured mount time ÷ computed mount time)"


@section("campaigns", order=60, page="plan")
def campaigns(asker: Asker) -> Section:
    """How far campaigns are, when they will be done, what would move that; how long spools last."""
    declared = asker.site.campaign
    by_entity = _by("entity", _of(asker, "eta"))
    seen = _by("campaign", asker.ask("campaign_days").as_dicts() if declared else [])
    sentences, figures = [], []
    for one in declared[:_MOST]:
        past, ahead = seen.get(one.name, []), by_entity.get(one.name, [])
        is_over = past and not past[-1]["left_gb"]
        end = "the campaign is complete" if is_over else _end(asker, ahead)
        sentences.append(f"{one.name}: {_so_far(one, past)}; {end}.")
        figures += _burndown(one, past, ahead)
    if not declared:
        sentences.append("site.toml declares no campaign.")
    elif not by_entity:
        sentences.append(_NOT_KEPT)
    sentences += _score(asker) if declared else []
    sentences += _plans(asker)
    room = asker.table(
        "spool_headroom",
        "Time until an empty spool is full. outage: nothing leaves the spool, and data come in at the average rate of"
        " half-hours above duty_threshold_mb_s. fill: data come in and leave at their average rates",
        ["station", "spool_gb", "in_active_mb_s", "net_mb_s", "outage_hours", "fill_hours"],
    )
    left = len(declared) - _MOST
    notes = [f"`tapescope forecast campaign` lists {counted(left, 'more campaign')}"] if left > 0 else []
    return Section(
        "Campaigns and space",
        sentences=sentences,
        figures=figures,
        tables=[room] if room.rows else [],
        notes=notes,
    )


def _of(asker: Asker, model: str) -> list[Row]:
    return [row for row in asker.ask("forecasts").as_dicts() if row["model"] == model]


def _by(key: str, rows: list[Row]) -> dict[str, list[Row]]:
    """Rows that are sorted by what they are of, each with its own."""
    return {name: list(group) for name, group in groupby(rows, key=lambda row: row[key])}


def _so_far(one: Campaign, past: list[Row]) -> str:
    if not past:
        return f"no log covers any day since the campaign started on {day_text(one.begin)}"
    last = past[-1]
    done = last["done_gb"] / 1000
    lacking = last["n_days_lacking"]
    unseen = f" (data of {counted(lacking, 'day')} without logs is not counted)" if lacking else ""
    moved = f"{fixed(done, 'TB')} of {quantity(one.size_tb, 'TB')} moved until {day_text(last['day'])}"
    return f"{moved} ({percent(done / one.size_tb)}){unseen}"


def _end(asker: Asker, ahead: list[Row]) -> str:
    """When it ends, and the next week; or why there is no estimate."""
    rows = {row["quantity"]: row for row in ahead if row["varied_input"] is None}
    end, week = rows.get("days_left"), rows.get("week_gb")
    if end is None or asker.last is None:
        return "the end of the campaign was not estimated"
    if end["value"] is None:
        return no_estimate(_refusal(end), "the end of the campaign")
    dates = [_date(asker.last, end[key]) for key in ("value", "value_low", "value_high")]
    basis = counted(end["n_samples"], end["sample_unit"][:-1])
    text = f"ends about {dates[0]} (90 % interval {dates[1]} to {dates[2]}), estimated from {basis}"
    if week is not None and week["value"] is not None:
        text += f"; in the next seven days {interval(_estimate(week).times(1e-3), 'TB')} will move"
    levers = sorted((row for row in ahead if row["varied_input"]), key=lambda row: row["value"])[:_LEVERS]
    sooner = [f"{row['varied_input']}: {quantity(end['value'] - row['value'], 'd')} sooner" for row in levers]
    return f"{text}; {', '.join(sooner)}" if sooner else text


def _plans(asker: Asker) -> list[str]:
    """What the archive will hold on the days of its plans, and how likely that is enough."""
    by_entity = _by("entity", _of(asker, "growth")) if asker.site.plan else {}
    return [f"Plan {plan.name}: {_holdings(by_entity.get(plan.name, []))}." for plan in asker.site.plan[:_MOST]]


def _holdings(ahead: list[Row]) -> str:
    rows = {row["quantity"]: row for row in ahead}
    holds = rows.get("holdings_tb")
    if holds is None:
        return "the future size of the archive was not estimated"
    if holds["value"] is None:
        return no_estimate(_refusal(holds), "future size")
    factor = rows["factor_year"]
    text = f"{interval(_estimate(holds), 'TB')} by the day of the plan"
    if "met" in rows:
        met = f"with a probability of {percent(rows['met']['value'])} that the planned size is reached"
    else:
        met = "counting only logged writes, because no export of volumes shows earlier data"
    if factor["value"] is None:
        return f"{text} if average daily writes do not change, {met}; {no_estimate(_refusal(factor), 'growth')}"
    grows = f"daily writes grow by a factor of {interval(_estimate(factor), '1')} a year"
    return f"{text}, {met}; {grows}, estimated from {counted(holds['n_samples'], 'day')}"


def _estimate(row: Row) -> Estimate:
    """A forecast's value and interval; its own value where it has no interval, or no end."""
    value = row["value"]
    low, high = (value if row[end] is None else row[end] for end in ("value_low", "value_high"))
    return Estimate(value, low, high)


def _refusal(row: Row) -> NoEstimate:
    return NoEstimate(row["reason_missing"], row["data_needed"] or "")


def _date(last: date, days: float) -> str:
    try:
        return day_text(last + timedelta(days=days))
    except OverflowError:
        return "a day after the year 9999"


def _burndown(one: Campaign, past: list[Row], ahead: list[Row]) -> list[Figure]:
    end = next((row for row in ahead if row["quantity"] == "days_left" and row["varied_input"] is None), None)
    if not past or end is None or not end["value"]:
        return []
    left = [(row["day"], row["left_gb"] / 1000) for row in past]
    title = f"{one.name}: data left to move"
    return [
        Burndown(title, "campaign_days", "TB", one.size_tb, left, end["value"], end["value_low"], end["value_high"])
    ]


def _score(asker: Asker) -> list[str]:
    """How forecasts fared of which is known what came."""
    over = [
        row for row in asker.ask("forecast_scores").as_dicts() if row["verdict"] not in ("not over", "logs missing")
    ]
    if not over:
        return []
    held = sum(row["verdict"] == "held" for row in over)
    return [
        f"Of {counted(len(over), 'forecast')} with a known outcome, {held} had the outcome inside the 90 % interval."
        " The expected share is 90 %."
    ]


@section("model", order=70, page="plan")
def model_card(asker: Asker) -> Section:
    """Costs fitted to the site's mounts, and drives needed."""
    costs, sizes = _of(asker, "calibration"), _of(asker, "sizing")
    sentences, figures = [], []
    drives = [row for row in sizes if row["quantity"] == "drives"]
    there = Counter(row["generation"] or "unknown" for row in asker.ask("drives").as_dicts())
    for name, rows in list(_by("entity", drives).items())[:_MOST]:
        sentences.append(_needed(name, rows[0], there[name]))
        figures += _tornado(name, rows)
    sentences += _refusals(costs)
    if asker.last is not None and not asker.ask("forecasts").rows:
        sentences.append(_NOT_KEPT)
    table = _cost_table(costs)
    return Section(
        "Model card",
        sentences=sentences
        or (
            []
            if table.rows
            else ["No costs of mounts have been fitted, and no number of needed drives has been computed yet."]
        ),
        figures=figures[:_TORNADOS],
        tables=[table] if table.rows else [],
    )


def _needed(name: str, row: Row, there: int) -> str:
    """Drives of a kind that are needed; those there are, where the period's ledger knows them."""
    if row["value"] is None:
        return f"{name}: {no_estimate(_refusal(row), 'drives needed')}."
    days = counted(row["n_samples"], row["sample_unit"][:-1])
    stand = f"; the site has {there} of these drives" if there else ""
    need = f"{name} drives needed: {interval(_estimate(row), 'drives')}"
    return f"{need} for twice the average traffic of {days}, at the efficiency of the site's mounts{stand}."


def _tornado(name: str, rows: list[Row]) -> list[Figure]:
    bars = [
        (row["varied_input"].replace("rate_mb_s", "traffic"), row["value_low"], row["value_high"])
        for row in rows
        if row["varied_input"] is not None
    ]
    bars.sort(key=lambda bar: (bar[1] - bar[2], bar[0]))
    if len(bars) < 2:
        return []  # one input alone is the interval itself
    title = f"{name} drives needed, if one input at a time is set to either end of its interval"
    return [Tornado(title, "forecasts", "drives", rows[0]["value"], bars)]


def _refusals(costs: list[Row]) -> list[str]:
    """Why there is no estimate of costs, each reason once for those it is true of."""
    why: dict[NoEstimate, list[str]] = {}
    for row in costs:
        if row["reason_missing"] is not None and row["quantity"] in UNITS:
            names = why.setdefault(_refusal(row), [])
            names += [] if row["entity"] in names else [row["entity"]]
    return [f"{', '.join(names)}: {no_estimate(found, 'costs')}." for found, names in why.items()]


def _cost_table(costs: list[Row]) -> Table:
    fitted = [*UNITS.items(), ("drift_week_share", "1")]
    ends = ("", "_low", "_high")
    columns = [
        Column("drives", "VARCHAR", "drive generation, and whether the mounts read or wrote"),
        Column("n_mounts", "BIGINT", "number of mounts used in the fit"),
        Column(
            "error_share",
            "DOUBLE",
            "median error of the computed time of a mount, as a share of the computed time",
            "1",
        ),
        *(
            Column(f"{name}{end}", "DOUBLE", _DRIFT if f"{name}{end}" == "drift_week_share" else _COST_DOCS[end], unit)
            for name, unit in fitted
            for end in ends
        ),
    ]
    rows = []
    for name, group in _by("entity", costs).items():
        by_name = {row["quantity"]: row for row in group}
        by_name["drift_week_share"] = by_name.get("drift_week", {})
        values = [by_name.get(cost, {}).get(f"value{end}") for cost, _ in fitted for end in ends]
        error = by_name.get("median_error", {}).get("value")
        rows.append((name, group[0]["n_samples"], error, *values))
    return Table("Costs of a mount, fitted to the mounts of this site", "forecasts", columns, rows[:_MOST])
