"""What every kind of entry needs to be asked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipelines.config.collect import Collect
from pipelines.config.site import Site
from pipelines.ingest.collect.spool import Spool

MOST_STEPS = 24  # after a pause: the rest follows the next time


@dataclass(frozen=True)
class Request:
    """One entry that is asked now; `token` is its secret, empty if it has none."""

    site: Site
    entry: Collect
    spool: Spool
    token: str
    is_stopped: Callable[[], bool]

    @property
    def most_bytes(self) -> int:
        """How long an answer may be."""
        return int(self.entry.max_mb * 2**20)

    @property
    def line_bytes(self) -> int:
        """How long a line may be that is to be read."""
        return self.site.limits.line_kb * 1024

    @property
    def folder(self) -> Path:
        """Where commands run."""
        return self.site.root
