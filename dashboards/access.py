"""Who may see the pages: whoever reaches them, or, where secrets.toml has [auth], whom an OIDC provider lets in.

`[access] allow` in the same file narrows that down: addresses, or `*@example.org` for all of a domain. The provider
must vouch for an address; `trust_unverified = true` next to it is for providers that never say whether they do.

Who may write (acknowledge, mute, reopen and comment on findings) is in `[access] write`, in the same form. Without a
login only this machine's own visitors may: the server listens on loopback alone and under no other name.
"""

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import streamlit as st

from dashboards import data
from dashboards.site import read_site
from pipelines.primitives.local import is_loopback, user_name


def require_login(site_path: Any) -> None:
    """End the page's run for whom it is not for: nothing has been asked of the warehouse by then."""
    has_secrets = st.secrets.load_if_toml_exists()
    if not (has_secrets and "auth" in st.secrets):
        if _wants_login(site_path):
            # the pages were to be closed: a file that cannot be read, or was not passed on, must not open them
            st.error("A secrets.toml is next to site.toml, but its section [auth] was not read.")
            st.markdown(
                "Check that secrets.toml has a readable section [auth]. Then stop the pages, and start them again with"
                " `tapescope dashboard`, which passes secrets.toml to them."
            )
            st.stop()
        return
    if not st.user.get("is_logged_in", False):
        st.title("tapescope", anchor=False)
        st.text("You must log in to see these pages.")
        st.button("Log in", type="primary", on_click=st.login)
        st.stop()
    access = st.secrets.get("access", {})
    allowed = list(access.get("allow", []))
    if allowed and not is_allowed(dict(st.user), allowed, access.get("trust_unverified") is True):
        st.title("tapescope", anchor=False)
        st.text(f"{st.user.get('email', 'A user without an address')} has no access to these pages.")
        st.button("Log out", on_click=st.logout)
        st.stop()


def is_allowed(user: dict[str, Any], allowed: list[str], trust_unverified: bool = False) -> bool:
    """Whether an address that the provider vouches for is one of those allowed; some send the claim as a text.

    >>> is_allowed({"email": "Ada@Example.org", "email_verified": True}, ["*@example.org"])
    True
    >>> is_allowed({"email": "ada@example.org"}, ["*@example.org"])
    False
    """
    address = str(user.get("email", "")).lower()
    claim = user.get("email_verified")
    is_verified = str(claim).lower() == "true" or (claim is None and trust_unverified)
    return bool(address) and is_verified and any(fnmatchcase(address, pattern.lower()) for pattern in allowed)


@dataclass(frozen=True)
class Writer:
    """Whether the visitor may write, as whom, and why or why not."""

    name: str
    may_write: bool
    why: str


def writer() -> Writer:
    """The visitor's right to write, by the server's own knowledge: ask it again when something is to be written."""
    secrets = st.secrets if st.secrets.load_if_toml_exists() else {}
    if "auth" not in secrets:
        if _is_local(
            os.environ.get("TAPESCOPE_DASHBOARD_ADDRESS", ""), os.environ.get("TAPESCOPE_DASHBOARD_HOSTS", "")
        ):
            return Writer(user_name() or "local", True, "Local mode: every user of this machine may mark findings.")
        return Writer(
            "",
            False,
            "These pages are open without a login, so no one may mark findings: see [access] in docs/guides/pages.md.",
        )
    name, access = str(st.user.get("email", "")), secrets.get("access", {})
    if is_allowed(dict(st.user), list(access.get("write", [])), access.get("trust_unverified") is True):
        return Writer(name, True, f"You are logged in as {name} and may mark findings.")
    return Writer(
        name,
        False,
        f"{name or 'You'} may not mark findings: `write` of [access] in secrets.toml names the users who may do so.",
    )


def _is_local(address: str, hosts: str) -> bool:
    """Whether a server can be reached from this machine alone: a name of its own may be that of a proxy.

    >>> _is_local("127.0.0.1", ""), _is_local("", ""), _is_local("0.0.0.0", ""), _is_local("::1", "tape.example.org")
    (True, False, False, False)
    """
    return is_loopback(address) and not hosts.split()


def _wants_login(site_path: Any) -> bool:
    try:
        with data.refusing():
            return (read_site(site_path).root / "secrets.toml").exists()
    except data.NoAnswer:
        return False  # no site yet: there is nothing to show either
