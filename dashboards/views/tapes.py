"""Which requests waste mounts? Or the page of one tape, if the URL names it."""

from dashboards import one_tape, state, tabs

PAGE = {"title": "Tapes and recalls", "order": 40, "group": "Archive"}

if chosen := state.value("tape"):
    one_tape.show(chosen)
else:
    tabs.show("tapes", "Which requests waste mounts?")
