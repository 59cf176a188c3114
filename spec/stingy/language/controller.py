"""A controller under test: keys go in, and the rule decides how each reconcile ends."""

from __future__ import annotations

from typing import Any

from stingy.contract import Nanoseconds
from stingy.language.session import NotOffered, Pending, Session
from stingy.language.story import Story
from stingy.language.values import spoken

MANAGER = "manager"
SOURCE = "source"

ENDS = {
    "ok": "succeeds",
    "error": "fails",
    "panic": "panics",
    "terminal": "fails for good",
    "wrapped": "fails for good, which it says within another error",
    "requeue": "asks to be called again",
    "requeue_after": "asks to be called again",
}


class Controller:
    """Made and started. Its rate limiter is ours: 1 min, 2 min, 4 min and so on for each key."""

    def __init__(self, session: Session, story: Story, patience: Nanoseconds) -> None:
        self._session = session
        self._story = story
        self._patience = patience
        self._known: list[str] = []
        self.reconciled: list[str] = []
        """The keys of all reconciles that have begun, as far as the rule has looked."""
        self._starting = self._call(MANAGER, "start")
        self._stopping: Pending | None = None
        self._story.tell(MANAGER, "Start()")

    def add(self, key: str) -> None:
        """Something happens to the object with this key."""
        adding = self._call(SOURCE, "add", self._story.salted(key))
        assert adding.returned, f"Add({key!r}) does not return"
        assert not adding.raised, f"Add({key!r}) raises {adding.raised}"
        self._story.tell(SOURCE, f"Add({key!r})")

    def under_way(self) -> list[str]:
        """The keys that are being reconciled now, each as often as it is, in the order of the alphabet."""
        self._session.settle(None, self._patience)
        return self._look()

    def finish(self, key: str, how: str = "ok", after: Nanoseconds = 0) -> None:
        """The reconcile of this key ends: ``ok``, ``error`` … (``ENDS``); ``requeue_after`` with a time."""
        self._session.settle(None, self._patience)
        assert key in self._look(), f"{key!r} is not being reconciled"
        self._known.remove(key)
        ending = self._call("suite", "finish", self._story.salted(key), how, after)
        if not ending.value:
            raise NotOffered(f"its reconcile cannot end so: {how}")
        spelled = f"{ENDS[how]} after {spoken(after)}" if after else ENDS[how]
        self._story.tell("worker", f"reconcile of {key!r} {spelled}")

    def elapse(self, span: Nanoseconds) -> None:
        self._session.advance(span)
        self._story.tell("time", f"{spoken(span)} pass")

    def stop(self) -> None:
        """Somebody calls Stop; it may have to wait for what is under way."""
        self._stopping = self._call(MANAGER + " 2", "stop")
        self._story.tell(MANAGER, "Stop()", "" if self._stopping.returned else "waits")

    @property
    def stopped(self) -> bool:
        """Whether Start and Stop have both returned: no worker may be left."""
        assert self._stopping is not None
        self._session.settle(self._stopping, self._patience)
        self._session.settle(self._starting, self._patience)
        return self._stopping.returned and self._starting.returned

    def _look(self) -> list[str]:
        call = self._call("suite", "reconciles")
        now = sorted(self._story.plain(key) for key in call.value)
        for key in set(now):
            begun = now.count(key) - self._known.count(key)
            for _ in range(begun):
                self._story.tell("worker", f"reconciles {key!r}")
                self.reconciled.append(key)
        self._known = now
        return now

    def _call(self, lane: str, op: str, *args: Any) -> Pending:
        call = self._session.call(lane, op, *args)
        self._session.settle(call)
        return call
