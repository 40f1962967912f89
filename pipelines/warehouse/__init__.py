"""The DuckLake of a site: opening, tables, the writer's lock, backups, retention, maintenance."""
