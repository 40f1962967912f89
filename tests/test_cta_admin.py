"""Answers of cta-admin without a time: the file's own time can date one of them."""

from datetime import datetime

import pytest

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import cta_admin
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin

DRIVE = '{"driveName":"D1","host":"tps1","driveStatus":"UP","driveStatusSince":"60","timeSinceLastUpdate":"5"}'
ORIGIN = Origin(modified_at=datetime(2026, 8, 25, 8, 30))


def test_one_bare_answer_was_taken_when_the_file_was_written() -> None:
    found = cta_admin.parse(frame_of(f"[{DRIVE}]".encode()), ORIGIN, None)
    assert found.tables["cta_drive_poll"]["polled_at"].to_list() == [datetime(2026, 8, 25, 8, 30)]


@pytest.mark.parametrize("line", [f"[{DRIVE}]", DRIVE], ids=["lists", "lines"])
def test_several_bare_answers_are_refused(line: str) -> None:
    """Before, all had the instant at which the file was last written. In two chunks they are refused as well."""
    with pytest.raises(UnreadableFile, match="can date only one") as refused:
        cta_admin.parse(frame_of(f"{line}\n{line}".encode()), ORIGIN, None)
    assert refused.value.reason == "no_clock"
    first = cta_admin.parse(frame_of(line.encode()), ORIGIN, None)
    with pytest.raises(UnreadableFile, match="can date only one"):
        cta_admin.parse(frame_of(line.encode()), ORIGIN, first.carry)
