"""Is a drive slow, or are its tapes?"""

from dashboards import tabs

PAGE = {"title": "Drives", "order": 30, "group": "Archive"}

tabs.show("drives", "Is a drive slow, or are its tapes?")
