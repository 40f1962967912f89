"""Entries of the system's journal since the last one that was kept, by its cursor; a line an entry, as JSON.

Only the message of an entry is kept, and when the journal received it; other fields would make the spool large. More
than `max_mb` at once is kept in steps: the cursor of the last complete line is where to continue.
"""

import json
from time import time

from pipelines.ingest.collect.context import MOST_STEPS, Request
from pipelines.ingest.collect.execute import run
from pipelines.ingest.collect.spool import utc_day
from pipelines.primitives.errors import TapescopeError

_FIELDS = "MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_HOSTNAME,_PID,_SYSTEMD_UNIT"
_COMMAND = ("journalctl", "--output=json", f"--output-fields={_FIELDS}", "--no-pager", "--quiet")


def ask(request: Request) -> bool:
    """Keep the entries up to now; True where more is left than is asked at once. Raises TapescopeError."""
    entry, spool = request.entry, request.spool
    for _ in range(MOST_STEPS):
        mark = spool.mark
        if "cursor" in mark:
            begin = f"--after-cursor={mark['cursor']}"
        else:
            begin = f"--since=@{mark.get('since', int(time()) - entry.since)}"
        arguments = [*_COMMAND, *(entry.journal or ()), begin]
        output, is_cut = run(
            arguments, request.folder, entry.timeout, request.most_bytes, request.is_stopped, may_cut=True
        )
        lines = output[: output.rfind(b"\n") + 1]
        if lines:
            spool.append(utc_day(time()), lines, {"cursor": _cursor(lines)})
        elif is_cut:
            raise TapescopeError(
                "a journal entry is longer than `max_mb` allows for an answer",
                "raise `max_mb` of the [[collect]] entry",
            )
        elif not mark:
            spool.note(mark={"since": int(time()) - entry.since})  # nothing yet: what comes later is not too old
        if not is_cut:
            return False
    return True


def _cursor(lines: bytes) -> str:
    try:
        return str(json.loads(lines[lines.rstrip().rfind(b"\n") + 1 :])["__CURSOR"])
    except (ValueError, KeyError, TypeError):
        raise TapescopeError(
            "journalctl printed an entry without a cursor, so tapescope cannot continue after it"
        ) from None
