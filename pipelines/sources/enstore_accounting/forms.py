"""Small forms besides the tables: rate files, volume and file records, file lists. All but the first by line."""

import re
from typing import Any

import polars as pl

from pipelines.sources._shared.enstore import printed_dict
from pipelines.sources._shared.stamps import MONTH_NUMBERS
from pipelines.sources.enstore_accounting.grid import CELLS, Section, Sheet, State
from pipelines.sources.enstore_accounting.tables import Header, find

RATE = r"^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d(?: +-?\d+){4}\s*$"
LISTED = r"^(\S{6,8})\s+(\S*\d{14,15})\s+(\d+)\s+(\d+_\d+_\d+)\s+(active|deleted|unknown)\s*(.*)$"
_RATE_NAMES = ("time", "read", "write", "read_null", "write_null")
_FILE_NAMES = ("bfid", "volume", "location_cookie", "size", "deleted", "drive", "pnfs_path", "pnfs_id", "label")
_MOST_CHARS = 64 * 2**10
_CTIME = r"\w{3} (\w{3}) +(\d+) (\d\d:\d\d:\d\d) (\d{4})"
_STATES = {"active": "n", "no": "n", "deleted": "y", "yes": "y", "unknown": "u"}
_VOLUME = {"external_label": "label", "blocksize": "block_size"} | {
    name: name
    for name in (
        *("capacity_bytes", "remaining_bytes", "eod_cookie", "library", "media_type", "wrapper", "write_protected"),
        *("sum_mounts", "sum_rd_access", "sum_rd_err", "sum_wr_access", "sum_wr_err"),
    )
}


def rates(lines: pl.DataFrame, state: State) -> Sheet:
    """`<host>.RATES.YYYYMMDD`: the rows of table rate with a local clock and no header."""
    sheet = Sheet()
    text = pl.col("text")
    rows = lines.filter(text.str.strip_chars() != "")
    sheet.n_skipped = lines.height - rows.height
    good = rows.filter(text.str.contains(RATE))
    sheet.reject_rows(rows.filter(~text.str.contains(RATE)), "bad_syntax")
    word = text.str.extract_all(r"\S+")
    stamp = text.str.replace(r"^(\d\d)-(\d\d)-(\d{4}) (\S+).*$", "$3-$1-$2 $4")
    cells = pl.concat_list(stamp, *(word.list.get(place, null_on_oob=True) for place in range(2, 6)))
    if good.height:
        sheet.sections.append(
            Section(Header(_RATE_NAMES, find("rate file"), ""), good.with_columns(cells=cells).cast(CELLS))
        )
    return sheet


def listed(lines: pl.DataFrame, state: State) -> Sheet:
    """A list of a volume's files: label, bfid, size, location, state, path."""
    sheet = Sheet()
    rows = []
    for line_no, text in lines.select("line_no", "text").iter_rows():
        if not text.strip() or text.startswith(("$ ", "label", " label")):
            sheet.n_skipped += 1
        elif found := re.match(LISTED, text):
            label, bfid, size, cookie, word, path = found.groups()
            rows.append((line_no, text, [bfid, "", cookie, size, _STATES[word], "", path, "", label]))
        else:
            sheet.reject(line_no, text, "bad_syntax")
    _add(sheet, _FILE_NAMES, "file record", rows)
    return sheet


def records(lines: pl.DataFrame, state: State) -> Sheet:
    """Volume and file records as Python prints a dictionary: from a brace to the brace that closes it."""
    sheet = Sheet()
    volumes: list[tuple[int, str, list[str]]] = []
    files: list[tuple[int, str, list[str]]] = []
    for line_no, text in lines.select("line_no", "text").iter_rows():
        is_open, broken = state.get("open"), None
        if text.startswith("{"):
            broken, is_open = is_open, {"line_no": line_no, "text": ""}
            state["open"] = is_open
        elif is_open is None:
            if text.strip() and not text.startswith("$ "):
                sheet.reject(line_no, text, "no_header")
            else:
                sheet.n_skipped += 1
            continue
        if broken is not None:
            sheet.reject(broken["line_no"], broken["text"], "bad_syntax")
        if len(is_open["text"]) < _MOST_CHARS:
            is_open["text"] += f"{text}\n"
        if text.rstrip().endswith("}"):
            state["open"] = None
            # a line is rejected once, be it the end of two records
            if not _take(is_open["line_no"], is_open["text"], volumes, files) and broken is None:
                sheet.reject(is_open["line_no"], is_open["text"], "bad_syntax")
    _add(sheet, tuple(_volume_cells({})), "volume", volumes)
    _add(sheet, _FILE_NAMES, "file record", files)
    return sheet


def _take(line_no: int, text: str, volumes: list[Any], files: list[Any]) -> bool:
    record = printed_dict(text) or {}
    if "bfid" in record and "location_cookie" in record:
        state = _STATES.get(str(record.get("deleted")), "")
        path = str(record.get("pnfs_name0") or "")
        cells = [record["bfid"], "", record["location_cookie"], record.get("size"), state, record.get("drive"), path]
        cells += [record.get("pnfsid"), record.get("external_label")]
        files.append((line_no, text, [_text(cell) for cell in cells]))
    elif "capacity_bytes" in record and "external_label" in record:
        volumes.append((line_no, text, list(_volume_cells(record).values())))
    else:
        return False
    return True


def _volume_cells(record: dict[str, Any]) -> dict[str, str]:
    """A volume's record in the words of table volume."""
    cells = {ours: _text(record.get(theirs)) for theirs, ours in _VOLUME.items()}
    cells |= {name: _ctime(record.get(name)) for name in ("declared", "first_access", "last_access")}
    for name in ("system_inhibit", "user_inhibit"):
        pair = record.get(name)
        both = list(pair)[:2] if isinstance(pair, list | tuple) and len(pair) >= 2 else [None, None]
        cells |= {f"{name}_{place}": _text(value) for place, value in enumerate(both)}
    family = _text(record.get("volume_family")).split(".")
    cells |= {"storage_group": family[0], "file_family": family[1] if len(family) > 1 else ""}
    return cells


def _ctime(value: Any) -> str:
    found = re.fullmatch(_CTIME, str(value))
    if not found or found[1] not in MONTH_NUMBERS:
        return ""
    return f"{found[4]}-{MONTH_NUMBERS[found[1]]:02d}-{int(found[2]):02d} {found[3]}"


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _add(sheet: Sheet, names: tuple[str, ...], table: str, rows: list[tuple[int, str, list[str]]]) -> None:
    if rows:
        sheet.sections.append(Section(Header(names, find(table), ""), pl.DataFrame(rows, schema=CELLS, orient="row")))
