"""How a real implementation is built, as its card says, but to another place."""

import shlex
from pathlib import Path

from stingy.implementations import implementations

CANDIDATES = Path(__file__).parents[2] / "candidates"
SHARED = (
    "candidates/*-driver/**",
    "candidates/kube-proxy/*.go",
    "candidates/kube-proxy/go.*",
    "spec/stingy/starters/*/stingy/**",
)
"""What the drivers have in common, for those that ask what one is made of."""


def build(name, driver):
    """The words of the command that builds the driver of an implementation in Go, and puts it there."""
    (command,) = next(it.card.build for it in implementations(CANDIDATES) if it.name == name)
    return [str(driver) if word == "driver" else word for word in shlex.split(command)]
