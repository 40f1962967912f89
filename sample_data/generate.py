"""Writes an archive with known answers: site.toml, truth.toml and logs/, the same bytes for the same scenario.

    python -m sample_data.generate --out DIR [--seed N] [--no-faults] [--set key=value ...]
    python -m sample_data.generate --out DIR --scenario one_of_each [--seed N]

It knows the formats and the story, and nothing of the programs that read them.
"""

import argparse
import gzip
import io
from pathlib import Path

import zstandard

from sample_data import enstore, library_truth, mrtg, scenario, vmstat
from sample_data.chatter import write_chatter
from sample_data.cta import truth as cta_truth
from sample_data.cta.library import run_site
from sample_data.facts import Day
from sample_data.library import run_library
from sample_data.library_logs import write_logs
from sample_data.pic import run_tests
from sample_data.plan import Plan, make_plan
from sample_data.site_file import site_text
from sample_data.stations import run_stations
from sample_data.story import LOG_DATE, LOGGED, STATIONS, Settings, make_settings
from sample_data.truth import find_faults, truth_text

# One level for all time: another one would be another file.
ZSTD_LEVEL = 12
GZIP_LEVEL = 9
PLAIN_LINKS = ("dm5-bond0", "dm8-bond0")


def write(story: scenario.Scenario, out: Path) -> None:
    """Write a scenario's archive into `out`. Raises ValueError for an impossible scenario."""
    if isinstance(story, scenario.MigrationScenario):
        generate(out, story.seed, story.faults, {name: str(value) for name, value in story.set.items()})
        return
    if isinstance(story, scenario.CtaScenario):
        site = run_site(story)
        _write(out / "site.toml", cta_truth.site_text(site))
        _write(out / "truth.toml", cta_truth.truth_text(site))
        cta_truth.write_logs(site, out / "logs")
        return
    library = run_library(story)
    _write(out / "site.toml", library_truth.site_text(library))
    _write(out / "truth.toml", library_truth.truth_text(library))
    write_logs(library, out / "logs")


def generate(out: Path, seed: int = 1, faults: bool = True, overrides: dict[str, str] | None = None) -> None:
    """Write the migration story's archive into `out`. Without faults every station is busy and nothing goes wrong."""
    settings = make_settings(seed, faults, overrides or {})
    plan = make_plan(settings)
    day = Day()
    run_tests(day, settings)
    run_stations(day, plan, settings)
    traffic = {station.name: mrtg.make_traffic(station, day, settings) for station in STATIONS}

    _write(out / "site.toml", site_text())
    _write(out / "truth.toml", truth_text(day, find_faults(day, traffic, plan, settings), traffic, settings))
    _write_logs(out / "logs", day, traffic, plan, settings)


def _write_logs(logs: Path, day: Day, traffic: dict[str, mrtg.Traffic], plan: Plan, settings: Settings) -> None:
    for station in STATIONS:
        suffix = "" if station.link in PLAIN_LINKS else ".gz"
        _write(logs / "mrtg" / f"{station.link}.log{suffix}", mrtg.log_text(traffic[station.name], settings, station))
    for name in LOGGED:
        _write(logs / "vmstat" / f"{name}_{LOG_DATE}.txt.gz", vmstat.log_text(name, day, plan, settings))
    book = enstore.LogBook()
    book.write_day(day)
    write_chatter(book, settings.seed)
    _write(logs / "enstore" / f"LOG-{LOG_DATE}.zst", "".join(book.text()))


def _write(path: Path, text: str) -> None:
    """Compressed as the name says, with nothing in the file that depends on when it was written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    if path.suffix == ".zst":
        data = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(data)
    elif path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile("", "wb", GZIP_LEVEL, packed, mtime=0) as file:
            file.write(data)
        data = packed.getvalue()
    path.write_bytes(data)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sample_data.generate", description="Write the sample archive.")
    parser.add_argument("--out", type=Path, required=True, help="folder for site.toml, truth.toml and logs/")
    parser.add_argument(
        "--scenario", help="name of a scenario in sample_data/scenarios, or a TOML file (default: migration)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="number that determines the faults and all random values (default: the seed of the scenario)",
    )
    parser.add_argument(
        "--no-faults",
        action="store_true",
        help="plant no faults; in the story migration, also keep all stations busy",
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="e.g. pic.test4.drive_mb_s=70")
    options = parser.parse_args(arguments)
    overrides: dict[str, int | float | str] = {}
    for pair in options.set:
        key, is_pair, value = pair.partition("=")
        if not is_pair:
            parser.error(f"--set needs KEY=VALUE, not {pair!r}")
        overrides[key] = value
    try:
        write(_chosen(options.scenario or "migration", options.seed, options.no_faults, overrides), options.out)
    except ValueError as error:
        parser.error(str(error))


def _chosen(name: str, seed: int | None, is_quiet: bool, overrides: dict[str, int | float | str]) -> scenario.Scenario:
    """The scenario with what the command line changes in it."""
    story = scenario.load(Path(name)) if name.endswith(".toml") else scenario.named(name)
    changes: dict[str, object] = {} if seed is None else {"seed": seed}
    if isinstance(story, scenario.MigrationScenario):
        changes |= {"set": story.set | overrides} | ({"faults": False} if is_quiet else {})
    elif overrides:
        raise ValueError("--set works only with the story migration; to change other scenarios, edit their TOML files")
    elif is_quiet:
        changes["fault"] = ()
    return story.model_copy(update=changes)


if __name__ == "__main__":
    main()
