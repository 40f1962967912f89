"""All `[[collect]]` entries that are due, side by side: one that fails or is slow holds up no other."""

import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import time
from typing import Any

from pipelines.config.collect import Collect
from pipelines.config.site import Site
from pipelines.ingest.collect import journal, poll, prometheus
from pipelines.ingest.collect.context import Request
from pipelines.ingest.collect.spool import opened, state_of
from pipelines.primitives.errors import ConfigError
from pipelines.primitives.text import single_line

_AT_ONCE = 8
_REASON_CHARS = 400
_HIDDEN = "…"


@dataclass(frozen=True)
class Asked:
    """The result of one entry."""

    name: str
    state: str  # done, failed, or busy: another process collects for it
    n_answers: int = 0
    n_bytes: int = 0
    reason: str = ""
    was_failing: bool = False  # the last time it was asked

    @property
    def is_failed(self) -> bool:
        return self.state == "failed"


@dataclass(frozen=True)
class CollectReport:
    """The result of each entry that was asked, and which fail now, with those that were not asked."""

    n_entries: int
    asked: list[Asked] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)  # why, by name

    def as_dict(self) -> dict[str, Any]:
        return {
            "entries": self.n_entries,
            **{state: sum(one.state == state for one in self.asked) for state in ("done", "failed", "busy")},
            "newly_failed": sum(one.is_failed and not one.was_failing for one in self.asked),
            "failing": ", ".join(sorted(self.failing)),
            "answers": sum(one.n_answers for one in self.asked),
            "bytes": sum(one.n_bytes for one in self.asked),
            "problems": [
                {"path": one.name, "state": one.state, "reason": one.reason} for one in self.asked if one.reason
            ],
        }


def collect(
    site: Site, names: Iterable[str] = (), is_all: bool = False, secrets: Mapping[str, str] | None = None
) -> CollectReport:
    """Ask what is due; or the entries named, or all, whether due or not.

    `secrets` go before the environment. Raises ConfigError for a name that no entry has.
    """
    chosen = _chosen(site, set(names), is_all)
    stop = threading.Event()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            asked = list(pool.map(lambda entry: _ask(site, entry, secrets or {}, stop), chosen))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    failing = {entry.name: str(state_of(site.root / entry.folder)["failure"]) for entry in site.collect}
    failing |= {one.name: one.reason for one in asked if one.is_failed}
    return CollectReport(len(site.collect), asked, {name: reason for name, reason in failing.items() if reason})


def seconds_to_next(site: Site) -> float:
    """How long it is until an entry is due again; a failed one waits for its turn as well."""
    now = time()
    return min(((now // entry.every + 1) * entry.every for entry in site.collect), default=now) - now


def _chosen(site: Site, names: set[str], is_all: bool) -> list[Collect]:
    known = [entry.name for entry in site.collect]
    if strange := sorted(names.difference(known)):
        raise ConfigError(f"there is no [[collect]] entry {strange[0]!r}", f"known: {', '.join(known) or 'no entry'}")
    return [entry for entry in site.collect if entry.name in names or (not names and (is_all or _is_due(site, entry)))]


def _is_due(site: Site, entry: Collect) -> bool:
    """Not asked with success yet since the turn of the clock that its `every` makes."""
    return int(time() // entry.every) != int(state_of(site.root / entry.folder)["slot"])


def _ask(site: Site, entry: Collect, secrets: Mapping[str, str], stop: threading.Event) -> Asked:
    slot, token = int(time() // entry.every), (secrets.get(entry.token) or os.environ.get(entry.token, "")).strip()
    try:
        with opened(site.root / entry.folder) as spool:
            if spool is None:
                return Asked(entry.name, "busy")
            failure, was_failing = "", bool(spool.state["failure"])
            try:
                is_behind = _kind(entry).ask(Request(site, entry, spool, token, stop.is_set))
                if not is_behind:
                    spool.note(slot=slot)
            except Exception as error:  # whatever it is: it holds up no other entry
                failure = _reason(error, token)
            if not stop.is_set() and failure != spool.state["failure"]:
                spool.note(failure=failure)
            state = "failed" if failure else "done"
            return Asked(entry.name, state, spool.n_answers, spool.n_bytes, failure, was_failing)
    except OSError as error:  # the spool itself cannot be written
        return Asked(entry.name, "failed", reason=_reason(error, token))


def _kind(entry: Collect) -> Any:
    return prometheus if entry.prometheus else poll if entry.command else journal


def _reason(error: Exception, token: str) -> str:
    """Why an entry failed, on a line, without its secret."""
    hint = str(getattr(error, "hint", ""))
    text = str(error) if hasattr(error, "hint") else f"{type(error).__name__}: {error}"
    if token:
        text = text.replace(token, _HIDDEN)
    return single_line(f"{text}; {hint}" if hint else text, _REASON_CHARS)
