"""What do users wait for, and what did TSM and ENDIT make of it? Recalls stage by stage, queues, drives of TSM."""

from dashboards import components

PAGE = {"title": "Requests", "order": 85}
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

page = components.open_page("What do requests wait for?")
followed = "Load dCache's billing files with the log of CTA's tape daemon or of ENDIT's retriever."
for name, columns, lacking in (
    ("recall_stages", STAGES, f"No recall of pools is known. {followed}"),
    ("recall_path", PATH, f"No recall can be followed to a tape. {followed}"),
    ("endit_queue", QUEUE, "No queue of ENDIT is known. Load its statistics files, or copies of them."),
    ("endit_drives", SERVED, "No retrieves are known. Load the log of ENDIT's retriever."),
    ("tsm_drives", DRIVES, "No mount of TSM is known. Load its table SUMMARY or its activity log."),
    ("tsm_sessions", SESSIONS, "No session of TSM is known. Load its table SUMMARY or its accounting file."),
):
    found = page.ask(name)
    components.show_part(found, columns, found.rows, lacking)
