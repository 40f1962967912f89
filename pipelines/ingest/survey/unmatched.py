"""Files that no [[input]] of site.toml names: below the folders of its inputs or, without those, in the site's own."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.config.files import below, find_inputs, is_own, stored_path
from pipelines.config.inputs import Input
from pipelines.config.site import Site
from pipelines.ingest.identify import Identified, identify
from pipelines.ingest.survey.patterns import generalise

MOST_FILES = 20_000  # looked at, by name alone: an input may begin at a folder that holds far more than logs
MOST_NAMED = 5


@dataclass
class UnmatchedFiles:
    """How many files no [[input]] names, what the first of them are, and a pattern for one."""

    n_files: int = 0
    is_all: bool = True
    place: str = "the folders of the inputs"
    first: list[tuple[str, str]] = field(default_factory=list)  # path, source or why there is none
    glob: str = ""

    @property
    def sentence(self) -> str:
        """One paragraph for people; empty where there are none."""
        if not self.n_files:
            return ""
        more = f" and {self.n_files - len(self.first)} more" if self.n_files > len(self.first) else ""
        listed = ", ".join(f"{path} ({what})" for path, what in self.first)
        count = f"{'' if self.is_all else 'over '}{self.n_files:,} file{'s' * (self.n_files > 1)}"
        is_are = "is" if self.n_files == 1 else "are"
        add = f'add an [[input]] with glob = "{self.glob}" to site.toml'
        hint = f"To read such files regularly, {add}. To read a file only once, run `tapescope ingest PATH`."
        return (
            f"{count} below {self.place} {is_are} not read, because no [[input]] matches: {listed}{more}."
            f" {hint if self.glob else '`tapescope recognise PATH` shows why they cannot be read.'}"
        )


def unmatched_files(site: Site) -> UnmatchedFiles:
    """What is below the folders that the inputs' patterns begin at and none of them names, hidden files left out.

    Where none of these folders exists, the site's own is looked at: logs may have been put there and never read.
    """
    named = {path for path, _, _ in find_inputs(site)} | {site.root / site.change_log}
    folders = _folders(site)
    found = UnmatchedFiles() if folders else UnmatchedFiles(place="the folder of site.toml")
    for number, path in enumerate(path for folder in folders or [site.root] for path in below(folder, hidden=False)):
        if number >= MOST_FILES:
            found.is_all = False
            break
        if path in named or is_own(site, path):
            continue
        found.n_files += 1
        if len(found.first) < MOST_NAMED:
            name, known = stored_path(site, path), identify(path)
            found.first.append((name, known.source or _why_not(known)))
            found.glob = found.glob or (generalise(name, known.source, []) if known.source else "")
    return found


def _folders(site: Site) -> list[Path]:
    """The folders that the patterns of the inputs begin at, without those inside others."""
    folders = {folder for item in site.input if (folder := _begin(site, item)) != Path("/") and folder.is_dir()}
    return sorted(
        folder for folder in folders if not any(folder != other and folder.is_relative_to(other) for other in folders)
    )


def _begin(site: Site, item: Input) -> Path:
    """The last folder that a pattern spells out."""
    spelt_out = re.split(r"[*?{\[]", item.pattern)[0]
    return item.base(site.root) / spelt_out.rpartition("/")[0]


def _why_not(known: Identified) -> str:
    """Why no source would read a file, in a few words."""
    if not known.reason:
        return "unknown kind of log"
    return known.why if known.reason == "not_a_file" else "not readable"
