"""What the programs between CTA and a file put around its lines: syslog, the journal, containers, collectors.

Aug 25 09:58:12 tpsrv01 cta-taped[7]: {"epoch_time":1787644692.075508000,…       journalctl
<134>1 2026-08-25T09:58:12.075508+02:00 tpsrv01 cta-taped 7 - - LVL="INFO" …     syslog, RFC 5424
{"__REALTIME_TIMESTAMP":"1787644692075600","MESSAGE":"{\\"epoch_time\\":…         journalctl -o json
{"log":"Aug 25 09:58:12.075508000 tpsrv01 cta-taped: LVL=\\"INFO\\" …","time":…   a container's log
"""

import json

import polars as pl

_ENTRY = r'"(?:MESSAGE|message|log)"\s*:\s*"((?:[^"\\]|\\.)*)"'
_ENTRY_AT = r'"__REALTIME_TIMESTAMP"\s*:\s*"([0-9]{15,17})"'
_IN_TEXT = r'LVL=\\"|\\"program\\"\s*:'  # a line of CTA as the text of an object
_OBJECT = r'(\{\s*"[^\\].*\})$'
_ESCAPED = r"\\[u/]"  # what the patterns of the envelope do not read


def opened(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines with `body`, as CTA wrote it, and of journal entries `entry_us`: when the journal received it."""
    rows = lines.with_columns(body=_stripped(lines["text"]), entry_us=pl.lit(None, pl.Int64))
    body = pl.col("body")
    is_entry = rows["text"].str.contains('"MESSAGE"', literal=True)
    is_entry |= rows["body"].str.starts_with("{") & rows["body"].str.contains(_IN_TEXT)
    if is_entry.any():
        rows = pl.concat([rows.filter(~is_entry), _entries(rows.filter(is_entry))]).sort("line_no")
    is_behind = ~body.str.starts_with("{") & ~body.str.contains('LVL="', literal=True)
    rows = rows.with_columns(body=pl.when(is_behind).then(pl.coalesce(body.str.extract(_OBJECT), body)).otherwise(body))
    is_escaped = rows["body"].str.starts_with("{") & rows["body"].str.contains(_ESCAPED)
    if is_escaped.any():
        plain = pl.col("body").map_elements(_without_escapes, return_dtype=pl.String)
        parts = [rows.filter(~is_escaped), rows.filter(is_escaped).with_columns(body=plain)]
        rows = pl.concat(parts).sort("line_no")
    return rows


def _entries(rows: pl.DataFrame) -> pl.DataFrame:
    """Objects with a line of CTA as one of their texts."""
    inner = pl.col("text").str.extract(_ENTRY)
    rows = rows.with_columns(inner=inner, entry_us=pl.col("text").str.extract(_ENTRY_AT).cast(pl.Int64))
    rows = rows.with_columns(body=pl.col("inner").str.replace_all('\\"', '"', literal=True).fill_null(""))
    is_escaped = pl.col("body").str.contains("\\", literal=True)
    decoded = pl.col("inner").map_elements(_unescaped, return_dtype=pl.String)
    parts = [rows.filter(~is_escaped), rows.filter(is_escaped).with_columns(body=decoded)]
    return pl.concat(parts).with_columns(pl.col("body").str.strip_chars()).drop("inner")


def _unescaped(inner: str) -> str:
    """The text of a JSON string; empty for other text.

    >>> _unescaped('a \\\\"b\\\\" \\\\\\\\ c'), _unescaped(r"\\ud800")
    ('a "b" \\\\ c', '?')
    """
    try:
        return str(json.loads(f'"{inner}"')).encode(errors="replace").decode()
    except ValueError:
        return ""


def _without_escapes(body: str) -> str:
    r"""The same object with the characters themselves; what is no JSON stays as it is.

    >>> _without_escapes(r'{"host\u006eame":"tps\u0072v01","epoch_time":1.50}')
    '{"hostname":"tpsrv01","epoch_time":"1.50"}'
    """
    try:
        found = json.loads(body, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return body
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode(errors="replace").decode()


def _stripped(text: pl.Series) -> pl.Series:
    """Lines without what is blank around them, but for the blank with which CTA ends its lines of text."""
    is_usual = text.str.contains("^[!-~]") & (text.str.ends_with('" ') | text.str.ends_with("}"))
    return text if is_usual.all() else text.str.strip_chars()
