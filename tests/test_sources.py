"""Every source against its cases and against damage. Real captures are `test_realdata_table.py`'s.

A case is `tests/sources/<stem>/<case>.<ext>`, with `<case>.expected.json` (rewritten by `pytest --regen`, then read by
eye) and, where the file lacks a fact, `<case>.origin.toml` with fields of `protocol.Origin`.
"""

import json
import random
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.primitives.errors import AmbiguousSource, UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import HEAD_LINES, read_head
from pipelines.sources.protocol import LINES, SPEAKS_FOR, Claim, Origin, Parsed
from support.parsing import (
    CASES,
    account,
    average,
    cuts,
    is_case,
    joined,
    maul,
    origin_of,
    outcome,
    parse_chunks,
    parts_of,
    pieces,
    read_lines,
)

pytestmark = pytest.mark.filterwarnings("error")

HERE = Path(__file__).parent
BRONZE = HERE.parent / "schemas" / "bronze"
BY_LOADER = {"file_id", "day"}
TYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "VARCHAR": pl.String,
    "BIGINT": pl.Int64,
    "INTEGER": pl.Int32,
    "UBIGINT": pl.UInt64,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "TIMESTAMP": pl.Datetime("us"),
    "DATE": pl.Date,
}


each_case = pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def written(result: dict[str, Any]) -> str:
    """JSON with one row a line, so that a person can read it and a diff shows rows."""

    def listed(rows: list[Any], indent: str) -> str:
        body = ",\n".join(f"{indent} {json.dumps(row)}" for row in rows)
        return f"[\n{body}\n{indent}]" if rows else "[]"

    tables = ",\n".join(f"  {json.dumps(name)}: {listed(rows, '  ')}" for name, rows in result["tables"].items())
    parts = [
        f' "used": {result["used"]}',
        f' "skipped": {result["skipped"]}',
        f' "rejects": {listed(result["rejects"], " ")}',
        f' "tables": {{\n{tables}\n }}',
        f' "seen": {listed(result["seen"], " ")}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


@cache
def contract(table: str) -> dict[str, str]:
    columns = tomllib.loads((BRONZE / f"{table}.toml").read_text())["columns"]
    return {name: column["type"] for name, column in columns.items() if name not in BY_LOADER}


@cache
def whole(path: Path) -> tuple[str, pl.DataFrame, Origin, list[Parsed]]:
    stem, lines, origin = path.parent.name, read_lines(path), origin_of(path)
    return stem, lines, origin, parts_of(stem, [lines], origin)


@cache
def expected(path: Path) -> dict[str, Any]:
    return json.loads(path.with_suffix(".expected.json").read_text())  # type: ignore[no-any-return]


@each_case
def test_case_gives_what_is_expected(path: Path, regen: bool) -> None:
    result = outcome(whole(path)[3])
    golden = path.with_suffix(".expected.json")
    if regen:
        golden.write_text(written(result))
    assert golden.exists(), "write it with --regen, then read it by eye"
    assert json.loads(json.dumps(result)) == expected(path)


@each_case
def test_case_is_claimed_by_its_source_alone(path: Path) -> None:
    stem, claims = choose(read_head(path))
    assert stem == path.parent.name, claims
    assert all(claim.why and 0 <= claim.likeness <= 1 for claim in claims.values())


@each_case
def test_rows_fit_their_contract(path: Path) -> None:
    stem, lines, _, (parsed,) = whole(path)
    assert set(parsed.tables) <= set(all_sources()[stem].TABLES)
    for table, rows in parsed.tables.items():
        columns = contract(table)
        assert set(rows.columns) == set(columns)
        rows.cast({name: TYPES[kind] for name, kind in columns.items()}, strict=True)
        assert rows["line_no"].is_in(lines["line_no"].implode()).all()


@each_case
def test_cutting_the_file_changes_nothing(path: Path) -> None:
    """Chunks of one line up to a quarter of the file; an empty one changes nothing either.

    It comes in the middle of every case, and also first and last in one of each source.
    """
    stem, lines, origin, parts = whole(path)
    places, nothing = cuts(stem), lines[:0]
    chunks = pieces(lines, places[path])
    chunks.insert(len(chunks) // 2, nothing)
    if path == next(iter(places)):
        chunks = [nothing, *chunks, nothing]
    assert parse_chunks(stem, chunks, origin) == joined(parts), f"cut after the lines {places[path]}"


@each_case
def test_damage_is_data(path: Path) -> None:
    """However a file is mauled, nothing but UnreadableFile is raised, and every line is accounted for."""
    stem, lines, origin, _ = whole(path)
    for seed in range(3):
        mauled = frame_of("\n".join(maul(lines["text"].to_list(), random.Random(seed))).encode())
        if seed == 0:  # every source looks at it: dear, and the rest of a file is no head
            choose(mauled["text"].head(HEAD_LINES).to_list())
        with suppress(UnreadableFile):
            parts_of(stem, [mauled], origin)


@pytest.mark.parametrize("stem", sorted(all_sources()))
def test_source_has_what_a_source_needs(stem: str) -> None:
    source = all_sources()[stem]
    assert all((source.TITLE, source.VERSION >= 1, source.TABLES, source.SPEAKS_FOR in SPEAKS_FOR))
    cases = {path.stem for path in CASES if path.parent.name == stem}
    assert any(case.startswith("clean") for case in cases), "a clean case is missing"
    assert any(case.startswith("damaged") for case in cases), "a damaged case is missing"
    claim = source.recognise([])
    assert not claim.is_match
    assert claim.why
    parsed = source.parse(pl.DataFrame(schema=LINES), Origin(), None)
    account(parsed, pl.DataFrame(schema=LINES))


def test_nothing_is_missing() -> None:
    assert all_sources()
    assert CASES
    assert {path.parent.name for path in CASES} == set(all_sources())
    tables = {path.stem for path in BRONZE.glob("*.toml")} - {"log_coverage"}
    filled = {name for path in CASES for name, rows in expected(path)["tables"].items() if rows}
    assert tables
    assert filled == tables
    orphans = [
        path.name
        for path in (HERE / "sources").glob("*/*.*")
        if not is_case(path) and not any(is_case(case) for case in path.parent.glob(f"{path.name.split('.')[0]}.*"))
    ]
    assert not orphans


def test_every_column_is_filled_by_a_case() -> None:
    """A column of a contract that no source fills would be NULL in every row, and no case would show it."""
    filled: dict[str, set[str]] = {}
    for path in CASES:
        for table, rows in expected(path)["tables"].items():
            filled.setdefault(table, set()).update(*rows)
    empty = {path.stem: set(contract(path.stem)) - filled.get(path.stem, set()) for path in BRONZE.glob("*.toml")}
    del empty["log_coverage"]  # the loader's
    assert {table: columns for table, columns in empty.items() if columns} == {
        "enstore_accounting_drive_stat": {"n_retries"},
        "enstore_accounting_file": {"package_id"},
        "enstore_accounting_migration": {"checked_at", "closed_at", "remark"},
        "enstore_accounting_volume": {"modified_at"},
    }


@pytest.mark.parametrize("case", ["iostat/clean_x_newest.txt", "sar/clean_text.txt", "tapestat/clean_text.txt"])
def test_colours_change_no_row(case: str) -> None:
    """sysstat colours each number and name under S_COLORS=always; excerpts of a file show it as it is."""
    path = HERE / "sources" / case
    plain = read_lines(path)
    number = r"(\d+\.\d+)"
    coloured = plain.with_columns(pl.col("text").str.replace_all(number, "\x1b[34;22m${1}\x1b[0m"))
    assert not coloured.equals(plain)
    source = all_sources()[Path(case).parent.name]
    expected, found = (source.parse(lines, origin_of(path), None) for lines in (plain, coloured))
    assert found.rejects.equals(expected.rejects)
    assert all(found.tables[name].equals(rows) for name, rows in expected.tables.items())


def test_two_claims_are_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in list(all_sources().values())[:2]:
        monkeypatch.setattr(source, "recognise", lambda head: Claim(True, 1.0, "said yes"))
    with pytest.raises(AmbiguousSource, match="said yes"):
        choose([])


def test_mrtg_rates_are_those_of_the_polls(realdata: Path) -> None:
    """The 300 s rows of a real rateup log against averages computed from the polls it was fed with."""
    folder = realdata / "mrtg" / "generated"
    polls = pl.read_csv(folder / "rateup_counter64_input.csv").rows()
    start = 1_040_000_100
    faults = [(300, 304), (500, 535), (700, 700), (800, 804)]  # from its README, in polls
    lines = read_lines(folder / "rateup_counter64.log")
    rows = all_sources()["mrtg_log"].parse(lines, Origin(link="a"), None).tables["link_sample"]
    rows = rows.with_columns(pl.col("from_at", "to_at").dt.epoch("s")).filter(
        pl.col("to_at") - pl.col("from_at") == 300
    )
    checked = 0
    for row in rows.iter_rows(named=True):
        first, last = ((row[name] - start) / 300 for name in ("from_at", "to_at"))
        if any(first < end + 2 and last > begin - 2 for begin, end in faults):
            continue
        for column, name in ((1, "in_bytes_s"), (2, "out_bytes_s")):
            assert row[name] == pytest.approx(average(polls, column, row["from_at"], row["to_at"]), abs=2)
        checked += 1
    assert checked > 500
