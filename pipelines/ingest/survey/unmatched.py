"""Files beside those that site.toml names: what lies below its inputs' folders and is read by none of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.config.files import below, is_own, shown
from pipelines.config.site import Input, Site
from pipelines.ingest.identify import identify
from pipelines.ingest.survey.patterns import generalise

MOST_FILES = 20_000  # looked at, by name alone: an input may begin at a folder that holds far more than logs
MOST_NAMED = 5


@dataclass
class Leftover:
    """How many files no [[input]] names, what the first of them are, and a pattern for one."""

    n_files: int = 0
    is_all: bool = True
    first: list[tuple[str, str]] = field(default_factory=list)  # path, source or why there is none
    glob: str = ""

    @property
    def sentence(self) -> str:
        """One paragraph for people; empty where nothing is left over."""
        if not self.n_files:
            return ""
        more = f" and {self.n_files - len(self.first)} more" if self.n_files > len(self.first) else ""
        listed = ", ".join(f"{path} ({what})" for path, what in self.first)
        count = (
            f"{self.n_files:,} file{'' if self.n_files == 1 else 's'}"
            if self.is_all
            else f"over {self.n_files:,} files"
        )
        is_are = "is" if self.n_files == 1 else "are"
        hint = (
            f'To read one, write into site.toml, say: [[input]] glob = "{self.glob}"; or once: `tapescope ingest PATH`.'
        )
        return (
            f"{count} below the inputs' folders {is_are} named by no [[input]] and not read: {listed}{more}."
            f" {hint if self.glob else '`tapescope recognise PATH` says what they miss.'}"
        )


def leftover(site: Site, named: set[Path]) -> Leftover:
    """What is below the folders that the inputs' patterns begin at, hidden files left out, and is not among `named`."""
    found = Leftover()
    for n_seen, path in enumerate(_beside(site)):
        if n_seen >= MOST_FILES:
            found.is_all = False
            break
        if path in named or is_own(site, path):
            continue
        found.n_files += 1
        if len(found.first) < MOST_NAMED:
            name = shown(site, path)
            source, what = _what(path)
            found.first.append((name, what))
            found.glob = found.glob or (generalise(name, source, []) if source else "")
    return found


def _beside(site: Site) -> Iterator[Path]:
    folders = {folder for item in site.input if (folder := _begin(site, item)) != Path("/") and folder.is_dir()}
    for folder in sorted(folders):
        if not any(folder != other and folder.is_relative_to(other) for other in folders):
            yield from (path for path in below(folder, hidden=False))


def _begin(site: Site, item: Input) -> Path:
    """The last folder that a pattern spells out."""
    spelt_out = re.split(r"[*?{\[]", item.pattern)[0]
    return item.base(site.root) / spelt_out.rpartition("/")[0]


def _what(path: Path) -> tuple[str, str]:
    """The source that would read a file, or none; and that, or why none would, in a few words."""
    found = identify(path)
    if found.reason:
        return "", found.why if found.reason == "not_a_file" else "cannot be read"
    return found.source or "", found.source or "of no known kind"
