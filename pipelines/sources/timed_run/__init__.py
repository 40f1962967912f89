"""Timed runs: the bytes that dd moved, and the seconds that a command took by time or timex.

    $ timex dd if=/dev/zero of=/stage/f bs=1024k count=4096
    4096+0 records in
    4096+0 records out
    4294967296 bytes (4.3 GB) copied, 41.2 s, 104 MB/s

    real          41.30
    user           0.02
    sys            9.85

The source reads dd of GNU in any language and age (two sizes since 8.25; a decimal comma; without its last line under
`status=noxfer`; with progress written over itself), of BusyBox, of BSD and macOS. Times are read as `time -p`, SVR4's
timex, bash, ksh, zsh, csh, BSD and GNU time (also `-v`) print them. Output in a user's own format (`TIMEFORMAT`,
`time -f`) is rejected: nothing names its figures.

**A run** is dd's lines and the times right below them: one row, at the line of its last figure. If both give a time,
that of time or timex counts. It includes the closing of the file, which dd's own leaves out (over NFS that is when
data go to the server); where they differ by more than a tenth the note has dd's. The rate is computed from bytes and
time. Times without dd's lines make a row without bytes. The file's first 200 lines show whether times follow; further
down, dd's row waits for times if those lines have any.

**Limits.** A line written over itself, or with whole seconds and no counts above, is progress: no row. A dd that was
asked for its progress by a signal prints lines that cannot be distinguished from those of a finished run.

**Conditions.** The command is the one shown above (a prompt line, a trace, the command itself), until the next one. Its
operands give a block size where the counts do not. A rate above 1 GB/s without `fsync`, `sync` or `direct` shown is
noted as that of the page cache. `ended_at` needs a `date` line right above the run, or `origin.start_at` for the first:
the seconds the run took are added; a date without a time is not enough.
"""

import polars as pl

from pipelines.sources._shared.columns import RUN
from pipelines.sources._shared.contract import complete, schema_of
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import microseconds
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, rejected
from pipelines.sources.timed_run.lines import read_line
from pipelines.sources.timed_run.runs import START, Collector

TITLE = "dd and time"
VERSION = 3
TABLES = (RUN,)
SPEAKS_FOR = "hosts"
IS_WHOLE = True

_FIGURES = {"in", "out", "blocks", "summary", "real", "whole", "timed"}


def recognise(head: list[str]) -> Claim:
    """Figures of dd or time, and hardly anything else."""
    kinds = [kind for line in head if (kind := read_line(line).kind) not in ("blank", "comment")]
    found = [kind for kind in kinds if kind in _FIGURES]
    if not found:
        return Claim(False, 0.0, "no output of dd or time")
    known = sum(kind not in ("junk", "bad_number") for kind in kinds)
    if 2 * known < len(kinds):
        return Claim(False, 0.4, "output of dd or time, but most lines are something else")
    return Claim(True, 1.0, "byte counts of dd" if found[0] in ("in", "summary") else "times of a command")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One row per run; nothing in such a file is reason enough to refuse it."""
    state = {**START, **(carry or {})}
    if carry is None and origin.start_at is not None:
        state["clock"] = microseconds(origin.start_at)
    collector = Collector(origin, state, origin.host or stem_of(origin.path))
    verdicts = collector.take_all(lines.rows())
    reasons = [None if verdict in ("used", "skipped") else verdict for verdict in verdicts]
    rows = complete(pl.DataFrame(collector.rows, schema={**schema_of(RUN), "ended_at": pl.Int64()}), RUN)
    return Parsed.of(
        lines,
        verdicts.count("used"),
        rejected(lines.with_columns(reason=pl.Series(reasons, dtype=pl.String))),
        tables={RUN: rows},
        coverage=_coverage(rows),
        carry=state,
    )


def _coverage(rows: pl.DataFrame) -> pl.DataFrame:
    """The time each dated run took."""
    took = pl.duration(microseconds=(pl.col("elapsed_s") * 1_000_000).round().cast(pl.Int64))
    dated = rows.filter(pl.col("ended_at").is_not_null() & (pl.col("elapsed_s") > 0))
    return dated.select("line_no", "host", from_at=pl.col("ended_at") - took, to_at="ended_at").cast(COVERAGE)
