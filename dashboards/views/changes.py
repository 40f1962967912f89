"""Did it work?"""

from dashboards import tabs

PAGE = {"title": "Changes", "order": 70, "group": "Decide"}

tabs.show("changes", "Did it work?")
