"""The tables of Enstore's databases: their columns, the bronze relation each fills, and those that are not read."""

from typing import NamedTuple


class Col(NamedTuple):
    """A column of a table and what becomes of it.

    Kinds: text, int, float, ts (local time), tstz (time with an offset), date, rate (bytes/s; 0 and less is unknown),
    mib and mib_s (Enstore's MB, 2^20), count (0 and more, else unknown), flag (0 or 1, y or n), mode (r or w), cookie
    (location: its third part), epoch.
    """

    name: str
    target: str
    kind: str = "text"
    is_key: bool = False  # the header must have it, and every row a value
    is_needed: bool = False  # the header must have it


class EnstoreTable(NamedTuple):
    """A table: `fills` is the bronze relation, `at` the target whose instants prove that the table was being kept."""

    name: str
    fills: str
    at: str
    columns: tuple[Col, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_key or column.is_needed)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


PREFIX = "enstore_accounting_"


def _table(name: str, fills: str, at: str, *columns: tuple[str, str, str, str]) -> EnstoreTable:
    marks = {"key": (True, False), "needed": (False, True), "": (False, False)}
    return EnstoreTable(name, PREFIX + fills, at, tuple(Col(*column[:3], *marks[column[3]]) for column in columns))


_CLIENT = (("node", "host", "text", "needed"), ("pid", "pid", "int", ""), ("username", "username", "text", ""))
_PATHS = (("src", "source_path", "text", ""), ("dst", "target_path", "text", ""))
_DRIVE = (
    ("mover", "mover", "text", "needed"),
    ("drive_id", "drive_product", "text", ""),
    ("drive_sn", "drive_serial", "text", ""),
)
_FAMILY = (
    ("storage_group", "storage_group", "text", ""),
    ("file_family", "file_family", "text", ""),
    ("wrapper", "wrapper", "text", ""),
    ("library", "library", "text", ""),
)
_RATES = ("overall", "network", "disk", "transfer", "drive")

TABLES = (
    _table(
        "encp_xfer",
        "transfer",
        "ended_at",
        ("date", "ended_at", "ts", "key"),
        *_CLIENT,
        *_PATHS,
        ("size", "file_bytes", "int", "key"),
        ("rw", "mode", "mode", "key"),
        ("overall_rate", "overall_bytes_s", "rate", "needed"),
        ("network_rate", "network_bytes_s", "rate", ""),
        ("drive_rate", "drive_bytes_s", "rate", "needed"),
        ("disk_rate", "disk_bytes_s", "rate", ""),
        ("transfer_rate", "transfer_bytes_s", "rate", ""),
        ("volume", "volume", "text", "key"),
        *_DRIVE,
        ("elapsed", "elapsed_s", "count", "needed"),
        ("media_changer", "media_changer", "text", ""),
        ("mover_interface", "mover_host", "text", ""),
        ("driver", "driver", "text", ""),
        ("encp_ip", "client_address", "text", ""),
        ("encp_id", "unique_id", "text", "needed"),
        ("encp_version", "client_version", "text", ""),
        *_FAMILY,
    ),
    _table(
        "encp_error",
        "error",
        "failed_at",
        ("date", "failed_at", "ts", "key"),
        *_CLIENT,
        ("encp_id", "unique_id", "text", "needed"),
        ("version", "client_version", "text", ""),
        ("type", "error", "text", "needed"),
        ("error", "message", "text", "needed"),
        *_PATHS,
        ("size", "file_bytes", "count", ""),
        *_DRIVE,
        ("rw", "mode", "mode", ""),
        ("volume", "volume", "text", "needed"),
        *_FAMILY,
    ),
    _table(
        "tape_mounts",
        "mount",
        "began_at",
        ("node", "mover_host", "text", "needed"),
        ("volume", "volume", "text", "key"),
        ("type", "drive_product", "text", "needed"),
        ("logname", "logname", "text", "key"),
        ("start", "began_at", "ts", "key"),
        ("finish", "ended_at", "ts", "needed"),
        ("state", "state", "text", "key"),
        ("storage_group", "storage_group", "text", ""),
        ("reads", "n_reads", "count", ""),
        ("writes", "n_writes", "count", ""),
    ),
    _table(
        "drive_utilization",
        "drive_use",
        "sampled_at",
        ("time", "sampled_at", "tstz", "key"),
        ("type", "drive_type", "text", "needed"),
        ("total", "n_drives", "count", "needed"),
        ("busy", "n_busy", "count", "key"),
        ("tape_library", "tape_library", "text", "needed"),
        ("storage_group", "storage_group", "text", "needed"),
    ),
    _table(
        "encp_xfer_average_by_storage_group",
        "group_rate",
        "from_at",
        ("unix_time", "middle_at", "epoch", "key"),
        ("date", "date", "text", ""),
        ("from_date", "from_at", "ts", "key"),
        ("to_date", "to_at", "ts", "key"),
        ("storage_group", "storage_group", "text", "needed"),
        ("rw", "mode", "mode", "key"),
        *((f"avg_{name}_rate", f"{name}_bytes_s", "mib_s", "needed") for name in _RATES),
        ("avg_size", "mean_file_bytes", "mib_s", "needed"),
        *((f"stddev_{name}_rate", f"{name}_sd_bytes_s", "mib_s", "") for name in _RATES),
        ("stddev_size", "sd_file_bytes", "mib_s", ""),
        ("counter", "n_files", "count", "needed"),
    ),
    _table(
        "rate",
        "rate",
        "from_at",
        ("time", "from_at", "tstz", "key"),
        ("read", "read_bytes", "count", "needed"),
        ("write", "write_bytes", "count", "needed"),
        ("read_null", "null_read_bytes", "count", "needed"),
        ("write_null", "null_write_bytes", "count", "needed"),
    ),
    _table(
        "xfer_by_day",
        "daily",
        "from_at",
        ("date", "from_at", "date", "key"),
        ("storage_group", "storage_group", "text", "key"),
        ("read", "read_bytes", "count", "needed"),
        ("write", "write_bytes", "count", "needed"),
        ("n_read", "n_reads", "count", "needed"),
        ("n_write", "n_writes", "count", "needed"),
    ),
    _table(
        "xfer_by_day_by_mover",
        "daily",
        "from_at",
        ("date", "from_at", "date", "key"),
        ("mover", "mover", "text", "key"),
        ("read", "read_bytes", "count", "needed"),
        ("write", "write_bytes", "count", "needed"),
    ),
    _table(
        "status",
        "drive_stat",
        "sampled_at",
        ("drive_sn", "drive_serial", "text", "key"),
        ("drive_vendor", "drive_vendor", "text", ""),
        ("product_type", "drive_product", "text", ""),
        ("host", "mover_host", "text", ""),
        ("logical_drive_name", "logname", "text", "key"),
        ("stat_type", "kind", "text", "needed"),
        ("time", "sampled_at", "ts", "key"),
        ("tape_volser", "volume", "text", "needed"),
        ("power_hrs", "power_hours", "count", ""),
        ("motion_hrs", "motion_hours", "count", ""),
        ("cleaning_bit", "is_cleaning_wanted", "flag", ""),
        ("mb_user_read", "user_read_bytes", "mib", "needed"),
        ("mb_user_write", "user_write_bytes", "mib", "needed"),
        ("mb_dev_read", "tape_read_bytes", "mib", "needed"),
        ("mb_dev_write", "tape_write_bytes", "mib", "needed"),
        ("read_errors", "n_read_errors", "count", ""),
        ("write_errors", "n_write_errors", "count", ""),
        ("track_retries", "n_retries", "count", ""),
        ("underrun", "n_underruns", "count", ""),
        ("wp", "is_write_protected", "flag", ""),
        ("firmware_version", "firmware", "text", ""),
        ("mover_name", "mover", "text", ""),
    ),
    _table(
        "volume",
        "volume",
        "",
        ("id", "volume_number", "int", ""),
        ("label", "volume", "text", "key"),
        ("block_size", "block_bytes", "count", ""),
        ("capacity_bytes", "capacity_bytes", "count", "needed"),
        ("remaining_bytes", "remaining_bytes", "count", "needed"),
        ("eod_cookie", "end_file_number", "cookie", "needed"),
        ("declared", "declared_at", "ts", ""),
        ("first_access", "first_access_at", "ts", ""),
        ("last_access", "last_access_at", "ts", ""),
        ("modification_time", "modified_at", "ts", ""),
        ("library", "library", "text", ""),
        ("media_type", "media_type", "text", ""),
        ("sum_mounts", "n_mounts", "count", ""),
        ("sum_rd_access", "n_reads", "count", ""),
        ("sum_rd_err", "n_read_errors", "count", ""),
        ("sum_wr_access", "n_writes", "count", ""),
        ("sum_wr_err", "n_write_errors", "count", ""),
        ("system_inhibit_0", "system_inhibit_0", "text", ""),
        ("system_inhibit_1", "system_inhibit_1", "text", ""),
        ("user_inhibit_0", "user_inhibit_0", "text", ""),
        ("user_inhibit_1", "user_inhibit_1", "text", ""),
        *_FAMILY[:3],
        ("write_protected", "is_write_protected", "flag", ""),
        ("active_files", "n_active_files", "count", ""),
        ("deleted_files", "n_deleted_files", "count", ""),
        ("active_bytes", "active_bytes", "count", ""),
        ("deleted_bytes", "deleted_bytes", "count", ""),
    ),
    _table(
        "file",
        "file",
        "",
        ("bfid", "bfid", "text", "key"),
        ("volume", "volume_number", "int", "key"),
        ("location_cookie", "file_number", "cookie", "needed"),
        ("size", "file_bytes", "count", "needed"),
        ("deleted", "state", "text", "needed"),
        ("drive", "written_by", "text", ""),
        ("pnfs_path", "pnfs_path", "text", ""),
        ("pnfs_id", "pnfs_id", "text", ""),
        ("package_id", "package_id", "text", ""),
    ),
    _table(
        "migration",
        "migration",
        "copied_at",
        ("src_bfid", "source_bfid", "text", "key"),
        ("dst_bfid", "target_bfid", "text", "key"),
        ("copied", "copied_at", "ts", "needed"),
        ("swapped", "swapped_at", "ts", "needed"),
        ("checked", "checked_at", "ts", "needed"),
        ("closed", "closed_at", "ts", "needed"),
        ("remark", "remark", "text", ""),
    ),
    _table(
        "migration_history",
        "volume_migration",
        "migrated_at",
        ("src", "source_volume", "text", "key"),
        ("dst", "target_volume", "text", "key"),
        ("time", "migrated_at", "ts", "key"),
        ("src_vol_id", "source_volume_number", "int", "needed"),
        ("dst_vol_id", "target_volume_number", "int", "needed"),
        ("closed_time", "closed_at", "ts", ""),
    ),
    _table(
        "mover mapping",
        "mover",
        "",
        ("mover", "mover", "text", "key"),
        ("logname", "logname", "text", "key"),
        ("host", "mover_host", "text", "needed"),
        ("data_ip", "data_host", "text", ""),
        ("library", "library", "text", "needed"),
        ("media_changer", "media_changer", "text", ""),
        ("mc_device", "drive_address", "text", ""),
        ("driver", "driver", "text", ""),
        ("mount_delay", "mount_delay_s", "count", ""),
    ),
    _table(
        "storage by group",
        "group_storage",
        "sampled_at",
        ("date", "sampled_at", "ts", "key"),
        ("storage_group", "storage_group", "text", "key"),
        ("active_bytes", "active_bytes", "count", "needed"),
        ("total_bytes", "total_bytes", "count", "needed"),
        ("active_files", "n_active_files", "count", "needed"),
        ("total_files", "n_files", "count", "needed"),
    ),
)

_RATE = next(table for table in TABLES if table.name == "rate")
_FILE = next(table for table in TABLES if table.name == "file")
# What other forms than tables hold: rate files have a local clock, file records name their volume.
FORMS = (
    _RATE._replace(name="rate file", columns=(Col("time", "from_at", "ts", True), *_RATE.columns[1:])),
    _FILE._replace(
        name="file record",
        columns=(
            *(column for column in _FILE.columns if column.target != "volume_number"),
            Col("label", "volume", "text", True),
        ),
    ),
)

# Tables that are known and not read, by columns that tell them, and why.
NOT_READ = {
    "tape_library_slots_usage": (
        ("time", "tape_library", "location", "media_type", "free", "used"),
        "slots, no drives",
    ),
    "write_protect_summary": (("date", "total", "should", "not_yet", "done"), "counts of write protection tabs"),
    "event": (("tag", "name", "node", "username", "start", "finish"), "runs of scheduled jobs"),
    "state": (("time", "volume", "type", "value"), "its volumes and types are numbers of other tables"),
    "xfer_by_month": (("date", "storage_group", "read", "write"), "months; xfer_by_day says the same by day"),
    "quotas": (("time", "library", "storage_group", "allocated", "blank"), "quotas of cartridges"),
    "old_bytes_per_day": (("date", "read", "write"), "a total without names; xfer_by_day says more"),
    "blanks": (("date", "media_type", "blanks"), "counts of blank cartridges"),
    "drive_data": (("drive_rate", "write_error_count", "read_error_count"), "a list of suspects without a schema"),
}
# The accounting database calls the mover's name otherwise than its configuration does.
ALIASES = {"mover mapping": {"name": "mover"}}
KNOWN = frozenset(
    [name for table in TABLES for name in table.names]
    + [name for names, _ in NOT_READ.values() for name in names]
    + [name for names in ALIASES.values() for name in names]
)


class Header(NamedTuple):
    """Column names of a file, as it has them, and what they are."""

    names: tuple[str, ...]
    table: EnstoreTable | None
    why: str


def read_header(cells: list[str]) -> Header | None:
    """What table has these columns; None for cells that are no header of ours. `table` is None where it is not read."""
    names = tuple(cell.strip().strip('"').lower() for cell in cells)
    known = sum(name in KNOWN for name in names)
    if len(names) < 3 or known < 3 or 2 * known < len(names) or not all(map(_is_name, names)):
        return None
    if len(set(names)) < len(names):
        return Header(names, None, "a header that names a column twice")
    best: tuple[int, EnstoreTable] | None = None
    for table in TABLES:
        found = renamed(table, names)
        if set(table.keys) <= set(found) and (best is None or len(table.names & set(found)) > best[0]):
            best = len(table.names & set(found)), table
    if best:
        return Header(names, best[1], f"the columns of Enstore's table {best[1].name}")
    for name, (columns, reason) in NOT_READ.items():
        if set(columns) <= set(names):
            return Header(names, None, f"the columns of Enstore's table {name}, which is not read: {reason}")
    nearest = max(TABLES, key=lambda table: len(table.names & set(names)) / len(table.names))
    lacking = ", ".join(sorted(set(nearest.keys) - set(renamed(nearest, names))))
    return Header(names, None, f"nearest to Enstore's table {nearest.name}, but it lacks {lacking}")


def renamed(table: EnstoreTable, names: tuple[str, ...]) -> tuple[str, ...]:
    """Column names of a file in the words of the table; what is unknown keeps its name."""
    aliases = ALIASES.get(table.name, {})
    return tuple(aliases.get(name, name) if aliases.get(name) not in names else name for name in names)


def _is_name(word: str) -> bool:
    return bool(word) and len(word) < 64 and word.replace("_", "a").isalnum() and not word[0].isdigit()


def find(name: str) -> EnstoreTable:
    """The table of that name."""
    return next(table for table in (*TABLES, *FORMS) if table.name == name)
