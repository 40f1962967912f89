"""What data is there, and what is missing?"""

from dashboards import tabs

PAGE = {"title": "About", "order": 100, "group": "Ask"}

tabs.show("about", "What data is there, and what is missing?")
