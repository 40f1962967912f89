"""Links that MRTG watched: one log each, their capacity and side from a .cfg where there is one."""

from dataclasses import dataclass

import polars as pl

from pipelines.sources._names import stem_of


@dataclass
class LinkFound:
    """A link, and where it was found."""

    name: str
    file: str = ""
    capacity_bytes_s: float | None = None
    peak_bytes_s: float | None = None
    polled_host: str = ""
    station: str = ""  # guessed from the name

    @property
    def evidence(self) -> str:
        parts = [self.file]
        if self.polled_host:
            parts.append(f"MRTG asked {self.polled_host}")
        if self.peak_bytes_s:
            parts.append(f"highest rate {self.peak_bytes_s / 1e6:.1f} MB/s")
        return ", ".join(part for part in parts if part)


def note_links(found: dict[str, LinkFound], tables: dict[str, pl.DataFrame], path: str) -> None:
    """Add the links that one file is about."""
    if (rows := tables.get("mrtg_log")) is not None:
        link = found.setdefault(stem_of(path), LinkFound(stem_of(path)))
        link.file = link.file or path
        rates = rows.select(pl.max_horizontal("in_max_bytes_s", "out_max_bytes_s").max()).item()
        link.peak_bytes_s = max(link.peak_bytes_s or 0, rates or 0) or None
