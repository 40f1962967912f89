"""Reading and writing apart: any number of processes read, on any host and without a lock; one commits what they left.

`ingest` does both in one process and its workers. The DAGs map `read_files` onto tasks, and `commit` is one more.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import duckdb

from pipelines.catalog.files import load_catalog
from pipelines.config.files import site_files, stored_path
from pipelines.config.site import Site
from pipelines.ingest import manifest
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.load import Loader
from pipelines.ingest.plan import plans, unchanged
from pipelines.ingest.reading import Reader
from pipelines.ingest.registry import FileRegistry
from pipelines.ingest.rows import Setup
from pipelines.ingest.run import MEMORY, IngestReport, Share, is_of, load_all, note_unnamed
from pipelines.ingest.staging import fresh_folder
from pipelines.ingest.succession import Succession
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.connection import Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.runs import record_run
from pipelines.warehouse.tables import prepare_tables


def read_files(site: Site, share: Share = (0, 1)) -> dict[str, Any]:
    """Read what is new in a share of the files that site.toml names, and leave it for `commit`; returns counts.

    Only a warehouse that has not its tables yet is made first, with the writer's lock. Raises WarehouseBusy then.
    """
    warehouse, catalog, n_read = Warehouse(site), load_catalog(), 0
    bronze = {relation.name: relation for relation in catalog.layer("bronze")}
    with _known(warehouse) as (connection, registry):
        setup = Setup.of(connection, catalog, warehouse.data_path)
        succession, reader = Succession(registry, bronze, site.root), Reader(setup, connection)
        leaving = manifest.Leaving(setup, connection)
        for file in (IncomingFile(site, *found) for found in site_files(site)):
            if not is_of(share, file.name) or unchanged(registry, file):
                continue
            n_read += 1
            _read(file, succession, reader, leaving)
        leaving.write()
    return {"read": n_read, "manifests": leaving.n_manifests}


def _read(file: IncomingFile, succession: Succession, reader: Reader, leaving: manifest.Leaving) -> None:
    place = succession.registry.places.get(file.name)
    if file.status is None or not file.source:
        leaving.add(file, "", place, None)
        return
    for plan in plans(succession, file):
        if (reading := reader.read(file, *plan.start())) is not None:
            leaving.add(file, plan.key, place, reading)
            return


@contextmanager
def _known(warehouse: Warehouse) -> Iterator[tuple[Connection, FileRegistry]]:
    """A connection that only reads, and the files in the newest snapshot."""
    try:
        with warehouse.read(memory=MEMORY) as connection:
            FileRegistry(connection, load_catalog())
    except (duckdb.CatalogException, duckdb.BinderException, ConfigError):
        with warehouse.write("ingest") as connection:
            prepare_tables(connection, load_catalog())
    with warehouse.read(memory=MEMORY) as connection:
        yield connection, FileRegistry(connection, load_catalog())


def commit(site: Site) -> IngestReport:
    """Take what was read and left, a transaction a manifest. Raises WarehouseBusy if another process writes."""
    report, named, catalog, warehouse = IngestReport(), site_files(site), load_catalog(), Warehouse(site)
    by_name = {stored_path(site, found[0]): found for found in named}
    with warehouse.write("ingest") as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        prepare_tables(connection, catalog)
        with record_run(connection, "ingest") as run, fresh_folder(warehouse.temp_folder) as aside:
            setup = replace(Setup.of(connection, catalog, warehouse.data_path), aside=aside)
            loader = Loader(connection, catalog, setup, site.root)
            for one in manifest.waiting(connection, warehouse.data_path):
                with transaction(connection):
                    report.files += load_all(loader, one.take(site, by_name, loader.registry, connection))
                    loader.flush()
                loader.staging.clear()
                one.remove(connection)
            run.counts = report.as_dict()
    note_unnamed(report, site, named)
    return report
