"""One row per line of a file: read from tape, transmitted to the drive, or failed."""

import polars as pl

from pipelines.sources._shared.cta_log.typed import COMMON, Fields, disk_host, fields, torn, typed

FIELDS: Fields = {
    **COMMON,
    **fields("whole", file_seq="fSeq", archive_file_id="fileId", block_id="BlockId"),
    **fields("text", disk_url="dstURL diskURL", lbp_mode="LBPMode"),
    **fields("whole", bytes="dataVolume", header_bytes="headerVolume"),
    **fields("seconds", position_s="positionTime", read_write_s="readWriteTime", checksum_s="checksumingTime"),
    **fields("seconds", wait_data_s="waitDataTime", wait_buffer_s="waitFreeMemoryTime"),
    **fields("seconds", wait_report_s="waitReportingTime", transfer_s="transferTime", total_s="totalTime"),
    **fields("flag", is_repack="isRepack", is_verify="isVerifyOnly"),
    **fields("text", error="exceptionMessage exception_message ErrorMessage errorMessage error_message"),
}
_NEEDED = ("file_seq", "bytes", "read_write_s", "total_s")  # of a file that was moved


def rows_of(found: pl.DataFrame, system: str) -> pl.DataFrame:
    """Rows, with `reject` for lines that are not rows."""
    rows = typed(found, FIELDS, system, "kind")
    lacks_any = (pl.col("kind") != "failed") & pl.any_horizontal(pl.col(*_NEEDED).is_null())
    return torn(rows, pl.col("drive").is_null() | lacks_any).with_columns(disk_host=disk_host())
