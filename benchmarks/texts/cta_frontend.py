"""Text of CTA's frontend in its default format: bursts of files to archive and to retrieve, three lines for each."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import local

NAME, GLOB = "cta-frontend.log", "cta-frontend*"
ORIGIN = "date = 2009-11-02\n"

_STATIC = 'instance="ARCHIVE" sched_backend="objectstore"'
_EVENT = "In WorkflowEvent::WorkflowEvent(): received event."
_CHECKED = "In Scheduler::checkAndGetNextArchiveFileId(): Checked request and got next archive file ID"


def text(seed: int) -> Iterator[str]:
    """A burst a piece: a client asks for some hundred files within a minute."""
    rng = Random(f"{seed} cta_frontend")
    at, file = 600.0, 4_760_000_000
    while True:
        is_read, n_files = rng.random() < 0.5, rng.randrange(20, 400)
        lines = []
        for _ in range(n_files):
            file += 1
            at += rng.uniform(0.01, 0.3)
            name = f'diskFilePath="/eos/raw/{file}" instanceName="eosraw" fileId="{file}"'
            lines.append(_line(at, _EVENT, f'eventType="{"PREPARE" if is_read else "CLOSEW"}" {name}'))
            lines.append(_line(at + 0.002, _CHECKED, f'catalogueTime="0.0021" {name}'))
            lines.append(_line(at + 0.009, *(_retrieve if is_read else _archive)(rng, name)))
        yield "".join(lines)
        at += rng.randrange(10, 900)


def _retrieve(rng: Random, name: str) -> tuple[str, str]:
    rest = (
        f'dstURL="root://eosraw.example.org//eos/raw?mtime={rng.randrange(10**9)}" fileSize="{rng.randrange(10**10)}"'
    )
    rest += f' selectedVid="L{rng.randrange(20_000):05d}" verifyOnly="0" policyName="std" policyMinAge="300"'
    return "In Scheduler::queueRetrieve(): Queued retrieve request", f'{name} {rest} schedulerDbTime="0.0071"'


def _archive(rng: Random, name: str) -> tuple[str, str]:
    rest = f'fileSize="{rng.randrange(10**10)}" srcURL="root://eosraw.example.org//eos/raw?x" storageClass="raw"'
    rest += ' tapePool1="raw" policyName="std" policyArchiveMinAge="14400" policyArchivePriority="2"'
    return "In Scheduler::queueArchiveWithGivenId(): Queued archive request", f'{name} {rest} schedulerDbTime="0.0071"'


def _line(at: float, message: str, parameters: str) -> str:
    stamp = f"{local(int(at)):%b %d %H:%M:%S}.{at % 1:.9f}".replace(".0.", ".", 1)
    head = f'{stamp} ctafe01 cta-frontend: LVL="INFO" PID="71" TID="72" MSG="{message}"'
    return f"{head} {_STATIC} {parameters} \n"
