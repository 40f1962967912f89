"""One row per final record of a tape session: what the daemon reports of it at its end."""

import polars as pl

from pipelines.sources._shared.cta_log import alike
from pipelines.sources._shared.cta_log.typed import COMMON, Fields, fields, keys_of, torn, typed

_FIELDS: Fields = {
    **COMMON,
    **fields("text", mount_type="mountType", status="status", vendor="vendor", media_type="mediaType"),
    **fields("text", logical_library="logicalLibrary"),
    **fields("flag", mount_attempted="mountAttempted", was_mounted="wasTapeMounted"),
    **fields("seconds", mount_s="mountTime", load_s="tapeLoadTime", position_s="positionTime"),
    **fields("seconds", wait_instructions_s="waitInstructionsTime", wait_buffer_s="waitFreeMemoryTime"),
    **fields("seconds", wait_data_s="waitDataTime", wait_report_s="waitReportingTime"),
    **fields("seconds", checksum_s="checksumingTime", read_write_s="readWriteTime", flush_s="flushTime"),
    **fields("seconds", unload_s="unloadTime", unmount_s="unmountTime", encryption_s="encryptionControlTime"),
    **fields("seconds", rewind_s="rewindTime", label_read_s="labelReadTime", cleanup_s="cleanupTime"),
    **fields("seconds", transfer_s="transferTime", total_s="totalTime", delivery_s="deliveryTime"),
    **fields("seconds", drain_s="drainingTime"),
    **fields("whole", bytes="dataVolume", header_bytes="headerVolume", files="filesCount"),
    **fields("whole", user_files="userFilesCount", user_bytes="userBytesCount"),
    **fields("whole", repack_files="repackFilesCount", repack_bytes="repackBytesCount"),
    **fields("whole", verified_files="verifiedFilesCount", verified_bytes="verifiedBytesCount"),
    **fields("whole", capacity_bytes="capacityInBytes", kill_signal="killSignal TermSignal"),
}
FIELDS: Fields = {**_FIELDS, "mount_id": _FIELDS["mount_id"]._replace(keys=("mountId", "volReqId"))}
_ERROR, _EVENT = "Error_", "Info_"
_KILLED = "Error_sessionKilled"


def read(rows: pl.DataFrame) -> pl.DataFrame:
    """The parameters of session records as text columns, with `errors`, `events` and `is_read`."""
    counted = [
        (line_no, *(_counted(alike.pairs(body, is_json) or {}, start) for start in (_ERROR, _EVENT)))
        for line_no, body, is_json in rows.filter(pl.col("body").str.contains_any([_ERROR, _EVENT]))
        .select("line_no", "body", "is_json")
        .iter_rows()
    ]
    schema = {"line_no": pl.Int64, "errors": pl.String, "events": pl.String}
    counters = pl.DataFrame(counted, schema=schema, orient="row")
    return alike.read(rows, keys_of(FIELDS)).join(counters, on="line_no", how="left", maintain_order="left")


def _counted(found: alike.Pairs, start: str) -> str | None:
    """Counters whose name begins so, sorted.

    >>> _counted({"Error_tapeReadData": "2", "Error_diskWrite": "1", "Info_x": "1"}, "Error_")
    'diskWrite=1 tapeReadData=2'
    """
    named = sorted((key.removeprefix(start), value) for key, value in found.items() if key.startswith(start) and value)
    return " ".join(f"{name}={value}" for name, value in named) or None


def is_empty() -> pl.Expr:
    """Neither a mount nor bytes: the record of a probe or a cleaner, which moved nothing."""
    return pl.all_horizontal(pl.col("mountId", "volReqId", "dataVolume").is_null())


def rows_of(found: pl.DataFrame, system: str) -> pl.DataFrame:
    """Rows, with `reject` for lines that are not rows."""
    rows = typed(found, FIELDS, system, "errors", "events")
    is_killed = (pl.col("kill_signal") > 0).fill_null(False) | pl.col("errors").str.contains(
        _KILLED.removeprefix(_ERROR), literal=True
    ).fill_null(False)
    return torn(rows, pl.col("drive").is_null()).with_columns(is_killed=is_killed)
