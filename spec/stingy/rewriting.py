"""Rules whose asserts say what was there instead of what was expected: pytest rewrites them as it imports them.

Where pytest runs already, it has done so. Everywhere else it is asked to, so that a learner is told the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest


def run_rewritten(job: Callable[[], None]) -> None:
    """Do the job where the rules that it imports are rewritten."""
    if any(type(finder).__name__ == "AssertionRewritingHook" for finder in sys.meta_path):
        job()
        return
    words = ["-c", os.devnull, "--noconftest", *(word for name in UNWANTED for word in ("-p", f"no:{name}"))]
    os.environ.pop("PYTEST_ADDOPTS", None)  # these are for the learner's own tests
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        words += ["-p", "stingy.plugin"]
    doing = _Doing(job)
    pytest.main(words, plugins=[doing])
    if doing.raised is not None:
        raise doing.raised


UNWANTED = ("cacheprovider", "capture", "faulthandler", "hypothesispytest", "terminal", "warnings", "xdist")


class _Doing:
    """A plugin that does something else than to look for tests."""

    def __init__(self, job: Callable[[], None]) -> None:
        self._job = job
        self.raised: BaseException | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self) -> int:
        try:
            self._job()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it was asked for
            self.raised = error
        return 0
