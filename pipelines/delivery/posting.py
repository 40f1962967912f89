"""JSON to a program on the web: tried again where the server is busy, never sent on to another address."""

from collections.abc import Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pipelines.delivery.secret import secret

TIMEOUT_S = 30
_RETRY = Retry(
    total=3, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504), allowed_methods=None, raise_on_status=False
)


def post(url: str, content: Any, secrets: Mapping[str, str], token_name: str) -> str:
    """Post JSON; returns the address. Raises requests.RequestException, also for an answer that is not 2xx."""
    token = secret(secrets, token_name)
    with requests.Session() as session:
        session.trust_env = False  # no netrc: what goes out is what site.toml and the secrets say
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=_RETRY))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = session.post(url, json=content, headers=headers, timeout=TIMEOUT_S, allow_redirects=False)
    if not answer.ok or answer.is_redirect:
        raise requests.HTTPError(f"{url} answered {answer.status_code} {answer.reason}", response=answer)
    return url
