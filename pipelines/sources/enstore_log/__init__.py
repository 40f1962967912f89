"""Enstore server log: LOG-YYYY-MM-DD and its superset DEBUGLOG-YYYY-MM-DD, written by the log server of Enstore.

    08:01:11 mvr01.example.org 006201 root I LTO4_01MV  write_tape starting, bytes_to_write=2119773696 Thread ...
    08:01:34 mvr01.example.org 006201 root I LTO4_01MV  written bytes 2119773696/2119773696, blocks 16173 header 103 ...
    08:01:40 srv01.example.org 012001 enstore I G1LM  write_to_hsm next work on vol=VOL001 mover=LTO4_01.mover ...

Local clock, host, process id, user, severity, server name, two blanks, message. Only the file's name has the date, so
it comes with the origin; a client that lost its server writes its own dump with the date before the clock. Lines with
another beginning continue the record before (tracebacks, listings). Movers, library managers, media changers, the
client encp, packers of small files and alarms each fill a table; all other lines are skipped. Described in the source
code of Enstore (log_server.py, log_client.py, mover.py, ftt_driver.py, encp.py). Layouts of before 2000 are recognised;
their messages were different ones and are skipped.
"""

import polars as pl

from pipelines.sources._shared.contract import fitted, schema_of
from pipelines.sources._shared.coverage import coverage_of
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources.enstore_log import alarms, clients, details, instants, mover, servers
from pipelines.sources.enstore_log import lines as log_lines
from pipelines.sources.enstore_log.templates import LogTable, cast, classify, extract, label
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "Enstore server log"
VERSION = 3

_LOG_TABLES = {each.table: each for module in (mover, details, servers, clients) for each in module.PARTS}
TABLES = (*_LOG_TABLES, alarms.TABLE)
SPEAKS_FOR = "drives"
CAN_BE_CUT = True
BLOCK_BYTES = 24 * 2**20  # each kind of message costs calls for each block: a sixth less CPU time than with 8 MiB

_TEMPLATES = tuple(template for log_table in _LOG_TABLES.values() for template in log_table.templates)
_LITERALS = sorted({template.literal for template in _TEMPLATES} | {"  " + alarms.START})
_TICKET = r"^ *\{?'times': ?\{"
_COMMON = ("line_no", "system", "logged_at", "host", "pid", "name", "severity", "message_hash", "nth")
_MESSAGE_CHARS = 300  # a message is for reading, not a place for a whole dictionary


def recognise(head: list[str]) -> Claim:
    """Enstore's if a fifth of the lines have its prefix; the others may be continuations."""
    texts = filled(head)
    share = share_of(texts, log_lines.RECORD)
    if share >= 0.2:
        return Claim(True, share, f"{share:.0%} of the lines begin with time, host, process, user, severity and server")
    if share:
        return Claim(False, share, f"only {share:.0%} of the lines begin like Enstore's log lines")
    if texts.str.contains(log_lines.WRAPPED).any():
        return Claim(False, 0.3, "Enstore log lines, copied from a document that has a line break before each message")
    if texts.str.contains(_TICKET).any():
        return Claim(False, 0.3, "parts of Enstore's tickets without their log lines, so they have no time")
    return Claim(False, 0.0, "no line has a time, host, six-digit process, user, severity and server name")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of log lines into the tables."""
    memory = carry or {"clock": {}, "repeats": {}}
    timed = log_lines.timed(lines)
    ticks, clock = instants.place(log_lines.ticks_of(timed), origin, memory["clock"])
    rows = log_lines.with_fields(timed, _LITERALS)
    rows = rows.with_columns(template=classify(rows, _TEMPLATES), logged_at=ticks["at"].gather(rows["tick"]))
    rows = rows.filter(pl.col("template").is_not_null() | pl.col("message").str.starts_with(alarms.START))
    reason = pl.when(pl.col("logged_at").is_null()).then(pl.lit("bad_time"))
    is_endless = pl.col("pid").is_null() & pl.col("severity").is_not_null()
    rows = rows.with_columns(reason=reason.when(is_endless).then(pl.lit("bad_number")))
    is_sound = pl.col("reason").is_null()
    sound, repeats = log_lines.number_repeats(rows.filter(is_sound).drop("reason"), memory["repeats"])
    sound = sound.with_columns(system=pl.lit(origin.system))
    filled = _fill(sound.filter(pl.col("template").is_not_null()))
    rejects = rejected(rows, *filled.values())
    tables = _FINISHED_EMPTY | {
        table: _finished(_LOG_TABLES[table], frame.filter(is_sound)) for table, frame in filled.items()
    }
    accepted = sound.filter(~pl.col("line_no").is_in(rejects["line_no"].implode()))
    tables[alarms.TABLE] = alarms.read(accepted)
    return Parsed.of(
        lines,
        accepted.height,
        rejects,
        tables=tables,
        coverage=coverage_of(ticks, origin.system, memory["clock"].get("at")),
        carry={"clock": clock, "repeats": repeats},
    )


def _fill(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows by table, each with the columns of its templates and, where it cannot be read, a `reason`."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for rows_alike in rows.partition_by("template", maintain_order=True):
        template = _TEMPLATES[rows_alike["template"][0]]
        frames.setdefault(template.table, []).append(extract(rows_alike, template))
    filled = {}
    for table, parts in frames.items():
        labelled = label(pl.concat(parts, how="diagonal"), _TEMPLATES)
        filled[table] = cast(pl.concat([_EMPTY[table], labelled], how="diagonal"), _LOG_TABLES[table].types)
    return filled


def _empty(log_table: LogTable) -> pl.DataFrame:
    texts = dict.fromkeys(("text", "message", "kind", "reason", *log_table.types), pl.String())
    return pl.DataFrame(schema={**{name: schema_of(log_table.table)[name] for name in _COMMON}, **texts})


def _finished(log_table: LogTable, rows: pl.DataFrame) -> pl.DataFrame:
    rows = rows.with_columns(pl.col("message").str.head(_MESSAGE_CHARS))
    return fitted(log_table.finish(rows), log_table.table).sort("line_no")


_EMPTY = {table: _empty(log_table) for table, log_table in _LOG_TABLES.items()}
_FINISHED_EMPTY = {
    table: _finished(log_table, cast(_EMPTY[table], log_table.types)) for table, log_table in _LOG_TABLES.items()
}
