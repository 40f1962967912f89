"""One line of a timed run: its kind and its figures."""

import re
from typing import Any, NamedTuple

# No two neighbouring repeats may share a character: a long line would then cost the square of its length.
_NUMBER = r"\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
_GAP = r"[\s\u00a0\u202f]"
_PROMPT = re.compile(
    r"(?:\+\s|(?:\[[^\]]+\]|\([^)]+\)\s*\S*|[\w.-]+@[\w.-]\S*(?:\s\S+)?|[\w.-]*[\w.])?[$#%>]\s)\s*(\S.*)"
)
_BARE_COMMAND = re.compile(r"(?:\S*/)?(?:timex|time)\s+(?!\d|-)?\S.*|(?:\S*/)?dd\s+(?:\S+\s+)*(?:if|of|bs)=\S.*")
_DATE = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d\d?) (\d\d:\d\d:\d\d) (?:([A-Z]{1,5}|[-+]\d{2,4}) )?(\d{4})")
_BLOCKS = re.compile(rf"[^\x00-\x7f]*([0-9]+)\+([0-9]+){_GAP}*([^\d\s+.].*)")
_TRUNCATED = re.compile(r"(\d+) truncated (?:records?|blocks?)")
_GNU = re.compile(
    rf"(\d+){_GAP}*[^\d\s(（,][^(（,，、\d]*+(?:[(（][^)）]*[)）])?[^\d)）]*?[,，、]{_GAP}*({_NUMBER}){_GAP}*"
    rf"(?:s|seconds?|Sek\.?)[,，、]{_GAP}*\S.*/s"
)
_BSD = re.compile(rf"(\d+) bytes transferred in ({_NUMBER}) secs? \([^)]*\)")
_TRIPLE = re.compile(r"(real|user|sys)\s+(\S+)")
_ONE_LINE = {
    "gnu time": re.compile(r"(?P<user>\S+?)user (?P<sys>\S+?)system (?P<real>\S+?)elapsed \S+CPU.*"),
    "bsd time": re.compile(r"(?P<real>\S+) real\s+(?P<user>\S+) user\s+(?P<sys>\S+) sys(?:tem)?"),
    "zsh": re.compile(r"(?P<cmd>.*?)\s{2}(?P<user>\S+)s user (?P<sys>\S+)s system \S+ cpu (?P<real>\S+) total"),
    "csh": re.compile(r"(?P<user>\S+)u (?P<sys>\S+)s (?P<real>\d*:\S+) \S+%\s+\d+\+\d+k \d+\+\d+io \d+pf\+\d+w"),
}
_VERBOSE = re.compile(
    r"(Command being timed|User time \(seconds\)|System time \(seconds\)|Percent of CPU this job got"
    r"|Elapsed \(wall clock\) time \(h:mm:ss or m:ss\)|(?:Average|Maximum) [a-z ]+ size \(kbytes\)"
    r"|(?:Major|Minor) \([a-zA-Z/ ]+\) page faults|(?:Voluntary|Involuntary) context switches|Swaps"
    r"|File system (?:inputs|outputs)|Socket messages (?:sent|received)|Signals delivered|Page size \(bytes\)"
    r"|Exit status): (.*)"
)
_EXTRA = re.compile(
    r"\d+inputs\+\d+outputs \(\d+major\+\d+minor\)pagefaults \d+swaps"
    r"|\d+  (?:(?:maximum|average) [a-z ]+ size|page (?:reclaims|faults)|swaps|block (?:input|output) operations"
    r"|messages (?:sent|received)|signals received|(?:in)?voluntary context switches|instructions retired"
    r"|cycles elapsed|peak memory footprint)"
)
_FAILED = re.compile(r"Command exited with non-zero status (\d+)")
_KILLED = re.compile(r"Command (?:terminated by signal|stopped by signal) (\d+)|time: command terminated abnormally")
_ERROR = re.compile(r"(?:\S*/)?(?:dd|cp|cat|time|timex): \S.*")
_SECONDS = re.compile(r"(?:(\d+)h)?(\d+)m(\d+(?:[.,]\d*)?)s?|(?:(?:(\d+):)?(\d+):)?(\d*(?:[.,]\d*)?)s?")


_LONGEST = 18  # digits of a number that a tool prints


class ReadLine(NamedTuple):
    """One line: its kind, and its values by name."""

    kind: str
    what: dict[str, Any] = {}  # noqa: RUF012 -- never written to


BLANK, JUNK = ReadLine("blank"), ReadLine("junk")


def seconds(text: str) -> float | None:
    """Seconds of any clock reading these tools print; None for other text.

    >>> seconds("0m1.052s"), seconds("0m0,102s"), seconds("1:02:03"), seconds("0:05.23"), seconds("5.23")
    (1.052, 0.102, 3723.0, 5.23, 5.23)
    >>> seconds("90m00.5s"), seconds("?"), seconds("1h1m1s")
    (5400.5, None, 3661.0)
    """
    found = _SECONDS.fullmatch(text)
    if not found or not re.search(r"\d", text):
        return None
    parts = found.groups()[:3] if found[3] else found.groups()[3:]
    if any(len(part or "") > _LONGEST for part in parts):
        return None
    hours, minutes, rest = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + number(rest or "0")


def number(text: str) -> float:
    """A number with a decimal point or comma."""
    return float(text.replace(",", ".") if text not in (".", ",") else "0")


def read_line(line: str) -> ReadLine:
    """The kind of a line and its figures; of text written over itself with CR only the last copy counts."""
    parts = [part.strip() for part in line.split("\r") if part.strip()]
    if not parts:
        return BLANK
    text = parts[-1]
    return _read_dd(text, is_overwritten=len(parts) > 1 or "\r" in line) or _read_time(text) or _read_shell(text)


def _read_dd(text: str, is_overwritten: bool) -> ReadLine | None:
    if found := _BLOCKS.fullmatch(text):
        full, partial, words = found.groups()
        kind = "in" if words == "records in" else "out" if words == "records out" else "blocks"
        return _counted(kind, full=full, partial=partial)
    if found := _TRUNCATED.fullmatch(text):
        return _counted("truncated", n=found[1])
    if found := _GNU.fullmatch(text) or _BSD.fullmatch(text):
        summary = _counted("summary", bytes=found[1])
        # a progress line has whole seconds, and is written over
        summary.what.update(
            seconds=number(found[2]), is_progress=is_overwritten, is_whole=found[2].isdigit(), digits=found[2]
        )
        return summary
    return None


def _counted(kind: str, **counts: str) -> ReadLine:
    """Counts as numbers; what no file can hold is no count."""
    numbers = {name: int(text) if len(text) <= _LONGEST else None for name, text in counts.items()}
    return JUNK if None in numbers.values() else ReadLine(kind, dict(numbers))


def _read_time(text: str) -> ReadLine | None:
    if found := _TRIPLE.fullmatch(text):
        spent = seconds(found[2])
        if spent is None:
            return ReadLine("bad_number")
        return ReadLine(found[1], {"seconds": spent, "is_timex": re.fullmatch(r"\d+:\d.*", found[2]) is not None})
    for tool, pattern in _ONE_LINE.items():
        if found := pattern.fullmatch(text):
            spents = {name: seconds(found[name]) for name in ("real", "user", "sys")}
            if None in spents.values():
                return ReadLine("bad_number")
            command = found.groupdict().get("cmd")
            return ReadLine("whole", {**spents, "tool": tool, "command": command})
    if found := _VERBOSE.fullmatch(text):
        return _read_verbose(*found.groups())
    if found := _FAILED.fullmatch(text):
        return _counted("failed", status=found[1]) if len(found[1]) < 10 else JUNK
    if _KILLED.fullmatch(text):
        return ReadLine("killed", {"text": text})
    return ReadLine("extra") if _EXTRA.fullmatch(text) else None


_LABELS = {"User": "user", "System": "sys", "Elapsed": "real"}


def _read_verbose(label: str, value: str) -> ReadLine:
    """A line of `time -v`."""
    if label == "Command being timed":
        return ReadLine("timed", {"command": value.strip('"')})
    if label == "Exit status":
        return ReadLine("status", {"status": int(value)}) if re.fullmatch(r"\d{1,9}", value) else ReadLine("bad_number")
    name = _LABELS.get(label.split(" ")[0])
    if name is None:
        return ReadLine("detail")
    spent = seconds(value)
    return ReadLine("bad_number") if spent is None else ReadLine("verbose", {"name": name, "seconds": spent})


def _read_shell(text: str) -> ReadLine:
    if found := _DATE.fullmatch(text):
        month, day, time, word, year = found.groups()
        return ReadLine("date", {"local": f"{year} {month} {int(day):02d} {time}", "word": word or ""})
    if text.startswith("#") and not _BARE_COMMAND.fullmatch(text.lstrip("# ")):
        return ReadLine("comment")  # no prompt of root
    if found := _PROMPT.fullmatch(text):
        return ReadLine("command", {"command": found[1]})
    if _ERROR.fullmatch(text):
        return ReadLine("error", {"text": text})
    if _BARE_COMMAND.fullmatch(text):
        return ReadLine("command", {"command": text})
    return JUNK
