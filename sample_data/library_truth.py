"""site.toml and truth.toml of a library scenario: what its faults are, whom they strike, how strong and how dear."""

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from sample_data import planted
from sample_data.library import Library
from sample_data.library_logs import silent
from sample_data.places import SYSTEM
from sample_data.scenario import Drawn
from sample_data.site_file import expected
from sample_data.story import HOUR, MB, SECOND, ZONE
from sample_data.truth import moment, pairs


def site_text(library: Library) -> str:
    scenario, places = library.scenario, library.places
    parts = [f'name = "library"\nzone = "{ZONE}"\nwarehouse = "var/warehouse"\nexpected_gap_s = 2.0\n']
    parts += [f'[[station]]\nname = "{name}"\nrole = "migration"\n' for name in places.stations]
    parts += [
        f'[[drive]]\nname = "{drive.name}"\nlogname = "{drive.logname}"\nmover = "{drive.mover}"\n'
        f'mover_host = "{drive.mover_host}"\ngeneration = "{drive.generation}"\n'
        for drive in library.drives
    ]
    parts += [
        f'[[link]]\nname = "{name}-link"\nstation = "{name}"\ncapacity_mb_s = {scenario.link_mb_s}\npolled = "switch"\n'
        for name in places.stations
    ]
    whole = expected(places.from_at, places.to_at)
    parts.append(f'[[input]]\nglob = "logs/enstore/LOG-{{date}}"\nsystem = "{SYSTEM}"\n{whole}')
    parts.append(f'[[input]]\nglob = "logs/mrtg/{{link}}.log"\n{whole}')
    parts.append(f'[[input]]\nglob = "logs/vmstat/{{host}}_{{name}}.txt"\n{whole}')
    parts.append('[[input]]\nglob = "logs/nicstat/{host}_{name}.txt"\n')
    if scenario.pools:
        parts.append(f'[[input]]\nglob = "logs/billing/billing-*"\nsystem = "{SYSTEM}"\n')
    return "\n".join(parts)


def truth_text(library: Library) -> str:
    lines = head_lines(library.scenario)
    for number, fault in enumerate(library.scenario.fault):
        span, names = _span(library, number, fault), _names(library, number, fault)
        lines += fault_lines(fault, library.places.entity[number], names, span, _sizes(library, number, fault))
    return "\n".join(lines)


def head_lines(scenario: Drawn) -> list[str]:
    facts = {"story": scenario.story, "seed": scenario.seed, "drive_weeks": round(scenario.drive_weeks, 4)}
    title = "# The planted faults, written by sample_data/generate.py. Times are UTC, costs are drive-hours."
    return [title, "", "[scenario]", *pairs(facts), ""]


def fault_lines(
    fault: planted.Planted, entity: str, names: Iterable[str], span: tuple[int, int], sizes: dict[str, Any]
) -> list[str]:
    """A fault: by which rules it should be found, under which names, when and how large."""
    values: dict[str, Any] = {
        "kind": fault.kind,
        "rules": list(fault.rules),
        "follows": list(fault.follows),
        "entity": entity,
        "names": list(names),
        "started_at": moment(span[0]),
        "ended_at": moment(span[1]),
    }
    return ["[[fault]]", *pairs(values), "[fault.sizes]", *pairs(sizes), ""]


def _span(library: Library, number: int, fault: planted.Planted) -> tuple[int, int]:
    places = library.places
    if isinstance(fault, planted.SilentSource):
        return next(span for place, span in silent(library, places.entity[number]) if place == number)
    if isinstance(fault, planted.DriveDown):
        down = next(down for down in library.day.downs if down.drive.name == places.entity[number])
        return down.from_at, down.to_at
    return places.span(fault)


def _names(library: Library, number: int, fault: planted.Planted) -> Iterator[str]:
    """What a finding may call the entity: one part of its name, between slashes, is one of these."""
    name = library.places.entity[number]
    if isinstance(fault, planted.TuningChange):
        yield from (drive.name for drive in library.drives)
        yield from library.places.stations
        yield SYSTEM
    elif isinstance(fault, planted.SilentSource):
        yield name.split("/")[1]
    elif fault.among == "link":
        yield from (name, f"{name}-link")
    else:
        yield name


def _sizes(library: Library, number: int, fault: planted.Planted) -> dict[str, Any]:
    """The strength by its name, how often it struck, what it cost, and the rates that follow from it."""
    strength = {
        name: value
        for name, value in fault.model_dump().items()
        if name not in ("kind", "entity", "from_day", "to_day")
    }
    sizes: dict[str, Any] = {**strength, "n": library.n_struck[number]}
    if library.lost_us[number]:
        sizes["lost_hours"] = round(library.lost_us[number] / HOUR, 4)
    if isinstance(fault, planted.SlowDrive | planted.BadTape):
        sizes["ratio"] = 1 - fault.slower
    if isinstance(fault, planted.TuningChange):
        sizes["ratio"] = 1 + fault.faster
    if isinstance(fault, planted.SlowDrive):
        done = [t for s in library.day.sessions if s.drive.name == library.places.entity[number] for t in s.transfers]
        sizes["n_large"] = sum(t.tape_bytes >= 500 * MB and not t.failed for t in done)
    if isinstance(fault, planted.ChangedGap):
        begin, _ = library.places.span(fault)
        gaps = [gap for gap in library.day.gaps if gap.drive.name == library.places.entity[number]]
        before = [gap.judged_us / SECOND for gap in gaps if gap.from_at < begin]
        if before:
            sizes["longer"] = round(fault.longer_s / fmean(before), 4)
    if isinstance(fault, planted.StarvedStream):
        written = library.transfers(library.places.entity[number], "write")
        sizes["wait_share"] = round(library.lost_us[number] / sum(t.end - t.start for t in written), 4)
    if isinstance(fault, planted.SilentSource):
        sizes["silent_s"] = round(fault.hours * HOUR / SECOND)
    return sizes
