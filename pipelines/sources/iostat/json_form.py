"""iostat -o JSON: one object a line, so that what is whole can be read of a file that was cut or is still growing.

    {
        "timestamp": "04/25/2010 08:00:01 AM",
        "avg-cpu":  {"user": 0.52, "nice": 0.00, "system": 3.11, "iowait": 8.02, "steal": 0.00, "idle": 88.35},
        "disk": [
            {"disk_device": "sdb", "r/s": 0.00, "w/s": 104.00, …, "util": 82.20}
        ]
    },

Each line is put as the text form has it, with the device's name last, since a name may hold blanks. Headers come from
the keys of each object.
"""

import re

import polars as pl

from pipelines.sources.iostat.events import BANNER, HEADER, JUNK, MORE, SKIP, STAMP
from pipelines.sources.protocol import Carry, Claim, Origin

_PAIR = re.compile(r'"([^"]+)": *(?:"([^"]*)"|(-?[\w.]+))')
_ONE = r'"[^"]+": *(?:"[^"]*"|-?[\w.]+)'
_OBJECT = re.compile(rf'(?:"avg-cpu": *)?\{{ *{_ONE}(?:, *{_ONE})* *\}},?')
_WITHOUT_PERCENT = {"user", "nice", "system", "iowait", "steal", "idle", "util", "rrqm", "wrqm", "drqm"}
_OTHERS = {"line_no": pl.Int64, "text": pl.String, "flat": pl.String, "kind": pl.String}


def recognise(flats: list[str]) -> Claim | None:
    """A claim if these lines are JSON of sysstat, None if they are not."""
    if not flats[0].startswith('{"sysstat"') and flats[:1] != ["{"]:
        return None
    text = "\n".join(flats)
    if '"sysstat"' not in text or not ('"avg-cpu"' in text or '"disk_device"' in text):
        return Claim(False, 0.2, "JSON, but not of iostat")
    if any(_OBJECT.fullmatch(flat) for flat in flats):
        return Claim(True, 1.0, "JSON of iostat")
    return Claim(False, 0.6, "JSON of iostat, but reformatted: iostat writes one object per line")


def is_json(origin: Origin, lines: pl.DataFrame, state: Carry) -> bool:
    """Does the file begin as JSON? Noted for its other chunks."""
    if state.get("is_json") is None:
        first = next((line for line in (*origin.head, *lines["text"].head(50)) if line.strip()), None)
        if first is None:
            return False
        state["is_json"] = first.lstrip().startswith("{")
    return bool(state["is_json"])


def part(lines: pl.DataFrame, state: Carry) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of numbers, and all other lines, in the words of the text form."""
    rows: list[tuple[int, str]] = []
    others: list[tuple[int, str, str, str]] = []
    for line_no, text in lines.select("line_no", "text").rows():
        flat = " ".join(text.split())
        kind, as_text, row = _read(flat, text, state)
        others += [(line_no, text, as_text, kind)] if kind else []
        rows += [(line_no, row)] if row else []
    return (
        pl.DataFrame(rows, schema=lines.schema, orient="row"),
        pl.DataFrame(others, schema=_OTHERS, orient="row"),
    )


def _read(flat: str, text: str, state: Carry) -> tuple[str, str, str]:
    """Kind of an event and its text, and the text of a row; '' where there is none."""
    if _OBJECT.fullmatch(flat):
        pairs = [(key, word or number) for key, word, number in _PAIR.findall(text)]
        return _read_object(pairs, state)
    if match := _PAIR.match(flat):
        return _read_pair(match[1], match[2] or match[3] or "", state)
    if flat.startswith('"disk": ['):
        state["awaits_disk"] = True
        return HEADER, "disk: tps Device", ""
    is_frame = re.fullmatch(r'(\{"sysstat": ?|"(sysstat|hosts|statistics)": ?)?[][{}, ]*', flat) is not None
    return (SKIP if is_frame else JUNK), flat, ""


def _read_pair(key: str, value: str, state: Carry) -> tuple[str, str, str]:
    if key == "timestamp":
        return STAMP, value, ""
    if key == "date":
        host = state.get("json_host") or {}
        cpus = f" ({host['number-of-cpus']} CPU)" if "number-of-cpus" in host else ""
        return BANNER, f"Linux {host.get('release', '-')} ({host.get('nodename', '')}) {value}{cpus}", ""
    state["json_host"] = {**({} if key == "nodename" else state.get("json_host") or {}), key: value.replace(" ", "_")}
    return SKIP, "", ""


def _read_object(pairs: list[tuple[str, str]], state: Carry) -> tuple[str, str, str]:
    names = " ".join(f"%{key}" if key in _WITHOUT_PERCENT else key for key, _ in pairs if key != "disk_device")
    numbers = " ".join(value for key, value in pairs if key != "disk_device")
    if pairs[0][0] != "disk_device":
        return HEADER, f"avg-cpu: {names}", numbers
    is_first, state["awaits_disk"] = bool(state.get("awaits_disk")), False
    return (MORE if is_first else ""), f"{names} Device" if is_first else "", f"{numbers} {pairs[0][1]}"
