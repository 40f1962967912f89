"""The forecasts of a night, as rows of gold.forecast: what was estimated, or why it could not be."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from pipelines.analysis.forecast.campaigns import Progress, progress
from pipelines.analysis.forecast.costs import Fitted, fit_site
from pipelines.analysis.forecast.drives_needed import DrivesNeeded, drives_for_traffic
from pipelines.analysis.forecast.growth import TWO_YEARS, Outlook, outlooks
from pipelines.analysis.forecast.history import WEEK_DAYS, History, Row
from pipelines.analysis.forecast.recall import seek_models
from pipelines.analysis.models.calibration import UNITS
from pipelines.analysis.models.eta import Eta
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate

RELATION = "gold.forecast"
_OPTIONAL = (
    *("varied_input", "value", "value_low", "value_high", "until_day"),
    *("n_samples", "sample_unit", "reason_missing", "data_needed"),
)


def forecast_all(history: History, day: date) -> list[Row]:
    """All forecasts of a site day, `history` being the days that end with it."""
    empty = dict.fromkeys(_OPTIONAL)
    about = {"day": day, "first_day": day - timedelta(days=history.n_days - 1)}
    return [about | empty | row for row in (*_rows(history), *_spools(history, about["first_day"]))]


def _rows(history: History) -> Iterator[Row]:
    fitted = _fitted(history)
    for one in fitted:
        yield from _costs(one)
    for name, model in seek_models(history).items():
        if model.n_mounts:  # else it is the published model's word, and none of the site's
            basis = {"n_samples": model.n_mounts, "sample_unit": "mounts"}
            yield _named("seeking", name, "seek_factor", "1") | basis | _columns(model.factor)
    for needed in drives_for_traffic(history, fitted):
        yield from _drives(needed)
    yield from _campaigns(history)
    yield from _plans(history)


def _spools(history: History, first_day: date) -> Iterator[Row]:
    """How long each spool lasts, by all days of the history: the question's own default is the last of them."""
    nothing = NoEstimate("no half-hour with logs has an input rate above duty_threshold_mb_s", "days with more input")
    for row in history.rows("spool_headroom", first_day=str(first_day)):
        hours = row["outage_hours"]
        yield _named("sizing", row["station"], "outage_hours", "h") | (
            _columns(nothing) if hours is None else {"value": hours}
        )


def _fitted(history: History) -> list[Fitted]:
    try:
        return fit_site(history)
    except TapescopeError:
        return []  # no mount was logged completely, so there is nothing to report


def _named(model: str, entity: str, quantity: str, unit: str) -> Row:
    return {"model": model, "entity": entity, "quantity": quantity, "unit": unit}


def _columns(found: Estimate | NoEstimate) -> dict[str, Any]:
    if isinstance(found, NoEstimate):
        return {"reason_missing": found.reason, "data_needed": found.data_needed}
    return found.columns("value")


def _costs(one: Fitted) -> Iterator[Row]:
    entity = f"{one.generation} {one.mode}"
    basis = {"n_samples": one.found.n_mounts, "sample_unit": "mounts"}
    for name, unit in UNITS.items():
        yield _named("calibration", entity, name, unit) | basis | _columns(one.found.parameters[name])
    if one.found.median_error is not None:
        yield _named("calibration", entity, "drift_week", "1") | basis | _columns(one.found.drift_week)
        yield _named("calibration", entity, "median_error", "1") | basis | {"value": one.found.median_error}


def _drives(one: DrivesNeeded) -> Iterator[Row]:
    row = _named("sizing", one.generation, "drives", "1") | {"n_samples": one.n_days, "sample_unit": "days"}
    if isinstance(one.needed, NoEstimate):
        yield row | _columns(one.needed)
        return
    yield row | _columns(one.needed.drives)
    for name, at_low, at_high in one.needed.tornado:
        yield row | {"varied_input": name, "value_low": min(at_low, at_high), "value_high": max(at_low, at_high)}


def _campaigns(history: History) -> Iterator[Row]:
    if not history.site.campaign:
        return
    try:
        everyone = {one.name: one for one in progress(history)}
    except TapescopeError:
        everyone = {}
    for planned in history.site.campaign:
        one = everyone.get(planned.name)
        if one is not None:
            yield from _campaign(one)
            continue
        why = NoEstimate(
            f"no log covers any day since the campaign started on {planned.begin}", "logs of days since then"
        )
        yield _named("eta", planned.name, "days_left", "d") | _columns(why)


def _campaign(one: Progress) -> Iterator[Row]:
    basis = {"n_samples": one.n_days, "sample_unit": "days"}
    left = _named("eta", one.name, "days_left", "d") | basis
    week = _named("eta", one.name, "week_gb", "GB") | basis | {"until_day": one.last_day + timedelta(days=WEEK_DAYS)}
    yield left | _columns(one.left_days)
    if isinstance(one.end, Eta):
        yield _named("eta", one.name, "gb_day", "GB/day") | basis | _columns(one.end.gb_day)
        for lever in one.end.levers:
            yield left | {"varied_input": lever.name, "value": lever.days}
    yield week | _columns(one.week_gb)


def _plans(history: History) -> Iterator[Row]:
    if not history.site.plan:
        return
    try:
        everyone = outlooks(history)
    except TapescopeError as error:
        for plan in history.site.plan:
            yield _named("growth", plan.name, "holdings_tb", "TB") | _columns(
                NoEstimate(str(error), "logs of days with writes")
            )
        return
    for one in everyone:
        yield from _plan(one)


def _plan(one: Outlook) -> Iterator[Row]:
    """The plan's own day begins when the day before it is over. What is endless has no end in a row."""
    last = one.written.last_day
    basis = {"n_samples": one.written.n_days, "sample_unit": "days", "first_day": last - timedelta(days=TWO_YEARS - 1)}
    until = basis | {"until_day": one.plan.by - timedelta(days=1)}
    growth = one.written.growth
    factor = growth if isinstance(growth, NoEstimate) else growth.factor_year
    yield _named("growth", one.plan.name, "factor_year", "1") | basis | _columns(factor)
    yield _named("growth", one.plan.name, "holdings_tb", "TB") | until | _columns(one.holdings_tb)
    if not isinstance(one.chance, NoEstimate) and one.held.is_whole:  # else more is held than is known
        yield _named("growth", one.plan.name, "met", "1") | until | {"value": one.chance}
    yield _named("growth", one.plan.name, "days_left", "d") | basis | _columns(one.days_left)
