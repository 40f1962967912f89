"""Who may see the pages: whoever reaches them, or, where secrets.toml has [auth], whom an OIDC provider lets in.

`[access] allow` in the same file narrows that down: addresses, or `*@example.org` for all of a domain. The provider
must vouch for an address; `trust_unverified = true` next to it is for providers that never say whether they do.
"""

from fnmatch import fnmatchcase
from typing import Any

import streamlit as st

from dashboards import data


def require_login(site_path: Any) -> None:
    """End the page's run for whom it is not for: nothing has been asked of the warehouse by then."""
    has_secrets = st.secrets.load_if_toml_exists()
    if not (has_secrets and "auth" in st.secrets):
        if _wants_login(site_path):
            # somebody meant to close the pages: a file that cannot be read, or was not passed on, must not open them
            st.error("secrets.toml lies beside site.toml, and no [auth] was read from it.")
            st.text("Start the pages with `tapescope dashboard`, and mend secrets.toml.")
            st.stop()
        return
    if not st.user.get("is_logged_in", False):
        st.title("tapescope", anchor=False)
        st.text("These pages are for those who log in.")
        st.button("Log in", type="primary", on_click=st.login)
        st.stop()
    access = st.secrets.get("access", {})
    allowed = list(access.get("allow", []))
    if allowed and not is_allowed(dict(st.user), allowed, access.get("trust_unverified") is True):
        st.title("tapescope", anchor=False)
        st.text(f"These pages are not for {st.user.get('email', 'somebody without an address')}.")
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


def _wants_login(site_path: Any) -> bool:
    try:
        with data.refusing():
            return (data.site(site_path).root / "secrets.toml").exists()
    except data.NoAnswer:
        return False  # no site yet: there is nothing to be seen either
