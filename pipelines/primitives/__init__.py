"""What everything else is built on and what itself imports nothing of ours: errors, clocks, units, text, files."""
