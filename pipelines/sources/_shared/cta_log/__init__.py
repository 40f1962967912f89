"""How the programs of CTA log: one line per event, as text or JSON, with named parameters."""
