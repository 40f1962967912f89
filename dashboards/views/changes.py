"""Did the change work?"""

from dashboards import tabs

PAGE = {"title": "Changes", "order": 70, "group": "Decide"}

tabs.show("changes", "Did the change work?")
