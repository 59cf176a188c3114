"""Controlled threads: their state, and what each waits for."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from enum import Enum, auto
from typing import Protocol

from stingy.contract import Nanoseconds
from stingy.engine.carrier import Locals, allocate
from stingy.engine.life import Life
from stingy.engine.operands import Returned
from stingy.engine.places import Access, Holdable


class Abort(BaseException):
    """Raised in a controlled thread to unwind it when its session is over."""


class State(Enum):
    """The state of a controlled thread: what it does, or what it waits for."""

    IDLE = auto()
    """Has no job."""
    READY = auto()
    """Can run."""
    WANTS_LOCK = auto()
    """Waits until a lock is free."""
    PARKED = auto()
    """Waits for a notify, or sleeps."""
    JOINS = auto()
    """Waits for the end of another thread."""
    SPINS = auto()
    """Is in a busy loop, and stands still until another thread has done something."""


class Task:
    """A thread under control of the scheduler, or a spare one that waits for a job."""

    def __init__(self) -> None:
        self.gate = allocate()
        self.gate.acquire()
        self.ident = self.native_id = 0
        self.name = ""
        self.life: Life | None = None
        """The Life of the Thread that its job sees as current; None if there is none."""
        self.context = Context()
        """The context variables with which its job runs."""
        self.is_new = True
        """True until it runs its first job of this session."""
        self.locals: Locals
        """The thread's thread-locals; set by the thread as it starts."""
        self.left: object = None
        """Thread-locals left over from an earlier session, kept alive until this session ends."""
        self.state = State.IDLE
        self.wants: Holdable | None = None
        """The lock that it must acquire to continue, also after a notify; None if none."""
        self.joins: Life | None = None
        """The Life of the Thread whose end it waits for; None if it waits for none."""
        self.locks = 0
        """How many locks it has created in this session."""
        self.deadline: Nanoseconds | None = None
        """Virtual time at which it wakes if nothing else wakes it; None if it has no time-out."""
        self.awake = False
        """True if a notify has woken it."""
        self.access: Access | None = None
        """Places that its next step reads and changes; None if they are unknown, or if there are none."""
        self.returned: Returned | None = None
        """The last return of the candidate's own code since the last scheduling point, if any."""
        self.begin: Callable[[], None] | None = None
        """Records the start of the call to the candidate that the rule makes in this thread.

        It runs when the code of that call first touches something; None if that has happened.
        """
        self.turn = 0
        """The number of its last turn; in the fair order, the lowest number runs first."""
        self.impatient: Nanoseconds | None = None
        """Virtual time of its last wait with a time-out of 0; None if it has made no such wait."""
        self.job: Callable[[], None] | None = None
        self.host: Host | None = None
        """The scheduler that gave it the job; None if it has none."""
        self.dismissed = False
        self.tracer: Tracing | None = None
        """Makes scheduling points in the code that it runs now; None if nothing does."""

    def be_traced(self, tracer: Tracing | None) -> None:
        """Let ``tracer`` make this thread's scheduling points from now on; None for no tracer.

        Called in the thread itself.
        """
        if tracer is self.tracer:
            return
        if self.tracer is not None:
            self.tracer.off()
        if tracer is not None:
            tracer.on()
        self.tracer = tracer

    def bury(self) -> None:
        """Make the Thread object that the job saw as its own look ended, if there is one."""
        life, self.life = self.life, None
        if life is not None:
            life.end()

    def dismiss(self) -> None:
        """End the thread, which must be waiting for a job."""
        self.dismissed = True
        self.gate.release()

    def name_lock(self) -> str:
        """Return a name for the next lock that this thread creates; no interleaving changes it."""
        self.locks += 1
        return f"{self.name} {self.locks}"

    @property
    def busy(self) -> bool:
        return self.state is not State.IDLE

    def __repr__(self) -> str:
        return f"<{self.name} {self.state.name.lower()}>"


class Tracing(Protocol):
    """An object that makes scheduling points in the candidate's code, for threads that turn it on."""

    files: frozenset[str]

    def on(self) -> None:
        """Start to make scheduling points for the calling thread, also in functions already entered."""

    def off(self) -> None: ...

    def thin(self) -> None:
        """Make fewer scheduling points in the loops of the calling thread, because its turn is long."""

    def thicken(self) -> None:
        """Make all scheduling points again, because the long turn is over."""


class Host(Protocol):
    """Gives jobs to controlled threads; ``leave`` is called when a job has ended."""

    aborting: bool
    tracer: Tracing | None

    def leave(self, task: Task) -> None: ...
