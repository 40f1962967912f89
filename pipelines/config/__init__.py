"""site.toml as checked models: inputs, drives, changes, facts, plans, recipients, and the files its inputs name."""
