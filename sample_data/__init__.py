"""A small archive with a story: its generator, its logs and the truth planted in them."""
