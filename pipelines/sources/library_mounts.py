"""Mount history of a tape library, as CSV: one row per mount, with its minutes in the drive and its MB.

    Date and Time,VolSer,Frame,Drive,LogLib,EAddr,Mount Host Write,Mount Host Read,Mount Drive Residency,Mount Tape…
    2026 03 11 10:20.40,_A00017L8,1,3,CTA1,259,118400,0,11,

IBM's TS4500 saves it as `<library>_mount_history_<date>.csv`; titles and order of columns are those of its manual. They
vary with firmware and make, so `columns` of the [[input]] may name them:

    columns = { at = "Date and Time", volume = "VolSer", frame = "Frame", drive = "Drive", residency_min = "Residency" }

Its keys are at, volume, frame, drive, library, element, media, write_mb, read_mb (by the host), media_write_mb,
media_read_mb, residency_min and alerts; a column without one of the titles in `_TITLES` must be named there. `at`,
`volume`, `drive` and `residency_min` are needed.

The time is when the tape came into the drive, in the library's local time. Minutes are integers: a mount ends up to
half a minute earlier or later. In the hour that autumn repeats, a mount is of the second pass if its drive held another
tape in the first. An underscore before the label is dropped. A drive that is a bare number is named with
its frame, `F1D3`; `slot` of a [[drive]] in site.toml maps that name. Tape alerts of the mount, two digits each, and the
errors in the life of the tape go to `bronze.scsi_counter`.
"""

import re
from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.contract import complete, no_rows
from pipelines.sources._shared.coverage import reached
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.stamps import dated, from_microseconds, microseconds, second_pass
from pipelines.sources._shared.tape_alerts import OF_NUMBER, alert
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "Mount history of a tape library"
VERSION = 2
MOUNT, COUNTER = "library_mount", "scsi_counter"
TABLES = (MOUNT, COUNTER)
SPEAKS_FOR = "mounts"
IS_WHOLE = True

# Titles without case, units and punctuation.
_TITLES = {
    "at": ("date and time",),
    "volume": ("volser", "volume serial number"),
    "frame": ("frame",),
    "drive": ("drive",),
    "library": ("loglib", "logical library"),
    "element": ("eaddr", "element address"),
    "media": ("media type",),
    "write_mb": ("mount host write", "host write"),
    "read_mb": ("mount host read", "host read"),
    "media_write_mb": ("mount media write", "media write"),
    "media_read_mb": ("mount media read", "media read"),
    "residency_min": ("mount drive residency", "drive residency"),
    "alerts": ("mount tape alert media", "mount tape alert", "tapealert", "tape alert"),
    "lifetimeVolumeMounts": ("life mounts media",),
    "lifetimeVolumeWriteRetries": ("life wretries media",),
    "lifetimeVolumeUncorrectedWriteErrors": ("life wperms media",),
    "lifetimeVolumeReadRetries": ("life rretries media",),
    "lifetimeVolumeUncorrectedReadErrors": ("life rperms media",),
}
_NEEDED = ("at", "volume", "drive", "residency_min")
_LIVES = tuple(name for name in _TITLES if name.startswith("lifetime"))
_BYTES = {
    **{"read_bytes": "read_mb", "write_bytes": "write_mb"},
    **{"media_read_bytes": "media_read_mb", "media_write_bytes": "media_write_mb"},
}
_UNITS = {"mb", "min", "minutes"}
_NUMBER = r"^\d{1,12}(?:\.\d{1,6})?$"
_CLOCK = r"[ T]+(\d{1,2})\D(\d\d)(?:\D(\d\d))?(?:\D\d*)?$"
_YEAR_FIRST = rf"^(\d{{4}})\D(\d{{1,2}})\D(\d{{1,2}}){_CLOCK}"
_YEAR_LAST = rf"^(\d{{1,2}})\D(\d{{1,2}})\D(\d{{4}}){_CLOCK}"
# of the file's first mount, and of each drive's last one: microseconds since 1970; day with a second pass
_START: Carry = {"fold": None, "hosts": {}, "repeated": {"first": None, "last": [], "day": None}}
_LAST: dict[str, Any] = {"drive": pl.String, "mounted_at": pl.Int64, "residency_s": pl.Float64}
_MB = 1_000_000
_MOST_CHARS = 100


def recognise(head: list[str]) -> Claim:
    """A line of titles with a time, a volume, a drive and minutes in it."""
    for line in (line for line in head if "residency" in line.lower()):  # as all titles of residency_min have it
        found = _places(line, {})
        if all(name in found for name in _NEEDED):
            return Claim(True, 1.0, "column titles of a library's mount history")
        if "volume" in found and "residency_min" in found:
            return Claim(
                False,
                0.7,
                "only some column titles of a library's mount history; `columns` of the file's"
                " [[input]] can map the others",
            )
    for line in (line for line in head if line.strip()):
        found = _places(line, {})
        if {"volume", "drive"} & set(found):
            lacking = ", ".join(f'"{_TITLES[name][0]}"' for name in _NEEDED if name not in found)
            return Claim(False, 0.1, f"column titles of a library's mount history are missing: {lacking}")
        break
    return Claim(False, 0.0, "no column titles of a library's mount history")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Mounts, alerts and lives of tapes; raises UnreadableFile where a needed column has no title."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    if lines.is_empty():
        return Parsed(tables={name: no_rows(name) for name in TABLES}, carry=memory)
    title_no, delimiter, places = _titles(origin)
    rows = lines.filter((pl.col("line_no") > title_no) & (pl.col("text").str.strip_chars() != ""))
    rows = rows.with_columns(cells=cells(rows["text"], delimiter))
    width = pl.col("cells").list.len()
    rows = rows.with_columns(_cell(name, places).alias(f"_{name}") for name in _TITLES).with_columns(
        local=_local(pl.col("_at"), origin), is_wide=(width > max(places.values())).fill_null(False)
    )
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    good = _read(stamped.rename({"at": "mounted_at"}), origin)
    undated = rows.filter(pl.col("local").is_null())
    undated = undated.with_columns(reason=pl.when("is_wide").then(pl.lit("bad_time")).otherwise(pl.lit("wrong_width")))
    mounts, repeated = _unrepeated(good.filter(pl.col("reason").is_null()), origin.zone, memory["repeated"])
    coverage, hosts = _coverage(mounts, memory["hosts"])
    return Parsed.of(
        lines,
        mounts.height,
        rejected(good, undated),
        tables={MOUNT: complete(mounts, MOUNT), COUNTER: _counters(mounts)},
        coverage=coverage,
        carry={"fold": fold, "hosts": hosts, "repeated": repeated},
    )


def _plain(title: str) -> str:
    """A title by its words alone.

    >>> _plain('"Host Write (MB)"'), _plain(" Mount Drive Residency")
    ('host write', 'mount drive residency')
    """
    return " ".join(word for word in re.findall(r"[a-z0-9]+", title.lower()) if word not in _UNITS)


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _places(line: str, given: dict[str, str]) -> dict[str, int]:
    """The column number of each known title."""
    plain = [_plain(title) for title in line.split(_delimiter(line))]
    known = {name: (_plain(given[name]),) if name in given else titles for name, titles in _TITLES.items()}
    return {
        name: next(plain.index(title) for title in titles if title in plain)
        for name, titles in known.items()
        if any(title in plain for title in titles)
    }


def _titles(origin: Origin) -> tuple[int, str, dict[str, int]]:
    """The line with the titles, its delimiter, and their places."""
    given = dict(origin.columns)
    if strange := sorted(set(given) - set(_TITLES)):
        raise UnreadableFile(
            f"`columns` names {strange[0]!r}, which is not a column of this source",
            f"the known columns are {', '.join(name for name in _TITLES if name not in _LIVES)}",
            reason="unknown_header",
        )
    best: dict[str, int] = {}
    for number, line in enumerate(origin.head, 1):
        found = _places(line, given)
        if all(name in found for name in _NEEDED):
            return number, _delimiter(line), found
        best = max(best, found, key=len)
    lacking = [name for name in _NEEDED if name not in best]
    raise UnreadableFile(
        f"no line has column titles for {', '.join(lacking)}",
        "list the titles of the file's columns in `columns` of its [[input]] in site.toml",
        reason="unknown_header",
    )


def _cell(name: str, places: dict[str, int]) -> pl.Expr:
    if name not in places:
        return pl.lit("")
    cell = pl.col("cells").list.get(places[name], null_on_oob=True)
    return cell.str.strip_chars().str.head(_MOST_CHARS).fill_null("")


def _local(text: pl.Expr, origin: Origin) -> pl.Expr:
    """Local time of mounts; dates that end with the year need `date_order` where site.toml does not give it."""
    first, last = text.str.extract_groups(_YEAR_FIRST).struct, text.str.extract_groups(_YEAR_LAST).struct
    day, month = ("1", "2") if origin.date_order == "dmy" else ("2", "1")
    named = {"year": ("1", "3"), "month": ("2", month), "day": ("3", day), "hour": ("4", "4"), "minute": ("5", "5")}
    parts = {name: pl.coalesce(first.field(a), last.field(b)) for name, (a, b) in named.items()}
    second = pl.coalesce(first.field("6"), last.field("6"), pl.lit("0"))
    padded = [parts[name].str.zfill(2) for name in ("month", "day", "hour", "minute")]
    joined = pl.concat_str([parts["year"], *padded, second.str.zfill(2)], separator=" ")
    is_clear = first.field("1").is_not_null() | pl.lit(bool(origin.date_order))
    return pl.when(is_clear).then(joined.str.to_datetime("%Y %m %d %H %M %S", strict=False, time_unit="us"))


def _read(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    number = {
        name: pl.when(pl.col(f"_{name}").str.contains(_NUMBER)).then(pl.col(f"_{name}")).cast(pl.Float64, strict=False)
        for name in ("residency_min", *_BYTES.values(), *_LIVES)
    }
    frame, drive = pl.col("_frame"), pl.col("_drive")
    is_numbered = frame.str.contains(r"^\d+$") & drive.str.contains(r"^\d+$")
    rows = rows.with_columns(
        system=pl.lit(origin.system),
        drive=pl.when(is_numbered).then(pl.concat_str(pl.lit("F"), frame, pl.lit("D"), drive)).otherwise(drive),
        volume=pl.col("_volume").str.strip_chars_start("_").str.strip_chars(),
        residency_s=number["residency_min"] * 60,
        **{name: (number[mb] * _MB).round().cast(pl.Int64) for name, mb in _BYTES.items()},
        **{name: number[name] for name in _LIVES},
        **{name: pl.when(pl.col(f"_{name}") != "").then(f"_{name}") for name in ("library", "element", "media")},
    )
    is_bad = pl.any_horizontal(
        (pl.col(f"_{name}") != "") & number[name].is_null() for name in (*_BYTES.values(), *_LIVES)
    )
    is_bad = is_bad | pl.col("residency_s").is_null()
    return rows.with_columns(
        reason=first_of(
            wrong_width=~pl.col("is_wide"),
            bad_syntax=(pl.col("volume") == "") | (pl.col("drive") == ""),
            bad_number=is_bad,
        )
    )


def _unrepeated(mounts: pl.DataFrame, zone: str, before: Carry) -> tuple[pl.DataFrame, Carry]:
    """Mounts of the second pass of the hour that autumn repeats: from the first one on that proves it.

    In the first pass its drive would hold another tape. Minutes are rounded; rows must be in the order of time.
    """
    if mounts.is_empty():
        return mounts, before
    known = pl.DataFrame(before["last"], schema=_LAST, orient="row").cast({"mounted_at": pl.Datetime("us")})
    every = pl.concat([known, mounts], how="diagonal")
    at, again = pl.col("mounted_at"), second_pass(pl.col("local"), zone)
    end = at + pl.duration(seconds=pl.col("residency_s"))
    start_before, end_before = (one.shift(1).over("drive") for one in (at, end))
    shared = pl.when(start_before.is_not_null()).then(
        pl.min_horizontal(end, end_before) - pl.max_horizontal(at, start_before)
    )
    first = from_microseconds(before["first"]) or mounts["mounted_at"][0]
    is_proof = ((again > at) & (at >= first) & (shared > timedelta(minutes=1))).fill_null(False)
    every = every.with_columns(again=again, day=pl.col("local").dt.date().cast(pl.String), is_proof=is_proof)
    every = every.with_columns(
        is_second=pl.col("is_proof").cum_max().over("day")
        | (pl.col("day") == pl.lit(before["day"], pl.String)).fill_null(False)
    )
    last = every.group_by("drive").agg(pl.col("mounted_at").last().dt.epoch("us"), pl.col("residency_s").last())
    proven = every.filter("is_second")["day"].drop_nulls()
    moved = every[known.height :].with_columns(
        mounted_at=pl.when(pl.col("is_second") & (pl.col("again") > at)).then("again").otherwise(at)
    )
    day = proven[-1] if len(proven) else before["day"]
    return moved, {"first": microseconds(first), "last": [list(row) for row in last.sort("drive").rows()], "day": day}


def _counters(mounts: pl.DataFrame) -> pl.DataFrame:
    """Alerts of the mounts, and what the tapes counted in their lives."""
    common = ["line_no", "system", "drive", "volume", "logged_at", "mount_id"]
    ended = mounts.with_columns(
        logged_at=pl.col("mounted_at") + pl.duration(seconds=pl.col("residency_s")),
        mount_id=pl.col("mounted_at").dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    flags = ended.with_columns(number=pl.col("_alerts").str.extract_all(r"\d\d")).explode("number", empty_as_null=True)
    flags = flags.filter(pl.col("_alerts").str.contains(r"^(?:\d\d)+$") & pl.col("number").is_in(_FLAGS))
    alerts = flags.select(
        *common,
        scope=pl.lit("mount"),
        counter=pl.col("number").replace_strict(_FLAGS, return_dtype=pl.String),
        value=1.0,
    )
    lives = (
        ended.unpivot(list(_LIVES), index=common, variable_name="counter", value_name="value")
        .drop_nulls("value")
        .with_columns(scope=pl.lit("volume"))
    )
    every = pl.concat([alerts, lives.select(alerts.columns)]).sort("line_no", "counter")
    return complete(every, COUNTER)


_FLAGS = {f"{number:02}": alert(number) for number in range(1, max(OF_NUMBER) + 5)}


def _coverage(mounts: pl.DataFrame, known: dict[str, int]) -> tuple[pl.DataFrame, dict[str, int]]:
    """As of TSM's table of mounts: of each drive from its first mount to its last dismount."""
    ended = mounts.with_columns(
        from_at=pl.col("mounted_at"), to_at=pl.col("mounted_at") + pl.duration(seconds=pl.col("residency_s"))
    )
    spans = [ended.select("line_no", pl.col(name).alias("host"), "from_at", "to_at") for name in ("system", "drive")]
    return reached(pl.concat(spans), known)
