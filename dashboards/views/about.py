"""What is it made of, and what is missing?"""

from dashboards import tabs

PAGE = {"title": "About", "order": 100, "group": "Ask"}

tabs.show("about", "What is it made of, and what is missing?")
