import shutil
import subprocess
from pathlib import Path

import pytest

CONTROLLED = Path(__file__).parent.parent / "drivers" / "controlled"
PACKAGE = "stingy.invalid/tests/controlled/queue"
CONTROL = "stingy.invalid/driver/control"


def built(driver, *options):
    """Driver of a queue, built under control; an argument gives the queue a fault."""
    if shutil.which("go") is None:
        pytest.skip("needs Go 1.26 to build a driver that has its candidate under control")
    build = ["go", "run", CONTROL, *options, "-o", str(driver), PACKAGE]
    done = subprocess.run(build, cwd=CONTROLLED, capture_output=True, text=True)
    if done.returncode and "requires go" in done.stderr:
        pytest.skip(f"needs Go 1.26 to build a driver that has its candidate under control: {done.stderr}")
    if done.returncode and "-race requires cgo" in done.stderr:
        pytest.skip(f"needs a C compiler for Go's race detector: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return driver


@pytest.fixture(scope="session")
def controlled_driver(tmp_path_factory):
    return built(tmp_path_factory.mktemp("controlled") / "driver")


@pytest.fixture(scope="session")
def raced_driver(tmp_path_factory):
    """The same driver, with Go's race detector."""
    return built(tmp_path_factory.mktemp("raced") / "driver", "-race")
