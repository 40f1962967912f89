"""What will the archive hold, and are the plans of site.toml met?"""

from datetime import timedelta
from typing import Any

import polars as pl
import streamlit as st

from dashboards import data, planning, words
from dashboards.charts import model_charts
from dashboards.components import show_rows
from dashboards.head import Page
from pipelines.analysis.forecast import held, outlooks, written
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import fixed, interval, no_estimate, percent, quantity

PART = {
    "title": "Growth",
    "order": 40,
    "needs": ["silver.transfer"],
    "lacking": "logs of files written to tape",
    "filters": ["group"],
}
N_DAYS = 728  # what is looked at: two years of whole weeks
N_POINTS = 24


def draw(page: Page) -> None:
    """Draw the part."""
    group = page.chosen["group"]
    history = planning.history(page, N_DAYS)
    try:
        with data.refusing():
            found = written(history, group, "", N_DAYS)
            now = held(history, found.last_day, group, "")
            plans = [one for one in outlooks(history, N_DAYS) if one.plan.storage_group == group]
    except data.NoAnswer as problem:
        st.text(f"{problem}.")
        return
    holds = quantity(now.held_tb, "TB")
    basis = (
        "according to an export of volumes and the writes logged after that export"
        if now.is_whole
        else "counting only the files whose writes are in the logs"
    )
    st.text(f"{holds} on tape at the end of {found.last_day}, {basis}.")
    if isinstance(found.growth, NoEstimate):
        st.text(words.capital(f"{no_estimate(found.growth, 'what will be written')}."))
    else:
        _ahead(found, now.held_tb, plans)
    if plans:
        _plans(plans)
    else:
        st.caption(
            f"site.toml has no plan for {'this storage group' if group else 'the archive'} to compare with:"
            f" add a [[plan]] with the keys `by` and `holdings_tb`{' and `storage_group`' if group else ''}."
        )


def _ahead(found: Any, held_tb: float, plans: list[Any]) -> None:
    """The growth in a sentence, and the line of what will be held as far as these days reach."""
    factor = found.growth.factor_year
    if isinstance(factor, NoEstimate):
        why = words.capital(no_estimate(factor, "growth"))
        st.text(f"{why}. The forecast assumes that the mean rate of the last {found.n_days} days continues.")
    else:
        unsure = "; there may be no growth at all" if factor.low <= 1 <= factor.high else ""
        st.text(f"The amount written per day grows by a factor of {interval(factor, '1')} a year{unsure}.")
    reach = found.growth.reach_days
    rows = [{"day": found.last_day, "value": held_tb, "low": held_tb, "high": held_tb}]
    for days in sorted({max(1, reach * step // N_POINTS) for step in range(1, N_POINTS + 1)}) if reach else ():
        gb = found.growth.written(days)
        if isinstance(gb, Estimate):
            ends = {name: held_tb + getattr(gb, name) / 1000 for name in ("value", "low", "high")}
            rows.append({"day": found.last_day + timedelta(days=days)} | ends)
    if len(rows) < 2:
        st.text("Too few days have logs for a forecast.")
        return
    planned = [{"day": one.plan.by, "value": one.plan.holdings_tb, "plan": one.plan.name} for one in plans]
    schema = {"day": pl.Date, "value": pl.Float64, "plan": pl.String}
    last = rows[-1]
    says = (
        f"{fixed(last['value'], 'TB')} TB expected on {last['day']},"
        f" compared with {fixed(held_tb, 'TB')} TB on {found.last_day}."
    )
    chart = model_charts.ahead(pl.DataFrame(rows), pl.DataFrame(planned, schema=schema))
    st.altair_chart(chart, width="stretch", alt=f"Forecast of the data on tape. {says}")
    st.caption("Band: 90 % interval. Diamonds: plans in site.toml.")


def _plans(plans: list[Any]) -> None:
    rows = []
    for one in plans:
        ahead, chance = one.holdings_tb, one.chance
        rows.append(
            {
                "plan": one.plan.name,
                "by": one.plan.by,
                "planned [TB]": one.plan.holdings_tb,
                "expected (90 % interval)": no_estimate(ahead)
                if isinstance(ahead, NoEstimate)
                else interval(ahead, "TB"),
                "chance that the planned size is reached": "–" if isinstance(chance, NoEstimate) else percent(chance),
            }
        )
    show_rows(rows, {}, "Plans of site.toml")
