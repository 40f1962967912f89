"""Which requests waste mounts? How much of a tape a mount reads, tapes that come back, and who waits for them."""

import streamlit as st

from dashboards import charts, components, mount_policies, whole_tapes
from dashboards.head import Page

PART = {
    "title": "Mounts and recalls",
    "order": 10,
    "needs": ["gold.mount", "silver.pool_request"],
    "lacking": "logs of mounts, or dCache's billing files",
    "filters": ["group", "station"],
}
REMOUNTS = ["storage_group", "day", "n_mounts", "n_volumes", "avg_remounts", "n_extra", "wasted_hours"]
DATA_SETS = [
    "system", "storage_group", "file_family", "directory", "mode", "n_mounts", "n_remounts", "n_volumes", "n_files",
    "files_per_mount", "gb_per_mount", "mounting_hours", "tape_motion_hours", "lost_hours",
]  # fmt: skip
CLASSES = [
    "storage_group",
    "mode",
    "n_mounts",
    "mount_hours",
    "efficiency",
    "organised_share",
    "chaotic_share",
    "class",
]
WAITS = ["storage_group", "mode", "n_requests", "p50_s", "p95_s", "max_s", "n_retried"]
# The filters that each part can be narrowed by.
NARROWED = {
    "remount_cost": ["group"],
    "data_set_costs": ["group"],
    "traffic_classes": ["group"],
    "whole_tape_reads": ["group", "station"],
    "request_waits": ["group", "station"],
    "repeated_restores": ["group"],
    "recall_clients": ["group"],
}
AGAIN = ["storage_group", "file_family", "pnfsid", "n_repeats", "again_gb", "n_pools", "shortest_s", "last_at"]
CLIENTS = [
    "system", "storage_group", "read_from", "n_restores", "restored_gb", "share", "n_reads", "protocols",
    "latency_p50_s", "unread_p50_s",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    group, station = page.chosen["group"], page.chosen["station"]
    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, group=group, station=station)
    reads = [
        row for row in mounts.rows if row["mode"] == "read" and row["f"] is not None and row["file_share"] is not None
    ]
    components.heading(mounts, "How much of the tape a mount reads, and what it makes of the drive")
    if reads:
        titles = {"file_share": "share of the tape's files", "f": "f: overall / drive rate"}
        tips = [
            "session_id:N",
            "storage_group:N",
            "pattern:N",
            charts.number("f", "f"),
            charts.share("file_share", "of the files"),
        ]
        components.show_chart(mounts, charts.points(mounts.frame(reads), "file_share", "f", "pattern", titles, tips))
    else:
        st.info("No mount that read is known with its tape's files. Load server logs and the archive's file table.")
    columns = [
        "session_id",
        "storage_group",
        "pattern",
        "n_files",
        "file_share",
        "overall_rate_mb_s",
        "f",
        "n_mounts_day",
    ]
    components.show_table(mounts, columns, reads)
    components.show_sql(mounts)

    mounted = {mount["session_id"] for mount in mounts.rows}
    for name, columns, lacking in (
        ("remount_cost", REMOUNTS, "No mounts with files are known in this period."),
        ("data_set_costs", DATA_SETS, "No mounts with files are known in this period."),
        ("traffic_classes", CLASSES, "No mount was logged from request to dismount."),
        ("whole_tape_reads", [], ""),
        (
            "request_waits",
            WAITS,
            "No queued request is known. Load Enstore's LOG files or the log of CTA's frontend.",
        ),
        (
            "repeated_restores",
            AGAIN,
            "No file came back, or no pools' requests are known: load dCache's billing files.",
        ),
        ("recall_clients", CLIENTS, "No restore of pools is known. Load dCache's billing files."),
    ):
        found = page.ask(name, group=group, station=station)
        rows = [row for row in found.rows if not group or row.get("storage_group", group) == group]
        if name == "whole_tape_reads" and (group or station):
            rows = [row for row in rows if row["session_id"] in mounted]
        if name == "whole_tape_reads":
            whole_tapes.show(found, rows)
            continue
        components.show_part(found, columns, rows, lacking)
        if name == "data_set_costs":
            mount_policies.show(page)
