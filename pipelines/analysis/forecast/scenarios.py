"""Scenarios side by side: what each changes, when work is done, how long mounts wait, and whether drives keep up."""

from dataclasses import dataclass

from pipelines.analysis.models.simulation import Changes, Outcome, Work

HOUR = 3600.0
LEAST = 0.005  # hours that are shown as a difference
# How a change is called with its value; those without a value are named alone.
WORDS = {
    "gap_s": "gaps of at most {:g} s",
    "speed": "drives {:g} times as fast",
    "depth": "{:g} requests queued",
    "disk_mb_s": "disks of at most {:g} MB/s",
    "link_mb_s": "links of at most {:g} MB/s",
    "chunk_gb": "writes in chunks of {:g} GB",
    "at_once": "all mounts requested at the start",
    "writes_wait_for_reads": "stations write only what they have read",
}
UNCHANGED = "none: the replay"


@dataclass(frozen=True)
class Scenario:
    """One run of the work in hours, summed over drives; why it cannot be kept up, or nothing."""

    name: str
    done_h: float  # from the first request to the end of a mount, on average
    ended_h: float
    waited_h: float
    busy_h: float
    read_mb_s: float
    write_mb_s: float
    n_stuck: int
    hindrance: str

    def against(self, other: "Scenario") -> str:
        """What is gained or lost against another scenario, in a sentence."""
        pairs = [
            (self.done_h - other.done_h, "mounts end {:,.2f} h {} on average", ("later", "sooner")),
            (self.waited_h - other.waited_h, "mounts wait {:,.2f} h {} in total", ("more", "less")),
            (self.ended_h - other.ended_h, "all work ends {:,.2f} h {}", ("later", "sooner")),
        ]
        parts = [form.format(abs(h), words[h < 0]) for h, form, words in pairs if abs(h) >= LEAST]
        if not parts:
            return "Compared with the replay without changes: no difference."
        verdict = "no difference in the average end of mounts"
        if abs(self.done_h - other.done_h) >= LEAST:
            verdict = "worse" if self.done_h > other.done_h else "better"
        return f"Compared with the replay without changes: {verdict}; {', '.join(parts)}."


def described(changes: Changes) -> str:
    """What is changed, in words.

    >>> described(Changes(gap_s=2.0, drives={"LTO-4": 6}, inputs=2, outputs=1))
    '6 LTO-4 drives, gaps of at most 2 s, at each station 1 migration process with 2 inputs and 1 output'
    """
    left = Changes()
    words = [f"{number} {kind} drive{'' if number == 1 else 's'}" for kind, number in sorted(changes.drives.items())]
    changed = [name for name in WORDS if getattr(changes, name) != getattr(left, name)]
    words += [WORDS[name].format(getattr(changes, name)) for name in changed]
    ways = {"input": changes.inputs, "output": changes.outputs}
    if slots := [_counted(number, way) for way, number in ways.items() if number]:
        n = changes.instances
        processes = "1 migration process" if n == 1 else f"{n} migration processes, each"
        words.append(f"at each station {processes} with {' and '.join(slots)}")
    return ", ".join(words)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def scenario(name: str, work: Work, replayed: Outcome, changes: Changes, outcome: Outcome) -> Scenario:
    """What a run of the work came to."""
    uses = outcome.uses.values()
    return Scenario(
        name,
        sum(use.done_s for use in uses) / max(1, sum(use.n_asked for use in uses)) / HOUR,
        outcome.ended_s / HOUR,
        sum(use.waited_s for use in uses) / HOUR,
        sum(use.busy_s for use in uses) / HOUR,
        outcome.rate("read"),
        outcome.rate("write"),
        outcome.n_stuck,
        _hindrance(work, replayed, changes, outcome),
    )


def ranked(work: Work, replayed: Outcome, runs: list[tuple[Changes, Outcome]]) -> list[Scenario]:
    """The replay and runs with changes: done soonest first, then the least waiting; what cannot be kept up last."""
    found = [scenario(UNCHANGED, work, replayed, Changes(), replayed)]
    found += [scenario(described(changes), work, replayed, changes, outcome) for changes, outcome in runs]
    return sorted(found, key=lambda one: (one.hindrance != "", one.done_h, one.waited_h, one.busy_h))


def _hindrance(work: Work, replayed: Outcome, changes: Changes, outcome: Outcome) -> str:
    """Why this could not go on: mounts that never end, or drives asked for more hours than they have."""
    if outcome.n_stuck:
        return f"{_counted(outcome.n_stuck, 'mount')} never ended, because the data to write was never read"
    if changes.at_once:
        return ""  # the queue is what was asked for
    for kind, number in sorted((work.drives | changes.drives).items()):
        busy_s = sum(use.busy_s for (of, _), use in outcome.uses.items() if of == kind)
        if busy_s > number * replayed.ended_s:
            factor = busy_s / (number * replayed.ended_s)
            return f"{kind} drives cannot keep up: the work needs {factor:.1f} times the hours that they have"
    return ""
