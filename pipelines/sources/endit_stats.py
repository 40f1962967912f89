"""Statistics files of ENDIT's archiver and retriever, JSON or Prometheus text, as they are or copied from time to time.

    {"archiver_maxworkers":2,"archiver_starttime":1710000000,"archiver_time":1710003600,"archiver_busyworkers":1,…}

    endit_retriever_busyworkers{hsm="pool1"} 2
    endit_retriever_time{hsm="pool1"} 1710003600

Each daemon writes its file anew once a minute, with its own clock in it; the file has no history, so that every version
counts for itself. A JSON file is one object in one line, in any order, and does not say whose it is: the name of the
instance is what stands before `-archiver-stats.json` in its own name, after the digits of a copy's time. Several such
lines in one file are several samples. Perl may have put a number in quotes.

In Prometheus text a sample is a daemon and a label; a second one of both in the same file is rejected, and so is what
lies beyond its first 200 lines: a daemon writes 45. Counters begin anew with the daemon. Held against files that the
daemons of March 2026 wrote with a stand-in for TSM's client.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import complete, schema_of
from pipelines.sources._shared.coverage import joined
from pipelines.sources._shared.heads import filled
from pipelines.sources._shared.stamps import instant_of
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, rejected

TITLE = "ENDIT statistics"
VERSION = 1
TABLE = "endit_stat"
TABLES = (TABLE,)
SPEAKS_FOR = "pools"
IS_SNAPSHOT = True
IS_WHOLE = True

_PAIR = r'\s*"(?:archiver|retriever)_[a-z_]+"\s*:\s*(?:"?-?\d+(?:\.\d+)?"?|null)\s*'
_OBJECT = rf"^\s*\{{{_PAIR}(?:,{_PAIR})*\}}\s*$"
_SAMPLE = r'^endit_(?P<daemon>archiver|retriever)_(?P<key>[a-z_]+)\{hsm="(?P<pool>[^"\\]*)"\}\s+(?P<value>\S+)\s*$'
_COMMENT = r"^\s*(?:#.*)?$"
_INFO = r"^endit_[a-z_]*info\{"
_EXPORTER = r"^(?:node_|ifHC|if(?:In|Out)Octets)"  # samples of hosts, with those of ENDIT among them
_NAME = r"^(?:.*/)?(?:\d{10}-)?([^/]+?)-(?:archiver|retriever)-stats\.json"
_OPERATIONS = {"archiver": "archive", "retriever": "retrieve"}
# column: its key of the archiver, and of the retriever
_KEYS = {
    "done_bytes": ("flushed_bytes", "staged_bytes"),
    "done_files": ("flushed_files", "staged_files"),
    "n_retries": ("flush_retries", "stage_retries"),
    "queued_bytes": ("usage_bytes", "requests_bytes"),
    "queued_files": ("usage_files", "requests_files"),
    "pending_bytes": ("pending_bytes", None),
    "pending_files": ("pending_files", None),
    "working_bytes": ("working_bytes", "working_bytes"),
    "working_files": ("working_files", "working_files"),
    "n_busy": ("busyworkers", "busyworkers"),
    "n_most": ("maxworkers", "maxworkers"),
    "room_bytes": (None, "in_avail_bytes"),
    "backoff": (None, "backoffstate"),
    "hint_files": (None, "hintfile_entries"),
}
_CLOCKS = {"sampled_at": "time", "started_at": "starttime", "hinted_at": "hintfile_mtime"}
_NUMBER = r"^-?\d{1,18}(?:\.\d{1,18})?(?:e\+?\d{1,2})?$"
_MOST_CHARS = 128


def recognise(head: list[str]) -> Claim:
    """Objects of numbers whose names begin with a daemon's; or samples of Prometheus with the names of ENDIT."""
    texts = filled(head)
    n_objects = int(texts.str.contains(_OBJECT).sum())
    if n_objects * 2 > len(texts):
        return Claim(True, n_objects / len(texts), "objects with the counters of ENDIT's archiver or retriever")
    n_samples = int(texts.str.contains(_SAMPLE).sum())
    n_known = n_samples + int((texts.str.contains(_COMMENT) | texts.str.contains(_INFO)).sum())
    if n_samples and n_known * 2 > len(texts) and not texts.str.contains(_EXPORTER).any():
        return Claim(True, n_known / len(texts), f"{n_samples} samples of ENDIT's archiver or retriever for Prometheus")
    return Claim(
        False, 0.3 if n_samples or n_objects else 0.0, "few lines are counters of ENDIT's archiver or retriever"
    )


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """A row per object; of Prometheus text one per daemon and label, with the chunk that has the file's first line."""
    text = pl.col("text")
    objects = _objects(lines.filter(text.str.contains(_OBJECT)), origin)
    head = pl.DataFrame({"line_no": range(1, len(origin.head) + 1), "text": origin.head}, schema=lines.schema)
    samples = _samples(head)
    is_first = lines.height > 0 and lines["line_no"][0] == 1
    found = pl.concat([objects, _pivoted(samples.filter(pl.lit(is_first)))], how="vertical_relaxed")
    good = complete(
        found.filter(pl.col("sampled_at").is_not_null()).with_columns(
            system=pl.lit(origin.system or origin.host), host=pl.lit(origin.host or origin.system)
        ),
        TABLE,
    )
    judged = _judged(lines, objects, samples)
    at = good.select("line_no", "host", from_at="sampled_at", to_at="sampled_at").cast(COVERAGE)
    coverage = joined([at]) if at.height else at
    n_used = int(judged["is_used"].sum())
    return Parsed.of(lines, n_used, rejected(judged), tables={TABLE: good}, coverage=coverage)


def _judged(lines: pl.DataFrame, objects: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Which lines are used, and why the others that should be are not."""

    def among(rows: pl.DataFrame) -> pl.Expr:
        return pl.col("line_no").is_in(rows["line_no"].implode())

    text = pl.col("text")
    is_dated = pl.col("sampled_at").is_not_null()
    is_empty = text.str.contains(_COMMENT) | text.str.contains(_INFO)
    return lines.with_columns(
        is_used=among(objects.filter(is_dated)) | among(samples.filter("is_good", "is_dated")),
        reason=pl.when(
            among(objects.filter(~is_dated)) | among(samples.filter(pl.col("is_good") & ~pl.col("is_dated")))
        )
        .then(pl.lit("bad_time"))
        .when(among(objects) | among(samples.filter("is_good")) | is_empty)
        .then(None)
        .when(among(samples.filter(~pl.col("is_number"))))
        .then(pl.lit("bad_number"))
        .when(text.str.contains(_SAMPLE))
        .then(pl.lit("out_of_order"))
        .otherwise(pl.lit("bad_syntax")),
    )


def _objects(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """A row per JSON object."""
    text = pl.col("text")
    daemon = text.str.extract(r'"(archiver|retriever)_')

    def value(key: str | None, of: str) -> pl.Expr:
        found = text.str.extract(rf'"{of}_{key}"\s*:\s*"?(-?\d{{1,18}})\b') if key else pl.lit(None, pl.String)
        return pl.when(daemon == of).then(found)

    numbers = {name: pl.coalesce(value(a, "archiver"), value(r, "retriever")) for name, (a, r) in _KEYS.items()}
    clocks = {name: pl.coalesce(value(key, "archiver"), value(key, "retriever")) for name, key in _CLOCKS.items()}
    pool = pl.lit(origin.path, pl.String).str.extract(_NAME).str.head(_MOST_CHARS)
    return rows.select("line_no", operation=daemon.replace(_OPERATIONS), pool=pool, **_typed(numbers, clocks))


def _samples(head: pl.DataFrame) -> pl.DataFrame:
    """Samples of Prometheus text; good are the first of each daemon, label and key."""
    rows = head.with_columns(pl.col("text").str.extract_groups(_SAMPLE).struct.unnest()).drop_nulls("daemon")
    rows = rows.with_columns(is_number=pl.col("value").str.contains(_NUMBER))
    rows = rows.with_columns(is_good=pl.struct("daemon", "key", "pool").is_first_distinct() & pl.col("is_number"))
    return rows.with_columns(is_dated=(pl.col("is_good") & (pl.col("key") == "time")).any().over("daemon", "pool"))


def _pivoted(samples: pl.DataFrame) -> pl.DataFrame:
    """A row per daemon and label."""
    good = samples.filter("is_good", "is_dated")

    def value(archiver: str | None, retriever: str | None) -> pl.Expr:
        key = (
            pl.when(pl.col("daemon") == "archiver")
            .then(pl.lit(archiver, pl.String))
            .otherwise(pl.lit(retriever, pl.String))
        )
        return pl.col("value").filter(pl.col("key") == key).first()

    numbers = {name: value(*keys) for name, keys in _KEYS.items()}
    clocks = {name: value(key, key) for name, key in _CLOCKS.items()}
    rows = good.group_by("daemon", "pool", maintain_order=True).agg(
        pl.col("line_no").min(), **{name: found for name, found in (numbers | clocks).items()}
    )
    return rows.select(
        "line_no",
        pl.col("daemon").replace(_OPERATIONS).alias("operation"),
        pl.col("pool").str.head(_MOST_CHARS),
        **_typed({name: pl.col(name) for name in numbers}, {name: pl.col(name) for name in clocks}),
    )


def _typed(numbers: dict[str, pl.Expr], clocks: dict[str, pl.Expr]) -> dict[str, Any]:
    whole = {
        name: text.cast(pl.Float64, strict=False).cast(schema_of(TABLE)[name], strict=False)
        for name, text in numbers.items()
    }
    return whole | {name: instant_of(text.cast(pl.Float64, strict=False)) for name, text in clocks.items()}
