"""A day of 200 drives of CTA, which a nightly run must read and judge in minutes."""

from pathlib import Path

from benchmarks.inputs import VERSION
from sample_data.generate import write
from sample_data.scenario import CtaScenario

DAY = "day"
# 20 tape servers, 4,000 mounts, 320,000 files of 4 to 12 GB, dCache's billing, Prometheus each minute: 259 MB of logs
USUAL = CtaScenario(
    days=1,
    servers=20,
    drives=200,
    disks=8,
    tapes=30,
    mounts_per_day=20,
    files_per_mount=80,
    pools=8,
    pool_requests=2000,
    host_step_s=60,
)


def make(folder: Path, scenario: CtaScenario = USUAL) -> Path:
    """The site.toml of the day's logs, which are written once."""
    place = folder / f"{DAY}-{scenario.drives}-drives-v{VERSION}"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        write(scenario, unfinished)
        unfinished.rename(place)
    return place / "site.toml"
