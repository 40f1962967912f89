"""Messages of library managers and media changers, and the transfer line of encp."""

import polars as pl

from pipelines.primitives.units import MIB
from pipelines.sources.enstore_log.templates import NUMBER, LogTable, Template

MANAGER, CHANGER, ENCP = "enstore_log_manager", "enstore_log_changer", "enstore_log_encp"

_MIB_S = ("transfer_mib_s", "network_mib_s", "drive_mib_s", "disk_mib_s")
_EXACT = ("transfer", "drive", "disk", "overall")
_TO = r" : library=(?P<library>\S*) family=(?P<family>\S*) requester:(?P<requester>\S*)"
_WRITE_QUEUED = (
    r"(?P<local_path>.*) \((?P<unique_id>[^() ]+)\) -> (?P<pnfs_path>.*)"
    + _TO
    + r"(?: volume_family:(?P<volume_family>\S+))?$"
)
_READ_QUEUED = r"(?P<pnfs_path>.*) \((?P<unique_id>[^() ]+)\) -> (?P<local_path>.*)" + _TO + r"(?: volume_family:\S+)?$"
_WORK = r"(?P<volume>\S+) mover=(?P<mover>\S+) requester:(?P<requester>\S*)$"
_ACTION = r"(?P<volume>\S+) (?P<drive_address>.+?)"
# Paths may hold blanks and colons: the greedy groups make the match settle from the right. No end is asked for: the
# dictionary that follows may be cut, and to match it would cost three times as much.
_XFER = (
    r" *(?P<work>\S+) (?P<source_path>.*) -> (?P<target_path>.*): (?P<file_bytes>\S+) bytes copied"
    r" (?:to|from) (?P<volume>\S+) at (?P<transfer_mib_s>\S+) MB/S \((?P<network_mib_s>\S+) MB/S network\)"
    r" \((?P<drive_mib_s>\S+) MB/S drive\) \((?P<disk_mib_s>\S+) MB/S disk\) mover=(?P<mover>\S*)"
    r" drive_id=(?P<drive_product>\S*) drive_sn=(?P<drive_serial>\S*) drive_vendor=(?P<drive_vendor>.*?)"
    r" elapsed=(?P<elapsed_s>\S+)"
)
_XFER_KEYS = {
    "unique_id": r"'unique_id' ?: ?'([^']+)'",
    "storage_group": r"'storage_group' ?: ?'([^']+)'",
    **{f"{rate}_exact": f"'{rate}_rate' ?: ?{NUMBER}" for rate in _EXACT},
}

# A literal more than the start where the layout of before 2000 began a message alike.
_WORKS = {"write_to_hsm": "write", "read_from_hsm": "read"}
_QUEUED = (
    Template(MANAGER, "queued", "write Q'd ", _WRITE_QUEUED, needs=(" (",), fixed={"mode": "write"}),
    Template(MANAGER, "queued", "read Q'd ", _READ_QUEUED, needs=(" (",), fixed={"mode": "read"}),
)
_ASSIGNED = tuple(
    Template(MANAGER, kind, f"{work}{word} work on vol=", _WORK, needs=(" mover=",), fixed={"mode": mode})
    for work, mode in _WORKS.items()
    for kind, word in (("assigned", ""), ("next", " next"))
)
_SENT = tuple(
    Template(
        MANAGER,
        "sent",
        f"HAVE_BOUND:sending {work} ",
        r"(?P<pnfs_path>.*) to mover (?P<mover>\S+) \(.*\)(?: DEL_DISM \S+)?$",
        fixed={"mode": mode},
    )
    for work, mode in _WORKS.items()
)
_ADDED = r" *request added to (?P<queue>\S+) queue for storage group ?: ?(?P<storage_group>\S*)$"
_STATE = "Library manager state is changed to:"
_CHANGED = tuple(
    Template(CHANGER, kind, f"{word} {action} ", _ACTION + end, fixed={"action": action})
    for kind, word, end in (
        ("requested", "88 REQUESTED", "$"),
        ("begun", "PROCESSING", "$"),
        ("ended", "FINISHED", r" returned \(?['\"]?(?P<status>[^'\",()]*).*$"),
    )
    for action in ("mount", "dismount")
)
_MANAGED = (
    *_QUEUED,
    *_ASSIGNED,
    *_SENT,
    Template(MANAGER, "added", "MSG_TYPE=ADD_TO_LMQ ", _ADDED),
    Template(MANAGER, "state", _STATE, r" ?(?P<state>.*)$"),
)
_TRANSFERRED = (Template(ENCP, "transfer", "MSG_TYPE=ENCP_XFER ", _XFER, keys=_XFER_KEYS),)


def finish_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """Storage group and family out of the volume family; a read gives that family as its `family`."""
    parts = pl.coalesce("volume_family", pl.when(pl.col("mode") == "read").then("family")).str.split(".")
    return rows.with_columns(
        storage_group=pl.coalesce(
            pl.when(pl.col("kind") == "added").then("storage_group"), parts.list.get(0, null_on_oob=True)
        ),
        file_family=pl.coalesce(parts.list.get(1, null_on_oob=True), pl.when(pl.col("mode") == "write").then("family")),
    )


def finish_encp(rows: pl.DataFrame) -> pl.DataFrame:
    """MiB/s into bytes/s; the dictionary is exact, but its network rate repeats the transfer rate."""
    return rows.with_columns(
        mode=pl.col("work").replace_strict(_WORKS, default=None, return_dtype=pl.String),
        transfer_bytes_s=pl.coalesce("transfer_exact", "transfer_mib_s") * MIB,
        network_bytes_s=pl.col("network_mib_s") * MIB,
        drive_bytes_s=pl.coalesce("drive_exact", "drive_mib_s") * MIB,
        disk_bytes_s=pl.coalesce("disk_exact", "disk_mib_s") * MIB,
        overall_bytes_s=pl.col("overall_exact") * MIB,
    )


PARTS = (
    LogTable(MANAGER, _MANAGED, finish_manager),
    LogTable(CHANGER, _CHANGED),
    LogTable(ENCP, _TRANSFERRED, finish_encp, (*_MIB_S, *(f"{rate}_exact" for rate in _EXACT))),
)
