"""schemas/ as objects: the contracts of relations, questions and rules, and what their SQL reads."""
