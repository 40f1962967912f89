"""Did it work? A change of the log, like for like before and after, with an interval; or any instant, described."""

import streamlit as st

from dashboards import charts, components, fields
from dashboards.charts import model_charts
from dashboards.head import Page

PART = {
    "title": "Recorded changes",
    "order": 10,
    "filters": ["drive"],
}
TABLE = [
    "changed_at", "what", "entities", "measure", "mode", "generation", "before", "after", "ratio", "ratio_low",
    "ratio_high", "mix_shift", "matched_by", "summary",
]  # fmt: skip
MUCH_SHIFT = 0.3


def draw(page: Page) -> None:
    """Draw the part."""
    events = page.ask("changes", n_days=max(35, page.n_days))
    components.heading(events)
    known = {f"{row['changed_at']:%Y-%m-%d %H:%M} {row['what']}": row for row in events.rows if row["changed_at"]}
    at = ""
    if known:
        name = fields.choose("change", "Change", list(known), page=st)
        row = known[name]
        at = f"{row['changed_at']:%Y-%m-%d %H:%M:%S}"
        st.text(f"{at} UTC   {row['what']}   {row['entities'] or 'all of the site'}   {row['note'] or ''}")
        rows = [one for one in events.rows if (one["changed_at"], one["what"]) == (row["changed_at"], row["what"])]
        estimated = [one for one in rows if one["ratio_low"] is not None]
        if estimated:
            frame = events.frame(estimated).with_columns(about=charts.joined("measure", "mode", "generation"))
            components.show_chart(events, model_charts.intervals(frame, "about", "after / before"))
        for one in rows:
            st.text(f"{one['measure'] or ''} {one['mode'] or ''} {one['generation'] or ''}   {one['summary']}")
        if any((one["mix_shift"] or 0) > MUCH_SHIFT for one in rows):
            st.warning("Other tapes or other sizes were moved after than before: compare with care.")
        components.show_table(events, TABLE, rows, wide={"summary": 260, "what": 140})
    else:
        st.info(
            "No change is known of these weeks. Write it into `site.toml` as `[[change]]` with `at` and `what`, or name a"
            " CSV as `change_log`; then run `tapescope run`."
        )
    components.show_sql(events)
    failures = page.ask("failures_after_change")
    nothing = "No change of this period touched a drive that anything was mounted in."
    components.show_part(failures, failures.names, lacking=nothing, wide={"what": 140})

    st.header("Any instant, described", anchor=False)
    when = fields.instant("at", "Instant [UTC], as 2010-03-10 17:00", at)
    if not when:
        st.info("Say when: the mounts of the period are then described before and after that.")
        return
    simple = page.ask("before_after", changed_at=when, drive=page.chosen["drive"])
    st.caption(simple.why)
    if len(simple.rows) == 2:
        shown = ["n_sessions", "volume_gb", "p25_mb_s", "p50_mb_s", "p75_mb_s", "overall_rate_mb_s"]
        before, after = simple.rows
        components.show_numbers(simple, after, shown, before)
    else:
        st.info("The period has no mounts on one side of that instant: choose days around it.")
    components.show_table(simple, simple.names)
    components.show_sql(simple)
    groups = page.ask("before_after_groups", changed_at=when, drive=page.chosen["drive"])
    components.show_part(groups, groups.names)
