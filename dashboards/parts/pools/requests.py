"""What do users wait for, and what did TSM and ENDIT make of it? Recalls stage by stage, queues, drives of TSM."""

import streamlit as st

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Requests",
    "order": 20,
    "needs": ["silver.pool_request", "silver.request", "silver.endit_run"],
    "lacking": "dCache's billing files, ENDIT's or CTA's logs",
}
STAGES = [
    "pool", "storage_group", "n_recalls", "n_followed", "median_latency_s", "queue_share", "mount_share", "turn_share",
    "position_share", "read_share", "deliver_share", "slowest",
]  # fmt: skip
PATH = [
    "pnfsid", "pool", "storage_group", "volume_gb", "created_at", "latency_s", "slowest", "queue_s", "mount_s",
    "turn_s", "position_s", "read_s", "deliver_s", "via", "volume", "drive", "n_tries", "outcome",
]  # fmt: skip
QUEUE = [
    "day", "pool", "operation", "n_samples", "done_gb", "done_files", "n_retries", "avg_queued_gb", "max_queued_gb",
    "avg_workers", "max_workers", "worker_limit", "full_share", "backoff_share",
]  # fmt: skip
SERVED = [
    "system", "drive", "pool", "n_runs", "n_volumes", "n_files", "read_gb", "median_wait_s", "shared_hours",
    "overall_mb_s",
]  # fmt: skip
DRIVES = [
    "system", "library", "drive", "n_mounts", "n_volumes", "n_repeats", "mounted_hours", "mounted_share", "moved_gb",
    "overall_mb_s", "median_minutes",
]  # fmt: skip
SESSIONS = [
    "system", "activity", "entity", "n_sessions", "n_not_ok", "moved_gb", "hours", "overall_mb_s", "media_wait_share",
    "idle_share",
]  # fmt: skip

QUEUES = [
    "storage_group", "mode", "n_polls", "max_files", "max_gb", "max_age_s", "max_overdue_s", "overdue_share",
    "overdue_idle_share",
]  # fmt: skip
FOLLOWED = "dCache's billing files, with the log of CTA's tape daemon or of ENDIT's retriever"
PARTS = (
    ("recall_stages", STAGES, f"recalls of pools: {FOLLOWED}"),
    ("recall_path", PATH, f"recalls that can be followed to a tape: {FOLLOWED}"),
    ("queues", QUEUES, "CTA's queues: answers of `cta-admin --json showqueues`"),
    ("endit_queue", QUEUE, "ENDIT's queues: its statistics files, or copies of them"),
    ("endit_drives", SERVED, "ENDIT's retrieves: the log of its retriever"),
    ("listed_drives", DRIVES, "a list of mounts: TSM's table SUMMARY or activity log, or a library's history"),
    ("tsm_sessions", SESSIONS, "TSM's sessions: its table SUMMARY or its accounting file"),
)


def draw(page: Page) -> None:
    """Draw the part."""
    lacking, empty = [], []
    for name, columns, source in PARTS:
        found = page.ask(name)
        if found.rows:
            components.show_part(found, columns)
        else:
            lacking.append(f"* {source}")
            empty.append(found)
    if lacking:
        st.info("Of these nothing is known in the period. They come from:\n\n" + "\n".join(lacking))
        components.show_sql(*empty)
