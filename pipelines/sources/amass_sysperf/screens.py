"""Lines into screens: what a line means after those before it. The state is plain JSON, carried between chunks."""

from collections.abc import Iterable, Iterator
from typing import Any

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources.amass_sysperf import clock
from pipelines.sources.amass_sysperf.grammar import DriveRow, ScreenLine, pieces, read_line, read_row
from pipelines.sources.protocol import Origin, Reject

SLOTS = (
    *("write_requests", "write_vol_groups", "read_requests", "read_vol_groups"),
    *("cache_total", "cache_free", "cache_dirty", "fnodes_total", "fnodes_free"),
)
_NEEDED = set(SLOTS) - {"write_vol_groups", "read_vol_groups"}
Values = dict[str, Any]
START: Values = {
    "clock": clock.START,
    "is_ocr": False,
    "screen": None,  # the screen that is being read
    "pending": [],  # labels whose numbers are on the next line
    "subject": "",  # what TOTAL, FREE and GROUPS belong to
    "is_in_table": False,
    "last_drive": None,  # juke and drive of the row before, while they run 1, 2, 3 …
}


class Reader:
    """Feed it lines; it collects rows, rejects and counts, and leaves its state for the next chunk."""

    def __init__(self, state: Values, origin: Origin) -> None:
        self.state, self.origin = state, origin
        self.screens: list[Values] = []
        self.drives: list[Values] = []
        self.rejects: list[Reject] = []
        self.n_used = 0
        self._stamps_us: Iterator[int | None] = iter(())
        self.faults: dict[int, int] = {}  # lines rejected, by the line their screen begins at

    def feed(self, lines: Iterable[tuple[int, str]]) -> None:
        """Lines of the file, in their order; each may hold several lines of a terminal's screen."""
        split = [(line_no, text, pieces(text)) for line_no, text in lines]
        stamps = [piece for _, _, parts in split for piece in parts if clock.is_like_stamp(piece)]
        self._stamps_us = iter(clock.stamps_us(stamps, self.origin.zone, self.state["clock"]))
        for line_no, text, parts in split:
            self._line(line_no, text, parts)

    def _line(self, line_no: int, text: str, parts: list[str]) -> None:
        """A line is rejected if one of its parts is."""
        outcomes = [self._piece(line_no, part) for part in parts]
        reason = next((outcome for outcome in outcomes if outcome not in ("used", "skipped")), "")
        if reason:
            self.rejects.append((line_no, text, reason))
            begun = self.state["screen"]["line_no"] if self.state["screen"] else 0
            self.faults[begun] = self.faults.get(begun, 0) + 1
        elif "used" in outcomes:
            self.n_used += 1

    def _piece(self, line_no: int, flat: str) -> str:
        """`used`, `skipped`, or why the line is rejected."""
        if clock.is_like_stamp(flat):
            return self._stamp()
        is_row_due = self.state["is_in_table"] and not self.state["pending"]
        if is_row_due and (row := read_row(flat, self.state["is_ocr"])):
            return self._drive(line_no, flat, row)
        line = read_line(flat, self.state["subject"], self.state["is_ocr"]) if flat else ScreenLine("blank")
        if line.kind == "unknown":
            raise UnreadableFile(
                f"line {line_no}: the column headings are not known: {flat[:120]}",
                "only the headings JUKE DRIVE VOLFLAGS VOLUME VOLGRP KBYTES/SEC can be read",
            )
        if line.kind == "blank":
            return "skipped"
        if line.kind == "heading":
            return self._heading(line_no, line)
        if line.kind in ("labels", "numbers"):
            return self._labels(line_no, line)
        self.state["pending"] = []
        if line.reason == "bad_syntax" and read_row(flat, self.state["is_ocr"]):
            return "no_header"
        return line.reason

    def _stamp(self) -> str:
        self._close()
        at_us = next(self._stamps_us)
        clock.set_stamp(self.state["clock"], at_us)
        return "bad_time" if at_us is None else "used"

    def _begin(self, line_no: int) -> None:
        self._close()
        at_us = clock.next_screen(self.state["clock"], self.origin.interval_s, line_no)
        self.state["screen"] = {
            "line_no": line_no,
            "at_us": at_us,
            "basis": self.state["clock"]["basis"],
            "values": {},
            "repairs": [],
            "is_out": False,
        }

    def _close(self) -> None:
        """The current screen is complete: emit its figures, if it had any."""
        self._pass_on()
        self.state.update(screen=None, pending=[], subject="", is_in_table=False, last_drive=None)

    def _pass_on(self) -> None:
        screen = self.state["screen"]
        if screen and screen["values"] and not screen["is_out"] and screen["at_us"] is not None:
            screen["is_out"] = True
            self.screens.append({**screen, "is_ocr": self.state["is_ocr"], "repairs": list(screen["repairs"])})

    def _is_new(self, slots: list[str]) -> bool:
        screen = self.state["screen"]
        return not screen or screen["is_out"] or any(slot in screen["values"] for slot in slots)

    def _heading(self, line_no: int, line: ScreenLine) -> str:
        if not self.state["screen"] or self.state["is_in_table"]:
            self._begin(line_no)
        self.state.update(is_in_table=True, pending=[])
        self.state["screen"]["repairs"] += line.repairs.notes
        self._pass_on()
        return self._timed()

    def _timed(self) -> str:
        return "bad_time" if self.state["screen"]["at_us"] is None else "used"

    def _labels(self, line_no: int, line: ScreenLine) -> str:
        pending: list[str] = self.state["pending"]
        self.state["pending"] = []
        if line.kind == "numbers":
            if not self.state["screen"] or len(pending) != len(line.values):
                return "wrong_width" if pending else "bad_syntax"
            line.slots = pending
        elif self._is_new(line.slots):
            self._begin(line_no)
        self.state["subject"] = line.subject
        screen = self.state["screen"]
        screen["repairs"] += _named(line)
        values = line.values or [None] * len(line.slots)
        screen["values"].update(zip(line.slots, values, strict=True))
        if line.slots and not line.values:
            self.state["pending"] = line.slots
        elif self.state["is_in_table"] and set(screen["values"]) >= _NEEDED:
            self._pass_on()  # the table came first
        return self._timed()

    def _drive(self, line_no: int, flat: str, row: DriveRow) -> str:
        screen = self.state["screen"]
        if row.reason:
            self.state["last_drive"] = None
            return row.reason
        if screen["at_us"] is None:
            return "bad_time"
        self._put_in_order(row)
        self.drives.append(
            {
                **vars(row),
                "line_no": line_no,
                "at_us": screen["at_us"],
                "basis": screen["basis"],
                "screen_line": screen["line_no"],
                "is_ocr": self.state["is_ocr"],
                "raw": flat if row.repairs.notes else None,
                "repairs": row.repairs.text(),
            }
        )
        return "used"

    def _put_in_order(self, row: DriveRow) -> None:
        """In a damaged screen whose rows ran 1, 2, 3 … a drive number printed twice means the next one."""
        last = self.state["last_drive"]
        if self.state["is_ocr"] and last is not None and last == [row.juke, row.drive] and row.drive is not None:
            row.repairs.notes.append(f"drive: second '{row.drive}' read as {row.drive + 1} because of the row order")
            row.drive += 1
        first = last is None or last[0] != row.juke
        in_step = row.drive == 1 if first else row.drive == last[1] + 1
        self.state["last_drive"] = [row.juke, row.drive] if in_step else None


def _named(line: ScreenLine) -> list[str]:
    """The repairs of a line of labels, its numbers called by their names."""
    notes = line.repairs.notes
    for rank, slot in enumerate(line.slots):
        notes = [note.replace(f"number {rank}:", f"{slot}:", 1) for note in notes]
    return notes
