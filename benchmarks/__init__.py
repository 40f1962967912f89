"""What tapescope is measured by: speed from file to committed rows, memory, and peers on the same bytes."""
