"""One command, without a shell, within limits of time and output."""

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line

_PIECE = 2**16
_LOOK_S = 0.25  # so often a stop is noticed
_SHOWN = 200  # bytes of what it complains
_OURS = ("TAPESCOPE_", "AIRFLOW_", "AWS_", "PG")  # variables that hold secrets of ours


def run(
    arguments: Sequence[str],
    folder: Path,
    timeout_s: float,
    most_bytes: int,
    is_stopped: Callable[[], bool],
    may_cut: bool = False,
    nothing_codes: Sequence[int] = (),
) -> tuple[bytes, bool]:
    """What a command prints, and whether it was cut off at `most_bytes`, which ends it.

    It gets no input and none of our secrets. Where it ends with one of `nothing_codes`, it says that it has nothing to
    print, perhaps in words. Raises TapescopeError where it cannot be started, fails, takes too long
    or prints more than it may.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    try:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise TapescopeError(f"the command cannot be started: {getattr(error, 'strerror', '') or error}") from None
    with process:
        try:
            output, complaint, is_cut = _read(process, timeout_s, most_bytes, is_stopped)
        finally:
            _end(process)
    if is_cut and not may_cut:
        raise TapescopeError(
            f"the command prints more than {most_bytes / 2**20:.3g} MiB", "raise `max_mb` of the entry"
        )
    if process.returncode in nothing_codes:
        return b"", False
    if process.returncode and not is_cut:
        text = single_line((complaint or output[:_SHOWN]).decode("utf-8", "replace"), _SHOWN)
        raise TapescopeError(f"the command ended with exit code {process.returncode}" + (f": {text}" if text else ""))
    return output, is_cut


def _read(
    process: subprocess.Popen[bytes], timeout_s: float, most_bytes: int, is_stopped: Callable[[], bool]
) -> tuple[bytes, bytes, bool]:
    """Output, the beginning of what it complains, and whether there was more than `most_bytes` of output."""
    assert process.stdout and process.stderr
    end, output, complaint = monotonic() + timeout_s, bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, output)
        selector.register(process.stderr, selectors.EVENT_READ, complaint)
        while selector.get_map():
            for key, _ in selector.select(min(_LOOK_S, max(0.0, end - monotonic()))):
                data = os.read(key.fd, _PIECE)
                if not data:
                    selector.unregister(key.fileobj)
                key.data.extend(data)
            del complaint[_SHOWN:]
            if len(output) > most_bytes:
                return bytes(output[:most_bytes]), bytes(complaint), True
            _check(end, timeout_s, is_stopped)
    while True:
        try:
            process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            _check(end, timeout_s, is_stopped)
        else:
            return bytes(output), bytes(complaint), False


def _check(end: float, timeout_s: float, is_stopped: Callable[[], bool]) -> None:
    if monotonic() > end:
        raise TapescopeError(f"the command did not end within {timeout_s:g} s", "raise `timeout` of the entry")
    if is_stopped():
        raise TapescopeError("stopped")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command that still runs, and what it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
