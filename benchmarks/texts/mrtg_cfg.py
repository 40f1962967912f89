"""Text of a mrtg.cfg as cfgmaker writes it: switch after switch of 48 ports."""

from collections.abc import Iterator
from random import Random

NAME, GLOB = "mrtg.cfg", "*.cfg"
REASON = "read by a Python loop; real files have a few KiB"

HEADER = """\
# Created by
# /usr/bin/cfgmaker --global "WorkDir: /srv/mrtg" public@switch-0

EnableIPv6: no
WorkDir: /srv/mrtg
Options[_]: growright, bits
Interval: 5

"""
PORTS = 48


def text(seed: int) -> Iterator[str]:
    """The global settings, then switch after switch."""
    rng = Random(f"{seed} mrtg_cfg")
    yield HEADER
    number = 0
    while True:
        name = f"switch-{number}"
        rule = "#" * 70
        yield f"{rule}\n# System: {name}\n{rule}\n\n" + "".join([_port(rng, name, n) for n in range(1, PORTS + 1)])
        number += 1


def _port(rng: Random, switch: str, port: int) -> str:
    target, speed = f"{switch}_{port}", 1_250_000_000 if rng.random() < 0.2 else 125_000_000
    kind = "TenGigabitEthernet" if speed > 125_000_000 else "GigabitEthernet"
    return f"""\
Target[{target}]: {port}:public@{switch}:::::2
SetEnv[{target}]: MRTG_INT_IP="No Ip" MRTG_INT_DESCR="{kind}1/{port}"
MaxBytes[{target}]: {speed}
Title[{target}]: Traffic Analysis for {port} -- {switch}
PageTop[{target}]: <h1>Traffic Analysis for {port} -- {switch}</h1>
\t<div id="sysdetails">
\t\t<table>
\t\t\t<tr><td>System:</td><td>{switch} in rack {rng.randrange(1, 40)}</td></tr>
\t\t\t<tr><td>Max Speed:</td><td>{speed / 1e6:g} MBytes/s</td></tr>
\t\t</table>
\t</div>

"""
