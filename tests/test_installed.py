"""The package as it is installed from a wheel, away from its checkout, finds its schemas, samples and studies."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

REPO = Path(__file__).resolve().parent.parent


def test_a_wheel_has_all_the_command_needs(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(REPO)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    code = (
        "from pathlib import Path; from pipelines import steps;"
        "from pipelines.analysis import studies; from pipelines.catalog.files import load_catalog;"
        "steps.make_demo(Path('demo-cta'), 'cta');"
        "print(*studies.names(), len(load_catalog().relations) > 50, steps.make_demo(Path('demo')).name, sep='\\n');"
        "print(Path(studies.__file__).is_relative_to(Path.cwd()))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(installed)!r}); {code}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *names, has_schemas, site, is_own = done.stdout.splitlines()
    assert len(names) == 5 and has_schemas == "True" and site and is_own == "True"
    assert (tmp_path / "demo" / "logs").is_dir() and (tmp_path / "demo-cta" / "truth.toml").is_file()
    shipped = installed / "dashboards" / ".streamlit" / "config.toml"
    assert shipped.is_file(), "theme and toolbar of the dashboard are not in the wheel"
