"""The nightly report, its delivery, and the generated reference pages."""
