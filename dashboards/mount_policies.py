"""The part of a page that shows what other mount policies would have saved, where requests are known."""

from typing import Any

import streamlit as st

from dashboards import components, data
from dashboards.head import Page
from pipelines.analysis import forecast
from pipelines.analysis.forecast import MountAdvice
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, percent
from pipelines.primitives.text import escape_markdown

MOST_REQUESTS = 20_000  # more would keep the visitor waiting: every request is run again
COLUMNS = {
    "run": (
        "run",
        "",
        "what the row shows: the logs, their replay under the recorded policy, or a simulation of another policy",
    ),
    "policy": (
        "mount policy",
        "",
        "when a tape is mounted for waiting requests, and the order in which its files are read",
    ),
    "n_mounts": ("mounts", "localized", "mounts that read files"),
    "drive_hours": ("drive-hours [h]", "%.2f", "total time of the mounts that read files"),
    "saved_hours": ("saved [h]", "%.2f", "drive-hours saved, compared with the replay of the recorded policy"),
    "saved_hours_low": ("hours saved, at least [h]", "%.2f", "lower end of the 90 % interval of the drive-hours saved"),
    "saved_hours_high": ("hours saved, at most [h]", "%.2f", "upper end of the 90 % interval of the drive-hours saved"),
    "wait_p50_hours": ("median wait [h]", "%.2f", "median time from a request to the first block of its file"),
    "wait_p95_hours": (
        "95 % of requests wait less than [h]",
        "%.2f",
        "95th percentile of the time from a request to the first block of its file",
    ),
}


def show(page: Page) -> None:
    """The week that ends with the period; drawn once it is opened, because it runs every request again."""
    work = page.ask("recorded_work", n_days=forecast.WEEK_DAYS)
    n_requests = sum(row["mode"] == "read" and row["queued_at"] is not None for row in work.rows)
    if not n_requests:
        st.text(
            "No mount policy can be tried, because no log records when a file was requested for reading. The page looks"
            " at the seven days up to the end of the period."
        )
        return
    if n_requests > MOST_REQUESTS:
        st.info(f"{n_requests:,} requests are too many to replay on this page: use `tapescope forecast mounts`.")
        return
    with st.spinner(f"Replaying {n_requests:,} requests under other mount policies", show_time=True):
        found = _advice(page)
    if isinstance(found, NoEstimate):
        st.info(f"{escape_markdown(no_estimate(found)).capitalize()}.")
    else:
        _show(found)
    components.show_sql(work, *(page.ask(name, n_days=forecast.WEEK_DAYS) for name in ("file_places", "read_policies")))


def _advice(page: Page) -> MountAdvice | NoEstimate:
    try:
        return data.mount_advice(page.snapshot, page.last)
    except data.NoAnswer as problem:
        return NoEstimate(str(problem), problem.hint)


def _show(found: MountAdvice) -> None:
    off = (
        f"The replay of the week differs from the logs by up to {percent(found.error)} ({escape_markdown(found.what)})."
    )
    if found.is_withheld:
        most = percent(forecast.MOST_ERROR)
        st.error(f"{off} That is more than {most}, so the effect of other policies is withheld.")
    else:
        st.text(f"{off} A policy that saves drive-hours usually makes requests wait longer.")
    components.show_rows(forecast.policy_rows(found), _columns(), "Mount policies: drive-hours saved and waits")
    if found.unplaced:
        kinds = escape_markdown(", ".join(found.unplaced))
        st.caption(
            f"The positions of files on tapes of {kinds} are unknown,"
            " so the replay shows no effect of the reading order on these tapes."
        )


def _columns() -> dict[str, Any]:
    return {
        name: st.column_config.NumberColumn(label, format=form, help=doc)
        if form
        else st.column_config.Column(label, help=doc)
        for name, (label, form, doc) in COLUMNS.items()
    }
