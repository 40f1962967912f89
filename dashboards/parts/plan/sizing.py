"""How many drives do we need? The sizing formula, fitted to the mounts of this site, with its sensitivity."""

from typing import Any

import polars as pl
import streamlit as st

from dashboards import components, data, fields
from dashboards.charts import model_charts
from dashboards.head import Page
from pipelines.analysis import forecast
from pipelines.analysis.models.calibration import UNITS
from pipelines.analysis.models.sizing import Needed
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import counted, fixed, interval, no_estimate, percent
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "Sizing",
    "order": 10,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives",
}
COSTS = {
    "speed_mb_s": "drive speed [MB/s]",
    "mount_s": "time to mount and dismount a tape [s]",
    "file_s": "time per file in addition to its data transfer [s]",
    "seek_s": "time to wind to a file [s]",
}


def draw(page: Page) -> None:
    """Draw the part."""
    mounts = page.ask("mounts_served", n_days=28)
    if not mounts.rows:
        st.text(
            "No log shows a complete mount, from request to dismount, in the four weeks up to the period's last day."
        )
        return
    fits = {f"{one.generation} {one.mode}": one for one in data.fitted(page.snapshot, page.last)}
    able = [name for name, fit in fits.items() if not fit.found.unknown]
    if not able:
        st.text(
            "No kind of drive has mounts from which all costs can"
            " be estimated. The table shows which data each kind lacks."
        )
        _costs(fits)
        components.show_sql(mounts)
        return
    answer = st.container()
    like = fields.choose("like", "Drives like", able, page=st)
    left, right = st.columns(2, gap="large")
    with left:
        target = fields.slide("target", "Target [MB/s]", 10.0, 5000.0, 400.0, 10.0)
        factor = fields.slide("factor", "Factor that multiplies the target, for backlogs and peaks", 1.0, 5.0, 2.0, 0.1)
        availability = fields.slide("available", "Share of time in which a drive is available", 0.5, 1.0, 0.9, 0.01)
    with right:
        n_files = fields.slide("files", "Files per mount", 1.0, 500.0, 10.0, 1.0)
        file_mb = fields.slide("size", "File size [MB]", 50.0, 20000.0, 1000.0, 50.0)
    needed, efficiency = forecast.size(fits[like], target, factor, n_files, file_mb, availability)
    with answer:
        stand = _stand(page.ask("drive_inventory").rows_of(generation=fits[like].generation), fits[like].generation)
        st.header(f"{counted(needed.whole, 'drive')} needed{stand}", anchor=False)
        st.text(
            f"Estimate: {interval(needed.drives, 'drives')} for {factor:g} times {target:,.0f} MB/s, with the 90 %"
            " interval in brackets. In mounts with the chosen number and size of files, a drive moves data"
            f" {percent(efficiency.value)} of the time."
            f" The costs of a mount are those of the four weeks up to {page.last}."
        )
        if not fits[like].found.fits:
            st.warning("The sizing formula does not fit these mounts, so this estimate is rough.")
    if needed.tornado:
        _show_tornado(needed)
    _show_efficiency(fits[like], file_mb, efficiency)
    with st.expander("Costs of a mount at this site", on_change="rerun", key="costs") as place:
        if place.open:
            _costs(fits)
    components.show_sql(mounts)


def _show_tornado(needed: Needed) -> None:
    st.header("What the number of drives depends on", anchor=False)
    inputs = pl.DataFrame([{"input": COSTS[name], "low": low, "high": high} for name, low, high in needed.tornado])
    says = (
        "Number of drives needed if one cost of a mount is at the low or high end of its 90 % interval."
        f" With all costs as estimated, the number is {fixed(needed.drives.value, 'drives')}."
    )
    st.altair_chart(model_charts.tornado(inputs, "drives", needed.drives.value), width="stretch", alt=says)
    st.caption(
        "Each bar shows how the number of drives changes while one cost of a mount varies over its 90 % interval."
        " The line is the estimate."
    )


def _show_efficiency(fit: forecast.Fitted, file_mb: float, efficiency: Estimate) -> None:
    st.header("Share of a mount's time in which the drive moves data", anchor=False)
    curve = pl.DataFrame(forecast.efficiency_by_size(fit))
    says = "Efficiency by file size, for 1 to 300 files per mount."
    st.altair_chart(model_charts.efficiency(curve, file_mb), width="stretch", alt=says)
    st.caption(
        f"Efficiency is {fixed(efficiency.value, '1')} for files of the chosen size (dashed line) and the chosen number"
        " of files per mount. 1 MB is 10⁶ bytes."
    )


def _stand(declared: list[dict[str, Any]], generation: str) -> str:
    """How many drives of a kind there are, where site.toml declares any.

    >>> _stand([{"n_drives": 3}, {"n_drives": 1}], "LTO-9"), _stand([], "unknown")
    ('; the site has 4 LTO-9', '')
    """
    there = sum(row["n_drives"] for row in declared)
    return f"; the site has {there:,} {escape_markdown(generation)}" if declared else ""


def _costs(fits: dict[str, forecast.Fitted]) -> None:
    """The fitted costs of each kind of drive, or why there is no estimate."""
    rows: list[dict[str, object]] = []
    for name, fit in fits.items():
        for parameter, found in fit.found.parameters.items():
            row = {"drives": name, "mounts": len(fit.mounts), "cost": COSTS[parameter]}
            text = no_estimate(found) if isinstance(found, NoEstimate) else interval(found, UNITS[parameter])
            rows.append(row | {"estimate (90 % interval)": text})
    config = {"mounts": st.column_config.NumberColumn(format="localized")}
    components.show_rows(rows, config, "Costs of a mount at this site")
