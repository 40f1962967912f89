"""The form of the What-if page: changes from the URL into its fields and back, and what runs came to as rows."""

from itertools import cycle
from typing import Any

import streamlit as st

from dashboards import parts
from pipelines.forecast import Answer
from pipelines.models.simulation import Changes, Outcome

HOURS = 3600.0  # seconds of one
COLUMNS = {
    "drives": ("drives", "", "kind of drive, and what it did"),
    "scenario": ("scenario", "", "what is changed"),
    "run": ("run", "", "recorded by the logs; replayed as it was; run with the changes"),
    "mounts": ("mounts", "localized", "mounts that ended"),
    "moved_tb": ("moved [TB]", "%.2f", "files moved"),
    "busy_hours": ("drive-hours [h]", "%.2f", "drives taken, from the mount request to dismounted"),
    "rate_mb_s": ("rate of a drive [MB/s]", "%.1f", "MB a second of a drive in use, mounts and gaps included"),
    "read_mb_s": ("read [MB/s]", "%.1f", "of all drives together, to the end of the last read"),
    "write_mb_s": ("written [MB/s]", "%.1f", "of all drives together, to the end of the last write"),
    "waited_hours": ("waited [h]", "%.2f", "mounts waited for a drive, their tape or a place, summed"),
    "ended_hours": ("ended after [h]", "%.2f", "from the first request to the end of the work"),
    "stuck": ("never ended", "localized", "mounts that waited for data that nobody read"),
}
# How a change is called beside its value; those without a value stand for themselves.
WORDS = {
    "gap_s": "gaps of at most {:g} s",
    "speed": "drives {:g} times as fast",
    "depth": "{:g} requests queued",
    "disk_mb_s": "disks bear {:g} MB/s",
    "link_mb_s": "links bear {:g} MB/s",
    "chunk_gb": "chunks of {:g} GB",
    "at_once": "all asked for at once",
    "writes_wait_for_reads": "writes wait for reads",
}


def form(drives: dict[str, int]) -> Changes:
    """What the fields say since the last Run, or the URL. Raises ValueError where they do not fit together."""
    with st.form("whatif"):
        one, two, three = st.columns(3)
        gap = parts.number("gap", "Gaps of at most [s]", 0.0, one, "dialogues between two files; what is shorter stays")
        speed = parts.number("faster", "Drives faster by the factor", 0.01, two, "on the recorded speed of all", 1.0)
        depth = parts.count("depth", "Requests a client keeps queued", three, start=1)
        places = st.columns(max(3, min(5, len(drives))))
        numbers = {
            kind: parts.count(f"drives-{kind}", f"{parts.plain(kind)} drives", place, f"recorded: {recorded}", recorded)
            for (kind, recorded), place in zip(sorted(drives.items()), cycle(places), strict=False)
        }
        one, two, three = st.columns(3)
        instances = parts.count("instances", "Instances at a station", one, "each with inputs and outputs", 1)
        inputs = parts.count("inputs", "Inputs of an instance", two, "mounts it reads from at once")
        outputs = parts.count("outputs", "Outputs of an instance", three, "mounts it writes to at once")
        one, two, three = st.columns(3)
        disk = parts.number("disk", "A station's disks bear [MB/s]", 0.1, one, "in and out together")
        link = parts.number("link", "A station's link bears [MB/s]", 0.1, two, "in each direction")
        chunk = parts.number("chunk", "Chunks before writing [GB]", 0.1, three, "collected before a mount that writes")
        one, two = st.columns([1, 2])
        at_once = parts.tick("at_once", "All mounts asked for at once", one, "drives never lack work")
        waits = parts.tick("wait", "Writes wait for reads", two, "a station writes no more than it has read")
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


def said(changes: Changes) -> str:
    """What is changed, in words.

    >>> said(Changes(gap_s=2.0, drives={"LTO-4": 6}, inputs=2, outputs=1))
    '6 LTO-4 drives, gaps of at most 2 s, 1 instance of 2 inputs to 1 output a station'
    """
    left = Changes()
    words = [f"{number} {kind} drives" for kind, number in sorted(changes.drives.items())]
    changed = [name for name in WORDS if getattr(changes, name) != getattr(left, name)]
    words += [WORDS[name].format(getattr(changes, name)) for name in changed]
    ways = {"input": changes.inputs, "output": changes.outputs}
    if told := [_counted(number, way) for way, number in ways.items() if number]:
        words.append(f"{_counted(changes.instances, 'instance')} of {' to '.join(told)} a station")
    return ", ".join(words)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def columns() -> dict[str, Any]:
    """Labels with units, and meanings, of all columns here."""
    return {
        name: st.column_config.NumberColumn(label, format=form, help=doc)
        if form
        else st.column_config.Column(label, help=doc)
        for name, (label, form, doc) in COLUMNS.items()
    }


def ranked(outcomes: dict[str, Outcome]) -> list[dict[str, Any]]:
    """Scenarios side by side, the one of the fewest drive-hours first; rates are those of all drives to the end."""
    rows = [
        {
            "scenario": name,
            "busy_hours": sum(use.busy_s for use in outcome.uses.values()) / HOURS,
            "read_mb_s": outcome.rate("read"),
            "write_mb_s": outcome.rate("write"),
            "waited_hours": sum(use.waited_s for use in outcome.uses.values()) / HOURS,
            "ended_hours": outcome.ended_s / HOURS,
            "stuck": outcome.n_stuck,
        }
        for name, outcome in outcomes.items()
    ]
    return sorted(rows, key=lambda row: (row["stuck"] > 0, row["busy_hours"], row["ended_hours"]))


def uses(answer: Answer, changes: Changes) -> list[dict[str, Any]]:
    """What each kind of drive did in each direction: recorded, replayed and, where that can be told, changed."""
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
            "ended_hours": use.ended_s / HOURS,
        }
        for key in sorted(answer.record.uses)
        for name, run in runs.items()
        if (use := run.uses.get(key))
    ]
