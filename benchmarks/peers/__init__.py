"""The tools that are compared, a module each: ``search(fault, seconds)`` returns what the tool found.

``python -m peers MODULE FAULT SECONDS`` runs one tool on one fault.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """A tool that tests concurrent code, and how it is run."""

    name: str
    module: str
    package: str = ""
    """Its name on PyPI; empty if it needs no package."""
    under: str = ""
    """Command that has to start the tool; empty if Python does."""


@dataclass(frozen=True)
class Found:
    """The result of one tool on one fault."""

    found: bool
    seconds: float
    """Time until the fault was found, or until the search ended."""
    schedules: int
    """Number of runs in that time."""
    note: str = ""
    """How the search ended, if ``found`` does not say all."""
    cpu: float = 0.0
    """CPU time in seconds, which other load on the machine changes less."""


TOOLS = (
    Tool("stingy", "engine", "stingy"),
    Tool("frontrun dpor", "frontrun_dpor", "frontrun", under="frontrun"),
    Tool("frontrun random", "frontrun_random", "frontrun", under="frontrun"),
    Tool("interleave-test pct", "interleave_pct", "interleave-test"),
    Tool("real threads", "real_threads"),
    Tool("Hypothesis, sequential", "sequential", "hypothesis"),
)
"""stingy comes first: all others are compared with it."""
