"""What was aimed at, and whether this run reached it."""

from dataclasses import dataclass

from benchmarks.inputs import ENSTORE, MB, VMSTAT
from benchmarks.measure import Result

BIG = "big"
JC_AIM, RE_AIM, LINES_AIM, PEAK_AIM_MB = 40.0, 3.0, 4.0, 1000.0
Results = dict[tuple[str, str], Result]  # by input and task


@dataclass(frozen=True)
class Aim:
    """One aim as two texts, and the verdict."""

    wanted: str
    got: str
    is_reached: bool


def judge(results: Results) -> list[Aim]:
    """The aims whose tasks were run."""
    aims = []
    if both := _pair(results, (VMSTAT, "ingest"), (VMSTAT, "jc")):
        times = both[0].mb_s / both[1].mb_s
        aims.append(_aim(f"vmstat to committed rows: at least {JC_AIM:g}× jc", times, "×", times >= JC_AIM))
    if both := _pair(results, (ENSTORE, "ingest"), (ENSTORE, "re_loop")):
        times = both[0].mb_s / both[1].mb_s
        aims.append(_aim(f"log to committed rows: at least {RE_AIM:g}× the re loop", times, "×", times >= RE_AIM))
    if both := _pair(results, (ENSTORE, "ingest"), (ENSTORE, "read_lines")):
        times = both[1].mb_s / both[0].mb_s
        wanted = f"log to committed rows: at most {LINES_AIM:g}× as long as Polars takes for its lines"
        aims.append(_aim(wanted, times, "× as long", times <= LINES_AIM))
    ours = [result for (_, task), result in results.items() if task == "ingest"]
    if ours:
        worst = max(ours, key=lambda result: result.peak_bytes)
        peak = worst.peak_bytes / MB
        got = f"{peak:,.0f} MB (on {worst.n_bytes / MB:,.0f} MB of {worst.task.path.name})"
        aims.append(
            Aim(f"peak memory at most {PEAK_AIM_MB:,.0f} MB whatever the file's size", got, peak <= PEAK_AIM_MB)
        )
    return aims


def _pair(results: Results, one: tuple[str, str], other: tuple[str, str]) -> tuple[Result, Result] | None:
    return (results[one], results[other]) if one in results and other in results else None


def _aim(wanted: str, value: float, unit: str, is_reached: bool) -> Aim:
    return Aim(wanted, f"{value:.2g}{unit}" if value < 10 else f"{value:.0f}{unit}", is_reached)
