"""Pages for a browser: they ask questions of the catalogue and draw the answers, and compute nothing."""
