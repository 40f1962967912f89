"""iostat of sysstat: processor shares of a host and, per disk, bytes, requests, waits, queue and busy share.

    Linux 2.6.32-696.el6.x86_64 (dm8)   04/25/2010   _x86_64_   (16 CPU)

    04/25/2010 08:00:01 AM
    avg-cpu:  %user   %nice %system %iowait  %steal   %idle
               0.52    0.00    3.11    8.02    0.00   88.35

    Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await  svctm  %util
    sdb               0.00   812.00    0.00  104.00     0.00   101.22  1993.25    14.20  136.50   7.90  82.20

Written by sysstat 3 to 12.7 with any options: columns and units come from the header's names, see `layout`; a cut or
unknown header is refused. Reports of several tables (`-h`, `--pretty`) become one row per device, at the line of the
last. Tables of network file systems (7.0 to 9.1) are skipped: they count bytes of other hosts' disks. iostat of
Solaris, BSD systems, AIX and HP-UX is named and refused.

**Clock.** A report's stamp (`-t`) ends its interval, the stamp before begins it. Without `-t` the first report is of
`origin.start_at`, or of the date line a wrapper such as OSWatcher puts above it, and each that follows is
`origin.interval_s` later. How dates are read: see `_sysstat`.

**Runs.** Each banner begins a run, and the first report of a run holds averages since boot: it is left out. With `-y`
that loses one interval, since nothing in the text shows `-y`. The opposite choice would take averages since boot for an
interval.

**Doubt.** A wait of 0.00 where no request completed is null. Values no disk can have (a queue above a million, busy
above 110 %, negative rates) are null and named in `note`: counters of 32 bits wrap.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared import fixed_width
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.stamps import microseconds
from pipelines.sources._shared.sysstat import foreign_banner, read_banner, without_colours
from pipelines.sources.iostat import json_form
from pipelines.sources.iostat.doubts import believe, believe_shares
from pipelines.sources.iostat.events import BANNER, CLOCK, HEADER, JUNK, MORE, ROW, STAMP, find_events, is_fitting, part
from pipelines.sources.iostat.layout import (
    COLUMNS,
    CPU,
    DEVICE,
    SKIPPED,
    Layout,
    foreign,
    is_like_header,
    is_more,
    read_header,
)
from pipelines.sources.iostat.reports import BEGINS, MEASURED, attach, coverage_of, date_reports, find_runs, hosts
from pipelines.sources.iostat.rows import merge, name_devices, split
from pipelines.sources.protocol import AVERAGES, Carry, Claim, Origin, Parsed, rejected

TITLE = "iostat"
VERSION = 4
TABLES = ("host_sample", "device_sample")
SPEAKS_FOR = "hosts"

_MAIN = {"read_bytes_s", "write_bytes_s", "moved_bytes_s", "wait_s", "read_wait_s", "write_wait_s", "queue", "busy"}
_USED = [STAMP, BANNER, HEADER, MORE, CLOCK]
_START: Carry = {
    "run": 0,  # banners so far, and the contents of the last one: host, date as printed, processors
    "banner": ["", "", None],
    "report": 0,  # reports so far
    "kind": "",  # of the last banner, stamp or header, and its text
    "flat": "",
    "section": "",  # the header above
    "is_indented": False,
    "clock": None,  # see _sysstat
    "is_stamped": False,
    "anchor_at": None,  # microseconds: the instant of report `anchor`, if it carries no stamp
    "anchor": 1,
    "anchor_fold": None,  # see _shared/stamps
    "promised_s": None,  # the step that a wrapper's date line names
    "last_run": None,  # of the last report: run, instant, and microseconds since the one before
    "last_at": None,
    "span": None,
    "open_report": 0,  # the report the next lines belong to
    "open": {"status": BEGINS, "from_at": None, "at": None},
    "pieces": [],  # rows of that report that wait for their other half, see rows.merge
    "is_head": False,
    "is_json": None,  # see json_form
    "json_host": None,
    "awaits_disk": False,
}


def recognise(head: list[str]) -> Claim:
    """A header of iostat's tables, or its JSON; anything else is named as far as it is known."""
    flats = [flat for line in head if (flat := " ".join(line.split()))]
    if not flats:
        return Claim(False, 0.0, "the file is empty")
    if claim := json_form.recognise(flats):
        return claim
    for flat in flats:
        if what := foreign(flat):
            return Claim(
                False, 0.7, f"this is {what}; its columns differ from those of Linux, and only iostat of Linux is read"
            )
    if what := foreign_banner(flats[0]):
        return Claim(False, 0.3, f"the first line is of {what}; only iostat of Linux is read")
    headers = [(place, flat) for place, flat in enumerate(flats) if is_like_header(flat)]
    layouts = [(flat, _layout_at(flats, place)) for place, flat in headers]
    known = [layout for _, layout in layouts if layout is not None and layout.family != SKIPPED]
    if known and 2 * sum(is_fitting(flat) for flat in flats) < len(flats):
        return Claim(False, 0.5, "a header of iostat, but most lines are neither rows nor headers of iostat")
    if known:
        return Claim(True, 1.0, f"reports of iostat: {_sections(known)}")
    if layouts and layouts[0][1] is not None:
        return Claim(False, 0.6, "only iostat's table of network file systems, which is not read")
    if layouts:
        return Claim(
            False, 0.6, f"a header like that of iostat, but with unknown or cut columns: {layouts[0][0][:120]}"
        )
    if any(read_banner(flat) for flat in flats):
        return Claim(False, 0.3, "a banner of sysstat, but no header of iostat")
    return Claim(False, 0.0, "no header line of iostat")


def _sections(layouts: list[Layout]) -> str:
    """What reports hold: processor shares, and of devices the columns that matter most, in the words of the header."""
    names = dict.fromkeys(name for layout in layouts if layout.family == DEVICE for name in layout.names)
    shown = [name for name in names if COLUMNS[name].name in _MAIN]
    devices = f"devices ({', '.join(shown)})" if shown else "devices" if names else ""
    cpu = "avg-cpu" if any(layout.family == CPU for layout in layouts) else ""
    return " and ".join(filter(None, (cpu, devices))) + ("" if devices else ", without devices")


def _layout_at(flats: list[str], place: int) -> Any:
    more = flats[place + 1] if place + 1 < len(flats) else ""
    return read_header(f"{flats[place]}\n{more}" if is_more(more) else flats[place])


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of the host and its devices; raises UnreadableFile for an unknown header or no clock."""
    lines = without_colours(lines)
    state: Carry = {**_START, **(carry or {})}
    if carry is None and origin.start_at is not None:
        state["anchor_at"] = microseconds(origin.start_at)
    columns: dict[fixed_width.Shape, pl.DataFrame] = {}
    if json_form.is_json(origin, lines, state):
        rows, others = json_form.part(lines, state)
    else:
        columns, rest = fixed_width.peel(lines)
        rows, others = part(rest)
    found = find_events(others, state)
    runs = find_runs(found, state)
    run_hosts = hosts(runs, origin)
    reports = date_reports(found, others.filter(kind=CLOCK), runs, origin, state)
    found = attach(found, reports, run_hosts, state)
    more = others.filter(kind=ROW)
    if more.height:
        rows = pl.concat([rows, more.select(rows.columns)]).sort("line_no")
    parts = split(_place(rows, found), {shape: _place(part, found) for shape, part in columns.items()})
    return _gather(lines, others, found, reports, parts, run_hosts, state)


def _place(rows: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Rows with their section and report."""
    above = found.select("line_no", "section", "is_indented", "report")
    return rows.set_sorted("line_no").join_asof(above.set_sorted("line_no"), on="line_no")


def _gather(
    lines: pl.DataFrame,
    others: pl.DataFrame,
    found: pl.DataFrame,
    reports: pl.DataFrame,
    rows: tuple[pl.DataFrame, pl.DataFrame],
    run_hosts: pl.DataFrame,
    state: Carry,
) -> Parsed:
    """Samples of the reports that measured an interval, and the account of all lines."""
    known = found.group_by("report", maintain_order=True).agg(
        pl.col("status", "from_at", "at", "host", "n_cpus").first()
    )
    # reports are numbered one by one: their places are known without a join
    cpu, device = (part.hstack(known[part["report"] - known["report"][0]].drop("report")) for part in rows)
    device = name_devices(device)
    has_number_for_name = pl.col("kind").is_null() & pl.col("device").is_not_null()
    device = device.with_columns(reason=pl.coalesce("reason", pl.when(has_number_for_name).then(pl.lit("bad_syntax"))))
    late = pl.when(~pl.col("status").is_in([BEGINS, MEASURED])).then("status")
    cpu, device = (part.with_columns(reason=pl.coalesce("reason", late)) for part in (cpu, device))
    shares, pieces = (
        part.filter(pl.col("reason").is_null() & (pl.col("status") == MEASURED)) for part in (cpu, device)
    )
    samples, lost = merge(pieces, state["open_report"], state)
    misread = others.filter(kind=JUNK).with_columns(reason=pl.lit("bad_syntax"))
    unread = reports.filter((pl.col("kind") == STAMP) & pl.col("at").is_null())
    unread = others.join(unread, on="line_no", how="semi").with_columns(reason=pl.lit("bad_time"))
    lost = lost.with_columns(reason=pl.lit("wrong_width"))
    rejects = rejected(cpu, device, lost, misread, unread).unique("line_no").sort("line_no")
    is_average = pl.col("reason").is_null() & (pl.col("status") == BEGINS)
    n_averages = sum(part.filter(is_average).height for part in (cpu, device))
    used = pl.concat([others.filter(pl.col("kind").is_in(_USED))["line_no"], shares["line_no"], pieces["line_no"]])
    if state["is_json"]:  # where one line holds a header and a row
        used = used.unique()
    n_used = used.filter(~used.is_in(rejects["line_no"].implode())).len() if rejects.height else used.len()
    return Parsed.of(
        lines,
        n_used,
        rejects,
        tables={
            "host_sample": _samples(believe_shares(shares), "host_sample"),
            "device_sample": _samples(believe(samples), "device_sample"),
        },
        coverage=coverage_of(reports, run_hosts),
        carry=state,
        notes={AVERAGES: n_averages},
    )


def _samples(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    return complete(rows.rename({"at": "to_at"}).with_columns(tool=pl.lit("iostat")), table)
