"""What changed since the last build, and what a build made of it."""

from dataclasses import dataclass, field
from datetime import date


@dataclass
class ChangedRelations:
    """What changed or was rebuilt: days of the relations kept by day, and the others by name."""

    days: dict[str, set[date]] = field(default_factory=dict)
    other_lines: dict[str, set[date]] = field(default_factory=dict)  # days whose rows differ, if only in lineage
    whole: set[str] = field(default_factory=set)
    timeless: set[str] = field(default_factory=set)  # what has no days of its own: any day may differ
    shrunk: set[str] = field(default_factory=set)  # lost days for their age: what has no days is made of the others
    n_rows: int = 0

    def touched(self, name: str, has_lineage: bool = False) -> bool:
        """Whether its rows differ; for who takes their lineage on, whether only that differs as well."""
        if has_lineage and self.other_lines.get(name):
            return True
        return name in self.whole or name in self.timeless or bool(self.days.get(name))
