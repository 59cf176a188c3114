"""Every behaviour of upstream that is known, and where the specification has it.

The names are those of a reading of upstream's code, its tests, its bugs and its open questions. A behaviour
is covered by rules and probes, by their ids, or there is a reason why it cannot be.
"""

from __future__ import annotations

from stingy.catalogue.behaviour import Behaviour, Part
from stingy.catalogue.controller import CONTROLLER
from stingy.catalogue.delaying import DELAY, LIMITERS, RATE_LIMITING
from stingy.catalogue.metrics import METRICS
from stingy.catalogue.priority import PRIORITY
from stingy.catalogue.proxy import LATENCY, NEGATIVES, SKEW, STEPS
from stingy.catalogue.tracker import ACCUMULATION, CHECKOUT, RESTART
from stingy.catalogue.trigger import CODEC, TRIGGERS
from stingy.catalogue.workqueue import CONCURRENCY, CORE, HOOK, MEMORY, SHUTDOWN

PARTS = (
    *(CORE, SHUTDOWN, CONCURRENCY, HOOK, MEMORY, DELAY, RATE_LIMITING),
    *(LIMITERS, METRICS, CONTROLLER, PRIORITY),
    *(TRIGGERS, CODEC),
    *(ACCUMULATION, RESTART, CHECKOUT),
    *(LATENCY, SKEW, STEPS, NEGATIVES),
)

__all__ = ["PARTS", "Behaviour", "Part"]
