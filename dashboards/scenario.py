"""The form of the What-if page: changes from the URL into its fields and back, and what runs came to as rows."""

from itertools import cycle
from typing import Any

import streamlit as st

from dashboards import fields
from pipelines.analysis.forecast import Scenario, WhatIf
from pipelines.analysis.models.simulation import Changes
from pipelines.primitives.text import escape_markdown

HOURS = 3600.0  # seconds of one
CHARTED = ("last_end_hours", "waited_hours", "busy_hours", "rate_mb_s")
COLUMNS = {
    "drives": ("drives", "", "kind of drive, and whether it read or wrote"),
    "scenario": ("scenario", "", "the changes of this scenario"),
    "run": (
        "run",
        "",
        "what the row shows: the logs, their replay without changes, or the simulation with the changes",
    ),
    "mounts": ("mounts", "localized", "mounts that ended"),
    "moved_tb": ("moved [TB]", "%.2f", "total size of the files moved"),
    "busy_hours": (
        "drive-hours [h]",
        "%.2f",
        "drive-hours of the mounts, from mount request to end of dismount",
    ),
    "rate_mb_s": (
        "overall rate of a drive [MB/s]",
        "%.1f",
        "bytes ÷ drive-hours of the mounts, which include mounting and gaps",
    ),
    "read_mb_s": (
        "read [MB/s]",
        "%.1f",
        "bytes that all drives read ÷ time from the first request to the end of the last read",
    ),
    "write_mb_s": (
        "written [MB/s]",
        "%.1f",
        "bytes that all drives wrote ÷ time from the first request to the end of the last write",
    ),
    "waited_hours": (
        "waited [h]",
        "%.2f",
        "waits of all mounts together: for a drive, for the tape, and for a chunk of data to write. They include the"
        " wait for another tape if a station is limited to a number of tapes at once",
    ),
    "last_end_hours": ("all work ends after [h]", "%.2f", "time from the first request to the end of the last mount"),
    "average_end_hours": (
        "a mount ends after [h], on average",
        "%.2f",
        "time from the first request to the end of a mount, averaged over mounts",
    ),
    "keeps_up": ("keeps up", "", "whether the drives have enough hours to finish all work"),
}


def form(drives: dict[str, int]) -> Changes:
    """The fields' values at the last Run, or those of the URL. Raises ValueError where they do not fit together."""
    with st.form("whatif"):
        one, two, three = st.columns(3)
        gap = fields.number(
            "gap",
            "Gaps of at most [s]",
            0.0,
            one,
            "longer avoidable gaps between two files are shortened to this length; shorter gaps stay",
        )
        speed = fields.number(
            "faster", "Factor by which drives are faster", 0.01, two, "applies to the recorded speed of all drives", 1.0
        )
        depth = fields.count("depth", "Requests that a client keeps queued", three, start=1)
        places = st.columns(max(3, min(5, len(drives))))
        numbers = {
            kind: fields.count(
                f"drives-{kind}", f"{escape_markdown(kind)} drives", place, f"recorded: {recorded}", recorded
            )
            for (kind, recorded), place in zip(sorted(drives.items()), cycle(places), strict=False)
        }
        one, two, three = st.columns(3)
        instances = fields.count(
            "instances", "Migration processes at a station", one, "each reads and writes tapes of its own", 1
        )
        inputs = fields.count(
            "inputs",
            "Tapes that each process reads at once",
            two,
            "limit for a station: this number × its number of migration processes",
        )
        outputs = fields.count(
            "outputs",
            "Tapes that each process writes at once",
            three,
            "limit for a station: this number × its number of migration processes",
        )
        one, two, three = st.columns(3)
        disk = fields.number("disk", "A station's disks carry at most [MB/s]", 0.1, one, "reads and writes together")
        link = fields.number("link", "A station's link carries at most [MB/s]", 0.1, two, "in each direction")
        chunk = fields.number(
            "chunk",
            "Chunk to collect before writing [GB]",
            0.1,
            three,
            "amount that a station collects before it requests a mount for writing",
        )
        one, two = st.columns([1, 2])
        at_once = fields.tick("at_once", "Request all mounts at the start", one, "so that drives never lack work")
        waits = fields.tick("wait", "Writes wait for reads", two, "a station writes no more than it has read")
        st.form_submit_button("Run", type="primary")
    return Changes(
        drives={kind: number for kind, number in numbers.items() if number and number != drives[kind]},
        gap_s=gap,
        speed=speed or 1.0,
        depth=depth or 1,
        instances=instances or 1,
        inputs=inputs,
        outputs=outputs,
        disk_mb_s=disk,
        link_mb_s=link,
        chunk_gb=chunk,
        at_once=at_once,
        writes_wait_for_reads=waits,
    )


def columns() -> dict[str, Any]:
    """Labels with units, and meanings, of all columns here."""
    return {
        name: st.column_config.NumberColumn(label, format=form, help=doc)
        if form
        else st.column_config.Column(label, help=doc)
        for name, (label, form, doc) in COLUMNS.items()
    }


def rows(scenarios: list[Scenario]) -> list[dict[str, Any]]:
    """Scenarios side by side, in their order; rates are those of all drives to the end."""
    return [
        {
            "scenario": one.name,
            "average_end_hours": one.done_h,
            "waited_hours": one.waited_h,
            "last_end_hours": one.ended_h,
            "busy_hours": one.busy_h,
            "read_mb_s": one.read_mb_s,
            "write_mb_s": one.write_mb_s,
            "keeps_up": one.hindrance or "yes",
        }
        for one in scenarios
    ]


def uses(answer: WhatIf, changes: Changes) -> list[dict[str, Any]]:
    """What each kind of drive did in each direction: recorded, replayed and, where that can be judged, changed."""
    runs = {"recorded": answer.record.recorded, "replayed": answer.replayed}
    if answer.changed and changes != Changes():
        runs["changed"] = answer.changed
    return [
        {
            "drives": " ".join(key),
            "run": name,
            "mounts": use.n_mounts,
            "moved_tb": use.moved_mb / 1e6,
            "busy_hours": use.busy_s / HOURS,
            "rate_mb_s": use.rate_mb_s,
            "waited_hours": use.waited_s / HOURS,
            "last_end_hours": use.ended_s / HOURS,
        }
        for key in sorted(answer.record.uses)
        for name, run in runs.items()
        if (use := run.uses.get(key))
    ]
