"""Further messages of the client encp, and of the migrators that pack small files."""

import polars as pl

from pipelines.sources._shared.enstore import ACCESS_KEYS
from pipelines.sources.enstore_log.templates import LogTable, Template

CLIENT, PACKING = "enstore_log_client", "enstore_log_packing"

# Paths may hold blanks: each is bounded by the key that follows. Values that are not known are left empty.
_ACCESS = {column: rf" {key}=(\S+)" for key, column in ACCESS_KEYS.items()} | {
    "source_path": r"^INFILE=(.*?) OUTFILE=",
    "target_path": r" OUTFILE=(.*?) FILESIZE=",
    "file_number": r" LOCATION=\d{4}_\d{9}_(\d{7})",
}
_SENT = (
    r".* request to LM: unique_id: (?P<unique_id>\S+) inputfile: (?P<source_path>.*) outputfile: (?P<target_path>.*)$"
)
_DONE = r"(?P<source_path>.*) transfered for (?P<unique_id>\S+) in (?P<transfer_s>\S+) seconds?\.?$"
_PACKED = r"(?P<path>.*) size (?P<megabytes>\S+) MB rate (?P<megabytes_s>\S+) MB/s$"

_SPOKEN = (
    Template(CLIENT, "sent", "Sending ", _SENT, needs=(" request to LM: unique_id: ",)),
    Template(CLIENT, "transferred", "File ", _DONE, needs=(" transfered for ",)),
    Template(CLIENT, "account", "INFILE=", keys=_ACCESS, must_have="total_s"),
)
_PACKINGS = (
    Template(PACKING, "packed", "Finished tar to ", _PACKED),
    Template(PACKING, "unpacked", "Finished tar from ", _PACKED),
)


def finish_client(rows: pl.DataFrame) -> pl.DataFrame:
    """What a failed attempt left empty is not known."""
    return rows.with_columns(
        pl.when(pl.col(path) != "").then(path).alias(path) for path in ("source_path", "target_path")
    )


def finish_packing(rows: pl.DataFrame) -> pl.DataFrame:
    """Here, unlike elsewhere in Enstore, a MB is 10⁶ bytes: sizes times 10⁶ are whole numbers of tar's blocks."""
    return rows.with_columns(
        bytes=(pl.col("megabytes") * 1e6).round().cast(pl.Int64, strict=False),
        rate_bytes_s=pl.col("megabytes_s") * 1e6,
    )


PARTS = (
    LogTable(CLIENT, _SPOKEN, finish_client),
    LogTable(PACKING, _PACKINGS, finish_packing, ("megabytes", "megabytes_s")),
)
