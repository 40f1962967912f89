"""Log files through their sources, as the loader feeds them: cases of our own and real captures."""

import json
import random
import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.sources import all_sources
from pipelines.sources.blocks import read_blocks
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import COVERAGE, LINE_REASONS, LINES, REJECTS, Origin, Parsed, tidy_origin
from support import TESTS


def is_case(path: Path) -> bool:
    return path.is_file() and not path.name.endswith((".origin.toml", ".expected.json"))


CASES = [path for path in sorted((TESTS / "sources").glob("*/*")) if is_case(path)]


def read_lines(path: Path) -> pl.DataFrame:
    blocks = [block.lines for block in read_blocks(path)]
    return pl.concat(blocks) if blocks else pl.DataFrame(schema=LINES)


def origin_of(path: Path) -> Origin:
    origin_file = path.with_suffix(".origin.toml")
    values = tomllib.loads(origin_file.read_text()) if origin_file.exists() else {}
    return tidy_origin({"path": f"{path.parent.name}/{path.name}", "head": tuple(read_head(path)), **values})


def kind(text: str) -> str:
    """What a line is like: its words, with one mark for each that has a digit."""
    return " ".join("0" if any(map(str.isdigit, word)) else word for word in text.split())


@cache
def cuts(stem: str) -> dict[Path, list[int]]:
    """Where to cut each case of a source: where two kinds of line meet that no earlier place has, and at quarters."""
    met: set[tuple[str, str]] = set()
    places: dict[Path, list[int]] = {}
    for path in (path for path in CASES if path.parent.name == stem):
        texts = read_lines(path)["text"].to_list()
        own = {len(texts) * quarter // 4 for quarter in (1, 2, 3)} - {0}
        for place, pair in enumerate(pairwise(map(kind, texts)), 1):
            if pair not in met:
                own.add(place)
                met.add(pair)
        places[path] = sorted(own)
    return places


def pieces(lines: pl.DataFrame, places: list[int]) -> list[pl.DataFrame]:
    return [lines[begin:end] for begin, end in pairwise([0, *places, lines.height])]


def parse_chunks(stem: str, chunks: list[pl.DataFrame], origin: Origin) -> dict[str, Any]:
    """What the chunks became together."""
    return joined(parts_of(stem, chunks, origin))


def joined(parts: list[Parsed]) -> dict[str, Any]:
    return {**outcome(parts), "carry": json.loads(json.dumps(parts[-1].carry)) if parts else None}


def parts_of(stem: str, chunks: list[pl.DataFrame], origin: Origin) -> list[Parsed]:
    """What each chunk became, every line accounted for; carry goes through JSON, as it does in the warehouse."""
    source, carry = all_sources()[stem], None
    parts: list[Parsed] = []
    for chunk in chunks:
        parts.append(source.parse(chunk, origin, carry))
        account(parts[-1], chunk)
        carry = json.loads(json.dumps(parts[-1].carry))
    return parts


def account(parsed: Parsed, lines: pl.DataFrame) -> None:
    assert parsed.n_used + parsed.n_skipped + parsed.rejects.height == lines.height
    check_sound(parsed)


def check_sound(parsed: Parsed) -> None:
    assert min(parsed.n_used, parsed.n_skipped) >= 0
    assert parsed.rejects.schema == REJECTS
    assert parsed.coverage.schema == COVERAGE
    assert set(parsed.rejects["reason"]) <= set(LINE_REASONS)
    assert parsed.rejects["line_no"].is_unique().all()


def outcome(parts: list[Parsed]) -> dict[str, Any]:
    names = sorted({name for part in parts for name in part.tables})
    rejects = [row for part in parts for row in part.rejects.select("line_no", "reason").rows()]
    return {
        "used": sum(part.n_used for part in parts),
        "skipped": sum(part.n_skipped for part in parts),
        "rejects": sorted(list(row) for row in rejects),
        "tables": {
            name: sorted(
                (plain(row) for part in parts if name in part.tables for row in part.tables[name].to_dicts()),
                key=lambda row: (row["line_no"], json.dumps(row)),
            )
            for name in names
        },
        "seen": [plain(row) for row in join_seen([row for part in parts for row in part.coverage.to_dicts()])],
    }


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row as JSON can hold it, without what is not known."""
    return {
        key: value.isoformat() if isinstance(value, (date, datetime)) else value
        for key, value in row.items()
        if value is not None
    }


def join_seen(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    joined: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["host"], row["from_at"], row["to_at"])):
        last = joined[-1] if joined else None
        if last and last["host"] == row["host"] and row["from_at"] <= last["to_at"]:
            last["to_at"] = max(last["to_at"], row["to_at"])
            last["line_no"] = min(last["line_no"], row["line_no"])
        else:
            joined.append(dict(row))
    return joined


def maul(texts: list[str], chance: random.Random) -> Iterator[str]:
    junk = ["9" * 40, "-1", "nan", "1e999", "\u00e9\u20ac", "", "0", "-", "2010-02-30 25:61:61", "\t", "[", "'", "{"]
    for text in texts:
        kind = chance.randrange(12)
        words = text.split(" ")
        place = chance.randrange(len(words))
        if kind == 0:
            continue
        if kind == 1:
            yield text
        if kind == 2:
            text = text[: chance.randrange(len(text) + 1)]
        if kind in (3, 4):
            words[place] = chance.choice(junk)
            text = " ".join(words)
        if kind == 5:
            text = " ".join(words[:place] + words[place + 1 :])
        if kind == 6:
            text = "".join(chance.choice("0123456789 :-/.abcXYZ") for _ in range(60))
        yield text


def check_real_chunks(stem: str, lines: pl.DataFrame, origin: Origin, parts: list[Parsed]) -> None:
    """The beginning of a real file that became these parts is in small chunks what it is at once."""
    start = lines.head(140)
    small = pieces(start, [place for place in (7, 14, 15, 21, 49) if place < start.height])
    is_start = len(parts) == 1 and start.height == lines.height and "torn" not in parts[0].rejects["reason"]
    at_once = parts if is_start else parts_of(stem, [start], origin)
    assert parse_chunks(stem, small, origin) == joined(at_once), origin.path


def real_origin(path: Path) -> Origin:
    """What a site.toml would say of any real capture; nothing in it depends on this machine."""
    dated = re.search(r"\d{4}-\d\d-\d\d", path.name)
    return Origin(
        path=path.name,
        system="real",
        host="host",
        link="link",
        zone="America/Chicago",
        date=date.fromisoformat(dated.group()) if dated else date(2010, 6, 15),
        start_at=datetime(2010, 6, 15, 13),
        interval_s=1.0,
        date_order="mdy",
        modified_at=datetime(2026, 11, 21),
        head=tuple(read_head(path)),
    )


def real_rows(folder: str) -> dict[str, list[str]]:
    """The rows of realdata_table.md for a folder: cells by the file's name. Its test reports whether they are true."""
    lines = (TESTS / "realdata_table.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith(f"| {folder}/")]
    return {name: cells for name, *cells in rows}


def average(polls: list[tuple[int, ...]], column: int, begin: int, end: int) -> float:
    total = 0.0
    for before, after in pairwise(polls):
        overlap = min(after[0], end) - max(before[0], begin)
        if overlap > 0:
            total += overlap * (after[column] - before[column]) / (after[0] - before[0])
    return total / (end - begin)
