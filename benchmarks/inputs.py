"""The files that are measured: made from a seed, of a given size, and kept by size for the next run."""

from pathlib import Path

from benchmarks.texts import all_texts

MB = 1_000_000
SEED = 1
VERSION = 3  # of the texts: raise it when a generator changes, or a kept file of before is measured
ENSTORE, VMSTAT, IOSTAT, CTA = "enstore_log", "vmstat", "iostat", "cta_taped"
JSON = "-json"  # behind a source's name: its log as JSON
SITE = """\
name = "benchmark"
zone = "America/Chicago"
warehouse = "warehouse"

[[input]]
glob = "{glob}"
{origin}"""


def make(folder: Path, stem: str, mb: float) -> Path:
    """The file of a source, as text or with `-json` as JSON, in a folder of its own with a site.toml that names it."""
    place = folder / f"{stem}-{mb:g}MB-v{VERSION}"
    text = all_texts()[stem.removesuffix(JSON)]
    pieces = getattr(text, "json_text") if stem.endswith(JSON) else text.text  # noqa: B009 - of some texts alone
    path = place / text.NAME
    if path.exists():
        return path
    place.mkdir(parents=True, exist_ok=True)
    (place / "site.toml").write_text(SITE.format(glob=text.GLOB, origin=getattr(text, "ORIGIN", "")))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        for piece in pieces(SEED):
            file.write(piece.encode())
            if file.tell() >= mb * MB:
                break
    unfinished.rename(path)
    return path
