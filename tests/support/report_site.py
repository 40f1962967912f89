"""A site whose rows are written by hand, for the report and its delivery."""

import json
import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from pipelines.config.site import Campaign, Drive, Site, Station
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
from support import archive

DAY = date(2010, 6, 15)
US_DAY = 86_400_000_000


def insert(connection: Any, table: str, *rows: dict[str, Any]) -> None:
    for row in rows:
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO lake.{table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def finding(rule: str, entity: str, **more: Any) -> dict[str, Any]:
    usual = {
        "day": DAY,
        "first_day": DAY,
        "finding_id": f"{rule}-{entity}",
        "severity": "warning",
        "state": "new",
        "started_at": datetime(2010, 6, 15, 13),
        "ended_at": datetime(2010, 6, 15, 15),
        "lost_hours": 2.0,
        "lost_gb_day": 300.0,
        "confidence": "high",
        "text": f"{entity}: it happened.",
        "means": "It means this.",
        "look_at": "Look there.",
        "evidence": "[]",
    }
    return {"rule": rule, "entity": entity} | usual | more


def lines(*numbers: int, text: str = "a line of the log") -> str:
    return json.dumps(
        [{"path": f"logs/{text}", "line_no": n, "at": "2010-06-15 13:00:00", "text": text} for n in numbers]
    )


def make_site(folder: Path) -> Site:
    return Site(
        name="test stand",
        zone="America/Chicago",
        root=folder,
        station=(Station(name="s1", aliases=("s-1",)), Station(name="s2", role="scanning")),
        drive=(Drive(name="D1"), Drive(name="D2")),
        campaign=(
            Campaign(**{"name": "new tapes", "size_tb": 10.0, "from": DAY - timedelta(days=2)}),
            Campaign(**{"name": "to come", "size_tb": 1.0, "from": date(2030, 1, 1)}),
        ),
    )


def make_tables(site: Site) -> None:
    shutil.copytree(archive.empty_warehouse(), Warehouse(site).folder)


def fill(site: Site, drive: str = "D1", station: str = "s1", text: str = "a line of the log") -> None:
    """A day of two drives: 6 h moved data, 1.5 h unknown, 6 h down; a station of two is kept busy by half."""
    parts = {
        drive: {"transfer": 6, "request": 2, "mount": 1, "unknown": 1.5, "idle": 13.5},
        "D2": {"down": 6, "idle": 18},
    }
    hour = US_DAY // 24
    with Warehouse(site).write("test") as connection, transaction(connection):
        insert(connection, "site.setting", {"zone": site.zone, "duty_threshold_mb_s": 5.0, "expected_gap_s": 2.0})
        insert(connection, "site.drive", {"drive": drive, "generation": text}, {"drive": "D2", "generation": "LTO-4"})
        insert(
            connection, "site.station", {"station": station, "role": "migration"}, {"station": "s2", "role": "scanning"}
        )
        for name, buckets in parts.items():
            for bucket, hours in buckets.items():
                row = {"day": DAY, "drive": name, "bucket": bucket, "duration_us": int(hours * hour), "day_us": US_DAY}
                insert(connection, "gold.drive_ledger", row)
        insert(
            connection,
            "gold.mount",
            {"site_day": DAY, "system": "stk", "session_id": "1", "station": station, "drive": drive, "volume": "V1"}
            | {"requested_at": datetime(2010, 6, 15, 13), "n_files": 1234, "volume_gb": 1600.0, "drive_s": 20000.0}
            | {"drive_rate_basis": "call", "wall_s": 32000.0, "drive_rate_mb_s": 80.0, "overall_rate_mb_s": 50.0}
            | {"f": 0.625, "mode": "read", "dismounted_at": datetime(2010, 6, 15, 21, 53, 20)},
        )
        insert(
            connection,
            "gold.tape_traffic",
            {"day": DAY, "system": "stk", "session_id": "1", "drive": drive, "station": station, "mode": "read"}
            | {"drive_rate_basis": "call", "n_files": 1234, "bytes": 1_600_000_000_000, "drive_us": 20_000_000_000},
        )
        for name in (station, "s2"):
            row = {"day": DAY, "station": name, "direction": "in", "n_bins": 48, "n_active": 24}
            insert(
                connection, "gold.duty_factor", row | {"n_active_half": 24, "n_active_twice": 12, "active_gb": 4320.0}
            )
        insert(
            connection,
            "ops.coverage",
            {
                "source": "enstore_log",
                "host": "stk",
                "hour_at": datetime(2010, 6, 15, 6),
                "expected_s": 3600.0,
                "covered_s": 900.0,
            },
        )
        fill_forecasts(connection, text)
        insert(connection, "ops.build", {"build_id": "1-abc", "number": 1, "is_committed": True})
        insert(
            connection,
            "ops.file",
            {
                "file_id": "f1",
                "path": f"logs/{text}",
                "source": "enstore_log",
                "state": "loaded",
                "sha256": "5ha",
                "from_offset": 0,
            }
            | {"n_lines": 3, "n_used": 2, "n_skipped": 0, "n_rejected": 1, "n_records": 2},
        )
        insert(connection, "ops.reject", {"file_id": "f1", "line_no": 3, "reason": "bad_value", "text": text})
        insert(
            connection,
            "gold.finding",
            finding("long_gap", f"{station}/{drive}", text=text, evidence=lines(1, 2, 3, 4, text=text)),
            finding("long_gap", "s1/D2", state="open", lost_gb_day=100.0),
            finding("drive_down", "D2", severity="critical", lost_hours=6.0, lost_gb_day=777.0, evidence="no JSON"),
            finding("source_silent", "vmstat/s1", lost_gb_day=None),
            finding(
                "a rule of old", "D2", lost_hours=None, lost_gb_day=None, means=None, look_at=None, confidence=None
            ),
        )


def fill_forecasts(connection: Any, text: str) -> None:
    """A campaign of 10 TB with 4, 3 and 2.5 TB left, forecast to last 10 days more; drives needed; one cost refused."""
    day = {n: DAY - timedelta(days=n) for n in range(3)}
    insert(connection, "site.campaign", {"campaign": "new tapes", "size_tb": 10.0, "from_day": day[2]})
    days = [{"day": day[2 - n], "moved_gb": moved} for n, moved in enumerate((6000.0, 1000.0, 500.0))]
    insert(connection, "gold.campaign", *({"campaign": "new tapes"} | row for row in days))
    insert(connection, "site.station", {"station": "s3", "spool_gb": 1070.0})
    insert(
        connection,
        "gold.mass_balance",
        {"day": DAY, "station": "s3", "in_duty": 0.5, "in_active_mb_s": 57.0} | {"in_gb": 10.0, "out_gb": 20.0},
    )

    insert(
        connection,
        "gold.duty_factor",
        *({"day": DAY, "station": "s3", "direction": name, "n_bins": 48} for name in ("in", "out")),
    )

    def add(model: str, entity: str, quantity: str, **more: Any) -> None:
        usual = {"day": DAY, "first_day": DAY - timedelta(days=27), "unit": "1", "n_samples": 7, "sample_unit": "days"}
        insert(connection, "gold.forecast", usual | {"model": model, "entity": entity, "quantity": quantity} | more)

    add("eta", "new tapes", "days_left", value=10.0, value_low=7.0, value_high=15.0)
    add("eta", "new tapes", "days_left", varied_input="a drive more", value=6.0)
    week = {"value": 1750.0, "value_low": 1500.0, "value_high": 2000.0}
    add("eta", "new tapes", "week_gb", **week, until_day=DAY + timedelta(days=7))
    add("eta", "new tapes", "week_gb", day=day[1], value=900.0, value_low=600.0, value_high=990.0, until_day=DAY)
    add("sizing", "LTO-4", "drives", value=6.5, value_low=5.0, value_high=9.0)
    add("sizing", "LTO-4", "drives", varied_input="write: rate_mb_s", value_low=6.0, value_high=7.0)
    add("sizing", "LTO-4", "drives", varied_input=f"{text}: efficiency", value_low=5.0, value_high=8.5)
    add("sizing", text, "drives", reason_missing=text, data_needed=text)
    add("calibration", text, "speed_mb_s", value=80.25, value_low=79.0, value_high=81.5, sample_unit="mounts")
    missing = {"reason_missing": "4 mounts for 2 costs", "data_needed": "at least 5 mounts"}
    add("calibration", text, "file_s", **missing, sample_unit="mounts")
