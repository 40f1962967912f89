"""A small archive with a story: its generator, its logs and the truth planted in them."""

ARCHIVES = {
    "migration": "synthetic logs of eight migration stations, and of tape read tests at PIC",
    "cta": "synthetic logs of LTO-9 and TS1170 drives at three tape servers, of dCache's pools and of Prometheus",
}
