"""What would a change bring? The recorded days run again, compared with the record, and then with the changes."""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import streamlit as st

from dashboards import components, data, fields, scenario
from dashboards.charts import model_charts
from dashboards.head import Page
from pipelines.analysis import forecast
from pipelines.analysis.forecast import WhatIf
from pipelines.analysis.models.simulation import Changes, Outcome, Work
from pipelines.primitives.format import counted, fixed, percent, unit_of
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "What-if",
    "order": 20,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
}


def draw(page: Page) -> None:
    """Draw the part."""
    st.text("A simulator of drives, tapes, clients and capacity limits replays the recorded mounts. 1 MB is 10⁶ bytes.")
    n_days = int(fields.slide("days", "Days of history, up to the last day of the period", 1.0, 28.0, 7.0, 1.0))
    work, down = page.ask("recorded_work", n_days=n_days), page.ask("drives_down", n_days=n_days)
    try:
        record = data.record(page.snapshot, page.last, n_days)
    except data.NoAnswer:
        st.info(
            "No mount of these days was logged from request to dismount, so there is nothing to replay. Choose more"
            " days, or read more logs of the drives with `tapescope run`."
        )
        components.show_sql(work, down)
        return
    first = page.last_days(n_days)
    mounts = counted(len(record.work.mounts), "mount")
    st.text(f"{mounts}, {first} to {page.last}; {percent(record.share)} of the bytes moved can be replayed.")

    st.header("Can the replay be trusted?", anchor=False)
    with st.spinner(f"Replaying {mounts} unchanged", show_time=True):
        replay = data.what_if(page.snapshot, page.last, n_days, Changes())
    _show_trust(replay)

    changes = _chosen_changes(record.work.drives)
    with st.spinner(f"Simulating {mounts} with the changes", show_time=True):
        answer = data.what_if(page.snapshot, page.last, n_days, changes)
    _show_verdict(record.work, answer, changes)
    _show_uses(answer, changes)
    if answer.changed and changes.alone():
        _show_contributions(
            record.work, answer, changes, lambda one: data.outcome(page.snapshot, page.last, n_days, one)
        )
    components.show_sql(work, down)


def _show_trust(replay: WhatIf) -> None:
    """How far the replay without changes is from the record."""
    off = f"The replay differs from the logs by up to {percent(replay.error)} ({escape_markdown(replay.what)})."
    if replay.is_withheld:
        st.error(f"{off} That is more than {percent(forecast.MOST_ERROR)}, so the effect of a change is withheld.")
    else:
        st.success(
            f"{off} That is not more than {percent(forecast.MOST_ERROR)}, so the page shows the effect of a change."
        )
    if replay.shorter_waits:
        st.text(replay.shorter_waits)


def _chosen_changes(drives: dict[str, int]) -> Changes:
    st.header("Changes to simulate", anchor=False)
    try:
        return scenario.form(drives)
    except ValueError as problem:
        st.warning(f"These changes do not fit together: {escape_markdown(str(problem))}.")
        return Changes()


def _show_verdict(work: Work, answer: WhatIf, changes: Changes) -> None:
    """Whether the changed runs need more or less time than the replay."""
    if not answer.changed or changes == Changes():
        return
    before = forecast.scenario("", work, answer.replayed, Changes(), answer.replayed)
    after = forecast.scenario("", work, answer.replayed, changes, answer.changed)
    verdict = escape_markdown(after.against(before))
    if after.hindrance:
        st.error(f"These changes do not work: {escape_markdown(after.hindrance)}. {verdict}")
    else:
        (st.warning if after.done_h > before.done_h else st.success)(verdict)


def _show_uses(answer: WhatIf, changes: Changes) -> None:
    """Charts and table of each kind of drive: recorded, replayed, changed."""
    st.header("Recorded, replayed, changed", anchor=False)
    rows = scenario.uses(answer, changes)
    if answer.is_withheld:
        text = "The answer is withheld. Below are the recorded mounts and their replay."
    elif changes == Changes():
        text = "Nothing is changed yet: choose a change and press Run. Below are the recorded mounts and their replay."
    else:
        text = f"Changed: {forecast.described(changes)}."
    st.text(text)
    # first what is asked for, work done sooner and less waiting; then what it takes of the drives
    _show_charts(rows, scenario.CHARTED[:2])
    with components.closed("Use of the drives", "takes") as is_open:
        if is_open:
            _show_charts(rows, scenario.CHARTED[2:])
    components.show_rows(rows, scenario.columns(), "Results for each kind of drive: recorded, replayed and changed")


def _show_contributions(work: Work, answer: WhatIf, changes: Changes, run: Callable[[Changes], Outcome]) -> None:
    """Each change alone, and all of them, next to the replay; `run` simulates one of them."""
    st.header("How much does each change contribute?", anchor=False)
    st.caption(
        "The table compares each change alone, and all changes together, with the replay. The scenario whose mounts"
        " end soonest on average comes first. Scenarios that the drives cannot complete come last."
    )
    single = changes.alone()
    with st.spinner(
        f"Simulating {counted(len(work.mounts), 'mount')} with each of {len(single)} changes alone", show_time=True
    ):
        runs = [(one, run(one)) for one in single]
    if answer.changed and single != [changes]:
        runs.append((changes, answer.changed))
    scenarios = forecast.ranked(work, answer.replayed, runs)
    components.show_rows(scenario.rows(scenarios), scenario.columns(), "Scenarios side by side")


def _show_charts(rows: list[dict[str, Any]], values: Sequence[str]) -> None:
    """Two values of each kind of drive and run, next to one another."""
    for place, value in zip(st.columns(2), values, strict=True):
        title = scenario.COLUMNS[value][0]
        listed = "; ".join(f"{row['drives']} {row['run']} {fixed(row[value], unit_of(value))}" for row in rows)
        chart: Any = model_charts.runs(pl.DataFrame(rows), value, title)
        place.altair_chart(
            chart, width="stretch", alt=f"{title} by kind of drive, recorded, replayed and changed: {listed}"
        )
