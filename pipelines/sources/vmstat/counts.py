"""`vmstat -s`: counters of a host since boot, one a line; differenced where a file holds several dated snapshots.

     24684084 K total memory
     …
        78513 non-nice user cpu ticks
      6514797 K paged in
       106461 forks

The unit letter is that of `-S`, so memory is exact here. Pages are paged in and out in KiB whatever the label is, while
swapping counts pages of unknown size and is not read. The row of a sample is the line `forks`, the last of its
snapshot. The first snapshot has no start and is skipped, as is one whose processor ticks count less than before (the
host was booted). A single counter that fell has wrapped, and figures that depend on it are null.
"""

import re

import polars as pl

from pipelines.primitives.units import KIB
from pipelines.sources._shared.columns import HOST
from pipelines.sources._shared.contract import schema_of
from pipelines.sources.protocol import Carry, Origin, Parsed
from pipelines.sources.vmstat.clock import counter_lines, date_rows, read_clock
from pipelines.sources.vmstat.prefixes import preferred
from pipelines.sources.vmstat.results import gather
from pipelines.sources.vmstat.text import flatten

_ROW = r"^\d+ [A-Za-z]"
_LINE = re.compile(r"(\d{1,18}) (?:([KkMmB]) )?(.*)")
_UNITS = {"B": 1, "K": KIB, "k": 1000, "M": KIB * KIB, "m": 1000_000}
_MEMORY = {
    "used swap": "swapped_bytes",
    "free memory": "free_bytes",
    "buffer memory": "buffer_bytes",
    "swap cache": "cache_bytes",
    "inactive memory": "inactive_bytes",
    "active memory": "active_bytes",
}
_TICKS = {
    "non-nice user cpu ticks": "cpu_user",
    "nice user cpu ticks": "cpu_nice",
    "system cpu ticks": "cpu_system",
    "idle cpu ticks": "cpu_idle",
    "IO-wait cpu ticks": "cpu_wait",
    "IRQ cpu ticks": "cpu_system",
    "softirq cpu ticks": "cpu_system",
    "stolen cpu ticks": "cpu_stolen",
}
_PAGED = {
    "pages paged in": "read_bytes_s",  # to 3.3
    "pages paged out": "write_bytes_s",
    "paged in": "read_bytes_s",
    "paged out": "write_bytes_s",
}
_COUNTS = {"interrupts": "interrupt_rate", "CPU context switches": "switch_rate"}
_GUEST = ("non-nice guest cpu ticks", "nice guest cpu ticks")  # user ticks hold them too
_UNREAD = {"total memory", "used memory", "total swap", "free swap", "pages swapped in", "pages swapped out"}
_FIRST, _LAST = "total memory", "forks"
_KNOWN = {*_MEMORY, *_TICKS, *_PAGED, *_COUNTS, *_GUEST, *_UNREAD, "boot time", _LAST}
_WRAPPED = "wrapped counter"
START: Carry = {"snapshot": -1, "open": {}, "waiting": False, "before": {}, "before_at": None}

Values = dict[str, int]
Sample = dict[str, float | int | str | None]


def belongs(flat: str, mode: str) -> bool:
    """Is this a line of a snapshot, or a clock line?"""
    match = _LINE.fullmatch(flat)
    return (match is not None and match[3] in _KNOWN) or read_clock(flat) is not None


def parse(lines: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """Samples between snapshots; raises UnreadableFile for another mode's header or no clock."""
    flat = flatten(lines, origin, state)
    is_row = flat["flat"].str.contains(_ROW)
    rows = flat.filter(is_row)
    ranked, ends = _snapshots(rows["flat"].to_list(), state)
    rows = rows.with_columns(
        rank=pl.Series([rank for rank, _ in ranked], dtype=pl.Int64),
        reason=pl.Series([reason for _, reason in ranked], dtype=pl.String),
    )
    others = counter_lines(flat.filter(~is_row & (flat["flat"] != "")), rows, lambda _: False, "a host", state)
    state["n_rows"] = max(state["n_rows"], state["snapshot"] + 1)
    no_stamp = {"is_stamped": pl.lit(False), "local": pl.lit(None, pl.Datetime("us")), "word": pl.lit("")}
    dated = date_rows(preferred(rows[list(ends)].with_columns(**no_stamp)), others, origin, state)
    records = _samples(dated, list(ends.values()), state)
    n_read = rows.filter(pl.col("reason").is_null()).height
    return gather(lines, rows, others, records, n_read, HOST, origin, state)


def _snapshots(flats: list[str], state: Carry) -> tuple[list[tuple[int, str | None]], dict[int, Values]]:
    """Of each line its snapshot's rank and why it is rejected; by the place of its last line, a snapshot's values."""
    ranked: list[tuple[int, str | None]] = []
    ends: dict[int, Values] = {}
    state["open"] = {**state["open"]}
    for place, flat in enumerate(flats):
        match = _LINE.fullmatch(flat)
        number, unit, label = match.groups() if match else ("", None, "")
        if label == _FIRST:
            state["open"], state["waiting"] = {}, True
            state["snapshot"] += 1
        elif label in _KNOWN and label != _LAST:
            state["open"][label] = int(number) * (_UNITS[unit] if unit and label in _MEMORY else 1)
        elif label == _LAST and state["waiting"]:
            ends[place] = state["open"]
            state["open"], state["waiting"] = {}, False
        ranked.append((max(state["snapshot"], 0), None if label in _KNOWN else "bad_syntax"))
    return ranked, ends


def _samples(ends: pl.DataFrame, values: list[Values], state: Carry) -> pl.DataFrame:
    samples: list[Sample] = []
    for line_no, at, now in zip(ends["line_no"], ends["at"].dt.epoch("us"), values, strict=True):
        before, before_at = state["before"], state["before_at"]
        if before_at is not None and at > before_at and (rates := _rates(before, now, (at - before_at) / 1e6)):
            samples.append({"line_no": line_no, "from_at": before_at, "to_at": at, **rates})
        state["before"], state["before_at"] = now, at
    schema = {**schema_of(HOST), "from_at": pl.Int64(), "to_at": pl.Int64()}
    rows = pl.DataFrame(samples, schema=schema, orient="row")
    return rows.with_columns(pl.col("from_at", "to_at").cast(pl.Datetime("us")))


def _rates(before: Values, now: Values, seconds: float) -> Sample | None:
    """What the snapshots differ by; None if the host was booted in between."""
    risen = {label: now[label] - before[label] for label in now if label in before}
    ticks = {label: risen[label] for label in _TICKS if label in risen}
    if any(step < 0 for label, step in ticks.items() if label != "idle cpu ticks"):
        return None
    row: Sample = {column: now.get(label) for label, column in _MEMORY.items()}
    has_wrapped = False
    for label, column in {**_PAGED, **_COUNTS}.items():
        step, factor = risen.get(label), KIB if label in _PAGED else 1
        has_wrapped |= step is not None and step < 0
        if step is not None:
            row[column] = step * factor / seconds if step >= 0 else None
    total = sum(ticks.values())
    if len(ticks) >= len(_TICKS) - 1 and total > 0 and min(ticks.values()) >= 0:
        for label, column in _TICKS.items():
            if label in ticks:
                row[column] = float(row.get(column) or 0) + ticks[label] / total
        guests = [risen[label] for label in _GUEST if label in risen]
        row["cpu_guest"] = sum(guests) / total if guests and min(guests) >= 0 else None
    row["note"] = _WRAPPED if has_wrapped else None
    return row
