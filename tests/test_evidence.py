"""The log lines that prove a finding: with their text, whichever kind of log they are of."""

import gzip
import json
from pathlib import Path

from pipelines import steps
from pipelines.answers.excerpts import LINE_CHARS
from pipelines.primitives.text import truncate
from pipelines.warehouse.connection import LAKE
from support.archive import query


def test_every_line_of_evidence_has_its_text(sample: Path) -> None:
    site = steps.site_at(sample)
    found = query(site, f"SELECT rule, evidence FROM {LAKE}.gold.finding")
    proofs = {rule: json.loads(evidence) for rule, evidence in found if json.loads(evidence)}
    assert {"long_gap", "duty_low", "flush_burst", "drive_down"} <= proofs.keys()
    for rule, lines in proofs.items():
        assert all(line["text"] for line in lines), rule
    for rule, is_text in (
        ("duty_low", lambda text: text.count(" ") == 4),
        ("flush_burst", lambda text: "2010-" in text),
    ):
        for line in proofs[rule]:
            text = read(sample / line["path"])[line["line_no"] - 1]
            assert line["text"] == truncate(text, LINE_CHARS) and is_text(text), rule


def read(path: Path) -> list[str]:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()
