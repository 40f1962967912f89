"""Raw samples of a Prometheus or a VictoriaMetrics, since those that were kept.

    GET /api/v1/label/instance/values?match[]=…        which exporters have samples of the window
    GET /api/v1/query?query={__name__=~"…",instance="tpsrv01:9100"}[300s]&time=1436781600

An instant query of a range selector answers with the scrapes themselves: one line an exporter and window, as
`sources/prometheus_range.py` reads it. Windows follow each other without overlap and end `late` before the server's
clock, because a scrape is stored after its time. Each is asked exporter by exporter, and the state records which are
done: a killed collector continues with the same window. If the answer for a window is longer than a line may be, the
window is asked in halves. The first window of a day's file reaches back until the step across midnight has both its
samples; silver finds the rows that are in two files.
"""

import json
from typing import Any

from pipelines.ingest.collect.context import MOST_STEPS, Request
from pipelines.ingest.collect.fetch import TooLarge, get
from pipelines.ingest.collect.spool import utc_day
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line
from pipelines.primitives.web import authorization
from pipelines.sources._shared.exporters import EXPORTED

_WINDOW_S = 3600
_REACH_S = 300  # two scrapes and more
_SHORTEST_S = 2
_DAY_S = 86_400


def ask(request: Request) -> bool:
    """Keep all windows up to now; True where more is left than is asked at once. Raises TapescopeError."""
    for _ in range(MOST_STEPS):
        if request.is_stopped():
            return True
        window = _window(request)
        if window is None:
            return False
        _keep(request, *window)
    return True


def _window(request: Request) -> tuple[int, int] | None:
    """Begin and end of the next window in seconds since 1970, and the state knows it; None where all is kept."""
    mark, entry = request.spool.mark, request.entry
    if "to" in mark:
        return mark["until"], mark["to"]
    latest = _now(request) - entry.late
    begin = mark.get("until", latest - entry.since)
    end = min(latest, begin + _WINDOW_S, begin - begin % _DAY_S + _DAY_S)
    if end <= begin:
        return None
    request.spool.note(mark={"until": begin, "to": end, "done": []})
    return begin, end


def _now(request: Request) -> int:
    """The server's clock, by which its samples are: ours may be ahead of it, and would leave samples out."""
    found = _data(_get(request, "query", {"query": "vector(time())"}), dict).get("result")
    try:
        return int(float(found[0]["value"][1]))
    except (LookupError, TypeError, ValueError):
        raise TapescopeError("the server does not report its time") from None


def _keep(request: Request, begin: int, end: int) -> None:
    # what ends at midnight is of the day before
    mark, day = request.spool.mark, utc_day(end - 1)
    reach = _REACH_S if request.spool.is_new(day) or mark.get("first") == day else 0
    if reach:
        mark["first"] = day
    selectors = _selectors(request)
    for instance in _instances(request, selectors, begin, end):
        if instance in mark["done"]:
            continue
        lines = b"".join(line for one in selectors for line in _lines(request, one, instance, begin - reach, end))
        mark["done"] = [*mark["done"], instance]
        if lines:
            request.spool.append(day, lines, mark)
        else:
            request.spool.note(mark=mark)
    request.spool.note(mark={"until": end})


def _selectors(request: Request) -> list[str]:
    """What is asked of an exporter, without closing brace; what makes up a row must be in one of them."""
    found = []
    for text in request.entry.ask or ("|".join(EXPORTED),):
        names, _, labels = text.partition("{")
        found.append(f"{{__name__=~{_quoted(names)}" + (f",{labels.removesuffix('}')}" if labels else ""))
    return found


def _instances(request: Request, selectors: list[str], begin: int, end: int) -> list[str]:
    params = {"start": str(begin), "end": str(end)}
    found: set[str] = set()
    for selector in selectors:
        got = _get(request, "label/instance/values", params | {"match[]": f"{selector}}}"})
        found |= {name for name in _data(got, list) if isinstance(name, str)}
    return sorted(found)


def _lines(request: Request, selector: str, instance: str, begin: int, end: int) -> list[bytes]:
    """The samples after `begin` up to `end`, a line for each part of it that fits one."""
    params = {"query": f"{selector},instance={_quoted(instance)}}}[{end - begin}s]", "time": str(end)}
    try:
        got = _get(request, "query", params, min(request.most_bytes, request.line_bytes - 1))
    except TooLarge:
        if end - begin < 2 * _SHORTEST_S:
            hint = (
                "raise `line_kb` under [limits] or `max_mb` of the entry, whichever is smaller,"
                " or request fewer metrics with `ask`"
            )
            text = f"{instance}: samples that cover {end - begin} s are too long for one line"
            raise TapescopeError(text, hint) from None
        middle = (begin + end) // 2
        return [
            part for half in ((begin, middle), (middle, end)) for part in _lines(request, selector, instance, *half)
        ]
    data = _data(got, dict)
    if data.get("resultType") != "matrix":
        raise TapescopeError("the server's answer to a query does not contain samples")
    kept, n_left_out = _after(begin, data.get("result") or [])
    if n_left_out:
        got = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": kept}}).encode()
    return [got.replace(b"\n", b"") + b"\n"] if kept else []


def _after(begin: int, series: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Series without samples at the start of their window, and how many those are.

    Up to version 2 Prometheus returns them; from 3 on, as VictoriaMetrics, it does not. The window before has them.

    >>> _after(60, [{"values": [[60, "1"], [60.001, "2"]]}, {"values": [[60, "3"]]}])
    ([{'values': [[60.001, '2']]}], 2)
    """
    kept = [one | {"values": [value for value in one.get("values", ()) if value[0] > begin]} for one in series]
    n_left_out = sum(len(one.get("values", ())) for one in series) - sum(len(one["values"]) for one in kept)
    return [one for one in kept if one["values"]], n_left_out


def _get(request: Request, path: str, params: dict[str, str], most_bytes: int | None = None) -> bytes:
    entry = request.entry
    url, headers = f"{str(entry.prometheus).rstrip('/')}/api/v1/{path}", authorization(request.token, entry.token)
    return get(url, params, headers, entry.timeout, most_bytes or request.most_bytes, request.is_stopped)


def _data(got: bytes, kind: type) -> Any:
    try:
        answer = json.loads(got)
        if answer["status"] == "success" and isinstance(answer["data"], kind):
            return answer["data"]
    except (ValueError, KeyError, TypeError):
        pass
    text = single_line(got[:200].decode("utf-8", "replace"), 200)
    raise TapescopeError(
        f"this answer is not from Prometheus: {text}", "give only the part of the address before /api/v1"
    )


def _quoted(text: str) -> str:
    r"""A string of PromQL.

    >>> print(_quoted('a\\.b"'))
    "a\\.b\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
