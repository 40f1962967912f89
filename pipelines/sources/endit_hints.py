"""Hint file of ENDIT: which volume holds which file, and in what order, according to TSM.

    {"0000D3C6…4CA1":{"volid":"A00017","order":12},"00004C9A…107D":{"volid":"724216","order":"00000000-00000002-…"}}
    {"0000D3C6…4CA1": {"volid": "A00017", "order": 12, "size": 1009722233}}
    0000D3C6…4CA1 A00017

One JSON object, all in one line, written by ENDIT's `tsm_getvolumecontent.pl` (from the server: real labels, and a
number that counts a volume's files) or `tsmtapehints.pl` (from the client: TSM's own number of the volume, and its
restore order); of version 1, a line a file. ENDIT's retriever needs it to read several volumes at once; here it is the
list of a volume's contents. Made from the programs' print statements, those of 2024 and before, and checked against one
file with sizes for ENDIT's retriever of 2026; no file of a production site was available.

The keys are in no order, so only `order` sorts the files. The file has no clock: it counts as of the time it was last
written. With many thousand files the one line is longer than a line may be: raise `line_kb` under [limits] in
site.toml, or break it, which is read as well: `sed 's/},/},\\n/g'`. A line cut in the middle refuses the file, because
half a list would be taken for all of it.
"""

from datetime import datetime

import polars as pl

from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "ENDIT tape hints"
VERSION = 1
TABLE = "endit_hint"
TABLES = (TABLE,)
SPEAKS_FOR = "pools"
IS_WHOLE = True

# no bounds on repetition: patterns with them are several times as slow, and a line has its limit
_FIELD = r'"[a-z_]+"\s*:\s*(?:"[^"\\{}]*"|\d+|null)'
_ENTRY = rf'"[^"\\{{}}]+"\s*:\s*\{{\s*{_FIELD}\s*(?:,\s*{_FIELD}\s*)*\}}'
_NAMED = r'^"(?:[^"]*/)?(?P<pnfsid>[^"/]+)"'
_VOLUME = r'"volid"\s*:\s*"?(?P<volume>[^"{},\s]+)'
_ORDER = r'"order"\s*:\s*"?(?P<place>[^"{},\s]+)'
_SIZE = r'"size"\s*:\s*"?(\d{1,18})\b'
_BETWEEN = r"^[\s,{}]*$"
_PAIR = r"^(?P<pnfsid>[0-9A-Fa-f]{24,40})\s+(?P<volume>[A-Za-z0-9._-]{1,128})\s*$"
_MOST_CHARS = 128
_UNKNOWN_AT = datetime(1970, 1, 1)


def recognise(head: list[str]) -> Claim:
    """An object of objects with `volid`; or nothing but pairs of a dCache id and a volume."""
    texts = filled(head)
    n_entries = int(texts.str.contains(_ENTRY).sum())
    if n_entries * 2 > len(texts) and texts.str.contains(r'"volid"').any():
        return Claim(True, 1.0, "entries with file, volid and order, as in ENDIT's hints")
    share = share_of(texts, _PAIR)
    if share >= 0.5:
        return Claim(True, share, f"{share:.0%} of the lines have a dCache id and a volume")
    return Claim(
        False,
        min(share, 0.5),
        'neither entries with "volid" and "order" nor lines with a dCache id and a volume',
    )


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Files and their volumes."""
    text = pl.col("text")
    rows = lines.with_columns(is_pair=text.str.contains(_PAIR), entries=text.str.extract_all(_ENTRY))
    is_empty = text.str.contains(_BETWEEN)
    is_whole = (pl.col("entries").list.len() > 0) & text.str.replace_all(_ENTRY, "").str.contains(_BETWEEN)
    rows = rows.with_columns(is_whole=is_whole, is_empty=is_empty)
    pairs = rows.filter("is_pair").drop("entries").with_columns(text.str.extract_groups(_PAIR).struct.unnest())
    entries = rows.filter(pl.col("is_whole") & ~pl.col("is_pair")).explode("entries")
    entries = entries.with_columns(
        pl.col("entries").str.extract(pattern).str.head(_MOST_CHARS).alias(name)
        for name, pattern in (("pnfsid", _NAMED), ("volume", _VOLUME), ("place", _ORDER), ("bytes", _SIZE))
    )
    found = pl.concat([pairs, entries], how="diagonal").filter(
        pl.col("pnfsid").is_not_null() & pl.col("volume").is_not_null()
    )
    is_good = pl.col("is_pair") | pl.col("is_whole")
    bad = rows.filter(~is_good & ~pl.col("is_empty")).with_columns(reason=pl.lit("bad_syntax"))
    made = found.sort("line_no", maintain_order=True).with_columns(
        system=pl.lit(origin.system or origin.host),
        written_at=pl.lit((origin.modified_at or _UNKNOWN_AT).replace(tzinfo=None), pl.Datetime("us")),
    )
    return Parsed.of(
        lines,
        rows.filter(is_good).height,
        rejected(bad),
        tables={TABLE: complete(made, TABLE)},
    )
