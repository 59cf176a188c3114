"""Assertion rewriting: pytest rewrites rules on import, so that an assert shows the actual values.

If pytest is running, rewriting is already active. Otherwise pytest is started only to activate it,
so that messages about broken rules are the same everywhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import pytest

from stingy.process.interrupt import raise_what_was_lost

T = TypeVar("T")

REWRITTEN = ("stingy.guarantees", "stingy.language")
"""Packages whose asserts are rewritten."""
UNWANTED = (
    *("cacheprovider", "capture", "debugging", "doctest", "faulthandler", "hypothesispytest", "junitxml"),
    *("logging", "pastebin", "setuponly", "setupplan", "skipping", "terminal", "threadexception"),
    *("unittest", "unraisableexception", "warnings"),
)
"""Plugins of pytest that are not loaded: a candidate runs as in a script."""
FOR_OTHERS = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables with options for the tests of the user's own project."""
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_NO_PLUGINS": "1"}


def run_rewritten(job: Callable[[], T]) -> T:
    """Run ``job`` with pytest's assertion rewriting; return what it returns, raise what it raises.

    The configuration of the project in the current folder is not read, and no installed plugin is
    loaded.
    """
    if any(type(finder).__name__ == "AssertionRewritingHook" for finder in sys.meta_path):
        return job()
    words = ("-c", os.devnull, "--rootdir", os.getcwd(), "--noconftest")  # noqa: PTH109
    doing = _Doing(job)
    with _only_ours():
        pytest.main([*words, *(f"-pno:{name}" for name in UNWANTED)], plugins=[doing])
    if doing.raised is not None:
        raise doing.raised
    if not doing.results:
        raise_what_was_lost()
        raise RuntimeError("pytest has not started")  # it has printed the reason
    return doing.results[0]


@contextmanager
def _only_ours() -> Iterator[None]:
    """Until the block ends, load no installed plugins in pytest, Hypothesis and child processes."""
    before = {name: os.environ.pop(name, None) for name in (*FOR_OTHERS, *NO_PLUGINS)}
    os.environ.update(NO_PLUGINS)
    try:
        yield
    finally:
        for name in NO_PLUGINS:
            del os.environ[name]
        os.environ.update({name: value for name, value in before.items() if value is not None})


class _Doing(Generic[T]):
    """A pytest plugin that runs the job as the only test.

    Only while a test runs does pytest explain a comparison of two values.
    """

    def __init__(self, job: Callable[[], T]) -> None:
        self._job = job
        self.results: list[T] = []
        self.raised: BaseException | None = None

    def pytest_configure(self) -> None:
        pytest.register_assert_rewrite(*REWRITTEN)

    def pytest_collection(self, session: pytest.Session) -> bool:
        session.items = [_Test.from_parent(session, name="stingy")]
        session.testscollected = 1
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool:
        try:
            self.results.append(self._job())
        except BaseException as error:  # noqa: BLE001 - run_rewritten raises it again
            self.raised = error
        return True


class _Test(pytest.Item):
    """The only test item of the pytest run; the plugin runs the job in its place."""

    def runtest(self) -> None:
        raise NotImplementedError
