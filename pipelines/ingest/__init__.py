"""Files to bronze: find, identify, plan, parse, stage, register."""
