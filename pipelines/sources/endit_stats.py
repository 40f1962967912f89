"""Statistics files of ENDIT's archiver and retriever, JSON or Prometheus text, originals or copies.

    {"archiver_maxworkers":2,"archiver_starttime":1710000000,"archiver_time":1710003600,"archiver_busyworkers":1,…}

    endit_retriever_busyworkers{hsm="pool1"} 2
    endit_retriever_time{hsm="pool1"} 1710003600

Each daemon rewrites its file once a minute, with its own clock in it. The file has no history, so every version counts
by itself. A JSON file is one object in one line, in any order, and does not name its instance: that is the text before
`-archiver-stats.json` in its own name, after the digits of a copy's time. Several such lines in one file are several
samples. Perl may have put a number in quotes.

In Prometheus text a sample is a daemon and a label. A second one of both in the same file is rejected, and so is
everything beyond its first 200 lines: a daemon writes 45. Counters start again with the daemon. Checked against files
that the daemons of March 2026 wrote with a substitute for TSM's client.
"""

import polars as pl

from pipelines.sources._shared.coverage import joined
from pipelines.sources._shared.endit_samples import (
    CLOCKS,
    KEYS,
    MOST_CHARS,
    OPERATIONS,
    SAMPLE,
    TABLE,
    instants,
    pivoted,
    samples_of,
    to_table,
    typed,
)
from pipelines.sources._shared.heads import filled
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "ENDIT statistics"
VERSION = 1
TABLES = (TABLE,)
SPEAKS_FOR = "pools"
IS_SNAPSHOT = True
IS_WHOLE = True

_PAIR = r'\s*"(?:archiver|retriever)_[a-z_]+"\s*:\s*(?:"?-?\d+(?:\.\d+)?"?|null)\s*'
_OBJECT = rf"^\s*\{{{_PAIR}(?:,{_PAIR})*\}}\s*$"
_COMMENT = r"^\s*(?:#.*)?$"
_INFO = r"^endit_[a-z_]*info\{"
_EXPORTER = r"^(?:node_|ifHC|if(?:In|Out)Octets)"  # samples of hosts, with those of ENDIT among them
_NAME = r"^(?:.*/)?(?:\d{10}-)?([^/]+?)-(?:archiver|retriever)-stats\.json"


def recognise(head: list[str]) -> Claim:
    """Objects of numbers whose names begin with a daemon's; or samples of Prometheus with the names of ENDIT."""
    texts = filled(head)
    n_objects = int(texts.str.contains(_OBJECT).sum())
    if n_objects * 2 > len(texts):
        return Claim(True, n_objects / len(texts), "JSON objects with the counters of ENDIT's archiver or retriever")
    n_samples = int(texts.str.contains(SAMPLE).sum())
    n_known = n_samples + int((texts.str.contains(_COMMENT) | texts.str.contains(_INFO)).sum())
    if n_samples and n_known * 2 > len(texts) and not texts.str.contains(_EXPORTER).any():
        return Claim(True, n_known / len(texts), f"{n_samples} samples of ENDIT's archiver or retriever for Prometheus")
    return Claim(
        False, 0.3 if n_samples or n_objects else 0.0, "most lines are not counters of ENDIT's archiver or retriever"
    )


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """A row per object; of Prometheus text one per daemon and label, with the chunk that has the file's first line."""
    text = pl.col("text")
    objects = _objects(lines.filter(text.str.contains(_OBJECT)), origin)
    head = pl.DataFrame({"line_no": range(1, len(origin.head) + 1), "text": origin.head}, schema=lines.schema)
    samples = samples_of(head)
    is_first = lines.height > 0 and lines["line_no"][0] == 1
    found = pl.concat([objects, pivoted(samples.filter(pl.lit(is_first)))], how="vertical_relaxed")
    good = to_table(found, origin)
    judged = _judged(lines, objects, samples)
    n_used = int(judged["is_used"].sum())
    return Parsed.of(lines, n_used, rejected(judged), tables={TABLE: good}, coverage=joined([instants(good)]))


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
        .when(text.str.contains(SAMPLE))
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

    numbers = {name: pl.coalesce(value(a, "archiver"), value(r, "retriever")) for name, (a, r) in KEYS.items()}
    clocks = {name: pl.coalesce(value(key, "archiver"), value(key, "retriever")) for name, key in CLOCKS.items()}
    pool = pl.lit(origin.path, pl.String).str.extract(_NAME).str.head(MOST_CHARS)
    return rows.select("line_no", operation=daemon.replace(OPERATIONS), pool=pool, **typed(numbers, clocks))
