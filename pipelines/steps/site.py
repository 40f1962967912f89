"""Where things are: a site, its warehouse for other clients, backups of its catalogue, the demo."""

import shutil
from pathlib import Path

from pipelines.answers.engines import client_program
from pipelines.catalog.files import macros
from pipelines.catalog.sql_inspect import quote
from pipelines.config.site import Site, load_recipients, load_site
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Warehouse


def site_at(path: str | Path, lock_wait_s: float | None = None) -> Site:
    """The site of a `site.toml` or of the folder that holds one; `lock_wait_s` takes precedence over its value."""
    site = load_site(Path(path))
    return site if lock_wait_s is None else site.model_copy(update={"lock_wait_s": lock_wait_s})


def recipients_at(path: str | Path) -> Site:
    """A site of name and `[deliver]` alone, for `warn`: other parts of site.toml may be wrong. Raises ConfigError."""
    return load_recipients(Path(path))


def attach(site: Site, engine: str = "duckdb") -> str:
    """What another program needs to read the warehouse: SQL for DuckDB, a program for "polars" and "spark"."""
    return Warehouse(site).client_sql() if engine == "duckdb" else client_program(site, engine)


def export(site: Site, path: Path) -> int:
    """Copy the warehouse into one plain DuckDB file; returns the number of its tables."""
    if path.exists():
        raise TapescopeError(f"{path} exists already", "give another name, or remove the existing file first")
    if not path.parent.is_dir():
        raise TapescopeError(f"there is no folder {path.parent}", "create the folder, or give another name")
    if "?" in str(path.resolve()):  # DuckDB puts the `.wal` of its log's name before the first one
        raise TapescopeError(
            f"DuckDB cannot write {path}, because the path contains a question mark",
            "give a path without `?`, and rename or move the file afterwards",
        )
    part = path.with_name(f"{path.name}.part")  # so that only a whole copy has the name
    _remove_unfinished(part)  # of an export that was killed
    try:
        with Warehouse(site).read() as connection:
            connection.execute(f"ATTACH {quote(str(part))} AS plain")
            connection.execute(f"COPY FROM DATABASE {LAKE} TO plain")
            connection.execute(f"USE plain; {macros(site.zone).replace(' TEMP ', ' ')}; USE {LAKE}")
            row = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'plain'").fetchone()
            connection.execute("DETACH plain")
        part.rename(path)
    finally:
        _remove_unfinished(part)  # where the disk is full, it would stay so
    return int(row[0]) if row else 0


def _remove_unfinished(part: Path) -> None:
    for left in (part, part.with_name(f"{part.name}.wal")):
        left.unlink(missing_ok=True)


SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


def make_demo(folder: Path, archive: str = "migration") -> Site:
    """A sample archive in a scratch folder, where its site.toml serves every other command.

    That of the migration is copied; that of a site of CTA is generated, the same bytes each time, with its truth.toml.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if archive == "migration":
        shutil.copytree(SAMPLE / "logs", folder / "logs", dirs_exist_ok=True)
        shutil.copy2(SAMPLE / "site.toml", folder / "site.toml")
    else:
        from sample_data.generate import write
        from sample_data.scenario import named

        write(named(archive), folder)
    return site_at(folder)
