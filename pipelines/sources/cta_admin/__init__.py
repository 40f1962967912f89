"""Answers of CTA's command `cta-admin --json`, as they were asked for from time to time: drives, queues and tapes.

    {"polled_at":1787646180,"answer":[{"driveName":"D1","host":"tpsrv01","driveStatus":"TRANSFERRING",…},…]}
    {"polled_at":"2026-08-25T08:23:00Z","answer":[{"mountType":"RETRIEVE","vid":"L90031","queuedFiles":"31",…},…]}
    [{"vid":"L90123","mediaType":"LTO9","masterDataInBytes":"9214000000000",…},…]

A line is one answer: of `drive ls`, `showqueues` or `tape ls`, each known by its fields, or of the table DRIVE_STATE of
the catalogue, as JSON objects with its columns or as CSV with a header. An answer has no time of its own: what collects
it puts it into an object with `polled_at`, seconds since 1970 or ISO 8601 with an offset. Otherwise such a time may be
before it, in its line or in one of its own (`date +%s; cta-admin --json drive ls`). A bare answer, and the lines
of `--jsonl`, were taken when the file was last written, which can date one answer only; a row of a CSV export, at its
LAST_UPDATE_TIME.

Drives: `driveStatusSince` and `timeSinceLastUpdate` are seconds before the answer. What a drive reported more than ten
minutes before is not known any more: its row is kept, and it speaks for nothing. DRIVE_STATE also has the second in
which each phase of a session began: a row each. The archive is the answer's `instanceName`, else that of site.toml:
`tape ls` and `showqueues` of older releases name none; tapes are then of the site's only system of CTA.

Field names are those of CTA's protocol (4.x to 5.11); no answer of a site in production is public, but for the text
form of `tape ls`, which is not read.
"""

import re
from datetime import datetime
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.heads import filled
from pipelines.sources._shared.stamps import LAST_EPOCH, instant_us, microseconds
from pipelines.sources.cta_admin import answers
from pipelines.sources.cta_admin.answers import DRIVES, QUEUES, TAPES
from pipelines.sources.protocol import COVERAGE, REJECTS, Carry, Claim, Origin, Parsed

TITLE = "CTA admin answers"
VERSION = 2
TABLES = (DRIVES, QUEUES, TAPES)
SPEAKS_FOR = "drives"
IS_WHOLE = True

_LONGEST_PAUSE_US = 600_000_000  # from poll to poll, and since a drive reported
_ROWS = pl.List(answers.ANSWER)
_POLL = pl.Struct({"polled_at": pl.String, "answer": _ROWS, "drives": _ROWS})
_NO_LINE = 2**62
_CLOCK = (
    r"^(?:#[A-Za-z_ \t]{0,40}[:=]?[ \t]*)?"
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    r"|[0-9]{10}(?:\.[0-9]{1,6})?)"
    r"[ \t:]*([\[{].*)?$"
)
_GIVE_TIME = 'write each answer as {"polled_at": …, "answer": …}, or put the time above it: date -u +%FT%TZ'
# the time above in microseconds, whether there is one, and what answers without a time are of
_START: Carry = {"header": None, "latest": {}, "at": None, "is_dated": False, "bare": []}


def recognise(head: list[str]) -> Claim:
    """Objects with the fields of one of the answers, or the header of DRIVE_STATE."""
    texts = filled(head)
    objects = [line for line in head if '"' in line]
    for table, keys in answers.KEYS.items():
        if any(all(re.search(rf'"{key}"\s*:', line, re.IGNORECASE) for key in keys) for line in objects):
            return Claim(True, 1.0, f"an answer of cta-admin: {answers.WORDS[table]}")
    if texts.to_frame("text").select(answers.is_header()).to_series().any():
        return Claim(True, 1.0, "the header of CTA's table DRIVE_STATE")
    if texts.str.contains('"polled_at"', literal=True).any():
        return Claim(False, 0.6, "answers with a time (polled_at), but not of a known cta-admin command")
    if (
        len(texts)
        and texts[0].strip() in "[{"
        and texts.str.contains(r'"(?:driveName|queuedFiles|nbMasterFiles)"').any()
    ):
        return Claim(False, 0.7, "an answer of cta-admin that spans several lines; put it on one line with `jq -c .`")
    return Claim(False, 0.0, "no line is an answer of cta-admin")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Answers; raises UnreadableFile for one without a time if the file's own time is unknown."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    rows = lines.filter(pl.col("text").str.strip_chars() != "")
    clock = pl.col("text").str.strip_chars().str.extract_groups(_CLOCK).struct
    rows = rows.with_columns(clock=clock.field("1"), answer=clock.field("2"))
    is_object = pl.col("text").str.contains(r"^\s*[\[{]") | pl.col("answer").is_not_null()
    marked = rows.filter(is_object | pl.col("clock").is_not_null())
    rows = rows.filter(is_object | pl.col("clock").is_null()).drop("clock", "answer")
    others = rows.join(marked, on="line_no", how="anti")
    parts = [answers.NOTHING]
    bad: list[tuple[int, str, str]] = []
    for line_no, text, clock_text, answer in marked.select("line_no", "text", "clock", "answer").iter_rows():
        if clock_text:
            memory.update(at=instant_us(clock_text, origin.zone), is_dated=True)
        if clock_text and answer is None:
            continue
        found = _read((answer or text).strip(), origin, memory)  # each holds many rows
        if isinstance(found, str):
            bad.append((line_no, text, found))
        else:
            parts.append(found.with_columns(line_no=pl.lit(line_no, pl.Int64)))
    header_line = 0 if memory["header"] else others.filter(answers.is_header())["line_no"].min()
    parts.append(_exported(others, memory))
    every = pl.concat(parts, how="diagonal").join(rows, on="line_no", how="left", maintain_order="left")
    made = {table: answers.rows_of(table, every, origin) for table in TABLES}
    wrong = pl.concat([found.filter(pl.col("reject").is_not_null()) for found in made.values()], how="diagonal")
    wrong = wrong.select("line_no", "text", reason="reject").cast(REJECTS)
    wrong = pl.concat([pl.DataFrame(bad, schema=REJECTS, orient="row"), wrong, _unread(others, every, header_line)])
    wrong = wrong.unique("line_no", keep="first", maintain_order=True).sort("line_no")
    tables = {
        table: complete(found.join(wrong, on="line_no", how="anti"), table).sort("line_no", maintain_order=True)
        for table, found in made.items()
    }
    n_used = pl.concat([found["line_no"] for found in tables.values()]).n_unique()
    coverage, memory["latest"] = _coverage(tables[DRIVES], memory["latest"])
    return Parsed.of(lines, n_used, wrong, tables=tables, coverage=coverage, carry=memory)


def _read(text: str, origin: Origin, memory: dict[str, Any]) -> pl.DataFrame | str:
    """The rows of one answer with `polled_us`, or why there are none. `memory` moves on."""
    is_timed = text.startswith("{") and '"polled_at"' in text
    frame = "%s" if is_timed else '{"answer":%s}' if text.startswith("[") else '{"answer":[%s]}'
    try:
        line = pl.Series("line", [frame % text]).str.json_decode(_POLL).struct.unnest()
    except pl.exceptions.PolarsError:
        return "bad_syntax"
    at = _instant(line["polled_at"][0]) if is_timed else memory["at"] if memory["is_dated"] else _written(origin)
    if at is None:
        return "bad_time"
    if line["answer"][0] is None and line["drives"][0] is None:
        return "bad_syntax"
    given = line.select(pl.coalesce("answer", "drives").alias("answer")).explode("answer").drop_nulls()
    if not (is_timed or memory["is_dated"]):
        _count_bare(given, text.startswith("["), memory)
    return given.unnest("answer").with_columns(polled_us=pl.lit(at, pl.Int64))


def _written(origin: Origin) -> int:
    """When the file was last written, in microseconds."""
    if origin.modified_at is None:
        raise UnreadableFile("an answer of cta-admin in this file has no time", _GIVE_TIME, reason="no_clock")
    return microseconds(origin.modified_at) // 1_000_000 * 1_000_000


def _count_bare(given: pl.DataFrame, is_list: bool, memory: dict[str, Any]) -> None:
    """Refuse a second answer without a time: a second list of one kind, or a second line of a drive."""
    row = given["answer"].struct.unnest().head(1).rows(named=True)[0] if given.height else {}
    kind = next((key for key in ("driveName", "queuedFiles", "nbMasterFiles") if row.get(key) is not None), "")
    name = kind if is_list else row.get("driveName")
    if name and name in memory["bare"]:
        raise UnreadableFile(
            "several answers of cta-admin have no time, and this file's modification time can date only one",
            _GIVE_TIME,
            reason="no_clock",
        )
    memory["bare"] = [*memory["bare"], *([name] if name else [])]


def _instant(text: str | None) -> int | None:
    """Microseconds since 1970 of seconds, or of ISO 8601 with an offset.

    >>> _instant("1.5"), _instant("1970-01-01T01:00:00+01:00"), _instant("1970-01-01T00:00:00"), _instant("nan")
    (1500000, 0, None, None)
    """
    try:
        seconds = float(text or "")
    except ValueError:
        try:
            at = datetime.fromisoformat(text or "")
        except ValueError:
            return None
        seconds = at.timestamp() if at.tzinfo else float("nan")
    return round(seconds * 1e6) if 0 <= seconds < LAST_EPOCH else None


def _exported(lines: pl.DataFrame, memory: dict[str, Any]) -> pl.DataFrame:
    """Rows of a CSV export, each by the header before it."""
    is_header = lines.select(answers.is_header()).to_series()
    parts = [answers.NOTHING]
    headers = [(0, memory["header"]), *lines.filter(is_header).select("line_no", "text").rows()]
    for (first, header), (last, _) in zip(headers, [*headers[1:], (None, None)], strict=True):
        memory["header"] = header
        part = lines.filter(~is_header & (pl.col("line_no") > first) & (pl.col("line_no") < (last or _NO_LINE)))
        if header is not None and part.height:
            parts.append(_by_header(part, header))
    return pl.concat(parts, how="diagonal")


def _by_header(lines: pl.DataFrame, header: str) -> pl.DataFrame:
    names = cells(pl.Series([header]), ",").to_list()[0] or []
    fields = lines.select("line_no", cell=cells(lines["text"], ",")).filter(pl.col("cell").list.len() == len(names))
    values = {name.strip().lower(): pl.col("cell").list.get(place) for place, name in enumerate(names)}
    known = [name for name in answers.TABLE_COLUMNS if name in values]
    return fields.select("line_no", *(_filled(values[name]).alias(name) for name in known))


def _filled(value: pl.Expr) -> pl.Expr:
    value = value.str.strip_chars()
    return pl.when(~value.is_in(["", "NULL", "null", r"\N"])).then(value)


def _unread(others: pl.DataFrame, every: pl.DataFrame, header_line: Any) -> pl.DataFrame:
    """Lines that are no object, no header and no row of a header's width; the first header is in that line, or None."""
    left = others.filter(~answers.is_header()).join(every.select("line_no"), on="line_no", how="anti")
    has_header = pl.col("line_no") > (_NO_LINE if header_line is None else header_line)
    reason = pl.when(has_header).then(pl.lit("wrong_width")).otherwise(pl.lit("no_header"))
    return left.select("line_no", "text", reason=reason).cast(REJECTS)


def _coverage(rows: pl.DataFrame, latest: dict[str, int]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Per drive, from each poll to the next one, if that comes soon and the drive had reported of late."""
    polls = rows.filter("is_current").select(
        "line_no", host="drive", at=pl.col("polled_at").to_physical(), reported=pl.col("reported_at").to_physical()
    )
    polls = polls.filter(pl.col("at") - pl.col("reported").fill_null(pl.col("at")) <= _LONGEST_PAUSE_US)
    before = pl.DataFrame(
        {"host": list(latest), "at": list(latest.values()), "line_no": [0] * len(latest)},
        schema={"host": pl.String, "at": pl.Int64, "line_no": pl.Int64},
    )
    both = pl.concat([before, polls.drop("reported")], how="diagonal").sort("host", "at", "line_no")
    from_at = pl.col("at").shift(1).over("host")
    from_at = pl.when(pl.col("at") - from_at <= _LONGEST_PAUSE_US).then(from_at).otherwise(pl.col("at"))
    found = both.with_columns(from_at=from_at.cast(pl.Datetime("us")), to_at=pl.col("at").cast(pl.Datetime("us")))
    ends = {**latest, **dict(both.group_by("host").agg(pl.col("at").max()).rows())}
    return found.filter(pl.col("line_no") > 0).sort("line_no", "host").select(COVERAGE.names()).cast(COVERAGE), ends
