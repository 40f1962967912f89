"""tapescope: where the time of an archive's tape drives goes, and why."""
