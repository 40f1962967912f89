"""nicstat -p: traffic of every interface of a host, one line per interface and sample.

    1276606800:eth0:98000.0:125.0:70000.0:900.0:78.41:0.00

Seconds since 1970, interface, KiB read and written a second, packets read and written a second, percent of the speed,
saturation. Five kinds of errors follow with `-x`. With `-a`, `-t` or `-u` there are also lines of TCP and UDP, which
are skipped. Written by nicstat 1.9x on Linux and Solaris. Where nicstat does not know an interface's speed, as on Linux
without root's rights, it prints 0 percent: null at a rate that is more than 0.00 percent of any network.

An interface's first line holds averages since boot, and so does the first after a pause of more than three steps (a new
run, appended): both are skipped, but begin the next sample. The table that nicstat prints without `-p` has times
without a date: it is named, not read. So are collectl's raw files, copies of /proc between marks of time.
"""

import re
from typing import Any

import polars as pl

from pipelines.primitives.units import KIB
from pipelines.sources._shared.columns import NEGATIVE, NETWORK, over
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.device_kinds import interface_kind, kinds_of
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import at_second
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "nicstat"
VERSION = 3
TABLES = (NETWORK,)
SPEAKS_FOR = "hosts"
CAN_BE_CUT = True

_NUMBER = r":-?\d+(?:\.\d*)?"
_PROTOCOL = rf"^\d{{9,10}}:(?:TCP(?:{_NUMBER}){{10}}|UDP(?:{_NUMBER}){{4}})$"
_ROW = re.compile(rf"\d{{9,10}}:[^:\s]+(?:{_NUMBER}){{6}}(?:(?:{_NUMBER}){{5}})?")
_WIDTHS = [8, 13]
_TABLE = re.compile(r"\s*Time\s+Int\s+rKB/s\s+wKB/s\s.*")
_COLLECTL = re.compile(r">>> \d+(?:\.\d+)? <<<|# Collectl: .*")
_NUMBERS = ("in_bytes_s", "out_bytes_s", "in_packet_rate", "out_packet_rate", "busy")
_LARGEST = 2.0**62
_SHOWN_KIB = 2_500  # KiB/s that are 0.005 percent of 400 Gbit/s


def recognise(head: list[str]) -> Claim:
    """Lines of an epoch, an interface and six numbers."""
    lines = [line.strip() for line in head if line.strip()]
    if any(_TABLE.fullmatch(line) for line in lines):
        return Claim(
            False, 0.7, "this is nicstat's table, which is not read because its times have no date; use nicstat -p"
        )
    if any(_COLLECTL.fullmatch(line) for line in lines):
        return Claim(
            False,
            0.7,
            "this is a raw file of collectl, which holds the text of /proc and is not read; use collectl -P",
        )
    found = sum(_ROW.fullmatch(line) is not None for line in lines)
    lines = [line for line in lines if not re.match(_PROTOCOL, line)]
    if not found or 2 * found < len(lines):
        return Claim(False, 0.4 if found else 0.0, "no lines of nicstat -p, or mostly other lines")
    return Claim(True, 1.0, "lines of nicstat -p")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of interfaces; `carry` holds the last instant and step of each, in seconds."""
    state: dict[str, Any] = {"last": {}, **(carry or {})}
    text = pl.col("text").str.strip_chars()
    rows = _runs(_split(lines.filter((text != "") & ~text.str.contains(_PROTOCOL))), state)
    samples = rows.filter(pl.col("reason").is_null() & ~pl.col("is_start"))
    host = origin.host or stem_of(origin.path)
    samples = samples.with_columns(
        tool=pl.lit("nicstat"),
        host=pl.lit(host, dtype=pl.String),
        kind=kinds_of(samples["interface"], interface_kind),
        from_at=at_second("before"),
        to_at=at_second("epoch"),
    )
    return Parsed.of(
        lines,
        samples.height,
        rejected(rows),
        tables={NETWORK: complete(samples, NETWORK)},
        coverage=samples.unique(["from_at", "to_at"], keep="first", maintain_order=True)
        .select("line_no", "host", "from_at", "to_at")
        .cast(COVERAGE),
        carry=state,
    )


def _split(rows: pl.DataFrame) -> pl.DataFrame:
    cells = rows["text"].str.strip_chars().str.split(":")
    rows = rows.with_columns(
        cells=cells,
        epoch=cells.list.get(0).cast(pl.Int64, strict=False),
        interface=cells.list.get(1, null_on_oob=True),
    ).with_columns(
        cells.list.get(place, null_on_oob=True).cast(pl.Float64, strict=False).alias(name)
        for place, name in enumerate(_NUMBERS, 2)
    )
    numbers = pl.col(_NUMBERS)
    is_bad = pl.any_horizontal(numbers.is_null() | numbers.is_nan() | (numbers.abs() > _LARGEST))
    return rows.with_columns(
        reason=first_of(
            wrong_width=~pl.col("cells").list.len().is_in(_WIDTHS),
            bad_time=~pl.col("epoch").is_between(315_532_800, 4_102_444_800).fill_null(False),
            bad_number=is_bad | (pl.col("interface") == ""),
        ),
        note=pl.when(pl.any_horizontal(numbers < 0)).then(pl.lit(NEGATIVE)),
    ).with_columns(pl.when(pl.col(name) >= 0).then(_ours(name)).alias(name) for name in _NUMBERS)


def _ours(name: str) -> pl.Expr:
    if name == "busy":
        is_unknown = (pl.col(name) == 0) & (pl.max_horizontal("in_bytes_s", "out_bytes_s") > _SHOWN_KIB)
        return over(pl.when(~is_unknown).then(name), 100)
    return pl.col(name) * KIB if name.endswith("bytes_s") else pl.col(name)


def _runs(rows: pl.DataFrame, state: dict[str, Any]) -> pl.DataFrame:
    """When each line's sample began, and whether a run begins with it; `state` moves on."""
    last = pl.DataFrame(
        [(name, *times) for name, times in state["last"].items()],
        schema={"interface": pl.String, "last_at": pl.Int64, "last_step": pl.Int64},
        orient="row",
    )
    timed = rows.filter(pl.col("reason").is_null()).select("line_no", "interface", "epoch")
    timed = timed.join(last, on="interface", how="left", maintain_order="left")
    before = pl.col("epoch").shift(1).over("interface").fill_null(pl.col("last_at"))
    timed = timed.with_columns(before=before).with_columns(step=pl.col("epoch") - pl.col("before"))
    moved = pl.when(pl.col("step") > 0).then("step").forward_fill()
    timed = timed.with_columns(moved=moved.over("interface").fill_null(pl.col("last_step")))
    usual = pl.col("moved").shift(1).over("interface").fill_null(pl.col("last_step"))
    timed = timed.with_columns(usual=usual)
    timed = timed.with_columns(
        is_start=pl.col("before").is_null() | (pl.col("step") > 3 * pl.col("usual")).fill_null(False)
    )
    ends = timed.group_by("interface", maintain_order=True).last()
    known = {row["interface"]: [row["epoch"], row["moved"]] for row in ends.iter_rows(named=True)}
    state["last"] = {**state["last"], **known}
    rows = rows.join(
        timed.select("line_no", "before", "step", "is_start"), on="line_no", how="left", maintain_order="left"
    )
    is_back = pl.when(pl.col("step") <= 0).then(pl.lit("out_of_order"))
    return rows.with_columns(reason=pl.coalesce("reason", is_back))
