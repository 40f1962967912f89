"""Weeks of requests of the sample generator as the adviser reads them from logs, without the logs."""

from pipelines.analysis.forecast import ReadFile, ReadMount, RequestedReads, gathered
from pipelines.analysis.models.simulation import Request
from sample_data.cta.requested import Seat


def reads_of(seats: list[Seat], n_drives: int, kind: str = "LTO-9") -> RequestedReads:
    """Mounts of the generator; in the logs a file's time before its first block has the way and the line's rounding."""
    found = gathered([_mount(seat, kind) for seat in seats], {kind: n_drives})
    assert isinstance(found, RequestedReads), found
    return found


def _mount(seat: Seat, kind: str) -> ReadMount:
    lead_s, files = seat.mount.mount_s + seat.mount.label_s, list[ReadFile]()
    for ask, file in zip(seat.asks, seat.mount.files, strict=True):
        moving_s = file.moving_s + file.waiting_s
        request = Request(kind, ask.tape, ask.at_s, ask.gb * 1000, moving_s, ask.begin_gb, ask.begin_gb + ask.gb)
        before_s = file.position_s + 0.01 + (0 if files else lead_s)
        files.append(ReadFile(request, ask.number, before_s, 0.0, file.position_s if files else 0.0))
    return ReadMount(seat.begun_s, seat.ended_s, tuple(files))
