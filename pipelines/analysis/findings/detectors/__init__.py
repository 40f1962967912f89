"""One module per kind of detector."""
