"""What every request over the web keeps to: nothing of the environment goes out, and no token is shown in an error."""

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pipelines.primitives.errors import ConfigError


def session(retry: Retry | None = None) -> requests.Session:
    """A session without netrc and proxies of the environment: what goes out is what site.toml and the secrets say."""
    made = requests.Session()
    made.trust_env = False
    for scheme in ("http://", "https://"):
        made.mount(scheme, HTTPAdapter(max_retries=retry or 0))
    return made


def authorization(token: str, name: str) -> dict[str, str]:
    """The header of a bearer token, if there is one. Raises ConfigError for one that no header can hold."""
    if not token.isascii() or not token.isprintable():  # requests would show all of it in its error
        raise ConfigError(
            f"{name} holds characters that an HTTP header cannot carry", "give the token on one line, in ASCII"
        )
    return {"Authorization": f"Bearer {token}"} if token else {}
