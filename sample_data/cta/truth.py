"""site.toml, truth.toml and the logs of a site of CTA."""

from collections.abc import Iterator
from pathlib import Path

from sample_data.cta import frontend
from sample_data.cta.monitors import answers
from sample_data.cta.pools import billing, truth_lines
from sample_data.cta.site import ZONE, Site, disk_of
from sample_data.library_truth import fault_lines, head_lines
from sample_data.planted import Planted
from sample_data.story import HOUR

_TOP = f"""\
# A site of the CERN Tape Archive: disk systems, drives of two kinds at some tape servers, and the logs in logs/.
# Paths are relative to this file.
name = "cta"
zone = "{ZONE}"                   # time zone of log times that name no zone
warehouse = "var/warehouse"

# Disk systems, whose files the drives read from tape and write to tape. One of them is dCache, with its pools.
"""


def site_text(site: Site) -> str:
    scenario = site.scenario
    parts = [_TOP, *(f'[[station]]\nname = "{disk_of(vo)}"\nrole = "stager"\n' for vo in site.organisations)]
    parts.append("# Drives: the name in the tape daemon's log, its tape server, and its generation.")
    parts += [
        f'[[drive]]\nname = "{drive.name}"\nmover_host = "{drive.server}"\ngeneration = "{drive.generation}"\n'
        for drive in site.drives
    ]
    parts.append("# Logs of the tape daemons and, if the scenario has them, of the frontend, dCache and Prometheus.")
    parts.append(f'[[input]]\nglob = "logs/taped/*"\nsystem = "{site.taped.instance}"\n')
    if scenario.min_age_s:
        parts.append(f'[[input]]\nglob = "logs/frontend/*"\nsystem = "{site.taped.instance}"\n')
    if scenario.pools:
        parts.append('[[input]]\nglob = "logs/billing/billing-*"\nsystem = "dcache"\n')
    if scenario.host_step_s:
        parts.append('[[input]]\nglob = "logs/prometheus/{host}_{name}.json"\n')
    return "\n".join(parts).rstrip("\n") + "\n"


def truth_text(site: Site) -> str:
    lines = head_lines(site.scenario)
    for number, fault in enumerate(site.scenario.fault):
        span = site.spans.get(number) or site.struck.span(fault)
        entity = site.struck.entity[number]
        lines += fault_lines(fault, entity, _names(site, fault, entity), span, _sizes(site, number, fault))
    return "\n".join(lines + frontend.truth_lines(site) + truth_lines(site))


def _names(site: Site, fault: Planted, entity: str) -> Iterator[str]:
    """What a finding may call the entity, or, where it only follows, what it strikes with it."""
    yield entity
    if fault.among == "tape":
        yield disk_of(site.tapes[entity])
    if fault.among == "disk":
        yield from sorted(tape for tape, vo in site.tapes.items() if disk_of(vo) == entity)


def _sizes(site: Site, number: int, fault: Planted) -> dict[str, object]:
    strength = {
        name: value
        for name, value in fault.model_dump().items()
        if name not in ("kind", "entity", "from_day", "to_day")
    }
    sizes: dict[str, object] = {**strength, "n": site.n_struck[number]}
    if site.lost_us[number]:
        sizes["lost_hours"] = round(site.lost_us[number] / HOUR, 4)
    return sizes


def write_logs(site: Site, logs: Path) -> None:
    """The daemons' lines in a file per tape server and UTC day, and their companion files."""
    for name, text in _texts(site):
        path = logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _texts(site: Site) -> Iterator[tuple[str, str]]:
    for (server, day), text in site.taped.files(by_server=True).items():
        yield f"taped/{server}-cta-taped-{day}.log", text
    scenario = site.scenario
    yield from frontend.log(site)
    yield from billing(site)
    if scenario.host_step_s:
        yield from answers(site)
