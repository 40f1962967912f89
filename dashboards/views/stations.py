"""Which stations work, and which wait?"""

from dashboards import tabs

PAGE = {"title": "Stations and network", "order": 50, "group": "Around the archive"}

tabs.show("stations", "Which stations work, and which wait?")
