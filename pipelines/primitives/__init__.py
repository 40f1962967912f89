"""What everything else stands on and what itself imports nothing of ours: errors, clocks, units, text, files."""
