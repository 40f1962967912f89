"""Requests and pools: what disk systems asked of tape, what ENDIT and TSM made of it, and which log is missing."""

from pipelines.primitives.format import counted, percent, quantity
from pipelines.reporting.report.model import Section, Table
from pipelines.reporting.report.queries import Asker
from pipelines.reporting.report.sections import section

_MOST = 24
# question, title, columns, and the log that it takes
_PARTS = (
    (
        "pool_use",
        "Disk pools",
        "operation storage_group file_family pool n_done n_failed moved_gb share latency_p50_s latency_p90_s",
        "dCache's billing files",
    ),
    (
        "pool_traffic",
        "Disk pools: traffic by dCache's counters",
        "pool storage_group file_family n_stores stored_gb n_restores restored_gb client_in_gb client_out_gb n_errors"
        " held_gb counted_hours",
        "dCache's statistics files",
    ),
    (
        "recall_stages",
        "What recalls waited for",
        "pool storage_group n_recalls n_followed median_latency_s queue_share mount_share turn_share position_share"
        " read_share deliver_share slowest",
        "the log of CTA's tape daemon or of ENDIT's retriever, for recalls",
    ),
    (
        "endit_queue",
        "ENDIT: queues and workers",
        "day pool operation n_samples done_gb done_files avg_queued_gb max_queued_gb avg_workers worker_limit"
        " full_share backoff_share",
        "ENDIT's statistics files",
    ),
    (
        "retrieve_streams",
        "ENDIT: retrieves",
        "day pool n_runs n_not_done read_gb worker_mb_s reading_hours mean_workers waiting_hours lone_share",
        "the log of ENDIT's retriever",
    ),
    (
        "endit_drives",
        "Drives that served ENDIT's requests",
        "drive pool operation n_runs n_volumes n_files moved_gb median_wait_s shared_hours overall_mb_s",
        "the logs of ENDIT's retriever and archiver",
    ),
    (
        "listed_drives",
        "Drives: mounts listed by TSM, the library or Enstore's accounting",
        "system library drive n_mounts n_volumes n_repeats mounted_hours mounted_share moved_gb overall_mb_s"
        " median_minutes",
        "TSM's table SUMMARY or its activity log, Enstore's table tape_mounts, or a library's history of mounts",
    ),
    (
        "tsm_sessions",
        "TSM: sessions and processes",
        "system activity entity n_sessions n_not_ok moved_gb shared_gb hours overall_mb_s media_wait_share idle_share",
        "TSM's table SUMMARY or its accounting file",
    ),
    (
        "drive_counters",
        "Drives: work measured by the kernel's counters",
        "drive host device sampled_hours busy_share read_gb written_gb drive_rate_mb_s overall_rate_mb_s f note",
        "the counters of node_exporter or tapestat",
    ),
)


@section("requests", order=55, page="pools")
def requests(asker: Asker) -> Section:
    """What was asked of tape by pools and by TSM's clients, as far as their logs were read."""
    tables = {name: asker.table(name, title, columns.split(), most=_MOST) for name, title, columns, _ in _PARTS}
    filled = [table for table in tables.values() if table.rows]
    if not filled:
        lacking = "No log shows requests of dCache's pools, ENDIT or TSM's server in the period."
        return Section("Requests and pools", sentences=[lacking])
    sentences = [*_moved(asker), *_followed(asker), *_missing(tables)]
    return Section("Requests and pools", sentences=sentences, tables=filled)


def _moved(asker: Asker) -> list[str]:
    """What pools sent to tape and fetched from it."""
    rows = asker.ask("pool_use").as_dicts()
    words = {"store": "sent to tape", "restore": "fetched from tape"}
    parts = []
    for operation, what in words.items():
        own = [row for row in rows if row["operation"] == operation]
        if own:
            files = counted(sum(row["n_done"] for row in own), "file")
            parts.append(f"{quantity(sum(row['moved_gb'] for row in own), 'GB')} in {files} {what}")
    return [f"According to the pools' records: {', '.join(parts)}."] if parts else []


def _followed(asker: Asker) -> list[str]:
    """How many recalls can be followed to the drive."""
    rows = asker.ask("recall_stages").as_dicts()
    n_all, n_followed = (sum(row[name] for row in rows) for name in ("n_recalls", "n_followed"))
    if not n_all:
        return []
    if not n_followed:
        return [
            f"None of {counted(n_all, 'recall')} can be traced to the tape system. To trace them, give the log of CTA's"
            f" tape daemon and billing records with the file's URI, or the log of ENDIT's retriever."
        ]
    return [f"{percent(n_followed / n_all)} of {counted(n_all, 'recall')} can be traced to the tape system."]


def _missing(tables: dict[str, Table]) -> list[str]:
    """The logs that would fill the parts without rows."""
    lacking = list(dict.fromkeys(log for name, _, _, log in _PARTS if not tables[name].rows))
    return [f"This section would show more with these logs: {'; '.join(lacking)}."] if lacking else []
