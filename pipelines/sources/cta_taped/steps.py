"""One row per line that marks an instant of a drive's story."""

import polars as pl

from pipelines.sources._shared.cta_log.typed import COMMON, Fields, fields, torn, typed

_UPDATED = {  # an update of a drive's status has these under names of its own
    "volume": "update_currentVid",
    "mount_id": "update_sessionId",
    "vo": "update_currentVo",
    "tape_pool": "update_currentTapePool",
}
_LATER: Fields = {
    name: field._replace(keys=(*field.keys, *([_UPDATED[name]] if name in _UPDATED else [])))
    for name, field in COMMON.items()
}
FIELDS: Fields = {
    **_LATER,
    **fields("text", previous_state="PreviousState", state="NewState next_status status sessionState"),
    **fields("text", session_type="NewType sessionType type", mount_type="mountType"),
    **fields("whole", file_seq="fSeq", archive_file_id="fileId"),
    **fields("whole", files_queued="filesQueued", bytes_queued="bytesQueued"),
    **fields("seconds", oldest_age_s="oldestJobAge", min_age_s="minArchiveRequestAge"),
    **fields("seconds", seconds="MCMountTime mountTime flushTime positionTime"),
    **fields("seconds", total="totalTime"),
    **fields("whole", files="files update_filesTransferedInSession"),
    **fields("whole", bytes="bytes dataVolume update_bytesTransferedInSession"),
    **fields("text", given_reason="reason update_reason", comment="comment", up="up"),
    **fields("whole", alert_number="tapeAlertNumber"),
    **fields("text", alert_text="tapeAlert"),
}
_OF_DAEMON = ("started_daemon", "stopped_daemon")
_UP = {"1": True, "true": True, "0": False, "false": False}
_TIMED = ("mounted", "ready", "positioned", "label_positioned", "flushed")
_MODE = r" for (read|write)$"


def rows_of(found: pl.DataFrame, system: str) -> pl.DataFrame:
    """Rows, with `reject` for lines that are not rows."""
    rows = typed(found, FIELDS, system, "kind", "message", "event")
    kind = pl.col("kind")
    is_event = pl.col("event").is_not_null()
    up = pl.col("up").replace_strict(_UP, default=None, return_dtype=pl.Boolean)
    up = pl.when(is_event).then(pl.col("event").str.ends_with("_up")).otherwise(up)
    is_own_reason = is_event | (kind == "killed") | (pl.col("state") == "Fatal")
    reason = pl.when(is_own_reason).then("message").otherwise(pl.coalesce("given_reason", "comment"))
    return torn(rows, pl.col("drive").is_null() & ~kind.is_in(_OF_DAEMON)).with_columns(
        state=pl.when(kind == "desired_state")
        .then(pl.when(up).then(pl.lit("UP")).when(~up).then(pl.lit("DOWN")))
        .otherwise("state"),
        session_type=pl.when(kind == "session_started")
        .then(pl.col("message").str.extract(_MODE))
        .otherwise("session_type"),
        seconds=pl.when(kind == "thread_complete").then("total").when(kind.is_in(_TIMED)).then("seconds"),
        reason=reason,
    )
