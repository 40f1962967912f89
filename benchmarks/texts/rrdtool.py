"""Text of `rrdtool dump` of MRTG's database of one link, its archive as long as asked.

Archives have a fixed number of rows, and a file one database. So here it is one archive of five years in bins of ten
seconds (over a gigabyte); a shorter text is a dump that was cut.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.texts._staging import Load

NAME, GLOB = "stager1-bond0.xml", "{link}.xml"

STEP_S = 10
LAST_S = 1_268_222_400
N_ROWS = 5 * 365 * 86_400 // STEP_S
_DS = """\
\t<ds>
\t\t<name> {name} </name>
\t\t<type> COUNTER </type>
\t\t<minimal_heartbeat>600</minimal_heartbeat>
\t\t<min>0.0000000000e+00</min>
\t\t<max>1.2500000000e+09</max>

\t\t<!-- PDP Status -->
\t\t<last_ds>12728447500</last_ds>
\t\t<value>0.0000000000e+00</value>
\t\t<unknown_sec> 0 </unknown_sec>
\t</ds>

"""
_PREP = """\
\t\t\t<ds>
\t\t\t<primary_value>0.0000000000e+00</primary_value>
\t\t\t<secondary_value>NaN</secondary_value>
\t\t\t<value>NaN</value>
\t\t\t<unknown_datapoints>0</unknown_datapoints>
\t\t\t</ds>
"""
HEADER = f"""\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rrd SYSTEM "https://oss.oetiker.ch/rrdtool/rrdtool.dtd">
<!-- Round Robin Database Dump -->
<rrd>
\t<version>0003</version>
\t<step>{STEP_S}</step> <!-- Seconds -->
\t<lastupdate>{LAST_S}</lastupdate> <!-- 2010-03-10 12:00:00 UTC -->

{_DS.format(name="ds0")}{_DS.format(name="ds1")}\
\t<!-- Round Robin Archives -->
\t<rra>
\t\t<cf>AVERAGE</cf>
\t\t<pdp_per_row>1</pdp_per_row> <!-- {STEP_S} seconds -->

\t\t<params>
\t\t<xff>5.0000000000e-01</xff>
\t\t</params>
\t\t<cdp_prep>
{_PREP}{_PREP}\
\t\t</cdp_prep>
\t\t<database>
"""


def text(seed: int) -> Iterator[str]:
    """The head, then a row a piece, oldest first."""
    load = Load(seed, "rrdtool")
    yield HEADER
    for number in range(1, N_ROWS + 1):
        at = LAST_S - (N_ROWS - number) * STEP_S
        mb_in, mb_out = load.at(number * STEP_S)
        # One poll in two hundred failed.
        into, out = ("NaN", "NaN") if load.rng.random() < 0.005 else (f"{mb_in * 1e6:.10e}", f"{mb_out * 1e6:.10e}")
        yield f"\t\t\t<!-- {_clock(at)} UTC / {at} --> <row><v>{into}</v><v>{out}</v></row>\n"
    yield "\t\t</database>\n\t</rra>\n</rrd>\n"


def _clock(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%F %T}"
