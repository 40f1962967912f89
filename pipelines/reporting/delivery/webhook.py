"""JSON to a program on the web: tried again where it was surely not taken, never sent on to another address."""

import json
import logging
from collections.abc import Mapping
from typing import Any

import requests
from urllib3.util import Retry

from pipelines.primitives.deadline import in_time
from pipelines.primitives.web import authorization, session
from pipelines.reporting.delivery.credentials import secret

TIMEOUT_S = 30  # for a connection, and for each read
_REPLY_BYTES = 2**16
# No connection, or the server says that it is busy. After silence or an error of its own it may have taken the JSON:
# a chat would show the night twice. How long to wait is not for the server to say: it may say a day.
_RETRY = Retry(
    total=3,
    read=0,
    backoff_factor=0.5,
    status_forcelist=(429, 503),
    allowed_methods=None,
    raise_on_status=False,
    respect_retry_after_header=False,
)
# It logs the path of each request that it tries again: of a chat's webhook that is the key to it.
logging.getLogger("urllib3.connectionpool").addFilter(lambda record: False)


def post(url: str, content: Any, secrets: Mapping[str, str], token_name: str) -> str:
    """Post JSON; returns the address.

    Raises requests.RequestException, also for an answer that is not 2xx or says that it failed; ConfigError for a token
    that no header can hold; TimeoutError.
    """
    headers = authorization(secret(secrets, token_name), token_name)
    return in_time(lambda: _post(url, content, headers))


def _post(url: str, content: Any, headers: Mapping[str, str]) -> str:
    with (
        session(_RETRY) as web,
        web.post(url, json=content, headers=headers, timeout=TIMEOUT_S, allow_redirects=False, stream=True) as answer,
    ):
        if not answer.ok or answer.is_redirect:
            raise requests.HTTPError(f"{url} answered {answer.status_code} {answer.reason}", response=answer)
        if _is_refused(_beginning(answer)):
            raise requests.HTTPError(f"{url} answered {answer.status_code} with `ok: false`", response=answer)
    return url


def _beginning(answer: requests.Response) -> bytes:
    """The first bytes of an answer; what fails on the way is a requests.RequestException."""
    found = b""
    for part in answer.iter_content(_REPLY_BYTES):
        found += part
        if len(found) >= _REPLY_BYTES:
            break
    return found


def _is_refused(answer: bytes) -> bool:
    """Whether the answer's JSON says so, as that of chats does with the status 200."""
    try:
        reply = json.loads(answer)
    except ValueError:
        return False
    return isinstance(reply, dict) and reply.get("ok") is False
