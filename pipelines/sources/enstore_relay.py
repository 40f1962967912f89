"""Capture of Enstore's event relay: what movers broadcast of themselves, written by `entv --generate-messages-file`.

    Tue Jun 15 08:00:41 2010 loaded LTO4_01@stk VOL001
    Tue Jun 15 08:01:11 2010 state LTO4_01@stk ACTIVE
    Tue Jun 15 08:01:11 2010 transfer LTO4_01@stk 0 2119773696 media 0 1276606871.800
    Tue Jun 15 08:01:23 2010 transfer LTO4_01@stk 1059886848 2119773696 media 91750400 1276606883.005

Local clock of the host of entv, with its date; a word for the kind; the mover, short, and the system it belongs to.
The states are the mover's own, which its log only lets one infer. A transfer line has the bytes moved so far (for a
read as a negative number) and in total, between buffer and tape (`media`) or client (`network`), the bytes buffered,
the mover's clock in seconds, and since 2015-03-30 whether it is draining. Two such lines at the tape are a piece of the
rate curve inside a file. What the relay carries for displays and queues (`alive`, `client`, `encp_xfer`, …) is skipped.
Described in the source code of Enstore (event_relay_messages.py, entv.py).
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.coverage import coverage_of
from pipelines.sources._shared.enstore import CTIME, CTIME_LENGTH, read_ctime
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated, instant_of
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "Enstore event relay capture"
VERSION = 1
EVENTS, RATES = "enstore_relay", "enstore_relay_rate"
TABLES = (EVENTS, RATES)
SPEAKS_FOR = "drive_states"
CAN_BE_CUT = True

_KINDS = ("state", "loading", "loaded", "unload", "connect", "disconnect", "transfer")
# Words of the relay that say nothing of a mover's doing.
_OTHERS = (
    *("alive", "client", "encp_xfer", "newconfigfile", "notify", "unsubscribe", "dump", "quit", "quitoff", "title"),
    *("csc-command", "reinit", "error", "menu"),
)
_LINE = rf"^{CTIME} (?:{'|'.join((*_KINDS, *_OTHERS))})(?: |$)"
_EVENT = r"^(?P<kind>[a-z]+) (?P<mover>[^@ ]+)@(?P<network>\S+) (?P<words>\S.*?)\s*$"
_TRANSFER = (
    r"^(?P<moved>-?\d{1,18}) (?P<total_bytes>\d{1,18}) (?P<side>media|network) (?P<buffered_bytes>\d{1,18})"
    r" (?P<epoch>\d{1,10}(?:\.\d{1,6})?)(?: (?P<draining>\S+))?$"
)
_STATES = (
    *("IDLE", "SETUP", "MOUNT_WAIT", "SEEK", "ACTIVE", "FINISH_WRITE", "HAVE_BOUND", "DISMOUNT_WAIT", "CLEANING"),
    *("DRAINING", "OFFLINE", "ERROR"),
)
# State of each mover for the next chunk: its volume, and its last line about bytes at the tape.
_LAST: dict[str, pl.DataType] = {
    "mover": pl.String(),
    "network": pl.String(),
    "volume": pl.String(),
    "sent_us": pl.Int64(),
    "bytes": pl.Int64(),
    "total_bytes": pl.Int64(),
    "mode": pl.String(),
}
_MOVER = ("mover", "network")


def recognise(head: list[str]) -> Claim:
    """A relay's log: half of the lines are a time stamp and one of its words, and at least one concerns a mover."""
    texts = filled(head)
    share = share_of(texts, _LINE)
    about = texts.str.contains(rf"^{CTIME} (?:{'|'.join(_KINDS)}) [^@ ]+@\S+ ")
    if share >= 0.5 and about.any():
        return Claim(
            True, share, f"{share:.0%} of the lines have a time stamp and a message type of Enstore's event relay"
        )
    why = (
        "fewer than half of the lines are from the event relay, or no line of it concerns a mover"
        if share
        else "no line has a time stamp in ctime format and a message type of the event relay"
    )
    return Claim(False, min(share, 0.5), why)


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of a capture: events of movers, and pieces of the rate curves inside files."""
    memory: dict[str, Any] = carry or {"fold": None, "at": None, "movers": []}
    rows = lines.with_columns(local=read_ctime(pl.col("text")), kind=pl.col("text").str.extract(rf"^{CTIME} (\S+)"))
    is_event = pl.col("kind").is_in(_KINDS).fill_null(False)
    stamped, fold = dated(rows.filter(pl.col("kind").is_in((*_KINDS, *_OTHERS))), origin.zone, memory["fold"])
    events = _events(stamped.filter(is_event), origin)
    good = fitted(events.filter(pl.col("reason").is_null()), EVENTS)
    rates, movers = _rates(good, memory["movers"])
    system = origin.system or origin.host
    return Parsed.of(
        lines,
        good.height,
        rejected(rows.with_columns(reason=_strange()), events),
        tables={EVENTS: good, RATES: rates},
        coverage=coverage_of(stamped.select("line_no", "at"), system, memory["at"]),
        carry={
            "fold": fold,
            "at": stamped["at"].to_physical()[-1] if stamped.height else memory["at"],
            "movers": movers,
        },
    )


def _strange() -> pl.Expr:
    """Lines that are neither a message of the relay nor empty."""
    text = pl.col("text")
    is_known = pl.col("kind").is_in((*_KINDS, *_OTHERS)).fill_null(False)
    is_filled = text.str.strip_chars() != ""
    return pl.when(is_filled).then(first_of(bad_syntax=~is_known, bad_time=pl.col("local").is_null()))


def _events(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Messages of movers with the columns of the table and, where they cannot be read, a `reason`."""
    kind, words = pl.col("kind"), pl.col("words")
    rows = rows.with_columns(message=pl.col("text").str.slice(CTIME_LENGTH + 1))
    rows = rows.with_columns(pl.col("message").str.extract_groups(_EVENT).struct.unnest())
    rows = rows.with_columns(pl.when(kind == "transfer").then(words).str.extract_groups(_TRANSFER).struct.unnest())
    moved = pl.col("moved").cast(pl.Int64, strict=False)
    is_state = words.is_in(_STATES)
    is_bad = (
        kind.is_null()
        | ((kind == "transfer") & pl.col("moved").is_null())
        | ((kind == "state") & ~is_state)
        | ((kind != "transfer") & words.str.contains(" "))
    )
    return rows.with_columns(
        system=pl.lit(origin.system or origin.host),
        logged_at="at",
        state=pl.when(kind == "state").then(words),
        volume=pl.when(kind.is_in(["loading", "loaded", "unload"])).then(words),
        client=pl.when(kind.is_in(["connect", "disconnect"])).then(words),
        mode=pl.when(moved < 0).then(pl.lit("read")).when(moved > 0).then(pl.lit("write")),
        bytes=moved.abs(),
        sent_at=instant_of(pl.col("epoch").cast(pl.Float64, strict=False)),
        is_draining=pl.when(pl.col("draining").is_not_null()).then(
            ~pl.col("draining").is_in(["0", "False", "None", "false"])
        ),
        reason=pl.when(is_bad.fill_null(True)).then(pl.lit("bad_syntax")),
    )


def _rates(events: pl.DataFrame, before: list[list[Any]]) -> tuple[pl.DataFrame, list[list[Any]]]:
    """Pieces between two lines about bytes at the tape of one file, and the state of movers for the next chunk."""
    last = pl.DataFrame(before, schema=_LAST, orient="row")
    tracked = pl.concat(
        [
            last.with_columns(line_no=pl.lit(0, pl.Int64), kind=pl.lit("last")),
            events.with_columns(sent_us=pl.col("sent_at").to_physical()).filter(
                (pl.col("side") == "media").fill_null(False) | pl.col("volume").is_not_null()
            ),
        ],
        how="diagonal",
    ).with_columns(
        # a tape unloaded takes its file with it
        volume=pl.when(pl.col("kind") == "unload").then(pl.lit("")).otherwise("volume"),
    )
    tracked = tracked.with_columns(volume=pl.col("volume").forward_fill().over(_MOVER))
    media = tracked.filter(pl.col("sent_us").is_not_null()).with_columns(
        **{f"{name}_before": pl.col(name).shift(1).over(_MOVER) for name in ("sent_us", "bytes", "total_bytes", "mode")}
    )
    mode = pl.coalesce("mode", "mode_before")
    is_same = (
        (pl.col("total_bytes") == pl.col("total_bytes_before"))
        & (pl.col("bytes") >= pl.col("bytes_before"))
        & (pl.col("mode").is_null() | pl.col("mode_before").is_null() | (pl.col("mode") == pl.col("mode_before")))
        & (pl.col("sent_us") > pl.col("sent_us_before"))
    )
    rates = media.filter(is_same & (pl.col("kind") == "transfer")).with_columns(
        mode=mode,
        volume=pl.when(pl.col("volume") != "").then("volume"),
        from_at="sent_us_before",
        to_at="sent_us",
        offset_bytes="bytes_before",
        bytes=pl.col("bytes") - pl.col("bytes_before"),
    )
    newest = media.group_by(_MOVER, maintain_order=True).last()
    kept = (
        tracked.group_by(_MOVER, maintain_order=True)
        .agg(pl.col("volume").last())
        .join(newest.drop("volume"), on=_MOVER, how="left", maintain_order="left")
        .select(*_LAST)
        .sort(_MOVER)
    )
    return fitted(rates, RATES).sort("line_no"), [list(row) for row in kept.rows()]
