"""A log cut into pieces: where it is cut, what is guessed at a cut, and what happens if the file changes meanwhile."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.texts import all_texts
from pipelines.catalog.files import load_catalog
from pipelines.config.files import site_files
from pipelines.ingest import pieces
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.reading import Reader, Reading
from pipelines.ingest.rows import Setup
from pipelines.sources import all_sources, blocks
from pipelines.steps import site_at
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.tables import prepare_tables

SEED, LEAST_BYTES = 3, 1_500_000
CUT = sorted(stem for stem, source in all_sources().items() if getattr(source, "CAN_BE_CUT", False))
SITE = """\
name = "cut"
zone = "America/Chicago"

[[input]]
glob = "{glob}"
{origin}"""


def log_of(folder: Path, stem: str, n_bytes: int = LEAST_BYTES) -> IncomingFile:
    """A generated log of a source."""
    text = all_texts()[stem]
    (folder / "site.toml").write_text(SITE.format(glob=text.GLOB, origin=getattr(text, "ORIGIN", "")))
    path = folder / text.NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as log:
        for part in text.text(SEED):
            if log.write(part) and log.tell() >= n_bytes:
                break
    return IncomingFile(site_at(folder), *site_files(site_at(folder))[0])


def reader_of(folder: Path) -> Reader:
    warehouse = Warehouse(site_at(folder))
    with warehouse.write("test") as connection:
        prepare_tables(connection, load_catalog())
        return Reader(Setup.of(connection, load_catalog(), warehouse.data_path, str(folder / "aside")))


@pytest.mark.parametrize("stem", CUT)
def test_the_lines_before_a_cut_give_the_state_there(tmp_path: Path, stem: str) -> None:
    """Or the source must not declare that it can be cut: each piece would be read twice."""
    file = log_of(tmp_path, stem)
    source, carry, n_cuts = all_sources()[stem], None, 0
    for block in blocks.read_blocks(file.path, block_bytes=300_000):
        if block.is_torn:
            break
        carry = source.parse(block.lines, file.origin, carry).carry
        place = blocks.Start(block.end_offset, block.end_line)
        assert pieces.guess(file, place) == carry, f"{stem} at line {block.end_line}"
        n_cuts += block.end_offset > pieces.WARM_UP_BYTES
    assert n_cuts >= 3


def test_cuts_are_at_line_ends_and_know_what_is_before(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"line {n} {'x' * (n % 90)}\n" for n in range(5_000)) + "torn")
    every = path.stat().st_size // 5
    first, *cuts, end = blocks.cut_points(path, blocks.Start(), every)
    assert first == blocks.Start() and 3 <= len(cuts) <= 5
    assert (end.offset, end.line_no) == (path.stat().st_size, 5_000)
    for cut in (*cuts, end):
        *_, block = blocks.read_blocks(path, until=cut.offset)
        assert (block.end_offset, block.digest) == (cut.offset, cut.sha256)
        assert cut is end or block.end_line == cut.line_no
    assert blocks.cut_points(path, cuts[1], every)[0] == cuts[1]
    with pytest.raises(blocks.PrefixChanged):
        blocks.cut_points(path, replace(cuts[1], sha256="0" * 64), every)


def pieces_read(reader: Reader, file: IncomingFile, cut: list[pieces.Piece]) -> list[pieces.PieceReading | None]:
    return [pieces.read(reader, file, piece) for piece in cut]


def test_a_log_that_grows_is_read_as_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 200_000)
    file, reader = log_of(tmp_path, "enstore_log"), reader_of(tmp_path)
    alone = reader.read(file, blocks.Start(), None)
    cut = pieces.cut(file, blocks.Start(), None, 2)
    assert alone and len(cut) == 4 and [bool(piece.warm_up_bytes) for piece in cut] == [False, True, True, True]
    with file.path.open("a") as log:
        log.write("one more line\n")
    parts = [part.reading for part in pieces_read(reader, file, cut) if part]
    assert summary(pieces.join(reader.setup, file, parts)) == summary(alone)


def summary(reading: Reading) -> list[object]:
    """All that is known of a file, its rows but for the files that hold them."""
    names = ("origin", "version", "start", "resume", "sha256", "file_id", "carry", "counts", "note", "warning", "days")
    n_rows: dict[str, int] = {}
    for file in reading.files:
        n_rows[file.relation] = n_rows.get(file.relation, 0) + file.n_rows
    for name, rows in reading.held.items():
        n_rows[name] = n_rows.get(name, 0) + rows.height
    return [*(getattr(reading, name) for name in names), reading.written.rows(), n_rows]


def test_a_piece_of_a_file_that_changed_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 200_000)
    file, reader = log_of(tmp_path, "enstore_log"), reader_of(tmp_path)
    cut = pieces.cut(file, blocks.Start(), None, 2)
    text = bytearray(file.path.read_bytes())
    text[cut[2].start.offset + 5_000] ^= 1
    file.path.write_bytes(text)
    assert [part is not None for part in pieces_read(reader, file, cut)] == [True, True, False, False]
    file.path.unlink()
    assert pieces_read(reader, file, cut) == [None] * 4


def test_small_packed_and_other_logs_are_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = log_of(tmp_path, "enstore_log")
    assert pieces.cut(file, blocks.Start(), None, 8) == [], "a small log"
    monkeypatch.setattr(pieces, "PIECE_BYTES", 200_000)
    assert pieces.cut(file, blocks.Start(), None, 8)
    assert pieces.cut(file, replace(blocks.Start(), offset=100, sha256="0" * 64), None, 8) == [], "another log"
    file.path.write_bytes(b"\x1f\x8b" + file.path.read_bytes())
    assert pieces.cut(file, blocks.Start(), None, 8) == [], "a packed log"
    other = tmp_path / "vmstat"
    other.mkdir()
    assert pieces.cut(log_of(other, "vmstat"), blocks.Start(), None, 8) == [], "its state is as old as the log"
