"""A snapshot of the warehouse that stays open: pages ask many questions of one, from many threads."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import duckdb

from pipelines.answers.question import Answer, answer
from pipelines.build.fingerprint import is_outdated
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.files import macros
from pipelines.config.site import Site
from pipelines.primitives.errors import QuestionRefused
from pipelines.warehouse.connection import LAKE, Connection, Warehouse, snapshot_id


class SnapshotReader:
    """A reading connection; without a snapshot's number each question is answered from the newest one.

    Opening costs more than most answers, of a snapshot a third of a second. No transaction stays open between two
    questions. Raises ConfigError where there is no warehouse, QuestionRefused where it does not keep that snapshot.
    """

    def __init__(self, site: Site, snapshot: int | None = None) -> None:
        self._snapshot = snapshot
        self._zone = site.zone
        self._stack = ExitStack()
        self._idle: list[Connection] = []  # cursors that know the macros
        try:
            self._connection = self._stack.enter_context(Warehouse(site).read(snapshot, is_long_lived=True))
        except duckdb.InvalidInputException as error:
            is_number = snapshot is None or 0 <= snapshot < 2**63
            if is_number and "No snapshot found" not in str(error):
                raise
            raise QuestionRefused("the warehouse does not keep that snapshot", "use the newest snapshot") from error

    @staticmethod
    def warehouse_identity(site: Site) -> str:
        """The identity of the warehouse that a site has now."""
        return Warehouse(site).identity

    def ask(self, catalog: Catalog, name: str, params: dict[str, str]) -> Answer:
        """A question's answer, on a cursor of its own. Raises QuestionRefused."""
        with self.cursor() as cursor:
            return answer(cursor, catalog, name, params, self._snapshot)

    def is_outdated(self, site: Site, catalog: Catalog) -> bool:
        """Whether SQL or site.toml changed after the last build of the snapshot."""
        with self.cursor() as cursor:
            return is_outdated(cursor, site, catalog)

    def newest(self) -> int:
        """The number of the newest snapshot there is."""
        with self.cursor() as cursor:
            return snapshot_id(cursor)

    @contextmanager
    def cursor(self) -> Iterator[Connection]:
        """A cursor on the open connection, for several questions; one that was used without an error is used again."""
        try:
            cursor = self._idle.pop()
        except IndexError:
            cursor = self._connection.cursor()
            cursor.execute(f"SET TimeZone = 'UTC'; USE {LAKE}; {macros(self._zone)}")
        try:
            yield cursor
        except BaseException:
            cursor.close()
            raise
        self._idle.append(cursor)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        self._stack.close()
