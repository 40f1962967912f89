"""What recipients know of failures, in a file of the site: an equal failure is sent again once a day at most."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter

from pipelines.primitives.format import counted
from pipelines.primitives.times import instant

REPEAT = timedelta(hours=20)  # less than a day: a failure of each night is sent each morning
QUIET = timedelta(hours=2)  # what did not fail for so long works again: a failure that comes and goes is one
_KEPT = timedelta(days=90)
_WAIT_S = 120.0
_NUMBERS = re.compile(r"\d[\d.,:-]{2,}")  # ids of processes, sizes, times: they differ while the failure is the same


@dataclass
class Failure:
    """An equal failure of one part: since when, how often, and when each way had it last."""

    first: datetime
    last: datetime
    times: int = 0
    sent: dict[str, datetime] = field(default_factory=dict)

    @property
    def history(self) -> str:
        return (
            f"failed {counted(self.times, 'time')} since {_minute(self.first)}, most recently at {_minute(self.last)}"
        )


class Book:
    """Failures by the part that fails, and by cause."""

    def __init__(self, parts: dict[str, dict[str, Failure]]) -> None:
        self.now, self.parts = datetime.now(UTC), parts

    def note(self, part: str, cause: str) -> Failure:
        """One more failure; returns what is known of its kind."""
        known = self.parts.setdefault(part, {})
        for key in [key for key, one in known.items() if self.now - one.last > _KEPT]:
            del known[key]
        key = hashlib.sha256(_NUMBERS.sub("#", cause).encode()).hexdigest()[:16]
        failure = known.setdefault(key, Failure(self.now, self.now))
        failure.last, failure.times = self.now, failure.times + 1
        return failure

    def is_due(self, failure: Failure, way: str) -> bool:
        """Whether this way has not had the failure lately."""
        return way not in failure.sent or self.now - failure.sent[way] >= REPEAT

    def end(self, part: str) -> Failure | None:
        """Forget the failures of a part that works, unless one was lately; their sum, if anybody has had one."""
        known = list(self.parts.get(part, {}).values())
        if not known or self.now - max(one.last for one in known) < QUIET:
            return None
        del self.parts[part]
        sent = {way: when for one in known for way, when in one.sent.items()}
        first, last = min(one.first for one in known), max(one.last for one in known)
        return Failure(first, last, sum(one.times for one in known), sent) if sent else None


_PARTS = TypeAdapter(dict[str, dict[str, Failure]])


@contextmanager
def opened(root: Path) -> Iterator[Book]:
    """The book of a site, for one process at a time; where it cannot be kept it is empty: nothing is held back."""
    file = root / "var" / "known_failures.json"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        turn = FileLock(file.with_suffix(".lock")).acquire(timeout=_WAIT_S)
    except (OSError, Timeout):
        yield Book({})
        return
    with turn:
        book = Book(_read(file))
        yield book
        _write(file, _PARTS.dump_json(book.parts, indent=1))


def _read(file: Path) -> dict[str, dict[str, Failure]]:
    try:
        return _PARTS.validate_json(file.read_bytes())
    except (OSError, ValueError):  # none yet, or a write was stopped
        return {}


def _write(file: Path, content: bytes) -> None:
    """In its place: a full disk, the cause of many failures, takes no second file."""
    with suppress(OSError), file.open("r+b" if file.exists() else "wb") as book:
        book.write(content)
        book.truncate()


def _minute(value: datetime) -> str:
    return instant(value, "UTC", "%H:%M")
