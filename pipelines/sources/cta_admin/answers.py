"""The fields of each answer, and the columns they become."""

import polars as pl

from pipelines.sources.protocol import Origin, first_of

DRIVES, QUEUES, TAPES = "cta_drive_poll", "cta_queue", "cta_volume"
LATEST_S = 4_102_444_800
WORDS = {DRIVES: "drives", QUEUES: "queues", TAPES: "tapes"}
# Fields that only one of the answers has; of drives also the columns of the table.
KEYS = {DRIVES: ("drive_?name", "drive_?status"), QUEUES: ("queuedFiles", "oldestAge"), TAPES: ("vid", "nbMasterFiles")}

_Keys = dict[str, tuple[str, ...]]
_DRIVE: _Keys = {
    "drive": ("driveName", "drive_name"),
    "host": ("host",),
    "system": ("instanceName",),
    "status": ("driveStatus", "drive_status"),
    "desired": ("desiredDriveState", "desired_up"),
    "mount_type": ("mountType", "mount_type"),
    "mount_id": ("sessionId", "session_id"),
    "volume": ("vid", "current_vid"),
    "vo": ("vo", "current_vo"),
    "tape_pool": ("tapepool", "current_tape_pool"),
    "reason": ("reason", "reason_up_down"),
    "logical_library": ("logicalLibrary", "logical_library"),
    "files": ("filesTransferredInSession", "files_transfered_in_session"),
    "bytes": ("bytesTransferredInSession", "bytes_transfered_in_session"),
}
_QUEUE: _Keys = {
    "system": ("instanceName",),
    "mount_type": ("mountType",),
    "volume": ("vid",),
    "vo": ("vo",),
    "tape_pool": ("tapepool",),
    "logical_library": ("logicalLibrary",),
    "n_files": ("queuedFiles",),
    "bytes": ("queuedBytes",),
    "oldest_age_s": ("oldestAge",),
    "youngest_age_s": ("youngestAge",),
    "min_age_s": ("minAge",),
    "n_mounts": ("curMounts",),
    "is_sleeping": ("sleepingForSpace",),
}
_TAPE: _Keys = {
    "system": ("instanceName",),
    "volume": ("vid",),
    "media_type": ("mediaType",),
    "logical_library": ("logicalLibrary",),
    "tape_pool": ("tapepool",),
    "vo": ("vo",),
    "capacity_bytes": ("capacity",),
    "used_bytes": ("occupancy",),
    "active_bytes": ("masterDataInBytes",),
    "n_active_files": ("nbMasterFiles",),
    "last_file_number": ("lastFseq",),
    "n_read_mounts": ("readMountCount",),
    "n_write_mounts": ("writeMountCount",),
    "is_full": ("full",),
    "state": ("state",),
    "reason": ("stateReason",),
}
_WHOLE = {"files", "bytes", "n_files", "n_mounts", "capacity_bytes", "used_bytes", "active_bytes", "n_active_files"}
_WHOLE |= {"last_file_number", "n_read_mounts", "n_write_mounts"}
_SECONDS = {"oldest_age_s", "youngest_age_s", "min_age_s"}
_FLAGS = {"is_sleeping", "is_full"}
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
_NOBODY = ["", "0"]  # values for no mount

_OWN = [key for names in (_DRIVE, _QUEUE, _TAPE) for keys in names.values() for key in keys]
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
    names = {DRIVES: _DRIVE, QUEUES: _QUEUE, TAPES: _TAPE}[table]
    rows = rows.filter({DRIVES: is_own, QUEUES: is_queue & ~is_own, TAPES: ~is_queue & ~is_own}[table])
    values = {name: pl.coalesce(_text(key) for key in keys) for name, keys in names.items()}
    made = {name: _made(name, value) for name, value in values.items()}
    is_wrong = [value.is_not_null() & made[name].is_null() for name, value in values.items()]
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


def _text(key: str) -> pl.Expr:
    return pl.when(pl.col(key) != "").then(pl.col(key))


def _made(name: str, value: pl.Expr) -> pl.Expr:
    if name in _WHOLE:
        number = value.cast(pl.Int64, strict=False)
        return pl.when(number.is_between(0, 2**62)).then(number)
    if name in _SECONDS:
        seconds = value.cast(pl.Float64, strict=False)
        return pl.when(seconds.is_finite() & (seconds >= 0)).then(seconds)
    if name in _FLAGS:
        return value.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    if name == "status":
        return value.replace(_SPELT)
    if name == "desired":
        return value.replace(_DOWN)
    if name == "mount_id":
        return pl.when(~value.is_in(_NOBODY)).then(value).otherwise(pl.when(value.is_in(_NOBODY)).then(pl.lit("")))
    return value


def _us(text: pl.Expr) -> pl.Expr:
    """Microseconds of seconds since 1970; null for 0, which means never."""
    seconds = text.cast(pl.Float64, strict=False)
    return pl.when(seconds.is_between(1, LATEST_S)).then((seconds * 1e6).round().cast(pl.Int64))


def _before(age: str) -> pl.Expr:
    seconds = pl.col(age).cast(pl.Float64, strict=False)
    return pl.col("polled_us") - pl.when(seconds.is_between(0, LATEST_S)).then((seconds * 1e6).round().cast(pl.Int64))


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
