"""Values of dCache's billing and statistics: real and made files against readings of another kind, and written lines.

The README of the made captures has their totals. The real ones hold no tape record, so the test checks that every line
is known and gives no row.
"""

import csv
import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.catalog.files import load_catalog
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources, choose, dcache_billing
from pipelines.sources._shared.contract import schema_of
from pipelines.sources.blocks import frame_of, read_blocks
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import NO_YEAR, Origin, Parsed
from support import cases as harness

ZONE = "Europe/Paris"
P = "0000AB" + "0" * 28
STORE = ' [pool:w1@w1Domain:store] [{pnfsid},{size}] [{path}] {storage} {took} {queued} {{{code}:"{error}"}}'


def read(path: Path, zone: str = ZONE) -> Parsed:
    lines = pl.concat([block.lines for block in read_blocks(path)])
    stem, _ = choose(read_head(path))
    assert stem
    return all_sources()[stem].parse(lines, Origin(path=path.name, system="site", zone=zone), None)


def parse(text: str, path: str = "billing-2025.01.02", zone: str = ZONE) -> Parsed:
    return dcache_billing.parse(frame_of(text.encode()), Origin(path=path, system="site", zone=zone), None)


def rows_of(parsed: Parsed) -> pl.DataFrame:
    return parsed.tables["dcache_billing_request"]


FACTS = ("operation", "pool", "domain", "pnfsid", "bytes", "storage_group", "file_family", "hsm", "error_code", "error")


def test_dump_against_another_reading(realdata: Path) -> None:
    """Every row of the database dump, computed once more with csv and integers."""
    path = realdata / "dcache-synthetic" / "storageinfo.csv"
    found = rows_of(read(path)).to_dicts()
    with path.open(newline="") as file:
        records = list(csv.DictReader(file))
    assert len(found) == len(records) == 49
    for row, csv_row in zip(found, records, strict=True):
        took, queued = int(csv_row["connectiontime"]), int(csv_row["queuedtime"])
        created = datetime.fromisoformat(csv_row["datestamp"]).astimezone(UTC).replace(tzinfo=None)
        is_unstarted = took > 10**12
        assert row["created_at"] == created
        assert row["transfer_s"] == (None if is_unstarted else took / 1000)
        is_store = csv_row["action"] == "store"
        assert row["queue_s"] == (queued / 1000 if is_store and not is_unstarted else None)
        if is_unstarted:
            assert row["ended_at"] == datetime.fromtimestamp(took / 1000, UTC).replace(tzinfo=None)
            assert row["started_at"] is None
        else:
            assert row["ended_at"] == created + timedelta(milliseconds=took + queued)
        assert (row["bytes"], row["pnfsid"], row["transaction"]) == (
            int(csv_row["fullsize"]),
            csv_row["pnfsid"],
            csv_row["transaction"],
        )
        assert f"{row['storage_group']}:{row['file_family']}@{row['hsm']}" == csv_row["storageclass"]
        assert f"{row['pool']}@{row['domain']}" == csv_row["cellname"]


def test_text_json_and_dump_say_the_same(realdata: Path) -> None:
    folder = realdata / "dcache-synthetic"
    text = pl.concat([rows_of(read(folder / f"billing-2026.03.{day}")) for day in (11, 12)])
    dump, objects = rows_of(read(folder / "storageinfo.csv")), rows_of(read(folder / "billing-json-2026.03.11"))
    assert text.select(*FACTS, "queue_s", "transfer_s").equals(dump.select(*FACTS, "queue_s", "transfer_s"))
    assert text["created_at"].to_list() == [at.replace(microsecond=0) for at in dump["created_at"]]
    first = dump.head(objects.height)
    assert objects.height == 14
    assert objects.select(*FACTS, "created_at", "ended_at", "transaction").equals(
        first.select(*FACTS, "created_at", "ended_at", "transaction")
    )
    assert min(text["created_at"]) == datetime(2026, 3, 9, 21, 14, 40)  # made two days before its file


def test_totals_of_the_made_files(realdata: Path) -> None:
    """The totals their README gives, through silver: each request once, whichever of the five files report it."""
    folder = realdata / "dcache-synthetic"
    names = ["billing-2026.03.11", "billing-2026.03.12", "billing-error-2026.03.11", "billing-json-2026.03.11"]
    tables = [rows_of(read(folder / name)).with_columns(file_id=pl.lit(name)) for name in (*names, "storageinfo.csv")]
    assert [rows.height for rows in tables] == [48, 1, 5, 14, 49]
    made = through_silver({"bronze.dcache_billing_request": pl.concat(tables)}, "silver.pool_request")
    assert len(made) == 48  # 49 less the store logged twice
    done = [row for row in made if row["outcome"] == "done"]
    for operation, n, size in (("store", 30, 172_911_215_959), ("restore", 14, 38_358_142_622)):
        sizes = [row["bytes"] for row in done if row["operation"] == operation]
        assert (len(sizes), sum(sizes)) == (n, size)
    assert Counter(row["outcome"] for row in made) == {"done": 44, "failed": 2, "cancelled": 2}
    assert Counter(row["witnesses"] for row in made) == {"database json text": 14, "database text": 34}
    assert all(row["transaction"] for row in made)


def through_silver(given: dict[str, pl.DataFrame], name: str) -> list[dict[str, object]]:
    catalog = load_catalog()
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        harness.create_tables(connection, catalog)
        for table, rows in given.items():
            columns = ", ".join(rows.columns)
            days = rows.with_columns(day=pl.col(catalog.relations[table].day_of).dt.date())
            connection.register("given_rows", days.to_arrow())
            connection.execute(f"INSERT INTO {table} (day, {columns}) SELECT day, {columns} FROM given_rows")
        result = connection.execute(catalog.relations[name].sql)
        names = [column[0] for column in result.description or []]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


@pytest.mark.parametrize(
    ("name", "n_used", "n_skipped", "clients"),
    [
        ("billing-2019.08.05", 8, 4, [("Http", "0:0:0:0:0:0:0:1")] * 2),
        ("billing-ndgf-2013-09.txt", 0, 4, []),  # its name has no year
        ("billing-sara-2021-11-11-door.txt", 0, 1, []),
    ],
)
def test_lines_of_clients_are_known(
    realdata: Path, name: str, n_used: int, n_skipped: int, clients: list[tuple[str, str]]
) -> None:
    parsed = read(realdata / "dcache" / name)
    assert (parsed.n_used, parsed.n_skipped, parsed.rejects.height) == (n_used, n_skipped, 0)
    assert parsed.tables["dcache_billing_transfer"].select("protocol", "client").rows() == clients
    assert parsed.tables["dcache_billing_request"].is_empty()


def test_what_no_mover_can_have_done_is_left_out_and_names_are_bounded() -> None:
    """A year of 2100 in milliseconds is the longest; what silver makes of it must fit an instant."""
    line = "01.02 09:00:00 [pool:w1:transfer] [{id},1] [/p] a:b@osm 1 {took} true {{DCap-3.0,{client}:1}} [door:x]"
    line += ' {{0:""}}\n'
    invalid = parse(line.format(id=P, took=2**60 - 1, client="h"), path="billing-2026.01.02")
    assert invalid.tables["dcache_billing_transfer"].is_empty() and invalid.n_skipped == 1
    long = parse(line.format(id="A" * 5000, took=4_102_444_800_000, client="h" * 5000), path="billing-2026.01.02")
    (row,) = long.tables["dcache_billing_transfer"].rows(named=True)
    assert len(row["pnfsid"]) == len(row["client"]) == 300
    made = through_silver(
        {"bronze.dcache_billing_transfer": long.tables["dcache_billing_transfer"]}, "silver.pool_transfer"
    )
    assert made[0]["started_at"].year == 1896
    mapped = parse(line.format(id=P, took=1, client="::ffff:192.0.2.7"), path="billing-2026.01.02")
    assert mapped.tables["dcache_billing_transfer"]["client"][0] == "::ffff:192.0.2.7:1"


def test_an_unknown_client_is_left_open() -> None:
    line = f'01.02 09:00:00 [pool:w1:transfer] [{P},1] [/p] a:b@osm 1 1 true {{{{}}}} [door:x] {{0:""}}\n'
    for protocol, expected in (
        ("X", (None, None)),
        ("Remote-1.1:", ("Remote", None)),
        ("NFS4-4.1:192.0.2.9:955", ("NFS4", "192.0.2.9")),
    ):
        found = parse(line.replace("{}", protocol), path="billing-2026.01.02").tables["dcache_billing_transfer"]
        assert found.select("protocol", "client").rows() == [expected]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("admin-ls-examples.txt", "admin shell"),
        ("pool-info-storagehandler.txt", "admin shell"),
        ("rh-ls-pic-2025-06.txt", "tape queue"),
        ("hsm-script-sara-2024-02-14.log", "own script"),
        ("pool-log-ccin2p3-2024-04-26.journal", "journal"),
        ("pool-log-lines.txt", "the log of a pool or door"),
    ],
)
def test_other_text_of_dcache_is_named(realdata: Path, name: str, what: str) -> None:
    stem, claims = choose(read_head(realdata / "dcache" / name))
    assert stem is None
    assert max(claims, key=lambda key: claims[key].likeness) == "dcache_billing"
    assert what in claims["dcache_billing"].why


def test_clients_tables_are_named() -> None:
    header = "datestamp,cellname,action,transaction,pnfsid,fullsize,transfersize,storageclass,isnew,connectiontime"
    stem, claims = choose([header, "2026-03-11 06:59:50+01,r1@d,transfer,t,0000,1,1,a:b@osm,t,3"])
    assert stem is None
    assert "billinginfo" in claims["dcache_billing"].why


word = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
record = st.fixed_dictionaries(
    {
        "at": st.datetimes(datetime(2024, 3, 1), datetime(2025, 1, 3)),
        "operation": st.sampled_from(["store", "restore"]),
        "pool": word,
        "bytes": st.integers(0, 2**50),
        "group": word,
        "family": word,
        "transfer_ms": st.integers(0, 10**9),
        "queue_ms": st.integers(0, 10**9),
        "code": st.sampled_from([0, 666, 10006]),
        "error": st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), max_size=20),
        "path": st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1, max_size=20),
    }
)


@settings(max_examples=15, deadline=None)
@given(st.lists(record, min_size=1, max_size=5))
def test_what_is_written_comes_back(records: list[dict[str, object]]) -> None:
    """Any record as text and as JSON; text has no year, so the zone is UTC and no day is ahead of the file's."""
    lines, objects = [], []
    for n, given_ in enumerate(records):
        r = {key: value for key, value in given_.items()}
        at = r["at"].replace(microsecond=0)  # type: ignore[attr-defined]
        r["code"] = r["code"] if at.date() < datetime(2025, 1, 2).date() else 0
        lines.append(
            f"{at:%m.%d %H:%M:%S} [pool:{r['pool']}@d:{r['operation']}] [{P}{n},{r['bytes']}] [{r['path']}]"
            f' {r["group"]}:{r["family"]}@osm {r["transfer_ms"]} {r["queue_ms"]} {{{r["code"]}:"{r["error"]}"}}'
        )
        objects.append(
            json.dumps(
                {
                    "date": at.replace(tzinfo=ZoneInfo("UTC")).isoformat(),
                    "msgType": r["operation"],
                    "cellName": r["pool"],
                    "cellDomain": "d",
                    "pnfsid": f"{P}{n}",
                    "fileSize": r["bytes"],
                    "billingPath": r["path"],
                    "storageInfo": f"{r['group']}:{r['family']}@osm",
                    "transferTime": r["transfer_ms"],
                    "queuingTime": r["queue_ms"],
                    "status": {"code": r["code"], "msg": r["error"]},
                }
            )
        )
    by_text = parse("\n".join(lines) + "\n", path="billing-2025.01.02", zone="UTC")
    by_json = parse("\n".join(objects) + "\n", zone="UTC")
    assert not by_text.rejects.height and not by_json.rejects.height
    found = rows_of(by_text)
    years = pl.col("created_at").dt.strftime("%m-%d %H:%M:%S").alias("created")
    assert found.select(*FACTS, "path", "queue_s", "transfer_s", years).equals(
        rows_of(by_json).select(*FACTS, "path", "queue_s", "transfer_s", years)
    )
    assert found["transfer_s"].to_list() == [int(str(r["transfer_ms"])) / 1000 for r in records]
    last = datetime(2025, 1, 4)
    assert all(last - timedelta(days=366) < at < last for at in found["created_at"])


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("$date$ [$cellType$:$cellName$:$type$] [$pnfsid$,$filesize$] $newThing$", r"\$newThing\$ is not known"),
        ('$date; format="EEE dd HH:mm:ss"$ $type$ $cellName$', "EEE in the format of the date is not known"),
        ("$date$ $type$ $cellName$ $pnfsid$ $filesize$ $rc$", "lacks queue_ms, storage_class, transfer_ms"),
    ],
)
def test_unknown_layout_refuses_the_file(header: str, why: str) -> None:
    line = "01.02 09:00:00" + STORE.format(
        pnfsid=P, size=1, path="/p", storage="a:b@osm", took=1, queued=1, code=0, error=""
    )
    with pytest.raises(UnreadableFile, match=why) as refused:
        parse(f"## storage-info-message {header}\n{line}\n")
    assert refused.value.reason == "unknown_header"


def test_no_year_refuses_tape_records_only() -> None:
    line = "01.02 09:00:00" + STORE.format(
        pnfsid=P, size=1, path="/p", storage="a:b@osm", took=1, queued=1, code=0, error=""
    )
    with pytest.raises(UnreadableFile) as refused:
        parse(line + "\n", path="some.log")
    assert refused.value.reason == "no_clock"
    mover = f'01.02 09:00:00 [pool:w1:transfer] [{P},1] [/p] a:b@osm 1 1 true {{X}} [door:x] {{0:""}}\n'
    lost = parse(mover, path="some.log")
    assert (lost.n_skipped, +Counter(lost.notes)) == (1, {NO_YEAR: 1})
    assert not +Counter(parse(mover, path="billing-2026.01.02").notes)


def test_statistics_against_the_day(realdata: Path) -> None:
    """What the hours gave and took adds up to the counters of the last hour, which the day's file repeats."""
    folder = realdata / "dcache-synthetic"
    files = sorted(folder.glob("*.raw"))
    tables = [read(path).tables["dcache_statistics"].with_columns(file_id=pl.lit(path.name)) for path in files]
    assert [rows.height for rows in tables] == [20] * 5
    made = pl.DataFrame(through_silver({"bronze.dcache_statistics": pl.concat(tables)}, "silver.pool_hour"))
    assert made.height == 80
    assert not made["is_reset"].any()
    key = ["pool", "storage_group", "file_family"]
    names = ["n_transfers", "n_restores", "n_stores", "n_errors", "client_in_bytes", "restored_bytes", "stored_bytes"]
    sums = made.group_by(key).agg(pl.col(names).sum()).sort(key)
    assert sums.equals(tables[-1].select(*key, *names).sort(key))
    hours = made.filter(pool="tape_w1", file_family="mctape").sort("to_at")
    assert hours["stored_bytes"].to_list() == [7_500_000_000, 7_500_000_000, 12_500_000_000, 15_000_000_000]
    assert hours["from_at"][0] == datetime(2026, 3, 10, 23)


def test_statistics_against_another_reading(realdata: Path) -> None:
    """Every number of every file, as split by hand."""
    columns = schema_of("dcache_statistics")
    names = [name for name in columns if name.startswith(("n_", "start", "held")) or "_bytes" in name]
    n_rows = 0
    for path in (*(realdata / "dcache-synthetic").glob("*.raw"), *(realdata / "dcache").glob("*.raw")):
        rows = read(path).tables["dcache_statistics"]
        texts = [re.split(" +", line) for line in path.read_text().splitlines() if line and line[0] != "#"]
        for row, fields in zip(rows.to_dicts(), texts, strict=True):
            counters = [row[name] for name in names if row[name] is not None]
            assert counters == [int(field) for field in fields[2:]]
            assert (row["pool"], row["storage_class"]) == tuple(fields[:2])
            assert row["kind"] == ("day" if "day" in path.name else "hour")
            n_rows += 1
    assert n_rows == 101
