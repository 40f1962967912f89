"""Log of CTA's tape daemon (CERN Tape Archive, `cta-taped`): every file, every session and every step of its drives.

    Aug 25 10:10:24.565608000 tpsrv01 cta-taped: LVL="INFO" PID="3" TID="4" MSG="File successfully read from tape" …
    2026-08-25T10:10:24.565608+02:00 tpsrv01 cta-taped: LVL="INFO" PID="3" TID="4" MSG="File successfully read …" …
    {"epoch_time":1787645424.565608000,"hostname":"tpsrv01","program":"cta-taped","message":"File successfully …",…}

`/var/log/cta/cta-taped*.log`, one daemon per drive; up to 5.x what syslog made of it, now also the journal
(`journalctl`) or the log of a container, and JSON of all its schema versions so far: keys count, not their order, and
unknown ones are no matter. Text and JSON of one session give the same rows.

**No public log of a site in production could be found.** This rests on CTA's own message templates (4.x to 5.11.20
and the development branch) and on logs generated to them; the few public lines hold no file and no statistics.
What must be known:

* A file's `totalTime` holds the positioning before it; speeds that CTA prints are over that, and are not read.
* A session that is killed writes two final records within milliseconds: both are rows, the first has the status.
* A final record without mount and bytes is that of a probe or a cleaner, and skipped; so are records in progress.
* The times of a session come from its process every 15 s: of one that was killed they may be that old.
* Times without any point were cast to whole seconds on the way (Fermilab's collector does): `is_whole_seconds`.
* The number of a tape alert counts the alerts of one look at the drive; it is not SCSI's.
* A line of JSON whose two times (`epoch_time`, `local_time`) are days apart is damaged, and rejected.
* Text in a journal entry has the time at which the journal received it; JSON keeps its own.
* Text has neither year nor zone: the year is that of the input's `date`, of the rotated file's name, of an instant
  among its first lines, or of when it was last written, whichever is known first.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.cta_log import alike, clock, envelope
from pipelines.sources._shared.cta_log.typed import keys_of
from pipelines.sources.cta_taped import counters, drives, files, messages, sessions, steps
from pipelines.sources.cta_taped.messages import COUNTER, FILE, PROGRESS, SESSION, STEP
from pipelines.sources.protocol import OTHER_PROGRAM, REJECTS, Carry, Claim, Origin, Parsed

TITLE = "CTA tape daemon log"
VERSION = 5
TABLES = (FILE, SESSION, STEP, COUNTER)
SPEAKS_FOR = "drives"
CAN_BE_CUT = True
BLOCK_BYTES = 24 * 2**20  # each kind of message costs calls for each block: a sixth less CPU time than with 8 MiB
PROGRAM = "cta-taped"

IN_PROGRESS = "statistics of sessions in progress; only the final record of a session counts"
NO_MOUNT = "final records of probes and cleaning sessions, which have neither a mount nor bytes"

_START: Carry = {"fold": None, "drives": {}}
_EVENT = r'\bevent_name="(\w+)"|"event_name"\s*:\s*"(\w+)"'


def recognise(head: list[str]) -> Claim:
    """Lines of the daemon, as text or JSON, among others or alone."""
    return envelope.claim_of(head, PROGRAM)


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of a log; raises UnreadableFile where lines have no year and nothing gives it."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    own, fold = clock.dated(envelope.own_lines(lines, PROGRAM), origin, memory["fold"])
    own = _known(own)
    tables, rejects, n_empty = _tables(own, origin.system)
    cut = own.filter(pl.col("message").is_null()).select("line_no", "text", reason=pl.lit("bad_syntax"))
    rejected = pl.concat([*rejects, cut]).sort("line_no").cast(REJECTS)
    spoken = own.select("line_no", "drive", at="logged_at", owner=pl.concat_str("host", "pid", separator=" "))
    coverage, after = drives.spoken_for(spoken, memory["drives"])
    n_used = sum(rows["line_no"].n_unique() for rows in tables.values())
    return Parsed.of(
        lines,
        n_used,
        rejected,
        tables=tables,
        coverage=coverage,
        carry={"fold": fold, "drives": after},
        notes={
            IN_PROGRESS: own.filter(relation=PROGRESS).height,
            NO_MOUNT: n_empty,
            OTHER_PROGRAM: envelope.n_others(lines, own, PROGRAM),
        },
    )


def _known(own: pl.DataFrame) -> pl.DataFrame:
    """Lines with the `relation` they fill and the `kind` they are, by their message, else by their `event`."""
    unique = own["message"].drop_nulls().unique().to_list()
    by_message = {message: known for message in unique if (known := messages.known(message))}
    own = own.with_columns(**_looked_up("message", by_message))
    is_open = pl.col("message").is_not_null() & pl.col("relation").is_null()
    is_event = is_open & pl.col("body").str.contains("event_name", literal=True)
    named = pl.when(is_event).then(pl.col("body")).str.extract_groups(_EVENT).struct
    event = pl.coalesce(named.field("1"), named.field("2"))
    own = own.with_columns(event=pl.when(event.is_in(list(messages.EVENTS))).then(event))
    by_event = _looked_up("event", messages.EVENTS)
    return own.with_columns(pl.coalesce(name, found).alias(name) for name, found in by_event.items())


def _looked_up(column: str, known: Mapping[str, tuple[str, str]]) -> dict[str, pl.Expr]:
    return {
        name: pl.col(column).replace_strict(
            {value: pair[part] for value, pair in known.items()}, default=None, return_dtype=pl.String
        )
        for part, name in enumerate(("relation", "kind"))
    }


def _tables(own: pl.DataFrame, system: str) -> tuple[dict[str, pl.DataFrame], list[pl.DataFrame], int]:
    """Rows of each relation, the rejects, and how many final records are of no mount."""
    moved = files.rows_of(alike.read(own.filter(relation=FILE), keys_of(files.FIELDS)), system)
    stepped = steps.rows_of(alike.read(own.filter(relation=STEP), keys_of(steps.FIELDS)), system)
    counted = counters.rows_of(counters.read(own.filter(relation=COUNTER)), system)
    finals = sessions.read(own.filter(relation=SESSION))
    is_empty = sessions.is_empty() & pl.col("is_read")
    finished = sessions.rows_of(finals.filter(~is_empty), system)
    made = {FILE: moved, SESSION: finished, STEP: stepped, COUNTER: counted}
    is_bad = pl.col("reject").is_not_null()
    tables = {table: fitted(rows.filter(~is_bad), table) for table, rows in made.items()}
    rejects = [
        rows.filter(is_bad).select("line_no", "text", reason="reject").unique("line_no") for rows in made.values()
    ]
    return tables, rejects, finals.filter(is_empty).height
