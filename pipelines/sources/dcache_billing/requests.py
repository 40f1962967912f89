"""What a store or restore is, whichever way it was written: units, traps and the split of the class."""

import polars as pl

from pipelines.sources._shared.columns import over
from pipelines.sources._shared.contract import fitted
from pipelines.sources.protocol import first_of, rejected

# What text, JSON and dumps all give: one row per record, times in milliseconds.
RAW = pl.Schema(
    {
        "line_no": pl.Int64(),
        **dict.fromkeys(("text", "encoding", "operation", "cell", "domain", "pnfsid"), pl.String()),
        **dict.fromkeys(("path", "storage_class", "error", "transaction", "provider", "uri"), pl.String()),
        **dict.fromkeys(("bytes", "queue_ms", "transfer_ms", "error_code"), pl.Int64()),
        "created_at": pl.Datetime("us"),
        "is_doubtful": pl.Boolean(),
        "reason": pl.String(),
    }
)
TABLE = "dcache_billing_request"
NUMBERS = ("bytes", "queue_ms", "transfer_ms", "error_code")
_EPOCH_MS = 10**12  # a "duration" that long is an instant: the request was never started
MOST_MS = 4_102_444_800_000  # 2100
MAX_BYTES = 2**60


def finish(raw: pl.DataFrame, system: str, is_error_copy: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of the bronze relation, and the rejects."""
    judged = raw.with_columns(reason=pl.coalesce("reason", _reason()))
    rows = judged.filter(pl.col("reason").is_null())
    rows = rows.with_columns(
        *_cells(),
        *named_classes(),
        *_times(),
        system=pl.lit(system, dtype=pl.String),
        is_error_copy=pl.lit(is_error_copy),
        path=_known("path"),
        error=_known("error"),
        transaction=_known("transaction"),
    )
    rows = rows.with_columns(
        queue_s=over(pl.col("queued"), 1000),
        transfer_s=over(pl.col("moved"), 1000),
        started_at=pl.when(pl.col("moved").is_not_null()).then(
            pl.col("created_at") + pl.duration(milliseconds=pl.col("queued"))
        ),
        ended_at=pl.when("is_unstarted")
        .then(pl.from_epoch(pl.col("transfer_ms") * 1000, time_unit="us"))
        .when(pl.col("moved").is_not_null())
        .then(pl.col("created_at") + pl.duration(milliseconds=pl.col("queued").fill_null(0) + pl.col("moved"))),
    )
    return fitted(rows, TABLE), rejected(judged)


def _reason() -> pl.Expr:
    is_bad = pl.any_horizontal(pl.col(*NUMBERS).is_null()) | ~pl.col("bytes").is_between(0, MAX_BYTES)
    is_bad |= ~pl.col("transfer_ms").is_between(-MOST_MS, MOST_MS) | ~pl.col("queue_ms").is_between(-MOST_MS, MOST_MS)
    return first_of(
        bad_time=pl.col("created_at").is_null(),
        bad_number=is_bad,
        bad_syntax=pl.any_horizontal(pl.col("cell", "pnfsid", "operation").is_null()),
    )


def _known(name: str) -> pl.Expr:
    return pl.when(~pl.col(name).is_in(["", "Unknown", "<Unknown>"])).then(pl.col(name))


def _cells() -> tuple[pl.Expr, pl.Expr]:
    """`pool@domain`; the domain may also be a separate field."""
    parts = pl.col("cell").str.extract_groups(r"^([^@]*)(?:@(.*))?$").struct
    return parts.field("1").alias("pool"), pl.coalesce(parts.field("2"), "domain").alias("domain")


def named_classes() -> list[pl.Expr]:
    """`group:family@hsm`, of Enstore `group.family@hsm`; what has neither sign is all group."""
    by_point = pl.col("storage_class").str.extract_groups(r"^([^:@]*?)(?:\.([^@]*))?(?:@(.*))?$").struct
    by_colon = pl.col("storage_class").str.extract_groups(r"^([^:@]*):([^@]*)(?:@(.*))?$").struct
    fields = []
    for number, name in enumerate(("storage_group", "file_family", "hsm"), 1):
        field = pl.coalesce(by_colon.field(str(number)), by_point.field(str(number)))
        fields.append(pl.when(~field.is_in(["", "<Unknown>"])).then(field).alias(name))
    return fields


def _times() -> tuple[pl.Expr, ...]:
    """Milliseconds that can be believed, and a note on those that cannot.

    The queueing of a restore is never written: it reads 0.
    """
    is_unstarted = pl.col("transfer_ms") >= _EPOCH_MS
    is_negative = ~is_unstarted & ((pl.col("transfer_ms") < 0) | (pl.col("queue_ms") < 0))
    is_recorded = (pl.col("operation") == "store") | (pl.col("queue_ms") != 0)
    is_sound = ~is_unstarted & ~is_negative
    return (
        is_unstarted.alias("is_unstarted"),
        pl.when(is_sound & is_recorded).then(pl.col("queue_ms")).alias("queued"),
        pl.when(is_sound).then(pl.col("transfer_ms")).alias("moved"),
        pl.when(is_unstarted)
        .then(pl.lit("ended before it was started"))
        .when(is_negative)
        .then(pl.lit("negative time"))
        .when("is_doubtful")
        .then(pl.lit("the time is in the hour that the clock change in autumn repeats"))
        .alias("note"),
    )
