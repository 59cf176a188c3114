"""A thread under control, and what it may wait for."""

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
    """Waits in a loop of its own, and is to look again when something else has happened."""


class Task:
    """A thread under control, or a spare one waiting for a job."""

    def __init__(self) -> None:
        self.gate = allocate()
        self.gate.acquire()
        self.ident = self.native_id = 0
        self.name = ""
        self.life: Life | None = None
        """That of the Thread which it is to the code that runs in it; none once that has ended."""
        self.context = Context()
        """What the context variables of that code are."""
        self.is_new = True
        """Whether nothing has run in it in this session."""
        self.kept: dict[object, object] = {}
        """Where the thread's own locals are."""
        self.left: object = None
        """What the code of an earlier session has left in its thread-locals."""
        self.state = State.IDLE
        self.wants: Holdable | None = None
        self.joins: Life | None = None
        self.locks = 0
        """How many it has made in this session."""
        self.deadline: Nanoseconds | None = None
        self.awake = False
        self.access: Access | None = None
        """What it is about to touch."""
        self.returned: Returned | None = None
        """What the candidate's own code has returned there since it was last about to touch something."""
        self.begin: Callable[[], None] | None = None
        """To be called when it first touches something."""
        self.turn = 0
        """When it last got the processor: the fair order is by it."""
        self.impatient: Nanoseconds | None = None
        """When it last waited for no time at all."""
        self.job: Callable[[], None] | None = None
        self.host: Host | None = None
        """Whose job it is."""
        self.dismissed = False
        self.tracer: Tracing | None = None
        """The maker of scheduling points in the code that runs in it."""

    def be_traced(self, tracer: Tracing | None) -> None:
        """Make scheduling points by ``tracer`` from now on, in the thread that calls, which is its own."""
        if tracer is self.tracer:
            return
        if self.tracer is not None:
            self.tracer.off()
        if tracer is not None:
            tracer.on()
        self.tracer = tracer

    def bury(self) -> None:
        """Whatever it was to the code that has run in it, it is no more."""
        life, self.life = self.life, None
        if life is not None:
            life.end()

    def dismiss(self) -> None:
        """Let the thread end, which is waiting for a job."""
        self.dismissed = True
        self.gate.release()

    def name_lock(self) -> str:
        """A name for one that it makes, which is the same whatever others do meanwhile."""
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
        """Also in the functions that the thread is in the midst of."""

    def off(self) -> None: ...

    def thin(self) -> None:
        """The turn of the thread that calls is long: make no more points in its loops."""

    def thicken(self) -> None:
        """It is over: make all points again."""


class Host(Protocol):
    """Whoever gives jobs to threads, and is told when one is done."""

    aborting: bool
    tracer: Tracing | None

    def leave(self, task: Task) -> None: ...
