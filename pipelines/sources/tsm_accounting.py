"""Accounting file of TSM's server (Storage Protect), `dsmaccnt.log`: a line per session, written when it ended.

    8,1,ADSM,03/05/2024,10:31:40,POOL_ATLAS,,Linux x86-64,1,Tcp/Ip,1,0,0,9,68359375,0,0,0,0,68359375,700,8,71,140,4,…

Local clock without zone, the month first; amounts in KB of 1024 bytes. The vendor's table names the first 24 fields,
which are the ones used; releases have 31 or more in all. It holds neither the number of the session nor any volume.
Written from that table and a generated file: none of a production site was at hand.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import reached
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated, read_stamp
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "TSM accounting file"
VERSION = 1
TABLE = "tsm_accounting"
TABLES = (TABLE,)
SPEAKS_FOR = "mounts"
CAN_BE_CUT = True

_LINE = (
    r'^"?[0-9]{1,3}"?,"?[0-9]{1,3}"?,"?ADSM"?,'
    r'"?[0-9]{2}/[0-9]{2}/[0-9]{4}"?,"?[0-9]{2}:[0-9]{2}:[0-9]{2}"?,'
)
_WIDTH = 24  # fields used; there are more
_MOST_CHARS = 200
_KB = 1024
_NUMBERS = {
    **{"n_archived": 11, "n_retrieved": 13, "n_backed_up": 15, "n_restored": 17},
    **{"took_s": 20, "idle_s": 21, "network_wait_s": 22, "media_wait_s": 23},
}
_AMOUNTS = {
    "archived_bytes": 12,
    "retrieved_bytes": 14,
    "backed_up_bytes": 16,
    "restored_bytes": 18,
    "network_bytes": 19,
}
_MOST_KB = 2**52  # more would be no amount, and no number of bytes
_START: Carry = {"fold": None, "hosts": {}}


def recognise(head: list[str]) -> Claim:
    """Version, sublevel, the word ADSM, date and time."""
    share = share_of(filled(head), _LINE)
    if share >= 0.5:
        return Claim(True, share, f"{share:.0%} of the lines are sessions of TSM's accounting log dsmaccnt.log")
    return Claim(
        False,
        share,
        "fewer than half of the lines are like those of TSM's dsmaccnt.log: version, sublevel, ADSM, date, time",
    )


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """A row per session."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    rows = lines.filter(pl.col("text").str.strip_chars() != "")
    rows = rows.with_columns(cells=cells(rows["text"], ","))
    cell = _cell
    rows = rows.with_columns(local=read_stamp(pl.concat_str(cell(3), pl.lit(" "), cell(4)), "%m/%d/%Y %H:%M:%S"))
    width = pl.col("cells").list.len().fill_null(0)
    shape = first_of(bad_syntax=~pl.col("text").str.contains(_LINE), wrong_width=width < _WIDTH)
    rows = rows.with_columns(shape=shape)
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    number = {name: cell(place).str.to_integer(strict=False, dtype=pl.Int64) for name, place in _NUMBERS.items()}
    amount = {name: cell(place).str.to_integer(strict=False, dtype=pl.Int64) for name, place in _AMOUNTS.items()}
    is_bad = [(value < 0).fill_null(True) for value in (*number.values(), *amount.values())]
    is_bad += [(value > _MOST_KB).fill_null(False) for value in amount.values()]
    system = origin.system or origin.host
    read = stamped.with_columns(
        **number,
        **{name: value * _KB for name, value in amount.items()},
        system=pl.lit(system),
        ended_at=pl.col("at"),
        node=cell(5).replace("", None),
        platform=cell(7).replace("", None),
        is_normal_end=pl.when(cell(10).is_in(["0", "1"])).then(cell(10) == "1"),
        reason=pl.coalesce("shape", pl.when(pl.any_horizontal(is_bad)).then(pl.lit("bad_number"))),
    )
    bad_time = rows.filter(pl.col("local").is_null()).with_columns(reason=pl.coalesce("shape", pl.lit("bad_time")))
    records = complete(read.filter(pl.col("reason").is_null()), TABLE)
    spans = records.select("line_no", pl.col("system").alias("host"), from_at="ended_at", to_at="ended_at")
    coverage, hosts = reached(spans, memory["hosts"])
    return Parsed.of(
        lines,
        records.height,
        rejected(read, bad_time),
        tables={TABLE: records},
        coverage=coverage,
        carry={"fold": fold, "hosts": hosts},
    )


def _cell(place: int) -> pl.Expr:
    """A field by its place."""
    return pl.col("cells").list.get(place, null_on_oob=True).str.strip_chars().str.head(_MOST_CHARS)
