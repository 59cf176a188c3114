"""One module a tool: each has ``search(fault, seconds)``, which says what it found, and when."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    name: str
    module: str
    package: str = ""
    """What it needs, as the registry has it."""
    under: str = ""
    """The command that it has to be run under."""


TOOLS = (
    Tool("stingy", "peers.engine", "stingy"),
    Tool("frontrun dpor", "peers.frontrun_dpor", "frontrun", under="frontrun"),
    Tool("frontrun random", "peers.frontrun_random", "frontrun", under="frontrun"),
    Tool("interleave-test pct", "peers.interleave_pct", "interleave-test"),
    Tool("real threads", "peers.real_threads"),
    Tool("Hypothesis, sequential", "peers.sequential", "hypothesis"),
)
"""Ours first."""
