"""Controlled threads, and what they may wait for."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from enum import Enum, auto
from typing import Protocol

from stingy.contract import Nanoseconds
from stingy.engine.carrier import allocate
from stingy.engine.life import Life
from stingy.engine.operands import Returned
from stingy.engine.places import Access, Holdable


class Abort(BaseException):
    """Unwinds a controlled thread when its session is over."""


class State(Enum):
    IDLE = auto()
    """Has no job."""
    READY = auto()
    WANTS_LOCK = auto()
    PARKED = auto()
    """Waits for a notify, or sleeps."""
    JOINS = auto()
    SPINS = auto()
    """Waits in a busy loop, and looks again when something else has happened."""


class Task:
    """A controlled thread, or a spare one that waits for a job."""

    def __init__(self) -> None:
        self.gate = allocate()
        self.gate.acquire()
        self.ident = self.native_id = 0
        self.name = ""
        self.life: Life | None = None
        """The Life of the Thread that its code sees as its own; None if there is none."""
        self.context = Context()
        """The context variables of that code."""
        self.is_new = True
        """Whether no job has run in it in this session."""
        self.kept: dict[object, object] = {}
        """The dict that holds the thread's thread-locals."""
        self.left: object = None
        """Thread-locals that code of an earlier session left, held until this session ends."""
        self.state = State.IDLE
        self.wants: Holdable | None = None
        """The lock that it waits for, or takes again after a notify."""
        self.joins: Life | None = None
        """The Life of the Thread whose end it waits for."""
        self.locks = 0
        """How many locks it has created in this session."""
        self.deadline: Nanoseconds | None = None
        """When it wakes if nothing else wakes it, in virtual time; None if never."""
        self.awake = False
        """Whether a notify has woken it."""
        self.access: Access | None = None
        """What it is about to touch; None if that is unknown or nothing."""
        self.returned: Returned | None = None
        """The last return of the candidate's own code since the last scheduling point, if any."""
        self.begin: Callable[[], None] | None = None
        """Called when the thread first touches something: its call begins there."""
        self.turn = 0
        """The number of its last turn, which gives the fair order."""
        self.impatient: Nanoseconds | None = None
        """The instant at which it last waited for no time at all."""
        self.job: Callable[[], None] | None = None
        self.host: Host | None = None
        """What gave it the job."""
        self.dismissed = False
        self.tracer: Tracing | None = None
        """Makes scheduling points in the code that it runs."""

    def be_traced(self, tracer: Tracing | None) -> None:
        """Make scheduling points by ``tracer`` from now on; called in the thread itself."""
        if tracer is self.tracer:
            return
        if self.tracer is not None:
            self.tracer.off()
        if tracer is not None:
            tracer.on()
        self.tracer = tracer

    def bury(self) -> None:
        """End the Life of the Thread that its code saw as its own, if there is one."""
        life, self.life = self.life, None
        if life is not None:
            life.end()

    def dismiss(self) -> None:
        """End the thread, which must be waiting for a job."""
        self.dismissed = True
        self.gate.release()

    def name_lock(self) -> str:
        """Return a name for a lock that it creates, which does not depend on other threads."""
        self.locks += 1
        return f"{self.name} {self.locks}"

    @property
    def busy(self) -> bool:
        return self.state is not State.IDLE

    def __repr__(self) -> str:
        return f"<{self.name} {self.state.name.lower()}>"


class Tracing(Protocol):
    """Makes scheduling points in the candidate's own code, for the thread that switches it on."""

    files: frozenset[str]

    def on(self) -> None:
        """Switch on, for the calling thread, also in functions that it has entered already."""

    def off(self) -> None: ...

    def thin(self) -> None:
        """Make no more points in the loops of the calling thread, whose turn is long."""

    def thicken(self) -> None:
        """Make all points again: the long turn is over."""


class Host(Protocol):
    """Gives jobs to threads, and learns when they are done."""

    aborting: bool
    tracer: Tracing | None

    def leave(self, task: Task) -> None: ...
