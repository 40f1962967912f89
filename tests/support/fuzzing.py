"""Fuzzing of sources: `PYTHONPATH=tests python -m support.fuzzing STEM [SECONDS]`, or `make fuzz` for all of them.

Atheris mutates the cases of a source, guided by the branches they reach. Whatever the bytes are, a source may refuse
the file (UnreadableFile) and nothing else may be raised; every line is used, skipped or rejected; and a file cut in
two gives what the whole one gives. What once failed is kept in `tests/corpus/<stem>/` and replayed by
`tests/test_mixed_input.py`.
"""

import datetime as dt
import json
import random
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import polars as pl

from pipelines.primitives.errors import AmbiguousSource, UnreadableFile
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import LINES, Limits, frame_of
from pipelines.sources.packing import head_of
from pipelines.sources.protocol import LINE_REASONS, Carry, Origin, Parsed
from support import REPO, TESTS

CORPUS = TESTS / "corpus"
MOST_BYTES = 60_000
MOST_MB = 3_000  # of memory
MOST_S = 30  # for one input


def seeds(stem: str) -> list[Path]:
    """The cases of a source, and what failed before."""
    cases = [
        path
        for path in sorted((TESTS / "sources" / stem).glob("*"))
        if path.is_file() and not path.name.endswith((".origin.toml", ".expected.json")) and path.suffix != ".gz"
    ]
    return cases + sorted((CORPUS / stem).glob("*"))


def check(stem: str, data: bytes) -> bool:
    """Feed some bytes to a source as if it had claimed them; True if it read them. Raises AssertionError."""
    try:
        head = head_of(data, "fuzz")
    except UnreadableFile:
        return False
    _choose(tuple(head))
    lines = frame_of(data) if data else pl.DataFrame(schema=LINES)
    lines = lines.filter(pl.col("text").str.len_bytes() <= Limits().line_bytes)
    origin = Origin(
        path="fuzz",
        host="host",
        link="link",
        zone="America/Chicago",
        date=dt.date(2010, 11, 7),
        start_at=dt.datetime(2010, 11, 7, 5),
        interval_s=1.0,
        date_order="mdy",
        modified_at=dt.datetime(2010, 11, 8),
        head=tuple(head),
    )
    whole = outcome(stem, [lines], origin)
    cut = random.Random(len(data)).randrange(lines.height + 1)
    parts = outcome(stem, [lines[:cut], lines[cut:]], origin)
    # a refusal may come later or sooner, but a file that is read is read the same
    assert (whole is None) == (parts is None), (
        f"cut behind line {cut} of {lines.height}: only one of the two is refused"
    )
    assert whole == parts, f"cut behind line {cut} of {lines.height}: other rows"
    return whole is not None


@lru_cache(256)
def _choose(head: tuple[str, ...]) -> None:
    """Every source looks at it, once: tests feed the same bytes to one source after the other."""
    with suppress(AmbiguousSource):  # of a mixture two may see their half; ingest refuses such a file
        choose(list(head))


def outcome(stem: str, chunks: list[pl.DataFrame], origin: Origin) -> str | None:
    """All that chunks become, as text to compare; None if the file is refused."""
    source = all_sources()[stem]
    carry: Carry | None = None
    parts: list[Parsed] = []
    try:
        for chunk in chunks:
            parsed = source.parse(chunk, origin, carry)
            account(parsed, chunk)
            carry = json.loads(json.dumps(parsed.carry))
            parts.append(parsed)
    except UnreadableFile:
        return None
    rows = [
        json.dumps([name, row], default=str, sort_keys=True)
        for part in parts
        for name, table in part.tables.items()
        for row in table.to_dicts()
    ]
    rejects = [row for part in parts for row in part.rejects.rows()]
    numbers = [row[0] for row in rejects]
    assert len(set(numbers)) == len(numbers), "a line is rejected once"
    assert set(numbers) <= {number for chunk in chunks for number in chunk["line_no"]}
    counts = [sum(part.n_used for part in parts), sum(part.n_skipped for part in parts)]
    return json.dumps([sorted(rows), sorted(rejects), counts], default=str)


def account(parsed: Parsed, lines: pl.DataFrame) -> None:
    """Every line of a chunk became something, once."""
    n_lines = parsed.n_used + parsed.n_skipped + parsed.rejects.height
    assert n_lines == lines.height, f"{lines.height} lines became {n_lines}"
    assert min(parsed.n_used, parsed.n_skipped) >= 0
    assert set(parsed.rejects["reason"]) <= set(LINE_REASONS)
    # a record that was broken off may be rejected at its first line, which an earlier chunk holds
    assert (parsed.rejects["line_no"] <= (lines["line_no"].max() or 0)).all()


def mutate_lines(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Damage as logs suffer it: lines lost, doubled, exchanged, cut, spliced from another file, numbers changed."""
    lines = data.split(b"\n")
    for _ in range(chance.randrange(1, 6)):
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind = chance.randrange(8)
        if kind == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == 1 and len(lines) > 1:
            del lines[i]
        elif kind == 2:
            lines.insert(j, lines[i])
        elif kind == 3:
            lines[i] = lines[i][: chance.randrange(len(lines[i]) + 1)]
        elif kind == 4:
            words = lines[i].split(b" ")
            words[chance.randrange(len(words))] = chance.choice(_WORDS)
            lines[i] = b" ".join(words)
        elif kind == 5:
            other = chance.choice(others).split(b"\n")
            at = chance.randrange(len(other))
            lines[i:i] = other[at : at + chance.randrange(1, 9)]
        elif kind == 6 and lines[i]:
            at = chance.randrange(len(lines[i]))
            lines[i] = lines[i][:at] + bytes([chance.randrange(256)]) + lines[i][at + 1 :]
        else:
            i, j = min(i, j), max(i, j)
            lines = lines[j:] + lines[i:j] + lines[:i]
        lines = lines or [b""]
    return b"\n".join(lines)


_WORDS = [
    b"9" * 40,
    b"9" * 5000,
    "\u00b2".encode(),
    b"-1",
    b"nan",
    b"inf",
    b"1e999",
    b"0",
    b"-",
    b"1,5",
    b"2010-02-30",
    b"25:61:61",
    b"'",
    b"{",
    b"<",
]


def main() -> None:
    """Fuzz one source until the time is over; the figures go to standard error."""
    import atheris  # only `make fuzz` installs it

    stem, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 600
    texts = [path.read_bytes()[:MOST_BYTES] for path in seeds(stem)]
    others = texts + [path.read_bytes()[:MOST_BYTES] for each in all_sources() for path in seeds(each)[:3]]
    counts = {"run": 0, "read": 0}

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.2 or not data:
            return bytes(atheris.Mutate(data, max_size))
        return mutate_lines(data, others, chance)[:max_size]

    def one_input(data: bytes) -> None:
        counts["run"] += 1
        counts["read"] += check(stem, data)
        if counts["run"] % 1000 == 0:
            print(f"{stem}: {counts['run']} inputs, {counts['read']} of them read", file=sys.stderr)

    folder = REPO / "var" / "fuzz" / stem
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"seed-{number}").write_bytes(text)
    atheris.instrument_all()
    options = [f"-max_total_time={seconds}", f"-timeout={MOST_S}", f"-rss_limit_mb={MOST_MB}", f"-max_len={MOST_BYTES}"]
    atheris.Setup(
        [sys.argv[0], *options, f"-artifact_prefix={folder}/crash-", "-print_final_stats=1", str(folder)],
        one_input,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
