"""`make score`, or `python -m benchmarks.score`: how well the rules find what scenarios plant, and what they invent.

Each run writes a drawn scenario (or one without faults), reads it as any archive is read, and compares the findings
of its week with its truth. Results are kept line by line, so that a run that was stopped goes on where it was; what
was found by other code than today's is left alone and not counted.
"""

import hashlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import tomllib
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchmarks.matching import judge
from benchmarks.measure import REPO
from benchmarks.score_table import tables
from pipelines import steps
from pipelines.catalog.files import load_catalog
from sample_data.generate import write
from sample_data.scenario import KINDS, CtaScenario, Drawn, LibraryScenario, drawn, load

# Seeds that score are never looked at while rules are made: those count from 1, these from far above.
TUNING_FROM, SCORING_FROM, NULL_FROM = 1, 1_000_001, 2_000_001
BASES: dict[str, Drawn] = {
    "library": LibraryScenario(),
    "cta": CtaScenario(pools=8, host_step_s=60, past_days=4),  # what each kind of fault needs
}
CODE = ("pipelines", "sample_data", "schemas", "benchmarks/matching.py")


def state() -> str:
    """Of everything that decides a run's outcome: results of another state are not comparable."""
    digest = hashlib.sha256()
    for place in CODE:
        path = REPO / place
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in (".py", ".sql", ".toml"))
        for file in files:
            digest.update(file.relative_to(REPO).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def score(scenario: Drawn, folder: Path) -> dict[str, Any]:
    """Write, ingest, build, detect and compare one scenario in an empty folder; with seconds of each step."""
    marks = [time.monotonic()]
    write(scenario, folder)
    site = steps.site_at(folder)
    marks.append(time.monotonic())
    steps.ingest(site)
    marks.append(time.monotonic())
    steps.build(site)
    marks.append(time.monotonic())
    last = scenario.first_day + timedelta(days=scenario.days - 1)
    findings = steps.detect(site, scenario.first_day, last).findings
    marks.append(time.monotonic())
    truth = tomllib.loads((folder / "truth.toml").read_text(encoding="utf-8"))
    names = ("generate", "ingest", "build", "detect")
    took = {name: round(end - begin, 2) for name, (begin, end) in zip(names, pairwise(marks), strict=True)}
    return judge(truth, findings) | {"drive_weeks": scenario.drive_weeks, "seconds": took}


def run(scenario: Drawn, work: Path) -> dict[str, Any]:
    """`score` in a folder of its own, which is removed; a run that breaks is a result too."""
    work.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=work))
    try:
        return score(scenario, folder)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def planned(n_runs: int, n_faults: int, base: Drawn, is_tuning: bool) -> dict[str, Drawn]:
    """Scenarios with faults and without, in turns, by the name of their run."""
    first = TUNING_FROM if is_tuning else SCORING_FROM
    null = TUNING_FROM + SCORING_FROM // 2 if is_tuning else NULL_FROM
    runs: dict[str, Drawn] = {}
    for number in range(n_runs):
        runs[f"faults-{first + number}"] = drawn(first + number, n_faults, base)
        runs[f"null-{null + number}"] = drawn(null + number, 0, base)
    return runs


def kept(path: Path, state: str) -> dict[str, dict[str, Any]]:
    """Results of this state that were written before; a line cut short does not count."""
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            continue
        if result["state"] == state and "error" not in result:
            found[result["run"]] = result
    return found


def _results(runs: dict[str, Drawn], work: Path, jobs: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """In the order in which they are done; every process imports what is slow to import once."""
    if jobs == 1:
        for name, scenario in runs.items():
            yield name, run(scenario, work)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(run, scenario, work): name for name, scenario in runs.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()


@click.command()
@click.option(
    "--runs",
    "n_runs",
    default=100,
    show_default=True,
    help="Number of scenarios with faults. An equal number of scenarios without faults is added.",
)
@click.option("--faults", "n_faults", default=8, show_default=True, help="Number of faults in each of these scenarios.")
@click.option("--tuning", is_flag=True, help="Use other seeds, which are reserved for work on the rules.")
@click.option(
    "--story", type=click.Choice(list(BASES)), default="library", show_default=True, help="Kind of site to simulate."
)
@click.option(
    "--base",
    type=click.Path(path_type=Path),
    help="Scenario (TOML) to which the faults are added, instead of the story's own base scenario.",
)
@click.option("--jobs", default=min(2, os.cpu_count() or 1), show_default=True, help="Number of parallel processes.")
@click.option(
    "--dir", "top", type=click.Path(path_type=Path), default=REPO / "var" / "score", help="Folder for the results."
)
def main(n_runs: int, n_faults: int, tuning: bool, story: str, base: Path | None, jobs: int, top: Path) -> None:
    """Score the rules on scenarios with known answers. A stopped run continues where it ended."""
    warnings.simplefilter("ignore")
    library = load(base) if base else BASES[story]
    if not isinstance(library, Drawn):
        raise click.BadParameter("the scenario's story must be library or cta", param_hint="--base")
    folder = top / library.story
    code = f"{state()} {hashlib.sha256(library.model_dump_json().encode()).hexdigest()[:6]} {n_faults}"
    plan = planned(n_runs, n_faults, library, tuning)
    path = folder / "runs.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    done = {name: result for name, result in kept(path, code).items() if name in plan}
    say = Console(stderr=True, highlight=False).print
    say(f"{len(plan)} runs, {len(done)} of them already done; results go to {path}")
    todo = {name: scenario for name, scenario in plan.items() if name not in done}
    begun = time.monotonic()
    with path.open("a", encoding="utf-8") as file:
        for number, (name, result) in enumerate(_results(todo, folder / "work", jobs), 1):
            done[name] = {"run": name, "state": code} | result
            file.write(json.dumps(done[name]) + "\n")
            file.flush()
            left = (time.monotonic() - begun) / number * (len(todo) - number)
            say(f"{number} of {len(todo)}: {name} {result.get('error', '')} · {left / 60:.0f} min left")
    rules = set(load_catalog().rules)
    (folder / "table.txt").write_text(
        text := tables(list(done.values()), rules, KINDS[library.story]), encoding="utf-8"
    )
    print(text, end="")
    sys.exit(any("error" in result for result in done.values()))


if __name__ == "__main__":
    main()
