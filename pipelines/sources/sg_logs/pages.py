"""Log pages of SCSI tape drives, line by line: which page a title begins, and what a line of it counts."""

import re

from pipelines.sources._shared.tape_alerts import PREFIX
from pipelines.sources.protocol import Carry

_PAGES = {
    "write error counter": "write",
    "read error counter": "read",
    "sequential access device": "access",
    "dt device status": "status",
    "device statistics": "device",
    "tape diagnostic data": "diagnostic",
    "tape diagnostics data": "diagnostic",
    "volume statistics": "volume",
    "tape alert": "alert",
    "tapealert": "alert",
}
PAGE = re.compile(
    r"^ {0,4}([A-Za-z][\w ()/,.-]*?) pages?\b[^:=]*:?\s*$|^ {0,4}(?:Unable to decode|No ascii information for) page"
)
_PAIR = re.compile(r"^( *)(\S.*?)\s*[:=]\s*(.*?)\s*$")
_NUMBER = re.compile(r"(0x[0-9a-fA-F]{1,12}|-?\d{1,18})(?: ?(GB|MB|ms|C|\[[^\]]*\]))?")
_FLAG = re.compile(r"\b(MPRSNT|MOUNTED|CRQST|CRQRD|WRTP)=([01])\b")
_ERRORS = {
    "errors corrected without substantial delay": "mount{}ErrorsCorrectedWithoutDelay",
    "errors corrected with possible delays": "mount{}ErrorsCorrectedWithDelay",
    "total rewrites or rereads": "mountTotal{}Retries",
    "total errors corrected": "mountTotalCorrected{}Errors",
    "total times correction algorithm processed": "mountTotal{}CorrectionRuns",
    "total bytes processed": "mountTotal{}BytesProcessed",
    "total uncorrected errors": "mountTotalUncorrected{}Errors",
}
_FLAGS = {
    "MPRSNT": "statusMediumPresent",
    "MOUNTED": "statusMounted",
    "CRQST": "statusCleaningRequested",
    "CRQRD": "statusCleaningRequired",
    "WRTP": "statusWriteProtected",
}
_NO_COUNTERS = {"Volume license code", "Page valid", "Drive manufacturer's serial number", "Drive serial number"}
_DIAGNOSTICS = {"sense key", "additional sense code", "additional sense code qualifier", "lifetime media motion hours"}
LONGEST = 500  # characters; no line of sg_logs has half of them, and patterns take the square of a line's length
Counter = tuple[str, str, float | None]  # scope, name, value
BROKEN: Counter = ("", "", None)
_FACTORS = {"GB": 10**9, "MB": 10**6}
_UNKNOWN = {"4294967295 MB"}  # what a drive gives that does not know a capacity


def page_of(line: str) -> str | None:
    """What page of ours a line begins.

    >>> page_of("Write error counter page  [0x2]"), page_of("  Volume statistics page (ssc-4), subpage=0")
    ('write', 'volume')
    >>> page_of("  Data compression page  (ssc-4) [0x1b]"), page_of("  Write protect: 0")
    (None, None)
    """
    if len(line) > LONGEST:
        return None
    if not PAGE.match(line) and not line.lstrip().lower().startswith("volume statistics page"):
        return None
    title = " ".join(re.split(r" pages?\b", line.strip().lower())[0].split())
    return _PAGES.get(title)


def counters(text: str, state: Carry) -> list[Counter] | None:
    """What a line counts; None where its number cannot be read. The state moves on."""
    if state["page"] == "status":
        return [("drive", _FLAGS[flag], float(value)) for flag, value in _FLAG.findall(text)]
    one = _counter(text, state)
    return None if one is BROKEN else [one] if one else []


def _counter(text: str, state: Carry) -> Counter | None:
    page = state["page"]
    if page == "access" and text.strip().startswith("Cleaning action"):
        return "drive", "accessCleaningRequired", float("not required" not in text)
    pair = _PAIR.match(text)
    if page is None or pair is None:
        return None
    indent, label, value = len(pair[1]), pair[2], pair[3]
    number = _NUMBER.fullmatch(value)
    if page in ("write", "read"):
        name = _ERRORS.get(label.lower())
        if name is None:
            return None
        return ("mount", name.format(page.title()), _value(number)) if number else BROKEN
    if page == "alert":
        is_set = value not in ("0", "") and not label.lower().startswith(("obsolete", "reserved"))
        return ("mount", PREFIX + label[:60], 1.0) if is_set else None
    if page == "diagnostic":
        return _diagnostic(label, number, state)
    if page == "volume" and label in ("Volume barcode", "Volume serial number") and value:
        state["volume"] = value if label == "Volume barcode" or state["volume"] is None else state["volume"]
        return "volume", _camel(label), None
    if page == "device" and label == "Drive serial number" and value != "0":
        state["serial"] = value
        return "drive", "driveSerialNumber", None
    # of what is set in deeper, the name alone does not say of which medium or partition it is
    if number is None or indent > 2 or label in _NO_COUNTERS or number[0] in _UNKNOWN:
        return None
    return (*_named(page, label), _value(number))


def _diagnostic(label: str, number: re.Match[str] | None, state: Carry) -> Counter | None:
    if number is None:
        return None
    if label == "Parameter code":
        state["code"] = number[1]
        return None
    if label.lower() not in _DIAGNOSTICS or state["code"] is None:
        return None
    return "drive", f"diagnostic{state['code']}{_title(label).removeprefix('Lifetime')}", _value(number)


def _named(page: str, label: str) -> tuple[str, str]:
    """Scope and name of a counter by the words of its line.

    >>> _named("volume", "Last mount megabytes written"), _named("volume", "Total write retries")
    (('mount', 'mountMegabytesWritten'), ('volume', 'lifetimeVolumeWriteRetries'))
    >>> _named("device", "Lifetime media loads")
    ('drive', 'lifetimeDriveMediaLoads')
    """
    if page == "access":
        return "mount", "mount" + _title(label)
    if page == "device":
        return "drive", "lifetimeDrive" + _title(re.sub("^Lifetime ", "", label))
    if found := re.match(r"Last (?:mount|load) (.*)", label):
        return "mount", "mount" + _title(found[1])
    return "volume", "lifetimeVolume" + _title(re.sub("^(?:Total|Lifetime) ", "", label))


def _title(words: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", words))[:80]


def _camel(words: str) -> str:
    made = _title(words)
    return made[:1].lower() + made[1:]


def _value(number: re.Match[str] | None) -> float | None:
    if number is None:
        return None
    return float(int(number[1], 16 if number[1].startswith("0x") else 10) * _FACTORS.get(number[2] or "", 1))
