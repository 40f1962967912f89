"""What node_exporter or snmp_exporter answers to a scrape: Prometheus' exposition text, one or more scrapes in a file.

    # 2015-07-13T10:00:00Z
    # HELP node_network_receive_bytes_total Network device statistic receive_bytes.
    # TYPE node_network_receive_bytes_total counter
    node_network_receive_bytes_total{device="eth0"} 1.5e+09

Which metrics are read and where they go: see `_shared/exporters.py`; how scrapes become rows: see `_shared/scrapes.py`.

**Clock.** A sample's own timestamp (milliseconds; seconds in OpenMetrics), else the time in a comment above the scrape
(ISO or seconds since 1970; without a zone it is that of site.toml), else, of a file of one scrape, the instant the file
was written. Scrapes are best kept so:

    (date -u +'# %FT%TZ'; curl -s localhost:9100/metrics; echo '# EOF') >> tpsrv01.prom

**Scrapes.** One begins with the comment that dates it, or with the series the file begins with. It ends where the next
begins, or at `# EOF`; until then its samples wait, so the last scrape without that line gives rows when the file grows.

Samples of ENDIT's statistics, which node_exporter passes on from its textfile folder, carry their daemon's own clock
and go where the files there would (`endit_stats`). They must be adjacent: a sample of anything else ends them.

**The first scrape** has no earlier one: its counters are skipped, its gauges count for the second up to it.
"""

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared import endit_samples
from pipelines.sources._shared.exporters import EXPORTED, METRICS
from pipelines.sources._shared.scrapes import EARLIEST_US, LATEST_US, SAMPLES, begin_unit, gauges, to_rows
from pipelines.sources._shared.scrapes import TABLES as OF_HOSTS
from pipelines.sources._shared.stamps import microseconds
from pipelines.sources.protocol import COUNTERS, Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "Prometheus, exposition text"
TABLES = (*OF_HOSTS, endit_samples.TABLE)
VERSION = 5
SPEAKS_FOR = "hosts"

_START: Carry = {
    "last": {},
    "scrape": 0,  # scrapes so far
    "is_dated": False,  # a comment dates each scrape
    "at": None,  # microseconds: the instant of the scrape, if a comment gives it
    "latest": None,  # of these, the latest
    "first": None,  # the series the file begins with
    "pending": [],  # samples of the scrape that has not ended
    "block": 0,  # how many times samples of ENDIT may have ended
    "endit": [],  # samples of ENDIT that may not have
}
_COUNTERS = [name for name, metric in METRICS.items() if metric.is_counter]
_LABEL_SET = r'\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\}'
_EXEMPLAR = r"(?:[ \t]+# \{.*)?"  # of OpenMetrics: another value, with labels of its own
_SAMPLE = rf"^\s*([A-Za-z_:][A-Za-z0-9_:]*)(?:{_LABEL_SET})?[ \t]+([^ \t]+)(?:[ \t]+(-?[0-9.eE+]+))?{_EXEMPLAR}[ \t]*$"
_EXPORTER = r"^(?:node_|ifHC|if(?:In|Out)Octets$)"
_ENDIT = r"^endit_(?:archiver|retriever)_"
_OF_ENDIT = pl.Schema({"block": pl.Int64, "line_no": pl.Int64, "text": pl.String})
_MOST_OF_ENDIT = 10_000  # of one block: a daemon writes 45
_COMMENT = r"^\s*(?:#.*)?$"
_ABOUT = r"^\s*# (?:HELP|TYPE|UNIT) "
_EOF = r"^# EOF\s*$"
_CLOCK = (
    r"^#[A-Za-z_ \t]{0,40}[:=]?[ \t]*"
    r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?|\d{10}(?:\.\d{1,6})?)\s*$"
)
_PLACED = pl.Schema(
    {"line_no": pl.Int64, "scrape": pl.Int64, "scrape_at": pl.Int64, "is_dated": pl.Boolean, "reason": pl.String}
)
_LABELS = ("instance", "device", "ifName", "ifDescr", "ifIndex", "ifAlias", "cpu", "mode")
_MS_FROM = 1e11  # a timestamp above is in milliseconds


def recognise(head: list[str]) -> Claim:
    """Lines of a name, labels and a value; names of an exporter that is read. A filter may have dropped comments."""
    texts = pl.Series([line for line in head if line.strip()], dtype=pl.String)
    about, names = texts.str.contains(_ABOUT), texts.str.extract(_SAMPLE, 1).drop_nulls()
    if not len(names) or not (about.any() or names.is_in(list(EXPORTED)).any()):
        return Claim(False, 0.0, "no comment TYPE or HELP above samples in Prometheus format")
    is_other = ~texts.str.contains(_SAMPLE) & ~texts.str.contains(_COMMENT)
    if 10 * int(is_other.sum()) > len(texts):
        return Claim(False, 0.4, "some samples in Prometheus format, but many other lines")
    if names.str.contains(_EXPORTER).any():
        return Claim(True, 1.0, "samples of node_exporter or of switch ports")
    return Claim(False, 0.6, f"samples in Prometheus format, but of an exporter that is not read: {names[0][:60]}")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of hosts, disks and interfaces; raises UnreadableFile where a second scrape has no clock."""
    state: Carry = {**_START, **(carry or {})}
    read = _read(lines)
    placed, end = _place(read, origin, state)
    read = read.join(placed, on="line_no", how="left", maintain_order="left")
    read = _judge(read)
    samples = read.filter("is_kept").with_columns(unit="scrape").select(SAMPLES.names())
    rows = to_rows(samples, origin, state, "prometheus_text", end)
    first, covered = gauges(samples.filter(unit=1), origin, "prometheus_text")
    is_begin = read["is_kept"] & (read["scrape"] == 1) & read["metric"].is_in(_COUNTERS)
    of_endit = _endit(read, origin, state)
    n_used = int(((read["is_kept"] & ~is_begin) | read["is_endit"]).sum())
    return Parsed.of(
        lines,
        n_used,
        rejected(read),
        tables={table: pl.concat([first[table], rows.tables[table]]) for table in OF_HOSTS}
        | {endit_samples.TABLE: of_endit},
        coverage=pl.concat([covered, rows.coverage, endit_samples.instants(of_endit)]),
        carry=state,
        notes={COUNTERS: int(is_begin.sum())},
    )


def _endit(read: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Rows of ENDIT's statistics whose samples have ended. `state` moves on."""
    is_other = pl.col("metric").is_not_null() & ~pl.col("metric").str.contains(_ENDIT)
    ended = (is_other | pl.col("clock").is_not_null() | pl.col("is_end")).fill_null(False)
    read = read.with_columns(block=state["block"] + ended.cum_sum().cast(pl.Int64))
    state["block"] = int(read["block"][-1]) if read.height else state["block"]
    before = pl.DataFrame(state["endit"], schema=_OF_ENDIT, orient="row")
    every = pl.concat([before, read.filter("is_endit").select(_OF_ENDIT.names())])
    every = every.filter(pl.int_range(pl.len()).over("block") < _MOST_OF_ENDIT)
    is_whole = pl.col("block") < state["block"]
    state["endit"] = [list(row) for row in every.filter(~is_whole).rows()]
    samples = endit_samples.samples_of(every.filter(is_whole), by=("block",))
    return endit_samples.to_table(endit_samples.pivoted(samples, by=("block",)), origin)


def _read(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines as their parts: series, labels, value and timestamp; clock and end of a scrape."""
    text = pl.col("text")
    groups = lines["text"].str.extract_groups(_SAMPLE).struct
    is_about = text.str.contains(_ABOUT)
    return lines.with_columns(
        metric=groups.field("1"),
        labels=groups.field("2").fill_null(""),
        number=groups.field("3"),
        stamp=groups.field("4"),
        clock=pl.when(~is_about).then(text.str.extract(_CLOCK)),
        is_end=text.str.contains(_EOF),
        is_comment=text.str.contains(_COMMENT),
    ).with_columns(
        pl.col("labels").str.extract(rf'(?:^|,)\s*{name}="([^"]*)"').fill_null("").alias(name) for name in _LABELS
    )


def _place(read: pl.DataFrame, origin: Origin, state: Carry) -> tuple[pl.DataFrame, int]:
    """The scrape of each line and its instant, and the last complete one. `state` moves on."""
    placed: list[tuple[int, int, int | None, bool, str | None]] = []
    columns = read.select("line_no", "metric", "labels", "clock", "is_end")
    for line_no, metric, labels, clock, is_end in columns.rows():
        reason = None
        if clock is not None:
            reason = begin_unit(state, "scrape", clock, origin.zone)
            state["is_dated"] = True
        elif metric is not None and not state["is_dated"]:
            series = f"{metric}{{{labels}}}"
            if state["first"] is None or series == state["first"]:
                state.update(first=series, scrape=state["scrape"] + 1)
        elif is_end:
            state.update(at=None, scrape=state["scrape"] + 1)  # lines below without a clock belong to no scrape
        placed.append((line_no, state["scrape"], _known_at(origin, state), state["is_dated"], reason))
    return pl.DataFrame(placed, schema=_PLACED, orient="row"), state["scrape"] - 1


def _known_at(origin: Origin, state: Carry) -> int | None:
    """The instant of samples without a timestamp."""
    if state["is_dated"]:
        at: int | None = state["at"]
        return at
    return microseconds(origin.modified_at) if origin.modified_at is not None and state["scrape"] == 1 else None


def _judge(read: pl.DataFrame) -> pl.DataFrame:
    """Value and instant of the samples that are read, and why a line is rejected."""
    stamp = pl.col("stamp").cast(pl.Float64, strict=False)
    ms = pl.when(stamp.abs() > _MS_FROM).then(stamp).otherwise(stamp * 1000)
    own = pl.when(ms.abs() < 1e15).then(ms).round().cast(pl.Int64) * 1000
    is_known = pl.col("metric").is_in(list(METRICS)).fill_null(False)
    is_endit = pl.col("text").str.contains(endit_samples.SAMPLE)
    read = read.with_columns(
        value=pl.col("number").cast(pl.Float64, strict=False),
        at=pl.when(pl.col("stamp").is_null()).then("scrape_at").otherwise(own),
        item=pl.coalesce(pl.col("device", "ifName", "ifDescr", "ifIndex").replace("", None)).fill_null(""),
        description="ifAlias",
    )
    if read.filter(is_known & pl.col("stamp").is_null() & pl.col("scrape_at").is_null() & ~pl.col("is_dated")).height:
        raise UnreadableFile(
            "the samples have no time, and the file's modification time can date only one scrape",
            "write the time above each scrape: date -u +'# %FT%TZ'",
            reason="no_clock",
        )
    reason = pl.coalesce(
        "reason",
        first_of(
            bad_syntax=pl.col("metric").is_null() & ~pl.col("is_comment"),
            bad_time=is_known & ~pl.col("at").is_between(EARLIEST_US, LATEST_US).fill_null(False),
            bad_number=(is_known | is_endit) & pl.col("value").is_null(),
        ),
    )
    read = read.with_columns(reason=reason).with_columns(is_endit=is_endit & pl.col("reason").is_null())
    is_kept = is_known & pl.col("reason").is_null() & pl.col("value").is_finite().fill_null(False)
    return read.with_columns(is_kept=is_kept)
