"""What is this machine's own: the name of who runs a process, and the addresses that only its own processes reach."""

import getpass
import ipaddress


def user_name() -> str | None:
    """Who runs this process; a process may have no name on its machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None


def is_loopback(address: str) -> bool:
    """Whether an address to listen on is reached from this machine alone.

    >>> [is_loopback(address) for address in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "tape.example.org", "")]
    [True, True, True, False, False, False]
    """
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
