"""The first visit: a folder without a warehouse becomes a site, in three steps, by those of the command line.

Only who may write from this machine can take them (dashboards/access.py); others see the commands.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from dashboards import access, components, data, state
from dashboards.site import site_path
from pipelines import steps
from pipelines.config.site import site_file
from pipelines.primitives.errors import NothingRead, NoWarehouse, TapescopeError
from pipelines.primitives.format import counted
from pipelines.primitives.text import escape_markdown
from sample_data import ARCHIVES

COMMANDS = """\
tapescope init FOLDER        # inspects the logs in FOLDER and writes site.toml
tapescope run --site FOLDER  # reads the logs, builds the warehouse, looks for problems
tapescope dashboard --site FOLDER"""
MOST_FILES = 300
FILES = ["path", "source", "state", "n_lines", "n_rejected", "reason"]
_NAMES = {"file": "file", "source": "recognised as", "why": "why"}


def show(problem: data.NoAnswer) -> NoReturn:
    """The three steps, as far as they are taken, or what else keeps the pages from being shown; the page ends here."""
    file = site_file(site_path())
    if file.exists() and not isinstance(problem.__cause__, NoWarehouse):
        st.error("The pages of this site cannot be shown.")
        st.text(f"{problem}\nHint: {problem.hint}")
        state.stop()
    st.header("No logs have been read yet", anchor=False)
    if not _may_write():
        st.text(f"{access.writer().why} Only the administrator can add logs. This takes three commands:")
        st.code(f"{COMMANDS}\n\ntapescope demo               # does all of this with a sample archive", language="bash")
        state.stop()
    try:
        _read(file) if file.exists() else _begin(file)
    except TapescopeError as error:
        st.error("This step failed.")
        st.text(f"{error}\nHint: {error.hint}")
    state.stop()


def show_undated(snapshot: int) -> NoReturn:
    """The page of a warehouse without a day: what was read, how the last runs ended, and what to do."""
    files, last = data.ask("files", snapshot, {}), data.ask("freshness", snapshot, {}).rows[0]
    n_files = f"{counted(len(files.rows), 'file')} {'was' if len(files.rows) == 1 else 'were'}"
    if any(row["first_at"] for row in files.rows):
        message = f"{n_files} read, but no tables have been built from these logs yet."
    elif files.rows:
        message = f"{n_files} examined, but no line with a date was read. The reasons are below."
    else:
        message = "No log has been read yet. Name your logs in `site.toml`."
    st.info(f"{message} Run `tapescope run` on your logs, or `tapescope demo` to see the pages with sample data.")
    if _may_write():
        _offer_run(site_file(site_path()))
    if last["name"]:
        st.text(f"{last['summary']}\n{last['failure'] or ''}")
    if files.rows:
        components.show_part(files, FILES, files.rows)
    state.stop()


def _may_write() -> bool:
    """A visitor of this machine's own: a login names people, it does not open the server's folders to them."""
    secrets = st.secrets if st.secrets.load_if_toml_exists() else {}
    return "auth" not in secrets and access.writer().may_write


def _begin(file: Path) -> None:
    """Steps one and two: a folder of logs is looked at, and what was recognised becomes site.toml; or the demo."""
    own, demo = st.columns(2, gap="large")
    with own:
        st.subheader("1. Your logs", anchor=False)
        st.text("Name a folder on this machine. tapescope reads its files and changes none.")
        folder = str(st.text_input("Folder of logs", key="first-folder", placeholder=str(file.parent))).strip()
    with demo:
        st.subheader("Or a sample archive", anchor=False)
        st.text(f"Its files are written to {file.parent}.")
        captions = list(ARCHIVES.values())
        archive = st.radio("Sample archive", ARCHIVES, captions=captions, key="first-archive")
        if st.button("Try the sample archive", key="first-demo") and archive and _may_write():
            steps.make_demo(file.parent, archive)
            _run(file)
    if not folder:
        return
    given = Path(folder).expanduser()
    if not given.is_absolute() or not given.is_dir():
        st.warning("There is no such folder on this machine. Give its full path.")
        return
    st.subheader("2. Recognised files", anchor=False)
    with st.spinner("Examining the files", show_time=True):
        found = steps.recognise([given])
    known = [one for one in found if one.source]
    st.text(f"Logs that tapescope reads: {len(known):,} of {counted(len(found), 'file')}.")
    rows = [
        {"file": str(one.path.relative_to(given)), "source": one.source or "not known", "why": one.why}
        for one in sorted(found, key=lambda one: (one.source is None, str(one.path)))
    ]
    config: dict[str, Any] = {name: st.column_config.Column(title) for name, title in _NAMES.items()}
    components.show_rows(rows[:MOST_FILES], config, "Files and their kinds of log")
    if not known:
        st.warning("This folder has no log that tapescope can read: choose another folder.")
    elif st.button(f"Write {file.name} from these logs", type="primary", key="first-init") and _may_write():
        file.parent.mkdir(parents=True, exist_ok=True)
        with st.spinner("Detecting hosts, drives, links and the time zone", show_time=True):
            steps.init(given, file, False)
        st.rerun()


def _read(file: Path) -> None:
    """Step three: what site.toml names is read and judged."""
    st.subheader("3. Read the logs", anchor=False)
    st.text(f"{file} names the logs. Check the guesses in this file, then read the logs.")
    text = file.read_text(encoding="utf-8", errors="replace")
    place = st.expander(f"Contents of {file.name}")
    place.code(text[:100_000], language="toml")
    _offer_run(file)


def _offer_run(file: Path) -> None:
    if st.button("Read the logs now", type="primary", key="first-run") and _may_write():
        _run(file)


def _run(file: Path) -> None:
    """All steps of `tapescope run`; then the pages. A step that failed is shown, and what was reported all the same."""
    with st.status("Reading the logs", expanded=True) as status:
        made = steps.run(steps.site_at(file), _Watcher(status))
        label = "Done" if made.failure is None else "A step failed"
        status.update(label=label, expanded=True, state="complete" if made.failure is None else "error")
    if made.failure is None:
        st.rerun()
    st.error("Not every step finished.")
    nothing = [f"{made.failure}\nHint: {made.failure.hint}"] if isinstance(made.failure, NothingRead) else []
    st.text("\n".join([*nothing, *made.problems]))
    if made.report:
        st.text(f"The report was written nevertheless: {made.report['html']}")
    st.button("Show the pages that have data so far")


class _Watcher:
    """The steps as they go, in a status box: a bar for reading, the relation that is built, a line for each step."""

    def __init__(self, status: Any) -> None:
        self.status = status

    @contextmanager
    def reading(self, n_bytes: int) -> Iterator[Callable[[str, int], None]]:
        bar, done = st.progress(0.0), 0

        def advance(name: str, size: int) -> None:
            nonlocal done
            done += size
            bar.progress(min(1.0, done / max(1, n_bytes)), f"Reading {escape_markdown(Path(name).name[-60:])}")

        yield advance
        bar.empty()

    @contextmanager
    def building(self) -> Iterator[Callable[[str], None]]:
        yield lambda name: self.label(f"Building {escape_markdown(name)}")
        self.label("Looking for problems")

    def done(self, step: str, report: steps.StepReport) -> None:
        st.text(report.sentence)
        if step == "detect":
            self.label("Making forecasts and the report")

    def label(self, text: str) -> None:
        self.status.update(label=text, expanded=True)  # without it the box would close
