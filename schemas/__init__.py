"""Contracts, SQL, rules and questions: data about data."""
