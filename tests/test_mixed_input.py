"""Mixed and mauled input: two formats in a file, lines cut, doubled or turned round, and what fuzzing found."""

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines import steps
from pipelines.sources import all_sources
from support.fuzzing import CORPUS, check, mutate_lines, seeds

pytestmark = pytest.mark.usefixtures("plain_store")

STEMS = sorted(all_sources())
FOUND = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
LEAST = settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@cache
def first_case(stem: str) -> bytes:
    return next(path for path in seeds(stem) if path.stem.startswith("clean")).read_bytes()


def neighbours(stem: str, n: int) -> list[str]:
    """The next sources by name, in a ring: each meets some others, and all are met."""
    place = STEMS.index(stem)
    return [STEMS[(place + step) % len(STEMS)] for step in range(1, n + 1)]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_fuzzing_found_stays_fixed(path: Path) -> None:
    check(path.parent.name, path.read_bytes())


@pytest.mark.parametrize("stem", STEMS)
def test_another_format_behind_or_before_is_accounted_for(stem: str) -> None:
    own = first_case(stem)
    for other in neighbours(stem, 4):
        check(stem, own + first_case(other))
        check(stem, first_case(other) + own)


@pytest.mark.parametrize("stem", STEMS)
@LEAST
@given(seed=st.integers(0, 2**32), pick=st.integers(0, 1000))
def test_damage_is_accounted_for(stem: str, seed: int, pick: int) -> None:
    files = seeds(stem)
    others = [first_case(other) for other in STEMS]
    check(stem, mutate_lines(files[pick % len(files)].read_bytes(), others, random.Random(seed)))


@pytest.mark.parametrize("stem", STEMS)
@LEAST
@given(data=st.binary(max_size=400) | st.text(max_size=400).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_accounted_for(stem: str, data: bytes) -> None:
    check(stem, data)


def test_a_file_two_sources_claim_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    """Where the heads of two formats share a file, one may be read or both refused; the run goes on."""
    pairs = [(one, two) for one in STEMS for two in (*neighbours(one, 3), one)]
    for number, (one, two) in enumerate(pairs):
        (tmp_path / f"mix_{number}.txt").write_bytes(first_case(one) + first_case(two))
    (tmp_path / "site.toml").write_text(
        'name = "mix"\n[[input]]\nglob = "mix_*.txt"\nhost = "h"\ndate = 2010-06-15\n'
        "start_at = 2010-06-15T00:00:00Z\ninterval_s = 1\n"
    )
    report = steps.ingest(steps.site_at(tmp_path))
    assert len(report.files) == len(pairs)
    assert all(file.state in ("loaded", "unchanged") or file.reason for file in report.files)
