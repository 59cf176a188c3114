"""Executable rules of the Kubernetes workqueue and of kube-proxy's programming latency.

From a test of one's own::

    import stingy

    def test_my_queue_keeps_its_promises():
        stingy.assert_conforms(WorkQueue, "stingy/*")
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""Without ``typing``: that takes longer to import than all that must be there before an interrupt is answered."""

if TYPE_CHECKING:
    from typing import Any

    from stingy.conformance import assert_conforms, judge, replay
    from stingy.language.rule import Level
    from stingy.reports import Report
    from stingy.verdict import Finding, Verdict

_PLACES = {
    "assert_conforms": "stingy.conformance",
    "judge": "stingy.conformance",
    "replay": "stingy.conformance",
    "Report": "stingy.reports",
    "Finding": "stingy.verdict",
    "Level": "stingy.language.rule",
    "Verdict": "stingy.verdict",
}
"""Imported when they are asked for: this package is loaded into every pytest run of its environment."""

__all__ = ["Finding", "Level", "Report", "Verdict", "assert_conforms", "judge", "replay"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
