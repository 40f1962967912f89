"""Which relations have rows while a build goes on."""

from datetime import date

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.tables import tables_with_files


class Present:
    """Which relations have rows while a build goes on, and of which days.

    Most sites have a few of all sources: tables that never had a row are known from one statement, and are not asked.
    """

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self._connection = connection
        can_wait = {relation.full_name for relation in (*catalog.layer("bronze"), *catalog.made_by_sql())}
        # what neither ingest nor a build fills may have got its first rows in this transaction
        self._filled = tables_with_files(connection) | (catalog.relations.keys() - can_wait)
        self._days: dict[str, set[date]] = {}

    def has_rows(self, relation: Relation) -> bool:
        """False only where the table is empty."""
        return relation.full_name in self._filled

    def days(self, relation: Relation) -> set[date]:
        if not self.has_rows(relation):
            return set()
        if relation.full_name not in self._days:
            rows = self._connection.execute(f"SELECT DISTINCT day FROM {LAKE}.{relation.full_name}").fetchall()
            self._days[relation.full_name] = {row[0] for row in rows}
        return self._days[relation.full_name]

    def replaced(self, relation: Relation, n_rows: int) -> None:
        """Note that rows of a relation went, and these came."""
        self._days.pop(relation.full_name, None)
        if n_rows:
            self._filled.add(relation.full_name)
