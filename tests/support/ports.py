"""Ports of this machine for servers of tests, none of which is given out twice."""

import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

# Below those that systems take for connections that go out (from 32768), or one of these could take a port between
# the moment it was found free and the moment its server listens.
FIRST, LAST = 20_000, 32_000
_held: list[FileLock] = []


def free_port() -> int:
    """A port without a listener; until this process ends, no other process is given it here."""
    locks = Path(tempfile.gettempdir()) / f"tapescope-ports-{os.getuid()}"
    locks.mkdir(exist_ok=True)
    begin = os.getpid() * 7 % (LAST - FIRST)
    for step in range(LAST - FIRST):
        port = FIRST + (begin + step) % (LAST - FIRST)
        lock = FileLock(locks / str(port))
        with suppress(Timeout):
            lock.acquire(blocking=False)
            if not any(lock.lock_file == held.lock_file for held in _held) and _is_free(port):
                _held.append(lock)
                return port
            lock.release()
    raise AssertionError(f"no port is free between {FIRST} and {LAST}")


def _is_free(port: int) -> bool:
    try:
        with socket.create_server(("", port)):
            return True
    except OSError:
        return False
