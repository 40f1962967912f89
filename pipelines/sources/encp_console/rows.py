"""The tables of encp's console output: columns and types."""

import polars as pl

TRANSFER, SUMMARY, ACCESS, STEP = (
    "encp_console_transfer",
    "encp_console_summary",
    "encp_console_access",
    "encp_console_step",
)

_RATES = ("overall", "transfer", "network", "drive", "disk")
_RATE_COLUMNS: dict[str, pl.DataType] = {f"{rate}_bytes_s": pl.Float64() for rate in _RATES}
_TRANSFER: dict[str, pl.DataType] = {
    **dict.fromkeys(("mode", "source_path", "target_path"), pl.String()),
    "file_bytes": pl.Int64(),
    "volume": pl.String(),
    **_RATE_COLUMNS,
    **dict.fromkeys(("drive_product", "drive_serial", "drive_vendor", "mover", "media_changer"), pl.String()),
    "elapsed_s": pl.Float64(),
}
_SUMMARY: dict[str, pl.DataType] = {
    "is_complete": pl.Boolean(),
    "bytes": pl.Int64(),
    "n_files": pl.Int64(),
    "elapsed_s": pl.Float64(),
    **_RATE_COLUMNS,
    "exit_status": pl.Int64(),
}
_ACCESS: dict[str, pl.DataType] = {
    **dict.fromkeys(("source_path", "target_path"), pl.String()),
    "file_bytes": pl.Int64(),
    "volume": pl.String(),
    "file_number": pl.Int64(),
    **dict.fromkeys(("device", "drive_serial"), pl.String()),
    **dict.fromkeys(("transfer_s", "seek_s", "mount_s", "queue_s", "total_s"), pl.Float64()),
    **dict.fromkeys(("checksum", "status"), pl.String()),
}
_STEP: dict[str, pl.DataType] = {
    **dict.fromkeys(("step", "detail"), pl.String()),
    **dict.fromkeys(("begun_s", "ended_s", "duration_s"), pl.Float64()),
    "bytes": pl.Int64(),
    "rate_bytes_s": pl.Float64(),
}
# What the reader fills; system, host and instant are the file's.
SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    name: {"line_no": pl.Int64(), **columns}
    for name, columns in ((TRANSFER, _TRANSFER), (SUMMARY, _SUMMARY), (ACCESS, _ACCESS), (STEP, _STEP))
}
ORDER = {name: ("line_no", "system", "host", "reported_at", *list(columns)[1:]) for name, columns in SCHEMAS.items()}
