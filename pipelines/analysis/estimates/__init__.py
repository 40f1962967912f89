"""Estimates: statistics of silver and gold, kept in gold for rules, questions and reports to read.

SQL makes every other metric; these need a search or resampling and are made when a period is judged. A module fills
one relation: it names it (`RELATION`), how many site days it looks at (`WINDOW_DAYS`), and yields its rows.
"""

from pipelines.analysis.estimates.run import estimate
