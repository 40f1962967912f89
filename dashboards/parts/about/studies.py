"""Can I trust the product? Published figures of documents, our figures for them, and what the rules find wrong."""

import streamlit as st

from dashboards import components, fields
from dashboards.head import Page
from pipelines.analysis import studies
from pipelines.analysis.studies.requirements import DOCUMENTS

PART = {
    "title": "Case studies",
    "order": 30,
}
FIGURES = ["id", "what", "unit", "printed", "ours", "difference", "verdict", "why", "place", "how"]
WIDTHS = {"id": 50, "what": 220, "unit": 60, "printed": 70, "verdict": 80, "why": 220, "place": 140, "how": 300}
AUDIT = ["id", "verdict", "what", "why", "place", "how"]


def draw(page: Page) -> None:
    """Draw the part."""

    everything = {study.name: study for study in studies.every()}
    labels = {name: DOCUMENTS[study.letter] for name, study in everything.items()}
    study = everything[fields.choose("study", "Document", list(everything), labels)]
    st.header(study.title, anchor=False)
    st.text(study.document)

    lines = studies.work_out(study)
    for place, (verdict, meaning) in zip(st.columns(len(studies.VERDICTS)), studies.VERDICTS.items(), strict=True):
        place.metric(verdict, sum(line.verdict == verdict for line in lines), help=meaning)

    config = {
        column.name: st.column_config.Column(help=column.doc, width=WIDTHS.get(column.name))
        for column in studies.COLUMNS
    }
    figures = [line for line in lines if line.ours is not None or line.verdict == "unresolved"]
    st.header("Figures of the document next to those that tapescope computes", anchor=False)
    components.show_rows(
        [{name: getattr(line, name) for name in FIGURES} for line in figures],
        config,
        "Figures of the document next to those that tapescope computes",
        True,
    )
    st.header("Audit", anchor=False)
    st.caption(
        "The table lists errors in the document's figures. Rules find some of them"
        " automatically; only a human reader finds the rest."
    )
    audit = [line for line in lines if line not in figures]
    components.show_rows([{name: getattr(line, name) for name in AUDIT} for line in audit], config, "Audit", True)

    st.header("Figures that the document prints", anchor=False)
    for number, table in enumerate(study.published):
        place = st.expander(
            f"{table.title} · {table.place}", key=f"published-{study.name}-{number}", on_change="rerun", type="compact"
        )
        if place.open:
            with place:
                components.show_rows([dict(zip(table.columns, map(str, row), strict=True)) for row in table.rows], {})
