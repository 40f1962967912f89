"""Activity log of TSM's server (Storage Protect): `query actlog`, or `select * from actlog` with commas or tabs.

    2024-03-05 10:20:40     ANR8337I LTO volume A00017L8 mounted in drive DRIVE01 (/dev/tape1). (SESSION: 5103)
    03/05/24 10:20:41 ANR0510I Session 5103 opened input volume A00017L8. (SESSION: 5103)
    2024-03-05 10:33:02.000000,8468,I,ANR8468I LTO volume A00017L8 dismounted from drive DRIVE01 (/dev/tape1) in …

Local clock without zone, in the order of dates that the client's options DATEFORMAT and TIMEFORMAT or its locale have:
05.03.2024 begins with the day; with slashes the month comes first unless site.toml has `date_order = "dmy"`. Of the
thousands of messages, the source uses those about mounts, about volumes opened and closed, and about what sessions and
processes moved. All others are skipped, and so are lines that continue the message of the line before: lists for a
screen break long messages, `-dataonly=yes` with `-comma` or `-tabdelimited` does not. A used message that was broken
before its end is rejected.

**The wordings** of mounted, dismounted, cleaning and bytes transferred are those of logs that servers wrote. Those of
volumes opened and closed, and of processes, are from the message catalogue, because no such log was available. Older
servers do not name the session for which they mount.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import reached
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated, read_stamp
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "TSM activity log"
VERSION = 2
TABLE = "tsm_actlog"
TABLES = (TABLE,)
SPEAKS_FOR = "mounts"
CAN_BE_CUT = True

_LINE = (
    r'^"?(?P<date>[0-9]{4}[-./][0-9]{2}[-./][0-9]{2}|[0-9]{2}[-./][0-9]{2}[-./](?:[0-9]{4}|[0-9]{2})) '
    r'(?P<time>[0-9]{2}[:.,][0-9]{2}[:.,][0-9]{2})(?:\.[0-9]{1,9})?"?'
    r'(?: {1,20}|[,\t](?:[^,\t]{0,20}[,\t]){0,3}"?)(?P<id>AN[A-Z][0-9]{4}[IWESDK]) (?P<message>.*)$'
)
_MOST_CHARS = 2_000
_TAG = r"\((SESSION|PROCESS): (\d{1,18})\)"
_VOLUME = r"^\S{1,32} volume (?P<volume>\S{1,128})"
_DRIVE = r"drive (?P<drive>\S{1,128}) \((?P<device>[^()]{0,200})\)"
_TASK = r"^(?P<task>Session|Process) (?P<number>\d{1,18})"
_COUNT = r"[0-9][0-9.,'\x{a0}\x{202f}]{0,40}(?: [0-9]{3}[0-9.,]{0,4}){0,6}"
_OPENED = rf"{_TASK} opened (?P<direction>input|output) volume (?P<volume>\S{{1,300}}?)\.(?:[\s,\x22]|$)"
_CLOSED = rf"{_TASK} closed volume (?P<volume>\S{{1,300}}?)\.(?:[\s,\x22]|$)"
# (messages, kind, wording)
_FORMS = (
    (("ANR8337I",), "mounted", rf"{_VOLUME} mounted in {_DRIVE}"),
    (
        ("ANR8468I",),
        "dismounted",
        rf"{_VOLUME} dismounted from {_DRIVE}(?: in library (?P<library>\S{{1,128}}?)\.(?:[\s,\x22]|$))?",
    ),
    (("ANR8381E",), "mount_failed", rf"{_VOLUME} could not be mounted in {_DRIVE}"),
    (("ANR8906I",), "cleaning", rf"^Cleaning {_DRIVE}"),
    (("ANR0510I", "ANR0511I", "ANR0512I", "ANR0513I"), "opened", _OPENED),
    (("ANR0514I", "ANR0515I"), "closed", _CLOSED),
    (("ANR0406I",), "started", rf"{_TASK} started for node (?P<entity>\S{{1,128}})"),
    (("ANR0403I",), "ended", rf"{_TASK} ended for node (?P<entity>\S{{1,128}})"),
    (
        ("ANR0986I",),
        "processed",
        rf"{_TASK} for (?P<entity>\S.{{0,100}}?) running in the \S{{1,40}} processed (?P<items>{_COUNT}) items"
        rf" for a total of (?P<amount>{_COUNT}) bytes",
    ),
    (
        ("ANE4961I",),
        "transferred",
        r"^\((?P<task>Session): (?P<number>\d{1,18}), Node: (?P<entity>[^()]{1,128})\) +"
        rf"Total number of bytes transferred: +(?P<amount>{_COUNT}) (?P<unit>[KMGT]?B)\b",
    ),
)
_GROUPS = ("volume", "drive", "device", "library", "task", "number", "direction", "entity", "items", "amount", "unit")
_UNITS = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_START: Carry = {"fold": None, "hosts": {}}


def recognise(head: list[str]) -> Claim:
    """A stamp and the number of a message of TSM's server or its clients."""
    share = share_of(filled(head), _LINE)
    if share >= 0.3:
        return Claim(True, share, f"{share:.0%} of the lines are messages of TSM's activity log")
    return Claim(False, share, "fewer than 3 of 10 lines have a time stamp and a message of TSM, such as ANR8337I")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Messages about mounts, volumes and what was moved."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    parts = pl.col("text").str.head(_MOST_CHARS).str.extract_groups(_LINE)
    used_ids = [number for numbers, _, _ in _FORMS for number in numbers]
    rows = lines.with_columns(parts.struct.unnest()).filter(pl.col("id").is_in(used_ids))
    rows = rows.with_columns(local=_local(origin))
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    found = _read(stamped)
    is_read = pl.col("line_no").is_in(found["line_no"].implode())
    cut = stamped.filter(~is_read).with_columns(reason=pl.lit("bad_syntax"))
    bad_time = rows.filter(pl.col("local").is_null()).with_columns(reason=pl.lit("bad_time"))
    system = origin.system or origin.host
    records = complete(found.with_columns(system=pl.lit(system)), TABLE)
    at = {"from_at": pl.col("logged_at"), "to_at": pl.col("logged_at")}
    of_system = stamped.select("line_no", pl.lit(system).alias("host"), from_at="at", to_at="at")
    of_drives = records.filter(pl.col("kind").is_in(["mounted", "dismounted"]))
    coverage, hosts = reached(
        pl.concat([of_system, of_drives.select("line_no", pl.col("drive").alias("host"), **at)]), memory["hosts"]
    )
    return Parsed.of(
        lines,
        records.height,
        rejected(cut, bad_time),
        tables={TABLE: records},
        coverage=coverage,
        carry={"fold": fold, "hosts": hosts},
    )


def _local(origin: Origin) -> pl.Expr:
    date, time = pl.col("date"), pl.col("time").str.replace_all("[.,]", ":")
    # only with slashes may the month come first
    is_day_first = pl.lit(origin.date_order == "dmy") | ~date.str.contains("/", literal=True)
    stamp = pl.concat_str(date.str.replace_all("[./]", "-"), pl.lit(" "), time)
    has_century = date.str.len_chars() == 10
    by_day, by_month = (
        pl.when(has_century)
        .then(read_stamp(stamp, f"{order}-%Y %H:%M:%S"))
        .otherwise(read_stamp(stamp, f"{order}-%y %H:%M:%S"))
        for order in ("%d-%m", "%m-%d")
    )
    is_year_first = date.str.contains("^[0-9]{4}")
    return pl.when(is_year_first).then(read_stamp(stamp)).when(is_day_first).then(by_day).otherwise(by_month)


def _read(stamped: pl.DataFrame) -> pl.DataFrame:
    """The fields of each message, by the wording of its number."""
    lacking = stamped.clear().with_columns(**dict.fromkeys((*_GROUPS, "kind"), pl.lit(None, pl.String)))
    found = [
        rows.with_columns(pl.col("message").str.extract_groups(form).struct.unnest(), kind=pl.lit(kind))
        for numbers, kind, form in _FORMS
        if (rows := stamped.filter(pl.col("id").is_in(numbers) & pl.col("message").str.contains(form))).height
    ]
    rows = pl.concat([lacking, *found], how="diagonal").sort("line_no")
    tag = [pl.col("message").str.extract(_TAG, place) for place in (1, 2)]
    whole = {
        name: pl.col(name).str.replace_all(r"[^0-9]", "").cast(pl.Int64, strict=False) for name in ("items", "amount")
    }
    # NUMBERFORMAT chooses the marks: groups of thousands have three digits, decimals are two
    parts = pl.col("amount").str.extract_groups(r"^(.*?)(?:[.,]([0-9]{1,2}))?$").struct
    digits = pl.concat_str(parts.field("1").str.replace_all("[^0-9]", ""), pl.lit("."), parts.field("2").fill_null("0"))
    decimal = digits.cast(pl.Float64, strict=False)
    size = pl.col("unit").replace_strict(_UNITS, default=None, return_dtype=pl.Int64)
    return rows.with_columns(
        logged_at=pl.col("at"),
        message_id=pl.col("id"),
        task=pl.coalesce("task", tag[0]).str.to_lowercase(),
        number=pl.coalesce("number", tag[1]).cast(pl.Int64, strict=False),
        n_items=whole["items"],
        bytes=pl.when(pl.col("unit").is_null())
        .then(whole["amount"])
        .otherwise((decimal * size).round().cast(pl.Int64, strict=False)),
    )
