"""A limit of time for a complete exchange: those of sockets hold for one read, and a slow server can make many."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

LIMIT_S = 180.0  # three exchanges in turn end before another process gives up its wait for them
Result = TypeVar("Result")


def in_time(exchange: Callable[[], Result], limit_s: float | None = None) -> Result:
    """What `exchange` returns. Raises what it raises, and TimeoutError after `limit_s` (LIMIT_S); it then runs on.

    >>> in_time(lambda: 1)
    1
    """
    limit_s = LIMIT_S if limit_s is None else limit_s
    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(exchange())
        except BaseException as error:
            result.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return result.result(limit_s)
    except TimeoutError:
        if result.done():  # its own
            raise
        raise TimeoutError(f"the exchange was not complete after {limit_s:g} s") from None
