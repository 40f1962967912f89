"""What do we need, and what would a change bring?"""

from dashboards import tabs

PAGE = {"title": "Plan", "order": 80, "group": "Decide"}

tabs.show("plan", "What do we need, and what would a change bring?")
