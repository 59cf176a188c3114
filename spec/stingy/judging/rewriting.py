"""Assertion rewriting: pytest rewrites rules on import, so that an assert shows the actual values.

If pytest is running, rewriting is already active. Otherwise pytest is started only to activate it,
so that messages about broken rules are the same everywhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest


def run_rewritten(job: Callable[[], None]) -> None:
    """Run the job with pytest's assertion rewriting active; what the job raises is raised again."""
    if any(type(finder).__name__ == "AssertionRewritingHook" for finder in sys.meta_path):
        job()
        return
    words = ["-c", os.devnull, "--noconftest", *(word for name in UNWANTED for word in ("-p", f"no:{name}"))]
    os.environ.pop("PYTEST_ADDOPTS", None)  # options for the user's own tests
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        words += ["-p", "stingy.plugin"]
    doing = _Doing(job)
    pytest.main(words, plugins=[doing])
    if doing.raised is not None:
        raise doing.raised


UNWANTED = ("cacheprovider", "capture", "faulthandler", "hypothesispytest", "terminal", "warnings", "xdist")


class _Doing:
    """A pytest plugin that runs the job instead of collecting tests."""

    def __init__(self, job: Callable[[], None]) -> None:
        self._job = job
        self.raised: BaseException | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self) -> int:
        try:
            self._job()
        except BaseException as error:  # noqa: BLE001 - run_rewritten raises it again
            self.raised = error
        return 0
