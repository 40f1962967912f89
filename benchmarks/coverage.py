"""`make coverage`, or `python -m benchmarks.coverage`: how often the models' 90 % intervals hold what is true.

Each trial draws a site of which the truth is known (`truths.py`, which shares no code with the library), gives the
model what the site would have logged, and looks whether its interval holds the truth. A seed, a model and a trial's
number decide what is drawn, so that more trials begin with the same ones, and a model alone has the same as among all.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from zlib import crc32

import click
import numpy as np

from benchmarks import truths
from benchmarks.requested_reads import reads_of
from benchmarks.truths import Rng
from pipelines.analysis.forecast import judge_policies
from pipelines.analysis.models import calibration, growth, recall_order, seeking
from pipelines.analysis.models.eta import Eta, days_left, moved_ahead
from pipelines.analysis.models.service_time import Mounts, Service
from pipelines.analysis.models.sizing import Traffic, certain, drives_needed
from pipelines.analysis.stats.diff_in_diff import Days, realised
from pipelines.config.technology import drive
from pipelines.primitives.estimate import Estimate, NoEstimate
from sample_data.cta.requested import Rule, draw_requests, drive_hours, serve

LEAST, MOST = 0.85, 0.95
SEED = 1
LTO4 = seeking.geometry(drive("LTO-4"))


@dataclass(frozen=True)
class TrialResult:
    """One answer of a model, and what is true."""

    quantity: str
    answer: Estimate | NoEstimate
    truth: float


@dataclass(frozen=True)
class QuantityCount:
    """One quantity of one model over all trials."""

    model: str
    quantity: str
    n_trials: int
    n_refused: int
    n_covered: int
    width: float | None  # median of (high - low) / truth; None where the truth is nothing

    @property
    def share(self) -> float | None:
        """Of the intervals that were given, those that hold the truth."""
        given = self.n_trials - self.n_refused
        return self.n_covered / given if given else None

    @property
    def verdict(self) -> str:
        if self.share is None:
            return "no interval"
        return "yes" if LEAST <= self.share <= MOST else "too narrow" if self.share < LEAST else "too wide"


# --- the models -----------------------------------------------------------------------------------------------


def fit(rng: Rng, moving: bool, position: bool, gaps: bool = False) -> Iterator[TrialResult]:
    """40 mounts of a site. Costs that their logs do not separate are one cost: a search is then part of a file's."""
    site = truths.served(rng)
    logged = (site.moving_s if moving else None, site.position_s if position else None)
    between = site.between_s if gaps else None
    found = calibration.fit(Mounts(site.n_files, site.moved_mb, site.wall_s, *logged, site.day, between))
    yield TrialResult("speed", found.parameters["speed_mb_s"], site.mb_s)
    yield TrialResult("a mount", found.parameters["mount_s"], site.a_mount_s)
    yield TrialResult("a file", found.parameters["file_s"], site.a_file_s + (0 if position else site.a_search_s))
    if position:
        yield TrialResult("a seek", found.parameters["seek_s"], site.a_search_s)
    refused = next(iter(found.unknown.values()), None)
    yield TrialResult("rate of a mount of 50 files of 500 MB", refused or found.rate(50, 500), site.rate_mb_s(50, 500))
    yield TrialResult("drift", found.drift_week, 0.0)


def drives(rng: Rng) -> Iterator[TrialResult]:
    """Two classes of traffic with measured efficiencies, and a measured speed."""
    demand = truths.demand(rng)
    traffic = [
        Traffic(f"class {n}", certain(rate), certain(demand.factor), Estimate(*efficiency))
        for n, (rate, efficiency) in enumerate(zip(demand.rate_mb_s, demand.efficiency, strict=True))
    ]
    yield TrialResult("drives", drives_needed(traffic, Estimate(*demand.speed_mb_s)).drives, demand.drives)


def recall(rng: Rng) -> Iterator[TrialResult]:
    """4 to 16 mounts teach the model. It predicts ten files of another, in order of place, and the break-even."""
    site = truths.searched(rng)
    model = seeking.learn(LTO4, site.from_gb, site.to_gb, site.seconds, site.mount)
    listed = recall_order.Files(np.arange(len(site.begin_gb)), site.begin_gb, site.end_gb)
    service = Service(site.mb_s, site.a_mount_s, site.a_file_s)
    yield TrialResult("factor", model.factor, site.factor)
    yield TrialResult("seconds", recall_order.recall(model, service, listed)["logical"].seconds, site.took_s)
    tape = recall_order.Files(np.arange(len(site.tape_begin_gb)), site.tape_begin_gb, site.tape_end_gb)
    yield TrialResult("break-even", recall_order.break_even(model, service, tape, in_order=False), site.break_even)


def campaign(rng: Rng, n_known: int, has_weeks: bool) -> Iterator[TrialResult]:
    life = truths.lived(rng, n_known, has_weeks)
    end = days_left(life.moved_gb, life.left_gb)
    yield TrialResult("days left", end.days if isinstance(end, Eta) else end, life.days)
    yield TrialResult("GB a day", end.gb_day if isinstance(end, Eta) else end, life.gb_day)
    yield TrialResult("GB of 7 days", moved_ahead(life.moved_gb), life.week_gb)


def grow(rng: Rng, n_known: int, n_ahead: int) -> Iterator[TrialResult]:
    site = truths.grown(rng, n_known, n_ahead)
    found = growth.learn(np.arange(n_known), site.written_gb, n_known - 1)
    if isinstance(found, NoEstimate):
        yield TrialResult("factor a year", found, site.factor)
        return
    yield TrialResult("factor a year", found.factor_year, site.factor)
    yield TrialResult(f"GB of {n_ahead} days", found.written(n_ahead), site.ahead_gb)
    yield TrialResult("days until a planned amount is written", found.days_until(site.goal_gb), site.days)


def gain(rng: Rng, share: float) -> Iterator[TrialResult]:
    """20 days before a change and 20 after it, with peers."""
    seen = truths.changed(rng, share)
    half = len(seen.moved_gb) // 2
    before, after = slice(half), slice(half, None)
    found = realised(
        Days(seen.moved_gb[before], seen.busy_hours[before]),
        Days(seen.moved_gb[after], seen.busy_hours[after]),
        Days(seen.peers_gb[before], seen.peers_hours[before]),
        Days(seen.peers_gb[after], seen.peers_hours[after]),
    )
    yield TrialResult("GB a day more", found.gain_gb_day, seen.gain_gb_day)


def mount_policy(rng: Rng) -> Iterator[TrialResult]:
    """Three days with a least age of ten minutes; what two hours save is what the generator then takes less."""
    seed, drives = int(rng.integers(2**31)), ("D1", "D2", "D3")
    asks = draw_requests(seed, days=3, tapes=8)
    short, long = (serve(asks, Rule(age_s), drives, seed) for age_s in (600, 7200))
    found = judge_policies(reads_of(short, len(drives)), 600.0, {"min_age_s": 7200.0})
    off = NoEstimate(f"the replay of the requests differs too much from what was recorded: {found.what}", "")
    answer = off if found.is_withheld else found.others[0].saved_hours
    yield TrialResult("drive-hours saved", answer, drive_hours(short) - drive_hours(long))


MODELS: dict[str, Callable[[Rng], Iterable[TrialResult]]] = {
    "fit-nothing-logged": partial(fit, moving=False, position=False),
    "fit-moving-logged": partial(fit, moving=True, position=False),
    "fit-all-logged": partial(fit, moving=True, position=True),
    "fit-gaps-logged": partial(fit, moving=True, position=True, gaps=True),
    "drives-needed": drives,
    "recall": recall,
    "campaign-10-days": partial(campaign, n_known=10, has_weeks=False),
    "campaign-35-days": partial(campaign, n_known=35, has_weeks=True),
    "growth-12-weeks": partial(grow, n_known=84, n_ahead=182),
    "growth-a-year": partial(grow, n_known=364, n_ahead=364),
    "gain-of-a-tenth": partial(gain, share=0.1),
    "gain-of-nothing": partial(gain, share=0.0),
    "mount-policy": mount_policy,
}


# --- counting and printing ------------------------------------------------------------------------------------


def measure(name: str, n_trials: int, seed: int = SEED) -> list[QuantityCount]:
    """`n_trials` trials of one model."""
    drawn = (np.random.default_rng([seed, crc32(name.encode()), trial]) for trial in range(n_trials))
    return tally(name, (result for rng in drawn for result in MODELS[name](rng)))


def tally(name: str, answers: Iterable[TrialResult]) -> list[QuantityCount]:
    """Answers of a model counted, a row for each quantity."""
    by_quantity: dict[str, list[TrialResult]] = defaultdict(list)
    for result in answers:
        by_quantity[result.quantity].append(result)
    rows = []
    for quantity, results in by_quantity.items():
        given = [(result.answer, result.truth) for result in results if isinstance(result.answer, Estimate)]
        held = sum(one.low <= truth <= one.high for one, truth in given)
        widths = [(one.high - one.low) / abs(truth) for one, truth in given if truth]
        refused = len(results) - len(given)
        rows.append(QuantityCount(name, quantity, len(results), refused, held, median(widths) if widths else None))
    return rows


def table(rows: Iterable[QuantityCount]) -> str:
    head = ("trials", "refused", "covered", "share", "width", f"{LEAST:.0%} to {MOST:.0%}")
    lines = [f"{'model':<20}{'quantity':<21}" + "".join(f"{name:>9}" for name in head[:-1]) + f"   {head[-1]}"]
    lines.append("-" * (len(lines[0]) + 2))
    for row in rows:
        share = "-" if row.share is None else f"{row.share:.1%}"
        width = "-" if row.width is None else f"{row.width:.1%}"
        counts = f"{row.n_trials:>9}{row.n_refused:>9}{row.n_covered:>9}{share:>9}{width:>9}"
        lines.append(f"{row.model:<20}{row.quantity:<21}{counts}   {row.verdict}")
    return "\n".join(lines)


@click.command()
@click.option(
    "--trials",
    "n_trials",
    default=400,
    show_default=True,
    type=click.IntRange(1),
    help="Number of trials for each model.",
)
@click.option("--only", type=click.Choice(tuple(MODELS)), multiple=True, help="Run only this model; may be repeated.")
@click.option("--seed", default=SEED, show_default=True, type=click.IntRange(0), help="Seed of all random values.")
def main(n_trials: int, only: tuple[str, ...], seed: int) -> None:
    """Count how often the 90 % intervals of the models contain the true value. Nothing is asserted."""
    begun = time.monotonic()
    rows = [row for name in MODELS if name in (only or MODELS) for row in measure(name, n_trials, seed)]
    click.echo(table(rows))
    within = sum(row.verdict == "yes" for row in rows)
    summary = (
        f"{within} of {len(rows)} quantities meet the aim: {LEAST:.0%} to"
        f" {MOST:.0%} of their 90 % intervals contain the true value"
    )
    click.echo(f"{summary} ({n_trials} trials each, seed {seed})")
    click.echo(f"{time.monotonic() - begun:.0f} s", err=True)


if __name__ == "__main__":
    main()
