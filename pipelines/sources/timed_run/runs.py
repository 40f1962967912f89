"""The lines of timed runs combined: one record per run, as soon as it is complete.

The state between two lines is plain JSON: `open` is the run whose lines are being collected; the other keys hold
the lines above it (the command, a failure, an error message, a clock time).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from pipelines.sources._shared.stamps import dated, read_stamp
from pipelines.sources.packing import HEAD_LINES
from pipelines.sources.protocol import Carry, Origin
from pipelines.sources.timed_run.commands import read_command
from pipelines.sources.timed_run.lines import BLANK, ReadLine, read_line

CACHE_BYTES_S = 1e9  # faster than the disks of such tests, alone or as small arrays
MOST_APART = 0.1  # share by which dd's own time may differ from that of time

START: Carry = {
    "open": None,
    "command": None,  # shown above, until the next one
    "status": None,  # printed above the times of a run that failed
    "notes": [],  # notes for the run whose lines come next
    "clock": None,  # microseconds: when the next run begins, if the file says so
    "fold": None,  # see _stamps
    "in_verbose": False,
}
_STAMP = {"line_no": pl.Int64, "local": pl.String, "word": pl.String}
_TIMES = ("real", "user", "sys")


class Collector:
    """Feed it the lines one by one; `rows` holds the runs that are complete."""

    def __init__(self, origin: Origin, state: Carry, host: str) -> None:
        self.origin, self.state, self.host = origin, state, host
        self.next_kinds = _next_kinds(origin.head)
        self.rows: list[dict[str, Any]] = []
        self.clocks: dict[int, int] = {}  # microseconds by line, of the clock lines that can be read

    def take_all(self, lines: Iterable[tuple[int, str]]) -> list[str]:
        """Take the lines of a chunk; `used`, `skipped` or the reason for rejection of each."""
        parsed = [(line_no, read_line(text)) for line_no, text in lines]
        self.clocks = self._clocks(parsed)
        return [self._take_one(line_no, line) for line_no, line in parsed]

    def _take_one(self, line_no: int, line: ReadLine) -> str:
        run = self.state["open"]
        if run is not None and line.kind not in ("blank", "comment") and not continues(run, line.kind):
            self._close()
        verdict = self._take(line, line_no)
        run = self.state["open"]
        if run is not None and (run["is_whole"] or not self._may_go_on(run, line_no)):
            self._close()
        return verdict

    def _take(self, line: ReadLine, line_no: int) -> str:
        state, what = self.state, line.what
        match line.kind:
            case "blank" | "comment":
                return "skipped"
            case "junk":
                return "bad_syntax"
            case "bad_number":
                return "bad_number"
            case "command":
                state |= {"command": what["command"], "status": None, "notes": []}
            case "date":
                state["clock"] = self.clocks.get(line_no)
                return "used" if state["clock"] is not None else "bad_time"
            case "failed":
                state["status"] = what["status"]
            case "error" | "killed":
                state["notes"] = [*state["notes"][-3:], what["text"][:200]]
            case "extra" | "detail":
                pass
            case "summary" if self.state["open"] is None and what["is_progress"] | what["is_whole"]:
                pass  # dd's own progress: the last copy comes with the counts
            case _:
                self._add(line, line_no)
        return "used"

    def _add(self, line: ReadLine, line_no: int) -> None:
        """A line that carries figures, to the open run or to a new one."""
        run = self.state["open"]
        if run is None:
            run = self.state["open"] = {"command": None, "notes": [], "is_whole": False, "tool": ""}
        run["line_no"] = line_no
        what = line.what
        match line.kind:
            case "in" | "out" | "blocks":
                # translated lines name no direction that we know: the first is what came in
                side = line.kind if line.kind != "blocks" else "out" if "in" in run else "in"
                run[side] = [what["full"], what["partial"]]
            case "truncated":
                run["notes"].append(f"{what['n']} truncated records: dd discarded the end of each of them")
            case "summary":
                run.update(bytes=what["bytes"], dd_s=what["seconds"])
            case "real" | "user" | "sys":
                run[line.kind] = what["seconds"]
                run["tool"] = "timex" if what["is_timex"] or run["tool"] == "timex" else "time"
                run["is_whole"] = all(name in run for name in _TIMES)
            case "whole":
                run.update({name: what[name] for name in _TIMES}, tool="time", is_whole=True)
                run["command"] = what["command"]
            case "timed":
                run.update(command=what["command"], tool="time", verbose=True)
            case "verbose":
                run.update({what["name"]: what["seconds"]}, tool="time", verbose=True)
            case "status":
                run.update(exit_status=what["status"] or None, is_whole=True)

    def _may_go_on(self, run: Carry, line_no: int) -> bool:
        """Whether the lines below may belong to the open run: as the head of the file shows, else as a run goes."""
        if line_no in self.next_kinds:
            return continues(run, self.next_kinds[line_no])
        is_timed_file = any(kind in ("real", "whole", "timed") for kind in self.next_kinds.values())
        return "dd_s" not in run or any(name in run for name in _TIMES) or is_timed_file

    def _close(self) -> None:
        """The open run becomes a row, if it has any figure; only one of dd's two counts is not enough."""
        state = self.state
        run, state["open"] = state["open"], None
        if not ({"in", "out"} <= run.keys() or run.keys() & {"dd_s", *_TIMES}):
            return
        command = run["command"] or state["command"]
        row = {
            "line_no": run["line_no"],
            "host": self.host,
            "tool": _tool(run, command),
            "command": command,
            "exit_status": state["status"] if run.get("exit_status") is None else run["exit_status"],
            **figures(run, command),
        }
        row["note"] = "; ".join([*state["notes"], *row["note"]]) or None
        row["ended_at"] = self._end(run["line_no"], row["elapsed_s"])
        state |= {"status": None, "notes": []}
        self.rows.append(row)

    def _end(self, line_no: int, elapsed_s: float | None) -> int | None:
        """Microseconds: the clock line right above the run, and the time it took."""
        begin, self.state["clock"] = self.state["clock"], None
        if begin is None or elapsed_s is None or elapsed_s > 10**9:
            return None
        return int(begin + round(elapsed_s * 1_000_000))

    def _clocks(self, parsed: list[tuple[int, ReadLine]]) -> dict[int, int]:
        dates = [(line_no, line.what["local"], line.what["word"]) for line_no, line in parsed if line.kind == "date"]
        stamps = pl.DataFrame(dates, schema=["line_no", "local", "word"], orient="row", schema_overrides=_STAMP)
        stamps = stamps.with_columns(local=read_stamp(pl.col("local"), "%Y %b %d %H:%M:%S"))
        known, self.state["fold"] = dated(stamps, self.origin.zone, self.state["fold"])
        return dict(known.select("line_no", pl.col("at").dt.epoch("us")).rows())


def continues(run: Carry, kind: str) -> bool:
    """Whether a line of this kind can belong to a run of which so much is known.

    >>> run = {"in": [1, 0], "out": [1, 0], "dd_s": 0.5}
    >>> continues(run, "real"), continues(run, "in"), continues(run, "command"), continues(run | {"real": 1.0}, "user")
    (True, False, False, True)
    """
    is_timed = any(name in run for name in _TIMES)
    match kind:
        case "in":
            return False
        case "blocks" | "out":
            return "in" in run and "out" not in run and "dd_s" not in run and not is_timed
        case "truncated" | "summary":
            return "in" in run and "dd_s" not in run and not is_timed
        case "real" | "user" | "sys":
            return kind not in run and "verbose" not in run
        case "whole" | "timed" | "failed" | "killed":
            return not is_timed and "verbose" not in run
        case "verbose" | "detail" | "status":
            return "verbose" in run
    return False


def figures(run: Carry, command: str | None) -> dict[str, Any]:
    """The figures of a run; `note` is a list of what makes them doubtful.

    Where dd and time both give a time that of time counts: it holds the closing of the file, which dd's leaves out.
    """
    notes: list[str] = list(run["notes"])
    elapsed, dd_s = run.get("real"), run.get("dd_s")
    if elapsed and dd_s and abs(elapsed - dd_s) > MOST_APART * elapsed and abs(elapsed - dd_s) > 0.05:
        notes.append(f"dd itself measured {dd_s:g} s")
    elapsed = dd_s if dd_s is not None and not elapsed else elapsed
    (full_in, part_in), (full_out, part_out) = run.get("in", (None, None)), run.get("out", (None, None))
    shown = read_command(command)
    block = _block(run, shown.in_bytes if shown else None, notes)
    moved = run.get("bytes")
    if moved is None and "in" in run and full_out is not None and part_out == 0:
        size = block if shown is None else shown.out_bytes
        moved = full_out * size if size is not None and full_out * size < 2**62 else None
    rate = moved / elapsed if moved is not None and elapsed else None
    notes += _doubts(_is_dd(run), moved, elapsed, rate, is_flushed=bool(shown and shown.is_flushed))
    return {
        "bytes": moved,
        "n_full_in": full_in,
        "n_partial_in": part_in,
        "n_full_out": full_out,
        "n_partial_out": part_out,
        "block_bytes": block,
        "elapsed_s": elapsed,
        "user_s": run.get("user"),
        "system_s": run.get("sys"),
        "rate_bytes_s": rate,
        "note": notes,
    }


def _block(run: Carry, shown: int | None, notes: list[str]) -> int | None:
    """The block size of the command, or of the counts if all blocks were complete."""
    moved, (full, partial) = run.get("bytes"), run.get("in", (None, None))
    if moved is None or not full or partial != 0 or moved % full or run.get("out") != run.get("in"):
        return shown
    counted = int(moved // full)
    if shown is not None and shown != counted:
        notes.append("the block size of the command does not match dd's counts")
    return counted


def _doubts(
    is_dd: bool, moved: int | None, elapsed: float | None, rate: float | None, is_flushed: bool
) -> Iterator[str]:
    if is_dd and elapsed is None:
        yield "dd printed no time"
    elif elapsed == 0:
        yield "the run was too short to measure"
    if is_dd and moved is None:
        yield "the number of bytes is neither printed nor computable from the counts"
    if rate is not None and rate > CACHE_BYTES_S and not is_flushed:
        yield "over 1 GB/s without fsync or direct: probably the speed of the page cache"


def _tool(run: Carry, command: str | None) -> str:
    """dd, time, timex, or both: `dd timex`."""
    timer = str(run["tool"])
    if timer == "time" and command and re.match(r"(?:\S*/)?timex\s", command):
        timer = "timex"
    return f"{'dd' if _is_dd(run) else ''} {timer}".strip()


def _is_dd(run: Carry) -> bool:
    return "in" in run or "out" in run or "dd_s" in run


def _next_kinds(head: tuple[str, ...]) -> dict[int, str]:
    """For each line of the head (by number) the kind of the next line that is not blank; `end` at the file's end.

    A last line without a line end may never come: it is no line yet.
    """
    is_all = len(head) < HEAD_LINES
    kinds: dict[int, str] = {}
    coming = "end" if is_all else ""
    for line_no in range(len(head), 0, -1):
        if coming:
            kinds[line_no] = coming
        line = read_line(head[line_no - 1]) if not (is_all and line_no == len(head)) else BLANK
        if line.kind not in ("blank", "comment"):
            coming = line.kind
    return kinds
