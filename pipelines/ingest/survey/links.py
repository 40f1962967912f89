"""Links that MRTG watched, a log each, with capacity and side from a .cfg; and ports of switches that are described."""

from dataclasses import dataclass, field

import duckdb
import polars as pl

from pipelines.catalog.files import load_catalog
from pipelines.sources._shared.names import stem_of

_CFG = "mrtg_cfg"


@dataclass
class LinkFound:
    """A link, and where it was found."""

    name: str
    file: str = ""
    capacity_bytes_s: float | None = None
    peak_bytes_s: float | None = None
    capacity_from: str = ""  # which configuration says so
    polled_host: str = ""
    polled: str = ""  # switch or host, by the name of what is asked
    station: str = ""  # guessed from the name
    ports: list[tuple[str, str]] = field(default_factory=list)  # switch and interface

    @property
    def evidence(self) -> str:
        parts = [self.file]
        if self.capacity_bytes_s:
            parts.append(f"capacity (MaxBytes) {self.capacity_bytes_s:.0f} bytes/s in {self.capacity_from}")
        if self.ports:
            parts.append(f"named in the description of switch port {', '.join(' '.join(port) for port in self.ports)}")
        if self.polled_host:
            parts.append(f"MRTG polled {self.polled_host}")
        if self.peak_bytes_s:
            parts.append(f"highest rate {self.peak_bytes_s / 1e6:.1f} MB/s")
        return ", ".join(part for part in parts if part)


def note_links(found: dict[str, LinkFound], tables: dict[str, pl.DataFrame], path: str) -> None:
    """Add the links that one file is about."""
    if (rows := tables.get("link_sample")) is not None:
        link = found.setdefault(stem_of(path), LinkFound(stem_of(path)))
        link.file = link.file or path
        rates = rows.select(pl.max_horizontal("in_max_bytes_s", "out_max_bytes_s").max()).item()
        link.peak_bytes_s = max(link.peak_bytes_s or 0, rates or 0) or None
    if (rows := tables.get("network_sample")) is not None and "description" in rows.columns:
        peak = pl.max_horizontal("in_bytes_s", "out_bytes_s").max()
        described = rows.drop_nulls("description").group_by("description", "host", "interface").agg(peak.alias("peak"))
        for name, host, interface, rate in described.sort("description", "host", "interface").rows():
            link = found.setdefault(name, LinkFound(name))
            link.file = link.file or path
            link.peak_bytes_s = max(link.peak_bytes_s or 0, rate or 0) or None
            if (host, interface) not in link.ports:
                link.ports.append((host, interface))


def note_settings(found: dict[str, LinkFound], settings: dict[str, pl.DataFrame]) -> None:
    """Add the links in MRTG's configurations, by path: silver.link_target knows how to read them.

    Of several configurations the newest that has a link's target counts.
    """
    if not settings:
        return
    contract = load_catalog().relations[f"bronze.{_CFG}"]
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'; CREATE SCHEMA bronze")
        connection.execute(f"CREATE TABLE bronze.{_CFG} ({contract.definitions})")
        for path, rows in settings.items():
            named = rows.with_columns(file_id=pl.lit(path))
            connection.register("named", named.select(set(contract.column_names) & set(named.columns)).lazy())
            connection.execute(f"INSERT INTO bronze.{_CFG} BY NAME SELECT * FROM named")
        target = load_catalog().relations["silver.link_target"].sql
        declared = connection.execute(
            f"SELECT target, capacity_bytes_s, polled_host, polled, file_id, line_no FROM ({target}) ORDER BY target"
        ).fetchall()
    by_target = {link.name.lower(): link for link in found.values()}
    for name, capacity, polled_host, polled, path, line_no in declared:
        if (link := by_target.get(name)) is not None:
            link.capacity_bytes_s, link.capacity_from = capacity, f"{path}, line {line_no}"
            link.polled_host, link.polled = polled_host or "", polled or ""
