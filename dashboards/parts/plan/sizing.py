"""How many drives do we need? The sizing formula, fitted to the mounts of this site, with what it hangs on."""

import polars as pl
import streamlit as st

from dashboards import components, data, fields
from dashboards.charts import model_charts
from dashboards.head import Page
from pipelines.analysis import forecast
from pipelines.analysis.models.calibration import UNITS
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import fixed, interval, no_estimate

PART = {
    "title": "Sizing",
    "order": 10,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives",
}
COSTS = {
    "speed_mb_s": "speed [MB/s]",
    "mount_s": "a mount and dismount [s]",
    "file_s": "a file, besides its data [s]",
    "seek_s": "a search for a file [s]",
}


def draw(page: Page) -> None:
    """Draw the part."""
    st.text(
        "A model, fitted to the four weeks of mounts that end with the period. Intervals hold 90 %. MB = 10^6 bytes."
    )
    mounts = page.ask("mounts_served", n_days=28)
    if not mounts.rows:
        st.info("No mount was logged from request to dismount. Load server logs with `tapescope run`.")
        return
    fits = {f"{one.generation} {one.mode}": one for one in data.fitted(page.snapshot, page.last)}
    st.header("What mounts cost here", anchor=False)
    rows: list[dict[str, object]] = []
    for name, fit in fits.items():
        for parameter, found in fit.found.parameters.items():
            row = {"drives": name, "mounts": len(fit.mounts), "cost": COSTS[parameter]}
            if isinstance(found, NoEstimate):
                rows.append(row | {"fitted, 90 %": no_estimate(found)})
            else:
                rows.append(row | {"fitted, 90 %": interval(found, UNITS[parameter])})
    components.show_rows(rows, {"mounts": st.column_config.NumberColumn(format="localized")})
    components.show_sql(mounts)

    able = [name for name, fit in fits.items() if not fit.found.unknown]
    if not able:
        st.info("No kind of drive served mounts from which all of its costs can be told: see what is lacking above.")
        return
    st.header("Drives for so much traffic", anchor=False)
    like = fields.choose("like", "Drives like", able, page=st)
    left, right = st.columns(2, gap="large")
    with left:
        target = fields.slide("target", "Target [MB/s]", 10.0, 5000.0, 400.0, 10.0)
        factor = fields.slide("factor", "Factor for backlogs and peaks", 1.0, 5.0, 2.0, 0.1)
        availability = fields.slide("available", "Share of time a drive can be used", 0.5, 1.0, 0.9, 0.01)
    with right:
        n_files = fields.slide("files", "Files a mount", 1.0, 500.0, 10.0, 1.0)
        file_mb = fields.slide("size", "Size of a file [MB]", 50.0, 20000.0, 1000.0, 50.0)
    needed, efficiency = forecast.size(fits[like], target, factor, n_files, file_mb, availability)
    one, two, three = st.columns(3)
    one.metric(
        "drives", needed.whole, help="whole drives; each of the classes' rates by its factor, over efficiency and speed"
    )
    two.metric("estimate, 90 %", interval(needed.drives, "drives"))
    three.metric("efficiency", fixed(efficiency.value, "1"), help="share of the drive's speed that such mounts come to")
    if needed.tornado:
        inputs = pl.DataFrame([{"input": name, "low": low, "high": high} for name, low, high in needed.tornado])
        says = f"Drives at either end of what is uncertain; {fixed(needed.drives.value, 'drives')} by its value."
        st.altair_chart(model_charts.tornado(inputs, "drives", needed.drives.value), width="stretch", alt=says)
    st.header("Efficiency by size of file", anchor=False)
    st.caption(
        "What share of its time a drive moves data, by the fitted costs: a line for each number of files a mount."
    )
    curve = pl.DataFrame(forecast.efficiency_by_size(fits[like]))
    says = "Efficiency against size of file, for 1 to 300 files a mount."
    st.altair_chart(model_charts.efficiency(curve, file_mb), width="stretch", alt=says)
