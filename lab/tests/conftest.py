import gc
import os
import resource
import subprocess
import sys

import machine
import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# Hundreds of processes are started, and each of them would compile and rewrite all rules anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.pop("CI", None)  # If CI is set, `stingy run` without a target does not judge the reference.
# The engine collects garbage after a session that makes more objects than this: each time, of all tests.
gc.set_threshold(50_000)

settings.register_profile("lab", deadline=None, derandomize=True, database=None)
settings.load_profile("lab")

BUDGET_CPU_S = 20
"""CPU-seconds that a test without a mark may take, including those of processes that it waits for."""
BEGAN = pytest.StashKey[float]()
TOOK = "CPU-seconds"


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"budget(cpu_s): CPU-seconds that it may take, {BUDGET_CPU_S} unless said"
    )
    machine.unit()  # before the processes of xdist compete for the processor
    config.option.reportchars += "s"  # a toolchain that is missing is named


def budget(item):
    mark = item.get_closest_marker("budget")
    return mark.args[0] if mark else BUDGET_CPU_S


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.timeout(machine.patience(budget(item))))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    item.stash[BEGAN] = cpu_s()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    done = yield
    item.user_properties.append((TOOK, (cpu_s() - item.stash[BEGAN], budget(item))))
    return done


def pytest_terminal_summary(terminalreporter):
    reports = terminalreporter.stats.get("", ())
    known = ((it.nodeid, dict(it.user_properties).get(TOOK)) for it in reports if it.when == "teardown")
    took = {name: numbers for name, numbers in known if numbers}  # a test of another folder has no budget
    over = [f"{name}: {cpu:.0f} of {most} CPU-s" for name, (cpu, most) in took.items() if cpu > most]
    if over:
        terminalreporter.section("over their budget")
        terminalreporter.write_line("\n".join(over))


@pytest.fixture
def stingy(tmp_path):
    """Run the command in the folder of the test; return its result.

    Keywords are passed to ``subprocess.run``.
    """

    def stingy(*words, cpu_s=15, **given):
        given = {
            "cwd": tmp_path,
            "capture_output": True,
            "text": True,
            "timeout": machine.patience(cpu_s),
        } | given
        return subprocess.run([sys.executable, "-m", "stingy", *words], **given)

    return stingy


def cpu_s():
    """cpu_s: CPU-seconds of this process and of the processes that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
