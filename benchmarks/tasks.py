"""One measured task in a process of its own: `python -m benchmarks.tasks TASK FILE` prints what it did as JSON.

Imports are done and sources are loaded before the clock starts: a nightly run pays them once, not once a file.
"""

import json
import os
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from benchmarks import cta_peers, peers
from benchmarks.inputs import MB
from pipelines import sources, steps
from pipelines.analysis.forecast import WEEK_DAYS, History, what_if
from pipelines.analysis.models.simulation import Changes
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import FileParse
from pipelines.sources import blocks

JC_MB = 2  # jc is given this much: its speed does not depend on the size, its memory does
# Streams that share a link are what a replay takes longest for: each that comes or goes changes the rates of all.
CHANGES = Changes(gap_s=1.0, depth=2, link_mb_s=125.0)
Facts = dict[str, Any]


def ingest(path: Path) -> Facts:
    """File to committed rows in a warehouse that is empty."""
    site = _site_of(path)
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    report, seconds = _timed(lambda: steps.ingest(site))
    done = report.as_dict()
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    return {"seconds": seconds, "rows": done["n_records"], "lines": done["n_lines"], "loaded": done["loaded"]}


def by_one(path: Path) -> Facts:
    """Several logs to committed rows, all in one process."""
    return _ingest_by(path, 1)


def by_two(path: Path) -> Facts:
    """The same, read by two processes."""
    return _ingest_by(path, 2)


def _ingest_by(path: Path, workers: int) -> Facts:
    site = _site_of(path)
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    report, seconds = _timed(lambda: steps.ingest(site, workers=workers))
    done = report.as_dict()
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    n_bytes = sum(file.stat().st_size for file in path.iterdir())
    return {"seconds": seconds, "rows": done["n_records"], "loaded": done["loaded"], "bytes": n_bytes}


def _site_of(path: Path) -> Site:
    """The site whose site.toml is in the nearest folder above."""
    return steps.site_at(next(folder for folder in path.parents if (folder / "site.toml").exists()))


def parse(path: Path) -> Facts:
    """Reading and parsing alone; the rows are counted and dropped."""
    site = _site_of(path)
    file = IncomingFile(site, path)
    if not file.source:
        raise ValueError(f"{path}: {file.found.refusal}")
    reading = FileParse(file)
    kinds: Counter[str] = Counter()

    def run() -> None:
        for parsed in reading.chunks():
            for table, rows in parsed.tables.items():
                of = rows["kind"] if "kind" in rows.columns else pl.Series(values=[""] * rows.height)
                kinds.update({f"{table}.{kind}": count for kind, count in of.value_counts().iter_rows()})

    _, seconds = _timed(run)
    counts = reading.counts
    return {
        "source": file.source,
        "seconds": seconds,
        "rows": counts.n_records,
        "lines": counts.n_lines,
        "used": counts.n_used,
        "rejected": counts.n_rejected,
        "kinds": dict(kinds),
    }


def read_lines(path: Path) -> Facts:
    """The same bytes as lines, by Polars itself."""
    height, seconds = _timed(lambda: pl.read_lines(path).height)
    return {"seconds": seconds, "rows": height, "lines": height}


def read_blocks(path: Path) -> Facts:
    """The same bytes as our blocks of numbered lines, hashed: the floor under every source."""
    height, seconds = _timed(lambda: sum(block.lines.height for block in blocks.read_blocks(path)))
    return {"seconds": seconds, "rows": height, "lines": height}


def re_loop(path: Path) -> Facts:
    rows, seconds = _timed(lambda: peers.re_loop(path))
    return {"seconds": seconds, "rows": len(rows), "kinds": peers.kinds_of(rows)}


def cta_re_loop(path: Path) -> Facts:
    rows, seconds = _timed(lambda: cta_peers.re_loop(path))
    return {"seconds": seconds, "rows": len(rows), "kinds": peers.kinds_of(rows)}


def cta_json_loop(path: Path) -> Facts:
    rows, seconds = _timed(lambda: cta_peers.json_loop(path))
    return {"seconds": seconds, "rows": len(rows), "kinds": peers.kinds_of(rows), "by": cta_peers.json_library()}


def jc(path: Path) -> Facts:
    """jc's parser on the first JC_MB of the file."""
    with path.open("rb") as file:
        data = file.read(JC_MB * MB)
    text = data[: data.rfind(b"\n") + 1].decode()
    stem = sources.choose(text.splitlines()[:200])[0] or ""
    rows, seconds = _timed(lambda: peers.jc(stem, text))
    return {"seconds": seconds, "rows": len(rows), "bytes": len(text)}


def iostat_tool(path: Path) -> Facts:
    read = peers.iostat_tool()
    if read is None:
        raise ValueError("iostat-tool is not installed")
    rows, seconds = _timed(lambda: read(path))
    return {"seconds": seconds, "rows": len(rows)}


def whatif(path: Path) -> Facts:
    """A recorded week run again, unchanged and with changes, from the question to the answer; rows are its files."""
    site = _site_of(path)
    answer, seconds = _timed(lambda: what_if(History(site, load_catalog(), n_days=WEEK_DAYS), CHANGES))
    if answer.is_withheld:
        raise ValueError(
            f"the replay differs from the logs by {answer.error:.0%} ({answer.what}), so no change was simulated"
        )
    n_bytes = sum(file.stat().st_size for file in (path.parent / "logs").rglob("*") if file.is_file())
    mounts = answer.record.work.mounts
    n_files = sum(len(mount.files) for mount in mounts)
    return {"seconds": seconds, "rows": n_files, "mounts": len(mounts), "bytes": n_bytes}


def nightly(path: Path) -> Facts:
    """Logs that are all new to findings and a report: ingest, build, detect, report; rows are the records read."""
    site = _site_of(path)
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    n_bytes = sum(file.stat().st_size for file in (path.parent / "logs").rglob("*") if file.is_file())
    read, ingest_s = _timed(lambda: steps.ingest(site).as_dict())
    done = {"ingest_s": ingest_s}
    for name, step in {"build": steps.build, "detect": steps.detect, "report": steps.report}.items():
        done[f"{name}_s"] = _timed(lambda step=step: step(site))[1]  # type: ignore[misc]
    shutil.rmtree(site.warehouse_path, ignore_errors=True)
    return done | {"seconds": sum(done.values()), "rows": read["n_records"], "lines": read["n_lines"], "bytes": n_bytes}


TASKS: dict[str, Callable[[Path], Facts]] = {
    task.__name__: task
    for task in (
        *(ingest, by_one, by_two, parse, read_lines, read_blocks),
        *(re_loop, cta_re_loop, cta_json_loop, jc, iostat_tool, whatif, nightly),
    )
}


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    result = run()
    return result, time.perf_counter() - begin


def main() -> None:
    task, path = TASKS[sys.argv[1]], Path(sys.argv[2])
    sources.all_sources()
    duckdb.connect().execute("SELECT ?", [1])  # it imports pandas, where that is installed, at its first parameter
    before = _cpu_s()
    facts = {"bytes": os.stat(path).st_size} | task(path)
    json.dump(facts | {"cpu_s": _cpu_s() - before, "peak_bytes": _peak_bytes()}, sys.stdout)


def _peak_bytes() -> int:
    """Of this process; the kernel's other figure, ru_maxrss, begins with that of the parent on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if "VmHWM" in line)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _cpu_s() -> float:
    """Of this process and of those it started that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


if __name__ == "__main__":
    main()
