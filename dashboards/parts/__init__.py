"""The parts of pages, a folder for each page: a module with PART and `draw(page)` is a tab by being there."""
