"""Lines that were not understood: shown completely, and without the names in them while they keep their shape."""

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.answers.rejected import vocabulary
from pipelines.cli import cli
from pipelines.primitives.anonymise import Anonymiser
from pipelines.sources import all_sources
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin
from support import TESTS
from support.archive import make_site, put

pytestmark = pytest.mark.usefixtures("plain_store")

LINE = (
    '{"epoch_time":1787645424.565608000,"hostname":"tpsrv0513.example.org","program":"cta-taped","log_level":"INFO",'
    '"message":"File successfully read from tape","tapeDrive":"I1L90513","tapeVid":"L90123","vo":"muonlab",'
    '"dstURL":"root://eosmuon.example.org//eos/muonlab/user/a/ann/run3/f1234.root","fileId":4295123456,"fSeq":12,'
    '"dataVolume":"x","readWriteTime":12.345,"client":"192.0.2.77","owner":"ann"}'
)
SECRETS = ["tpsrv0513", "I1L90513", "L90123", "muonlab", "eosmuon", "ann", "run3", "f1234", "4295123456", "192.0.2.77"]
KEPT = [
    "1787645424.565608000",
    "cta-taped",
    "File successfully read from tape",
    '"fSeq":12',
    "root://",
    ".root",
    "12.345",
]


def test_names_are_replaced_alike_and_the_rest_stays() -> None:
    hide = Anonymiser(vocabulary())
    line, again = hide.line(LINE), hide.line("tape L90123 in I1L90513 at 192.0.2.77 2026-08-25T10:10:24 by ANN")
    assert [secret for secret in SECRETS if secret in line or secret in again] == []
    assert [kept for kept in KEPT if kept not in line] == []
    found = json.loads(line)
    assert list(found) == list(json.loads(LINE))
    words = again.split()
    assert words[1] == found["tapeVid"] and words[3] == found["tapeDrive"] and words[5] == found["client"]
    assert words[-1] == found["owner"].upper() and words[6] == "2026-08-25T10:10:24"
    assert Anonymiser(vocabulary()).line(LINE) != line, "nobody keeps the salt"


def test_no_two_names_become_one() -> None:
    hide = Anonymiser(frozenset(), salt=b"x")
    names = [f"D{n}" for n in range(9)] + [f"{n:06d}" for n in range(500)]
    assert len({hide.line(name) for name in names}) == len(names)


def test_a_name_that_is_a_word_of_the_program_is_replaced_where_it_is_known() -> None:
    line = "tape drive session"
    assert Anonymiser(vocabulary()).line(line) == line
    assert "session" not in Anonymiser(vocabulary(), {"session"}).line(line)


@pytest.mark.parametrize("path", sorted((TESTS / "sources" / "cta_taped").glob("*.log")), ids=lambda path: path.stem)
def test_a_source_understands_lines_without_names_as_it_does_with_them(path: Path) -> None:
    texts = path.read_text(encoding="utf-8", errors="replace")
    hide, origin = Anonymiser(vocabulary()), Origin(zone="Europe/Zurich", date=date(2026, 8, 25))
    one, two = (
        all_sources()["cta_taped"].parse(frame_of(text.encode()), origin, None)
        for text in (texts, "".join(map(hide.line, texts.splitlines(keepends=True))))
    )
    assert (one.n_used, one.n_skipped) == (two.n_used, two.n_skipped)
    assert one.rejects.drop("text").equals(two.rejects.drop("text"))


def test_the_command_shows_whole_lines_and_hides_names(tmp_path: Path) -> None:
    site = make_site(tmp_path, 'name = "muonlab"\nzone = "UTC"\n[[input]]\nglob = "logs/taped/*"\n')
    put(site, "taped/tpsrv0513.log", LINE.replace('"dataVolume":"x"', '"dataVolume":"5"') + "\n" + LINE + "\n")
    steps.ingest(site)
    shown, hidden = (
        CliRunner().invoke(cli, ["rejects", *more, "--site", str(tmp_path)]).output for more in ([], ["--anonymise"])
    )
    assert "taped/tpsrv0513.log: bad_number: 1 line\n" in shown and LINE in shown
    assert [secret for secret in SECRETS if secret in hidden] == []
    assert "cta_taped: " in hidden and "bad_number: 1 line" in hidden and '"dataVolume":"' in hidden
    assert "…" not in shown
