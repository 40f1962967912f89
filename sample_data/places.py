"""Where and when a library scenario's faults strike: the entities it names, and those the seed chooses."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import TypeVar, cast

from sample_data.planted import Planted
from sample_data.scenario import CtaScenario, LibraryScenario
from sample_data.story import DAY, HOUR, instant

SYSTEM = "library"
_Kind = TypeVar("_Kind", bound=Planted)


class Struck:
    """Whom and when a scenario's faults strike; `entity` is that of each fault, by its place in the scenario."""

    def __init__(self, scenario: LibraryScenario | CtaScenario, from_at: int, groups: Mapping[str, list[str]]) -> None:
        self._faults, self.seed, self.days, self.from_at = scenario.fault, scenario.seed, scenario.days, from_at
        self._groups = groups
        self.entity = self._choose()

    def day_from(self, day: int) -> int:
        """The start of a day of the scenario; all have 24 hours."""
        return self.from_at + day * DAY

    @property
    def to_at(self) -> int:
        return self.day_from(self.days)

    def span(self, fault: Planted) -> tuple[int, int]:
        return self.day_from(fault.from_day), min(self.to_at, self.day_from(fault.to_day))

    def of(self, kind: type[_Kind]) -> Iterator[tuple[int, _Kind]]:
        """A kind's faults, with their places in the scenario."""
        for number, fault in enumerate(self._faults):
            if isinstance(fault, kind):
                yield number, cast(_Kind, fault)

    def striking(self, kind: type[_Kind], entity: str, at: int) -> Iterator[tuple[int, _Kind]]:
        """A kind's faults of an entity at an instant."""
        for number, fault in self.of(kind):
            begin, end = self.span(fault)
            if self.entity[number] == entity and begin <= at < end:
                yield number, fault

    def hours(self, fault: Planted, hours: float, number: int) -> Iterator[tuple[int, int]]:
        """The given hours of each of a fault's days, always at the same time of day."""
        first = 9 + Random(f"{self.seed} hours {number}").randrange(4)
        begin, end = self.span(fault)
        for midnight in range(begin, end, DAY):
            yield midnight + first * HOUR, midnight + first * HOUR + round(hours * HOUR)

    def _choose(self) -> list[str]:
        """No two faults of a group get the same entity, if there are enough of them."""
        rng = Random(f"{self.seed} places")
        taken = {(fault.among, fault.entity) for fault in self._faults}
        chosen = []
        for fault in self._faults:
            known = self._groups[fault.among]
            if fault.entity and fault.entity not in known:
                raise ValueError(f"{fault.kind} cannot affect {fault.entity!r}; choose one of {', '.join(known)}")
            free = [name for name in known if (fault.among, name) not in taken] or known
            if not free:
                raise ValueError(f"{fault.kind} cannot be planted: this scenario has nothing that this fault affects")
            chosen.append(fault.entity or rng.choice(free))
            taken.add((fault.among, chosen[-1]))
        return chosen


class Places(Struck):
    """A library's entities by name."""

    def __init__(self, scenario: LibraryScenario) -> None:
        self.stations = [f"node{number}" for number in range(1, scenario.stations + 1)]
        self.pools = [f"pool_{number}" for number in range(1, scenario.pools + 1)]
        groups = {
            "drive": [f"DRV_{number}" for number in range(1, scenario.drives + 1)],
            "tape": [f"VR{number:04d}" for number in range(1, scenario.tapes + 1)],
            "pool": self.pools,
            "source": [f"enstore_log/{SYSTEM}", *(f"vmstat/{name}" for name in self.stations)],
            "site": [""],
            **dict.fromkeys(("stream", "host", "link", "clock"), self.stations),
        }
        super().__init__(scenario, instant(f"{scenario.first_day} 00:00"), groups)
