"""sar as text, of sysstat and of Solaris, AIX and HP-UX: a table for each activity, with clock times and no dates.

    Linux 5.14.0-70.el9.x86_64 (stage07.example.org) 	03/02/2026 	_x86_64_	(8 CPU)

    09:00:01 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
    09:10:01 AM       sdb     41.00      0.00  20992.00      0.00    512.00      0.21      5.10      8.40
    Average:          sdb     41.00      0.00  20992.00      0.00    512.00      0.21      5.10      8.40

The time in a header is where the first sample of its rows begins: sar prints that of the sample before, or after a
restart that of the first record. Rows have the time of their end. The tables of a day follow each other, each from its
beginning, so each activity has a clock of its own, which passes midnight where its times go back by half a day. Other
systems print the time with the first disk of a sample only.
"""

import re
from copy import deepcopy
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.flat import flatten
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import GIVE_DATE
from pipelines.sources._shared.sysstat import TIME, date_order, read_banner, read_date, read_stamps
from pipelines.sources.protocol import Carry, Origin, Parsed, first_of
from pipelines.sources.sar.activities import LINUX, UNIX, Activity, Layout, read_header
from pipelines.sources.sar.measure import ChunkRows, previous, rows_of

BANNER = re.compile(r"(Linux|SunOS|AIX|HP-UX) \S")
UNIX_BANNER = re.compile(r"(?:SunOS|AIX|HP-UX) (\S+) .*?(\d{1,2}/\d{1,2}/\d{2,4})")
TIMED = re.compile(rf"^(?P<time>{TIME})(?: (?P<rest>.*))?$")
# What a header is: names without a single number, one of them of a kind that only names are.
NUMBER = r"(?:^| )-?\d+(?:[.,]\d+)?[BkKMGTP%]?(?: |$)"
NAMES = (
    r"/s(?: |$)|%\w|\bkb\w|\bMB\w|-sz|\b(?:CPU|DEV|IFACE|INTR|TTY|BUS|FCHOST|DEVICE|device|tcpsck|dentunusd|freemem)\b"
)

_MARK = r"^LINUX RESTART|^COM |[Rr]estart"
_AVERAGE = r"^(?:\S+ ?:(?: |$)|Average\b)"
_CONFIGURATION = "System configuration"
_NO_HEADER = ""
_START: Carry = {
    "header": _NO_HEADER,
    "run": 0,  # banners so far
    "banner": None,  # host, day and processors of the last
    "clocks": {},  # by header
    "chains": {},
    "time": None,  # of the last row that had one
    "in_average": False,
}


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry) -> Parsed:
    """Rows of the activities that are read; raises UnreadableFile for a header that pretends to be one of them."""
    state = deepcopy({**_START, **carry})
    is_unix = any(UNIX_BANNER.match(" ".join(line.split())) for line in origin.head)
    classified = _classify(flatten(lines), is_unix)
    classified = _under_banners(classified, origin, state)
    classified = _under_headers(classified, state)
    if is_unix:
        classified = _carry_times(classified, state)
    found, used = ChunkRows(origin), [classified.filter(kind="banner")["line_no"]]
    layouts = _layouts(classified["header"], UNIX if is_unix else LINUX)
    known = pl.col("header").is_in([header for header, layout in layouts.items() if layout])
    for header, layout in layouts.items():
        if layout:
            part = classified.filter(pl.col("kind").is_in(["header", "row"]) & (pl.col("header") == header))
            used.append(part.filter(kind="header")["line_no"])
            _read(part, header, layout, origin, state, found)
    is_lost = (pl.col("kind") == "row") & (pl.col("header") == _NO_HEADER)
    is_junk = (pl.col("kind") == "junk") & ((not is_unix) | known | (pl.col("header") == _NO_HEADER))
    is_junk = is_junk | (pl.col("kind") == "broken")
    reason = pl.when(is_lost).then(pl.lit("no_header")).when(is_junk).then(pl.lit("bad_syntax"))
    found.reject(classified.with_columns(reason=reason))
    return found.parsed(lines.height, used, state)


def _classify(lines: pl.DataFrame, is_unix: bool) -> pl.DataFrame:
    """Add `kind`, and of lines that begin with a clock time `time` and `rest`."""
    flat, rest = pl.col("flat"), pl.col("rest")
    groups = flat.str.extract_groups(TIMED.pattern).struct
    lines = lines.with_columns(time=groups.field("time"), rest=groups.field("rest"))
    is_timed = pl.col("time").is_not_null()
    is_names = rest.str.contains(NAMES) & ~rest.str.contains(NUMBER)
    kind = first_of(
        blank=flat == "",
        junk=is_timed & rest.is_null(),
        mark=is_timed & rest.str.contains(_MARK),
        header=is_timed & is_names,
        row=is_timed,
        banner=flat.str.contains(BANNER.pattern),
        average=flat.str.contains(_AVERAGE) | flat.str.starts_with(_CONFIGURATION),
        otherwise="junk",
    )
    lines = lines.with_columns(kind=kind)
    if is_unix:
        stacked = lines.filter((pl.col("kind") == "junk") & flat.str.contains(NAMES) & ~flat.str.contains(NUMBER))
        if stacked.height:
            line_no, names = stacked.select("line_no", "flat").row(0)
            raise UnreadableFile(
                f"line {line_no}: the rows of several activities alternate: {names[:120]}",
                "print one activity at a time (sar -u, sar -d), each into its own file or one after the other",
            )
    return lines


def _under_banners(lines: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Add `run`, `host`, `day`, `n_cpus` and `is_broken` of the banner above; a broken one ends what was above it."""
    is_banner = pl.col("kind") == "banner"
    lines = lines.with_columns(run=is_banner.cast(pl.Int64).cum_sum() + state["run"])
    banners: list[dict[str, Any]] = [{"run": state["run"], **(state["banner"] or _banner("", "", None, origin))}]
    for run, flat in lines.filter(is_banner).select("run", "flat").rows():
        banners.append({"run": run, **_read_banner(flat, origin)})
    state["run"] = banners[-1]["run"]
    state["banner"] = {key: value for key, value in banners[-1].items() if key != "run"}
    schema = {"run": pl.Int64, "host": pl.String, "day": pl.String, "n_cpus": pl.Int32, "is_broken": pl.Boolean}
    frame = pl.DataFrame(banners, schema=schema).with_columns(pl.col("day").str.to_date("%Y-%m-%d"))
    lines = lines.join(frame, on="run", how="left", maintain_order="left")
    return lines.with_columns(kind=pl.when(is_banner & pl.col("is_broken")).then(pl.lit("broken")).otherwise("kind"))


def _read_banner(flat: str, origin: Origin) -> dict[str, Any]:
    if match := UNIX_BANNER.match(flat):
        return _banner(match[1], match[2], None, origin, date_order([match[2]], origin) or "mdy")  # as they print it
    if banner := read_banner(flat):
        return _banner(banner.host, banner.date, banner.n_cpus, origin, date_order(origin.head, origin))
    return {**_banner("", "", None, origin), "day": None, "is_broken": True}


def _banner(host: str, printed_date: str, n_cpus: int | None, origin: Origin, order: str = "") -> dict[str, Any]:
    """What holds below a banner; below none, or one without a date, the day of site.toml."""
    day = read_date(printed_date, order) if printed_date else origin.date
    return {
        "host": origin.host or host or stem_of(origin.path),
        "day": day.isoformat() if day else None,
        "n_cpus": n_cpus,
        "is_broken": day is None and printed_date != "",
    }


def _under_headers(lines: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `header`: the names above a line, none after a banner."""
    event = (
        pl.when(pl.col("kind") == "header")
        .then("rest")
        .when(pl.col("kind").is_in(["banner", "broken"]))
        .then(pl.lit(_NO_HEADER))
    )
    lines = lines.with_columns(header=event.forward_fill().fill_null(state["header"]))
    if lines.height:
        state["header"] = lines["header"][-1]
    return lines


def _layouts(headers: pl.Series, activities: tuple[Activity, ...]) -> dict[str, Layout | None]:
    texts = headers.unique(maintain_order=True).to_list()
    return {text: read_header(tuple(text.split(" ")), activities) for text in texts if text}


def _carry_times(lines: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Give lines without a time the time above them; not after an average, which has such lines too."""
    average = pl.when(pl.col("kind") == "average").then(True).when(pl.col("time").is_not_null()).then(False)
    time = (
        pl.when(pl.col("kind") == "row")
        .then("time")
        .when(pl.col("kind").is_in(["header", "banner", "broken"]))
        .then(pl.lit(""))
    )
    lines = lines.with_columns(
        in_average=average.forward_fill().fill_null(state["in_average"]),
        last=time.forward_fill().fill_null(pl.lit(state["time"], dtype=pl.String)),
    )
    if lines.height:
        state["in_average"], state["time"] = lines.select("in_average", "last").row(-1)
    is_next = (pl.col("kind") == "junk") & pl.col("flat").str.contains(NUMBER)
    is_average = is_next & pl.col("in_average")
    is_row = is_next & ~pl.col("in_average") & (pl.col("last").fill_null("") != "")
    return lines.with_columns(
        kind=pl.when(is_average).then(pl.lit("average")).when(is_row).then(pl.lit("row")).otherwise("kind"),
        time=pl.when(is_row).then("last").otherwise("time"),
        rest=pl.when(is_row).then("flat").otherwise("rest"),
    )


def _instants(part: pl.DataFrame, header: str, origin: Origin, state: Carry) -> pl.Series:
    """Instants of an activity's lines; those of one sample have one stamp, which is read once."""
    stamps = part.select("day", "run", flat="time")
    is_new = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in ("run", "flat"))
    is_new_stamp = stamps.select(is_new).to_series()
    order = date_order(origin.head, origin)
    at, state["clocks"][header] = read_stamps(stamps.filter(is_new_stamp), origin, order, state["clocks"].get(header))
    return at.gather(is_new_stamp.cast(pl.Int64).cum_sum() - 1)


def _read(part: pl.DataFrame, header: str, layout: Layout, origin: Origin, state: Carry, found: ChunkRows) -> None:
    """The rows of one activity; `part` holds its header lines too, whose times begin the first samples."""
    undated = part.filter(pl.col("day").is_null() & ~pl.col("is_broken"))
    if undated.height:
        raise UnreadableFile("neither the rows nor a banner above them have a date", GIVE_DATE, "no_clock")
    part = part.with_columns(to_at=_instants(part, header, origin, state))
    timed = part.filter(pl.col("to_at").is_not_null()).select("line_no", at="to_at", block="run")
    from_at, state["chains"][header] = previous(timed, state["chains"].get(header))
    begun = timed.select("line_no").with_columns(from_at=from_at)
    rows = part.join(begun, on="line_no", how="left", maintain_order="left").filter(kind="row")
    n_names = len(layout.names)
    reason = first_of(
        bad_time=pl.col("to_at").is_null(),
        wrong_width=pl.col("rest").str.count_matches(" ", literal=True) != n_names - 1,
        out_of_order=pl.col("to_at") < pl.col("from_at"),
    )
    rows = rows.with_columns(reason=reason)
    found.reject(rows)
    cells = pl.col("rest").str.split_exact(" ", n_names - 1)
    rows = rows.filter(pl.col("reason").is_null())
    rows = rows_of(rows, layout, [cells.struct.field(f"field_{place}") for place in range(n_names)])
    found.add(rows, layout)
