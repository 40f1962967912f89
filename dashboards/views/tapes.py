"""Which requests waste mounts?"""

from dashboards import tabs

PAGE = {"title": "Tapes and recalls", "order": 40, "group": "Archive"}

tabs.show("tapes", "Which requests waste mounts?")
