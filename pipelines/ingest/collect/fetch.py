"""One answer of a web server, within limits of time and size; no redirect is followed."""

from collections.abc import Callable, Mapping
from time import monotonic

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

from pipelines.primitives.deadline import in_time
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line
from pipelines.primitives.web import session

_PIECE = 2**16
_SHOWN = 200  # bytes of a refusal


class TooLarge(TapescopeError):
    """The answer is longer than it may be; how much longer is not known."""


def get(
    url: str,
    params: Mapping[str, str],
    headers: Mapping[str, str],
    timeout_s: float,
    most_bytes: int,
    is_stopped: Callable[[], bool],
) -> bytes:
    """The answer to a GET.

    Raises TooLarge as soon as it is longer than `most_bytes`; TapescopeError where it is late, no 200, or a redirect.
    """
    end = monotonic() + timeout_s
    try:
        with (
            session() as web,
            in_time(
                lambda: web.get(
                    url, params=params, headers=headers, timeout=timeout_s, allow_redirects=False, stream=True
                ),
                timeout_s,
            ) as got,
        ):
            content = _content(got, most_bytes if got.status_code == 200 else _SHOWN, end, timeout_s, is_stopped)
            if got.is_redirect:
                raise TapescopeError(
                    "the server redirects to another address, which tapescope does not follow",
                    "set `prometheus` of the entry to the other address",
                )
            if got.status_code != 200:
                raise TapescopeError(f"the server answered {got.status_code} {_text(content) or got.reason}".strip())
            return content
    except (requests.Timeout, ReadTimeoutError, TimeoutError):
        raise TapescopeError(f"the server gave no complete answer within {timeout_s:g} s") from None
    except (requests.RequestException, HTTPError) as error:
        raise TapescopeError(f"the request failed: {_cause(error)}") from None


def _content(
    got: requests.Response, most_bytes: int, end: float, timeout_s: float, is_stopped: Callable[[], bool]
) -> bytes:
    parts: list[bytes] = []
    n_bytes = 0
    while piece := got.raw.read1(_PIECE, decode_content=True):  # whatever has come: a slow server keeps nothing waiting
        n_bytes += len(piece)
        parts.append(piece)
        if n_bytes > most_bytes:
            if got.status_code != 200:
                break
            raise TooLarge(
                f"the server's answer is longer than {most_bytes / 2**20:.3g} MiB", "raise `max_mb` of the entry"
            )
        if monotonic() > end:
            raise TapescopeError(f"the server gave no complete answer within {timeout_s:g} s")
        if is_stopped():
            raise TapescopeError("stopped")
    return b"".join(parts)[:most_bytes]


def _text(content: bytes) -> str:
    return single_line(content.decode("utf-8", "replace"), _SHOWN)


def _cause(error: BaseException) -> str:
    """The system's own reason; the text around it repeats the address with all that was asked."""
    here: BaseException | None = error
    while here is not None:
        if isinstance(here, OSError) and here.strerror:
            return single_line(here.strerror, _SHOWN)
        here = here.__cause__ or here.__context__
    return type(error).__name__
