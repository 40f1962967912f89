"""Messages of Enstore movers: what a drive was asked to do and did."""

from functools import partial

import polars as pl

from pipelines.primitives.units import MIB
from pipelines.sources._shared.stamps import instant_of
from pipelines.sources.enstore_log.templates import NUMBER, STATUS, LogTable, Template
from pipelines.sources.protocol import first_of

TABLE = "enstore_log_mover"

_EPOCHS = ("queued_epoch", "dequeued_epoch", "client_started_epoch")

# Numbers are printed with twelve digits.
_DIGITS = 1e-9

_TICKET = {
    "mode": r"'work': '(\w+)'",
    "unique_id": r"'unique_id': '([^']+)'",
    "volume": r"'external_label': '([^']+)'",
    "volume_family": r"'volume_family': '([^']+)'",
    "file_bytes": r"'size': (\d+)",
    "file_number": r"'location_cookie': '\d{4}_\d{9}_(\d{7})'",
    "bfid": r"'bfid': '([^']+)'",
    "client_started_epoch": f"'encp_start_time': {NUMBER}",
    "queued_epoch": f"'job_queued': {NUMBER}",
    "dequeued_epoch": f"'lm_dequeued': {NUMBER}",
    "queue_s": f"'in_queue': {NUMBER}",
}
_DONE = {
    **_TICKET,
    "mount_s": f"'mount_time': {NUMBER}",
    "seek_s": f"'seek_time': {NUMBER}",
    "transfer_s": f"'transfer_time': {NUMBER}",
    "media_s": f"'drive_transfer_time': {NUMBER}",
    "media_transfer_s": f"'media_transfer_time': {NUMBER}",
    "drive_call_s": f"'drive_call_time': {NUMBER}",
}
_IN_STATE = {"state": r"Mover state (\w+)"}
_ASSERT = {key: _TICKET[key] for key in ("unique_id", "volume")}

_LOAD = r" +mount(?:ing|ed) (?P<volume>\S+)(?: (?P<product>\S+) (?P<clock_time>\d\d:\d\d:\d\d))?$"
_STATS = (
    r" Tape (?P<volume>\S+) position (?P<file_number>\S+) .*?bloc_loc (?P<block_address>\S+) tot_blocks \S+ BOT \S+"
    r"(?: read_err (?P<read_errors>\S+) write_err (?P<write_errors>\S+) bytes (?P<bytes>\S+)"
    r" block_(?:write|read)_tot (?P<block_s>\S+) tape_rate (?P<tape_rate_bytes_s>\S+))?$"
)
_WRITE_TIMING = (
    r" ?pull (?P<buffer_s>\S+) write (?P<call_s>\S+) crc_check (?P<checksum_s>\S+)"
    r" freespace (?P<space_s>\S+) block_write (?P<block_s>\S+) idle (?P<idle_s>\S+)$"
)
_READ_TIMING = (
    r" ?get_space (?P<space_s>\S+) read (?P<call_s>\S+) crc_check (?P<checksum_s>\S+)"
    r" push (?P<buffer_s>\S+) block_read (?P<block_s>\S+) idle (?P<idle_s>\S+)$"
)
_MOVED = r"(?P<bytes>[^/ ]+)/(?P<total_bytes>[^/, ]+), blocks (?P<n_blocks>\S+) header (?P<header_bytes>\S+)"
_FAILED = (
    r"(?P<error>\S+) (?:.* )?(?P<error_source>\S+) volume=(?P<volume>\S+)"
    r" location=(?:None|(?P<file_number>\S+))(?: thread \S+)?$"
)
_NO_ACCESS = r"(?P<volume>\S+) NOACCESS\. Mover: .*?\. Reason: (?P<error>.*?)(?:, ?\{.*)?$"
_SLOW = r" detected\. Drive \S+ rate (?P<rate_mib_s>\S+) MB/s"

_WRITE, _READ = {"mode": "write"}, {"mode": "read"}


_mover = partial(Template, TABLE)

TEMPLATES = (
    _mover("restart", "starting mover ", r"(?P<rest>\S+)"),
    _mover("restart", "have vol ", r"(?P<volume>\S+) at startup", needs=(" at startup",)),
    _mover("offline", "mover is set OFFLINE", r"(?P<rest>.?)(?: Mode (?P<mode>\S+))?"),
    _mover("error", "error: ", r"(?P<error>.*?) message: .* state=ERROR", needs=(" state=ERROR",)),
    _mover("error", "Mover already in ERROR state", r" ?(?P<error>.*?)(?:, state=ERROR)?$"),
    _mover("request", "WRITE_TO_HSM", keys=_IN_STATE, fixed=_WRITE),
    _mover("request", "READ FROM HSM", keys=_IN_STATE, fixed=_READ),
    _mover("ticket", "SENDING {", keys=_TICKET, must_have="unique_id"),
    _mover("load_requested", "MSG_TYPE=MC_LOAD_REQ", _LOAD),
    _mover("loaded", "MSG_TYPE=MC_LOAD_DONE", _LOAD),
    _mover("load_failed", "mount ", r"(?P<volume>\S+): " + STATUS, needs=(": ",), severity="E"),
    _mover(
        "position",
        "tape position: ",
        r"target (?P<file_number>\S+) current (?P<from_file_number>\S+) (?P<from_block>\S+)$",
    ),
    _mover("skipped", "skip_fm ", r"(?P<n_marks>\S+)$"),
    _mover("started", "write_tape starting", r", bytes_to_write=(?P<bytes>\S+)$", fixed=_WRITE),
    _mover("started", "read_tape starting", r", bytes_to_read=(?P<bytes>\S+)$", fixed=_READ),
    _mover("data_ended", "written bytes ", _MOVED + r" trailer (?P<trailer_bytes>\S+)$", fixed=_WRITE),
    _mover("data_ended", "read bytes ", _MOVED + "$", fixed=_READ),
    _mover(
        "filemark",
        "filemarks written.",
        r" Tape (?P<volume>\S+) absolute location in blocks (?P<block_address>\S+)$",
        fixed=_WRITE,
    ),
    _mover("timing", "write_tape timing:", _WRITE_TIMING, fixed=_WRITE),
    _mover("timing", "read_tape timing:", _READ_TIMING, fixed=_READ),
    _mover("drive_stats", "drive stats after write.", _STATS, fixed=_WRITE),
    _mover("drive_stats", "drive stats after read.", _STATS, fixed=_READ),
    _mover("crc_begun", "selective CRC check after writing file", fixed=_WRITE, excludes=(" completed",)),
    _mover("crc_ended", "selective CRC check after writing file", fixed=_WRITE, needs=(" completed",)),
    _mover("completed", "transfer complete", r" volume=(?P<volume>\S+) location=(?P<file_number>\S+)$"),
    _mover("failed", "transfer failed ", _FAILED),
    _mover("done_ticket", "Sending done to client: {", keys=_DONE, must_have="unique_id"),
    _mover("dismount_begun", "dismount_volume ", r"(?P<volume>\S+)$"),
    _mover("dismount_begun", "Trying to dismount", r"(?: volume)?(?: \(\d+\))? (?P<volume>\S+)$"),
    _mover("dismount_begun", "Ejecting tape"),
    _mover("dismounting", "dismounting ", r"(?P<volume>\S+)$"),
    _mover("dismounted", "dismounted ", r"(?P<volume>\S+)(?: (?P<product>\S+) (?P<clock_time>\d\d:\d\d:\d\d))?$"),
    _mover("dismount_failed", "dismount ", r"(?P<volume>\S+): " + STATUS, needs=(": ",), severity="E"),
    _mover("dismount_failed", "eject: ", r"(?P<error>.*)$", severity="E"),
    _mover("cleaning_begun", "initiating automatic cleaning"),
    _mover("cleaning_ended", "cleaning complete"),
    _mover("no_access", "MSG_TYPE=ALARM  marking ", _NO_ACCESS, needs=(" NOACCESS",)),
    _mover("slow_drive", "MSG_TYPE=ALARM  Slow drive rate", _SLOW),
    _mover("assert", "VOLUME ASSERT", keys=_ASSERT),
    _mover("assert", "The assert for ", r"(?P<volume>\S+) is completed"),
    _mover("assert", "Volume assert finished"),
)


def finish(rows: pl.DataFrame) -> pl.DataFrame:
    """Words, clock and units of Enstore into ours."""
    mode = pl.col("mode").str.to_lowercase().str.extract(r"^(write|read)(?:_to_hsm|_from_hsm)?$")
    return rows.with_columns(
        mode=mode,
        queued_at=instant_of(pl.col("queued_epoch")),
        dequeued_at=instant_of(pl.col("dequeued_epoch")),
        client_started_at=instant_of(pl.col("client_started_epoch")),
        media_s=pl.coalesce("media_s", "media_transfer_s"),
        rate_basis=_rate_basis(),
        tape_rate_bytes_s=pl.coalesce("tape_rate_bytes_s", pl.col("rate_mib_s") * MIB),
    )


def _rate_basis() -> pl.Expr:
    """Which seconds `tape_rate` divides the bytes by: Enstore changed that on 2010-07-20, sites whenever they upgraded.

    The block loop's seconds are in the same line; a rate beyond theirs is that of the drive calls inside it.
    """
    share = pl.col("tape_rate_bytes_s") * pl.col("block_s") / pl.col("bytes")
    is_measured = (pl.col("kind") == "drive_stats") & (pl.col("bytes") > 0) & (pl.col("block_s") > 0)
    return first_of(block=is_measured & share.is_between(1 - _DIGITS, 1 + _DIGITS), call=is_measured & (share > 1))


PARTS = (LogTable(TABLE, TEMPLATES, finish, ("media_transfer_s", "rate_mib_s", *_EPOCHS)),)
