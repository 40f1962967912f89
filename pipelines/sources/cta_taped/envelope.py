"""What a line of CTA's log is written in: text or JSON, with or without a prefix of syslog, or inside a journal entry.

Aug 25 09:58:12.075508000 tpsrv01 cta-taped: LVL="INFO" PID="7" TID="9" MSG="Got volume from client" tapeDrive="D1"
2026-08-25T09:58:12.075508+02:00 tpsrv01 cta-taped: LVL="INFO" PID="7" …
{"epoch_time":1787644692.075508000,"hostname":"tpsrv01","program":"cta-taped","pid":7,"message":"Got volume …",…}
{"__REALTIME_TIMESTAMP":"1787644692075600","MESSAGE":"{\\"epoch_time\\":1787644692.075508000,…
"""

import json

import polars as pl

from pipelines.sources.cta_taped.clock import epoch_us

# a line of the daemon, also inside the string of a journal entry
OWN_LINE = r'cta-taped[^\s:]*: LVL=\\?"|\\?"program\\?"\s*:\s*\\?"cta-taped'
# of another program of CTA
OTHER_LINE = r'\bcta-[a-z-]+(?:\[\d+\])?: LVL=\\?"|\\?"program\\?"\s*:\s*\\?"cta-'
_TEXT = r'cta-taped[^\s:]*: LVL="'
_HEAD = (
    r"^(?:\[(?P<epoch>\d{9,11}\.\d{1,9})\] )?(?P<stamp>\d{4}-\S+|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)"
    r' (?P<text_host>\S+) cta-taped[^\s:]*: LVL="'
)
_ENTRY = r'"MESSAGE"\s*:\s*"((?:[^"\\]|\\.)*)"'
_ENTRY_AT = r'"__REALTIME_TIMESTAMP"\s*:\s*"(\d{15,17})"'
_JSON = {
    "program": r'"program"\s*:\s*"([^"\\]*)"',
    "json_host": r'"hostname"\s*:\s*"([^"\\]*)"',
    "json_epoch": r'"epoch_time"\s*:\s*"?(\d{9,11}(?:\.\d{1,9})?)\b',
}
_JSON_STAMP = r'"local_time"\s*:\s*"([^"\\]*)"'
_MESSAGE = (r'\bMSG="([^"]*)"', r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"')
_DRIVE = (r'\b(?:tapeDrive|drive_name)="([^"]+)"', r'"(?:tapeDrive|drive_name)"\s*:\s*"([^"\\]+)"')
_PID = (r'\bPID="(\d{1,10})"', r'"pid"\s*:\s*"?(\d{1,10})\b')


def own_lines(lines: pl.DataFrame) -> pl.DataFrame:
    """The lines of the daemon: `line_no`, `text`, `body` (as the daemon wrote it), `is_json`, `message`, `drive`,
    `owner` (host and process), `host`, and of the clock `epoch` in microseconds and `stamp`.

    Each is null where the line has none. Lines of other programs, and what is no log line, are left out.
    """
    rows = _opened(lines)
    body = pl.col("body")
    is_text = body.str.contains(_TEXT)
    rows = rows.with_columns(is_text=is_text, is_json=~is_text & body.str.starts_with("{"))
    parts = [_of_text(rows.filter("is_text")), _of_json(rows.filter("is_json"))]
    return pl.concat(parts, how="diagonal").sort("line_no")


def _opened(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines with `body` and, of journal entries, `entry_us`: when the journal received it."""
    rows = lines.with_columns(body=pl.col("text").str.strip_chars(), entry_us=pl.lit(None, pl.Int64))
    is_entry = rows["text"].str.contains('"MESSAGE"', literal=True)
    if not is_entry.any():
        return rows
    inner = pl.col("text").str.extract(_ENTRY)
    entries = rows.filter(is_entry).with_columns(
        inner=inner, entry_us=pl.col("text").str.extract(_ENTRY_AT).cast(pl.Int64)
    )
    entries = entries.with_columns(body=pl.col("inner").str.replace_all('\\"', '"', literal=True).fill_null(""))
    is_escaped = pl.col("body").str.contains("\\", literal=True)
    decoded = pl.col("inner").map_elements(_unescaped, return_dtype=pl.String)
    entries = pl.concat(
        [entries.filter(~is_escaped), entries.filter(is_escaped).with_columns(body=decoded)]
    ).with_columns(pl.col("body").str.strip_chars())
    return pl.concat([rows.filter(~is_entry), entries.drop("inner")]).sort("line_no")


def _unescaped(inner: str) -> str:
    """The text of a JSON string; empty where it is none.

    >>> _unescaped('a \\\\"b\\\\" \\\\\\\\ c')
    'a "b" \\\\ c'
    """
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return ""


def _of_text(rows: pl.DataFrame) -> pl.DataFrame:
    rows = rows.with_columns(pl.col("body").str.extract_groups(_HEAD).struct.unnest())
    return rows.select(
        *_SAME,
        *_looked_up(0),
        is_json=pl.lit(False),
        host=pl.col("text_host"),
        epoch=pl.coalesce("entry_us", epoch_us(pl.col("epoch"))),
        stamp=pl.col("stamp"),
    )


def _of_json(rows: pl.DataFrame) -> pl.DataFrame:
    rows = rows.with_columns(pl.col("body").str.extract(pattern).alias(name) for name, pattern in _JSON.items())
    is_lacking = pl.col("json_epoch").is_null()
    # a collector may leave the program out, never the message
    is_own = pl.col("program").is_null() | pl.col("program").str.starts_with("cta-taped")
    return rows.filter(is_own).select(
        *_SAME,
        *_looked_up(1),
        is_json=pl.lit(True),
        host=pl.col("json_host"),
        epoch=epoch_us(pl.col("json_epoch")),
        stamp=pl.when(is_lacking).then(pl.col("body")).str.extract(_JSON_STAMP),
    )


_SAME = ("line_no", "text", "body")


def _looked_up(form: int) -> list[pl.Expr]:
    """What is looked up in every line, of text (0) or JSON (1)."""
    body = pl.col("body")
    return [
        body.str.extract(_MESSAGE[form]).alias("message"),
        body.str.extract(_DRIVE[form]).alias("drive"),
        body.str.extract(_PID[form]).alias("pid"),
    ]
