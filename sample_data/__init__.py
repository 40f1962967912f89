"""A small archive with a story: its generator, its logs and the truth planted in them."""

ARCHIVES = {
    "migration": "synthetic logs of a migration stand and of PIC's tape read tests",
    "cta": "synthetic logs of LTO-9 and TS1170 drives at three tape servers, of dCache's pools and of Prometheus",
}
