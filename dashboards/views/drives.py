"""Is this drive slow, or unlucky?"""

from dashboards import tabs

PAGE = {"title": "Drives", "order": 30, "group": "Archive"}

tabs.show("drives", "Is this drive slow, or unlucky?")
