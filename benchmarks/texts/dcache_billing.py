"""Text of a day's billing of dCache in its default layout: stores and restores among the traffic of clients.

A file is one local day; the text ends with it, at a gigabyte or so.
"""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import local

NAME, GLOB = "billing-2009.11.02", "billing-*"

_OBJECT = "[$pnfsid$,$filesize$] [$path$] $if(storage)$$storage.storageClass$@$storage.hsm$$else$<Unknown>$endif$"
_POOL, _CELL = "$date$ [$cellType$:$cellName.cell$:$type$]", "$date$ [$cellType$:$cellName$:$type$]"
HEADER = (
    f'## door-request-info-message {_CELL} ["$owner$":$uid$:$gid$:$clientChain$] {_OBJECT} '
    '$transactionTime$ $queuingTime$ {$rc$:"$message$"}\n'
    f"## mover-info-message {_POOL} {_OBJECT} $transferred$ $connectionTime$ $created$ {{$protocol$}} "
    '[$initiator$] {$rc$:"$message$"}\n'
    f'## warning-pnfs-file-info-message {_CELL} {{$rc$:"$message$"}}\n'
    f'## remove-file-info-message {_CELL} {_OBJECT} {{$rc$:"$message$"}}\n'
    f'## pool-hit-info-message {_POOL} {_OBJECT} $cached$ {{$protocol$}} {{$rc$:"$message$"}}\n'
    f'## storage-info-message {_CELL} {_OBJECT} $transferTime$ $queuingTime$ {{$rc$:"$message$"}}\n'
)
CLASSES = ("lattice:gauge", "lattice:props", "beams:raw", "beams:reco")
A_SECOND = 50
DAY_S = 86_400


def text(seed: int) -> Iterator[str]:
    """The headers, then the records of each second of the day."""
    rng = Random(f"{seed} dcache_billing")
    yield HEADER
    for at in range(DAY_S):
        stamp = local(at).strftime("%m.%d %H:%M:%S")
        yield "".join([_record(rng, stamp) for _ in range(A_SECOND)])


def _record(rng: Random, stamp: str) -> str:
    """One record in three is of the tape system."""
    size = rng.randrange(10**8, 8 * 10**9)
    pnfsid = f"0000{rng.getrandbits(128):032X}"
    storage = CLASSES[rng.randrange(len(CLASSES))]
    object_ = f"[{pnfsid},{size}] [/pnfs/example.org/{storage.replace(':', '/')}/{pnfsid[-8:]}.root] {storage}@osm"
    chance = rng.random()
    pool = f"{rng.randrange(1, 21):02d}"
    if chance < 0.2:
        took, queue = rng.randrange(10**5, 10**7), rng.randrange(10**5)
        return f'{stamp} [pool:tape_w{pool}@tape_w{pool}Domain:store] {object_} {took} {queue} {{0:""}}\n'
    if chance < 0.33:
        took = rng.randrange(10**5, 4 * 10**6)
        error = '{0:""}' if rng.random() < 0.98 else '{10011:"Stage failed: no such file"}'
        return f"{stamp} [pool:tape_r{pool}@tape_r{pool}Domain:restore] {object_} {took} 0 {error}\n"
    client, port, took = f"192.0.2.{rng.randrange(1, 250)}", rng.randrange(20_000, 50_000), rng.randrange(10**6)
    if chance < 0.66:
        return (
            f"{stamp} [pool:disk_{pool}@disk_{pool}Domain:transfer] {object_} {size} {took} false "
            f'{{GFtp-2.0 {client} {port}}} [door:GFTP-door1-{port}@gridftpDomain:{took}-{port}] {{0:""}}\n'
        )
    return (
        f'{stamp} [door:GFTP-door1-{port}@gridftpDomain:request] ["/DC=org/CN=robot":4711:1000:{client}] {object_} '
        f'{took} {rng.randrange(1000)} {{0:""}}\n'
    )
