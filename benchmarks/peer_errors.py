"""What peers make of the real captures: silent losses and wrong numbers, counted.

`python -m benchmarks.peer_errors [FOLDER]`, the folder of captures by default TAPESCOPE_REALDATA. A file can be
wrong in several ways. `ours` counts the files a source of ours reads.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks import peers
from benchmarks.peers import Row
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import choose
from pipelines.sources.packing import read_head

_STAMP = re.compile(r"(?m)^(?:Time: )?\d[\d/.\-年月日T]*[ T]?\d\d[:時]\d\d[:分]\d\d|^\d\d:\d\d:\d\d")
_COMMA = re.compile(r"(?m)\s\d+,\d\d\s")
_ROW_STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


@dataclass
class Tally:
    """One peer on one format."""

    peer: str
    form: str
    n_files: int = 0
    n_ours: int = 0  # files of these that we read
    n_wrong: int = 0  # files of which it loses or misreads something
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, faults: set[str], is_ours: bool) -> None:
        self.n_files += 1
        self.n_ours += is_ours
        self.n_wrong += bool(faults)
        self.faults.update(faults)


def faults_of(read: Callable[[], list[Row]], judge: Callable[[str, list[Row]], set[str]], text: str) -> set[str]:
    """What is wrong with a peer's rows of a text."""
    try:
        rows = read()
    except Exception as error:  # whatever a peer raises is its answer
        return {f"raises {type(error).__name__}"}
    return judge(text, rows) if rows else {"returns nothing"}


def judge_iostat(text: str, rows: list[Row]) -> set[str]:
    """Faults of iostat rows as jc and iostat-tool give them."""
    faults = set()
    if _STAMP.search(text) and not any("time" in key or "date" in key for row in rows for key in row):
        faults.add("drops the timestamps")
    shares = [_shares(row) for row in rows]
    if _COMMA.search(text) and any(total > 150 for total in shares):
        faults.add("reads 23,05 as 2305")
    if any(len(row) < 3 or all(not isinstance(value, int | float) for value in row.values()) for row in rows):
        faults.add("gives rows without numbers")
    n_reports = sum(1 for line in text.splitlines() if line.startswith("Device"))
    if n_reports and len([row for row in rows if "device" in row]) < n_reports:
        faults.add("loses reports")
    if any(re.match(r"\d+[/.]\d+[/.]\d+$", str(row.get("device"))) for row in rows):
        faults.add("mistakes time stamps for names of devices")
    if any(row.get("type") == "cpu" and "percent_idle" not in row for row in rows):
        faults.add("takes devices for processors")
    return faults


def _shares(row: Row) -> float:
    return sum(value for key, value in row.items() if key.startswith("percent_") and isinstance(value, int | float))


def judge_vmstat(text: str, rows: list[Row]) -> set[str]:
    """Faults of vmstat rows as jc gives them."""
    faults = set()
    if all(value is None for row in rows for value in row.values()):
        faults.add("gives rows without numbers")
    stamped = _ROW_STAMP.search(text)
    stamps = [str(row["timestamp"]) for row in rows if row.get("timestamp")]
    if stamped and not all(_ROW_STAMP.match(stamp) for stamp in stamps):
        faults.add("puts values that are no times into the timestamps")
    if stamped and not stamps and "timestamp" in text:
        faults.add("drops the timestamps")
    if re.search(r"\bst gu\b", text) and not any("guest" in key or key == "gu" for row in rows for key in row):
        faults.add("drops a column")
    return faults


def tallies(folder: Path) -> list[Tally]:
    """Every peer on every file of the formats it says it reads."""
    plan: list[tuple[str, str, Callable[[Path], list[Row]] | None, Callable[[str, list[Row]], set[str]]]] = [
        ("jc", "iostat", lambda path: peers.jc("iostat", path.read_text(errors="replace")), judge_iostat),
        ("jc", "vmstat", lambda path: peers.jc("vmstat", path.read_text(errors="replace")), judge_vmstat),
        ("iostat-tool", "iostat", peers.iostat_tool(), judge_iostat),
    ]
    found = []
    for peer, form, read, judge in plan:
        if read is None:
            continue
        tally = Tally(peer, form)
        for path in sorted((folder / form).rglob("*")):
            text = path.read_text(errors="replace") if path.is_file() and path.name != "README.md" else ""
            if not text or "{" in text[:5]:  # these parsers do not read JSON
                continue
            tally.add(faults_of(partial(read, path), judge, text), _is_ours(path))
        found.append(tally)
    return found


def _is_ours(path: Path) -> bool:
    try:
        return choose(read_head(path))[0] is not None
    except UnreadableFile:
        return False


def markdown(found: list[Tally]) -> str:
    """The tallies as a table."""
    lines = [
        "| parser | format | files | files with errors | errors (files) | files that tapescope recognises |",
        "|---|---|---:|---:|---|---:|",
    ]
    for tally in found:
        faults = ", ".join(f"{name} ({n})" for name, n in tally.faults.most_common())
        cells = (tally.peer, tally.form, tally.n_files, tally.n_wrong, faults or "nothing", tally.n_ours)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def captures() -> Path | None:
    """The folder of real captures, where there is one."""
    folder = Path(os.environ.get("TAPESCOPE_REALDATA", "../shared/realdata"))
    return folder if folder.is_dir() else None


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else captures()
    if folder is None or not folder.is_dir():
        sys.exit("no captures: give their folder, or set TAPESCOPE_REALDATA")
    print(markdown(tallies(folder)))


if __name__ == "__main__":
    main()
