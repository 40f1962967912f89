"""Lines of the Enstore log that have nothing to do with drives: they show that the log itself never slept."""

from random import Random

from sample_data.enstore import LogBook, head
from sample_data.facts import fqdn, us
from sample_data.story import DAY_FROM, DAY_TO, HOUR, SECOND

_SPEAKERS = (
    ("stkensrv0", 11801, "FILSRV", "Number of open file clerk requests {n}"),
    ("stkensrv0", 11802, "VOLSRV", "checked quota of {n} storage groups"),
    ("stkensrv1", 11810, "INQSRV", "updated server status page in {n} steps"),
    ("stkensrv1", 11811, "EVRLY", "MSG_TYPE=EVENT_RELAY  forwarded {n} alive messages"),
    ("stkensrv1", 11812, "ACCSRV", "wrote {n} rows to accounting"),
    ("stkensrv2", 12001, "LTO4LM", "Library manager state is changed to:unlocked"),
    ("stkensrv1", 11813, "ALMSRV", "no alarms of the last {n} minutes raised again"),
)
_STEP_S = (20, 38)


def write_chatter(book: LogBook, seed: int) -> None:
    """A few lines of yesterday that came late, a heartbeat all day, repeats, and one server's traceback."""
    rng = Random(f"{seed} chatter")
    at = DAY_FROM - 4 * SECOND
    is_repeat = False
    while at < DAY_TO:
        # A repeat counts what came since the last line, so another line of the same instant follows it.
        if is_repeat:
            book.add(at, f"last message repeated {1 + rng.randrange(3)} times")
            is_repeat = False
        host, pid, name, message = _SPEAKERS[rng.randrange(len(_SPEAKERS))]
        book.add(at, head(fqdn(host), pid, "enstore", "I", name) + message.format(n=2 + rng.randrange(40)))
        is_repeat = rng.random() < 0.01
        at += SECOND * 3 // 2 if at < DAY_FROM else us(_STEP_S[0] + (_STEP_S[1] - _STEP_S[0]) * rng.random())
    _traceback(book, DAY_FROM + us(HOUR / SECOND * (2 + 20 * rng.random())))


def _traceback(book: LogBook, at: int) -> None:
    """Entries of a traceback end with a line break, so that the next line holds the thread alone."""
    sender = head(fqdn("stkensrv1"), 11810, "enstore", "E", "INQSRV")
    for entry in (
        "Traceback (most recent call last):\n",
        '  File "/opt/enstore/src/inquisitor.py", line 1211, in do_update\n    self.update(key)\n',
        "KeyError: 'LTO2_209.mover'\n",
    ):
        book.add(at, f"{sender}{entry} Thread MainThread")
