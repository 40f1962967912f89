"""Is it the drive or the tape? What each contributes to the rate, the other's effect taken out."""

import streamlit as st

from dashboards import components, fields
from dashboards.charts import model_charts
from dashboards.head import Page

PART = {
    "title": "Slow drive or slow tape",
    "order": 20,
    "needs": ["gold.drive_tape_effect"],
    "lacking": "logs of many mounts in which several drives used the same tapes",
    "filters": ["drive"],
}
EFFECT = [
    "drive", "volume", "mode", "ratio", "ratio_low", "ratio_high", "rate_mb_s", "n_files", "n_errors",
    "n_block_retries", "summary",
]  # fmt: skip
MOST_DRAWN = 25


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    effect = page.ask("slow_drive_or_tape")
    components.heading(effect)
    kind = fields.choose("of", "Of", ["drives", "tapes"], page=st)
    name = "drive" if kind == "drives" else "volume"
    if name == "volume":
        page.say_not_narrowed("drive", "Tapes are compared in all drives")
    shown = [row for row in effect.rows_of(drive=drive if name == "drive" else "") if row[name]]
    estimated = [row for row in shown if row["can_tell"]]
    if estimated:
        frame = effect.frame(estimated[:MOST_DRAWN])
        components.show_chart(effect, model_charts.intervals(frame, name, f"speed relative to the typical {kind[:-1]}"))
        st.caption(
            "Only large files are compared. Bars are 90 % intervals; tapes have no interval. A value below"
            " 1 means slower than a typical drive or tape of the same kind."
        )
        components.say_cut(effect, len(estimated[:MOST_DRAWN]), len(estimated))
    elif not shown:
        st.info(f"No {kind[:-1]} was compared with others up to the period's last day.")
    else:
        st.info(
            "Effects of drives and tapes cannot be separated: too few tapes were used in more than one drive. The table"
            " shows which data are lacking for each drive or tape."
        )
    if shown:
        columns = [column for column in EFFECT if column != ("volume" if name == "drive" else "drive")]
        components.show_table(effect, columns, shown, {"summary": 300})
    components.show_sql(effect)
