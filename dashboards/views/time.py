"""Where did the drive-hours go?"""

from dashboards import tabs

PAGE = {"title": "Time", "order": 20, "group": "Archive"}

tabs.show("time", "Where did the drive-hours go?")
