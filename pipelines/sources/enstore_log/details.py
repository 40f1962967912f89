"""Further messages of Enstore movers: details that the steps do not have, such as stages of a dismount."""

from functools import partial

import polars as pl

from pipelines.sources.enstore_log.lines import REPEATED
from pipelines.sources.enstore_log.templates import STATUS, LogTable, Template

TABLE = "enstore_log_detail"

_BITFILE = {
    "bfid": r"'bfid': '([^']+)'",
    "volume": r"'external_label': '([^']+)'",
    "file_number": r"'location_cookie': '\d{4}_\d{9}_(\d{7})'",
    "bytes": r"'size': (\d+)",
}
_CRC_STATS = (
    r" Tape (?P<volume>\S+) (?:.*? )?bytes (?P<bytes>\S+) block_(?:write|read)_tot (?P<block_s>\S+)"
    r" tape_rate \S+$"
)
_REMAINING = (
    r"(?P<database_bytes>-?\d+)\S* estimated \S+ reported from drive (?P<remaining_bytes>-?\d+)\S*"
    r" position (?P<file_number>\S+)$"
)
_SET = r"(?P<volume>\S+) (?P<remaining_bytes>-?\d+)L? (?:\d{4}_\d{9}_(?P<file_number>\d{7})|\S+)$"
_FULL = r"(?P<volume>[^, ]+), remaining=(?P<remaining_bytes>-?\d+)"
_CURRENT = r" (?P<file_number>\S+) Previous location (?P<previous_file_number>\S+)$"

_detail = partial(Template, TABLE)

TEMPLATES = (
    _detail("started_in", "Starting in state ", r"(?P<state>\S+)"),
    _detail("precautionary_dismount", "performing precautionary dismount"),
    _detail("changer_busy", "Media Changer returned ", STATUS),
    _detail("changer_given_up", "max_consecutive_media_changer_failures", r" \((?P<number>\d+)\)"),
    _detail("end_marked", "writing a tape mark before dismount"),
    _detail("ejected", "Tape is ejected"),
    _detail("opened", "ftt_open returns.", r" The number of retries: (?P<number>\S+)$"),
    _detail("label_checked", "verify label returned ", STATUS),
    _detail("label_written", "labeling new tape ", r"(?P<volume>\S+)"),
    _detail("rewinding", "rewinding for paranoid verify_label"),
    _detail("position_lost", "seek: lost position, rewinding"),
    _detail(
        "position_error", "ftt_driver:seek: Positioning error ", r"(?P<previous_file_number>\S+) (?P<file_number>\S+)$"
    ),
    _detail("position_error", "seek ftt error ", r"(?P<error>.*)$"),
    _detail(
        "position_error",
        " current location ",
        r"(?P<previous_file_number>\S+) != eod (?P<file_number>\S+)$",
        needs=(" != eod ",),
    ),
    _detail("located", "Write starting. Tape ", r"(?P<volume>\S+) absolute location in blocks (?P<block_address>\S+)$"),
    _detail("crc_stats", "drive stats after crc check.", _CRC_STATS),
    _detail("remaining", "remaining bytes info in DB ", _REMAINING),
    _detail("remaining_set", "set remaining: ", _SET),
    _detail("bitfile", "New bit file returned ", keys=_BITFILE, must_have="bfid"),
    _detail("done_status", "Sending done to client: (", STATUS.removeprefix(r"\(?")),
    _detail("done_sent", "Done is sent"),
    _detail("read_exited", "read_tape exiting, read ", r"(?P<bytes>[^/ ]+)/(?P<total_bytes>\S+) bytes"),
    _detail("client_served", "write_client: wrote ", r"(?P<bytes>[^/ ]+)/(?P<total_bytes>\S+) bytes"),
    _detail("hit_end", "hit EOF while reading tape"),
    _detail("hit_end", "hit EOT"),
    _detail("read_failed", "Read failed. Current Location", _CURRENT, severity="E"),
    _detail("volume_full", "heuristic: write error on vol ", _FULL),
    _detail("scsi_error", "SYSLOG Entry:", r"\[?(?P<error>.*?)\]? (?P<volume>\S+)$"),
    _detail("client_lost", "error connecting to ", r"(?P<error>.*)$", severity="E"),
    _detail("client_lost", "timeout on waiting for client connect", severity="E"),
    _detail("setup_failed", "finish_transfer_setup failed", r":? *(?P<error>.*)$"),
    _detail("no_dismount", "No dismount in the state ", r"(?P<state>\S+)"),
    _detail("not_idle", "Not idle ", r"(?P<state>\S+)", severity="E"),
    _detail("repeated", REPEATED, r"(?P<number>\d+) time", is_bare=True),
    _detail("traceback", "Traceback (most recent call last)"),
)


def finish(rows: pl.DataFrame) -> pl.DataFrame:
    """An error is for reading, as the message is."""
    return rows.with_columns(error=pl.col("error").str.slice(0, 300))


PARTS = (LogTable(TABLE, TEMPLATES, finish),)
