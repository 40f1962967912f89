"""A log in parts, with copies next to it or with lines swapped within a second, gives the rows of the whole log.

The same log of two drives, cut and copied at random, in memory: from its lines to the ledger of a day.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from hashlib import sha256
from itertools import groupby, pairwise

import duckdb
import polars as pl
import pytest

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.files import load_catalog
from pipelines.sources import all_sources
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import HEAD_LINES
from pipelines.sources.protocol import Origin
from support.archive import SYSTEM, Story, seconds
from support.cases import SETTING, create_tables, insert

DAY = date(2010, 3, 10)
MADE = ("silver.session", "silver.transfer", "silver.gap", "silver.request", "gold.drive_ledger")
# What a filtered copy keeps: mounts, clients, ends of files, requests, tickets.
KEPT = (r"MSG_TYPE=MC_LOAD", r"mount", r"ENCP_XFER", r"transfer complete", r"_HSM", r"SENDING|bytes")

Rows = dict[str, Counter[tuple[object, ...]]]


def log() -> list[str]:
    """Writes, a change of tapes within a second, reads of files near and far, and a drive that is set offline."""
    story, at = Story(), datetime(2010, 3, 10, 14)
    end = story.session("DRV_1", "VOL001", at, 3, ends=False)
    for text in ("dismount_volume VOL001", "dismounting VOL001", "dismounted VOL001"):
        story.mover(end + seconds(3), "DRV_1", text)
    story.session("DRV_1", "VOL002", end + seconds(2), 3, pause_s=7)
    free = story.read("DRV_2", "VOL003", at + seconds(17), [1, 2, 3, 7])
    story.read("DRV_2", "VOL001", free, [2, 1])
    story.down("DRV_2", at + seconds(600), at + seconds(700))
    story.heartbeat(at - seconds(60), at + seconds(900), 60)
    return story.days("UTC")[DAY].splitlines(keepends=True)


LINES = log()
IN_A_SECOND = [n for n in range(1, len(LINES)) if LINES[n][:8] == LINES[n - 1][:8]]


class Archive:
    """The relations that a server log feeds, in memory."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
        self.connection, self.catalog = connection, catalog
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        create_tables(connection, catalog)
        drives = [{"drive": f"DRV_{n}", "logname": f"DRV_{n}MV", "mover": f"DRV_{n}.mover"} for n in (1, 2)]
        insert(connection, catalog.relations["site.setting"], [SETTING])
        insert(connection, catalog.relations["site.drive"], drives)
        self.made: list[Relation] = []
        needed = set(MADE)
        for relation in reversed(catalog.made_by_sql()):
            if relation.full_name in needed and not relation.is_constant:
                self.made.insert(0, relation)
                needed.update(relation.inputs)

    def rows(self, *texts: str) -> Rows:
        """What the files make, lineage left out. Which file comes first is left to chance, as hashes do."""
        self.connection.execute("BEGIN")
        for text in texts:
            self._read(text)
        for relation in self.made:
            self.connection.execute(f"INSERT INTO {relation.full_name} {relation.sql}")
        found = {name: self._contents(self.catalog.relations[name]) for name in MADE}
        self.connection.execute("ROLLBACK")
        return found

    def _read(self, text: str) -> None:
        origin = Origin(system=SYSTEM, date=DAY, head=tuple(text.splitlines()[:HEAD_LINES]))
        parsed = all_sources()["enstore_log"].parse(frame_of(text.encode()), origin, None)
        seen = parsed.coverage.with_columns(source=pl.lit("enstore_log"))
        for name, frame in {**parsed.tables, "log_coverage": seen}.items():
            relation = self.catalog.relations[f"bronze.{name}"]
            day = pl.col(relation.day_of).cast(pl.Date)
            rows = frame.with_columns(file_id=pl.lit(sha256(text.encode()).hexdigest()), day=day)
            self.connection.register("rows_read", rows.to_arrow())
            self.connection.execute(f"INSERT INTO {relation.full_name} BY NAME SELECT * FROM rows_read")
            self.connection.unregister("rows_read")

    def _contents(self, relation: Relation) -> Counter[tuple[object, ...]]:
        columns = ", ".join(f'"{name}"' for name in relation.column_names if name not in relation.lineage)
        return Counter(self.connection.execute(f"SELECT {columns} FROM {relation.full_name}").fetchall())


@pytest.fixture(scope="module")
def archive() -> Iterator[Archive]:
    with duckdb.connect(":memory:") as connection:
        yield Archive(connection, load_catalog())


@pytest.fixture(scope="module")
def whole(archive: Archive) -> Rows:
    """What the log makes in one piece: four mounts of 3 + 3 + 4 + 2 files, so 2 + 2 + 3 + 1 gaps."""
    found = archive.rows("".join(LINES))
    counts = {name: found[name].total() for name in ("silver.session", "silver.transfer", "silver.gap")}
    assert counts == {"silver.session": 4, "silver.transfer": 12, "silver.gap": 8}
    return found


def parts(chance: random.Random) -> list[str]:
    """The log cut at one to four places, most of them within a second."""
    cuts = {chance.choice([*IN_A_SECOND, chance.randrange(1, len(LINES))]) for _ in range(chance.randint(1, 4))}
    return ["".join(LINES[begin:end]) for begin, end in pairwise([0, *sorted(cuts), len(LINES)])]


def copies(chance: random.Random) -> list[str]:
    """Up to two copies: of one kind of line, of lines at random, of a stretch, or all with what only DEBUGLOG has."""
    begin, end = sorted(chance.sample(range(len(LINES)), 2))
    pattern, share = chance.choice(KEPT), chance.random()
    made = [
        [line for line in LINES if re.search(pattern, line)],
        [line for line in LINES if chance.random() < share],
        LINES[begin:end],
        [f"{line}{line[:8]} srv09.example.org 000017 root M DBGSRV  trace {n}\n" for n, line in enumerate(LINES)],
    ]
    return ["".join(lines) for lines in chance.sample(made, chance.randint(0, 2)) if lines]


@pytest.mark.parametrize("seed", range(8))
def test_parts_and_copies_give_the_rows_of_the_whole(archive: Archive, whole: Rows, seed: int) -> None:
    chance = random.Random(seed)
    assert archive.rows(*parts(chance), *copies(chance)) == whole


@pytest.mark.parametrize("seed", range(3))
def test_lines_swapped_within_their_second_give_the_same_rows(archive: Archive, whole: Rows, seed: int) -> None:
    """Every second's lines in any order: the log's server stamps them, the network does not keep their order."""
    chance = random.Random(seed)
    seconds_of = [list(lines) for _, lines in groupby(LINES, key=lambda line: line[:8])]
    shuffled = [line for lines in seconds_of for line in chance.sample(lines, len(lines))]
    assert shuffled != LINES
    assert archive.rows("".join(shuffled)) == whole
