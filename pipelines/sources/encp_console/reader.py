"""Lines of encp's console output, one after the other, into rows."""

import math
import re
from typing import Any

import polars as pl

from pipelines.primitives.units import MIB
from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.enstore import ACCESS_KEYS
from pipelines.sources.protocol import Carry, Reject

TRANSFER, SUMMARY, ACCESS, STEP = TABLES = (
    "encp_console_transfer",
    "encp_console_summary",
    "encp_console_access",
    "encp_console_step",
)
Record = dict[str, Any]

_F = r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
# Where two repeats could share characters one is atomic: a long line would cost the square of its length.
_HEAD = re.compile(r"Transfer (?>(.+?) -> )(.+?):(?=\s*$| \d+ bytes copied)(.*)$")
_COPIED = re.compile(rf"\s*(\d+) bytes copied (to|from) [^\w.:/-]*+([A-Za-z0-9_.:/-]++)\W* at {_F} +MB/S\s*$")
_RATE = re.compile(rf"\({_F} MB/S (\w+)\)")
_DRIVE = re.compile(r"\s*drive_id=(\S*) drive_sn=(\S*) drive_vendor=((?:.*\S)?)\s*$")
_MOVER = re.compile(rf"\s*mover=(\S*) media_changer=(\S*) +elapsed={_F}\s*$")
_TOTAL = re.compile(rf"(Completed|Error after) transferring (\d+) bytes in (\d+) files? in {_F} sec\.\s*$")
_TOTAL_RATE = re.compile(rf"\b(\w+) rate = {_F} MB/sec\.")
_EXIT = re.compile(r"Exit status = (-?\d+)")
_CUM = re.compile(rf"cum= *{_F}\s*$")
_TOOK = re.compile(rf"dt: {_F}(?: = {_F} MB/S)?$")
_QUEUED = re.compile(r"Q'd: (\S+) ")
_STEP_BYTES = re.compile(r"bytes: (\d+)")
_DONE = re.compile(r"(\S.*?) : (\d+) bytes copied (to|from) (\S+)\s*$")
_DONE_RATE = re.compile(rf"\s+in +{_F} seconds at {_F} MB/S\s+cum= *{_F}\s*$")
# Steps of `encp --list`; other lines that begin at the margin are not encp's.
_STEPS = (
    *("Checking ", "Storing local info", "Requesting callback ports", "Calling Config Server", "Sending ticket"),
    *("Waiting for", "Sending data", "Receiving data", "Adding ", "Submitting ", "Opening ", "Reading "),
)

_TYPES = schema_of(ACCESS)
_KEY = re.compile(rf"({'|'.join(ACCESS_KEYS)})=((?:.*\S)?)\s*$")
_COOKIE = re.compile(r"\d{4}_\d{9}_(\d{7})$")
_MODES = {"to": "write", "from": "read"}
_MOST_BYTES = 2**63 - 1


class Reader:
    """Rows by table, rejects, and what is open: the account of a file, the totals, a block of keys, a step."""

    def __init__(self, carry: Carry | None) -> None:
        self.open: dict[str, Record] = {name: dict(row) for name, row in (carry or {}).items()}
        self.rows: dict[str, list[Record]] = {table: [] for table in TABLES}
        self.rejects: list[Reject] = []
        self.n_used = 0

    def read(self, line_no: int, text: str) -> None:
        """One line: used, rejected, or left as not encp's."""
        for take in (self._transfer, self._summary, self._access, self._step):
            try:
                is_used = take(line_no, text)
            except ValueError as error:
                self.rejects.append((line_no, text, str(error)))
                return
            if is_used:
                self.n_used += 1
                return

    def _close(self, name: str) -> None:
        if name in self.open:
            self.rows[name].append(self.open.pop(name))

    # --- the account of one file ------------------------------------------------------------------------------

    def _transfer(self, line_no: int, text: str) -> bool:
        if head := _HEAD.match(text):
            self._close(TRANSFER)
            self.open[TRANSFER] = {"line_no": line_no, "source_path": head[1], "target_path": head[2]}
            if head[3].strip() and not self._copied(head[3]):
                del self.open[TRANSFER]
                raise ValueError("bad_syntax")
            return True
        if TRANSFER not in self.open or not text.strip():
            return False
        return self._copied(text) or self._rates(text) or self._drive(text)

    def _copied(self, text: str) -> bool:
        if (copied := _COPIED.match(text)) is None:
            return False
        self.open[TRANSFER] |= {
            "file_bytes": _whole(copied[1]),
            "mode": _MODES[copied[2]],
            "volume": copied[3],
            "transfer_bytes_s": _rate(copied[4]),
        }
        return True

    def _rates(self, text: str) -> bool:
        if not text.strip().startswith("(") or not (rates := _RATE.findall(text)):
            return False
        if len(rates) < text.count("MB/S"):
            raise ValueError("bad_number")
        self.open[TRANSFER] |= _known({name: _rate(rate) for rate, name in rates})
        return True

    def _drive(self, text: str) -> bool:
        if drive := _DRIVE.match(text):
            self.open[TRANSFER] |= {"drive_product": drive[1], "drive_serial": drive[2], "drive_vendor": drive[3]}
            return True
        if mover := _MOVER.match(text):
            self.open[TRANSFER] |= {"mover": mover[1], "media_changer": mover[2], "elapsed_s": _real(mover[3])}
            self._close(TRANSFER)
            return True
        return False

    # --- the totals of a command ------------------------------------------------------------------------------

    def _summary(self, line_no: int, text: str) -> bool:
        if total := _TOTAL.match(text):
            self._close(TRANSFER)
            self._close(SUMMARY)
            self.open[SUMMARY] = {
                "line_no": line_no,
                "is_complete": total[1] == "Completed",
                "bytes": _whole(total[2]),
                "n_files": _whole(total[3]),
                "elapsed_s": _real(total[4]),
            }
            return True
        rates, status = _TOTAL_RATE.findall(text), _EXIT.search(text)
        if SUMMARY not in self.open or not (rates or status):
            return False
        self.open[SUMMARY] |= _known({name.lower(): _rate(rate) for name, rate in rates})
        if status:
            self.open[SUMMARY]["exit_status"] = _whole(status[1])
            self._close(SUMMARY)
        return True

    # --- the data access layer --------------------------------------------------------------------------------

    def _access(self, line_no: int, text: str) -> bool:
        if (key := _KEY.match(text)) is None:
            return False
        if key[1] == "INFILE":
            self._close(TRANSFER)
            self.open[ACCESS] = {"line_no": line_no}
        elif ACCESS not in self.open:
            raise ValueError("no_header")
        name, block = ACCESS_KEYS[key[1]], self.open[ACCESS]
        if key[1] == "LOCATION":
            cookie = _COOKIE.match(key[2])
            block[name] = int(cookie[1]) if cookie else None
        else:
            block[name] = _value(key[2], _TYPES[name])
        # the layout without a location ends here
        if key[1] == "STATUS" or (key[1] == "TIME2NOW" and "file_number" not in block):
            self._close(ACCESS)
        return True

    # --- the steps of 1998 ------------------------------------------------------------------------------------

    def _step(self, line_no: int, text: str) -> bool:
        if done := _DONE.match(text):
            self.open[TRANSFER] = {
                "line_no": line_no,
                "target_path": done[1],
                "source_path": self.open.get(STEP, {}).get("source_path"),
                "file_bytes": _whole(done[2]),
                "mode": _MODES[done[3]],
                "volume": done[4],
            }
            return True
        if TRANSFER in self.open and (rate := _DONE_RATE.match(text)):
            self.open[TRANSFER] |= {"elapsed_s": _real(rate[1]), "overall_bytes_s": _rate(rate[2])}
            self._close(TRANSFER)
            self.open.pop(STEP, None)
            return True
        if text.startswith(_STEPS):
            cum = _CUM.search(text)
            before = self.open.get(STEP, {})
            self.open[STEP] = {
                "step": (text[: cum.start()] if cum else text).strip(),
                "begun_s": _real(cum[1]) if cum else None,
                "source_path": before.get("source_path"),
            }
            return True
        return "step" in self.open.get(STEP, {}) and self._step_end(line_no, text)

    def _step_end(self, line_no: int, text: str) -> bool:
        cum = _CUM.search(text)
        if cum is None or not text.startswith(" "):
            return False
        words = text[: cum.start()].strip()
        took = _TOOK.search(words)
        detail = words[: took.start()].strip() if took else words
        moved = _STEP_BYTES.search(detail)
        step = self.open[STEP]
        if queued := _QUEUED.match(detail):
            step["source_path"] = queued[1]
        self.rows[STEP].append(
            {
                "line_no": line_no,
                "step": step.pop("step"),
                "begun_s": step.pop("begun_s"),
                "detail": detail or None,
                "ended_s": _real(cum[1]),
                "duration_s": _real(took[1]) if took else None,
                "bytes": _whole(moved[1]) if moved else None,
                "rate_bytes_s": _rate(took[2]) if took and took[2] else None,
            }
        )
        return True


def _known(rates: dict[str, float]) -> Record:
    return {
        f"{name}_bytes_s": rate
        for name, rate in rates.items()
        if name in ("overall", "transfer", "network", "drive", "disk")
    }


def _value(text: str, kind: pl.DataType) -> Any:
    """A value of the data access layer; what a failed transfer left empty is not known."""
    if not text:
        return None
    return _whole(text) if kind.is_integer() else _real(text) if kind.is_float() else text


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,19}", text) or int(text) > _MOST_BYTES:
        raise ValueError("bad_number")
    return int(text)


def _real(text: str) -> float:
    if not re.fullmatch(_F, text) or not math.isfinite(value := float(text)):
        raise ValueError("bad_number")
    return value


def _rate(text: str) -> float:
    return _real(text) * MIB
