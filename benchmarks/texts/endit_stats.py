"""Text of ENDIT's statistics: samples of an archiver, a JSON object each."""

from collections.abc import Iterator
from random import Random

NAME, GLOB = "pool1-archiver-stats.json", "*.json"


def text(seed: int) -> Iterator[str]:
    """A sample a minute."""
    rng = Random(f"{seed} endit_stats")
    at, files, moved = 1_710_000_000, 0, 0
    while True:
        at, files, moved = at + 60, files + rng.randrange(9), moved + rng.randrange(10**11)
        queued = rng.randrange(10**12)
        yield (
            f'{{"archiver_maxworkers":2,"archiver_starttime":1710000000,"archiver_usage_files":{rng.randrange(300)},'
            f'"archiver_flush_retries":0,"archiver_pending_bytes":{queued // 2},"archiver_working_bytes":{queued // 2},'
            f'"archiver_flushed_files":{files},"archiver_time":{at},"archiver_busyworkers":{rng.randrange(3)},'
            f'"archiver_usage_bytes":{queued},"archiver_flushed_bytes":{moved}}}\n'
        )
