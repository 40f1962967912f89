"""Bronze relations that several sources fill: samples of hosts, disks, interfaces and tape drives, and timed tests."""

import polars as pl

from pipelines.sources.protocol import Carry, Parsed

_TEXT, _COUNT, _SMALL, _NUMBER, _INSTANT = pl.String(), pl.Int64(), pl.Int32(), pl.Float64(), pl.Datetime("us")

SHARED: dict[str, pl.Schema] = {
    "host_sample": pl.Schema(
        {
            "line_no": _COUNT,
            "host": _TEXT,
            "tool": _TEXT,
            "from_at": _INSTANT,
            "to_at": _INSTANT,
            "n_cpus": _SMALL,
            "run_queue": _SMALL,
            "blocked": _SMALL,
            "load_1": _NUMBER,
            "load_5": _NUMBER,
            "load_15": _NUMBER,
            "swapped_bytes": _COUNT,
            "free_bytes": _COUNT,
            "buffer_bytes": _COUNT,
            "cache_bytes": _COUNT,
            "inactive_bytes": _COUNT,
            "active_bytes": _COUNT,
            "swap_in_bytes_s": _NUMBER,
            "swap_out_bytes_s": _NUMBER,
            "read_bytes_s": _NUMBER,
            "write_bytes_s": _NUMBER,
            "interrupt_rate": _NUMBER,
            "switch_rate": _NUMBER,
            "cpu_user": _NUMBER,
            "cpu_nice": _NUMBER,
            "cpu_system": _NUMBER,
            "cpu_idle": _NUMBER,
            "cpu_wait": _NUMBER,
            "cpu_stolen": _NUMBER,
            "cpu_guest": _NUMBER,
            "note": _TEXT,
        }
    ),
    "device_sample": pl.Schema(
        {
            "line_no": _COUNT,
            "host": _TEXT,
            "tool": _TEXT,
            "device": _TEXT,
            "kind": _TEXT,
            "from_at": _INSTANT,
            "to_at": _INSTANT,
            "request_rate": _NUMBER,
            "read_request_rate": _NUMBER,
            "write_request_rate": _NUMBER,
            "discard_request_rate": _NUMBER,
            "flush_request_rate": _NUMBER,
            "read_merge_rate": _NUMBER,
            "write_merge_rate": _NUMBER,
            "moved_bytes_s": _NUMBER,
            "read_bytes_s": _NUMBER,
            "write_bytes_s": _NUMBER,
            "discard_bytes_s": _NUMBER,
            "wait_s": _NUMBER,
            "read_wait_s": _NUMBER,
            "write_wait_s": _NUMBER,
            "queue": _NUMBER,
            "service_s": _NUMBER,
            "busy": _NUMBER,
            "note": _TEXT,
        }
    ),
    "network_sample": pl.Schema(
        {
            "line_no": _COUNT,
            "host": _TEXT,
            "tool": _TEXT,
            "interface": _TEXT,
            "kind": _TEXT,
            "from_at": _INSTANT,
            "to_at": _INSTANT,
            "in_bytes_s": _NUMBER,
            "out_bytes_s": _NUMBER,
            "in_packet_rate": _NUMBER,
            "out_packet_rate": _NUMBER,
            "busy": _NUMBER,
            "note": _TEXT,
        }
    ),
    "drive_counter": pl.Schema(
        {
            "line_no": _COUNT,
            "host": _TEXT,
            "tool": _TEXT,
            "device": _TEXT,
            "from_at": _INSTANT,
            "to_at": _INSTANT,
            "read_bytes": _COUNT,
            "write_bytes": _COUNT,
            "read_s": _NUMBER,
            "write_s": _NUMBER,
            "io_s": _NUMBER,
            "n_read": _COUNT,
            "n_write": _COUNT,
            "n_other": _COUNT,
            "n_residual": _COUNT,
        }
    ),
    "benchmark_run": pl.Schema(
        {
            "line_no": _COUNT,
            "host": _TEXT,
            "tool": _TEXT,
            "command": _TEXT,
            "ended_at": _INSTANT,
            "bytes": _COUNT,
            "n_full_in": _COUNT,
            "n_partial_in": _COUNT,
            "n_full_out": _COUNT,
            "n_partial_out": _COUNT,
            "block_bytes": _COUNT,
            "elapsed_s": _NUMBER,
            "user_s": _NUMBER,
            "system_s": _NUMBER,
            "rate_bytes_s": _NUMBER,
            "exit_status": _SMALL,
            "note": _TEXT,
        }
    ),
}


def complete(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    """Rows in the shape of a shared relation: its columns in their order and type, what is not measured null.

    Columns the relation does not have are left out.
    """
    schema = SHARED[table]
    measured = [pl.col(name).cast(kind) for name, kind in schema.items() if name in rows.columns]
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in schema.items() if name not in rows.columns]
    return rows.select(*measured, *absent).select(schema.names())


def join_parts(parts: list[Parsed], n_used: int, n_lines: int, carry: Carry) -> Parsed:
    """What the runs within a chunk became, as one; all have the same tables.

    Lines neither used nor rejected were skipped.
    """
    rejects = pl.concat([part.rejects for part in parts]).sort("line_no")
    return Parsed(
        tables={table: pl.concat([part.tables[table] for part in parts]) for table in parts[0].tables},
        n_used=n_used,
        n_skipped=n_lines - n_used - rejects.height,
        rejects=rejects,
        coverage=pl.concat([part.coverage for part in parts]),
        carry=carry,
    )
