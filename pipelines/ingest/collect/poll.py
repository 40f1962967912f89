"""The output of a command: with a time of ours if it has no clock of its own, otherwise unchanged.

JSON becomes a line `{"polled_at":1787646180.25,"answer":[…]}` of the day's file, as `sources/cta_admin` reads it; an
array that is longer than a line may be becomes several, each with some of its items. A file begins with the last answer
of the file before, so that the time between the two polls is covered. Any other text, and JSON with `own_clock`, is a
file of its own with its time in the name; that time dates the first row of a text without a clock. With `stamp` a text
is appended to the day's file below a comment with its time, as JSON is: for counters each answer needs the one before.
"""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.config.collect import SINCE_PLACE, TOKEN_PLACE
from pipelines.ingest.collect.context import Request
from pipelines.ingest.collect.execute import run
from pipelines.ingest.collect.spool import utc_day
from pipelines.primitives.errors import TapescopeError

_NEAR_S = 600  # polls further apart cover nothing between them


def ask(request: Request) -> bool:
    """Run the command and keep what it prints; nothing where it prints nothing. Raises TapescopeError."""
    entry = request.entry
    begun = datetime.now(UTC)
    output, _ = run(
        _arguments(request, begun),
        request.folder,
        entry.timeout,
        request.most_bytes,
        request.is_stopped,
        nothing_codes=entry.nothing_codes,
    )
    now = datetime.now(UTC)
    after = {"since": begun.timestamp(), "polled": now.timestamp()}
    if not output.strip():
        request.spool.note(mark=after)
    elif entry.stamp:
        _append(request, now, b"# %s\n%s\n" % (now.isoformat().encode(), output.strip(b"\n")), after)
    elif entry.own_clock or output.lstrip()[:1] not in (b"[", b"{") or (answer := _json(output)) is None:
        request.spool.write(now, output, after)
    else:
        _append(request, now, _lines(output, answer, now.timestamp(), request.line_bytes), after)
    return False


def _append(request: Request, now: datetime, lines: bytes, after: dict[str, Any]) -> None:
    is_near = now.timestamp() - request.spool.mark.get("polled", 0) <= _NEAR_S
    head = request.spool.last_answer() if is_near else b""
    request.spool.append(utc_day(now.timestamp()), lines, after, head)


def _arguments(request: Request, now: datetime) -> list[str]:
    """The command with its placeholders filled in: local time since the last answer, and the secret."""
    entry = request.entry
    if not request.token and any(TOKEN_PLACE in text for text in entry.command):
        raise TapescopeError(
            f"the variable {entry.token} is not set",
            f"set the variable: its value replaces {TOKEN_PLACE} in the command",
        )
    since_s = request.spool.mark.get("since", now.timestamp() - entry.since) - entry.late
    since = datetime.fromtimestamp(since_s, ZoneInfo(entry.zone or request.site.zone))
    places = {SINCE_PLACE: f"{since:%Y-%m-%d %H:%M:%S}", TOKEN_PLACE: request.token}
    arguments = list(entry.command)
    for place, text in places.items():
        arguments = [argument.replace(place, text) for argument in arguments]
    return arguments


def _json(output: bytes) -> Any:
    try:
        return json.loads(output)
    except ValueError:
        return None


def _lines(output: bytes, answer: Any, at_s: float, line_bytes: int) -> bytes:
    text = output.strip().replace(b"\r", b"").replace(b"\n", b" ")  # no string of JSON holds a line end
    text = text if isinstance(answer, list) else b"[" + text + b"]"
    head = b'{"polled_at":%.3f,"answer":' % at_s
    if len(head) + len(text) < line_bytes or not isinstance(answer, list) or len(answer) < 2:
        return head + text + b"}\n"
    middle = len(answer) // 2
    halves = (json.dumps(part, ensure_ascii=False).encode() for part in (answer[:middle], answer[middle:]))
    return b"".join(_lines(half, json.loads(half), at_s, line_bytes) for half in halves)
