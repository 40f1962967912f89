"""What a line of CTA's log is written in: text or JSON, with or without a prefix of syslog, or inside a journal entry.

Aug 25 09:58:12.075508000 tpsrv01 cta-taped: LVL="INFO" PID="7" TID="9" MSG="Got volume from client" tapeDrive="D1"
2026-08-25T09:58:12.075508+02:00 tpsrv01 cta-taped: LVL="INFO" PID="7" …
{"epoch_time":1787644692.075508000,"hostname":"tpsrv01","program":"cta-taped","pid":7,"message":"Got volume …",…}
{"__REALTIME_TIMESTAMP":"1787644692075600","MESSAGE":"{\\"epoch_time\\":1787644692.075508000,…
"""

import polars as pl

from pipelines.sources._shared.cta_log.clock import epoch_us
from pipelines.sources._shared.cta_log.wrappers import opened
from pipelines.sources._shared.heads import filled
from pipelines.sources.protocol import Claim

# Programs whose lines are read, in the order in which they claim a file with as many lines of each.
PROGRAMS = {"cta-taped": "CTA's tape daemon", "cta-frontend": "CTA's frontend"}
# of any program of CTA
_OTHER_LINE = r'\bcta-[a-z-]+(?:\[\d+\])?: LVL=\\?"|\\?"program\\?"\s*:\s*\\?"cta-'
_LEAST_SHARE = 0.05  # of the first lines: the file may be that of a whole host
# Digits of ASCII alone: those of all scripts would take twice the time.
_HEAD = (
    r"(?:\[(?P<epoch>[0-9]{9,11}\.[0-9]{1,9})\] )?"
    r"(?P<stamp>[0-9]{4}-\S+|[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)"
    r" (?P<text_host>\S+) "
)
# `cta-taped: LVL=`, `cta-taped[7]: LVL=`; in RFC 5424 `cta-taped 7 - - LVL=`
_BEFORE_LEVEL = r"(?:[^\s:]*: | \S+ \S+ (?:-|\[[^\]]*\]) +)"
_PROGRAM = r'"program"\s*:\s*"([^"\\]*)"'
_JSON = {
    "json_host": r'"hostname"\s*:\s*"([^"\\]*)"',
    "json_epoch": r'"epoch_time"\s*:\s*"?([0-9]{9,11}(?:\.[0-9]{1,9})?)\b',
}
_JSON_STAMP = r'"local_time"\s*:\s*"([^"\\]*)"'
_JSON_DAY = r'"local_time"\s*:\s*"([0-9]{4}-[0-9]{2}-[0-9]{2})T'
_MESSAGE = (r'\bMSG="([^"]*)"', r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"')
_DRIVE = (r'\b(?:tapeDrive|drive_name)="([^"]+)"', r'"(?:tapeDrive|drive_name)"\s*:\s*"([^"\\]+)"')
_PID = (r'\bPID="([0-9]{1,10})"', r'"pid"\s*:\s*"?([0-9]{1,10})\b')


def claim_of(head: list[str], program: str) -> Claim:
    """Whether a file's first lines are a program's, as text or JSON, among others or alone.

    Where lines of several programs are in one file, the program with most of them claims it.
    """
    texts, words = filled(head), PROGRAMS[program]
    if not len(texts):
        return Claim(False, 0.0, "the file is empty")
    counts = {name: int(texts.str.contains(_line_of(name)).sum()) for name in PROGRAMS}
    n_own = counts[program]
    if max(counts, key=lambda name: counts[name]) != program and max(counts.values()):
        return Claim(False, 0.5, f"more lines are from another program of CTA than from {words}")
    if n_own >= _LEAST_SHARE * len(texts) and n_own:
        return Claim(True, max(0.6, n_own / len(texts)), f"{n_own} log lines of {words}")
    if n_own:
        return Claim(False, 0.5, f"only a few lines are from {words}")
    if texts.str.contains(_OTHER_LINE).any():
        return Claim(False, 0.5, f"the lines are from another program of CTA, not from {words}")
    return Claim(False, 0.0, f"no line is a log line of {words}, as text or JSON")


def _line_of(program: str) -> str:
    """A line of a program, also inside the string of a journal entry."""
    return rf'{program}{_BEFORE_LEVEL}LVL=\\?"|\\?"program\\?"\s*:\s*\\?"{program}'


def n_others(lines: pl.DataFrame, own: pl.DataFrame, program: str) -> int:
    """How many of the lines that are not a program's are another's that is read, from files of its own."""
    left = lines.join(own, on="line_no", how="anti")["text"] if own.height < lines.height else lines["text"].clear()
    return sum(int(left.str.contains(_line_of(name)).sum()) for name in PROGRAMS if name != program)


def own_lines(lines: pl.DataFrame, program: str) -> pl.DataFrame:
    """The lines of a program: `line_no`, `text`, `body` (as the program wrote it), `is_json`, `message`, `drive`,
    `pid`, `host`, and of the clock `epoch` in microseconds and `stamp`.

    Each is null where the line has none. Lines of other programs, and what is no log line, are left out. A line of the
    program that cannot be read has no message.
    """
    rows = opened(lines)
    body, head = rows["body"], rf'{program}{_BEFORE_LEVEL}LVL="'
    is_text = body.str.contains('LVL="', literal=True)
    if is_text.any():
        is_text &= body.str.contains(head)
    is_json = ~is_text & body.str.starts_with("{")
    parts = [_of_text(rows.filter(is_text), head), _of_json(rows.filter(is_json), program)]
    is_other = ~is_text & ~is_json
    if is_other.any():
        lost = rows.filter(is_other & rows["text"].str.contains(_line_of(program)))
        parts.append(lost.select(*_SAME).join(parts[0].clear(), on=_SAME, how="left").select(parts[0].columns))
    filled_parts = [part for part in parts if part.height] or parts[:1]
    return pl.concat(filled_parts).sort("line_no") if len(filled_parts) > 1 else filled_parts[0]


def _of_text(rows: pl.DataFrame, head: str) -> pl.DataFrame:
    parts = [rows.with_columns(pl.col("body").str.extract_groups(f"^{_HEAD}{head}").struct.unnest())]
    is_wrapped = parts[0]["stamp"].is_null()
    if is_wrapped.any():
        wrapped = rows.filter(is_wrapped).with_columns(
            pl.col("body").str.extract_groups(f"^.*?[ >]{_HEAD}{head}").struct.unnest()
        )
        parts = [parts[0].filter(~is_wrapped), wrapped]
    rows = pl.concat(parts).sort("line_no") if len(parts) > 1 else parts[0]
    return rows.select(
        *_SAME,
        *_looked_up(0),
        is_json=pl.lit(False),
        host=pl.col("text_host"),
        epoch=pl.coalesce("entry_us", epoch_us(pl.col("epoch"))),
        stamp=pl.col("stamp"),
    )


def _of_json(rows: pl.DataFrame, program: str) -> pl.DataFrame:
    rows = rows.filter(_is_of(rows["body"], program))
    rows = rows.with_columns(pl.col("body").str.extract(pattern).alias(name) for name, pattern in _JSON.items())
    rows = rows.with_columns(epoch=epoch_us(pl.col("json_epoch")), day=pl.col("body").str.extract(_JSON_DAY))
    # the two times of a line are of one instant, in two zones at most: one of these two is damaged
    apart = pl.col("epoch").cast(pl.Datetime("us")).dt.date() - pl.col("day").str.to_date("%Y-%m-%d", strict=False)
    is_damaged = (apart.abs() > pl.duration(days=1)).fill_null(False)
    is_lacking = pl.col("json_epoch").is_null()
    return rows.select(
        *_SAME,
        *_looked_up(1),
        is_json=pl.lit(True),
        host=pl.col("json_host"),
        epoch=pl.when(~is_damaged).then("epoch"),
        stamp=pl.when(is_lacking).then(pl.col("body")).str.extract(_JSON_STAMP),
    )


def _is_of(body: pl.Series, program: str) -> pl.Series:
    """Which JSON is a program's; a collector may leave the program out, never the message."""
    is_own = body.str.contains(f'"program":"{program}"', literal=True)
    if is_own.all():
        return is_own
    named = body.str.extract(_PROGRAM)
    return named.is_null() | named.str.starts_with(program)


_SAME = ("line_no", "text", "body")


def _looked_up(form: int) -> list[pl.Expr]:
    """What is looked up in every line, of text (0) or JSON (1)."""
    body = pl.col("body")
    return [
        body.str.extract(_MESSAGE[form]).alias("message"),
        body.str.extract(_DRIVE[form]).alias("drive"),
        body.str.extract(_PID[form]).alias("pid"),
    ]
