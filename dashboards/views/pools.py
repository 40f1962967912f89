"""What do requests wait for?"""

from dashboards import tabs

PAGE = {"title": "Pools and requests", "order": 60, "group": "Around the archive"}

tabs.show("pools", "What do requests wait for?")
