"""What drives and stations would have done: recorded work run again, by discrete events, unchanged or with changes.

Inputs: work, a list of mounts. Each was asked for at some second, needs a drive of its kind and its volume, takes
seconds until its first block and after its last, and moves files one after the other. A file has MB, the seconds it
moved, and before it the seconds in which the client asked for nothing (`think_s`), those of dialogues and databases
(`gap_s`), and those of the tape itself, motion and marks (`tape_s`); of the seconds it moved, those in which the drive
waited for data or room (`wait_s`). Mounts are served in the order in which they were
asked for; a client asks for a file so long after the last but `depth` as it did after the last. Without changes this is
the recorded week again, except for who waits for whom.

Changes: number of drives of a kind; an upper end of those dialogues; a factor on the speed; requests a client keeps
queued; mounts that read or write at a station at once (instances x inputs, instances x outputs); what may pass a
station's disks (in and out together) and its link (each direction); chunks to be collected before a mount that writes;
all mounts asked for at once; and writes that wait until their station has read as much. Streams share what is limited
fairly: each gets the same, or what it can use (max-min).

Requests of files (`Work.requests`) are gathered into mounts by a policy (`queues.py`) and take drives from the mounts
above; a policy changes nothing else, and other changes do not affect the requests.

Outputs: hours of drives, rates, waits and the end of the work. Limits: speeds and waits within files are those
recorded, with the contention they had. A faster drive moves a stream no faster if that waited for its other end;
without waits in the logs, that end is taken to keep up. Volumes go back to no slot and robots are never short. Nothing
fails except what failed. Source: requests in the migration report and in PIC's and HPC2N's slides (M36, M41-M44, N10,
P44, P48); max-min fairness; SimPy. MB = 10^6 bytes, seconds.
"""

from dataclasses import replace

from pipelines.analysis.models.simulation.queues import Order, Policy, Read, ReadCosts, Request
from pipelines.analysis.models.simulation.run import Run
from pipelines.analysis.models.simulation.stations import fair_rates
from pipelines.analysis.models.simulation.work import (
    Changes,
    File,
    Mode,
    Mount,
    Outage,
    Outcome,
    Use,
    Uses,
    Work,
    chunked,
)


def simulate(work: Work, changes: Changes | None = None) -> Outcome:
    """Run the work, with or without changes.

    Raises ValueError for drives of a kind that has no work, and for requests with changes that say nothing about them.
    """
    made = changes or Changes()
    if work.requests and replace(made, drives={}, policy=None) != Changes():
        raise ValueError("a replay of requests can change only the number of drives and the mount policy")
    if strange := sorted(set(made.drives) - set(work.drives)):
        raise ValueError(
            f"there is no work for drives of kind {strange[0]!r}; kinds with work: {', '.join(sorted(work.drives))}"
        )
    return Run(work, made).outcome()
