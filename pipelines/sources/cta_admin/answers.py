"""The fields of each answer, and the columns they become."""

import polars as pl

from pipelines.sources._shared.cta_log.typed import Fields, fields, keys_of, value_of
from pipelines.sources._shared.stamps import LAST_EPOCH
from pipelines.sources.protocol import Origin, first_of

DRIVES, QUEUES, TAPES = "cta_drive_poll", "cta_queue", "cta_volume"
WORDS = {DRIVES: "drives", QUEUES: "queues", TAPES: "tapes"}
# Fields that only one of the answers has; of drives also the columns of the table.
KEYS = {DRIVES: ("drive_?name", "drive_?status"), QUEUES: ("queuedFiles", "oldestAge"), TAPES: ("vid", "nbMasterFiles")}

_DRIVE: Fields = {
    **fields("text", drive="driveName drive_name", host="host", system="instanceName"),
    **fields("text", status="driveStatus drive_status", desired="desiredDriveState desired_up"),
    **fields("text", mount_type="mountType mount_type", mount_id="sessionId session_id"),
    **fields("text", volume="vid current_vid", vo="vo current_vo", tape_pool="tapepool current_tape_pool"),
    **fields("text", reason="reason reason_up_down", logical_library="logicalLibrary logical_library"),
    **fields("whole", files="filesTransferredInSession files_transfered_in_session"),
    **fields("whole", bytes="bytesTransferredInSession bytes_transfered_in_session"),
}
_QUEUE: Fields = {
    **fields("text", system="instanceName", mount_type="mountType", volume="vid", vo="vo", tape_pool="tapepool"),
    **fields("text", logical_library="logicalLibrary", is_sleeping="sleepingForSpace"),
    **fields("whole", n_files="queuedFiles", bytes="queuedBytes", n_mounts="curMounts"),
    **fields("seconds", oldest_age_s="oldestAge", youngest_age_s="youngestAge", min_age_s="minAge"),
}
_TAPE: Fields = {
    **fields("text", system="instanceName", volume="vid", media_type="mediaType", logical_library="logicalLibrary"),
    **fields("text", tape_pool="tapepool", vo="vo", is_full="full", state="state", reason="stateReason"),
    **fields("whole", capacity_bytes="capacity", used_bytes="occupancy", active_bytes="masterDataInBytes"),
    **fields("whole", n_active_files="nbMasterFiles", last_file_number="lastFseq"),
    **fields("whole", n_read_mounts="readMountCount", n_write_mounts="writeMountCount"),
}
# When each phase began, in the table DRIVE_STATE: seconds since 1970.
_PHASES = {
    "start_start_time": "STARTING",
    "mount_start_time": "MOUNTING",
    "transfer_start_time": "TRANSFERRING",
    "unload_start_time": "UNLOADING",
    "unmount_start_time": "UNMOUNTING",
    "draining_start_time": "DRAINING_TO_DISK",
    "probe_start_time": "PROBING",
    "cleanup_start_time": "CLEANING_UP",
    "shutdown_time": "SHUTDOWN",
}
_UP_OR_DOWN = "down_or_up_start_time"  # of either, whichever the status is
_REPORTED = "last_update_time"
# As the daemon and the table spell what `drive ls` spells otherwise.
_SPELT = {"TRANSFERING": "TRANSFERRING", "DRAININGTODISK": "DRAINING_TO_DISK", "CLEANINGUP": "CLEANING_UP"}
_DOWN = {"0": "DOWN", "f": "DOWN", "false": "DOWN", "1": "UP", "t": "UP", "true": "UP"}

_OWN = sorted(keys_of(_DRIVE) | keys_of(_QUEUE) | keys_of(_TAPE))
TABLE_COLUMNS = sorted({key for key in _OWN if key == key.lower()} | {*_PHASES, _UP_OR_DOWN, _REPORTED})
_AGES = ["driveStatusSince", "timeSinceLastUpdate"]
_UPPER = [name.upper() for name in TABLE_COLUMNS if "_" in name or name == "host"]
ANSWER = pl.Struct(dict.fromkeys([*_OWN, *_AGES, *TABLE_COLUMNS, *_UPPER], pl.String()))
NOTHING = pl.DataFrame(
    schema={"line_no": pl.Int64, "polled_us": pl.Int64, **{field.name: pl.String for field in ANSWER.fields}}
)


def is_header() -> pl.Expr:
    """Whether `text` is the first line of a CSV export of DRIVE_STATE."""
    text = pl.concat_str(pl.lit(","), pl.col("text").str.to_lowercase().str.replace_all(r'[\s"]', ""), pl.lit(","))
    return pl.all_horizontal(text.str.contains(f",{name},", literal=True) for name in ("drive_name", "drive_status"))


def rows_of(table: str, every: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Rows of one relation, with `text` and `reject`, why their line is no row."""
    rows = every.with_columns(pl.coalesce(pl.col(name.lower()), pl.col(name)).alias(name.lower()) for name in _UPPER)
    rows = rows.with_columns(polled_us=pl.coalesce("polled_us", _us(pl.col(_REPORTED))))
    is_own = pl.coalesce("driveName", "drive_name").is_not_null()
    is_queue = pl.col("queuedFiles").is_not_null()
    given = {DRIVES: _DRIVE, QUEUES: _QUEUE, TAPES: _TAPE}[table]
    rows = rows.filter({DRIVES: is_own, QUEUES: is_queue & ~is_own, TAPES: ~is_queue & ~is_own}[table])
    rows = rows.with_columns(pl.col(_OWN).replace("", None))
    made = {name: _ours(name, value_of(field)) for name, field in given.items()}
    is_wrong = [pl.coalesce(field.keys).is_not_null() & made[name].is_null() for name, field in given.items()]
    must = {DRIVES: ["drive", "status"], QUEUES: ["mount_type"], TAPES: ["volume", "media_type"]}[table]
    is_bad_time = pl.col("polled_us").is_null()
    reject = first_of(
        bad_syntax=pl.any_horizontal(made[name].is_null() for name in must),
        bad_number=pl.any_horizontal(is_wrong),
        bad_time=is_bad_time,
    )
    times = [name for name in (*_AGES, *_PHASES, _UP_OR_DOWN, _REPORTED) if table == DRIVES]
    found = rows.select(
        "line_no", "text", *(value.alias(name) for name, value in made.items()), *times, "polled_us", reject=reject
    ).with_columns(polled_at=pl.col("polled_us").cast(pl.Datetime("us")))
    found = found.with_columns(system=pl.col("system").fill_null(origin.system or origin.host))
    return _phased(found) if table == DRIVES else found


def _ours(name: str, value: pl.Expr) -> pl.Expr:
    """A value in our words; the number 0 of a session means none."""
    match name:
        case "is_sleeping" | "is_full":
            return value.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
        case "status":
            return value.replace(_SPELT)
        case "desired":
            return value.replace(_DOWN)
        case "mount_id":
            return value.replace("0", "")
    return value


def _us(text: pl.Expr) -> pl.Expr:
    """Microseconds of seconds since 1970; null for 0, which means never."""
    seconds = text.cast(pl.Float64, strict=False)
    return pl.when(seconds.is_between(1, LAST_EPOCH)).then((seconds * 1e6).round().cast(pl.Int64))


def _before(age: str) -> pl.Expr:
    seconds = pl.col(age).cast(pl.Float64, strict=False)
    return pl.col("polled_us") - pl.when(seconds.is_between(0, LAST_EPOCH)).then((seconds * 1e6).round().cast(pl.Int64))


def _phased(rows: pl.DataFrame) -> pl.DataFrame:
    """A row of the status as it is, and one for each earlier phase whose start the table has."""
    own_phase = [pl.when(pl.col("status") == status).then(_us(pl.col(name))) for name, status in _PHASES.items()]
    own_phase.append(pl.when(pl.col("status").is_in(["UP", "DOWN"])).then(_us(pl.col(_UP_OR_DOWN))))
    at = pl.Datetime("us")
    rows = rows.with_columns(
        mount_id=pl.when(pl.col("mount_id") != "").then(pl.col("mount_id")),
        reported_at=pl.coalesce(_before("timeSinceLastUpdate"), _us(pl.col(_REPORTED))).cast(at),
        since_us=pl.coalesce(_before("driveStatusSince"), *own_phase),
        is_current=pl.lit(True),
    )
    earlier = [
        rows.filter((pl.col("status") != status) & _us(pl.col(name)).is_not_null()).with_columns(
            status=pl.lit(status), since_us=_us(pl.col(name)), is_current=pl.lit(False)
        )
        for name, status in _PHASES.items()
    ]
    every = pl.concat([rows, *(part.filter(pl.col("since_us") <= pl.col("polled_us")) for part in earlier)])
    return every.with_columns(since_at=pl.col("since_us").cast(at)).sort("line_no", "since_us", maintain_order=True)
