"""Drives named in an archive's logs: log name, mover, host, product."""

from dataclasses import dataclass, field

import polars as pl

from pipelines.config import technology
from pipelines.ingest.survey.names import short


@dataclass
class DriveFound:
    """A drive, and where it was first named."""

    name: str
    logname: str = ""
    mover: str = ""
    mover_host: str = ""
    product: str = ""
    media: set[str] = field(default_factory=set)  # types of the tapes it mounted
    n_rows: int = 0
    file: str = ""

    @property
    def generation(self) -> str:
        """By what the drive calls itself, or else by the newest media it mounted: older drives take none of these."""
        names = [self.product] if self.product else sorted(self.media)
        found = [row for name in names if (row := technology.known(name))]
        return max(found, key=lambda row: row.year).name if found else ""

    @property
    def evidence(self) -> str:
        product = f", calls itself {self.product}" if self.product else ""
        media = f", mounted {', '.join(sorted(self.media))}" if self.media else ""
        return f"{self.n_rows} rows in what was looked at, first in {self.file}{product}{media}"


def note_drives(found: dict[str, DriveFound], tables: dict[str, pl.DataFrame], path: str) -> None:
    """Add the drives that one file names."""
    if (rows := tables.get("enstore_log_mover")) is not None:
        for logname, host, product, n in (
            rows.group_by("name")
            .agg(pl.col("host").drop_nulls().first(), pl.col("product").drop_nulls().first(), pl.len())
            .sort("name")
            .rows()
        ):
            _note(found, logname.removesuffix("MV"), path, n, logname=logname, mover_host=host, product=product)
    if (rows := tables.get("enstore_log_encp")) is not None:
        kind = pl.col("drive_product").drop_nulls().first()
        for mover, product, n in rows.drop_nulls("mover").group_by("mover").agg(kind, pl.len()).sort("mover").rows():
            _note(found, mover.removesuffix(".mover"), path, n, mover=mover, product=product)
    for rows in (tables[name] for name in ("cta_step", "cta_drive_poll") if name in tables):
        host = pl.col("host").drop_nulls().first()
        for name, tape_server, n in rows.group_by("drive").agg(host, pl.len()).sort("drive").rows():
            _note(found, name, path, n, mover_host=short(tape_server or ""))
    if (rows := tables.get("cta_session")) is not None:
        for name, media in rows.drop_nulls("media_type").select("drive", "media_type").unique().sort("drive").rows():
            _note(found, name, path, 0)
            found[name].media.add(media)
    for table in ("tsm_summary", "tsm_actlog"):
        if (rows := tables.get(table)) is not None:
            for name, n in rows.drop_nulls("drive").group_by("drive").agg(pl.len()).sort("drive").rows():
                _note(found, name, path, n)


def _note(found: dict[str, DriveFound], name: str, path: str, n_rows: int, **facts: str | None) -> None:
    drive = found.setdefault(name, DriveFound(name, file=path))
    drive.n_rows += n_rows
    for key, value in facts.items():
        if value and not getattr(drive, key):
            setattr(drive, key, value)
