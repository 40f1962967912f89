"""The documents: no link is dead, every unit has a page, and texts with one home are the same wherever they are shown.

That the command lines in them run is `test_documented_commands.py`'s.
"""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click import Command, Context, Group, Option

from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.cli.detect import FINDINGS_FOUND
from pipelines.config import keys
from pipelines.primitives import errors
from pipelines.reporting import entries
from pipelines.sources import all_sources
from support import REPO

DOCS = REPO / "docs"
REFERENCE = DOCS / "reference"
CODE = ("pipelines", "dashboards", "dags", "deploy", "benchmarks", "tests", "Makefile")
VARIABLE = re.compile(r"\bTAPESCOPE_[A-Z_]*[A-Z]\b|\bAWS_[A-Z_]+[A-Z0-9]\b")
STEPS = ("collect", "ingest", "build", "detect", "forecast", "report", "deliver", "maintain")
SIGNALS = (130, 143)


def documents() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=REPO, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [REPO / name for name in listed.stdout.split() if (REPO / name).exists()]


def prose(path: Path) -> str:
    """A document without its blocks of code, in which no link is one."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """The places of a page that a link may name: its headings, as Markdown's readers make names of them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


def links(path: Path) -> Iterator[str]:
    text = re.sub(r"`[^`\n]+`", "code", prose(path))
    yield from re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text)


def test_no_link_is_dead() -> None:
    n_links, dead = 0, []
    for path in documents():
        for link in links(path):
            n_links += 1
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if not target.exists() or (anchor and anchor not in anchors(target)):
                dead.append(f"{path.relative_to(REPO)}: {link}")
    assert n_links > 2000 and not dead, "\n".join(dead)


def test_pages_of_the_site_link_to_pages_of_the_site() -> None:
    """The site has no file outside docs/: a link to one would be dead there."""
    outside = [
        f"{path.relative_to(REPO)}: {link}"
        for path in DOCS.rglob("*.md")
        for link in links(path)
        if not (path.parent / link.partition("#")[0]).resolve().is_relative_to(DOCS)
    ]
    assert not outside, "\n".join(outside)


def test_every_hand_written_page_is_in_the_navigation() -> None:
    nav = tomllib.loads((REPO / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    named = set(re.findall(r"[\w/.-]+\.md", str(nav)))
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if not path.is_relative_to(REFERENCE)}
    assert written <= named and all((DOCS / name).exists() for name in named), written ^ named


def test_the_readme_is_short() -> None:
    assert len((REPO / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


# Every unit has its page


def commands(group: Group, before: str = "") -> Iterator[tuple[str, Command]]:
    for name, command in group.commands.items():
        yield f"{before}{name}", command
        if isinstance(command, Group):
            yield from commands(command, f"{before}{name} ")


def test_every_unit_has_a_page() -> None:
    catalog = load_catalog()
    expected = {
        *(f"commands/{name.replace(' ', '-')}" for name, _ in commands(cli)),
        *(f"site-toml/{group.name}" for group in keys.groups()),
        *(f"relations/{name}" for name in catalog.relations),
        *(f"rules/{name}" for name in catalog.rules),
        *(f"questions/{name}" for name in catalog.questions),
        *(f"inputs/{name}" for name in catalog.inputs),
        *(f"sources/{name}" for name in all_sources()),
        *(f"models/{name}" for name in entries.model_names()),
    }
    pages = {path.relative_to(REFERENCE).with_suffix("").as_posix() for path in REFERENCE.rglob("*.md")}
    assert expected == {page for page in pages if not page.endswith("index")} and len(expected) > 400


def test_every_option_has_a_row_on_the_page_of_its_command() -> None:
    lacking = []
    for name, command in commands(cli):
        page = (REFERENCE / "commands" / f"{name.replace(' ', '-')}.md").read_text(encoding="utf-8")
        context = Context(command, info_name=name)
        for param in command.params:
            record = param.get_help_record(context)
            if record and f"| `{record[0].replace('|', chr(92) + '|')}` |" not in page:
                lacking.append(f"{name}: {record[0]}")
            assert not isinstance(param, Option) or record or param.hidden
    assert not lacking, "\n".join(lacking)


def test_every_key_of_site_toml_has_a_row() -> None:
    n_keys = 0
    for group in keys.groups():
        page = (REFERENCE / "site-toml" / f"{group.name}.md").read_text(encoding="utf-8")
        for key in (each for one in (group, *group.within) for each in one.keys):
            n_keys += 1
            assert key.doc and f"| `{key.name}` | {key.kind} |" in page, f"{group.name}.{key.name}"
    assert n_keys > 90


def test_every_environment_variable_has_a_row() -> None:
    page = (DOCS / "environment.md").read_text(encoding="utf-8")
    paths = [path for name in CODE for path in ([REPO / name] if (REPO / name).is_file() else (REPO / name).rglob("*"))]
    files = [path for path in paths if path.is_file() and path.suffix in (".py", ".sh", ".yaml", ".env", "")]
    found = {name for path in files for name in VARIABLE.findall(path.read_text(encoding="utf-8", errors="ignore"))}
    used = {name for name in found if not name.startswith("TAPESCOPE_COLLECT_TOKEN_")}
    assert len(used) > 15 and not sorted(name for name in used if f"`{name}`" not in page)


def test_every_exit_code_has_an_entry() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    codes = {getattr(value, "exit_code", 1) for value in classes}
    page = anchors(DOCS / "operations.md")
    lacking = [code for code in {0, FINDINGS_FOUND, *SIGNALS, *codes} if f"exit-code-{code}" not in page]
    assert {2, 3, 5, 75} <= codes and not lacking


@pytest.mark.parametrize("step", STEPS)
def test_every_step_that_can_fail_has_an_entry(step: str) -> None:
    assert f"{step}-failed" in anchors(DOCS / "operations.md")


# The handbook has one home


@pytest.mark.parametrize("rule", load_catalog().rules.values(), ids=lambda rule: rule.name)
def test_every_rule_has_its_entry_in_the_handbook(rule: Rule) -> None:
    headings = [heading for heading, _ in rule.entry]
    assert headings == [
        "What the finding means", "How the rule works", "How to confirm the finding",
        "What to do", "When the finding is wrong",
    ]  # fmt: skip
    assert all(len(text) > 40 and "{" not in text for _, text in rule.entry)
    assert re.search(r"`(tapescope ask|tapescope drill) ", rule.handbook.confirm), "name the command that confirms it"
    page = (REFERENCE / "rules" / f"{rule.name}.md").read_text(encoding="utf-8")
    plain = re.sub(r"\[(`[^`]+`)\]\([^)]+\)", r"\1", page)
    assert all(f"## {heading}\n\n{text}\n" in plain for heading, text in rule.entry)
    assert all(text in entries.rule(rule) for _, text in rule.entry)


# The site


def test_the_site_builds_and_asks_no_other_host(tmp_path: Path) -> None:
    program = shutil.which("zensical", path=f"{REPO}/.venv/docs/bin:{os.environ['PATH']}")
    if program is None:
        pytest.skip("what builds the site is not here: make .venv/done-docs")
    for name in ("zensical.toml", "CHANGELOG.md"):
        shutil.copy(REPO / name, tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    done = subprocess.run([program, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "var" / "docs-site"
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("*.html")]
    asked = [
        found
        for page in pages
        for found in re.findall(r'(?:<script|<link|<img)[^>]+(?:src|href)="(https?:[^"]+)', page)
    ]
    assert len(pages) > 450 and not asked


def test_the_counts_of_captures_are_those_of_the_table() -> None:
    table = (REPO / "tests" / "realdata_table.md").read_text(encoding="utf-8")
    folders = [
        line.removeprefix("| ").partition("/")[0] for line in table.splitlines() if re.match(r"\| [\w-]+/", line)
    ]
    n_made = sum(folder.endswith("-synthetic") for folder in folders)
    text = " ".join((DOCS / "validation.md").read_text(encoding="utf-8").split())
    assert f"tested on {len(folders) - n_made} real captures, and on {n_made} logs" in text
