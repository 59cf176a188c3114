"""frontrun's systematic exploration, with its virtual clock."""

from __future__ import annotations

from peers import Found
from peers.faults import Fault
from peers.frontrun_random import explore


def search(fault: Fault, seconds: float) -> Found:
    return explore(fault, seconds, strategy="dpor")
