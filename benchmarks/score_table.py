"""The score as text: per diagnosis precision and recall, false alarms per rule, coverage of intervals."""

from collections import Counter, defaultdict
from statistics import mean
from typing import Any

from sample_data.planted import Planted

AIMS = (
    "aims: precision and recall of at least 0.95; at most 1 false alarm per 100 drive-weeks;"
    " 85 to 95 % of the 90 % intervals contain the true value"
)


def tables(results: list[dict[str, Any]], rules: set[str], kinds: dict[str, type[Planted]]) -> str:
    """All of it, of the `kinds` of fault that may be; `rules` exist, for a fault without one cannot be found."""
    good = [result for result in results if "error" not in result]
    parts = [_diagnoses(good, rules, kinds), _false_alarms(good), _intervals(good), _costs(good)]
    broken = [result for result in results if "error" in result]
    parts += [f"{result['run']} broke: {result['error']}" for result in broken]
    return "\n\n".join(part for part in parts if part) + "\n"


def _diagnoses(results: list[dict[str, Any]], rules: set[str], kinds: dict[str, type[Planted]]) -> str:
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    false: Counter[str] = Counter()
    for result in results:
        for fault in result["faults"]:
            planted[fault["kind"]] += 1
            found[fault["kind"]] += bool(fault["rules"])
        for finding in result["findings"]:
            hits[finding["rule"]] += finding["role"] == "hit"
            false[finding["rule"]] += finding["role"] == "false"
    lines = [f"{'diagnosis':<18} {'planted':>7} {'found':>6} {'recall':>7} {'precision':>10}   rules", "-" * 78]
    for kind in sorted(kinds):
        names = [rule for rule in kinds[kind].rules if rule in rules]
        right, wrong = sum(hits[rule] for rule in names), sum(false[rule] for rule in names)
        lines.append(
            f"{kind:<18} {planted[kind]:>7} {found[kind]:>6} {_share(found[kind], planted[kind]):>7} "
            f"{_share(right, right + wrong):>10}   {', '.join(names) or 'no rule yet'}"
        )
    return "\n".join([*lines, AIMS])


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def _false_alarms(results: list[dict[str, Any]]) -> str:
    """False alarms of runs without planted faults, and of runs with them."""
    weeks: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {"null": Counter(), "faults": Counter()}
    for result in results:
        group = result["run"].split("-")[0]
        weeks[group] += result["drive_weeks"]
        for finding in result["findings"]:
            counts[group][finding["rule"]] += finding["role"] == "false"
    titles = {"null": "without faults", "faults": "with faults"}
    lines = []
    for group, title in titles.items():
        if weeks[group]:
            total = counts[group].total()
            rules = ", ".join(f"{rule} {n}" for rule, n in sorted(counts[group].items()) if n) or "none"
            rate = 100 * total / weeks[group]
            lines.append(
                f"false alarms in runs {title}: {rate:.2f} per 100 drive-weeks,"
                f" in {weeks[group]:g} drive-weeks ({rules})"
            )
    return "\n".join(lines)


def _intervals(results: list[dict[str, Any]]) -> str:
    covered: dict[tuple[str, str], list[bool]] = defaultdict(list)
    unknown: Counter[tuple[str, str]] = Counter()
    for interval in (interval for result in results for interval in result["intervals"]):
        key = interval["rule"], interval["name"]
        if interval["covered"] is None:
            unknown[key] += 1
        else:
            covered[key].append(interval["covered"])
    lines = [
        f"{rule}: in {mean(held):.1%} of {len(held)} findings, the interval of {name} contains the true value"
        for (rule, name), held in covered.items()
    ]
    lines += [
        f"{rule}: {n} intervals of {name} could not be checked, because truth.toml has no {name} of the faults"
        for (rule, name), n in unknown.items()
    ]
    return "\n".join(sorted(lines)) or "no finding so far has an interval"


def _costs(results: list[dict[str, Any]]) -> str:
    if not results:
        return ""
    steps = results[0]["seconds"]
    times = ", ".join(f"{step} {mean(result['seconds'][step] for result in results):.1f}" for step in steps)
    return f"mean time of each step of a run, in seconds: {times}"
