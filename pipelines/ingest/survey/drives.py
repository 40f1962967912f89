"""Drives named in an archive's logs: log name, mover, host, product."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import polars as pl

from pipelines.config import technology
from pipelines.config.inputs import Input
from pipelines.ingest.survey.names import NO_HOSTS
from pipelines.ingest.survey.patterns import Pattern
from pipelines.primitives.text import short_host
from pipelines.sources._shared.names import stem_of

_OF_MOVERS = ("logname", "mover", "mover_host", "drive_product", "volume", "driver")
_NO_TAPE = ("DiskDriver", "NullDriver")


@dataclass
class DriveFound:
    """A drive, and where it was first named."""

    name: str
    logname: str = ""
    mover: str = ""
    mover_host: str = ""
    device: str = ""  # where its counters alone name it, what the kernel calls it
    slot: str = ""  # likewise its library
    robot: str = ""  # library, where drives of several have one name
    product: str = ""
    media: set[str] = field(default_factory=set)  # types of the tapes it mounted
    libraries: set[str] = field(default_factory=set)  # of TSM
    systems: set[str] = field(default_factory=set)  # archives that name it
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
        product = f", drive product {self.product}" if self.product else ""
        media = f", mounted {', '.join(sorted(self.media))}" if self.media else ""
        return f"found in {self.n_rows} of the rows that were read, first in {self.file}{product}{media}"


def note_drives(found: dict[str, DriveFound], tables: dict[str, pl.DataFrame], path: str) -> None:
    """Add the drives that one file names."""
    for table, note in _NOTES.items():
        if (rows := tables.get(table)) is not None:
            note(found, rows, path)
    for rows in _of_devices(tables):
        _note_devices(found, rows, path)


def _note_movers(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    facts = [pl.col(name).drop_nulls().first() for name in ("host", "product")]
    for logname, host, product, n in rows.group_by("name").agg(*facts, pl.len()).sort("name").rows():
        _note(found, logname.removesuffix("MV"), path, n, logname=logname, mover_host=host, product=product)


def _note_named_movers(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    """Movers that Enstore's tables, clients or relay name; not those of disks, whose volumes have colons."""
    given = {name: rows[name] if name in rows.columns else pl.lit(None, pl.String) for name in _OF_MOVERS}
    known = rows.select(**given).filter(
        ~pl.col("driver").fill_null("").is_in(_NO_TAPE)
        & ~pl.col("volume").fill_null("").str.contains(":", literal=True)
    )
    named = known.with_columns(
        name=pl.coalesce(pl.col("logname").str.replace("MV$", ""), pl.col("mover").str.replace(r"\.mover$", ""))
    ).filter(pl.col("name") != "")
    facts = [pl.col(name).drop_nulls().first() for name in ("logname", "mover", "mover_host", "drive_product")]
    for name, logname, mover, host, product, n in named.group_by("name").agg(*facts, pl.len()).sort("name").rows():
        names = {"logname": logname, "mover": mover, "mover_host": short_host(host or "")}
        _note(found, name, path, n, product=product, **names)


def _note_cta(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    host = pl.col("host").drop_nulls().first()
    systems = pl.col("system").filter(pl.col("system") != "").unique()
    for name, tape_server, of, n in rows.group_by("drive").agg(host, systems, pl.len()).sort("drive").rows():
        _note(found, name, path, n, mover_host=short_host(tape_server or ""))
        found[name].systems.update(of)


def _note_slots(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    for slot, n in rows.group_by("drive").agg(pl.len()).sort("drive").rows():
        _note(found, slot, path, n, slot=slot)


def _note_media(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    for name, media in rows.drop_nulls("media_type").select("drive", "media_type").unique().sort("drive").rows():
        _note(found, name, path, 0)
        found[name].media.add(media)


def _note_tsm(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    kind = pl.col("library").drop_nulls().unique().sort()
    for name, libraries, n in rows.drop_nulls("drive").group_by("drive").agg(kind, pl.len()).sort("drive").rows():
        _note(found, name, path, n)
        found[name].libraries.update(libraries)


_NOTES: dict[str, Callable[[dict[str, DriveFound], pl.DataFrame, str], None]] = {
    "enstore_log_mover": _note_movers,
    "enstore_log_encp": _note_named_movers,
    "enstore_accounting_mount": _note_named_movers,
    "enstore_accounting_transfer": _note_named_movers,
    "enstore_accounting_drive_stat": _note_named_movers,
    "enstore_accounting_mover": _note_named_movers,
    "encp_console_transfer": _note_named_movers,
    "enstore_relay": _note_named_movers,
    "cta_step": _note_cta,
    "cta_drive_poll": _note_cta,
    "library_mount": _note_slots,
    "cta_session": _note_media,
    "tsm_summary": _note_tsm,
    "tsm_actlog": _note_tsm,
}


def _note_devices(found: dict[str, DriveFound], rows: pl.DataFrame, path: str) -> None:
    for host, device, n in rows.group_by("host", "device").agg(pl.len()).sort("host", "device").rows():
        if not re.fullmatch(r"st\d+", device):  # pages of a drive that is called by its name
            _note(found, device, path, n, mover_host="" if host in NO_HOSTS else short_host(host))
            continue
        # if no line names the host, the file's name is used, from which its [[input]] may read a host
        name = "" if host in NO_HOSTS else short_host(host)
        _note(found, f"{name or path}:{device}", path, n, mover_host=name, device=device)


def _of_devices(tables: dict[str, pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """What counters of drives alone name: the kernel's, and pages of drives that no log of an archive holds."""
    if (rows := tables.get("drive_counter")) is not None:
        yield rows.select("host", "device")
    if (rows := tables.get("scsi_counter")) is not None and not {"cta_step", "library_mount"} & set(tables):
        yield rows.select("host", device="drive")


def split_shared(found: dict[str, DriveFound]) -> None:
    """Drives of several libraries that have one name are several: `library:name`, as `build/site_tables.py` has it."""
    for name in [name for name, drive in found.items() if len(drive.libraries) > 1]:
        drive = found.pop(name)
        for library in sorted(drive.libraries):
            found[f"{library}:{name}"] = replace(drive, name=f"{library}:{name}", robot=library)


def settle_counted(found: dict[str, DriveFound], inputs: list[Pattern]) -> list[str]:
    """Name drives that only counters know by the host of their file; returns devices that may be of any other drive.

    As `build/site_tables.py` has it: a device is a drive of its own only where no drive can be it.
    """
    counted = [found.pop(key) for key in [key for key, drive in found.items() if drive.device]]
    glob_of = {path: pattern.glob for pattern in inputs for path in pattern.files}
    hosts = {drive.mover_host for drive in found.values() if not drive.slot}
    doubtful = []
    for drive in counted:
        named = Input(glob=glob_of[drive.file]).match(drive.file) if drive.file in glob_of else None
        host = drive.mover_host or short_host((named or {}).get("host") or stem_of(drive.file))
        drive.name, drive.mover_host = f"{host}:{drive.device}", host
        if hosts & {"", host}:
            doubtful.append(drive.name)
        elif drive.name in found:
            found[drive.name].n_rows += drive.n_rows
        else:
            found[drive.name] = drive
    if any(not drive.slot for drive in found.values()):
        doubtful += [found.pop(name).name for name in [name for name, drive in found.items() if drive.slot]]
    return sorted(set(doubtful))


def _note(found: dict[str, DriveFound], name: str, path: str, n_rows: int, **facts: str | None) -> None:
    drive = found.setdefault(name, DriveFound(name, file=path))
    drive.n_rows += n_rows
    for key, value in facts.items():
        if value and not getattr(drive, key):
            setattr(drive, key, value)
