"""The tables of Enstore's databases: their columns, the bronze relation each fills, and those that are not read."""

from typing import NamedTuple

import polars as pl

from pipelines.sources._shared.contract import schema_of


class Col(NamedTuple):
    """A column of a table and its target.

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
FILE_LIST = "file list"
# The kind of a column that names none: by the target's name, or by its type in the contract.
_KIND_OF_TARGET = {"mode": "mode", "pid": "int"}
_KIND_OF_TYPE: dict[pl.DataType | None, str] = {
    pl.Int64(): "count",
    pl.Float64(): "count",
    pl.Boolean(): "flag",
    pl.Datetime("us"): "ts",
}


def _table(name: str, fills: str, at: str, columns: str) -> EnstoreTable:
    """A table by its columns, each `name`, `name:target` or `name:target:kind`; `!` marks a key, `+` a needed one."""
    relation = PREFIX + fills
    return EnstoreTable(name, relation, at, tuple(_column(word, schema_of(relation)) for word in columns.split()))


def _column(word: str, types: pl.Schema) -> Col:
    name, target, kind = [*word.rstrip("!+").split(":"), "", ""][:3]
    target = target or name
    kind = kind or _KIND_OF_TARGET.get(target) or _KIND_OF_TYPE.get(types.get(target), "text")
    return Col(name, target, kind, is_key=word.endswith("!"), is_needed=word.endswith("+"))


_CLIENT = "node:host+ pid username"
_PATHS = "src:source_path dst:target_path"
_DRIVE = "mover+ drive_id:drive_product drive_sn:drive_serial"
_GROUP = "storage_group file_family wrapper"
_RATES = ("overall", "network", "disk", "transfer", "drive")
_RATE = "read:read_bytes+ write:write_bytes+ read_null:null_read_bytes+ write_null:null_write_bytes+"
_FILE = (
    "location_cookie:file_number:cookie+ size:file_bytes+ deleted:state+ drive:written_by pnfs_path pnfs_id package_id"
)
_DAILY = "date:from_at:date!"

TABLES = (
    _table(
        "encp_xfer",
        "transfer",
        "ended_at",
        f"date:ended_at! {_CLIENT} {_PATHS} size:file_bytes:int! rw:mode! overall_rate:overall_bytes_s:rate+"
        " network_rate:network_bytes_s:rate drive_rate:drive_bytes_s:rate+ disk_rate:disk_bytes_s:rate"
        f" transfer_rate:transfer_bytes_s:rate volume! {_DRIVE} elapsed:elapsed_s+ media_changer"
        " mover_interface:mover_host driver encp_ip:client_address encp_id:unique_id+ encp_version:client_version"
        f" {_GROUP} library",
    ),
    _table(
        "encp_error",
        "error",
        "failed_at",
        f"date:failed_at! {_CLIENT} encp_id:unique_id+ version:client_version type:error+ error:message+ {_PATHS}"
        f" size:file_bytes {_DRIVE} rw:mode volume+ {_GROUP} library",
    ),
    _table(
        "tape_mounts",
        "mount",
        "began_at",
        "node:mover_host+ volume! type:drive_product+ logname! start:began_at! finish:ended_at+ state! storage_group"
        " reads:n_reads writes:n_writes",
    ),
    _table(
        "drive_utilization",
        "drive_use",
        "sampled_at",
        "time:sampled_at:tstz! type:drive_type+ total:n_drives+ busy:n_busy! tape_library+ storage_group+",
    ),
    _table(
        "encp_xfer_average_by_storage_group",
        "group_rate",
        "from_at",
        "unix_time:middle_at:epoch! date from_date:from_at! to_date:to_at! storage_group+ rw:mode! "
        + " ".join(f"avg_{name}_rate:{name}_bytes_s:mib_s+" for name in _RATES)
        + " avg_size:mean_file_bytes:mib_s+ "
        + " ".join(f"stddev_{name}_rate:{name}_sd_bytes_s:mib_s" for name in _RATES)
        + " stddev_size:sd_file_bytes:mib_s counter:n_files+",
    ),
    _table("rate", "rate", "from_at", f"time:from_at:tstz! {_RATE}"),
    _table(
        "xfer_by_day",
        "daily",
        "from_at",
        f"{_DAILY} storage_group! read:read_bytes+ write:write_bytes+ n_read:n_reads+ n_write:n_writes+",
    ),
    _table("xfer_by_day_by_mover", "daily", "from_at", f"{_DAILY} mover! read:read_bytes+ write:write_bytes+"),
    _table(
        "status",
        "drive_stat",
        "sampled_at",
        "drive_sn:drive_serial! drive_vendor product_type:drive_product host:mover_host logical_drive_name:logname!"
        " stat_type:kind+ time:sampled_at! tape_volser:volume+ power_hrs:power_hours motion_hrs:motion_hours"
        " cleaning_bit:is_cleaning_wanted mb_user_read:user_read_bytes:mib+ mb_user_write:user_write_bytes:mib+"
        " mb_dev_read:tape_read_bytes:mib+ mb_dev_write:tape_write_bytes:mib+ read_errors:n_read_errors"
        " write_errors:n_write_errors track_retries:n_retries underrun:n_underruns wp:is_write_protected"
        " firmware_version:firmware mover_name:mover",
    ),
    _table(
        "volume",
        "volume",
        "",
        "id:volume_number:int label:volume! block_size:block_bytes capacity_bytes+ remaining_bytes+"
        " eod_cookie:end_file_number:cookie+ declared:declared_at first_access:first_access_at"
        " last_access:last_access_at modification_time:modified_at library media_type sum_mounts:n_mounts"
        " sum_rd_access:n_reads sum_rd_err:n_read_errors sum_wr_access:n_writes sum_wr_err:n_write_errors"
        f" system_inhibit_0 system_inhibit_1 user_inhibit_0 user_inhibit_1 {_GROUP} write_protected:is_write_protected"
        " active_files:n_active_files deleted_files:n_deleted_files active_bytes deleted_bytes",
    ),
    _table("file", "file", "", f"bfid! volume:volume_number:int! {_FILE}"),
    # of a volume that is to be migrated to CTA: the name of the file says which
    _table(FILE_LIST, "file", "", "bfid! location_cookie:file_number:cookie! size:file_bytes! crc+ pnfs_path+"),
    _table(
        "migration",
        "migration",
        "copied_at",
        "src_bfid:source_bfid! dst_bfid:target_bfid! copied:copied_at+ swapped:swapped_at+ checked:checked_at+"
        " closed:closed_at+ remark",
    ),
    _table(
        "migration_history",
        "volume_migration",
        "migrated_at",
        "src:source_volume! dst:target_volume! time:migrated_at! src_vol_id:source_volume_number:int+"
        " dst_vol_id:target_volume_number:int+ closed_time:closed_at",
    ),
    _table(
        "mover mapping",
        "mover",
        "",
        "mover! logname! host:mover_host+ data_ip:data_host library+ media_changer mc_device:drive_address driver"
        " mount_delay:mount_delay_s",
    ),
    _table(
        "storage by group",
        "group_storage",
        "sampled_at",
        "date:sampled_at! storage_group! active_bytes+ total_bytes+ active_files:n_active_files+ total_files:n_files+",
    ),
)
# What other forms than tables hold: rate files have a local clock, file records name their volume.
FORMS = (
    _table("rate file", "rate", "from_at", f"time:from_at! {_RATE}"),
    _table("file record", "file", "", f"bfid! {_FILE} label:volume!"),
)

# Tables that are known and not read, the columns that identify them, and why.
NOT_READ = {
    "tape_library_slots_usage": (
        ("time", "tape_library", "location", "media_type", "free", "used"),
        "the table only counts slots of libraries",
    ),
    "write_protect_summary": (
        ("date", "total", "should", "not_yet", "done"),
        "the table only counts write protection tabs",
    ),
    "event": (("tag", "name", "node", "username", "start", "finish"), "the table only lists runs of scheduled jobs"),
    "state": (
        ("time", "volume", "type", "value"),
        "the table names volumes and types only by their numbers in other tables",
    ),
    "xfer_by_month": (
        ("date", "storage_group", "read", "write"),
        "the table has only totals by month; the table xfer_by_day has totals by day",
    ),
    "quotas": (("time", "library", "storage_group", "allocated", "blank"), "the table only lists quotas of cartridges"),
    "old_bytes_per_day": (
        ("date", "read", "write"),
        "the table has only the total of all storage groups; the table xfer_by_day has more detail",
    ),
    "blanks": (("date", "media_type", "blanks"), "the table only counts blank cartridges"),
    "drive_data": (
        ("drive_rate", "write_error_count", "read_error_count"),
        "the table lists suspect volumes, and its format varies",
    ),
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
        return Header(names, None, "the header names a column twice")
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
    return Header(names, None, f"the header is most like Enstore's table {nearest.name}, but lacks {lacking}")


def renamed(table: EnstoreTable, names: tuple[str, ...]) -> tuple[str, ...]:
    """Column names of a file in the words of the table; what is unknown keeps its name."""
    aliases = ALIASES.get(table.name, {})
    return tuple(aliases.get(name, name) if aliases.get(name) not in names else name for name in names)


def _is_name(word: str) -> bool:
    return bool(word) and len(word) < 64 and word.replace("_", "a").isalnum() and not word[0].isdigit()


def find(name: str) -> EnstoreTable:
    """The table of that name."""
    return next(table for table in (*TABLES, *FORMS) if table.name == name)
