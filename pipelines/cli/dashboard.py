"""The command that starts the dashboard: its host names, its access and its options."""

import errno
import os
import socket
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import site_option
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.local import is_loopback

# Streamlit as its own command starts it; stopped before it listens it ends without a traceback, as it does later.
_SERVE = """
import runpy, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
sys.argv[0] = "streamlit"
runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
"""


@click.command()
@site_option
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port to listen on.")
@click.option(
    "--address",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any address except loopback makes the pages reachable from other machines.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    help="Host name under which browsers open the pages, such as that of a proxy; can be given several times.",
)
def dashboard(site_path: Path, port: int, address: str, hosts: tuple[str, ...]) -> None:
    """Start the dashboard on this machine. It needs the packages of tapescope's extra `dashboard`."""
    from pipelines.config.site import site_file

    # a folder without a site.toml is a first visit: the pages offer to make one
    is_new = site_path.is_dir() and not site_file(site_path).exists()
    root = site_path.resolve() if is_new else steps.site_at(site_path).root
    _refuse_used_port(address, port)
    page = Path(__file__).resolve().parents[2] / "dashboards" / "server.py"
    secrets = root / "secrets.toml"
    os.environ["TAPESCOPE_SITE"] = str(root)
    os.environ["TAPESCOPE_DASHBOARD_ADDRESS"] = address
    os.environ["TAPESCOPE_DASHBOARD_HOSTS"] = " ".join(_served_as(address, hosts, secrets))
    if warning := _opened_to(address, secrets.exists()):
        click.echo(f"tapescope: warning: {warning}", err=True)
    options = {
        **_shipped_options(page.parent / ".streamlit" / "config.toml"),
        **{"server.address": address, "server.port": port},
        # Given, or Streamlit asks a server elsewhere for this machine's address when it listens on all of them.
        "browser.serverAddress": "localhost" if address in ("0.0.0.0", "::") else address,
    }
    if secrets.exists():
        options["secrets.files"] = secrets
    flags = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    os.execv(sys.executable, [sys.executable, "-c", _SERVE, "run", str(page), *flags])


def _refuse_used_port(address: str, port: int) -> None:
    """Raise TapescopeError if another program listens there; Streamlit would end without a next step."""
    try:
        socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise TapescopeError(
                f"port {port} of {address} is in use by another program, such as another dashboard",
                f"stop that program, or choose another port: `tapescope dashboard --port {port + 1}`",
            ) from error


def _served_as(address: str, hosts: tuple[str, ...], secrets: Path) -> list[str]:
    """Host names under which browsers may open the pages: given names, the login's redirect, this machine."""
    own = [] if is_loopback(address) else [address, socket.gethostname(), socket.getfqdn()]
    try:
        redirect = tomllib.loads(secrets.read_text(encoding="utf-8"))["auth"]["redirect_uri"]
        own.append(urlsplit(str(redirect)).hostname or "")
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no login, or a file that the pages themselves refuse
    return sorted({name.lower() for name in (*hosts, *own) if name})


def _shipped_options(file: Path) -> dict[str, Any]:
    """The options of the pages' config.toml as flags for Streamlit. They apply in every working folder.

    Without these flags, Streamlit prefers the config files of the working folder and of the user.
    """
    return dict(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))


def _flat(options: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names of options with their values; booleans are written as in flags.

    >>> dict(_flat({"theme": {"font": "serif", "light": {"x": 1}}, "on": True}))
    {'theme.font': 'serif', 'theme.light.x': 1, 'on': 'true'}
    """
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value).lower() if isinstance(value, bool) else value


def _opened_to(address: str, has_login: bool) -> str:
    """A warning about who can open the pages at this address; empty for loopback."""
    if is_loopback(address):
        return ""
    who = "everyone who logs in" if has_login else "ANYBODY who can reach this machine, without a login"
    return (
        f"the pages on {address} are open to {who}, and the connection is not encrypted: put a server with TLS in front"
        " of them, and make sure that secrets.toml next to site.toml has [auth] (docs/guides/pages.md)"
    )
