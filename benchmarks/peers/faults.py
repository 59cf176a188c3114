"""The faults that every tool has to find, each with one small program that can show it.

On a correct queue every call of these programs returns, because most tools report a wait without an
end as a deadlock.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.guarantees.interleavings import DRAINING, STOPPING, WORKING
from stingy.language import Program

PROGRAMS = {program.what_meets: program for program in (*WORKING, *STOPPING, *DRAINING)}


@dataclass(frozen=True)
class Fault:
    """A candidate, the kind of its fault (empty for the reference), and the program that shows it."""

    target: str
    kind: str
    program: Program

    @property
    def name(self) -> str:
        return self.target.partition(":")[2]

    @property
    def right(self) -> bool:
        return not self.kind


def _fault(name: str, kind: str, what_meets: str, module: str = "stingy_broken.races") -> Fault:
    return Fault(f"{module}:{name}", kind, PROGRAMS[what_meets])


FAULTS = (
    _fault("SignalsOnlyAnEmptyQueue", "lost wake-up", "two waiting workers and two Adds in a row"),
    _fault("LooksBeforeItLocks", "check, then act: Add", "two Adds of one item and a Get"),
    _fault("LooksBackTooEarly", "check, then act: Done", "Done and an Add of its item"),
    _fault("TakesBeforeItMarks", "gap between take and mark", "two Adds of one item and a worker"),
    _fault("TwoTakeTheSame", "gap between look and take", "workers that keep what they get"),
    _fault("LocksInTwoOrders", "lock order", "two waiting workers and two Adds in a row"),
    _fault("MarksUnderAnotherLock", "two locks", "two Adds of one item and a Get", "peers.torn"),
    _fault("CountsInTwoLooks", "torn read", "Len while items come and go", "peers.torn"),
    _fault(
        "TrustsTheWakeUp",
        "if instead of while",
        "workers that keep what they get",
        "stingy_broken.queues",
    ),
    _fault("GoesHomeTooEarly", "stale flag after a wait", "a worker, and an Add before ShutDown"),
    _fault(
        "WakesOneAtShutdown",
        "notify instead of notify_all",
        "two waiting workers and ShutDown",
        "stingy_broken.shutdowns",
    ),
    _fault("NobodyTellsTheDrain", "no notify", "a drain and the last Done", "stingy_broken.drains"),
)

REFERENCE = tuple(
    Fault("stingy_reference:WorkQueue", "", PROGRAMS[what_meets])
    for what_meets in (
        "a waiting worker and an item that comes back",
        "two waiting workers and two Adds in a row",
        "two workers that empty a queue being shut down",
    )
)
"""The reference has no fault: these programs are for the rate only."""
