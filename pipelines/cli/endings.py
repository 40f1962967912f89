"""How a command ends, also after Ctrl-C or SIGTERM: with an exit code and, after a failure, a message and a hint."""

import io
import os
import signal
import sys
import traceback

import click

from pipelines.cli.suggested import runnable, say
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.failures import summarize_failure

TRACEBACK = "TAPESCOPE_TRACEBACK"


class Stopped(BaseException):
    """Raised when a signal ends the command. Not a KeyboardInterrupt, because Click would print a line of its own."""


def run(command: click.Command) -> None:
    """Run a command line and exit. After a failure or a signal, uncommitted work is rolled back first."""
    received = _stopped_by_signals()
    _escape_foreign_characters()
    try:
        sys.exit(command.main(standalone_mode=False) or 0)
    except click.ClickException as error:
        text = error.format_message()
        copied = runnable(text)
        (error if copied == text else click.UsageError(copied, getattr(error, "ctx", None))).show()
        sys.exit(error.exit_code)
    except (Stopped, KeyboardInterrupt, Exception) as error:  # a library may make an error of its own of it
        if received or not isinstance(error, Exception) or isinstance(error, click.Abort):
            click.echo("tapescope: stopped; uncommitted work was rolled back", err=True)
            sys.exit(128 + (received[0] if received else signal.SIGINT))
        assert isinstance(error, Exception)
        sys.exit(_complain(error))


def _escape_foreign_characters() -> None:
    """Print characters that the terminal cannot encode, such as a dash, as escapes instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() not in ("utf-8", "utf8"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _stopped_by_signals() -> list[int]:
    """Let Ctrl-C and SIGTERM roll back uncommitted work and end the command; a second signal ends it at once.

    Returns a list that will hold the signal.
    """
    received: list[int] = []

    def stop(number: int, _: object) -> None:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)
        raise Stopped

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # such as in the background of a shell
            signal.signal(number, stop)
    return received


def _is_utf8(words: list[str]) -> bool:
    """Return true if the words of the command line are UTF-8; Python keeps other bytes as surrogates."""
    return not any("\ud800" <= char <= "\udfff" for word in words for char in word)


def _complain(error: Exception) -> int:
    """Print the error and, on a line of its own, a hint; returns the exit code."""
    from pipelines.primitives.store_errors import known_error

    own = error if isinstance(error, TapescopeError) else known_error(error)
    if own is None and isinstance(error, UnicodeEncodeError) and not _is_utf8(sys.argv):
        own = TapescopeError("a word of the command line is not UTF-8", "write it in UTF-8, or without accents")
    if own is None and isinstance(error, OSError):
        own = TapescopeError(f"{error.filename or ''} {error.strerror or error}".strip())
    if own is None:
        if os.environ.get(TRACEBACK):
            traceback.print_exception(error)
        own = TapescopeError(
            summarize_failure("the command", error),
            f"this is a bug in tapescope: set {TRACEBACK}=1 and run the command again to see the traceback",
        )
    for number, line in enumerate([*str(own).splitlines(), *getattr(error, "__notes__", ())]):
        say(f"{'' if number else 'tapescope: '}{line}", to_stderr=True)
    if own.hint:
        say(f"  hint: {own.hint}", to_stderr=True)
    return own.exit_code
