"""The result for every real capture: a table with a row per file, written by `pytest --regen` and read by eye.

Each is read at once and, its beginning, in small chunks.

`realdata_table.md` is that table. A file that no source reads is in it with the reason; lines that are rejected
must be explained in `realdata_accepted.toml`, where a person who has looked at them states why that is right.
"""

import shutil
import tomllib
from collections import Counter
from datetime import datetime
from pathlib import Path

import polars as pl

from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import FileParse
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import choose
from pipelines.sources._shared.coverage import joined
from pipelines.sources.packing import read_head
from support.parsing import check_real_chunks, check_sound, read_lines, real_origin

HERE = Path(__file__).parent
TABLE, ACCEPTED = HERE / "realdata_table.md", HERE / "realdata_accepted.toml"
COLUMNS = ("file", "source", "lines", "used", "skipped", "rejected", "rows", "first", "last", "remark")
NOT_IN_THIS_ROUND = ("hpss",)
INTRODUCTION = """# The results for the real captures

One row per file of the folder that `TAPESCOPE_REALDATA` names, written by `pytest tests/test_realdata_table.py --regen`
and checked by the same test. Lines = used + skipped + rejected. Rejects are explained in `realdata_accepted.toml`.
Files without a clock of their own were read as if they began on 2010-06-15 13:00 UTC with a step of a second.

"""


def row_of(folder: Path, path: Path, accepted: dict[str, dict[str, str]], unexplained: set[str]) -> list[str]:
    name = path.relative_to(folder).as_posix()
    try:
        stem, claims = choose(read_head(path))
    except UnreadableFile as error:
        assert error.reason and error.hint, name
        return [name, "–", *[""] * 7, f"{error.reason}: {no_path(error, path)}"]
    if stem is None:
        assert all(claim.why for claim in claims.values()), name
        nearest = max(claims, key=lambda key: claims[key].likeness)
        why = claims[nearest].why if claims[nearest].likeness else "nothing known is like it"
        return [name, "–", *[""] * 7, f"not read: {why}"]
    file = IncomingFile(None, path)
    file.origin = real_origin(path)
    reading = FileParse(file)
    parsed = list(reading.chunks())
    counts = reading.counts
    assert counts.n_used + counts.n_skipped + counts.n_rejected == counts.n_lines, name
    if reading.failure is not None:
        assert reading.failure.reason and reading.failure.hint, name
        return [name, stem, *[""] * 7, f"refused, {reading.failure.reason}: {no_path(reading.failure, path)}"]
    for part in parsed:
        check_sound(part)
    if stem != "iostat":  # its own test cuts them at more places
        check_real_chunks(stem, read_lines(path), file.origin, parsed)
    reasons = Counter(reason for part in parsed for reason in part.rejects["reason"])
    unexplained.update(f"{name}: {reason}" for reason in reasons if reason not in accepted.get(name, {}))
    seen = joined([part.coverage for part in parsed])
    first, last = (seen["from_at"].min(), seen["to_at"].max()) if seen.height else (None, None)
    counted = (counts.n_lines, counts.n_used, counts.n_skipped, counts.n_rejected, counts.n_records)
    rejected = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    return [name, stem, *map(str, counted), shown(first), shown(last), rejected]


def no_path(error: Exception, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def shown(instant: object) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S}" if isinstance(instant, datetime) else ""


def cell(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|")
    return flat if len(flat) <= 200 else flat[:199] + "…"


def checked(text: str) -> list[str]:
    """The table's lines; where there is no program rrdtool, without those of the files that only it reads."""
    return [line for line in text.splitlines() if shutil.which("rrdtool") or ".rrd |" not in line]


def test_every_real_file_has_its_row(realdata: Path, regen: bool) -> None:
    accepted = tomllib.loads(ACCEPTED.read_text())
    paths = sorted(path for path in realdata.rglob("*") if path.is_file() and path.name != "README.md")
    assert len(paths) > 400
    unexplained: set[str] = set()
    rows = [row_of(realdata, path, accepted, unexplained) for path in paths]
    lines = [f"| {' | '.join(cell(value) for value in row)} |" for row in (COLUMNS, ("---",) * len(COLUMNS), *rows)]
    text = INTRODUCTION + "\n".join(lines) + "\n"
    if regen:
        TABLE.write_text(text)
    assert TABLE.exists(), "write it with --regen, then read it by eye"
    assert checked(text) == checked(TABLE.read_text()), "write it again with --regen, and read what changed"
    for row in rows:
        if row[0].split("/")[0] in NOT_IN_THIS_ROUND:
            assert row[1] == "–", f"{row[0]} is of a system that is not read yet, but {row[1]} claims it"
    assert not unexplained, f"look at these rejects, read them or explain them in {ACCEPTED.name}"
    stale = [name for name in accepted if not (realdata / name).is_file()]
    assert not stale, f"{ACCEPTED.name} explains files that are not there"


def test_the_explanations_name_known_reasons() -> None:
    from pipelines.sources.protocol import LINE_REASONS

    for name, reasons in tomllib.loads(ACCEPTED.read_text()).items():
        assert set(reasons) <= set(LINE_REASONS), name
        assert all(len(why) > 10 for why in reasons.values()), name


def test_the_table_sums() -> None:
    """Also without the captures: the table's figures for a file add up."""
    rows = [line.strip("| ").split(" | ") for line in TABLE.read_text().splitlines() if line.startswith("| ")][2:]
    frame = pl.DataFrame(
        [row[:6] for row in rows if len(row) > 6 and row[2].isdigit()], orient="row", schema=COLUMNS[:6]
    )
    numbers = frame.select(pl.col("lines", "used", "skipped", "rejected").cast(pl.Int64))
    assert numbers.height > 200
    assert (numbers["lines"] == numbers["used"] + numbers["skipped"] + numbers["rejected"]).all()
