"""Executable rules of the Kubernetes workqueue and of kube-proxy's programming latency.

Used from a test of your own::

    import stingy

    def test_my_queue_keeps_its_promises():
        stingy.assert_conforms(WorkQueue, "stingy/*")
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""False at run time; type checkers take it for True, as they do with ``typing.TYPE_CHECKING``.

It is not imported, because ``typing`` takes long to load. Until the signal handler is installed,
Ctrl-C prints a traceback, so this package has to be imported quickly.
"""

if TYPE_CHECKING:
    from typing import Any

    __version__: str
    from stingy.conformance import assert_conforms, judge, replay
    from stingy.judging.verdict import Finding, Verdict
    from stingy.language.rule import Level
    from stingy.reports import Report

_PLACES = {
    "assert_conforms": "stingy.conformance",
    "judge": "stingy.conformance",
    "replay": "stingy.conformance",
    "Report": "stingy.reports",
    "Finding": "stingy.judging.verdict",
    "Level": "stingy.language.rule",
    "Verdict": "stingy.judging.verdict",
}
"""Modules of the public names, imported on first use.

Every pytest run in the environment loads this package, so loading it must be quick.
"""

__all__ = ["Finding", "Level", "Report", "Verdict", "assert_conforms", "judge", "replay"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("stingy")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
