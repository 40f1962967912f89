"""What was aimed at, and whether this run reached it."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.day import DAY
from benchmarks.inputs import CTA, ENSTORE, IOSTAT, JSON, MANY, MB, VMSTAT
from benchmarks.measure import CORES, PageResult, Result
from benchmarks.texts import all_texts
from benchmarks.week import WEEK

BIG = "big"
JC_AIM, JC_IOSTAT_AIM, LEAST_MB_S = 40.0, 12.0, 20.0
WORKERS_AIM = 1.7
RE_AIM, LINES_AIM, PEAK_AIM_MB = 3.0, 4.0, 1000.0
OF_PEERS = (  # input and task, and the log and task of another parser whose speed is multiplied
    (VMSTAT + MANY, "by_two", VMSTAT, "jc", JC_AIM),
    (IOSTAT + MANY, "by_two", IOSTAT, "jc", JC_IOSTAT_AIM),
    (ENSTORE + MANY, "by_two", ENSTORE, "re_loop", RE_AIM),
    (CTA, "ingest", CTA, "cta_re_loop", RE_AIM),
    (CTA + JSON, "ingest", CTA + JSON, "cta_json_loop", RE_AIM),
)
WHATIF_AIM_S = 10.0
NIGHTLY_AIM_S = 300.0
PAGE_AIM_MS, PERIOD_AIM_MS = 300.0, 1000.0  # as opened, and with another period: a week, a month or a year
Results = dict[tuple[str, str], Result]  # by input and task


@dataclass(frozen=True)
class Aim:
    """One aim as two texts, and the verdict; a source may have a reason to fall short."""

    requirement: str
    got: str
    is_reached: bool
    reason: str = ""

    @property
    def verdict(self) -> str:
        return "reached" if self.is_reached else f"not reached: {self.reason}" if self.reason else "not reached"


def judge(results: Results) -> list[Aim]:
    """The aims whose tasks were run."""
    aims = []
    for name, task, stem, peer, least in OF_PEERS:
        if both := _pair(results, (name, task), (stem, peer)):
            times, title = both[0].mb_s / both[1].mb_s, both[1].task.title
            words = f"{name}, {both[0].task.title}: at least {least:g}× the speed of {title}"
            aims.append(_aim(words, times, "×", times >= least))
    for name in (VMSTAT + MANY, IOSTAT + MANY, ENSTORE + MANY):
        if both := _pair(results, (name, "by_one"), (name, "by_two")):
            times = both[0].seconds / both[1].seconds
            requirement = f"{name}: two processes at least {WORKERS_AIM:g}× as fast as one"
            aims.append(_aim(requirement, times, "×", times >= WORKERS_AIM))
    if both := _pair(results, (ENSTORE, "ingest"), (ENSTORE, "read_lines")):
        times = both[1].mb_s / both[0].mb_s
        requirement = (
            f"reading DEBUGLOG and committing its rows: at most {LINES_AIM:g}× the time in which Polars reads the lines"
        )
        aims.append(_aim(requirement, times, "× as long", times <= LINES_AIM))
    for (stem, task), result in results.items():
        if task == "ingest" and stem != BIG and result.mb_s < LEAST_MB_S:
            requirement = f"reading {stem} and committing its rows: at least {LEAST_MB_S:g} MB/s"
            reason = reason_of(stem) or _what_else_took_time(result, results.get((stem, "parse")))
            aims.append(Aim(requirement, f"{result.mb_s:.1f} MB/s", False, reason))
    if answered := results.get((WEEK, "whatif")):
        requirement = f"a what-if of a recorded week: at most {WHATIF_AIM_S:g} s"
        got = f"{answered.seconds:.1f} s ({answered.facts['mounts']:,} mounts, {answered.n_rows:,} files)"
        aims.append(Aim(requirement, got, answered.seconds <= WHATIF_AIM_S))
    if night := results.get((DAY, "nightly")):
        requirement = f"one day's logs of 200 drives, to the report: at most {NIGHTLY_AIM_S:g} s"
        got = f"{night.seconds:.0f} s ({night.n_rows:,} records from {night.n_bytes / MB:,.0f} MB of logs)"
        aims.append(Aim(requirement, got, night.seconds <= NIGHTLY_AIM_S))
    ours = [result for (_, task), result in results.items() if task == "ingest"]
    if ours:
        worst = max(ours, key=lambda result: result.peak_bytes)
        peak = worst.peak_bytes / MB
        got = f"{peak:,.0f} MB (for {worst.task.path.name}, {worst.n_bytes / MB:,.0f} MB)"
        aims.append(Aim(f"peak memory: at most {PEAK_AIM_MB:,.0f} MB for any file size", got, peak <= PEAK_AIM_MB))
    return aims


def judge_pages(results: Sequence[PageResult]) -> list[Aim]:
    """Two aims for each archive: pages as opened, and with a period chosen. Pages above it are named, slowest first."""
    aims = []
    for archive in dict.fromkeys(result.archive for result in results):
        for words, is_opened, most_ms in (
            ("as opened", True, PAGE_AIM_MS),
            ("with another period", False, PERIOD_AIM_MS),
        ):
            pages = [page for page in results if page.archive == archive and (page.period == "default") is is_opened]
            if pages:
                aims.append(_pages_aim(f"{archive}, pages {words}: server time", pages, most_ms))
    return aims


def _pages_aim(what: str, pages: Sequence[PageResult], most_ms: float) -> Aim:
    by_time = sorted(pages, key=lambda page: -page.p95_ms)
    above = [page for page in by_time if page.p95_ms >= most_ms]
    named = ", ".join(f"{page.title} ({page.period}: {page.p95_ms:,.0f} ms, {page.slowest})" for page in above)
    n_met = len(pages) - len(above)
    got = f"{n_met} of {len(pages)} measurements meet the aim; the slowest page takes {by_time[0].p95_ms:,.0f} ms"
    return Aim(f"{what} below {most_ms:g} ms (95th percentile, {CORES} cores)", got, not above, named)


def reason_of(stem: str) -> str:
    """Why a source is slower than the others, from `REASON` of its text; empty without one."""
    return str(getattr(all_texts().get(stem), "REASON", ""))


def _what_else_took_time(ingest: Result, parse: Result | None) -> str:
    """The reason for a source that reads fast enough, but whose rows must go into a new warehouse."""
    if parse is None or parse.mb_s < LEAST_MB_S:
        return ""
    rest = ingest.seconds - parse.seconds
    per_mb = ingest.n_rows / (ingest.n_bytes / MB)
    return (
        f"reading alone reaches {parse.mb_s:.0f} MB/s; creating a warehouse and inserting"
        f" {per_mb:,.0f} rows per MB takes {rest:.1f} s"
    )


def _pair(results: Results, one: tuple[str, str], other: tuple[str, str]) -> tuple[Result, Result] | None:
    return (results[one], results[other]) if one in results and other in results else None


def _aim(requirement: str, value: float, unit: str, is_reached: bool) -> Aim:
    return Aim(requirement, f"{value:.2g}{unit}" if value < 10 else f"{value:.0f}{unit}", is_reached)
