"""The first visit: a folder without a warehouse becomes a site, in three steps, by those of the command line.

Only who may write from this machine can take them (dashboards/access.py); others see the commands.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from dashboards import access, components, data, state
from pipelines import steps
from pipelines.config.site import site_file
from pipelines.primitives.errors import TapescopeError

COMMANDS = """\
tapescope init FOLDER        # looks at the logs of a folder and writes site.toml
tapescope run --site FOLDER  # reads them, builds the warehouse, looks for problems
tapescope dashboard --site FOLDER"""
MOST_FILES = 300
_NAMES = {"file": "file", "source": "recognised as", "why": "why"}


def show(detail: str = "") -> None:
    """The three steps, as far as they are taken; the page ends here."""
    file = site_file(data.site_path())
    st.header("No logs have been read yet", anchor=False)
    if detail:
        st.caption(detail)
    if not _may_write():
        st.text(f"{access.writer().why} Whoever keeps this site runs three commands:")
        st.code(f"{COMMANDS}\n\ntapescope demo               # the same with a sample archive", language="bash")
        state.stop()
    try:
        _read(file) if file.exists() else _begin(file)
    except TapescopeError as problem:
        st.error("This step failed.")
        st.text(f"{problem}\nHint: {problem.hint}")
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
        st.text("Name a folder on this machine. Its files are looked at, and nothing is changed.")
        folder = str(st.text_input("Folder of logs", key="first-folder", placeholder=str(file.parent))).strip()
    with demo:
        st.subheader("Or the sample archive", anchor=False)
        st.text(f"Logs of a tape migration over a week, copied to {file.parent}.")
        if st.button("Try the sample archive", key="first-demo") and _may_write():
            file.parent.mkdir(parents=True, exist_ok=True)
            steps.make_demo(file.parent)
            _run(file)
    if not folder:
        return
    given = Path(folder).expanduser()
    if not given.is_absolute() or not given.is_dir():
        st.warning("There is no such folder on this machine. Give its whole path.")
        return
    st.subheader("2. What was recognised", anchor=False)
    with st.spinner("Looking at the files", show_time=True):
        found = steps.recognise([given])
    known = [one for one in found if one.source]
    st.text(f"{len(known):,} of {len(found):,} files are logs that tapescope reads.")
    rows = [
        {"file": str(one.path.relative_to(given)), "source": one.source or "not known", "why": one.why}
        for one in sorted(found, key=lambda one: (one.source is None, str(one.path)))
    ]
    config: dict[str, Any] = {name: st.column_config.Column(title) for name, title in _NAMES.items()}
    components.show_rows(rows[:MOST_FILES], config, "Files, and what each was recognised as")
    if not known:
        st.warning("No file of this folder is a log that tapescope knows: choose another folder.")
    elif st.button(f"Write {file.name} from these", type="primary", key="first-init") and _may_write():
        file.parent.mkdir(parents=True, exist_ok=True)
        with st.spinner("Looking at hosts, drives, links and the time zone", show_time=True):
            steps.init(given, file, False)
        st.rerun()


def _read(file: Path) -> None:
    """Step three: what site.toml names is read and judged."""
    st.subheader("3. Read the logs", anchor=False)
    st.text(f"{file} names the logs. Check in it what was guessed, then read them.")
    text = file.read_text(encoding="utf-8", errors="replace")
    place = st.expander(f"What {file.name} says")
    place.code(text[:100_000], language="toml")
    if st.button("Read the logs now", type="primary", key="first-run") and _may_write():
        _run(file)


def _run(file: Path) -> None:
    """All steps of `tapescope run` in order; the last opens the page again."""
    site = steps.site_at(file)
    with st.status("Reading the logs", expanded=True) as status:
        total, bar = max(1, steps.bytes_to_read(site, None)), st.progress(0.0)
        read = steps.ingest(site, None, False, _advance(bar.progress, total)).as_dict()
        bar.progress(1.0, f"{read['loaded']} of {read['files']} files read, {read['n_records']:,} records")
        if not read["loaded"] and not read["unchanged"]:
            status.update(label="No file could be read", state="error")
            st.text("\n".join(map(str, read["problems"])) or "No file fits an [[input]] of site.toml.")
            return
        status.update(label="Building the warehouse")
        built = steps.build(site).as_dict()
        st.text(f"{built['n_rows']:,} rows built of {len(built['days'])} days")
        status.update(label="Looking for problems")
        st.text(f"{len(steps.detect(site).findings)} findings")
        status.update(label="Forecasting, and writing the report")
        steps.forecast(site)
        steps.report(site)
        status.update(label="Done", state="complete")
    st.rerun()


def _advance(show: Callable[..., Any], total: int) -> Callable[[str, int], None]:
    done = 0

    def advance(name: str, size: int) -> None:
        nonlocal done
        done += size
        show(min(1.0, done / total), f"Reading {Path(name).name[-60:]}")

    return advance
