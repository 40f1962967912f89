"""Other clients, as docs/guides/other-clients.md shows them, on a warehouse that is being written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from pipelines import steps
from support import REPO
from support.served import written

BLOCKS = re.findall(
    r"^```(sh|python)\n(.*?)^```", (REPO / "docs" / "guides" / "other-clients.md").read_text(), re.DOTALL | re.MULTILINE
)

MOST_RUNS = 20  # a client may be quicker than a commit: it runs again until one fell into its run


def test_documented_clients_read_while_the_pipeline_writes(archive: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(archive, site)
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {
        **{"TAPESCOPE_SITE": str(site), "PYTHONPATH": str(REPO), "PATH": f"{bin_folder}:{os.environ['PATH']}"},
        "HOME": str(tmp_path),
    }
    gaps = steps.ask_sql(steps.site_at(archive), "SELECT drive, count(*) FROM silver.gap GROUP BY 1 ORDER BY 1").rows
    hours = steps.ask_sql(steps.site_at(archive), "SELECT count(*) FROM gold.drive_ledger").rows[0][0]
    outputs = []
    with written(site, pause_s=0.3) as commits:
        for kind, code in BLOCKS:
            command = ["sh", "-ec", code] if kind == "sh" else [sys.executable, "-W", "error", "-c", code]
            for _ in range(MOST_RUNS):
                before = len(commits)
                done = subprocess.run(
                    command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
                )
                assert done.returncode == 0, f"{code}\n{done.stderr}"
                if len(commits) > before:
                    break
            assert len(commits) > before, "the writer committed nothing while a client read"
            outputs.append(done.stdout)
    assert len(outputs) == 5
    command_line, python, polars, bi_tool, copy = outputs
    assert [tuple(line.split(",")) for line in command_line.split()[1:]] == [(drive, str(n)) for drive, n in gaps]
    assert [tuple(line.split()) for line in python.splitlines()] == [(drive, str(n)) for drive, n in gaps]
    assert all(drive in polars for drive, _ in gaps)
    assert bi_tool.strip() == str(hours) and copy.split()[-1] == str(hours)
