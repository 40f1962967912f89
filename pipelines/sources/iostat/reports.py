"""When the reports of iostat were made, and which of them cover an interval.

The first report of a run holds averages since boot: it is left out, but its stamp begins the next interval. A stamp
that runs back, or that cannot be read, makes the next report the first of a run. In a file that has lost its banners a
step of more than three times the one before is taken for a new run.
"""

from datetime import date
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.coverage import unbroken
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import GIVE_START, dated, read_stamp
from pipelines.sources._shared.sysstat import UNDATED, date_order, read_banner, read_date, read_stamps
from pipelines.sources.iostat.events import BANNER, STAMP, read_clock
from pipelines.sources.protocol import Carry, Origin

_INSTANT = pl.Datetime("us")
# The outcome for a report's rows: measured, or left out as an average since boot; else the reason of their reject.
MEASURED, BEGINS = "measured", "begins"


def date_reports(
    found: pl.DataFrame, clocks: pl.DataFrame, runs: dict[int, list[Any]], origin: Origin, state: Carry
) -> pl.DataFrame:
    """The reports that begin in this chunk: `report`, `run`, `line_no`, `at`, `from_at` and `status`.

    Raises UnreadableFile where one that counts has no time, or its date can be read in two ways.
    """
    order = date_order(origin.head, origin)
    reports = found.filter("begins").select("line_no", "run", "report", "kind", "flat")
    stamps = reports.filter(kind=STAMP)
    days = {run: _day(banner, stamps, order) for run, banner in runs.items()}
    stamps = stamps.join(
        pl.DataFrame({"run": list(days), "day": list(days.values())}, schema={"run": pl.Int64, "day": pl.Date}),
        on="run",
        how="left",
        maintain_order="left",
    )
    at, state["clock"] = read_stamps(stamps, origin, order, state["clock"])
    reports = reports.join(stamps.select("report", at=at), on="report", how="left", maintain_order="left")
    is_stamped = (pl.col("kind") == STAMP).cum_max() | state["is_stamped"]
    reports = _count(reports.with_columns(is_stamped=is_stamped), found, clocks, origin, state)
    return _judge(reports, state)


def find_runs(found: pl.DataFrame, state: Carry) -> dict[int, list[Any]]:
    """Host, processors and printed date of each run; the current one is noted for the next chunk."""
    runs: dict[int, list[Any]] = {state["run"]: state["banner"]}
    for run, flat in found.filter((pl.col("kind") == BANNER) & (pl.col("line_no") > 0)).select("run", "flat").rows():
        banner = read_banner(flat)
        runs[run] = list(banner) if banner else ["", "", None]
    state["run"], state["banner"] = max(runs), runs[max(runs)]
    return runs


def hosts(runs: dict[int, list[Any]], origin: Origin) -> pl.DataFrame:
    """`run`, `host` and `n_cpus`: the host of site.toml, else the banner's, else the file's name."""
    default = stem_of(origin.path)
    return pl.DataFrame(
        [(run, origin.host or banner[0] or default, banner[2]) for run, banner in runs.items()],
        schema={"run": pl.Int64, "host": pl.String, "n_cpus": pl.Int32},
        orient="row",
    )


def _day(banner: list[Any], stamps: pl.DataFrame, order: str) -> date | None:
    """The day of a banner, if stamps without a date need it."""
    if not stamps["flat"].str.contains(UNDATED).any():
        return None
    return read_date(str(banner[1]), order)


def _count(
    reports: pl.DataFrame, found: pl.DataFrame, clocks: pl.DataFrame, origin: Origin, state: Carry
) -> pl.DataFrame:
    """Date reports without a stamp: the last date line, or the file's start, plus one step for each report since."""
    clock_rows = [(line_no, *read_clock(flat)) for line_no, flat in clocks.select("line_no", "flat").rows()]
    anchors = pl.DataFrame(
        clock_rows,
        schema={"line_no": pl.Int64, "clock": pl.String, "word": pl.String, "promised_s": pl.Int64},
        orient="row",
    ).with_columns(local=read_stamp(pl.col("clock"), "%Y %b %d %H:%M:%S"))
    anchors, state["anchor_fold"] = dated(anchors, origin.zone, state["anchor_fold"])
    anchors = anchors.with_columns(anchor_at=pl.col("at").dt.epoch("us")).join_asof(
        found.select("line_no", anchor=pl.col("report") + 1), on="line_no"
    )
    step = None if origin.interval_s is None else round(origin.interval_s * 1_000_000)
    reports = (
        reports.join_asof(anchors.select("line_no", "anchor_at", "anchor", "promised_s"), on="line_no")
        .with_columns(
            pl.col("anchor_at").fill_null(pl.lit(state["anchor_at"], dtype=pl.Int64)),
            pl.col("anchor").fill_null(state["anchor"]),
            step=pl.coalesce(
                pl.lit(step, dtype=pl.Int64),
                pl.col("promised_s") * 1_000_000,
                pl.lit(state["promised_s"], dtype=pl.Int64) * 1_000_000,
            ),
        )
        .with_columns(ahead=pl.col("report") - pl.col("anchor"))
    )
    counted = pl.col("anchor_at") + pl.when(pl.col("ahead") == 0).then(0).otherwise(pl.col("ahead") * pl.col("step"))
    if anchors.height:
        state["anchor_at"], state["anchor"] = anchors.select("anchor_at", "anchor").row(-1)
        state["promised_s"] = anchors["promised_s"][-1]
    return reports.with_columns(at=pl.coalesce("at", pl.when(~pl.col("is_stamped")).then(counted.cast(_INSTANT))))


def _judge(reports: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `from_at` and `status`, and note the last report for the next chunk."""
    before = pl.DataFrame(
        [{"run": state["last_run"], "at": state["last_at"], "span": state["span"]}],
        schema={"run": pl.Int64, "at": pl.Int64, "span": pl.Int64},
    )
    both = pl.concat([before, reports.select("run", at=pl.col("at").dt.epoch("us"), span=pl.lit(None, dtype=pl.Int64))])
    at, last = pl.col("at"), pl.col("at").shift(1)
    is_first = (pl.col("run") != pl.col("run").shift(1)).fill_null(True)
    both = both.with_columns(is_first=is_first, from_at=pl.when(~is_first).then(last))
    both = both.with_columns(span=pl.coalesce("span", at - pl.col("from_at")))
    is_gap = (pl.col("run") == 0) & (pl.col("span") > 3 * pl.col("span").shift(1)) & (pl.col("span").shift(1) > 0)
    status = (
        pl.when("is_first")
        .then(pl.lit(BEGINS))
        .when(at.is_null())
        .then(pl.lit("bad_time"))
        .when(pl.col("span").is_null() | (pl.col("span") < 0) | is_gap)
        .then(pl.lit(BEGINS))
        .when(pl.col("span") == 0)
        .then(pl.lit("out_of_order"))
        .otherwise(pl.lit(MEASURED))
    )
    both = both.with_columns(status=status)
    judged = reports.with_columns(
        both[1:].select(pl.col("from_at").cast(_INSTANT), "status", "span", "is_first").get_columns()
    )
    if judged.filter(pl.col("at").is_null() & ~pl.col("is_first") & ~pl.col("is_stamped")).height:
        raise UnreadableFile("the reports of iostat in this file have no time", GIVE_START, "no_clock")
    if judged.height:
        state["last_run"], state["last_at"], state["span"] = both.select("run", "at", "span").row(-1)
        state["report"] = judged["report"][-1]
        state["is_stamped"] = judged["is_stamped"][-1]
    return judged


def attach(found: pl.DataFrame, reports: pl.DataFrame, run_hosts: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Each event with what is known of its report and run; the open report is noted for the next chunk."""
    opened = pl.DataFrame(
        [{"report": state["open_report"], **state["open"]}],
        schema={"report": pl.Int64, "status": pl.String, "from_at": pl.Int64, "at": pl.Int64},
    )
    known = pl.concat(
        [opened, reports.select("report", "status", *(pl.col(n).dt.epoch("us") for n in ("from_at", "at")))]
    )
    found = found.join(known, on="report", how="left", maintain_order="left").join(
        run_hosts, on="run", how="left", maintain_order="left"
    )
    last = known.row(-1, named=True)
    state["open_report"] = last.pop("report")
    state["open"] = last
    return found.with_columns(pl.col("from_at", "at").cast(_INSTANT))


def coverage_of(reports: pl.DataFrame, run_hosts: pl.DataFrame) -> pl.DataFrame:
    """The unbroken intervals that reports cover."""
    good = reports.filter(status=MEASURED).join(run_hosts, on="run", how="left", maintain_order="left")
    return unbroken(good.rename({"at": "to_at"}))
