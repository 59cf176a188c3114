import shutil
import subprocess
from pathlib import Path

import pytest

CONTROLLED = Path(__file__).parent.parent / "drivers" / "controlled"
PACKAGE = "stingy.invalid/tests/controlled/queue"
CONTROL = "stingy.invalid/driver/control"


@pytest.fixture(scope="session")
def controlled_driver(tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("needs Go 1.26 to build a driver that has its candidate under control")
    driver = tmp_path_factory.mktemp("controlled") / "driver"
    build = ["go", "run", CONTROL, "-o", str(driver), PACKAGE]
    done = subprocess.run(build, cwd=CONTROLLED, capture_output=True, text=True)
    if done.returncode and "requires go" in done.stderr:
        pytest.skip(f"needs Go 1.26 to build a driver that has its candidate under control: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return driver
