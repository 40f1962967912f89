"""Enstore server log: LOG-YYYY-MM-DD and its superset DEBUGLOG-YYYY-MM-DD, written by the log server of Enstore.

    08:01:11 mvr01.example.org 006201 root I LTO4_01MV  write_tape starting, bytes_to_write=2119773696 Thread ...
    08:01:34 mvr01.example.org 006201 root I LTO4_01MV  written bytes 2119773696/2119773696, blocks 16173 header 103 ...
    08:01:40 srv01.example.org 012001 enstore I G1LM  write_to_hsm next work on vol=VOL001 mover=LTO4_01.mover ...

Local clock, host, process id, user, severity, server name, two blanks, message. The date stands in the file's name
only, so it comes with the origin; a client that lost its server writes its own dump with the date before the clock.
Lines that do not begin like this continue the record before (tracebacks, listings). Movers, library managers, media
changers and the client encp each fill a table; all other lines are skipped. Described in the source code of Enstore
(log_server.py, log_client.py, mover.py, ftt_driver.py, encp.py). Layouts of before 2000 are recognised; their
messages were different ones and are skipped.
"""

from collections.abc import Callable, Mapping

import polars as pl

from pipelines.records import REJECTS, Carry, Claim, Origin, Parsed
from pipelines.sources.enstore_log import instants, mover, servers
from pipelines.sources.enstore_log import lines as log_lines
from pipelines.sources.enstore_log.templates import cast, classify, extract

TITLE = "Enstore server log"
VERSION = 1
TABLES = (mover.TABLE, servers.MANAGER, servers.CHANGER, servers.ENCP)

_TEMPLATES = (*mover.TEMPLATES, *servers.TEMPLATES)
_LITERALS = sorted({template.literal for template in _TEMPLATES})
_COMMON: dict[str, pl.DataType] = {
    "line_no": pl.Int64(),
    "system": pl.String(),
    "logged_at": pl.Datetime("us"),
    "host": pl.String(),
    "pid": pl.Int64(),
    "name": pl.String(),
    "severity": pl.String(),
    "message_hash": pl.UInt64(),
    "nth": pl.Int32(),
}
_TYPES = {
    mover.TABLE: mover.TYPES,
    servers.MANAGER: servers.MANAGER_TYPES,
    servers.CHANGER: servers.CHANGER_TYPES,
    servers.ENCP: servers.ENCP_TYPES,
}
_FINISH: Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    mover.TABLE: mover.finish,
    servers.MANAGER: servers.finish_manager,
    servers.CHANGER: servers.finish_changer,
    servers.ENCP: servers.finish_encp,
}
_COLUMNS = {
    mover.TABLE: mover.COLUMNS,
    servers.MANAGER: servers.MANAGER_COLUMNS,
    servers.CHANGER: servers.CHANGER_COLUMNS,
    servers.ENCP: servers.ENCP_COLUMNS,
}


def recognise(head: list[str]) -> Claim:
    """Enstore's if a fifth of the lines have its prefix; the others may be continuations."""
    texts = pl.Series([line for line in head if line.strip()], dtype=pl.String)
    if not len(texts):
        return Claim(False, 0.0, "no lines")
    share = float(texts.str.contains(log_lines.RECORD).mean())  # type: ignore[arg-type]
    if share >= 0.2:
        return Claim(True, share, f"{share:.0%} of the lines begin with clock, host, process, user, severity, server")
    if share:
        return Claim(False, share, f"only {share:.0%} of the lines begin like Enstore's log lines")
    if texts.str.contains(log_lines.WRAPPED).any():
        return Claim(False, 0.3, "a log line of Enstore wrapped by a document: its message stands on other lines")
    return Claim(False, 0.0, "no line has clock, host, six-digit process, user, severity and server name")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of log lines into the four tables."""
    memory = carry or {"clock": {}, "repeats": {}}
    timed = log_lines.timed(lines)
    ticks, clock = instants.place(log_lines.ticks_of(timed), origin, memory["clock"])
    rows = log_lines.with_fields(timed, _LITERALS)
    rows = rows.with_columns(template=classify(rows, _TEMPLATES), logged_at=ticks["at"].gather(rows["tick"]))
    rows = rows.filter(pl.col("template").is_not_null())
    reason = pl.when(pl.col("logged_at").is_null()).then(pl.lit("bad_time"))
    rows = rows.with_columns(reason=reason.when(pl.col("pid").is_null()).then(pl.lit("bad_number")))
    is_sound = pl.col("reason").is_null()
    sound, repeats = log_lines.number_repeats(rows.filter(is_sound).drop("reason"), memory["repeats"])
    filled = _fill(sound.with_columns(system=pl.lit(origin.system)))
    rejects = [frame.filter(~is_sound).select(REJECTS.names()) for frame in (rows, *filled.values())]
    tables = {table: _finished(table, frame.filter(is_sound)) for table, frame in filled.items()}
    n_used = sum(frame.height for frame in tables.values())
    rejected = pl.concat(rejects).sort("line_no")
    return Parsed(
        tables=tables,
        n_used=n_used,
        n_skipped=lines.height - n_used - rejected.height,
        rejects=rejected,
        seen=instants.seen_of(ticks, origin.system, memory["clock"].get("at")),
        carry={"clock": clock, "repeats": repeats},
    )


def _fill(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows by table, each with the columns of its template and, where it cannot be read, a `reason`."""
    frames = {table: [_empty(table)] for table in TABLES}
    for part in rows.partition_by("template", maintain_order=True):
        template = _TEMPLATES[part["template"][0]]
        frames[template.table].append(extract(part, template))
    return {table: cast(pl.concat(parts, how="diagonal"), _TYPES[table]) for table, parts in frames.items()}


def _empty(table: str) -> pl.DataFrame:
    texts = dict.fromkeys(("text", "message", "kind", "reason", *_TYPES[table]), pl.String())
    return pl.DataFrame(schema={**_COMMON, **texts})


def _finished(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    return _FINISH[table](rows).select(*_COMMON, *_COLUMNS[table]).sort("line_no")
