"""Counters of disks since boot, differenced: `vmstat -d`, one partition (`-p`) and the sums over all (`-D`).

    disk- ------------reads------------ ------------writes----------- -----IO------ -----timestamp-----
           total merged sectors      ms  total merged sectors      ms    cur    sec                 CDT
    sda    15257    100  841035    8395  50851   5502 1648657  146540      0     44 2010-06-15 08:00:00

A sector is 512 bytes. A device's first row has no begin and is skipped, as is one whose requests count less than
before: the host was booted or the device is a new one. Other counters that fall have wrapped (32-bit milliseconds do
after 50 days): what rests on them is null. `sec` are whole seconds in which the device worked, so the busy share is
given for samples of at least 100 s only; `cur` is the queue at one moment, no mean of the sample, and not read.

A snapshot is a set of rows of one instant; it begins with the device the file's first row names.
"""

import re

import polars as pl

from pipelines.sources._shared.columns import DEVICE, over
from pipelines.sources._shared.contract import shaped
from pipelines.sources._shared.coverage import unbroken
from pipelines.sources._shared.device_kinds import disk_kind, kinds_of
from pipelines.sources._shared.stamps import read_stamp
from pipelines.sources.protocol import COUNTERS, Carry, Origin, Parsed, first_of
from pipelines.sources.vmstat.clock import counter_lines, date_rows, read_clock
from pipelines.sources.vmstat.prefixes import preferred
from pipelines.sources.vmstat.results import gather
from pipelines.sources.vmstat.text import flatten

SECTOR_BYTES = 512
_COUNTERS = ("reads", "read_merges", "read_sectors", "read_ms", "writes", "write_merges", "write_sectors", "write_ms")
_FIELDS = (*_COUNTERS, "current", "busy_s")
_OF_PARTITION = ("reads", "read_sectors", "writes", "write_sectors")
_GROUP = re.compile(r"disk-* -*reads-* -*writes-* -*IO-*( -*timestamp-*)?")
_NAMES = re.compile(r"(?:disk )?total merged sectors ms total merged sectors ms cur s(?:ec)?(?: (?P<zone>\S+))?")
_PARTITION = re.compile(r"(?P<device>\S+) reads read sectors writes requested writes")
_ROW = r"^\S+ -?\d+ -?\d+( |$)"
_SUM = r"^(\d+) ([A-Za-z].*)$"
_ROWS = {"disks": _ROW, "partition": r"^-?\d+ ", "sums": _SUM}
_LABELS = {
    "total reads": "reads",
    "merged reads": "read_merges",
    "read sectors": "read_sectors",
    "milli reading": "read_ms",
    "writes": "writes",
    "merged writes": "write_merges",
    "written sectors": "write_sectors",
    "milli writing": "write_ms",
}
_OTHER_LABELS = ("disks", "partitions", "inprogress IO", "in progress IO", "milli spent IO", "milli weighted IO")
_FIRST_LABEL, _LAST_LABEL = "disks", "milli spent IO"
_WRAPPED = "wrapped counter"
_SHORTEST_BUSY_S = 100
_US = 1_000_000
START: Carry = {"device": "", "zone": "", "devices": {}, "open": {}, "snapshot": -1, "waiting": False}
_ROW_SCHEMA: dict[str, pl.DataType] = {
    "line_no": pl.Int64(),
    "text": pl.String(),
    "rank": pl.Int64(),
    "is_stamped": pl.Boolean(),
    "reason": pl.String(),
    "local": pl.Datetime("us"),
    "word": pl.String(),
    "device": pl.String(),
    **dict.fromkeys(_COUNTERS, pl.Int64()),
    "busy_s": pl.Int64(),
}


def parse(lines: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """Samples of devices; raises UnreadableFile for another mode's header or no clock."""
    mode = state["mode"]
    flat = flatten(lines, origin, state)
    is_row = flat["flat"].str.contains(_ROWS[mode])
    rows, others = flat.filter(is_row), flat.filter(~is_row & (flat["flat"] != ""))
    split = {"disks": _split_disks, "partition": _split_partition, "sums": _split_sums}[mode]
    rows = shaped(preferred(split(rows, others, state)), _ROW_SCHEMA)
    others = counter_lines(others, rows, lambda line: classify_header(line, mode), "disks", state)
    if rows.height:
        state["n_rows"] = rows["rank"][-1] + 1
    ends = rows.filter(pl.col("device").is_not_null() | pl.col("reason").is_not_null())
    ends = differences(date_rows(ends, others, origin, state), state)
    records = ends.filter("is_record")
    parts = rows.height - ends.height  # labels of one snapshot
    parsed = gather(lines, ends, others, records, records.height + parts, DEVICE, origin, state)
    intervals = parsed.tables[DEVICE].unique(["from_at", "to_at"], keep="first", maintain_order=True)
    parsed.coverage = unbroken(intervals.sort("from_at", "to_at"))
    parsed.notes = {COUNTERS: ends.filter(~pl.col("is_record") & pl.col("reason").is_null()).height}
    return parsed


def belongs(flat: str, mode: str) -> bool:
    """Is this a row or header of the mode, or a clock line?"""
    if mode == "sums" and (match := re.match(_SUM, flat)):
        return match[2] in _LABELS or match[2] in _OTHER_LABELS
    return re.match(_ROWS[mode], flat) is not None or read_clock(flat) is not None or classify_header(flat, mode)


def classify_header(flat: str, mode: str) -> bool:
    """Is this a header line of the mode?"""
    patterns = {"disks": (_GROUP, _NAMES), "partition": (_PARTITION,)}.get(mode, ())
    return any(pattern.fullmatch(flat) for pattern in patterns)


def _split_disks(rows: pl.DataFrame, others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    headers = others.select("line_no", zone=pl.col("flat").str.extract_groups(f"^{_NAMES.pattern}$").struct["zone"])
    is_header = others["flat"].str.contains(f"^{_NAMES.pattern}$")
    headers = headers.filter(is_header).with_columns(pl.col("zone").fill_null(""))
    above = rows.select("line_no").set_sorted("line_no").join_asof(headers.set_sorted("line_no"), on="line_no")
    zone = above.select(zone=pl.col("zone").fill_null(state["zone"])).to_series()
    state["zone"] = headers["zone"][-1] if headers.height else state["zone"]
    places = [str(i) for i in range(len(_FIELDS))]
    fields = rows["flat"].str.splitn(" ", len(places) + 2).struct.rename_fields(["device", *places, "rest"])
    table = fields.struct.unnest()
    numbers = [
        pl.col(place).cast(pl.Int64, strict=False).alias(name) for place, name in zip(places, _FIELDS, strict=True)
    ]
    table = table.with_columns(*numbers, zone).with_columns(local=read_stamp(pl.col("rest")))
    is_stamp_bad = pl.col("rest").is_not_null() & pl.col("local").is_null()
    is_narrow = pl.col(places[-1]).is_null() | ((pl.col("zone") != "") & pl.col("rest").is_null())
    is_like_stamp = pl.col("rest").str.contains(r"^\d+-\d+-\d+ \d+:\d+:\d+$")
    reason = first_of(
        wrong_width=is_narrow | (is_stamp_bad & ~is_like_stamp),
        bad_time=is_stamp_bad,
        bad_number=pl.any_horizontal(pl.col(name).is_null() | (pl.col(name) < 0) for name in _FIELDS),
    )
    table = table.with_columns(reason=reason, device=pl.col("device").str.strip_prefix("/dev/"))
    is_good = table["reason"].is_null()
    if not state["device"] and is_good.any():
        state["device"] = table.filter(is_good)["device"][0]
    is_begin = is_good & (table["device"] == state["device"]) | _behind_clocks(rows, others, state)
    parsed = table.select(
        *_COUNTERS,
        "busy_s",
        "reason",
        "local",
        "device",
        rank=is_begin.cast(pl.Int64).cum_sum() + (state["n_rows"] - 1),
        is_stamped=pl.col("zone") != "",
        word="zone",
    )
    return rows.hstack(parsed)


def _behind_clocks(rows: pl.DataFrame, others: pl.DataFrame, state: Carry) -> pl.Series:
    """Rows right after a clock line: they begin a snapshot, whichever device they name."""
    flats = [flat for flat in others["flat"].unique() if (line := read_clock(flat)) and line.kind == "clock"]
    at = others.filter(pl.col("flat").is_in(flats))["line_no"]
    places = rows["line_no"].search_sorted(at, side="left") if at.len() else pl.Series([], dtype=pl.UInt32)
    is_first = pl.int_range(rows.height, eager=True) == (0 if state["waiting"] else -1)
    state["waiting"] = bool((places == rows.height).any()) or (state["waiting"] and not rows.height)
    return is_first | pl.int_range(rows.height, eager=True).is_in(places.cast(pl.Int64).implode())


def _split_partition(rows: pl.DataFrame, others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    headers = others.select("line_no", device=pl.col("flat").str.extract(r"^(\S+) reads read sectors ", 1))
    headers = headers.filter(pl.col("device").is_not_null())
    rows = rows.set_sorted("line_no").join_asof(headers.set_sorted("line_no"), on="line_no")
    rows = rows.with_columns(pl.col("device").fill_null(pl.lit(state["device"] or None, dtype=pl.String)))
    if headers.height:
        state["device"] = headers["device"][-1]
    fields = rows["flat"].str.splitn(" ", 5).struct.rename_fields([*_OF_PARTITION, "rest"]).struct.unnest()
    numbers = fields.with_columns(pl.col(name).cast(pl.Int64, strict=False) for name in _OF_PARTITION)
    is_narrow = fields["write_sectors"].is_null() | fields["rest"].is_not_null()
    is_bad = pl.any_horizontal(pl.col(name).is_null() | (pl.col(name) < 0) for name in _OF_PARTITION)
    reason = pl.when(is_narrow).then(pl.lit("wrong_width")).when(is_bad).then(pl.lit("bad_number"))
    counted = numbers.select(
        *_OF_PARTITION,
        reason=reason,
        local=pl.lit(None, dtype=pl.Datetime("us")),
        word=pl.lit(""),
        is_stamped=pl.lit(False),
    )
    return rows.hstack(counted).with_columns(
        rank=pl.int_range(pl.len()) + state["n_rows"],
        reason=pl.when(pl.col("device").is_null()).then(pl.lit("no_header")).otherwise("reason"),
    )


def _split_sums(rows: pl.DataFrame, others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Rows of labels; the one that ends a snapshot carries its counters, the others no device."""
    values: list[dict[str, int | str | None]] = []
    state["open"] = {**state["open"]}
    for number, label in rows.select(groups=pl.col("flat").str.extract_groups(_SUM)).unnest("groups").iter_rows():
        known = label in _LABELS or label in _OTHER_LABELS
        count = int(number) if len(number) < 19 else None
        if label == _FIRST_LABEL:
            state["open"], state["waiting"] = {}, True
            state["snapshot"] += 1
        row: dict[str, int | str | None] = {"rank": max(state["snapshot"], 0)}
        if not known or count is None:
            row["reason"] = "bad_number" if known else "bad_syntax"
        elif label in _LABELS:
            state["open"][_LABELS[label]] = count
        elif label == _LAST_LABEL and state["waiting"]:
            row.update(state["open"], device="all", busy_s=None)
            state["waiting"] = False
        values.append(row)
    schema = {name: kind for name, kind in _ROW_SCHEMA.items() if name not in ("line_no", "text")}
    counted = pl.DataFrame(values, schema=schema, orient="row").with_columns(is_stamped=pl.lit(False), word=pl.lit(""))
    return rows.hstack(counted)


def differences(rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Samples between the rows of each device: what happened in between, per second; see the module's text."""
    before = pl.DataFrame(
        [{"device": device, **last} for device, last in state["devices"].items()],
        schema={"device": pl.String, "at": pl.Int64, **dict.fromkeys((*_COUNTERS, "busy_s"), pl.Int64)},
    ).with_columns(pl.col("at").cast(pl.Datetime("us")))
    good = rows.filter(pl.col("reason").is_null())
    chain = pl.concat([before, good], how="diagonal_relaxed")
    last = chain.group_by("device", maintain_order=True).last().with_columns(pl.col("at").dt.epoch("us"))
    state["devices"] = {row["device"]: row for row in last.select(*before.columns).to_dicts()}
    for entry in state["devices"].values():
        del entry["device"]
    chain = chain.with_columns(
        pl.col("at").shift(1).over("device").alias("from_at"),
        *[(pl.col(name) - pl.col(name).shift(1).over("device")).alias(f"d_{name}") for name in (*_COUNTERS, "busy_s")],
    ).tail(good.height)
    samples = chain.with_columns(step=(pl.col("at") - pl.col("from_at")).dt.total_microseconds())
    fell = pl.any_horizontal((pl.col(name) < 0).fill_null(False) for name in ("d_reads", "d_writes"))
    is_record = (pl.col("step") > 0).fill_null(False) & ~fell
    samples = samples.with_columns(is_record=is_record, is_still=(pl.col("step") == 0).fill_null(False))
    measured = samples.select("line_no", "from_at", "is_record", "is_still", *_rates(samples))
    return (
        rows.join(measured, on="line_no", how="left", maintain_order="left")
        .with_columns(
            to_at="at",
            reason=pl.when(pl.col("is_still")).then(pl.lit("out_of_order")).otherwise("reason"),
            kind=kinds_of(rows["device"], disk_kind),
        )
        .with_columns(pl.col("is_record").fill_null(False))
    )


def _rates(samples: pl.DataFrame) -> list[pl.Expr]:
    """Columns of the contract."""
    seconds = over(pl.col("step"), _US)
    risen = {name: pl.when(pl.col(f"d_{name}") >= 0).then(f"d_{name}") for name in (*_COUNTERS, "busy_s")}

    def wait(ms: pl.Expr, requests: pl.Expr) -> pl.Expr:
        return pl.when(requests > 0).then(over(ms, 1000) / requests)

    has_wrapped = pl.any_horizontal((pl.col(f"d_{name}") < 0).fill_null(False) for name in (*_COUNTERS, "busy_s"))
    requests = risen["reads"] + risen["writes"]
    return [
        (requests / seconds).alias("request_rate"),
        (risen["reads"] / seconds).alias("read_request_rate"),
        (risen["writes"] / seconds).alias("write_request_rate"),
        (risen["read_merges"] / seconds).alias("read_merge_rate"),
        (risen["write_merges"] / seconds).alias("write_merge_rate"),
        (risen["read_sectors"] * SECTOR_BYTES / seconds).alias("read_bytes_s"),
        (risen["write_sectors"] * SECTOR_BYTES / seconds).alias("write_bytes_s"),
        wait(risen["read_ms"] + risen["write_ms"], requests).alias("wait_s"),
        wait(risen["read_ms"], risen["reads"]).alias("read_wait_s"),
        wait(risen["write_ms"], risen["writes"]).alias("write_wait_s"),
        pl.when(pl.col("step") >= _SHORTEST_BUSY_S * _US).then(risen["busy_s"] / seconds).alias("busy"),
        pl.when(has_wrapped).then(pl.lit(_WRAPPED)).alias("note"),
    ]
