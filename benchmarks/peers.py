"""What else reads these files: jc's parsers, iostat-tool, and the loop over lines one writes in an afternoon."""

import importlib
import logging
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Row = dict[str, Any]

_LINE = re.compile(r"^(\d\d:\d\d:\d\d) (\S+) +(\d{6,}) (\S{1,8}) ([CAEUWIM]) (\S+)  (.*)$")
_F, _I = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)", r"(-?\d+)"


_INTEGERS = frozenset(
    {"target", "file", "block", "marks", "bytes", "total", "blocks", "header", "position", "location"}
    | {"read_errors", "write_errors"}
)
_FLOATS = frozenset({"buffer", "call", "checksum", "space", "loop", "idle", "rate", "transfer", "network", "drive"})
_Convert = Callable[[str], str | int | float]


def _message(kind: str, pattern: str, *names: str) -> tuple[str, re.Pattern[str], tuple[tuple[str, _Convert], ...]]:
    fields = tuple((name, int if name in _INTEGERS else float if name in _FLOATS else str) for name in names)
    return kind, re.compile(pattern), fields


# The messages from which rates and dead time follow: kind, pattern, what its groups are called.
_MESSAGES = (
    _message(
        "mount", r"^MSG_TYPE=MC_LOAD_(REQ|DONE)  mount(?:ing|ed) (\S+) (\S+) (\d\d:\d\d:\d\d)$",
        "step", "volume", "product", "clock",
    ),
    _message("dismounting", r"^dismounting (\S+)$", "volume"),
    _message("dismounted", r"^dismounted (\S+) (\S+) (\d\d:\d\d:\d\d)$", "volume", "product", "clock"),
    _message("position", rf"^tape position: target {_I} current {_I} {_I}$", "target", "file", "block"),
    _message("skipped", rf"^skip_fm {_I}$", "marks"),
    _message("started", rf"^(write|read)_tape starting, bytes_to_(?:write|read)={_I}$", "mode", "bytes"),
    _message(
        "data_ended", rf"^(?:written|read) bytes {_I}/{_I}, blocks {_I} header {_I}",
        "bytes", "total", "blocks", "header",
    ),
    _message("filemark", rf"^filemarks written\. Tape (\S+) absolute location in blocks {_I}$", "volume", "block"),
    _message(
        "timing", rf"^(write|read)_tape timing: ?\w+ {_F} (?:write|read) {_F} crc_check {_F} \w+ {_F}"
        rf" block_(?:write|read) {_F} idle {_F}$",
        "mode", "buffer", "call", "checksum", "space", "loop", "idle",
    ),
    _message(
        "drive_stats", rf"^drive stats after (write|read)\. Tape (\S+) position {_I} .*? bloc_loc {_I} tot_blocks (\S+)"
        rf" BOT (\S+)(?: read_err {_I} write_err {_I} bytes {_I} block_(?:write|read)_tot {_F} tape_rate {_F})?$",
        "mode", "volume", "position", "block", "capacity", "bot", "read_errors", "write_errors", "bytes", "loop",
        "rate",
    ),
    _message("completed", rf"^transfer complete volume=(\S+) location={_I}$", "volume", "location"),
    _message(
        "failed", rf"^transfer failed (\S+) (.*) (\S+) volume=(\S+) location={_I} thread (\S+)$",
        "error", "text", "source", "volume", "location", "thread",
    ),
    _message(
        "encp", rf"^MSG_TYPE=ENCP_XFER +(\S+) (.*) -> (.*): {_I} bytes copied (?:to|from) (\S+) at {_F} MB/S"
        rf" \({_F} MB/S network\) \({_F} MB/S drive\) \({_F} MB/S disk\) mover=(\S+) drive_id=(\S+) drive_sn=(\S+)"
        rf" drive_vendor=(.*?) elapsed={_F} (\{{.*\}})$",
        "work", "input", "output", "bytes", "volume", "transfer", "network", "drive", "disk", "mover", "product",
        "serial", "vendor", "elapsed", "more",
    ),
)  # fmt: skip
KINDS = tuple(kind for kind, _, _ in _MESSAGES)


def re_loop(path: Path) -> list[Row]:
    """One pattern for every line, then one after the other for its message; a dictionary for each that fits."""
    rows: list[Row] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            begin = _LINE.match(line)
            if begin is None:
                continue
            clock, host, pid, _, severity, name, message = begin.groups()
            if " Thread " in message:
                message = message[: message.rindex(" Thread ")]
            for kind, pattern, fields in _MESSAGES:
                if found := pattern.match(message):
                    row: Row = {
                        field: text if text is None else convert(text)
                        for (field, convert), text in zip(fields, found.groups(), strict=True)
                    }
                    row.update(line_no=number, clock=clock, host=host, pid=int(pid), severity=severity)
                    row.update(name=name, kind=kind)
                    rows.append(row)
                    break
    return rows


def kinds_of(rows: list[Row]) -> dict[str, int]:
    return dict(Counter(row["kind"] for row in rows))


def jc(stem: str, text: str) -> list[Row]:
    """jc as a library: the quickest way to use it. Raises ImportError for what it does not read."""
    return list(importlib.import_module(f"jc.parsers.{stem}").parse(text, quiet=True))


def iostat_tool() -> Callable[[Path], list[Row]] | None:
    """iostat-tool's parser, where it is installed: processors and devices as rows."""
    try:
        module = importlib.import_module("iostat.parser")
    except ImportError:
        return None
    logging.getLogger().setLevel(logging.CRITICAL)

    def read(path: Path) -> list[Row]:
        options = SimpleNamespace(data=str(path), disks=[], since=None, until=None)
        return [row for report in module.Parser(options).parse() for row in _rows_of(report)]

    return read


def _rows_of(report: dict[str, Any]) -> list[Row]:
    at = {"datetime": report["date"]} if report["date"] else {}
    names = report["device"]["columns"] or []
    found = [
        at | {"device": device} | dict(zip(names, values, strict=False))
        for stats in report["device"]["stats"]
        for device, values in stats.items()
    ]
    if report["cpu"]["stat"]:
        shares = [name.replace("%", "percent_") for name in report["cpu"]["columns"]]
        found.append(at | dict(zip(shares, report["cpu"]["stat"], strict=False)))
    return found
