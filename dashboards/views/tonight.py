"""Is anything wrong, and is it worth my time? One screen: the verdict, where the hours went, the problems ranked."""

from collections import Counter
from functools import partial

import streamlit as st

from dashboards import components, findings, head, wall
from dashboards.charts import ledger_charts
from pipelines.answers.question import is_settled
from pipelines.primitives.format import counted
from pipelines.primitives.text import escape_markdown
from pipelines.primitives.times import days_text
from pipelines.reporting import finding_words

PAGE = {"title": "Tonight", "order": 10}
CARDS_PX = 423  # with the parts above it this is one screen of a laptop
SHOWN_FINDINGS = 30
ON_A_WALL = 4  # findings

on_wall = wall.is_on()
page = head.open_page("Is anything wrong?", compares=True, reloads=on_wall)
found, days, lives = page.ask("findings"), page.ask("day_state"), page.ask("finding_life")
# What people muted or acknowledged no longer asks for anybody's time.
known = {row["finding_id"]: row for row in lives.rows}
standing = findings.ranked(found.rows, known)
set_aside = [row for row in standing if row["state"] in finding_words.SET_ASIDE]
open_now = [row for row in standing if row not in set_aside]
headline, steps = page.ask("headline"), page.ask("ledger_waterfall")
drives, trend = page.ask("drive_timeline"), page.ask("finding_days")


def show_verdict() -> None:
    """The night in a sentence. An all-clear needs rules that ran, on logs that were read, for every day."""
    verdict, moved = finding_words.tally(open_now), findings.moved(headline.rows[0])
    if verdict:
        (st.error if open_now[0]["severity"] == "critical" else st.warning)(f"{verdict}. {moved}")
    elif set_aside:
        st.info(f"No finding is open: all findings are acknowledged or muted. {moved}")
    for row in days.rows:
        if not is_settled(row):
            st.warning(row["summary"])
        elif row["state"] == "clean":
            st.success(f"{row['summary']} {moved}")
        elif not found.rows:
            st.info(
                f"{row['summary']} The rules judged these days as part of a longer period;"
                " the findings are listed under the last day of that period."
            )


def show_hours() -> None:
    """All drive-hours as one bar, above that of the days to compare with."""
    if not steps.rows:
        return
    bars = steps.frame().with_columns(period=findings.days_of(page.first, page.last))
    earlier = page.ask_before("ledger_waterfall")
    if earlier and page.before and earlier.rows:
        bars = bars.vstack(earlier.frame().with_columns(period=findings.days_of(*page.before)))
    components.show_chart(steps, ledger_charts.one_bar(bars), "Drive-hours by use.")
    page.say_left_out()
    if page.before and not (earlier and earlier.rows):
        st.caption(f"No drive's log covers {days_text(*page.before)}.")


def show_drives() -> None:
    """Each drive's time along the period, with the findings on it."""
    if drives.rows:
        marks = findings.marks(open_now, {row["drive"] for row in drives.rows})
        chart = ledger_charts.drives(drives.frame(), marks, page.span())
        components.show_chart(
            drives, chart, "How each drive spent its time over the period; findings are marked.", zooms=True
        )
    else:
        st.info("No log of drives covers this period. Add one to site.toml, or choose other days.")


def show_cards(rows: list[findings.Row]) -> None:
    """The findings as cards."""
    for row in rows:
        findings.card(row, trend.rows_of(finding_id=row["finding_id"]))


def show_rest() -> None:
    """What is not counted above: findings that are set aside or gone, rules without a verdict; and the page's data."""
    gone = [row for row in lives.rows if row["state"] == "gone"]
    withheld = page.ask("withheld")
    numbers = Counter(row["state"] for row in set_aside)
    notes = [f"{n} {state}" for state, n in sorted(numbers.items())]
    notes += [f"{counted(len(gone), 'finding')} of earlier nights, now gone"] if gone else []
    notes += [f"{counted(len(withheld.rows), 'verdict')} withheld for lack of logs"] if withheld.rows else []
    title = f"Not counted above: {' · '.join(notes)}" if notes else "Data of this page"
    place = st.expander(title, key="rest", on_change="rerun")
    if not place.open:
        return
    with place:
        for row in set_aside[:SHOWN_FINDINGS]:
            findings.link(row)
            st.caption(escape_markdown(finding_words.since(row["life"])))
        components.say_cut(found, len(set_aside[:SHOWN_FINDINGS]), len(set_aside))
        if gone:
            components.show_part(lives, findings.GONE, gone, text="Findings that are gone")
        components.heading(withheld)
        if withheld.rows:
            components.show_table(withheld, ["rule", "source", "host", "missing_hours", "share", "needed", "day"])
            st.caption(
                "Too few hours of logs were read for a verdict of these rules. No number includes the missing hours."
            )
        elif all(map(is_settled, days.rows)):
            st.info("No verdict is withheld: enough hours were read of every log that site.toml declares.")
        else:
            st.info(
                "No verdict is withheld, but some days have no valid verdict, or too few logs. The"
                " top of the page lists these days."
            )
        components.show_sql(found, lives, trend, headline, steps, drives, days, withheld)


show_verdict()
if on_wall:
    shown = open_now[:SHOWN_FINDINGS]
    groups = [shown[at : at + ON_A_WALL] for at in range(0, len(shown), ON_A_WALL)]

    def show_night() -> None:
        """The bar and the drives."""
        show_hours()
        show_drives()

    wall.show([show_night, *(partial(show_cards, some) for some in groups)])
else:
    show_hours()
    left, right = st.columns(2, gap="medium")
    with left:
        show_drives()
    with right, st.container(height=CARDS_PX, border=False, key="cards"):
        show_cards(open_now[:SHOWN_FINDINGS])
        components.say_cut(found, len(open_now[:SHOWN_FINDINGS]), len(open_now))
        show_cards(set_aside[:SHOWN_FINDINGS])
        if not standing:
            st.text("No finding is open in this period.")
    show_rest()
