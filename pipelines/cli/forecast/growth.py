"""The command that projects the data written and compares the archive's size with the plans of site.toml."""

from collections.abc import Iterator
from typing import Any

import click

from pipelines.cli.forecast.common import REASONS, Past, history_options, reasons
from pipelines.cli.lazy import forecast
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import interval, no_estimate, quantity

_AHEAD = (0, 91, 182, 365, 730)


@click.command()
@click.option("--group", default="", help="Only this storage group; default: all.")
@click.option("--family", default="", help="Only this file family; default: all.")
@history_options(728)
@format_option
def growth(group: str, family: str, past: Past, form: str) -> None:
    """Project daily writes and their annual growth. The archive's size is compared with the plans of site.toml.

    The projection uses the bytes written each day, from logs or accounting. Plans are [[plan]] entries.
    """
    history = past()
    found = forecast.written(history, group, family, history.n_days)
    now = forecast.held(history, found.last_day, group, family)
    if (group or family) and not now.held_tb:
        raise TapescopeError(
            f"no log shows data of {'.'.join(filter(None, (group, family)))!r} on tape",
            "`tapescope ask members` lists storage groups; `tapescope ask sizes_and_families` lists file families",
        )
    parts = [*_ahead(found, now), *_plans(forecast.outlooks(history, history.n_days))]
    if not history.site.plan:
        parts.append("site.toml declares no plan: add [[plan]] with holdings_tb and a day, e.g. by = 2012-01-01.")
    print_parts(parts, form)


def _holds(now: Any) -> str:
    held = quantity(now.held_tb, "TB")
    if now.is_whole:
        return f"{held} on tape (export of volumes on {now.listed_at:%Y-%m-%d}, plus later writes)"
    return (
        f"{held} written according to the logs (without data written before the first log, which only an export of"
        " volumes would show)"
    )


def _ahead(found: Any, now: Any) -> Iterator[str | Rows]:
    yield f"{_holds(now)} at the end of {found.last_day}; days with logs: {found.n_days}."
    if isinstance(found.growth, NoEstimate):
        yield f"{no_estimate(found.growth, 'the data that will be written')}."
        yield Rows("ahead", [])
        return
    yield from _growth(found.growth)
    rows = [
        {"n_days_ahead": days}
        | found.growth.rate(days).columns("written_gb_day")
        | _shifted(found.growth.written(days), now.held_tb).columns("held_tb")
        for days in _AHEAD
        if days <= found.growth.reach_days
    ]
    yield Rows("ahead", rows)
    if isinstance(further := found.growth.rate(_AHEAD[-1]), NoEstimate):
        yield f"{no_estimate(further)}."


def _shifted(amount_gb: Any, held_tb: float) -> Any:
    return Estimate(*(held_tb + gb / 1000 for gb in (amount_gb.value, amount_gb.low, amount_gb.high)))


def _growth(found: Any) -> Iterator[str]:
    factor, double = found.factor_year, found.double_days
    if isinstance(factor, NoEstimate):
        yield f"{no_estimate(factor, 'growth')}."
        yield "The figures below assume the mean daily writes of these days, without growth."
        return
    unsure = "; there may be no growth at all" if factor.low <= 1 <= factor.high else ""
    yield f"Daily writes grow by a factor of {interval(factor, '1')} a year{unsure}."
    if factor.low > 1:
        yield f"Daily writes double in {interval(double, 'd')}."


def _plans(everyone: list[Any]) -> Iterator[str | Rows]:
    rows = []
    for one in everyone:
        chance = None if isinstance(one.chance, NoEstimate) else one.chance
        row = {
            "plan": one.plan.name,
            "by_day": one.plan.by,
            "planned_tb": one.plan.holdings_tb,
            "now_tb": one.held.held_tb,
        }
        row |= one.holdings_tb.columns("holdings_tb") | {"met_share": chance} | one.days_left.columns("left_days")
        rows.append(row | {"reached_day": _reached(one)} | reasons(one.holdings_tb))
    yield Rows("plans", rows, REASONS)
    for one in everyone:
        yield from _plan(one)


def _reached(one: Any) -> str | None:
    if isinstance(one.days_left, NoEstimate) or one.held.held_tb >= one.plan.holdings_tb:
        return None
    ends = [one.days_left.value, one.days_left.low, one.days_left.high]
    value, low, high = (str(one.day_of(days) or "never") for days in ends)
    return f"{value} ({low} to {high})"


def _plan(one: Any) -> Iterator[str]:
    name = f"Plan {one.plan.name}"
    if isinstance(one.holdings_tb, NoEstimate):
        yield f"{name}: {no_estimate(one.holdings_tb, 'whether the plan is met')}."
    elif isinstance(one.written.growth.factor_year, NoEstimate):
        yield f"{name}: the estimate assumes that daily writes do not grow."
    if not one.held.is_whole:
        yield f"{name}: data written before the first log is not included, so the size is a lower bound."
    is_short = one.held.held_tb < one.plan.holdings_tb
    if is_short and isinstance(one.days_left, NoEstimate) and not isinstance(one.holdings_tb, NoEstimate):
        yield f"{name}: cannot estimate when the planned size is reached: {one.days_left.reason}."
